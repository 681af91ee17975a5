//! Many games: the schedule, the workers that play, and the row kept of each game.

use super::contestant::{self, Contestant, ContestantError, ContestantSpec, GameSettings};
use super::game::{self, GameEnding, GameOutcome, MatchConditions, ScoringMethod};
use super::opening::Opening;
use super::scorer;
use super::store::GameRecordRow;
use crate::base::game::Player;
use crate::base::zobrist::mix;
use crate::go::Record;
use crate::records::sgf::{self, PlayedGame};
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Two contestants and the names of their games.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// The name in records; empty if there is only one pairing.
    pub label: String,
    /// The two contestants; the first has Black in games with an even index.
    pub contestants: [ContestantSpec; 2],
    /// Their names in records.
    pub names: [String; 2],
}

/// An experiment: engines, conditions and openings. `Schedule` explains the order of its games.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The pairings.
    pub pairings: Vec<Pairing>,
    /// Conditions common to all games.
    pub conditions: MatchConditions,
    /// Openings, used in turn; without any, games begin with the empty board.
    pub openings: Vec<Opening>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// True if contestants keep their tables from game to game.
    pub keep_table: bool,
}

/// Totals of one game's searches, for an engine in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchRow {
    /// Number of searches.
    pub searches: u64,
    /// Number of simulations.
    pub simulations: u64,
    /// Time spent in searches, in seconds.
    pub seconds: f64,
    /// Probes that found their position in the table.
    pub hits: u64,
    /// Probes of positions new to the table.
    pub misses: u64,
    /// Positions found at the first visit of an edge, mostly transpositions.
    pub transpositions: u64,
    /// Entries taken from other positions.
    pub evictions: u64,
    /// Edge pages taken from other positions.
    pub block_evictions: u64,
    /// Entries in use at the end of the game.
    pub entries_used: u64,
    /// Edge pages in use at the end of the game.
    pub blocks_used: u64,
    /// Share of the table in use at the end of the game, `0..=1`.
    pub occupancy: f64,
}

/// A line of `games.jsonl`. Contestants are 0, the first of the pairing, and 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRow {
    /// Number of the game in the experiment.
    pub game: u64,
    /// Label of the pairing; empty if there is only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pairing: String,
    /// Name of the Black player.
    pub black: String,
    /// Name of the White player.
    pub white: String,
    /// The contestant with Black: 0 or 1.
    #[serde(deserialize_with = "contestant_number")]
    pub black_is: u8,
    /// The contestant that won: 0 or 1; `None` for a draw.
    #[serde(deserialize_with = "winner_number")]
    pub winner: Option<u8>,
    /// The result in the form of SGF.
    pub result: String,
    /// The way in which the game ended.
    pub ending: GameEnding,
    /// Details of the ending; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Name of the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
    /// Number of moves, those of the opening included.
    pub moves: usize,
    /// Number of moves requested from each contestant.
    pub generated: [u32; 2],
    /// Total time of each contestant for these moves, in seconds.
    pub seconds: [f64; 2],
    /// Search totals of each contestant, for built-in engines.
    #[serde(default)]
    pub search: [Option<SearchRow>; 2],
}

impl GameRecordRow for GameRow {
    fn number(&self) -> u64 {
        self.game
    }
}

impl GameRow {
    /// Returns the half-points of the first contestant: 2 for a win, 1 for a draw.
    #[must_use]
    pub fn half_points(&self) -> u32 {
        match self.winner {
            Some(0) => 2,
            Some(_) => 0,
            None => 1,
        }
    }
}

/// Reads the number of a contestant; others than 0 and 1 are errors.
fn contestant_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    checked_number(u8::deserialize(deserializer)?)
}

/// Reads the number of the contestant that won, if one did.
fn winner_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    Option::deserialize(deserializer)?.map(checked_number).transpose()
}

fn checked_number<E: serde::de::Error>(number: u8) -> Result<u8, E> {
    if number < 2 { Ok(number) } else { Err(E::custom("expected contestant 0 or 1")) }
}

/// A finished game: its row and its record.
#[derive(Clone, Debug)]
pub struct FinishedGame {
    /// The line of `games.jsonl`.
    pub row: GameRow,
    /// The game as SGF.
    pub record: String,
}

/// The plan of one game.
#[derive(Clone, Copy, Debug)]
struct GamePlan<'e> {
    game: u64,
    pairing: &'e Pairing,
    opening: Option<&'e Opening>,
    /// The contestant with Black.
    black_is: usize,
    seed: u64,
}

