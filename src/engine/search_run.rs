//! One run of the search in this process, with the evaluator of the engine.

use super::ranks::Part;
use super::scores::ReportScores;
use super::{Engine, EngineError, NetworkEvaluator, UNKNOWN_BUDGET, evaluation, external, ranks};
use crate::base::game::Game;
use crate::base::zobrist::mix;
use crate::external::{AskError, ExternalEvaluator};
use crate::go::Position;
use crate::search::policy::Policy;
use crate::search::{
    self, EvaluatorWait, Journal, Limits, PositionEvaluator, Progress, Report, Search, SearchParameters,
    SearchSnapshot, SteppedSearch,
};
use std::cell::{OnceCell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

impl Engine {
    /// Searches a prepared position; `part` is the part of this process in a search on several ranks.
    pub(super) fn search_prepared(
        &self,
        root: &Position,
        limits: Limits,
        part: Option<&Part<'_>>,
        progress: Progress<'_>,
    ) -> Result<Report, EngineError> {
        let policy =
            self.options.policy.policy(limits.simulations.or(limits.visits).unwrap_or(UNKNOWN_BUDGET));
        let external = self.options.external.as_deref();
        let (stop, failure) = (AtomicBool::new(false), OnceLock::new());
        let is_loading = || external.is_some_and(ExternalEvaluator::is_loading);
        let wait = EvaluatorWait { stop: &stop, is_loading: &is_loading };
        let parameters = self.search_parameters(root, part.map_or(0, Part::seed));
        let search = Search::new(&self.table, policy, parameters)
            .with_root_moves(self.root_moves.as_deref())
            .with_value_bias(self.value_bias.as_ref())
            .with_evaluator_wait(external.map(|_| wait));
        let search = match part {
            Some(part) => search.with_journal(part.journal(), part.ranks()),
            None => search,
        };
        let network = self.network.as_ref();
        let evaluation = network.map(|network| evaluation::evaluate(network, root));
        let counted = network.filter(|_| self.options.estimate_weight() > 0);
        let scores = counted.map(|network| RefCell::new(ReportScores::new(root, network)));
        let ending = OnceCell::new();
        let completed = |mut report: Report| {
            if let Some(scores) = &scores {
                scores.borrow_mut().complete(&mut report);
            }
            self.complete(root, evaluation.as_ref(), &mut report);
            self.put_ending_pass_first(root, &ending, &mut report);
            report
        };
        let mut progress = |snapshot: &SearchSnapshot<'_>| {
            let report = || completed(snapshot.report());
            let own = snapshot.simulations;
            let simulations = part.map_or(own, |part| part.simulations_of_all(own));
            progress(&SearchSnapshot::new(simulations, &report))
        };
        let new_evaluator = || self.position_evaluator(root, &stop, &failure);
        let report = search.run_with_evaluators(root, &new_evaluator, limits, &mut progress);
        let report = match part {
            Some(part) => part.finish(report, &|| search.look_up(root), &mut progress),
            None => report,
        };
        if let Some(reason) = failure.into_inner() {
            return Err(external::incomplete(reason, report.root.visits));
        }
        match external {
            Some(evaluator) if report.root.visits == 0 => Err(external::no_answer(evaluator)),
            _ if part.is_some_and(Part::is_silent) => Ok(report),
            _ => Ok(completed(report)),
        }
    }

    /// Begins the part of a rank in a simulated search by several ranks: the caller runs its simulations one at a time and
    /// exchanges what the journal lists. The root is prepared as by [`Engine::search_position`].
    pub fn begin_part<'t>(
        &'t self,
        mut root: Position,
        rank: usize,
        journal: &'t Journal,
    ) -> SteppedSearch<'t, 't, Position, Policy> {
        /// Never set: a simulated part waits for each answer without a limit.
        static STOP: AtomicBool = AtomicBool::new(false);
        /// Not read: the simulation of a part ends with its search.
        static FAILURE: OnceLock<String> = OnceLock::new();
        self.prepare(&mut root);
        let parameters = self.search_parameters(&root, ranks::seed_of(rank));
        Search::new(&self.table, self.options.policy.policy(UNKNOWN_BUDGET), parameters)
            .with_value_bias(self.value_bias.as_ref())
            .with_journal(journal, 1)
            .begin(&root, self.position_evaluator(&root, &STOP, &FAILURE))
    }

    /// Returns an evaluator for a search of `root`. One in another process stops waiting when `stop` becomes true; `failure`
    /// gets the reason for the first evaluation that it cannot give.
    fn position_evaluator<'e>(
        &'e self,
        root: &Position,
        stop: &'e AtomicBool,
        failure: &'e OnceLock<String>,
    ) -> PositionEvaluator<'e, Position> {
        if let Some(evaluator) = self.options.external.as_deref() {
            return Box::new(|position, priors, pause| {
                let evaluation =
                    external::evaluate(evaluator, position, priors, pause, &|| stop.load(Relaxed));
                let note = |error: &AskError| {
                    if *error != AskError::Stopped {
                        failure.get_or_init(|| error.to_string());
                    }
                };
                evaluation.inspect_err(note).ok()
            });
        }
        let Some(network) = &self.network else { return search::priors_of_game() };
        let mut evaluator = NetworkEvaluator::new(Arc::clone(network), self.options.estimate_weight(), root);
        if let Some(noise) = &self.root_noise {
            evaluator = evaluator.with_root_noise(root.key(), Arc::clone(noise));
        }
        Box::new(move |position, priors, _| Some(evaluator.evaluate(position, priors)))
    }

    /// Returns the parameters of a search of `root`; `part_seed` is that of a rank.
    fn search_parameters(&self, root: &Position, part_seed: u64) -> SearchParameters {
        let mut parameters = self.options.parameters;
        // The seed depends on the position and its visits, so that no search depends on those of other positions. A search
        // that goes on, or a file that is opened again, gets another seed: the same one would repeat the playouts.
        let visits = self.table.find(root.key()).map_or(0, |entry| u64::from(entry.total().visits));
        parameters.seed = mix(parameters.seed ^ mix(root.key() ^ mix(visits)) ^ self.table.session_seed());
        parameters.seed ^= part_seed;
        // With `expand_at` 1 the evaluator runs at the first visit and needs an entry.
        parameters.evaluates_leaves = self.options.policy.evaluates_leaves();
        parameters.defers_entries = self.options.has_network()
            && parameters.expand_at > 1
            && parameters.reseed
            && !parameters.evaluates_leaves;
        parameters
    }
}
