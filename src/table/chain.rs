//! Chains: the pages of one position, from the highest priors down.
//!
//! An entry contains the number of the first page, and each page that of the next. That page may have been evicted: a page
//! belongs to a chain only if its owner is the position and its rank is its place in the chain. So a chain that was cut,
//! damaged or led in a circle ends before the first page that does not fit.

use super::edge::EDGE_VISITS_FULL;
use super::entry::{Entry, TOTAL_VISITS_FULL};
use super::header;
use super::page::Page;
use super::transposition_table::Table;
use crate::base::value::Value;
use std::sync::atomic::Ordering::Relaxed;

impl Table {
    /// Returns the first page of a position, unless it has none or it was evicted.
    #[must_use]
    #[inline]
    pub fn page(&self, entry: &Entry<'_>) -> Option<Page<'_>> {
        self.page_of(entry.page_number(), entry.key(), 0)
    }

    /// Returns the page that follows in a chain.
    #[must_use]
    #[inline]
    pub fn next_page(&self, page: &Page<'_>) -> Option<Page<'_>> {
        if !self.layout.shape.ranked {
            return None;
        }
        self.page_with_owner(page.next(), page.owner(), page.rank() + 1)
    }

    /// Returns the pages of a position, in the order of their chain.
    pub fn chain<'t>(&'t self, first: Page<'t>) -> impl Iterator<Item = Page<'t>> {
        std::iter::successors(Some(first), |page| self.next_page(page))
    }

    /// Adds a visit to the edge at `index` of a page of `entry`'s position and stores the child's value for the mover;
    /// returns the edge's visits.
    ///
    /// Halves all visits of the position if the edge or the position is full. The returned number is from before the
    /// halving, like the siblings' visits that the caller has read.
    pub fn visit_edge(&self, entry: &Entry<'_>, page: &Page<'_>, index: usize, value: Value) -> u32 {
        self.add_visits(entry, page, index, 1, value)
    }

    /// Adds `count` visits at once; otherwise like [`visit_edge`](Table::visit_edge).
    pub fn add_visits(
        &self,
        entry: &Entry<'_>,
        page: &Page<'_>,
        index: usize,
        count: u32,
        value: Value,
    ) -> u32 {
        let visits = page.change_edge(index, |edge| edge.visited(count, value)).visits();
        if visits >= EDGE_VISITS_FULL || entry.total().visits >= TOTAL_VISITS_FULL {
            self.halve_visits(entry);
        }
        visits
    }

    /// Returns page `number`, if it belongs to the position `key` and has this place in its chain.
    #[inline]
    pub(super) fn page_of(&self, number: u32, key: u64, rank: u64) -> Option<Page<'_>> {
        self.page_with_owner(number, self.owner_of(key), rank)
    }

    /// Returns page `number`, if it belongs to the position of `last` and has the place after it in the chain.
    pub(super) fn next_page_numbered(&self, last: &Page<'_>, number: u32) -> Option<Page<'_>> {
        self.page_with_owner(number, last.owner(), last.rank() + 1)
    }

    /// Frees page `number` and those that follow it, if it belongs to `owner` and has this place in its chain.
    pub(super) fn free_from(&self, mut number: u32, owner: u64, mut rank: u64) {
        while let Some(page) = self.page_with_owner(number, owner, rank)
            && let Some(next) = page.free()
        {
            self.header(header::PAGES_USED).fetch_sub(1, Relaxed);
            (number, rank) = (next, rank + 1);
        }
    }

    #[inline]
    fn page_with_owner(&self, number: u32, owner: u64, rank: u64) -> Option<Page<'_>> {
        Page::accept(self.page_words(number)?, self.layout.shape, number, owner, rank)
    }
}
