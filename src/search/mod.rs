//! The search: simulations over hashes, each of four verbs. Descend, expand, evaluate, back up.
//!
//! [`Search::run`] is the way in. A `run` has workers and a stopping rule (`limits`); `worker` runs one simulation, with
//! a file for each verb: `descend`, `expand`, `evaluate`, `backup`. A move is chosen by `select`, with a formula
//! from [`policy`]. What is proven, and for which histories, is in `proof`; `report` reads the result from the table.

mod amaf;
mod backup;
mod descend;
mod evaluate;
mod expand;
mod limits;
mod path;
pub mod policy;
mod policy_state;
mod proof;
mod report;
mod run;
mod score;
mod select;
mod update_buffer;
mod value_weight;
mod virtual_loss;
mod worker;

pub use limits::Limits;
pub use report::{MoveReport, Report, RootReport};
pub use score::expected as expected_score;

use crate::game::{Game, Prior};
use crate::rng::PlayoutRng;
use crate::table::{Evaluation, Table};
use crate::zobrist::mix;
use limits::StoppingRule;
use policy::SelectionPolicy;
use run::Run;
use virtual_loss::VirtualLoss;
use worker::Worker;

/// What a simulation does at a child that has more visits than the edge to it, because it was also reached through
/// transpositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatchUp {
    /// The descent goes on below the child.
    Continue,
    /// The child is a leaf, and its value is backed up, until the edge has as many visits.
    Stop,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchParameters {
    /// Playouts of a position before it gets an edge block.
    pub expand_at: u32,
    /// See [`CatchUp`].
    pub catch_up: CatchUp,
    /// Whether a position that was evicted starts again with the visits and value of the edge to it.
    pub reseed: bool,
    /// Workers, from 1 to 255.
    pub threads: usize,
    /// Seed of all randomness.
    pub seed: u64,
}

impl Default for SearchParameters {
    fn default() -> SearchParameters {
        SearchParameters { expand_at: 8, catch_up: CatchUp::Continue, reseed: true, threads: 1, seed: 1 }
    }
}

/// A search that is under way.
pub struct Snapshot<'s> {
    /// Simulations so far.
    pub simulations: u64,
    report: &'s dyn Fn() -> Report,
}

impl<'s> Snapshot<'s> {
    /// A snapshot that reports with a function.
    #[must_use]
    pub fn new(simulations: u64, report: &'s dyn Fn() -> Report) -> Snapshot<'s> {
        Snapshot { simulations, report }
    }

    /// Returns the results of the search so far. Ownership is that of the first worker's playouts.
    #[must_use]
    pub fn report(&self) -> Report {
        (self.report)()
    }
}

/// Called now and then during a search, never before its first simulation; `false` stops it.
pub type Progress<'a> = &'a mut dyn FnMut(&Snapshot<'_>) -> bool;

/// Judges a position that gets an edge block: writes the priors of its moves as [`Game::expand`] does, and returns what is
/// known of its value and score. Each worker has one.
pub type Expert<'e, G> = Box<dyn FnMut(&G, &mut [Option<Prior>]) -> Evaluation + Send + 'e>;

/// A table to search on, and how.
pub struct Search<'t, P> {
    /// The memory.
    table: &'t Table,
    /// Which moves simulations try.
    policy: P,
    /// Everything else.
    parameters: SearchParameters,
    /// See [`Search::with_root_moves`].
    root_moves: Option<&'t [bool]>,
}

impl<'t, P: SelectionPolicy> Search<'t, P> {
    /// A search on a table, which chooses moves by a policy.
    pub fn new(table: &'t Table, policy: P, parameters: SearchParameters) -> Search<'t, P> {
        Search { table, policy, parameters, root_moves: None }
    }

    /// Tries some moves of the root alone, by their number; `None`: all. Such a root has an entry of its own for each set of
    /// moves: its visits and its value are those of these moves, and a search of all moves never sees them. What is below
    /// is shared.
    #[must_use]
    pub fn with_root_moves(mut self, allowed: Option<&'t [bool]>) -> Search<'t, P> {
        self.root_moves = allowed;
        self
    }

    /// Searches the position of `root` and reports what the table then knows of it.
    ///
    /// With one thread the result depends on the position, the parameters and the content of the table
    /// alone.
    pub fn run<G: Game>(&self, root: &G, limits: Limits, progress: Progress<'_>) -> Report {
        let expert = || -> Expert<'_, G> {
            Box::new(|game, priors| {
                game.expand(priors);
                Evaluation::NONE
            })
        };
        self.run_with_experts(root, &expert, limits, progress)
    }

    /// The same with the priors and estimates of experts. `new_expert` makes one for each worker; they must agree.
    pub fn run_with_experts<'e, G: Game>(
        &self,
        root: &G,
        new_expert: &(dyn Fn() -> Expert<'e, G> + Sync),
        limits: Limits,
        progress: Progress<'_>,
    ) -> Report {
        let root = &self.restricted(root);
        self.table.next_search();
        self.table.mark_active();
        let threads = self.parameters.threads;
        let run = Run::new(StoppingRule::new(limits, self.table, root, self.root_moves.is_none()), threads);
        let virtual_loss = (threads > 1).then(|| VirtualLoss::new(root.move_count(), threads));
        let worker = |stream: u64| {
            let rng = PlayoutRng::new(self.parameters.seed, stream);
            let policy = self.policy.clone();
            let virtual_loss = virtual_loss.as_ref();
            Worker {
                root_moves: self.root_moves,
                ..Worker::new(self.table, policy, self.parameters, virtual_loss, root, rng, new_expert())
            }
        };
        let workers = run.work(self.table, root, worker, progress);
        let mut totals = report::Totals::default();
        workers.iter().for_each(|worker| worker.add_to(&mut totals));
        totals.elapsed = run.elapsed();
        Report::new(self.table, root, &self.policy, totals, self.root_moves)
    }

    /// What the table knows of a position, without searching.
    pub fn look_up<G: Game>(&self, root: &G) -> Report {
        let root = &self.restricted(root);
        Report::new(self.table, root, &self.policy, report::Totals::default(), self.root_moves)
    }

    /// The root, with a key for the moves that may be tried.
    fn restricted<G: Game>(&self, root: &G) -> G {
        let mut root = root.clone();
        if let Some(allowed) = self.root_moves {
            let moves = (0..).zip(allowed).filter(|(_, allowed)| **allowed);
            root.set_root_salt(moves.fold(0, |salt, (number, _)| mix(salt ^ mix(number + 1))));
        }
        root
    }
}
