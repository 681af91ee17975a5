//! One game between two contestants under a referee.
//!
//! The referee plays every move on its own board. A contestant loses by an illegal move, by the end of its program,
//! by a timeout, by an unreadable answer, or by refusing a legal move of the opponent.

use super::client::GtpFailure;
use super::contestant::{Contestant, GameSettings};
use super::opening::Opening;
use super::reported_score::ReportedScore;
use crate::base::game::{Game, Move, Outcome, Player};
use crate::go::score::area_score;
use crate::go::{Komi, Record, Rules, Size};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Moves per point of the board after which a game is scored as it stands.
const MAX_MOVES_PER_POINT: usize = 4;
/// Timeout for counting a score; GNU Go can take long.
const SCORING_TIMEOUT: Duration = Duration::from_secs(120);

/// Conditions common to all games of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchConditions {
    /// Board size.
    pub size: Size,
    /// Rules of the referee.
    pub rules: Rules,
    /// Komi, without White's compensation for handicap stones of an opening.
    pub komi: Komi,
    /// Time for each move, in whole seconds, sent to programs that keep time.
    pub time_per_move: Option<Duration>,
    /// Time for one move after which the player loses.
    pub move_timeout: Duration,
    /// Method of scoring after two passes.
    pub scoring: ScoringMethod,
}

/// Method of scoring a game that ended with two passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScoringMethod {
    /// The result on which both contestants agree; without agreement, or without two results, by area.
    Agreement,
    /// By area, all stones alive.
    Area,
    /// By area, without the stones that a third program (its command line) reports as dead.
    Referee(String),
}

/// The way in which a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameEnding {
    /// Two passes; scored by the method of the match.
    Score,
    /// Two passes; the contestants named different winners, so the area decided, with all stones alive.
    Disagreement,
    /// A player resigned.
    Resignation,
    /// Too many moves; the area decided, with all stones alive.
    Length,
    /// The loser made an illegal move.
    Illegal,
    /// The loser took too long.
    Time,
    /// The loser's program ended.
    Crash,
    /// The loser gave an unreadable answer or refused a legal move.
    Garbage,
}

impl GameEnding {
    /// Returns true if the loser lost by a fault: an illegal move, a timeout, a crash or a bad answer.
    #[must_use]
    pub fn is_fault(self) -> bool {
        matches!(self, GameEnding::Illegal | GameEnding::Time | GameEnding::Crash | GameEnding::Garbage)
    }
}

/// The outcome of a finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameOutcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Player>,
    /// The result in the form of SGF, such as `B+3.5`.
    pub result: String,
    /// The way in which the game ended.
    pub ending: GameEnding,
    /// Details of the ending; may be empty.
    pub detail: String,
    /// All moves, those of the opening included.
    pub moves: Vec<(Player, Move)>,
    /// Total time of Black and of White for their moves.
    pub thinking: [Duration; 2],
    /// Number of moves requested from Black and from White.
    pub generated: [u32; 2],
}

/// A running game.
struct Referee<'g> {
    conditions: &'g MatchConditions,
    players: [&'g mut Contestant; 2],
    record: Record,
    thinking: [Duration; 2],
    generated: [u32; 2],
}

/// A fault that loses the game.
struct Fault {
    loser: Player,
    ending: GameEnding,
    detail: String,
}

/// Plays a game; `players` are Black and White. There is a result whatever the contestants do.
pub fn play(
    conditions: &MatchConditions,
    opening: Option<&Opening>,
    players: [&mut Contestant; 2],
) -> GameOutcome {
    let record = Record::new(conditions.size, conditions.rules, conditions.komi);
    let mut referee =
        Referee { conditions, players, record, thinking: [Duration::ZERO; 2], generated: [0; 2] };
    let decision = referee.begin(opening).and_then(|()| referee.play_on()).unwrap_or_else(GameResult::from);
    let Referee { record, thinking, generated, .. } = referee;
    let GameResult { winner, result, ending, detail } = decision;
    GameOutcome { winner, result, ending, detail, moves: record.moves().to_vec(), thinking, generated }
}

/// Returns a game without moves, lost because the loser's program did not start for the `reason` given.
#[must_use]
pub fn not_started(loser: Player, reason: &str) -> GameOutcome {
    let detail = format!("{loser}: {reason}");
    let GameResult { winner, result, ending, detail } =
        Fault { loser, ending: GameEnding::Crash, detail }.into();
    let (thinking, generated) = ([Duration::ZERO; 2], [0; 2]);
    GameOutcome { winner, result, ending, detail, moves: Vec::new(), thinking, generated }
}

struct GameResult {
    winner: Option<Player>,
    result: String,
    ending: GameEnding,
    detail: String,
}

impl From<Fault> for GameResult {
    fn from(fault: Fault) -> GameResult {
        let Fault { loser, ending, detail } = fault;
        let winner = loser.other();
        GameResult { winner: Some(winner), result: format!("{}+F", winner.letter()), ending, detail }
    }
}

