//! Scans of all entries and pages: the statistics of `info`, and the checks and repairs of `verify`.

use super::recovery::PageState;
use crate::table::atomic::AtomicU64;
use crate::table::page::{self, Page};
use crate::table::entry::{self, Entry, GENERATIONS, MIN_KEY, busy_since};
use crate::table::header;
use crate::table::layout::ENTRY_WORDS;
use crate::table::replacement::age;
use crate::table::transposition_table::Table;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Excess of counts that is no damage: updates in progress when a process was killed, and late updates of an evicted
/// entry or page.
const MAX_VISIT_EXCESS: u64 = 1024;
/// Divisor of the visits: a further excess of 1/64 of them is no damage.
const VISIT_EXCESS_DIVISOR: u64 = 64;
/// Maximum number of faults that are described; the others are only counted.
const MAX_DESCRIBED_FAULTS: usize = 8;
/// Entries or pages between two calls of `progress`.
const PROGRESS_INTERVAL: usize = 1 << 14;

/// The statistics of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableStatistics {
    /// Number of positions.
    pub entries: u64,
    /// Positions by the number of generations since their last visit.
    pub ages: Vec<u64>,
    /// Positions by visits: `visits[i]` counts those with at least 2^(i-1) and less than 2^i visits.
    pub visits: Vec<u64>,
    /// Positions with proven bounds.
    pub bounded: u64,
    /// Void bounds: late writes for the entry's former position.
    pub void_bounds: u64,
    /// Pages named by their position's entry.
    pub pages: u64,
    /// Complete pages that their position's entry does not name, so that no worker finds them. While no search is
    /// running, only those left by killed workers remain, at most one for each.
    pub orphans: u64,
    /// Positions that lost their page to another.
    pub lost_pages: u64,
    /// Entries being claimed, or left unfinished by a killed process.
    pub unfinished_entries: u64,
    /// Pages being filled, or left unfinished by a killed process.
    pub unfinished_pages: u64,
    /// Entries with impossible contents; a repair drops them.
    pub bad_entries: u64,
    /// Pages with impossible contents or pages of different moments; a repair drops them.
    pub bad_pages: u64,
    /// Positions with fewer visits than their edges, since the entry was written to the disk earlier; a repair raises
    /// their visits.
    pub behind: u64,
    /// The sum of bad entries, bad pages and positions behind.
    pub faults: u64,
    /// Descriptions of the first faults.
    pub described: Vec<String>,
}

/// The result of checking a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PageCheck {
    Good,
    Bad,
    /// Consistent, but its position's entry should have this number of visits.
    Behind(u32),
}

impl TableStatistics {
    fn fault(&mut self, describe: impl FnOnce() -> String) {
        self.faults += 1;
        if self.described.len() < MAX_DESCRIBED_FAULTS {
            self.described.push(describe());
        }
    }
}

impl Table {
    /// Checks all entries and pages. Calls `progress` regularly with the number of entries and pages checked so
    /// far. Searches may be running.
    #[must_use]
    pub fn scan(&self, progress: &mut dyn FnMut(usize)) -> TableStatistics {
        self.walk(false, progress)
    }

    /// Checks all entries and pages like [`scan`](Table::scan), and drops impossible and unfinished ones and
    /// pages that no entry names. No search may be running.
    pub fn repair(&mut self, progress: &mut dyn FnMut(usize)) -> TableStatistics {
        let statistics = self.walk(true, progress);
        let after = self.walk(false, &mut |_| {});
        self.header(header::ENTRIES_USED).store(after.entries, Relaxed);
        self.header(header::PAGES_USED).store(after.pages, Relaxed);
        statistics
    }

