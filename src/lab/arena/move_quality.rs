//! Table size against the quality of single moves: minutes instead of hours of games.
//!
//! A reference searches each position with an ample table and many more simulations. Each point of the sweep then
//! searches it several times, from an empty table. *Agreement* is the share of searches that choose the reference's
//! move; *regret* is the win rate that their moves give away by the reference's values.
//!
//! Source of the idea: Breuker, Uiterwijk & van den Herik, "Replacement schemes for transposition tables", ICCA
//! Journal 17 (1994), with schemes compared on positions instead of games.

use super::chart::{ChartPoint, ChartSeries};
use super::sweep_point::{MoveLimit, SweepPoint};
use crate::base::game::{Game, Move};
use crate::base::memory::MemoryBudget;
use crate::base::zobrist::mix;
use crate::engine::{Engine, EngineError, EngineOptions};
use crate::go::Record;
use crate::lab::stats::{Interval, two_sided_95, wilson};
use crate::records::sgf;
use crate::search::{Limits, Report};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Divisor of the reference's visits: a move with less than 1/100 of them is searched again on its own.
const TRUSTED_VISITS_DIVISOR: u64 = 100;
/// Divisor of the reference's budget for the search after such a move (1/4).
const SECOND_SEARCH_DIVISOR: u64 = 4;

/// Settings of a measurement by single moves.
#[derive(Clone, Debug)]
pub struct MoveQualityTest {
    /// The engine; its memory is the reference's.
    pub engine: EngineOptions,
    /// Search budget of the reference as a multiple of the point's, in simulations or in time.
    pub factor: u32,
    /// Searches of each position at each point, with different seeds.
    pub repeats: u32,
}

/// A line of the table of results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveQualityRow {
    /// Table size in bytes.
    pub table_size: u64,
    /// The replacement policy.
    pub replacement: String,
    /// The budget of each search.
    pub limit: String,
    /// Number of directory entries.
    pub entries: usize,
    /// Number of edge pages.
    pub blocks: usize,
    /// Number of searches.
    pub searches: usize,
    /// Share of searches that chose the reference's move, `0..=1`.
    pub agreement: f64,
    /// Lower end of its 95 % interval, from the positions' means.
    pub agreement_low: f64,
    /// Upper end of its 95 % interval.
    pub agreement_high: f64,
    /// Mean win rate given away, `0..=1`.
    pub regret: f64,
    /// Lower end of its 95 % interval, from the positions' means.
    pub regret_low: f64,
    /// Upper end of its 95 % interval.
    pub regret_high: f64,
    /// Edge pages taken from other positions, per search.
    pub block_evictions_per_search: f64,
}

/// The result of one search.
#[derive(Clone, Copy, Debug)]
struct MoveSample {
    agrees: bool,
    regret: f64,
    block_evictions: u64,
}

/// Returns positions from a file of games: those after every `every` moves of an SGF file, or the last one of each
/// opening. Positions of finished games are left out.
///
/// # Errors
/// Returns an error if the file is unusable.
pub fn positions(
    bytes: &[u8],
    options: &EngineOptions,
    every: usize,
) -> Result<Vec<Record>, super::opening::OpeningError> {
    let openings = super::opening::read_games(bytes, options.size, options.rules)?;
    let is_sgf = sgf::read(bytes).is_ok();
    let mut records = Vec::new();
    for opening in openings {
        let mut record = Record::new(options.size, options.rules, options.komi);
        let last = opening.moves.len();
        for (index, &(player, mv)) in opening.moves.iter().enumerate() {
            // The opening was checked when it was read.
            if record.play(player, mv).is_err() {
                break;
            }
            let is_wanted = if is_sgf { (index + 1) % every.max(1) == 0 } else { index + 1 == last };
            if is_wanted && !record.position().is_over() {
                records.push(record.clone());
            }
        }
    }
    Ok(records)
}