impl Referee<'_> {
    fn begin(&mut self, opening: Option<&Opening>) -> Result<(), Fault> {
        let MatchConditions { size, komi, time_per_move, .. } = *self.conditions;
        let setting = GameSettings { size, komi: komi.points(), time_per_move };
        for player in Player::BOTH {
            let begun = self.players[player.index()].begin(&setting);
            begun.map_err(|failure| fault(player, failure))?;
        }
        for &(mover, mv) in opening.map_or(&[][..], |opening| &opening.moves) {
            for player in Player::BOTH {
                let played = self.players[player.index()].play(size, mover, mv);
                played.map_err(|failure| fault(player, failure))?;
            }
            self.record_move(mover, mv)?;
        }
        Ok(())
    }

    fn play_on(&mut self) -> Result<GameResult, Fault> {
        let MatchConditions { size, move_timeout, .. } = *self.conditions;
        while self.record.moves().len() < MAX_MOVES_PER_POINT * size.points() {
            if self.record.position().passes() >= 2 {
                return Ok(self.score());
            }
            let mover = self.record.position().to_play();
            let started = Instant::now();
            let generated = self.players[mover.index()].generate_move(size, mover, move_timeout);
            let taken = started.elapsed();
            self.thinking[mover.index()] += taken;
            self.generated[mover.index()] += 1;
            let generated = generated.map_err(|failure| fault(mover, failure))?;
            if taken > move_timeout {
                let detail = format!("a move took {:.1} s", taken.as_secs_f64());
                return Err(Fault { loser: mover, ending: GameEnding::Time, detail });
            }
            let Some(mv) = generated else {
                let winner = mover.other();
                let result = format!("{}+R", winner.letter());
                return Ok(GameResult {
                    winner: Some(winner),
                    result,
                    ending: GameEnding::Resignation,
                    detail: String::new(),
                });
            };
            self.record_move(mover, mv)?;
            let played = self.players[mover.other().index()].play(size, mover, mv);
            played.map_err(|failure| fault(mover.other(), failure))?;
        }
        let detail = format!("{} moves", self.record.moves().len());
        Ok(self.decision(area_score(self.record.position().board()), GameEnding::Length, detail))
    }

    fn record_move(&mut self, mover: Player, mv: Move) -> Result<(), Fault> {
        self.record.play(mover, mv).map_err(|reason| Fault {
            loser: mover,
            ending: GameEnding::Illegal,
            detail: format!("{mover} {}: {reason}", self.conditions.size.vertex(mv)),
        })
    }

    fn score(&mut self) -> GameResult {
        let area = area_score(self.record.position().board());
        match &self.conditions.scoring {
            ScoringMethod::Area => self.decision(area, GameEnding::Score, String::new()),
            ScoringMethod::Agreement => self.agreed_score(area),
            ScoringMethod::Referee(command) => match super::scorer::score(command, &self.record) {
                Ok(score) => self.decision(score, GameEnding::Score, String::new()),
                Err(error) => self.decision(area, GameEnding::Score, format!("scored by area: {error}")),
            },
        }
    }

    /// Returns the score on which both contestants agree, with Black's margin. The area decides if the winners differ, or
    /// if a contestant gives no result. Whatever the two do not agree on is in the detail.
    fn agreed_score(&mut self, area: i16) -> GameResult {
        let answers = Player::BOTH.map(|player| {
            let answer = self.players[player.index()].ask("final_score", SCORING_TIMEOUT);
            answer.and_then(|answer| ReportedScore::read(&answer))
        });
        if let [Ok(black), Ok(white)] = &answers {
            let ReportedScore { winner, result } = black.clone();
            let detail = format!("Black reports {result}, White reports {}", white.result);
            return if winner != white.winner {
                self.decision(area, GameEnding::Disagreement, detail)
            } else if result == white.result {
                GameResult { winner, result, ending: GameEnding::Score, detail: String::new() }
            } else {
                GameResult { winner, result, ending: GameEnding::Score, detail }
            };
        }
        let reports = ["Black", "White"].into_iter().zip(answers).map(|(player, answer)| match answer {
            Ok(ReportedScore { result, .. }) => format!("{player} reports {result}"),
            Err(failure) => format!("{player} gives no result: {failure}"),
        });
        let detail = format!("scored by area: {}", reports.collect::<Vec<_>>().join("; "));
        self.decision(area, GameEnding::Score, detail)
    }

    /// Returns the result for an area score from Black's view, before komi and White's compensation for a handicap.
    fn decision(&self, score: i16, ending: GameEnding, detail: String) -> GameResult {
        let komi = self.record.position().final_area_komi();
        let winner = match komi.outcome_for_black(score) {
            Outcome::Win => Some(Player::Black),
            Outcome::Loss => Some(Player::White),
            Outcome::Draw => None,
        };
        let margin = (f64::from(score) - komi.points()).abs();
        let result = winner.map_or_else(|| "0".to_owned(), |winner| format!("{}+{margin}", winner.letter()));
        GameResult { winner, result, ending, detail }
    }
}

fn fault(loser: Player, failure: GtpFailure) -> Fault {
    let ending = match failure {
        GtpFailure::Crashed { .. } => GameEnding::Crash,
        GtpFailure::TimedOut { .. } => GameEnding::Time,
        GtpFailure::Refused { .. } | GtpFailure::Garbage { .. } => GameEnding::Garbage,
    };
    Fault { loser, ending, detail: format!("{loser}: {failure}") }
}
