//! Expansion: the claim of a position's first page and of further ones, with the evaluator's priors and estimates.

use super::journal::Change;
use super::leaf::Expansion;
use super::policy::SelectionPolicy;
use super::worker::Worker;
use crate::base::game::{Game, Prior};
use crate::base::value::Estimate;
use crate::table::{Entry, Page, PageEvaluation, ProtectedPath};

/// Maximum number of claims of a page for an evaluated position.
const MAX_CLAIMS: usize = 3;

impl<'t, G: Game, P: SelectionPolicy> Worker<'t, '_, G, P> {
    /// Evaluates the current position, which has no page, and gives it one; see
    /// [`evaluates_leaves`](super::SearchParameters::evaluates_leaves). If another worker evaluates it, waits for that one.
    fn evaluate_leaf(&mut self, entry: &Entry<'t>) -> Expansion<'t> {
        let Some(place) = self.pending else { return self.evaluate_and_store(entry) };
        let (table, pause) = (self.table, self.pause);
        let stored = || table.page(entry).map(Expansion::Page);
        place.stored_or_evaluated(entry.key(), pause, stored, || self.evaluate_and_store(entry))
    }

    /// Asks the evaluator, then claims a page for the answer. A page chosen before a long evaluation might be in use
    /// after it.
    fn evaluate_and_store(&mut self, entry: &Entry<'t>) -> Expansion<'t> {
        self.table.replace_lost_page(entry, &mut self.counters);
        let has_mean = entry.leaf_playouts().visits > 0;
        let Some(evaluation) = (self.evaluator)(&self.game, &mut self.priors, self.pause) else {
            return Expansion::Ended;
        };
        keep_allowed(&mut self.priors, self.root_moves.filter(|_| self.steps.is_empty()));
        let (table, priors, counters) = (self.table, &self.priors, &mut self.counters);
        let protected = ProtectedPath { keys: &self.path_keys };
        // A claim fails if all pages are protected, or if another worker takes the chosen one at this moment.
        let claim = |_| table.claim_evaluated_page(entry, || (priors, evaluation), protected, counters);
        if (0..MAX_CLAIMS).find_map(claim).is_some() {
            self.journal.note(entry.key(), Change::Page(0));
        }
        if has_mean {
            let remove = |&estimate: &Estimate| entry.remove_evaluation_from_leaf_playouts(estimate);
            evaluation.estimate.inspect(remove);
        }
        ends_simulation(evaluation)
    }

    /// Evaluates the current position, for which the table has no room: only the edge to it stores the value.
    pub(super) fn evaluate_unstored(&mut self) -> Expansion<'t> {
        if !self.parameters.evaluates_leaves {
            return Expansion::None;
        }
        (self.evaluator)(&self.game, &mut self.priors, self.pause).map_or(Expansion::Ended, ends_simulation)
    }

    /// Claims a page for the current position if it is the root or has had
    /// [`expand_at`](super::SearchParameters::expand_at) playouts, if the table can spare one, and if no other worker
    /// is evaluating the position. If one is, this worker runs a playout; after one playout for each worker it
    /// evaluates the position itself. The evaluator runs only when there is a page for its result, or to remove the
    /// estimate of a lost page.
    pub(super) fn expand(&mut self, entry: &Entry<'t>) -> Expansion<'t> {
        if self.parameters.evaluates_leaves {
            return self.evaluate_leaf(entry);
        }
        let had_page = self.table.replace_lost_page(entry, &mut self.counters) | self.is_reseeded;
        let is_due = self.steps.is_empty() || entry.leaf_playouts().visits >= self.parameters.expand_at;
        // The worker that evaluates the position may be interrupted for milliseconds.
        let most = self.parameters.expand_at.saturating_add(self.parameters.threads as u32);
        let pending = self.pending.filter(|_| entry.leaf_playouts().visits < most);
        let (page, answer) = match pending {
            _ if !is_due => None,
            Some(place) => place.unless_pending(entry.key(), || self.claim_page(entry)),
            None => Some(self.claim_page(entry)),
        }
        .unwrap_or_default();
        if had_page {
            // The mean of the lost page contains the estimate, and the next page adds it again: this one, another
            // worker's, or a later one if the table can spare none at present.
            let estimate = answer.unwrap_or_else(|| self.estimate());
            estimate.inspect(|&estimate| entry.remove_from_leaf_playouts(estimate));
        }
        page.map_or(Expansion::None, Expansion::Page)
    }

    /// Returns the evaluator's value estimate of the current position. An evaluator without an estimate for one
    /// position has none for any, and is not called again.
    fn estimate(&mut self) -> Option<Estimate> {
        if !self.evaluator_has_estimates {
            return None;
        }
        let evaluation = (self.evaluator)(&self.game, &mut self.priors, self.pause);
        let estimate = evaluation.and_then(|evaluation| evaluation.estimate);
        self.evaluator_has_estimates = estimate.is_some();
        estimate
    }

    /// Returns the page of the position, if it has or gets one, and the estimate, if the evaluator was called:
    /// `Some(None)` if the evaluator gave none.
    fn claim_page(&mut self, entry: &Entry<'t>) -> (Option<Page<'t>>, Option<Option<Estimate>>) {
        let (game, priors, evaluator) = (&self.game, &mut self.priors, &mut self.evaluator);
        let pause = self.pause;
        let is_ranked = self.table.layout().shape.ranked;
        let allowed = self.root_moves.filter(|_| is_ranked && self.steps.is_empty());
        let protected = ProtectedPath { keys: &self.path_keys };
        let mut answer = None;
        let noted = &mut answer;
        let evaluate = move || {
            let evaluation = evaluator(game, priors, pause).unwrap_or(PageEvaluation::NONE);
            *noted = Some(evaluation.estimate);
            keep_allowed(priors, allowed);
            (priors, evaluation)
        };
        let page = self.table.claim_evaluated_page(entry, evaluate, protected, &mut self.counters);
        if page.is_some() && answer.is_some() {
            self.journal.note(entry.key(), Change::Page(0));
        }
        (page, answer)
    }

    /// Gives the chain of the current position, which begins with `first`, its next page. Returns true if the chain has
    /// become longer.
    pub(super) fn claim_next_page(&mut self, first: &Page<'t>) -> bool {
        if !self.parameters.evaluates_leaves {
            return self.claim_evaluated_next_page(first);
        }
        let Some(place) = self.pending else { return self.evaluate_next_page(first) };
        let key = self.game.key();
        let has_grown = place.unless_pending(key, || self.evaluate_next_page(first));
        // The caller reads the chain again after another worker's evaluation.
        has_grown.unwrap_or_else(|| {
            place.wait(key, self.pause);
            true
        })
    }

    /// Asks the evaluator, then claims the next page: see [`evaluate_and_store`](Worker::evaluate_and_store).
    fn evaluate_next_page(&mut self, first: &Page<'t>) -> bool {
        if (self.evaluator)(&self.game, &mut self.priors, self.pause).is_none() {
            return false;
        }
        keep_allowed(&mut self.priors, self.root_moves.filter(|_| self.steps.is_empty()));
        let protected = ProtectedPath { keys: &self.path_keys };
        let priors = &self.priors;
        let has_grown = self.table.claim_next_page(first, || Some(priors), protected, &mut self.counters);
        self.note_next_page(has_grown)
    }

    fn claim_evaluated_next_page(&mut self, first: &Page<'t>) -> bool {
        let (game, priors, evaluator) = (&self.game, &mut self.priors, &mut self.evaluator);
        let pause = self.pause;
        let allowed = self.root_moves.filter(|_| self.steps.is_empty());
        let protected = ProtectedPath { keys: &self.path_keys };
        let mut is_evaluated = false;
        let noted = &mut is_evaluated;
        let evaluate = move || {
            evaluator(game, priors, pause)?;
            *noted = true;
            keep_allowed(priors, allowed);
            Some(priors)
        };
        let has_grown = self.table.claim_next_page(first, evaluate, protected, &mut self.counters);
        self.note_next_page(has_grown && is_evaluated);
        has_grown
    }

    /// Records the new last page of the current position's chain in the journal if `has_grown`; returns `has_grown`.
    fn note_next_page(&mut self, has_grown: bool) -> bool {
        if has_grown {
            self.journal.note(self.game.key(), Change::Page(self.chain.len() as u8));
        }
        has_grown
    }
}

/// Returns the evaluation as the end of a simulation, unless it has no value.
fn ends_simulation<'t>(evaluation: PageEvaluation) -> Expansion<'t> {
    let has_value = evaluation.estimate.is_some_and(|estimate| estimate.weight > 0);
    if has_value { Expansion::Evaluated(evaluation) } else { Expansion::None }
}

/// Removes the priors of moves that are not allowed, so that the pages of a root hold allowed moves only. On complete pages
/// the selection excludes the others.
fn keep_allowed(priors: &mut [Option<Prior>], allowed: Option<&[bool]>) {
    for (prior, _) in priors.iter_mut().zip(allowed.unwrap_or_default()).filter(|(_, allowed)| !**allowed) {
        *prior = None;
    }
}