impl MoveQualityTest {
    /// Measures `points` on `positions` with `concurrency` workers; calls `done` after each position. Once `stop` is
    /// set, no further position is begun, so that all points have fewer searches.
    ///
    /// # Errors
    /// Returns an error if the memory for a table is not available.
    pub fn run(
        &self,
        points: &[SweepPoint],
        positions: &[Record],
        concurrency: usize,
        stop: &AtomicBool,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<MoveQualityRow>, EngineError> {
        let next = AtomicUsize::new(0);
        // Indexed by position, then by point; ordered, since floating-point sums depend on the order.
        let samples: Mutex<BTreeMap<usize, Vec<Vec<MoveSample>>>> = Mutex::new(BTreeMap::new());
        let failure = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..concurrency.max(1) {
                scope.spawn(|| {
                    while !stop.load(Relaxed) {
                        let index = next.fetch_add(1, Relaxed);
                        let Some(position) = positions.get(index) else { break };
                        match (
                            self.measure_position(points, position, index as u64),
                            samples.lock(),
                            failure.lock(),
                        ) {
                            (Ok(found), Ok(mut samples), _) => {
                                samples.insert(index, found);
                            }
                            (Err(error), _, Ok(mut failure)) => {
                                failure.get_or_insert(error);
                                break;
                            }
                            _ => break,
                        }
                        done();
                    }
                });
            }
        });
        if let Some(error) = failure.into_inner().unwrap_or_default() {
            return Err(error);
        }
        let mut of_points = vec![Vec::new(); points.len()];
        for of_position in samples.into_inner().unwrap_or_default().into_values() {
            of_points.iter_mut().zip(of_position).for_each(|(all, new)| all.push(new));
        }
        points.iter().zip(of_points).map(|(point, samples)| self.row(point, &samples)).collect()
    }

    /// Returns the samples of every point on one position.
    fn measure_position(
        &self,
        points: &[SweepPoint],
        record: &Record,
        index: u64,
    ) -> Result<Vec<Vec<MoveSample>>, EngineError> {
        let mut references: BTreeMap<String, Reference> = BTreeMap::new();
        let mut all = Vec::with_capacity(points.len());
        for point in points {
            let key = point.limit.to_string();
            if !references.contains_key(&key) {
                let limits = scaled(point.limit, self.factor);
                references.insert(key.clone(), Reference::new(&self.engine, record, limits, mix(!index))?);
            }
            let Some(reference) = references.get_mut(&key) else { continue };
            let mut samples = Vec::with_capacity(self.repeats as usize);
            for repeat in 0..u64::from(self.repeats) {
                let options = EngineOptions {
                    memory: MemoryBudget::Table(point.table_size),
                    replacement: point.replacement,
                    ..self.engine.clone()
                };
                // The same seeds at every point.
                let (mv, report) =
                    search(&options, record, scaled(point.limit, 1), mix(index << 16 ^ repeat))?;
                samples.push(MoveSample {
                    agrees: mv == reference.best,
                    regret: reference.regret(mv)?,
                    block_evictions: report.counters.page_evictions,
                });
            }
            all.push(samples);
        }
        Ok(all)
    }

    /// Summarises a point. The searches of one position are not independent, so intervals come from the positions'
    /// means.
    fn row(&self, point: &SweepPoint, positions: &[Vec<MoveSample>]) -> Result<MoveQualityRow, EngineError> {
        let layout = point.layout(&self.engine)?;
        let searches = positions.iter().map(Vec::len).sum::<usize>();
        let agreement = share(&means(positions, |sample| f64::from(u8::from(sample.agrees))));
        let regret = mean(&means(positions, |sample| sample.regret));
        let block_evictions: u64 = positions.iter().flatten().map(|sample| sample.block_evictions).sum();
        Ok(MoveQualityRow {
            table_size: point.table_size,
            replacement: point.replacement.to_string(),
            limit: point.limit.to_string(),
            entries: layout.entries(),
            blocks: layout.pages,
            searches,
            agreement: agreement.estimate,
            agreement_low: agreement.low,
            agreement_high: agreement.high,
            regret: regret.estimate,
            regret_low: regret.low,
            regret_high: regret.high,
            block_evictions_per_search: block_evictions as f64 / searches.max(1) as f64,
        })
    }
}