impl Experiment {
    fn plan(&self, game: u64) -> GamePlan<'_> {
        let pairings = self.pairings.len() as u64;
        let index = game / pairings;
        let pair = index / 2;
        let opening = match self.openings.len() as u64 {
            0 => None,
            count => Some(&self.openings[(pair % count) as usize]),
        };
        GamePlan {
            game,
            pairing: &self.pairings[(game % pairings) as usize],
            opening,
            black_is: (index % 2) as usize,
            // The same for every pairing, so that only the contestants differ between pairings.
            seed: mix(self.seed ^ mix(index)),
        }
    }

    /// Returns true if a row is of a game of this experiment, with the colours of its schedule.
    #[must_use]
    pub fn has_game(&self, row: &GameRow) -> bool {
        let plan = self.plan(row.game);
        row.pairing == plan.pairing.label && usize::from(row.black_is) == plan.black_is
    }

    /// Starts every contestant once, sets up the board, and lets the referee count an empty one, so that errors show
    /// before the first game.
    ///
    /// # Errors
    /// Returns the first failure.
    pub fn try_contestants(&self) -> Result<(), ContestantError> {
        let MatchConditions { size, komi, time_per_move, .. } = self.conditions;
        let setting = GameSettings { size, komi: komi.points(), time_per_move };
        let mut tried: Vec<&str> = Vec::new();
        for spec in self.pairings.iter().flat_map(|pairing| &pairing.contestants) {
            let description = spec.description();
            if tried.contains(&description) {
                continue;
            }
            tried.push(description);
            let mut contestant = Contestant::start(spec, self.seed)?;
            contestant.begin(&setting).map_err(|failure| contestant::bad_answer(description, failure))?;
            contestant.close();
        }
        if let ScoringMethod::Referee(command) = &self.conditions.scoring {
            let record = Record::new(self.conditions.size, self.conditions.rules, self.conditions.komi);
            scorer::score(command, &record).map_err(|error| ContestantError::Referee {
                command: command.clone(),
                reason: error.to_string(),
            })?;
        }
        Ok(())
    }

    /// Plays `games` with `concurrency` workers and passes each to `finished` as it ends, in any order. The run ends
    /// early, after the running games, if `stop` is set or `finished` breaks. A program that does not start, although
    /// [`try_contestants`](Experiment::try_contestants) could start it, loses its game.
    ///
    /// # Errors
    /// Returns an error if a built-in engine cannot be made.
    pub fn run(
        &self,
        games: &[u64],
        concurrency: usize,
        stop: &AtomicBool,
        mut finished: impl FnMut(FinishedGame) -> ControlFlow<()>,
    ) -> Result<(), ContestantError> {
        let waiting = Mutex::new(games.iter().copied());
        let is_over = AtomicBool::new(false);
        let next = || {
            let goes_on = !stop.load(Relaxed) && !is_over.load(Relaxed);
            goes_on.then(|| waiting.lock().ok()?.next()).flatten()
        };
        let (sender, results) = channel();
        thread::scope(|scope| {
            for _ in 0..concurrency.clamp(1, games.len().max(1)) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || self.work(next, &sender));
            }
            drop(sender);
            let mut outcome = Ok(());
            for result in results {
                match result {
                    Ok(game) => {
                        if finished(game).is_break() {
                            is_over.store(true, Relaxed);
                        }
                    }
                    Err(error) => {
                        is_over.store(true, Relaxed);
                        outcome = Err(error);
                    }
                }
            }
            outcome
        })
    }

    fn work(
        &self,
        next: &(dyn Fn() -> Option<u64> + Sync),
        results: &Sender<Result<FinishedGame, ContestantError>>,
    ) {
        let mut kept = Vec::new();
        while let Some(game) = next() {
            let result = self.play(&self.plan(game), &mut kept);
            let failed = result.is_err();
            if results.send(result).is_err() || failed {
                break;
            }
        }
        for (_, contestant) in kept {
            contestant.close();
        }
    }

    /// Plays one game. `kept` are this worker's contestants from earlier games, by description.
    fn play(
        &self,
        plan: &GamePlan<'_>,
        kept: &mut Vec<(String, Contestant)>,
    ) -> Result<FinishedGame, ContestantError> {
        let [first, second] = &plan.pairing.contestants;
        let mut contestants = match [
            self.contestant(first, mix(plan.seed), kept),
            self.contestant(second, mix(plan.seed ^ 1), kept),
        ] {
            [Ok(one), Ok(other)] => [one, other],
            [Err(error), _] => return self.forfeit(plan, 0, error),
            [_, Err(error)] => return self.forfeit(plan, 1, error),
        };
        let [one, other] = &mut contestants;
        let players = if plan.black_is == 0 { [one, other] } else { [other, one] };
        let played = game::play(&self.conditions, plan.opening, players);
        let search = contestants.each_ref().map(search_row);
        for (spec, contestant) in plan.pairing.contestants.iter().zip(contestants) {
            let can_go_on = !played.ending.is_fault() && contestant.can_go_on();
            let is_reusable = can_go_on && (self.keep_table || contestant.can_reset());
            let is_program = matches!(spec, ContestantSpec::Program(_));
            if is_reusable && (is_program || self.keep_table) {
                kept.push((spec.description().to_owned(), contestant));
            } else if played.ending.is_fault() {
                drop(contestant);
            } else {
                contestant.close();
            }
        }
        Ok(self.finish(plan, &played, search))
    }

    /// Returns a game lost by contestant `loser` because it did not start. For a built-in engine this is an error,
    /// since the machine is at fault.
    fn forfeit(
        &self,
        plan: &GamePlan<'_>,
        loser: usize,
        error: ContestantError,
    ) -> Result<FinishedGame, ContestantError> {
        if matches!(error, ContestantError::Engine { .. }) {
            return Err(error);
        }
        let loser = if plan.black_is == loser { Player::Black } else { Player::White };
        Ok(self.finish(plan, &game::not_started(loser, &error.to_string()), [None, None]))
    }

    /// Returns a contestant without memory of earlier games, or with it if `keep_table` is set. A failed start is
    /// repeated once, since the machine may have lacked resources for a moment.
    fn contestant(
        &self,
        spec: &ContestantSpec,
        seed: u64,
        kept: &mut Vec<(String, Contestant)>,
    ) -> Result<Contestant, ContestantError> {
        let description = spec.description();
        if let Some(index) = kept.iter().position(|(name, _)| name == description) {
            let (_, mut contestant) = kept.swap_remove(index);
            if self.keep_table || contestant.reset(seed).is_ok() {
                return Ok(contestant);
            }
        }
        Contestant::start(spec, seed).or_else(|_| Contestant::start(spec, seed))
    }

    fn finish(
        &self,
        plan: &GamePlan<'_>,
        played: &GameOutcome,
        search: [Option<SearchRow>; 2],
    ) -> FinishedGame {
        let by_contestant = |values: [f64; 2]| {
            if plan.black_is == 0 { values } else { [values[1], values[0]] }
        };
        let [black, white] = if plan.black_is == 0 { [0, 1] } else { [1, 0] };
        let names = &plan.pairing.names;
        let generated = by_contestant(played.generated.map(f64::from)).map(|count| count as u32);
        let row = GameRow {
            game: plan.game,
            pairing: plan.pairing.label.clone(),
            black: names[black].clone(),
            white: names[white].clone(),
            black_is: plan.black_is as u8,
            winner: played.winner.map(|winner| if winner == Player::Black { black } else { white } as u8),
            result: played.result.clone(),
            ending: played.ending,
            detail: played.detail.clone(),
            opening: plan.opening.map(|opening| opening.id.clone()),
            moves: played.moves.len(),
            generated,
            seconds: by_contestant(played.thinking.map(|time| rounded(time.as_secs_f64()))),
            search,
        };
        let opening = plan.opening.map_or_else(String::new, |opening| format!(", opening {}", opening.id));
        let record = sgf::write::write(&PlayedGame {
            size: self.conditions.size,
            rules: self.conditions.rules,
            komi: self.conditions.komi,
            names: [&row.black, &row.white],
            result: &row.result,
            comment: &format!("Game {}{opening}. {}", row.game, row.detail),
            moves: &played.moves,
        });
        FinishedGame { row, record }
    }
}

fn search_row(contestant: &Contestant) -> Option<SearchRow> {
    let (totals, census) = contestant.totals()?;
    let counters = totals.counters;
    Some(SearchRow {
        searches: totals.searches,
        simulations: totals.simulations,
        seconds: rounded(totals.elapsed.as_secs_f64()),
        hits: counters.hits,
        misses: counters.misses,
        transpositions: counters.transpositions,
        evictions: counters.evictions,
        block_evictions: counters.page_evictions,
        entries_used: census.entries_used as u64,
        blocks_used: census.pages_used as u64,
        occupancy: rounded(census.occupancy()),
    })
}

/// Rounds to four decimals: people read the rows, too.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
