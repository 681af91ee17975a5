//! Many games: who meets whom in which game, the workers that play them, and what is kept of each.

use super::contestant::{self, Contestant, ContestantError, ContestantSpec, Setting};
use super::game::{self, Conditions, Ending, PlayedOut, Scoring};
use super::opening::Opening;
use super::scorer;
use super::store::Row;
use crate::game::Player;
use crate::go::Record;
use crate::sgf::{self, PlayedGame};
use crate::zobrist::mix;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Two contestants and what their games are called.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// The name in records; empty where there is only one.
    pub label: String,
    /// The two; the first has Black in games with an even index.
    pub contestants: [ContestantSpec; 2],
    /// Their names in records.
    pub names: [String; 2],
}

/// What to play.
///
/// Game number `g` is game `g / pairings` of pairing `g % pairings`, so that all pairings advance together
/// and a run that is cut off has the same number of games of each. Two consecutive games of a pairing
/// have one opening and exchange colours.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Who meets whom.
    pub pairings: Vec<Pairing>,
    /// What holds for all games.
    pub conditions: Conditions,
    /// Openings, used in turn; games begin with the empty board where there are none.
    pub openings: Vec<Opening>,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether contestants keep what they know from game to game.
    pub keep_table: bool,
}

/// What a game's searches did, for an engine in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchRow {
    /// Searches.
    pub searches: u64,
    /// Simulations.
    pub simulations: u64,
    /// Seconds of searching.
    pub seconds: f64,
    /// Positions found in the table.
    pub hits: u64,
    /// Positions that were new to it.
    pub misses: u64,
    /// Positions that another order of moves had reached before.
    pub transpositions: u64,
    /// Entries taken from other positions.
    pub evictions: u64,
    /// Edge blocks taken from other positions.
    pub block_evictions: u64,
    /// Entries in use when the game ended.
    pub entries_used: u64,
    /// Edge blocks in use when the game ended.
    pub blocks_used: u64,
    /// Share of the table in use when the game ended, `0..=1`.
    pub occupancy: f64,
}

/// A line of `games.jsonl`. Contestants are 0, the first of the pairing, and 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRow {
    /// Number in the experiment.
    pub game: u64,
    /// Which pairing; empty where there is only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pairing: String,
    /// Who has Black.
    pub black: String,
    /// Who has White.
    pub white: String,
    /// Which contestant has Black: 0 or 1.
    pub black_is: u8,
    /// Which contestant won; `None` for a draw.
    pub winner: Option<u8>,
    /// The result as in SGF.
    pub result: String,
    /// How it ended.
    pub ending: Ending,
    /// What happened, where that is not all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The opening's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
    /// Moves, those of the opening included.
    pub moves: usize,
    /// Moves that each contestant was asked for.
    pub generated: [u32; 2],
    /// Seconds that each contestant took for them.
    pub seconds: [f64; 2],
    /// What each contestant's searches did, where that is known.
    #[serde(default)]
    pub search: [Option<SearchRow>; 2],
}

impl Row for GameRow {
    fn number(&self) -> u64 {
        self.game
    }
}

impl GameRow {
    /// Half-points of the first contestant: 2 for a win, 1 for a draw.
    #[must_use]
    pub fn half_points(&self) -> u32 {
        match self.winner {
            Some(0) => 2,
            Some(_) => 0,
            None => 1,
        }
    }
}

/// A game that has ended: its row and its record.
#[derive(Clone, Debug)]
pub struct FinishedGame {
    /// For `games.jsonl`.
    pub row: GameRow,
    /// As SGF.
    pub record: String,
}

/// What one game is.
#[derive(Clone, Copy, Debug)]
struct Plan<'e> {
    game: u64,
    pairing: &'e Pairing,
    opening: Option<&'e Opening>,
    /// The contestant that has Black.
    black_is: usize,
    seed: u64,
}