/// Groups rows into curves for charts of agreement and of regret.
#[must_use]
pub fn move_quality_series(rows: &[MoveQualityRow]) -> [Vec<ChartSeries>; 2] {
    let mut both: [Vec<ChartSeries>; 2] = [Vec::new(), Vec::new()];
    for row in rows {
        let label = format!("{}, {}", row.replacement, row.limit);
        let x = (row.table_size as f64).log2();
        let points = [
            ChartPoint { x, y: row.agreement, low: row.agreement_low, high: row.agreement_high },
            ChartPoint { x, y: row.regret, low: row.regret_low, high: row.regret_high },
        ];
        for (all, point) in both.iter_mut().zip(points) {
            match all.iter_mut().find(|series| series.label == label) {
                Some(series) => series.points.push(point),
                None => all.push(ChartSeries {
                    label: label.clone(),
                    points: vec![point],
                    speeds: Vec::new(),
                    knee: None,
                    missing_reason: None,
                }),
            }
        }
    }
    both
}

fn means(positions: &[Vec<MoveSample>], value: impl Fn(&MoveSample) -> f64) -> Vec<f64> {
    positions
        .iter()
        .map(|samples| samples.iter().map(&value).sum::<f64>() / samples.len().max(1) as f64)
        .collect()
}

/// Returns the mean with its 95 % interval in the normal approximation.
fn mean(values: &[f64]) -> Interval {
    let (estimate, error) = mean_and_error(values);
    let half = two_sided_95() * error;
    Interval { estimate, low: estimate - half, high: estimate + half }
}

/// Returns the mean of shares with Wilson's 95 % interval, at the number of trials with the same standard error.
fn share(values: &[f64]) -> Interval {
    let (estimate, error) = mean_and_error(values);
    let variance = estimate * (1.0 - estimate);
    let trials = if error > 0.0 { variance / (error * error) } else { values.len() as f64 };
    wilson(estimate * trials, trials)
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    (mean, (variance / count).sqrt())
}

fn scaled(limit: MoveLimit, factor: u32) -> Limits {
    match limit {
        MoveLimit::Simulations(count) => {
            Limits { simulations: Some(count.saturating_mul(u64::from(factor))), ..Limits::default() }
        }
        MoveLimit::Time(time) => Limits { time: Some(time * factor), ..Limits::default() },
    }
}

fn search(
    options: &EngineOptions,
    record: &Record,
    limits: Limits,
    seed: u64,
) -> Result<(Move, Report), EngineError> {
    let mut options = options.clone();
    options.parameters.seed = mix(options.parameters.seed ^ seed);
    options.komi = record.position().komi();
    let mut engine = Engine::new(options)?;
    engine.set_record(record.clone())?;
    let report = engine.search(record.position().to_play(), limits, &mut |_| true)?;
    Ok((engine.chosen_move(&report), report))
}

/// The reference's values of the moves of one position.
struct Reference<'e> {
    engine: &'e EngineOptions,
    record: &'e Record,
    limits: Limits,
    seed: u64,
    best: Move,
    best_value: f64,
    values: BTreeMap<Move, f64>,
}

