//! Expansion: the leaf gets an edge block.

use super::policy::SelectionPolicy;
use super::worker::Worker;
use crate::game::Game;
use crate::table::{Block, Entry, Protected};

impl<'t, G: Game, P: SelectionPolicy> Worker<'t, G, P> {
    /// Gives the position that the descent has reached a block with the game's priors, if it is the root or has had
    /// [`expand_at`](super::SearchParameters::expand_at) playouts, and if the table has a block to spare.
    pub(super) fn expand(&mut self, entry: &Entry<'t>) -> Option<Block<'t>> {
        self.table.mend_lost_block(entry, &mut self.counters);
        if !self.steps.is_empty() && entry.leaf_playouts().visits < self.parameters.expand_at {
            return None;
        }
        let (game, priors) = (&self.game, &mut self.priors);
        let protected = Protected { keys: &self.path_keys, blocks: &self.path_blocks };
        self.table.claim_block(
            entry,
            move || {
                game.expand(priors);
                priors
            },
            protected,
            &mut self.counters,
        )
    }
}
