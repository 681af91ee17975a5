//! A search in steps of one simulation, for callers with a clock of their own.

use super::policy::SelectionPolicy;
use super::worker::{PositionEvaluator, Worker};
use super::{Report, Search};
use crate::base::game::Game;

/// A search of one worker without limits. Its caller runs the simulations one at a time.
pub struct SteppedSearch<'t, 'e, G, P>(Worker<'t, 'e, G, P>);

impl<'t, P: SelectionPolicy> Search<'t, P> {
    /// Begins a search of `root`. Its simulations are those that [`run_with_evaluators`](Search::run_with_evaluators) runs with
    /// one thread.
    pub fn begin<'e, G: Game>(
        &self,
        root: &G,
        evaluator: PositionEvaluator<'e, G>,
    ) -> SteppedSearch<'t, 'e, G, P> {
        let root = &super::restricted(root, self.root_moves);
        self.table.next_search();
        self.table.mark_active();
        SteppedSearch(self.worker(root, 0, evaluator))
    }
}

impl<G: Game, P: SelectionPolicy> SteppedSearch<'_, '_, G, P> {
    /// Runs one simulation and writes its records to the journal. Returns false if the evaluator had no evaluation; nothing is
    /// counted then.
    pub fn simulate(&mut self) -> bool {
        let is_counted = self.0.simulate();
        self.0.journal.flush();
        is_counted
    }

    /// Writes the buffered AMAF samples and journal records, at the end of the search.
    pub fn finish(&mut self) {
        self.0.finish();
    }

    /// Reports the present statistics of the root in the table.
    #[must_use]
    pub fn report(&self) -> Report {
        Report::new(self.0.table, &self.0.root, &self.0.policy, self.0.totals(), self.0.root_moves)
    }
}
