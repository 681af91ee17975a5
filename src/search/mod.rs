//! Monte-Carlo search over the transposition table.
//!
//! [`Search::run`] is the entry point. Read on in this order:
//!
//! 1. `run`: the workers of one search, which share a table, and their stopping rule (`limits`);
//! 2. `worker`: the loop of a simulation and its state. `path` and `leaf` are the data that its steps hand on;
//! 3. the steps: `descend`, `expand`, `evaluate`, `backup`. The descent chooses moves by `select`, with a formula from
//!    [`policy`]; the backup uses `amaf`, `score` (expected scores) and `value_weight`;
//! 4. `proof`: the results that are proven, and the histories for which they hold;
//! 5. `report`: the result of a search, read from the table.
//!
//! `journal` lists the changes of the table for searches in other processes; `stepped` runs one simulation at a time.
//! `virtual_loss`, `pending` and `update_buffer` matter only with several workers, `policy_state` only to a few policies.

mod amaf;
mod backup;
mod descend;
mod evaluate;
mod expand;
mod journal;
mod leaf;
mod limits;
mod main_line;
mod parameters;
mod path;
mod pending;
pub mod policy;
mod policy_state;
mod progress;
mod proof;
mod ranked_moves;
mod report;
mod run;
mod score;
mod select;
mod stepped;
mod update_buffer;
mod value_bias;
mod value_weight;
mod virtual_loss;
mod worker;

pub use journal::{Change, Journal, JournalRecord};
pub use limits::Limits;
pub use parameters::{CatchUp, SearchParameters};
pub use progress::{Progress, SearchSnapshot};
pub use report::{MoveReport, Report, RootReport};
pub use score::expected as expected_score;
pub use stepped::SteppedSearch;
pub use value_bias::ValueBias;
pub use worker::PositionEvaluator;

use crate::base::game::Game;
use crate::base::rng::PlayoutRng;
use crate::base::zobrist::mix;
use crate::table::{PageEvaluation, Table};
use journal::JournalWriter;
use limits::StoppingRule;
use pending::PendingEvaluations;
use policy::SelectionPolicy;
use run::Run;
use std::sync::atomic::AtomicBool;
use virtual_loss::VirtualLoss;
use worker::Worker;

/// A search of one table with one policy.
pub struct Search<'t, P> {
    table: &'t Table,
    policy: P,
    parameters: SearchParameters,
    /// See [`Search::with_root_moves`].
    root_moves: Option<&'t [bool]>,
    /// See [`Search::with_value_bias`].
    value_bias: Option<&'t ValueBias>,
    /// See [`Search::with_evaluator_wait`].
    evaluator_wait: Option<EvaluatorWait<'t>>,
    /// See [`Search::with_journal`].
    journal: Option<&'t Journal>,
    /// See [`Search::with_journal`].
    searches: u32,
}

/// The wait of a search's evaluators for the answers of another process.
#[derive(Clone, Copy)]
pub struct EvaluatorWait<'t> {
    /// Set when time, `progress` or a missing evaluation ends the search; evaluators then stop waiting.
    pub stop: &'t AtomicBool,
    /// Returns true while the process loads; that time does not count.
    pub is_loading: &'t (dyn Fn() -> bool + Sync),
}

