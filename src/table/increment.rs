//! Increments: what one search adds to a position, for the table of another search of the same position.
//!
//! Each search sends the visits of its own simulations, never those that it received. Sums of visits are therefore exact
//! in every table, apart from the losses of the [contract](super). A value is no sum: it is taken from the search that
//! knows more visits, and the next backup through the position computes it anew from the children.

use super::counters::Counters;
use super::edge::Edge;
use super::entry::{Entry, NO_BOUNDS, VisitsAndValue};
use super::leaf_playouts::LeafPlayouts;
use super::page::Page;
use super::page_content::PageContent;
use super::transposition_table::{ProtectedPath, Table};
use crate::base::game::Bounds;
use crate::base::value::Value;

/// The visits of a position by the simulations of one search, counted since they were last sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnVisits {
    /// Visits of the position.
    pub visits: u32,
    /// The playouts among them.
    pub leaf_playouts: LeafPlayouts,
    /// Move numbers and visits of edges.
    pub edges: Vec<(u16, u32)>,
    /// Places in the chain of the pages that this search evaluated.
    pub pages: Vec<u8>,
}

/// New visits of one position, with the values and bounds of the sender's table.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionIncrement {
    /// Key of the position.
    pub key: u64,
    /// New visits of the position.
    pub visits: u32,
    /// The playouts among them.
    pub leaf_playouts: LeafPlayouts,
    /// All visits and the value in the sender's table.
    pub total: VisitsAndValue,
    /// Proven bounds that hold for all histories; `None` if nothing is proven.
    pub bounds: Option<Bounds>,
    /// True if bounds for some history are stored under another key.
    pub has_twin: bool,
    /// New visits of edges.
    pub edges: Vec<EdgeIncrement>,
    /// Pages that the sender evaluated, in the order of the chain.
    pub pages: Vec<PageContent>,
}

impl PositionIncrement {
    /// Returns true if the increment has bounds alone: those for one history.
    fn is_twin(&self) -> bool {
        self.bounds.is_some() && self.visits == 0 && self.pages.is_empty()
    }
}

/// New visits of one edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeIncrement {
    /// Move number.
    pub number: u16,
    /// New visits.
    pub visits: u32,
    /// The child's value in the sender's table, for the mover.
    pub value: Value,
}

/// The result of adding an increment to a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Addition {
    /// Pages that were new to the table: evaluations saved.
    pub new_pages: u32,
    /// Pages that the table had: evaluations made twice.
    pub known_pages: u32,
    /// Visits of edges on no page of the table.
    pub unplaced_visits: u32,
}

impl Table {
    /// Returns the visits `own` of the position `key` as an increment for other tables; `None` if its entry was evicted.
    #[must_use]
    pub fn increment(&self, key: u64, own: &OwnVisits) -> Option<PositionIncrement> {
        let entry = self.find(key)?;
        let chain: Vec<Page<'_>> =
            self.page(&entry).map_or_else(Vec::new, |first| self.chain(first).collect());
        let edge = |number: u16| chain.iter().find_map(|page| Some(page.edge(page.index_of(number)?)));
        let edges = own.edges.iter().map(|&(number, visits)| EdgeIncrement {
            number,
            visits,
            value: edge(number).map_or_else(|| entry.total().value, Edge::value),
        });
        let with_moves = (0..).zip(chain.iter().filter(|page| page.ownership_part().is_none()));
        let own_pages = with_moves.filter(|(_, page)| own.pages.contains(&(page.rank() as u8)));
        let bounds = entry.bounds(NO_BOUNDS);
        let increment = PositionIncrement {
            key,
            visits: own.visits,
            leaf_playouts: own.leaf_playouts,
            total: entry.total(),
            bounds: (bounds != NO_BOUNDS).then_some(bounds),
            has_twin: entry.has_twin(),
            edges: edges.collect(),
            pages: own_pages.filter_map(|(order, page)| page.content(order)).collect(),
        };
        entry.is_current().then_some(increment)
    }

