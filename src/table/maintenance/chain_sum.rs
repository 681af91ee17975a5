//! Sums of the pages that several tables have for one position.

use crate::base::value::{Estimate, Value};
use crate::table::amaf::{AMAF_VISITS_LIMIT, Amaf};
use crate::table::page::Page;
use crate::table::edge::Edge;
use std::sync::atomic::Ordering::Relaxed;

/// The pages of one position in several tables.
pub(super) struct ChainSum<'t> {
    /// One page from each table that has one.
    pub(super) parts: Vec<Page<'t>>,
    /// The common ancestor's page: contained in all parts, and counted once.
    pub(super) base: Option<Page<'t>>,
}

impl<'t> ChainSum<'t> {
    /// Returns true if there are parts and none of the pages has been evicted: all reads so far are valid.
    pub(super) fn is_current(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().chain(&self.base).all(Page::is_current)
    }

    /// Returns the visits of the most visited edge, not yet cut.
    pub(super) fn most_visits(&self) -> u64 {
        let moves = self.parts.first().map_or(0, Page::moves);
        (0..moves).map(|index| self.edge(index).0).max().unwrap_or(0)
    }

    /// Fills an empty page that no other worker reads, with edge visits shifted right by `shift`. Policy state and scores
    /// are taken from the most visited part: policy state cannot be added, and the parts may share samples of the scores.
    pub(super) fn store(&self, target: &Page<'_>, shift: u32) {
        let visits = |part: &&Page<'_>| part.edges().map(|edge| u64::from(edge.visits())).sum::<u64>();
        let Some(first) = self.parts.first() else { return };
        for index in 0..first.moves() {
            let (visits, value) = self.edge(index);
            target.set_edge(index, first.edge(index).with_statistics(visits >> shift, value));
        }
        for pair in 0..first.moves().div_ceil(2) {
            let odd = 2 * pair + 1;
            let odd = if odd < first.moves() { self.amaf(odd) } else { Amaf::default() };
            target.set_amaf(pair, [self.amaf(2 * pair), odd]);
        }
        target.set_estimate(self.estimate());
        if let Some(largest) = self.parts.iter().max_by_key(visits) {
            target.set_scores(largest.sampled_score(), largest.evaluator_score());
            for (word, stored) in target.policy_state().iter().zip(largest.policy_state()) {
                word.store(stored.load(Relaxed), Relaxed);
            }
        }
    }

    /// Returns the value estimate of the first part that has one. It is the same in all tables and no sample, so it
    /// is not added up.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        self.parts.iter().find_map(Page::estimate)
    }

    /// Returns all pages with their signed factors: 1 for each part, and 1 minus the number of parts for the base.
    fn terms(&self) -> impl Iterator<Item = (&Page<'t>, i128)> {
        let once_too_often = 1 - self.parts.len() as i128;
        self.parts
            .iter()
            .map(|part| (part, 1))
            .chain(self.base.iter().map(move |base| (base, once_too_often)))
    }

    /// Returns the visits of an edge, and their mean value.
    fn edge(&self, index: usize) -> (u64, Value) {
        let terms = self.terms().map(|(page, factor)| (page.edge(index), factor));
        weighted_mean(terms.map(|(edge, factor): (Edge, i128)| (edge.visits(), edge.value(), factor)))
    }

    /// Returns the AMAF samples of a move, halved until they fit.
    fn amaf(&self, index: usize) -> Amaf {
        let (mut visits, mut half_points) = (0_i128, 0_i128);
        for (amaf, factor) in self.terms().map(|(page, factor)| (page.amaf(index), factor)) {
            visits += factor * i128::from(amaf.visits);
            half_points += factor * i128::from(amaf.half_points);
        }
        let (mut visits, mut half_points) = (visits.max(0), half_points.max(0));
        while visits >= i128::from(AMAF_VISITS_LIMIT) {
            (visits, half_points) = (visits / 2, half_points / 2);
        }
        Amaf { visits: visits as u32, half_points: half_points.min(2 * visits) as u32 }
    }
}

/// Returns the sum of the visits and the mean of the values over terms (visits, value, factor); 0 and value 0 if the
/// sum is not positive.
pub(super) fn weighted_mean(terms: impl Iterator<Item = (u32, Value, i128)>) -> (u64, Value) {
    let (mut visits, mut weighted) = (0_i128, 0_i128);
    for (count, value, factor) in terms {
        visits += factor * i128::from(count);
        weighted += factor * i128::from(count) * i128::from(value.0);
    }
    if visits <= 0 {
        return (0, Value(0));
    }
    (visits as u64, Value((weighted / visits).clamp(0, i128::from(u32::MAX)) as u32))
}
