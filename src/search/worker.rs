//! One simulation: descend, expand, evaluate, back up. A file each; this one has what they share.

use super::amaf::AmafSamples;
use super::descend::Leaf;
use super::path::Step;
use super::policy::SelectionPolicy;
use super::report::Totals;
use super::score;
use super::select::Edges;
use super::update_buffer::UpdateBuffer;
use super::virtual_loss::VirtualLoss;
use super::{Expert, SearchParameters};
use crate::game::{Bounds, Game, Prior, Trace};
use crate::ownership::Ownership;
use crate::rng::PlayoutRng;
use crate::table::{Counters, Entry, Protected, Table};

/// Simulations between two looks whether another process searches in the same table.
const SHARING_INTERVAL: u64 = 64;

/// What one worker needs; nothing is allocated during a simulation once the buffers have grown.
pub(super) struct Worker<'t, 'e, G, P> {
    pub(super) table: &'t Table,
    pub(super) policy: P,
    pub(super) parameters: SearchParameters,
    pub(super) virtual_loss: Option<&'t VirtualLoss>,
    /// Whether other workers, in this process or another, write to the table now.
    pub(super) is_shared_now: bool,
    pub(super) root: G,
    /// The position that the simulation has reached.
    pub(super) game: G,
    /// A spare position, for looking at one of the path again.
    pub(super) replayed: G,
    /// All scores that the game can have: the bounds of a position of which nothing is proven.
    pub(super) range: Bounds,
    /// β of [`score`].
    pub(super) playout_share: f64,
    pub(super) rng: PlayoutRng,
    pub(super) trace: Trace,
    /// The path: a step for each position of the descent but the leaf.
    pub(super) steps: Vec<Step<'t>>,
    pub(super) path_keys: Vec<u64>,
    pub(super) path_blocks: Vec<u32>,
    pub(super) priors: Vec<Option<Prior>>,
    pub(super) expert: Expert<'e, G>,
    /// Whether the expert says anything of values, as far as it was asked.
    pub(super) expert_estimates: bool,
    /// Whether the position was evicted after it had a block, and has just got its statistics back from the edge to it.
    pub(super) is_reseeded: bool,
    pub(super) edges: Edges,
    pub(super) amaf: AmafSamples,
    pub(super) update_buffer: UpdateBuffer<'t>,
    /// What happened at the table.
    pub(super) counters: Counters,
    /// Whose each point was at the end of the playouts.
    pub(super) ownership: Ownership,
    /// See [`Search::root_moves`](super::Search::root_moves).
    pub(super) root_moves: Option<&'t [bool]>,
    /// Sum of the lengths of all paths.
    pub(super) depth_sum: u64,
    /// Simulations it ran.
    pub(super) simulations: u64,
}

impl<'t, 'e, G: Game, P: SelectionPolicy> Worker<'t, 'e, G, P> {
    pub(super) fn new(
        table: &'t Table,
        policy: P,
        parameters: SearchParameters,
        virtual_loss: Option<&'t VirtualLoss>,
        root: &G,
        rng: PlayoutRng,
        expert: Expert<'e, G>,
    ) -> Self {
        let moves = root.move_count();
        Worker {
            table,
            policy,
            parameters,
            virtual_loss,
            is_shared_now: virtual_loss.is_some(),
            root: root.clone(),
            game: root.clone(),
            replayed: root.clone(),
            range: root.score_range(),
            playout_share: score::playout_share(root.score_range()),
            rng,
            trace: Trace::default(),
            steps: Vec::with_capacity(64),
            path_keys: Vec::with_capacity(64),
            path_blocks: Vec::with_capacity(64),
            priors: vec![None; moves],
            expert,
            expert_estimates: true,
            is_reseeded: false,
            edges: Edges::new(moves),
            amaf: AmafSamples::new(moves),
            update_buffer: UpdateBuffer::new(moves),
            counters: Counters::default(),
            ownership: Ownership::default(),
            root_moves: None,
            depth_sum: 0,
            simulations: 0,
        }
    }

    /// Runs one simulation from the root.
    pub(super) fn simulate(&mut self) {
        self.start_at_root();
        let mut leaf = self.descend();
        while let Leaf::Unexpanded(entry) = leaf
            && let Some(block) = self.expand(&entry)
        {
            leaf = self.descend_through(entry, block);
        }
        let evaluation = self.evaluate(leaf);
        self.back_up(&evaluation);
        self.simulations += 1;
        if self.simulations.is_multiple_of(SHARING_INTERVAL) {
            self.is_shared_now |= self.table.is_shared_now();
        }
    }

    fn start_at_root(&mut self) {
        self.game.clone_from(&self.root);
        self.trace.moves.clear();
        self.steps.clear();
        self.path_keys.clear();
        self.path_blocks.clear();
    }

    /// Adds what it counted.
    pub(super) fn add_to(&self, totals: &mut Totals) {
        totals.counters.add(&self.counters);
        totals.depth_sum += self.depth_sum;
        totals.simulations += self.simulations;
        totals.ownership.add(&self.ownership);
    }

    /// Writes what is still in the update buffer. Nothing more is simulated.
    pub(super) fn finish(&mut self) {
        self.update_buffer.flush();
    }

    /// The entry with `key`, claimed if there is none; no entry or block of the path is evicted for it.
    pub(super) fn find_or_claim_entry(&mut self, key: u64) -> Option<Entry<'t>> {
        let protected = Protected { keys: &self.path_keys, blocks: &self.path_blocks };
        self.table.find_or_claim(key, protected, &mut self.counters)
    }

    /// Prefetches what the backup will write: where several workers write it, the cache lines of a path are mostly in
    /// another processor's cache.
    pub(super) fn prefetch_path(&self) {
        if self.is_shared_now {
            for step in &self.steps {
                step.entry.prefetch_for_update();
                if UpdateBuffer::takes(step) {
                    step.block.prefetch_edge_for_update(step.mv.index());
                } else {
                    step.block.prefetch_for_update(step.mv.index());
                }
            }
        }
    }
}
