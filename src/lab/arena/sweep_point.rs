//! The points of a sweep: table sizes, replacement policies and budgets.

use super::contestant::ContestantSpec;
use super::experiment::Pairing;
use super::footprint::Footprint;
use crate::base::byte_size::exact_bytes;
use crate::base::memory::MemoryBudget;
use crate::engine::{DecisionSettings, EngineOptions, MoveBudget};
use crate::protocols::gtp::SessionOptions;
use crate::table::{Layout, Replacement, TableError};
use std::time::Duration;

/// The budget of a move: equal work or equal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveLimit {
    /// A number of simulations.
    Simulations(u64),
    /// A time.
    Time(Duration),
}

impl MoveLimit {
    fn budget(self) -> MoveBudget {
        match self {
            MoveLimit::Simulations(count) => MoveBudget { simulations: Some(count), ..MoveBudget::default() },
            MoveLimit::Time(time) => MoveBudget { time: Some(time), ..MoveBudget::default() },
        }
    }

    /// Returns the equivalent options of `tewari gtp`.
    #[must_use]
    pub fn options(self) -> String {
        match self {
            MoveLimit::Simulations(count) => format!("--simulations {count}"),
            MoveLimit::Time(time) => format!("--time {}", time.as_secs_f64()),
        }
    }

    /// Returns the simulations per second of processor time; `None` for a budget of time.
    pub(super) fn per_second(self, footprint: Footprint) -> Option<f64> {
        match self {
            MoveLimit::Simulations(count) => {
                Some(count as f64 / footprint.cpu_seconds_per_move).filter(|rate| rate.is_finite())
            }
            MoveLimit::Time(_) => None,
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

/// One point of a sweep: a table size, a replacement policy and a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepPoint {
    /// Table size in bytes.
    pub table_size: u64,
    /// The replacement policy.
    pub replacement: Replacement,
    /// The budget of each move, for the point and its reference.
    pub limit: MoveLimit,
}

/// Returns the points of a sweep: all combinations of sizes, policies and budgets.
#[must_use]
pub fn points(sizes: &[u64], replacements: &[Replacement], limits: &[MoveLimit]) -> Vec<SweepPoint> {
    let mut points = Vec::with_capacity(sizes.len() * replacements.len() * limits.len());
    for &limit in limits {
        for &replacement in replacements {
            for &table_size in sizes {
                points.push(SweepPoint { table_size, replacement, limit });
            }
        }
    }
    points
}

impl SweepPoint {
    /// Returns the pairing of the point with a reference. A built-in reference gets the point's budget, too.
    #[must_use]
    pub fn pairing(
        &self,
        engine: &EngineOptions,
        session: &SessionOptions,
        reference: &ContestantSpec,
    ) -> Pairing {
        let mut engine = engine.clone();
        engine.memory = MemoryBudget::Table(self.table_size);
        engine.replacement = self.replacement;
        let decisions = DecisionSettings { budget: self.limit.budget(), ..session.decisions };
        let session = SessionOptions { decisions, ..session.clone() };
        let description = self.to_string();
        let candidate =
            ContestantSpec::BuiltIn { description: description.clone(), engine: Box::new(engine), session };
        let mut reference = reference.clone();
        if let ContestantSpec::BuiltIn { description, session, .. } = &mut reference {
            session.decisions.budget = self.limit.budget();
            *description = format!("{description} at {}", self.limit);
        }
        let names = [description.clone(), reference.description().to_owned()];
        Pairing { label: description, contestants: [candidate, reference], names }
    }

    /// Returns the layout of its table.
    ///
    /// # Errors
    /// Returns an error if the table is too small for the board.
    pub fn layout(&self, engine: &EngineOptions) -> Result<Layout, TableError> {
        Layout::fit(engine.table_shape(), usize::try_from(self.table_size).unwrap_or(usize::MAX))
    }
}

impl std::fmt::Display for SweepPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", exact_bytes(self.table_size), self.replacement, self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_meets_every_policy_and_budget_once() {
        let limits = [MoveLimit::Simulations(10), MoveLimit::Time(Duration::from_millis(50))];
        let all = points(&[1024, 2048], &[Replacement::Visits, Replacement::Always], &limits);
        assert_eq!(all.len(), 8);
        let labels: std::collections::BTreeSet<String> = all.iter().map(SweepPoint::to_string).collect();
        assert_eq!(labels.len(), 8);
        assert!(labels.contains("2KiB always 0.05 s"), "{labels:?}");
    }
}
