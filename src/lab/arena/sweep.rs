//! Table size against strength: the results of a sweep.

use super::chart::{ChartPoint, ChartSeries};
use super::experiment::{GameRow, SearchRow};
use super::footprint::Footprint;
use super::sweep_point::SweepPoint;
use crate::base::byte_size::{exact_bytes, rounded_bytes};
use crate::lab::stats::{
    Interval, PairCounts, StrengthMeasurement, knee, smallest_indistinguishable, two_sided_95,
};
use crate::table::Layout;
use serde::{Deserialize, Serialize};

/// A line of the table of results. Rates and shares are `0..=1`; Elo is the point's, relative to the reference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SweepRow {
    /// Table size in bytes.
    pub table_size: u64,
    /// The replacement policy.
    pub replacement: String,
    /// The budget of each move.
    pub limit: String,
    /// Number of directory entries.
    pub entries: usize,
    /// Number of edge pages.
    pub blocks: usize,
    /// Edge pages of the table, as a share of those that one search of the unbounded reference adds on average. A
    /// page corresponds to a node with its children in other programs. Empty if the reference is a program.
    pub share_of_unbounded: Option<f64>,
    /// Mean share of the table in use at the end of a game.
    pub occupancy: f64,
    /// Share of probes that found their position.
    pub hit_rate: f64,
    /// Positions found at the first visit of an edge, as a share of these and of positions new to the table.
    pub transposition_rate: f64,
    /// Entries taken from other positions, per simulation.
    pub evictions_per_simulation: f64,
    /// Edge pages taken from other positions, per simulation.
    pub block_evictions_per_simulation: f64,
    /// Simulations per second of search (elapsed time).
    pub simulations_per_second: f64,
    /// Simulations per second of processor time, in a process of its own; empty if unknown, and for budgets of time.
    pub simulations_per_cpu_second: Option<f64>,
    /// Peak resident memory of that process, in KiB.
    pub resident_kib: Option<u64>,
    /// Number of games.
    pub games: u64,
    /// Points: wins, with draws counted half.
    pub wins: f64,
    /// Share of the points.
    pub score: f64,
    /// Lower end of its 95 % interval.
    pub score_low: f64,
    /// Upper end of its 95 % interval.
    pub score_high: f64,
    /// Elo difference from the reference.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub elo_low: f64,
    /// Upper end of its 95 % interval.
    pub elo_high: f64,
    /// Name of the reference; empty in results without it.
    #[serde(default)]
    pub reference: String,
}

/// Descriptions of the possible values of columns.
const SPEED: &str = "a finite number from 0 on";
const SHARE: &str = "a share from 0 to 1";

/// Sums one contestant's totals over games; the second value is the number of games with totals.
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
        sum.blocks_used += row.blocks_used;
        games += 1.0;
    }
    (sum, games)
}

/// A value that no sweep can have written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("expected {expected} as {column}, found {found}")]
pub struct ImpossibleValue {
    /// The column.
    pub column: &'static str,
    /// The possible values.
    pub expected: &'static str,
    /// The value found.
    pub found: f64,
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

impl SweepRow {
    /// Evaluates `rows`, the games of `point`.
    #[must_use]
    pub fn new(
        point: &SweepPoint,
        layout: &Layout,
        rows: &[&GameRow],
        counts: &PairCounts,
        footprint: Option<Footprint>,
        reference_name: &str,
    ) -> SweepRow {
        let point = SweepRow {
            table_size: point.table_size,
            replacement: point.replacement.to_string(),
            limit: point.limit.to_string(),
            entries: layout.entries(),
            blocks: layout.pages,
            simulations_per_cpu_second: footprint.and_then(|footprint| point.limit.per_second(footprint)),
            resident_kib: footprint.map(|footprint| footprint.resident_kib),
            reference: reference_name.to_owned(),
            ..SweepRow::default()
        };
        point.with_games(rows, counts)
    }