impl Experiment {
    fn plan(&self, game: u64) -> Plan<'_> {
        let pairings = self.pairings.len() as u64;
        let index = game / pairings;
        let pair = index / 2;
        let opening = match self.openings.len() as u64 {
            0 => None,
            count => Some(&self.openings[(pair % count) as usize]),
        };
        Plan {
            game,
            pairing: &self.pairings[(game % pairings) as usize],
            opening,
            black_is: (index % 2) as usize,
            // The same for every pairing: what differs between them is then the contestants alone.
            seed: mix(self.seed ^ mix(index)),
        }
    }

    /// The pair of games that `game` belongs to, unique in the experiment.
    #[must_use]
    pub fn pair_of(&self, game: u64) -> u64 {
        let pairings = self.pairings.len() as u64;
        game / pairings / 2 * pairings + game % pairings
    }

    /// Starts every contestant once and sets up the board, and has the referee count an empty one, so that
    /// what cannot work shows before the first game.
    ///
    /// # Errors
    /// The first that cannot play.
    pub fn try_contestants(&self) -> Result<(), ContestantError> {
        let Conditions { size, komi, time_per_move, .. } = self.conditions;
        let setting = Setting { size, komi: komi.points(), time_per_move };
        let mut tried: Vec<&str> = Vec::new();
        for spec in self.pairings.iter().flat_map(|pairing| &pairing.contestants) {
            let description = spec.description();
            if tried.contains(&description) {
                continue;
            }
            tried.push(description);
            let mut contestant = Contestant::start(spec, self.seed)?;
            contestant.begin(&setting).map_err(|failure| contestant::unfit(description, failure))?;
            contestant.close();
        }
        if let Scoring::Referee(command) = &self.conditions.scoring {
            let record = Record::new(self.conditions.size, self.conditions.rules, self.conditions.komi);
            scorer::score(command, &record).map_err(|error| ContestantError::Referee {
                command: command.clone(),
                reason: error.to_string(),
            })?;
        }
        Ok(())
    }

    /// Plays `games` with `concurrency` workers and hands each to `finished` as it ends, in any order.
    /// Ends early, after the running games, when `stop` is set or `finished` breaks. A program that does not start,
    /// though [`try_contestants`](Experiment::try_contestants) could start it, loses its game.
    ///
    /// # Errors
    /// When an engine of ours cannot be had.
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

    /// Plays one game. `kept` are this worker's contestants from earlier games, with their descriptions.
    fn play(
        &self,
        plan: &Plan<'_>,
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
            let is_reusable = can_go_on && (self.keep_table || contestant.can_forget());
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

    /// A game that contestant `loser` lost because it did not start; where an engine of ours does not, the machine is at
    /// fault.
    fn forfeit(
        &self,
        plan: &Plan<'_>,
        loser: usize,
        error: ContestantError,
    ) -> Result<FinishedGame, ContestantError> {
        if matches!(error, ContestantError::Engine { .. }) {
            return Err(error);
        }
        let loser = if plan.black_is == loser { Player::Black } else { Player::White };
        Ok(self.finish(plan, &game::not_started(loser, &error.to_string()), [None, None]))
    }

    /// A contestant that knows nothing yet, or what it learnt in earlier games if that is wanted. One that does not
    /// start is tried again: the machine may have been short of something for a moment.
    fn contestant(
        &self,
        spec: &ContestantSpec,
        seed: u64,
        kept: &mut Vec<(String, Contestant)>,
    ) -> Result<Contestant, ContestantError> {
        let description = spec.description();
        if let Some(index) = kept.iter().position(|(name, _)| name == description) {
            let (_, mut contestant) = kept.swap_remove(index);
            if self.keep_table || contestant.forget(seed).is_ok() {
                return Ok(contestant);
            }
        }
        Contestant::start(spec, seed).or_else(|_| Contestant::start(spec, seed))
    }

    fn finish(&self, plan: &Plan<'_>, played: &PlayedOut, search: [Option<SearchRow>; 2]) -> FinishedGame {
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
        block_evictions: counters.block_evictions,
        entries_used: census.entries_used as u64,
        blocks_used: census.blocks_used as u64,
        occupancy: rounded(census.occupancy()),
    })
}

/// To a tenth of a thousandth: rows are read by people too.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