    fn walk(&self, drop_faults: bool, progress: &mut dyn FnMut(usize)) -> TableStatistics {
        self.backing.expect_scan();
        let mut statistics = TableStatistics {
            ages: vec![0; GENERATIONS as usize],
            visits: vec![0; 33],
            ..TableStatistics::default()
        };
        for (index, words) in self.entry_words().iter().enumerate() {
            let is_sound = self.check_entry(index, words, &mut statistics);
            if drop_faults && !is_sound {
                words.iter().for_each(|word| word.store(0, Relaxed));
            } else if drop_faults {
                Entry::new(words, words[0].load(Relaxed)).clear_void_bounds();
            }
            if index.is_multiple_of(PROGRESS_INTERVAL) {
                progress(index);
            }
        }
        if drop_faults {
            self.drain_overflow();
        }
        for number in 1..=self.layout.pages {
            let orphans = statistics.orphans;
            let check = self.check_page_number(number as u32, &mut statistics);
            let is_orphan = statistics.orphans > orphans;
            match self.page_words(number as u32) {
                Some(words) if drop_faults && (is_orphan || check == PageCheck::Bad) => page::free(words),
                Some(words) if drop_faults => self.raise_if_behind(words, check),
                _ => {}
            }
            if number.is_multiple_of(PROGRESS_INTERVAL) {
                progress(self.layout.entries() + number);
            }
        }
        statistics
    }

    /// Moves positions from the overflow to free slots of their buckets, since a probe reads the overflow only behind
    /// a full bucket. No search may be running.
    pub(super) fn drain_overflow(&self) {
        let overflow =
            &self.entry_words()[(self.layout.overflow() - self.layout.directory()) / ENTRY_WORDS..];
        for words in overflow {
            let key = words[0].load(Relaxed);
            if key < MIN_KEY {
                continue;
            }
            let bucket = self.bucket(key);
            let Some(place) = bucket.iter().find(|place| place[0].load(Relaxed) == 0) else { continue };
            if !bucket.iter().any(|place| place[0].load(Relaxed) == key) {
                for (to, from) in place.iter().zip(words) {
                    to.store(from.load(Relaxed), Relaxed);
                }
            }
            words.iter().for_each(|word| word.store(0, Relaxed));
        }
    }

    /// Checks an entry and counts it; returns false if it must be dropped.
    fn check_entry(&self, index: usize, words: &[AtomicU64; 4], statistics: &mut TableStatistics) -> bool {
        let key = words[0].load(Relaxed);
        if key == 0 {
            return true;
        }
        if busy_since(key).is_some() {
            statistics.unfinished_entries += 1;
            return false;
        }
        let entry = Entry::new(words, key);
        if !self.places(key).iter().any(|places| places.contains(&index)) {
            statistics.bad_entries += 1;
            statistics.fault(|| format!("entry {index}: stored in the wrong bucket"));
            return false;
        }
        if let Some(fault) = self.entry_fault(&entry) {
            statistics.bad_entries += 1;
            statistics.fault(|| format!("entry {index}: {fault}"));
            return false;
        }
        let (raw, total) = (entry.raw(), entry.total());
        statistics.entries += 1;
        statistics.ages[age(entry.meta().generation, self.generation()) as usize] += 1;
        statistics.visits[(u32::BITS - total.visits.leading_zeros()) as usize] += 1;
        statistics.void_bounds += u64::from(raw.bounds.is_none());
        statistics.bounded += u64::from(raw.bounds.is_some_and(|bounds| bounds != entry::NO_BOUNDS));
        statistics.lost_pages += u64::from(raw.page != 0 && !self.has_page(&entry));
        true
    }

    /// Returns a description of the first impossible value in a position's entry, if any.
    pub(super) fn entry_fault(&self, entry: &Entry<'_>) -> Option<String> {
        let (raw, total) = (entry.raw(), entry.total());
        let leaf_playouts = raw.leaf_playouts;
        if leaf_playouts.half_points > 2 * leaf_playouts.visits {
            Some(format!(
                "more points ({} half-points) than its {} playouts can earn",
                leaf_playouts.half_points, leaf_playouts.visits
            ))
        } else if u64::from(leaf_playouts.visits) > u64::from(total.visits) + MAX_VISIT_EXCESS {
            Some(format!("more leaf playouts ({}) than visits ({})", leaf_playouts.visits, total.visits))
        } else if raw.page as usize > self.layout.pages {
            Some(format!("names page {}, of only {}", raw.page, self.layout.pages))
        } else {
            raw.bounds
                .filter(|bounds| bounds.lower > bounds.upper)
                .map(|_| "the lower bound of the score is above the upper one".to_owned())
        }
    }

