//! Scans of all entries and pages: the statistics of `info`, and the checks and repairs of `verify`.

use crate::table::atomic::AtomicU64;
use crate::table::claim_word;
use crate::table::entry::{self, Entry, GENERATIONS, MIN_KEY, busy_since};
use crate::table::header;
use crate::table::layout::ENTRY_WORDS;
use crate::table::page::Page;
use crate::table::replacement::age;
use crate::table::transposition_table::Table;
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
    /// Positions with pages.
    pub expanded: u64,
    /// Pages in the chain of their position.
    pub pages: u64,
    /// Edges with visits on these pages.
    pub edges_visited: u64,
    /// Visits of the most visited position.
    pub most_visits: u64,
    /// Pages in no chain: left by killed workers, behind a lost page, or of an earlier epoch.
    pub orphans: u64,
    /// Positions that lost their first page to another, and chains that name a further page that was evicted.
    pub lost_pages: u64,
    /// Entries being claimed, or left unfinished by a killed process.
    pub unfinished_entries: u64,
    /// Pages being filled, or left unfinished by a killed process.
    pub unfinished_pages: u64,
    /// Entries with impossible contents; a repair drops them.
    pub bad_entries: u64,
    /// Pages with impossible contents; a repair drops them.
    pub bad_pages: u64,
    /// Positions with fewer visits than their edges, since the entry was written to the disk earlier or copied earlier; a
    /// repair raises their visits.
    pub behind: u64,
    /// The sum of bad entries, bad pages and positions behind.
    pub faults: u64,
    /// Descriptions of the first faults.
    pub described: Vec<String>,
}

/// The result of checking a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PageCheck {
    /// Free, or in the chain of its position.
    Good,
    Orphan,
    Bad,
    /// The first page of a position with an entry that should have this number of visits.
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
    /// pages in no chain. No search may be running.
    pub fn repair(&mut self, progress: &mut dyn FnMut(usize)) -> TableStatistics {
        let statistics = self.walk(true, progress);
        // The pages behind a page that was dropped are orphans from then on.
        let after = loop {
            let after = self.walk(true, &mut |_| {});
            if after.orphans == 0 && after.bad_pages == 0 {
                break after;
            }
        };
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
            let check = self.check_page_number(number as u32, &mut statistics);
            let words = self.page_words(number as u32).filter(|_| drop_faults);
            match (words, check) {
                (Some(words), PageCheck::Orphan | PageCheck::Bad) => claim_word::free(words),
                (Some(words), PageCheck::Behind(visits)) => self.raise_visits(words, visits),
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
        let mut places = self.bucket(key).iter().chain(self.overflow_bucket(key));
        if !places.any(|place| std::ptr::eq(place, words)) {
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
        statistics.most_visits = statistics.most_visits.max(total.visits.into());
        statistics.ages[age(entry.meta().generation, self.generation()) as usize] += 1;
        statistics.visits[(u32::BITS - total.visits.leading_zeros()) as usize] += 1;
        statistics.void_bounds += u64::from(raw.bounds.is_none());
        statistics.bounded += u64::from(raw.bounds.is_some_and(|bounds| bounds != entry::NO_BOUNDS));
        statistics.lost_pages += u64::from(raw.page != 0 && self.page(&entry).is_none());
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

    /// Raises the visits of the position that owns a page.
    fn raise_visits(&self, words: &[AtomicU64], visits: u32) {
        if let Some(entry) = self.find(self.owner_of(words[0].load(Relaxed))) {
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
        let key = self.owner_of(owner);
        let entry = self.find(key).filter(|entry| entry.key() == key);
        let chain = entry.and_then(|entry| Some(self.chain(self.page(&entry)?)));
        let (Some(entry), Some(page)) =
            (entry, chain.and_then(|mut it| it.find(|page| page.number() == number)))
        else {
            statistics.orphans += 1;
            return PageCheck::Orphan;
        };
        let fault = page.fault();
        let behind = if page.rank() == 0 { self.visits_behind(&entry, page) } else { None };
        let visited = page.edges().filter(|edge| edge.visits() > 0).count() as u64;
        let is_cut = page.next() != 0 && self.next_page(&page).is_none();
        if !page.is_current() {
            // The page was evicted during the check.
            return PageCheck::Good;
        }
        statistics.lost_pages += u64::from(is_cut);
        if let Some(fault) = fault {
            statistics.bad_pages += 1;
            statistics.fault(|| format!("page {number}: {fault}"));
            return PageCheck::Bad;
        }
        statistics.expanded += u64::from(page.rank() == 0);
        statistics.pages += 1;
        statistics.edges_visited += visited;
        if let Some(visits) = behind {
            statistics.behind += 1;
            let found = entry.total().visits;
            statistics
                .fault(|| format!("page {number}: its position has {found} visits, its moves make {visits}"));
            return PageCheck::Behind(visits);
        }
        PageCheck::Good
    }

    /// Returns the visits that a position should have, if its leaf playouts and the edges of its sound pages have more.
    fn visits_behind(&self, entry: &Entry<'_>, first: Page<'_>) -> Option<u32> {
        let pages = self.chain(first).take_while(|page| page.fault().is_none());
        let edges: u64 =
            pages.map(|page| page.edges().map(|edge| u64::from(edge.visits())).sum::<u64>()).sum();
        let counted = (edges + u64::from(entry.leaf_playouts().visits)).min(u32::MAX.into());
        let is_behind = counted > Table::visits_allowed(entry.total().visits.into());
        is_behind.then_some(counted as u32)
    }

    /// Returns all entries of the directory.
    pub(super) fn entry_words(&self) -> &[[AtomicU64; 4]] {
        self.backing.words()[self.layout.directory()..self.layout.pool()].as_chunks().0
    }
}
