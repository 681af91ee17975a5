//! The view of a search in progress that its caller gets.

use super::report::Report;

/// A search in progress, as passed to [`Progress`] functions.
pub struct SearchSnapshot<'s> {
    /// Number of simulations so far.
    pub simulations: u64,
    report: &'s dyn Fn() -> Report,
}

impl<'s> SearchSnapshot<'s> {
    /// Creates a snapshot; `report` computes its report.
    #[must_use]
    pub fn new(simulations: u64, report: &'s dyn Fn() -> Report) -> SearchSnapshot<'s> {
        SearchSnapshot { simulations, report }
    }

    /// Returns the results of the search so far. Ownership counts only the first worker's playouts, and none in a
    /// search with an [`EvaluatorWait`](super::EvaluatorWait).
    #[must_use]
    pub fn report(&self) -> Report {
        (self.report)()
    }
}

/// A callback during a search; returning `false` stops the search. It is called every 16 simulations of the first worker;
/// in a search with an [`EvaluatorWait`](super::EvaluatorWait) every 10 ms, also before the first simulation.
pub type Progress<'a> = &'a mut dyn FnMut(&SearchSnapshot<'_>) -> bool;