    /// Returns the maximum visits of edges and leaf playouts that are no damage for a position with `visits`.
    pub(super) fn visits_allowed(visits: u64) -> u64 {
        visits + visits / VISIT_EXCESS_DIVISOR + MAX_VISIT_EXCESS
    }

    /// Returns true if the entry names a complete page of its position.
    fn has_page(&self, entry: &Entry<'_>) -> bool {
        let number = entry.page_number();
        let words = self.page_words(number);
        words.is_some_and(|words| Page::accept_any(words, self.layout.shape, number, entry.key()).is_some())
    }

    /// Returns a description of the fault of a position's page.
    fn page_fault(entry: &Entry<'_>, page: &Page<'_>) -> String {
        if !page.has_matching_tags() {
            return "parts of it were written at different times".to_owned();
        }
        page.fault().unwrap_or_else(|| {
            let edges: u64 = page.edges().map(|edge| u64::from(edge.visits())).sum();
            format!("its moves have {edges} visits, its position only {}", entry.total().visits)
        })
    }

    /// Raises the visits of a page's position to those of its edges.
    fn raise_if_behind(&self, words: &[AtomicU64], check: PageCheck) {
        if let PageCheck::Behind(visits) = check
            && let Some(entry) = self.find(words[0].load(Relaxed))
        {
            entry.raise_visits(visits);
        }
    }

    fn check_page_number(&self, number: u32, statistics: &mut TableStatistics) -> PageCheck {
        let Some(words) = self.page_words(number) else { return PageCheck::Good };
        if words[1].load(Relaxed) & 1 != 0 {
            statistics.unfinished_pages += 1;
            return PageCheck::Bad;
        }
        let owner = words[0].load(Relaxed);
        if owner == 0 {
            return PageCheck::Good;
        }
        let Some(entry) =
            self.find(owner).filter(|entry| entry.key() == owner && entry.meta().page == number)
        else {
            statistics.orphans += 1;
            return PageCheck::Good;
        };
        let Some(page) = Page::accept_any(words, self.layout.shape, number, owner) else {
            return PageCheck::Good;
        };
        let finding = Table::check_page(&entry, &page);
        if !page.is_current() {
            // The page was evicted during the check.
            return PageCheck::Good;
        }
        let check = match finding {
            PageState::Consistent => PageCheck::Good,
            PageState::EntryBehind(visits) => PageCheck::Behind(visits),
            PageState::Torn => PageCheck::Bad,
        };
        statistics.pages += u64::from(check != PageCheck::Bad);
        statistics.behind += u64::from(matches!(check, PageCheck::Behind(_)));
        statistics.bad_pages += u64::from(check == PageCheck::Bad);
        if check != PageCheck::Good {
            statistics.fault(|| format!("page {number}: {}", Table::page_fault(&entry, &page)));
        }
        check
    }

    /// Returns all entries of the directory.
    pub(super) fn entry_words(&self) -> &[[AtomicU64; 4]] {
        self.backing.words()[self.layout.directory()..self.layout.pool()].as_chunks().0
    }

    /// Returns the indices of the entries in a key's bucket and overflow bucket.
    fn places(&self, key: u64) -> [Range<usize>; 2] {
        let first = self.backing.words()[self.layout.directory()..].as_ptr().addr();
        let place = |address: usize| address.saturating_sub(first) / size_of::<[AtomicU64; 4]>();
        [self.bucket(key), self.overflow_bucket(key)].map(|bucket| {
            let bucket = bucket.as_ptr_range();
            place(bucket.start.addr())..place(bucket.end.addr())
        })
    }
}
