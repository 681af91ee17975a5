//! What a review means: the loss of each move, the costliest ones, sums by player and phase.

use super::model::{Candidate, Finding, Played, Review, Turn};
use super::verdict::{self, Verdict};
use crate::game::Player;
use std::num::ParseFloatError;
use std::str::FromStr;

/// How a review is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// From what loss on a move is what.
    pub thresholds: Thresholds,
    /// How many of the costliest moves are listed.
    pub mistakes: usize,
}

/// The losses of win rate, in percent, from which on a move is an inaccuracy, a mistake, a blunder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds([f64; 3]);

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds([5.0, 10.0, 20.0])
    }
}

/// Thresholds that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected three rising percentages from 0 to 100 such as 5,10,20, found {0:?}")]
pub struct ThresholdsError(String);

impl FromStr for Thresholds {
    type Err = ThresholdsError;

    fn from_str(text: &str) -> Result<Thresholds, ThresholdsError> {
        let numbers: Result<Vec<f64>, ParseFloatError> =
            text.split(',').map(|it| it.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[low, middle, high]) if 0.0 < low && low < middle && middle < high && high <= 100.0 => {
                Ok(Thresholds([low, middle, high]))
            }
            _ => Err(ThresholdsError(text.to_owned())),
        }
    }
}

impl std::fmt::Display for Thresholds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [low, middle, high] = self.0;
        write!(f, "{low},{middle},{high}")
    }
}

impl Thresholds {
    /// The three percentages, the smallest first.
    #[must_use]
    pub fn percentages(&self) -> [f64; 3] {
        self.0
    }

    fn severity(&self, loss: f64) -> Severity {
        let names = [Severity::Inaccuracy, Severity::Mistake, Severity::Blunder];
        let reached = self.0.iter().zip(names).rev().find(|(threshold, _)| 100.0 * loss >= **threshold);
        reached.map_or(Severity::Fine, |(_, severity)| severity)
    }
}

/// How bad a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It costs little or nothing.
    Fine,
    /// It costs a little.
    Inaccuracy,
    /// It costs a good deal.
    Mistake,
    /// It costs very much.
    Blunder,
}

impl Severity {
    /// All of them, the least first.
    pub const ALL: [Severity; 4] =
        [Severity::Fine, Severity::Inaccuracy, Severity::Mistake, Severity::Blunder];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["fine", "inaccuracy", "mistake", "blunder"][self as usize]
    }
}

/// A part of a game, by the moves played so far as a share of the board's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first 14 %: 50 moves on 19x19, 11 on 9x9.
    Opening,
    /// Up to 42 %: 150 moves on 19x19, 34 on 9x9.
    Middle,
    /// The rest.
    Endgame,
}

impl Phase {
    /// All of them in order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middle, Phase::Endgame];

    /// The phase of a move, by its number from 1 and the points of the board.
    #[must_use]
    pub fn of(turn: usize, points: usize) -> Phase {
        match 100 * turn / points.max(1) {
            0..14 => Phase::Opening,
            14..42 => Phase::Middle,
            _ => Phase::Endgame,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["opening", "middle game", "endgame"][self as usize]
    }
}

/// What is to be said of a move. Chances are the mover's, `0..=1`.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveJudgement {
    /// The number of the move, from 1.
    pub turn: usize,
    /// Who moved.
    pub player: Player,
    /// Where.
    pub vertex: String,
    /// The chances with the best move.
    pub before: f64,
    /// The chances with the move that was played.
    pub after: f64,
    /// What the move cost, at least 0.
    pub loss: f64,
    /// What it cost in points, at least 0; `None` where that is not known.
    pub points: Option<f64>,
    /// The best move.
    pub best: Candidate,
    /// The place of the move that was played, from 0; `None` if the search did not look at it.
    pub order: Option<usize>,
    /// How bad it is.
    pub severity: Severity,
    /// Whether it was the best and all others would have been mistakes.
    pub is_only_move: bool,
    /// When it was.
    pub phase: Phase,
}

/// How a player did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerSummary {
    /// Moves that were judged.
    pub moves: usize,
    /// Mean loss of win rate of a move, `0..=1`, by phase; `None` without moves.
    pub loss: [Option<f64>; 3],
    /// The same in the whole game.
    pub total_loss: Option<f64>,
    /// Mean loss of points a move in the whole game.
    pub points: Option<f64>,
    /// Moves that were the engine's first choice.
    pub first_choices: usize,
    /// Moves among its first three.
    pub top_three: usize,
    /// Moves by severity, see [`Severity::ALL`].
    pub severities: [usize; 4],
}

