//! One worker: the state that the four steps of a simulation share, and the loop that runs them.

use super::amaf::AmafSamples;
use super::journal::JournalWriter;
use super::leaf::{Expansion, Leaf};
use super::parameters::SearchParameters;
use super::path::Step;
use super::pending::PendingPlace;
use super::policy::SelectionPolicy;
use super::report::Totals;
use super::score;
use super::select::EdgeArrays;
use super::update_buffer::UpdateBuffer;
use super::value_bias::{BiasSlot, ValueBias};
use super::virtual_loss::VirtualLoss;
use crate::base::game::{Bounds, Game, Prior, Trace};
use crate::base::ownership::Ownership;
use crate::base::pause::{Pause, ThreadPause};
use crate::base::rng::PlayoutRng;
use crate::table::{Counters, Entry, Page, PageEvaluation, ProtectedPath, Table};
use std::time::Duration;

/// Simulations between checks for another process that searches the same table.
const SHARING_CHECK_INTERVAL: u64 = 64;

/// An evaluator of positions: writes the priors of the moves as [`Game::expand`] does, and returns estimates of value and
/// score; it waits by the worker's [`Pause`]. It is called for positions that get an edge page or have lost one, and for
/// positions without room in the table if the value ends the simulation. Each worker has its own. `None` ends the search:
/// there is no evaluation, and will be none.
pub type PositionEvaluator<'e, G> =
    Box<dyn FnMut(&G, &mut [Option<Prior>], &dyn Pause) -> Option<PageEvaluation> + Send + 'e>;

/// State of one worker. A simulation allocates nothing once the buffers have grown.
pub(super) struct Worker<'t, 'e, G, P> {
    pub(super) table: &'t Table,
    pub(super) policy: P,
    pub(super) parameters: SearchParameters,
    pub(super) virtual_loss: Option<&'t VirtualLoss>,
    /// `None` with one worker.
    pub(super) pending: Option<PendingPlace<'t>>,
    pub(super) pause: &'t dyn Pause,
    /// True once other workers, of this process or another, have been found to search the same table.
    pub(super) is_shared_now: bool,
    pub(super) root: G,
    /// The position that the simulation has reached: the current position.
    pub(super) game: G,
    /// A spare position, for replaying part of the path.
    pub(super) replayed: G,
    /// All possible scores of the game: the bounds of a position without a proof.
    pub(super) range: Bounds,
    /// True if the policy reads AMAF samples and the pages have room for them.
    pub(super) uses_amaf: bool,
    /// β, see [`score`].
    pub(super) playout_share: f64,
    pub(super) rng: PlayoutRng,
    pub(super) trace: Trace,
    /// The path: a step for each position of the descent except the leaf.
    pub(super) steps: Vec<Step<'t>>,
    pub(super) path_keys: Vec<u64>,
    /// See [`Search::with_value_bias`](super::Search::with_value_bias).
    pub(super) value_bias: Option<&'t ValueBias>,
    /// The slot of the current position's context.
    pub(super) bias_slot: Option<BiasSlot>,
    pub(super) priors: Vec<Option<Prior>>,
    pub(super) evaluator: PositionEvaluator<'e, G>,
    /// False once `estimate` (in `expand`) has asked the evaluator for a value estimate and got none.
    pub(super) evaluator_has_estimates: bool,
    /// True if the current position has just been reseeded from the edge to it, and the visits of that edge show that the
    /// evicted entry had a page.
    pub(super) is_reseeded: bool,
    pub(super) edges: EdgeArrays,
    /// The pages of the position in which a move is selected.
    pub(super) chain: Vec<Page<'t>>,
    pub(super) amaf: AmafSamples,
    pub(super) update_buffer: UpdateBuffer<'t>,
    pub(super) journal: JournalWriter<'t>,
    /// Table events of this worker.
    pub(super) counters: Counters,
    /// Owners of the points at the end of the playouts.
    pub(super) ownership: Ownership,
    /// See [`Search::with_root_moves`](super::Search::with_root_moves).
    pub(super) root_moves: Option<&'t [bool]>,
    /// Sum of the path lengths of all simulations, in moves.
    pub(super) depth_sum: u64,
    /// Number of simulations run.
    pub(super) simulations: u64,
}