    /// Checks that a sweep can have written the row.
    ///
    /// # Errors
    /// Returns the first impossible value.
    pub fn check(&self) -> Result<(), ImpossibleValue> {
        let above_zero = |value: f64| value > 0.0 && value.is_finite();
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        let is_share = |value: f64| (0.0..=1.0).contains(&value);
        let size = self.table_size as f64;
        let share = self.share_of_unbounded.unwrap_or(1.0);
        let speed = self.simulations_per_cpu_second.unwrap_or(1.0);
        let (score_ends, elo_ends) = ((self.score_low, self.score_high), (self.elo_low, self.elo_high));
        let within = |value: f64, (low, high): (f64, f64)| low <= value && value <= high;
        let counted = "points from 0 to the number of games";
        for (column, found, expected, is_possible) in [
            ("table_size", size, "a number of bytes above 0", above_zero(size)),
            ("share_of_unbounded", share, "a share above 0 or nothing", above_zero(share)),
            (
                "simulations_per_second",
                self.simulations_per_second,
                SPEED,
                not_negative(self.simulations_per_second),
            ),
            ("simulations_per_cpu_second", speed, SPEED, not_negative(speed)),
            ("wins", self.wins, counted, within(self.wins, (0.0, self.games as f64))),
            ("score_low", self.score_low, SHARE, is_share(self.score_low)),
            ("score_high", self.score_high, SHARE, is_share(self.score_high)),
            ("score", self.score, "a share from score_low to score_high", within(self.score, score_ends)),
            ("elo", self.elo, "a difference from elo_low to elo_high", within(self.elo, elo_ends)),
        ] {
            if !is_possible {
                return Err(ImpossibleValue { column, expected, found });
            }
        }
        Ok(())
    }

    /// Returns the label of the point's games.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{} {} {}", exact_bytes(self.table_size), self.replacement, self.limit)
    }

    /// Returns the row of the same point for the games `rows`, which replace those of this row.
    #[must_use]
    pub fn with_games(&self, rows: &[&GameRow], counts: &PairCounts) -> SweepRow {
        let (own, games) = total(rows.iter().map(|row| &row.search[0]));
        let (reference, _) = total(rows.iter().map(|row| &row.search[1]));
        let per_search = ratio(reference.blocks_used as f64, reference.searches as f64);
        let simulations = own.simulations as f64;
        let score = counts.score_interval();
        let elo = counts.elo_interval();
        SweepRow {
            share_of_unbounded: (per_search > 0.0).then(|| self.blocks as f64 / per_search),
            occupancy: ratio(own.occupancy, games),
            hit_rate: ratio(own.hits as f64, (own.hits + own.misses) as f64),
            transposition_rate: ratio(own.transpositions as f64, (own.transpositions + own.misses) as f64),
            evictions_per_simulation: ratio(own.evictions as f64, simulations),
            block_evictions_per_simulation: ratio(own.block_evictions as f64, simulations),
            simulations_per_second: ratio(simulations, own.seconds),
            games: counts.games(),
            wins: counts.points(),
            score: score.estimate,
            score_low: score.low,
            score_high: score.high,
            elo: elo.estimate,
            elo_low: elo.low,
            elo_high: elo.high,
            ..self.clone()
        }
    }
}

/// Elo below the plateau at which the knee is defined.
pub const KNEE_ELO: f64 = 10.0;
/// Minimum games per point of a curve: with fewer, the interval is wider than most differences.
pub const MIN_GAMES: u64 = 20;

/// The rows of one policy and one budget: a curve over table sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepCurve {
    /// The policy and the budget.
    pub label: String,
    /// The rows, by size.
    pub rows: Vec<SweepRow>,
}

/// Groups rows into curves, in order of first appearance.
#[must_use]
pub fn curves(rows: &[SweepRow]) -> Vec<SweepCurve> {
    let mut curves: Vec<SweepCurve> = Vec::new();
    for row in rows {
        let label = format!("{}, {}", row.replacement, row.limit);
        match curves.iter_mut().find(|curve| curve.label == label) {
            Some(curve) => curve.rows.push(row.clone()),
            None => curves.push(SweepCurve { label, rows: vec![row.clone()] }),
        }
    }
    for curve in &mut curves {
        curve.rows.sort_by_key(|row| row.table_size);
    }
    curves
}