impl<'e> Reference<'e> {
    fn new(
        engine: &'e EngineOptions,
        record: &'e Record,
        limits: Limits,
        seed: u64,
    ) -> Result<Reference<'e>, EngineError> {
        let (best, report) = search(engine, record, limits, seed)?;
        let is_trusted = |visits: u64| visits >= report.root.visits / TRUSTED_VISITS_DIVISOR;
        let trusted = report
            .moves
            .iter()
            .filter(|mv| is_trusted(mv.edge_visits) || mv.proven.is_some() || mv.mv == best);
        let values: BTreeMap<Move, f64> = trusted.map(|mv| (mv.mv, mv.value.as_f64())).collect();
        let best_value = values.values().copied().fold(0.0, f64::max);
        Ok(Reference { engine, record, limits, seed, best, best_value, values })
    }

    /// Returns the win rate that `mv` gives away, at least 0. A move with too few visits of the reference is searched
    /// on its own.
    fn regret(&mut self, mv: Move) -> Result<f64, EngineError> {
        let value = match self.values.get(&mv) {
            Some(&value) => value,
            None => {
                let value = self.search_after(mv)?;
                self.values.insert(mv, value);
                value
            }
        };
        Ok((self.best_value - value).max(0.0))
    }

    /// Returns the value of `mv` for its player, from a search of the position after it.
    fn search_after(&self, mv: Move) -> Result<f64, EngineError> {
        let mut after = self.record.clone();
        let mover = after.position().to_play();
        if after.play(mover, mv).is_err() {
            return Ok(0.0);
        }
        if let Some(score) = after.position().terminal_score() {
            let for_black = after.position().score_komi().outcome_for_black(score);
            let outcome =
                if mover == crate::base::game::Player::Black { for_black } else { for_black.other() };
            return Ok(f64::from(outcome.half_points()) / 2.0);
        }
        let Limits { simulations, time, .. } = self.limits;
        let limits = Limits {
            simulations: simulations.map(|count| (count / SECOND_SEARCH_DIVISOR).max(1)),
            time: time.map(|time| time / SECOND_SEARCH_DIVISOR as u32),
            ..Limits::default()
        };
        let (_, report) = search(self.engine, &after, limits, mix(self.seed ^ u64::from(mv.0)))?;
        Ok(1.0 - report.root.value.as_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Komi, Size};
    use crate::table::Replacement;

    fn options() -> EngineOptions {
        EngineOptions {
            size: Size::new(5, 5).unwrap(),
            komi: Komi(1),
            memory: MemoryBudget::Table(4 << 20),
            ..EngineOptions::default()
        }
    }

    #[test]
    fn positions_come_from_games_and_from_openings() {
        let game = b"(;SZ[5];B[cc];W[bb];B[dd];W[db];B[bd];W[];B[])";
        let turns = |every| -> Vec<usize> {
            positions(game, &options(), every).unwrap().iter().map(|record| record.moves().len()).collect()
        };
        assert_eq!((turns(2), turns(1)), (vec![2, 4, 6], vec![1, 2, 3, 4, 5, 6]));
        let lines = b"{\"size\": 5, \"moves\": [[\"b\", \"C3\"], [\"w\", \"B3\"]]}";
        assert_eq!(positions(lines, &options(), 1).unwrap().len(), 1);
        assert!(positions(b"(;SZ[9];B[cc])", &options(), 1).is_err());
    }

    #[test]
    fn a_reference_without_more_simulations_agrees_with_an_equal_searcher_and_regrets_are_no_gain() {
        let records = positions(b"(;SZ[5];B[cc];W[bb];B[dd];W[db])", &options(), 1).unwrap();
        let points: Vec<SweepPoint> = [4 << 10, 1 << 20]
            .map(|table_size| SweepPoint {
                table_size,
                replacement: Replacement::default(),
                limit: MoveLimit::Simulations(100),
            })
            .to_vec();
        let test = MoveQualityTest { engine: options(), factor: 20, repeats: 5 };
        let rows = test.run(&points, &records, 2, &AtomicBool::new(false), &|| {}).unwrap();
        for row in &rows {
            assert_eq!(row.searches, 20);
            assert!(row.regret >= 0.0 && row.regret < 0.5 && row.regret_low <= row.regret_high, "{row:?}");
            assert!((0.0..=1.0).contains(&row.agreement) && row.agreement_low <= row.agreement, "{row:?}");
        }
        assert!(
            rows[0].block_evictions_per_search > 0.0 && rows[1].block_evictions_per_search == 0.0,
            "{rows:?}"
        );
        let again = test.run(&points, &records, 1, &AtomicBool::new(false), &|| {}).unwrap();
        assert_eq!(
            rows.iter().map(|row| row.agreement).collect::<Vec<_>>(),
            again.iter().map(|row| row.agreement).collect::<Vec<_>>()
        );
    }
}