    /// Adds the increment of another search. Edges on no page are left in `increment` with their visits, to be added once
    /// their page has come; everything else is taken from it. Returns `None`, with nothing added, if the table has no room.
    pub fn add_increment(
        &self,
        increment: &mut PositionIncrement,
        counters: &mut Counters,
    ) -> Option<Addition> {
        let keys = [increment.key];
        let entry = self.find_or_claim(increment.key, ProtectedPath { keys: &keys }, counters)?;
        let mut addition = Addition::default();
        if increment.is_twin() && entry.total().visits == 0 {
            // Replacement thus values a twin like its position.
            entry.set_total(increment.total);
        }
        for content in increment.pages.drain(..) {
            let is_new = self.store_page(&entry, &content, counters);
            let count = if is_new { &mut addition.new_pages } else { &mut addition.known_pages };
            *count += 1;
        }
        if let Some(bounds) = increment.bounds.take() {
            entry.tighten_bounds(bounds);
        }
        if std::mem::take(&mut increment.has_twin) {
            entry.mark_twin();
        }
        let chain: Vec<Page<'_>> =
            self.page(&entry).map_or_else(Vec::new, |first| self.chain(first).collect());
        let added = self.add_edges(&entry, &chain, increment);
        addition.unplaced_visits = increment.edges.iter().map(|edge| edge.visits).sum();
        let visits = increment.visits.saturating_sub(addition.unplaced_visits);
        increment.visits -= visits;
        entry.add_leaf_playouts(std::mem::take(&mut increment.leaf_playouts));
        self.add_to_total(&entry, &chain, visits, increment.total);
        self.note_use(&entry, &chain, added);
        Some(addition)
    }

    /// Adds the visits that [`add_increment`](Table::add_increment) left, as playouts with the sender's value of the
    /// position. For edges without a page in the increment.
    pub fn add_unplaced(&self, increment: &PositionIncrement, counters: &mut Counters) {
        let PositionIncrement { key, visits, total, .. } = *increment;
        let keys = [key];
        let Some(entry) = self.find_or_claim(key, ProtectedPath { keys: &keys }, counters) else { return };
        entry.add_leaf_playouts(LeafPlayouts::with_mean(visits, total.value));
        entry.add_visits(visits, total.value);
    }

    /// Adds the visits of edges on `chain` and removes these edges from the increment; returns their number.
    fn add_edges(&self, entry: &Entry<'_>, chain: &[Page<'_>], increment: &mut PositionIncrement) -> usize {
        let before = increment.edges.len();
        increment.edges.retain(|edge| {
            let place = chain.iter().find_map(|page| Some((page, page.index_of(edge.number)?)));
            let place = place.filter(|(page, index)| page.is_current() && page.edge(*index).is_legal());
            if let Some((page, index)) = place {
                self.add_visits(entry, page, index, edge.visits, edge.value);
            }
            place.is_none()
        });
        before - increment.edges.len()
    }

    /// Adds visits to the entry and joins its value with the sender's.
    fn add_to_total(&self, entry: &Entry<'_>, chain: &[Page<'_>], visits: u32, sender: VisitsAndValue) {
        let leaf_playouts = entry.leaf_playouts();
        let value = if chain.is_empty() && leaf_playouts.visits > 0 {
            leaf_playouts.mean()
        } else {
            joined_value(entry.total(), visits, sender)
        };
        if visits > 0 {
            entry.add_visits(visits, value);
        }
    }

    /// Records the use of the position's pages for the replacement policy.
    fn note_use(&self, entry: &Entry<'_>, chain: &[Page<'_>], edges_added: usize) {
        let [first, others @ ..] = chain else { return };
        let generation = self.generation();
        first.mark_used(entry.total().visits, generation);
        if edges_added > 0 {
            others.iter().for_each(|page| page.mark_used(page.edges().map(Edge::visits).sum(), generation));
        }
    }
}

/// Returns the value of a position with `own` statistics after `more` visits of a sender, which has `sender` in all.
///
/// A sender with at least the visits of this table knows them, except those that only this table has yet. Otherwise the
/// sender's value stands for the new visits alone.
fn joined_value(own: VisitsAndValue, more: u32, sender: VisitsAndValue) -> Value {
    let all = u64::from(own.visits) + u64::from(more);
    let of_sender =
        if sender.visits >= own.visits { u64::from(sender.visits).min(all) } else { u64::from(more) };
    if all == 0 {
        return own.value;
    }
    let sum = u128::from(sender.value.0) * u128::from(of_sender)
        + u128::from(own.value.0) * u128::from(all - of_sender);
    Value((sum / u128::from(all)) as u32)
}
