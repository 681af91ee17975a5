//! Expansion: the claim of a position's first page and of further ones, with the evaluator's priors and estimates.

use super::policy::SelectionPolicy;
use super::worker::Worker;
use crate::base::game::{Game, Prior};
use crate::base::value::Estimate;
use crate::table::{Entry, Page, ProtectedPath};

impl<'t, G: Game, P: SelectionPolicy> Worker<'t, '_, G, P> {
    /// Claims a page for the current position if it is the root or has had
    /// [`expand_at`](super::SearchParameters::expand_at) playouts, if the table can spare one, and if no other worker
    /// evaluates the position at present. The evaluator runs only when there is a page for its result.
    pub(super) fn expand(&mut self, entry: &Entry<'t>) -> Option<Page<'t>> {
        let had_page = self.table.replace_lost_page(entry, &mut self.counters) | self.is_reseeded;
        let is_due = self.steps.is_empty() || entry.leaf_playouts().visits >= self.parameters.expand_at;
        let pending = self.pending;
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
        page
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

    /// Returns the page of the position, if it has or gets one, and the evaluator's estimate, if it was called:
    /// `Some(None)` if it has none.
    fn claim_page(&mut self, entry: &Entry<'t>) -> (Option<Page<'t>>, Option<Option<Estimate>>) {
        let (game, priors, evaluator) = (&self.game, &mut self.priors, &mut self.evaluator);
        let is_ranked = self.table.layout().shape.ranked;
        let allowed = self.root_moves.filter(|_| is_ranked && self.steps.is_empty());
        let protected = ProtectedPath { keys: &self.path_keys };
        let mut answer = None;
        let noted = &mut answer;
        let evaluate = move || {
            let evaluation = evaluator(game, priors);
            *noted = Some(evaluation.estimate);
            keep_allowed(priors, allowed);
            (priors, evaluation)
        };
        let page = self.table.claim_evaluated_page(entry, evaluate, protected, &mut self.counters);
        (page, answer)
    }

    /// Gives the chain of the current position, which begins with `first`, its next page. Returns true if the chain has
    /// become longer.
    pub(super) fn claim_next_page(&mut self, first: &Page<'t>) -> bool {
        let (game, priors, evaluator) = (&self.game, &mut self.priors, &mut self.evaluator);
        let allowed = self.root_moves.filter(|_| self.steps.is_empty());
        let protected = ProtectedPath { keys: &self.path_keys };
        let evaluate = move || {
            evaluator(game, priors);
            keep_allowed(priors, allowed);
            priors
        };
        self.table.claim_next_page(first, evaluate, protected, &mut self.counters)
    }
}

/// Removes the priors of moves that are not allowed, so that the pages of a root hold allowed moves only. On complete pages
/// the selection excludes the others.
fn keep_allowed(priors: &mut [Option<Prior>], allowed: Option<&[bool]>) {
    for (prior, _) in priors.iter_mut().zip(allowed.unwrap_or_default()).filter(|(_, allowed)| !**allowed) {
        *prior = None;
    }
}