impl SweepCurve {
    /// Returns the reason to draw no curve, if a point has too few games.
    fn missing_reason(&self) -> Option<String> {
        let fewest = self.rows.iter().map(|row| row.games).min().unwrap_or(0);
        let say = || format!("too few games for a curve: {fewest} at a point, expected {MIN_GAMES} or more");
        (fewest < MIN_GAMES).then(say)
    }

    fn measured(&self) -> Vec<StrengthMeasurement> {
        let measured = |row: &SweepRow| StrengthMeasurement {
            x: (row.table_size as f64).log2(),
            elo: row.elo,
            standard_error: (row.elo_high - row.elo_low) / (2.0 * two_sided_95()),
        };
        self.rows.iter().map(measured).collect()
    }

    /// Returns the knee as log2 of bytes: the size at which the fitted curve is 10 Elo below its plateau. `None` with
    /// too few points or games.
    ///
    /// The fit begins at the weakest size: a table so small that hardly anything below the root is kept can be
    /// stronger than a slightly larger one, and does not belong to a saturating curve.
    #[must_use]
    pub fn knee(&self) -> Option<Interval> {
        if self.missing_reason().is_some() {
            return None;
        }
        let measured = self.measured();
        let weakest = measured.iter().min_by(|one, other| one.elo.total_cmp(&other.elo))?.x;
        let rising: Vec<StrengthMeasurement> =
            measured.into_iter().filter(|point| point.x >= weakest).collect();
        knee(&rising, KNEE_ELO)
    }

    /// Formats the knee and the smallest size not distinguishable from the best as one line.
    #[must_use]
    pub fn knee_summary(&self) -> String {
        if let Some(missing_reason) = self.missing_reason() {
            return format!("{}: {missing_reason}", self.label);
        }
        let indistinguishable = smallest_indistinguishable(&self.measured());
        let indistinguishable =
            indistinguishable.map_or_else(|| "none".to_owned(), |x| exact_bytes(x.exp2().round() as u64));
        let smallest = self.rows.first().map_or(0.0, |row| row.table_size as f64);
        let largest = self.rows.last().map_or(0.0, |row| row.table_size as f64);
        let end = |x: f64| match x.exp2() {
            size if size < smallest => format!("below {}", rounded_bytes(smallest)),
            size if size > largest => format!("above {}", rounded_bytes(largest)),
            size => rounded_bytes(size),
        };
        let fitted = self.knee().map_or_else(
            || "too few points for a curve".to_owned(),
            |Interval { estimate, low, high }| {
                let [estimate, low, high] = [estimate, low, high].map(end);
                format!(
                    "the fitted curve is {KNEE_ELO} Elo below its plateau at {estimate} (95 %: {low} to {high})"
                )
            },
        );
        format!(
            "{}: smallest size not significantly weaker than the best: {indistinguishable}; {fitted}",
            self.label
        )
    }

    /// Returns the curve for a chart of Elo against log2 of the size.
    #[must_use]
    pub fn elo_series(&self) -> ChartSeries {
        let x = |row: &SweepRow| (row.table_size as f64).log2();
        let point =
            |row: &SweepRow| ChartPoint { x: x(row), y: row.elo, low: row.elo_low, high: row.elo_high };
        let speed =
            |row: &SweepRow| (x(row), row.simulations_per_cpu_second.unwrap_or(row.simulations_per_second));
        ChartSeries {
            label: self.label.clone(),
            points: self.rows.iter().map(point).collect(),
            speeds: self.rows.iter().map(speed).collect(),
            knee: self.knee().map(|knee| knee.estimate),
            missing_reason: self.missing_reason(),
        }
    }

    /// Returns the curve for a chart of points won against log10 of [`share_of_unbounded`](SweepRow::share_of_unbounded);
    /// `None` if a share is unknown.
    #[must_use]
    pub fn share_series(&self) -> Option<ChartSeries> {
        let point = |row: &SweepRow| {
            let x = row.share_of_unbounded.filter(|&share| share > 0.0)?.log10();
            Some(ChartPoint { x, y: row.score, low: row.score_low, high: row.score_high })
        };
        let points: Option<Vec<ChartPoint>> = self.rows.iter().map(point).collect();
        Some(ChartSeries {
            label: self.label.clone(),
            points: points?,
            speeds: Vec::new(),
            knee: None,
            missing_reason: self.missing_reason(),
        })
    }
}
