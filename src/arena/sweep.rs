//! Table size against strength: the points of a sweep, and what the games say of each.

use super::contestant::ContestantSpec;
use super::experiment::{GameRow, Pairing, SearchRow};
use crate::engine::EngineOptions;
use crate::gtp::{MoveBudget, SessionOptions};
use crate::memory::Budget;
use crate::stats::PairCounts;
use crate::table::{Layout, Replacement, TableError};
use serde::Serialize;
use std::time::Duration;

/// How long every move takes: equal work, or equal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveLimit {
    /// This many simulations.
    Simulations(u64),
    /// This long.
    Time(Duration),
}

impl MoveLimit {
    fn budget(self) -> MoveBudget {
        match self {
            MoveLimit::Simulations(count) => MoveBudget { simulations: Some(count), ..MoveBudget::default() },
            MoveLimit::Time(time) => MoveBudget { time: Some(time), ..MoveBudget::default() },
        }
    }
}

impl std::fmt::Display for MoveLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MoveLimit::Simulations(count) => write!(f, "{count} simulations"),
            MoveLimit::Time(time) => write!(f, "{} s", time.as_secs_f64()),
        }
    }
}

/// One point: a table, a way of replacing, a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Bytes of the table.
    pub table_size: u64,
    /// What it forgets.
    pub replacement: Replacement,
    /// What each move may take, for the point and its reference.
    pub limit: MoveLimit,
}

/// The points of a sweep: every size with every policy and every budget.
#[must_use]
pub fn points(sizes: &[u64], replacements: &[Replacement], limits: &[MoveLimit]) -> Vec<Point> {
    let mut points = Vec::with_capacity(sizes.len() * replacements.len() * limits.len());
    for &limit in limits {
        for &replacement in replacements {
            for &table_size in sizes {
                points.push(Point { table_size, replacement, limit });
            }
        }
    }
    points
}

impl Point {
    /// The point against a reference; engines of ours get the point's budget on both sides.
    #[must_use]
    pub fn pairing(
        &self,
        engine: &EngineOptions,
        session: &SessionOptions,
        reference: &ContestantSpec,
    ) -> Pairing {
        let mut engine = engine.clone();
        engine.memory = Budget::Table(self.table_size);
        engine.replacement = self.replacement;
        let session = SessionOptions { budget: self.limit.budget(), ..session.clone() };
        let description = self.to_string();
        let candidate =
            ContestantSpec::Own { description: description.clone(), engine: Box::new(engine), session };
        let mut reference = reference.clone();
        if let ContestantSpec::Own { description, session, .. } = &mut reference {
            session.budget = self.limit.budget();
            *description = format!("{description} at {}", self.limit);
        }
        let names = [description.clone(), reference.description().to_owned()];
        Pairing { label: description, contestants: [candidate, reference], names }
    }

    /// Where everything is in its table.
    ///
    /// # Errors
    /// When the table is too small for the board.
    pub fn layout(&self, engine: &EngineOptions) -> Result<Layout, TableError> {
        Layout::fit(engine.table_shape(), usize::try_from(self.table_size).unwrap_or(usize::MAX))
    }
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", bytes_in_words(self.table_size), self.replacement, self.limit)
    }
}

/// Bytes with the largest binary unit that divides them.
#[must_use]
pub fn bytes_in_words(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.iter().find(|(shift, _)| bytes > 0 && bytes.is_multiple_of(1 << shift));
    unit.map_or_else(|| format!("{bytes} bytes"), |(shift, name)| format!("{}{name}", bytes >> shift))
}

/// A line of the table of results. Rates and shares are `0..=1`; Elo is the point's, against the reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointRow {
    /// Bytes of the table.
    pub table_size: u64,
    /// What it forgets.
    pub replacement: String,
    /// What each move may take.
    pub limit: String,
    /// Directory entries.
    pub entries: usize,
    /// Edge blocks.
    pub blocks: usize,
    /// Entries as a share of the positions that one search of the unbounded reference makes; empty where the
    /// reference is a program.
    pub share_of_unbounded: Option<f64>,
    /// Share of the table in use at the end of a game.
    pub occupancy: f64,
    /// Positions found among those looked for.
    pub hit_rate: f64,
    /// Positions, of those visited for the first time from somewhere, that were known from elsewhere.
    pub transposition_rate: f64,
    /// Entries taken from other positions, for each simulation.
    pub evictions_per_simulation: f64,
    /// Edge blocks taken from other positions, for each simulation.
    pub block_evictions_per_simulation: f64,
    /// Simulations in a second of search.
    pub simulations_per_second: f64,
    /// Peak resident memory of a process that plays with this table, in KiB; empty where it is not known.
    pub resident_kib: Option<u64>,
    /// Games.
    pub games: u64,
    /// Wins, draws counted half.
    pub wins: f64,
    /// Their share.
    pub score: f64,
    /// 95 % interval of the share, lower end.
    pub score_low: f64,
    /// Upper end.
    pub score_high: f64,
    /// Elo difference from the reference.
    pub elo: f64,
    /// 95 % interval, lower end.
    pub elo_low: f64,
    /// Upper end.
    pub elo_high: f64,
}

/// Totals of one contestant over many games.
fn total<'r>(rows: impl Iterator<Item = &'r Option<SearchRow>>) -> (SearchRow, f64) {
    let (mut sum, mut games) = (SearchRow::default(), 0.0);
    for row in rows.flatten() {
        sum.searches += row.searches;
        sum.simulations += row.simulations;
        sum.seconds += row.seconds;
        sum.hits += row.hits;
        sum.misses += row.misses;
        sum.transpositions += row.transpositions;
        sum.evictions += row.evictions;
        sum.block_evictions += row.block_evictions;
        sum.occupancy += row.occupancy;
        games += 1.0;
    }
    (sum, games)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

impl PointRow {
    /// What `rows`, the games of `point`, say.
    #[must_use]
    pub fn new(
        point: &Point,
        layout: &Layout,
        rows: &[&GameRow],
        counts: &PairCounts,
        resident_kib: Option<u64>,
    ) -> PointRow {
        let (own, games) = total(rows.iter().map(|row| &row.search[0]));
        let (reference, _) = total(rows.iter().map(|row| &row.search[1]));
        let per_search = ratio(reference.misses as f64, reference.searches as f64);
        let simulations = own.simulations as f64;
        let score = counts.score_interval();
        let elo = counts.elo_interval();
        PointRow {
            table_size: point.table_size,
            replacement: point.replacement.to_string(),
            limit: point.limit.to_string(),
            entries: layout.entries(),
            blocks: layout.blocks,
            share_of_unbounded: (per_search > 0.0).then(|| layout.entries() as f64 / per_search),
            occupancy: ratio(own.occupancy, games),
            hit_rate: ratio(own.hits as f64, (own.hits + own.misses) as f64),
            transposition_rate: ratio(own.transpositions as f64, (own.transpositions + own.misses) as f64),
            evictions_per_simulation: ratio(own.evictions as f64, simulations),
            block_evictions_per_simulation: ratio(own.block_evictions as f64, simulations),
            simulations_per_second: ratio(simulations, own.seconds),
            resident_kib,
            games: counts.games(),
            wins: counts.points(),
            score: score.estimate,
            score_low: score.low,
            score_high: score.high,
            elo: elo.estimate,
            elo_low: elo.low,
            elo_high: elo.high,
        }
    }
}