impl<'t, 'e, G: Game, P: SelectionPolicy> Worker<'t, 'e, G, P> {
    pub(super) fn new(
        table: &'t Table,
        policy: P,
        parameters: SearchParameters,
        root: &G,
        rng: PlayoutRng,
        evaluator: PositionEvaluator<'e, G>,
    ) -> Self {
        let moves = root.move_count();
        Worker {
            table,
            uses_amaf: policy.uses_amaf() && !table.layout().shape.ranked,
            policy,
            parameters,
            virtual_loss: None,
            pending: None,
            pause: &ThreadPause,
            is_shared_now: false,
            root: root.clone(),
            game: root.clone(),
            replayed: root.clone(),
            range: root.score_range(),
            playout_share: score::playout_share(root.score_range()),
            rng,
            trace: Trace::default(),
            steps: Vec::with_capacity(64),
            path_keys: Vec::with_capacity(64),
            value_bias: None,
            bias_slot: None,
            priors: vec![None; moves],
            evaluator,
            evaluator_has_estimates: true,
            is_reseeded: false,
            edges: EdgeArrays::default(),
            chain: Vec::with_capacity(64),
            amaf: AmafSamples::new(moves),
            update_buffer: UpdateBuffer::new(moves),
            journal: JournalWriter::new(None),
            counters: Counters::default(),
            ownership: Ownership::default(),
            root_moves: None,
            depth_sum: 0,
            simulations: 0,
        }
    }

    /// Runs one simulation from the root. Returns false if the evaluator had no evaluation: nothing is counted then.
    #[must_use]
    pub(super) fn simulate(&mut self) -> bool {
        self.start_at_root();
        let mut leaf = self.descend();
        loop {
            let (entry, expansion) = match leaf {
                Leaf::Unexpanded(entry) => (Some(entry), self.expand(&entry)),
                Leaf::Unstored => (None, self.evaluate_unstored()),
                _ => break,
            };
            match (entry, expansion) {
                (Some(entry), Expansion::Page(page)) => leaf = self.descend_through(entry, page),
                (_, Expansion::Evaluated(evaluation)) => leaf = Leaf::Evaluated(entry, evaluation),
                (_, Expansion::Ended) => {
                    self.abandon();
                    return false;
                }
                _ => break,
            }
        }
        let evaluation = self.evaluate(leaf);
        self.back_up(&evaluation);
        self.journal.flush_if_full();
        self.simulations += 1;
        if self.simulations.is_multiple_of(SHARING_CHECK_INTERVAL) {
            self.is_shared_now |= self.table.is_shared_now();
        }
        true
    }

    fn start_at_root(&mut self) {
        self.game.clone_from(&self.root);
        self.trace.moves.clear();
        self.steps.clear();
        self.path_keys.clear();
        self.bias_slot = None;
    }

    /// Returns the worker's counts.
    pub(super) fn totals(&self) -> Totals {
        Totals {
            simulations: self.simulations,
            elapsed: Duration::ZERO,
            counters: self.counters,
            ownership: self.ownership.clone(),
            depth_sum: self.depth_sum,
        }
    }

    /// Writes the rest of the update buffer and of the journal at the end of the run.
    pub(super) fn finish(&mut self) {
        self.update_buffer.flush();
        self.journal.flush();
    }

    /// Returns the entry with `key`, claiming one if there is none; `None` if the table has no room. Entries and pages
    /// of the path are not evicted.
    pub(super) fn find_or_claim_entry(&mut self, key: u64) -> Option<Entry<'t>> {
        let protected = ProtectedPath { keys: &self.path_keys };
        self.table.find_or_claim(key, protected, &mut self.counters)
    }

    /// Prefetches the words that the backup writes: with several workers most cache lines of a path are in another
    /// processor's cache.
    pub(super) fn prefetch_path(&self) {
        if self.is_shared_now {
            for step in &self.steps {
                step.entry.prefetch_for_update();
                if UpdateBuffer::is_buffered(step) {
                    step.page.prefetch_edge_for_update(step.index);
                } else {
                    step.page.prefetch_for_update(step.index);
                }
            }
        }
    }
}