/// What a review means.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Each move, by its number minus 1; `None` where it was not judged.
    pub moves: Vec<Option<MoveJudgement>>,
    /// The numbers of the costliest moves, the costliest first.
    pub worst: Vec<usize>,
    /// How the players did, Black first.
    pub players: [PlayerSummary; 2],
    /// Where the game was won, in words.
    pub verdict: Verdict,
}

impl Judgement {
    /// Of a review.
    #[must_use]
    pub fn new(review: &Review, settings: &Settings) -> Judgement {
        let points = review.columns * review.rows;
        let pairs = review.turns.windows(2).enumerate();
        let moves: Vec<Option<MoveJudgement>> = pairs
            .map(|(index, pair)| judge(&pair[0], &pair[1], index + 1, points, &settings.thresholds))
            .collect();
        let mut costly: Vec<&MoveJudgement> =
            moves.iter().flatten().filter(|mv| mv.severity > Severity::Fine).collect();
        costly.sort_by(|one, other| other.loss.total_cmp(&one.loss).then(one.turn.cmp(&other.turn)));
        let worst = costly.iter().take(settings.mistakes).map(|mv| mv.turn).collect();
        let players = Player::BOTH.map(|player| {
            let own = moves.iter().flatten().filter(|mv| mv.player == player);
            summary(&own.collect::<Vec<_>>())
        });
        let verdict = verdict::of(review, &moves);
        Judgement { moves, worst, players, verdict }
    }

    /// What is to be said of a move by its number, from 1.
    #[must_use]
    pub fn of(&self, turn: usize) -> Option<&MoveJudgement> {
        self.moves.get(turn.checked_sub(1)?)?.as_ref()
    }
}

/// A value of Black's as a player's.
pub(super) fn for_player(player: Player, black: f64) -> f64 {
    if player == Player::Black { black } else { 1.0 - black }
}

fn judge(
    before: &Turn,
    after: &Turn,
    turn: usize,
    points: usize,
    thresholds: &Thresholds,
) -> Option<MoveJudgement> {
    let Played { player, vertex } = after.played.as_ref()?;
    let (searched, found) = (before.finding.as_ref()?, after.finding.as_ref()?);
    let best = searched.candidates.first()?;
    // What the setup did is not the move's doing.
    if after.was_set_up {
        return None;
    }
    // A pass that ends the game is no choice, and neither is the one before it.
    if found.end.is_some() && vertex == "pass" {
        return None;
    }
    let is_best = best.vertex == *vertex;
    let chance = for_player(*player, found.winrate);
    let best_chance = if is_best { chance } else { for_player(*player, best.winrate) };
    let loss = (best_chance - chance).max(0.0);
    let order = searched.candidates.iter().find(|it| it.vertex == *vertex).map(|it| it.order);
    Some(MoveJudgement {
        turn,
        player: *player,
        vertex: vertex.clone(),
        before: best_chance,
        after: chance,
        loss,
        points: points_lost(best, found, *player).map(|lost| if is_best { 0.0 } else { lost }),
        best: best.clone(),
        order,
        severity: thresholds.severity(loss),
        is_only_move: is_best && is_only_move(searched, *player, chance, thresholds),
        phase: Phase::of(turn, points),
    })
}

fn points_lost(best: &Candidate, found: &Finding, player: Player) -> Option<f64> {
    let sign = if player == Player::Black { 1.0 } else { -1.0 };
    Some((sign * (best.lead? - found.lead?)).max(0.0))
}

/// Whether every other move that the search knows is a mistake. Moves with few visits are known badly: the second must
/// have a tenth of those of the first.
fn is_only_move(searched: &Finding, player: Player, chance: f64, thresholds: &Thresholds) -> bool {
    let [first, second, ..] = searched.candidates.as_slice() else { return false };
    second.visits * 10 >= first.visits
        && searched.candidates[1..]
            .iter()
            .all(|other| thresholds.severity(chance - for_player(player, other.winrate)) >= Severity::Mistake)
}

fn summary(moves: &[&MoveJudgement]) -> PlayerSummary {
    let mean =
        |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let losses = |phase: Option<Phase>| {
        let own = moves.iter().filter(|mv| phase.is_none_or(|phase| mv.phase == phase));
        mean(own.map(|mv| mv.loss).collect())
    };
    let count = |is: &dyn Fn(&MoveJudgement) -> bool| moves.iter().filter(|mv| is(mv)).count();
    PlayerSummary {
        moves: moves.len(),
        loss: Phase::ALL.map(|phase| losses(Some(phase))),
        total_loss: losses(None),
        points: mean(moves.iter().filter_map(|mv| mv.points).collect()),
        first_choices: count(&|mv| mv.order == Some(0)),
        top_three: count(&|mv| mv.order.is_some_and(|order| order < 3)),
        severities: Severity::ALL.map(|severity| count(&|mv| mv.severity == severity)),
    }
}