impl<'t, P: SelectionPolicy> Search<'t, P> {
    /// Creates a search of `table` that chooses moves by `policy`.
    pub fn new(table: &'t Table, policy: P, parameters: SearchParameters) -> Search<'t, P> {
        Search {
            table,
            policy,
            parameters,
            root_moves: None,
            value_bias: None,
            evaluator_wait: None,
            journal: None,
            searches: 1,
        }
    }

    /// Restricts the search to the root moves `allowed`, indexed by move number; `None` allows all. The root then has a
    /// separate entry for each set of allowed moves, with the visits and the value of these moves only; a search of all
    /// moves does not use it. Positions below the root are shared.
    #[must_use]
    pub fn with_root_moves(mut self, allowed: Option<&'t [bool]>) -> Search<'t, P> {
        self.root_moves = allowed;
        self
    }

    /// Corrects the evaluator's values by `bias`, and adds the errors found to it. For evaluators with values that end
    /// the simulations; the values of playouts are too noisy.
    #[must_use]
    pub fn with_value_bias(self, bias: Option<&'t ValueBias>) -> Search<'t, P> {
        Search { value_bias: bias, ..self }
    }

    /// Runs all workers as coroutines of one thread, while the caller's thread watches the limits. For evaluators that
    /// wait for another process, by the [`Pause`](crate::base::pause::Pause) that they get.
    #[must_use]
    pub fn with_evaluator_wait(self, wait: Option<EvaluatorWait<'t>>) -> Search<'t, P> {
        Search { evaluator_wait: wait, ..self }
    }

    /// Records all changes in `journal`, for the tables of other searches of the same position. `searches` is the
    /// number of these searches, this one included; all are taken to be equally fast.
    #[must_use]
    pub fn with_journal(self, journal: &'t Journal, searches: u32) -> Search<'t, P> {
        Search { journal: Some(journal), searches, ..self }
    }

    /// Searches the position of `root` and reports its statistics in the table.
    ///
    /// With one thread, unless time or `progress` ends the search, the result depends only on the position, the policy,
    /// the parameters, the limits, the content of the table and the errors of
    /// [`with_value_bias`](Search::with_value_bias).
    pub fn run<G: Game>(&self, root: &G, limits: Limits, progress: Progress<'_>) -> Report {
        self.run_with_evaluators(root, &priors_of_game, limits, progress)
    }

    /// Searches like [`run`](Search::run) with the priors and estimates of evaluators. `new_evaluator` creates one for
    /// each worker; all must return the same results.
    pub fn run_with_evaluators<'e, G: Game>(
        &self,
        root: &G,
        new_evaluator: &(dyn Fn() -> PositionEvaluator<'e, G> + Sync),
        limits: Limits,
        progress: Progress<'_>,
    ) -> Report {
        let root = &restricted(root, self.root_moves);
        self.table.next_search();
        self.table.mark_active();
        let threads = self.parameters.threads;
        let rule =
            StoppingRule::new(limits, self.table, root, self.root_moves.is_none()).among(self.searches);
        let stop = AtomicBool::new(false);
        let run = Run::new(rule, threads, self.evaluator_wait.map_or(&stop, |wait| wait.stop));
        let virtual_loss = (threads > 1).then(|| VirtualLoss::new(root.move_count(), threads));
        let pending = (threads > 1).then(|| PendingEvaluations::new(threads + 1));
        let worker = |stream: u64| Worker {
            virtual_loss: virtual_loss.as_ref(),
            is_shared_now: virtual_loss.is_some(),
            pending: pending.as_ref().map(|all| all.place(stream as usize)),
            ..self.worker(root, stream, new_evaluator())
        };
        let mut totals = match self.evaluator_wait {
            Some(wait) => run.work_watched(self.table, root, worker, wait.is_loading, progress),
            None => run.work(self.table, root, worker, progress),
        };
        totals.elapsed = run.elapsed();
        Report::new(self.table, root, &self.policy, totals, self.root_moves)
    }

    /// Reports the stored statistics of a position without searching.
    pub fn look_up<G: Game>(&self, root: &G) -> Report {
        let root = &restricted(root, self.root_moves);
        Report::new(self.table, root, &self.policy, report::Totals::default(), self.root_moves)
    }

    /// Returns a worker that is alone in its search; `stream` is the number of its stream of random numbers.
    fn worker<'w, 'e, G: Game>(
        &self,
        root: &G,
        stream: u64,
        evaluator: PositionEvaluator<'e, G>,
    ) -> Worker<'w, 'e, G, P>
    where
        't: 'w,
    {
        let rng = PlayoutRng::new(self.parameters.seed, stream);
        Worker {
            root_moves: self.root_moves,
            value_bias: self.value_bias,
            journal: JournalWriter::new(self.journal),
            ..Worker::new(self.table, self.policy.clone(), self.parameters, root, rng, evaluator)
        }
    }
}

/// Returns the evaluator that takes the priors of the game and has no estimates.
#[must_use]
pub fn priors_of_game<'e, G: Game>() -> PositionEvaluator<'e, G> {
    Box::new(|game, priors, _| {
        game.expand(priors);
        Some(PageEvaluation::NONE)
    })
}

/// Returns the key of the root of a search restricted to the moves `allowed`, see [`Search::with_root_moves`].
#[must_use]
pub fn root_key<G: Game>(root: &G, allowed: Option<&[bool]>) -> u64 {
    restricted(root, allowed).key()
}

/// Returns the root with a key for its set of allowed moves.
fn restricted<G: Game>(root: &G, allowed: Option<&[bool]>) -> G {
    let mut root = root.clone();
    if let Some(allowed) = allowed {
        let moves = (0..).zip(allowed).filter(|(_, allowed)| **allowed);
        root.set_root_salt(moves.fold(mix(1), |salt, (number, _)| mix(salt ^ mix(number + 1))));
    }
    root
}
