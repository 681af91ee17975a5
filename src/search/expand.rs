//! Expansion: the leaf gets an edge block.

use super::policy::SelectionPolicy;
use super::worker::Worker;
use crate::game::Game;
use crate::table::{Block, Entry, Protected};
use crate::value::Estimate;

impl<'t, G: Game, P: SelectionPolicy> Worker<'t, '_, G, P> {
    /// Gives the position that the descent has reached a block with the game's priors, if it is the root or has had
    /// [`expand_at`](super::SearchParameters::expand_at) playouts, and if the table has a block to spare. The expert is
    /// asked when there is a block to hold what it says.
    pub(super) fn expand(&mut self, entry: &Entry<'t>) -> Option<Block<'t>> {
        let had_block = self.table.mend_lost_block(entry, &mut self.counters) | self.is_reseeded;
        let is_due = self.steps.is_empty() || entry.leaf_playouts().visits >= self.parameters.expand_at;
        let (block, answer) = if is_due { self.claim_block(entry) } else { (None, None) };
        if had_block {
            // The mean of the lost block contains the estimate already, which comes again with the next block: with this
            // one, or with another worker's, or later where there is none to be had now.
            let estimate = answer.unwrap_or_else(|| self.estimate());
            estimate.inspect(|&estimate| entry.remove_from_leaf_playouts(estimate));
        }
        block
    }

    /// What the expert says of the value; an expert that says nothing of one position says nothing of any.
    fn estimate(&mut self) -> Option<Estimate> {
        if !self.expert_estimates {
            return None;
        }
        let estimate = (self.expert)(&self.game, &mut self.priors).estimate;
        self.expert_estimates = estimate.is_some();
        estimate
    }

    /// The block, if there is one for the position, and the expert's estimate if it was asked.
    fn claim_block(&mut self, entry: &Entry<'t>) -> (Option<Block<'t>>, Option<Option<Estimate>>) {
        let (game, priors, expert) = (&self.game, &mut self.priors, &mut self.expert);
        let protected = Protected { keys: &self.path_keys, blocks: &self.path_blocks };
        let mut answer = None;
        let noted = &mut answer;
        let judge = move || {
            let evaluation = expert(game, priors);
            *noted = Some(evaluation.estimate);
            (priors, evaluation)
        };
        let block = self.table.claim_evaluated_block(entry, judge, protected, &mut self.counters);
        (block, answer)
    }
}
