//! Recovery of pages in files with pages of different moments (after a power cut, a killed user or a copy).
//!
//! An entry lies within one page, so it is consistent in any file, and its bounds belong to the key beside them. A
//! page may lie on two or three pages; one of them may hold edges of its owner, and another edges of the page's
//! owner before or after.
//!
//! Each file therefore counts *epochs*. Opening a file increments its epoch unless all of its pages are known to be
//! of one moment ([`session`](crate::table::file)). Each page stores the epoch in which it was filled or last
//! verified, in the word of its sequence, which every reader compares anyway: pages of the present epoch need no
//! further test. A page of another epoch is verified at its first use, and then gets the present epoch or is freed.

use crate::table::page::Page;
use crate::table::entry::{Entry, VisitsAndValue};
use crate::table::header;
use crate::table::transposition_table::Table;
use std::sync::atomic::Ordering::Relaxed;

/// The result of verifying a page of another epoch.
pub(super) enum PageState {
    /// All of the page belongs to its position.
    Consistent,
    /// All of the page belongs to its position, but its edges have more visits than the entry, which was written to
    /// the disk earlier. Contains the visits that the entry should have.
    EntryBehind(u32),
    /// Parts of the page belong to another position, or are damaged.
    Torn,
}

impl Table {
    /// Verifies a page of another epoch. Returns the page of `entry`'s position if it is consistent, with the
    /// present epoch; frees it otherwise.
    #[cold]
    pub(in crate::table) fn verify_page(&self, entry: &Entry<'_>, number: u32) -> Option<Page<'_>> {
        let words = self.page_words(number)?;
        let page = Page::accept_any(words, self.layout.shape, number, entry.key())?;
        if page.has_epoch(self.epoch) {
            // Another worker has completed or verified the page since the caller probed it.
            return Some(page);
        }
        match Table::check_page(entry, &page) {
            PageState::Consistent => {}
            PageState::EntryBehind(visits) => entry.raise_visits(visits),
            PageState::Torn => {
                if page.free() {
                    self.header(header::PAGES_USED).fetch_sub(1, Relaxed);
                }
                return None;
            }
        }
        page.with_epoch(self.epoch)
    }

    /// Returns the page of `entry`'s position if it is consistent, and the position's visits and value after
    /// recovery. Changes nothing.
    pub(super) fn sound_page(&self, entry: &Entry<'_>) -> Option<(Page<'_>, VisitsAndValue)> {
        let number = entry.page_number();
        let words = self.page_words(number)?;
        let page = Page::accept_any(words, self.layout.shape, number, entry.key())?;
        match Table::check_page(entry, &page) {
            PageState::Consistent => Some((page, entry.total())),
            PageState::EntryBehind(visits) => Some((page, VisitsAndValue { visits, ..entry.total() })),
            PageState::Torn => None,
        }
    }

    /// Verifies that `page` is consistent and agrees with `entry`.
    pub(super) fn check_page(entry: &Entry<'_>, page: &Page<'_>) -> PageState {
        if !page.has_matching_tags() || page.fault().is_some() {
            return PageState::Torn;
        }
        let edges: u64 = page.edges().map(|edge| u64::from(edge.visits())).sum();
        let counted = edges + u64::from(entry.leaf_playouts().visits);
        let visits = u64::from(entry.total().visits);
        if counted <= Table::visits_allowed(visits) {
            PageState::Consistent
        } else {
            // Up to twice the visits: the difference of a few seconds, or of one halving.
            let counted =
                u32::try_from(counted).ok().filter(|_| counted <= 2 * Table::visits_allowed(visits));
            counted.map_or(PageState::Torn, PageState::EntryBehind)
        }
    }
}
