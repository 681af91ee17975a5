//! Expansion: the claim of an edge block for the leaf, with the evaluator's priors and estimates.

use super::policy::SelectionPolicy;
use super::worker::Worker;
use crate::base::game::Game;
use crate::base::value::Estimate;
use crate::table::{Block, Entry, ProtectedPath};

impl<'t, G: Game, P: SelectionPolicy> Worker<'t, '_, G, P> {
    /// Claims a block for the current position if it is the root or has had
    /// [`expand_at`](super::SearchParameters::expand_at) playouts, and if the table can spare one. The evaluator runs
    /// only when there is a block for its result.
    pub(super) fn expand(&mut self, entry: &Entry<'t>) -> Option<Block<'t>> {
        let had_block = self.table.replace_lost_block(entry, &mut self.counters) | self.is_reseeded;
        let is_due = self.steps.is_empty() || entry.leaf_playouts().visits >= self.parameters.expand_at;
        let (block, answer) = if is_due { self.claim_block(entry) } else { (None, None) };
        if had_block {
            // The mean of the lost block contains the estimate, and the next block adds it again: this one, another
            // worker's, or a later one if the table can spare none at present.
            let estimate = answer.unwrap_or_else(|| self.estimate());
            estimate.inspect(|&estimate| entry.remove_from_leaf_playouts(estimate));
        }
        block
    }

    /// Returns the evaluator's value estimate of the current position. An evaluator without an estimate for one
    /// position has none for any, and is not called again.
    fn estimate(&mut self) -> Option<Estimate> {
        if !self.evaluator_has_estimates {
            return None;
        }
        let estimate = (self.evaluator)(&self.game, &mut self.priors).estimate;
        self.evaluator_has_estimates = estimate.is_some();
        estimate
    }

    /// Returns the block of the position, if it has or gets one, and the evaluator's estimate, if it was called:
    /// `Some(None)` if it has none.
    fn claim_block(&mut self, entry: &Entry<'t>) -> (Option<Block<'t>>, Option<Option<Estimate>>) {
        let (game, priors, evaluator) = (&self.game, &mut self.priors, &mut self.evaluator);
        let protected = ProtectedPath { keys: &self.path_keys, blocks: &self.path_blocks };
        let mut answer = None;
        let noted = &mut answer;
        let evaluate = move || {
            let evaluation = evaluator(game, priors);
            *noted = Some(evaluation.estimate);
            (priors, evaluation)
        };
        let block = self.table.claim_evaluated_block(entry, evaluate, protected, &mut self.counters);
        (block, answer)
    }
}
