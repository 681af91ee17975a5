//! Merging and resizing: new tables filled from others.
//!
//! The statistics of one position in several tables are added up: visits, leaf playouts and AMAF samples. Values are
//! averaged by visits, bounds intersected. Samples of a common ancestor are in all of the tables and are counted
//! once. If not all positions fit, those with fewer visits are left out.

use super::chain_sum::{self, Chain, ChainSum};
use crate::base::value::Value;
use crate::table::atomic::AtomicU64;
use crate::table::edge::EDGE_VISITS_FULL;
use crate::table::entry::{self, Entry, EntryMeta, TOTAL_VISITS_FULL, VisitsAndValue};
use crate::table::file::{FileError, FileProblem, UnnamedFile, compare, with_path};
use crate::table::header;
use crate::table::leaf_playouts::LeafPlayouts;
use crate::table::transposition_table::Table;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// The counts of a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeCounts {
    /// Positions in the sources, each counted once.
    pub positions: u64,
    /// Positions stored in the new table.
    pub positions_kept: u64,
    /// Positions in more than one source.
    pub shared: u64,
    /// Positions with pages in some source.
    pub expanded: u64,
    /// Positions with pages in the new table.
    pub expanded_kept: u64,
    /// Visits of all positions in the sources.
    pub visits: u64,
    /// Visits of the positions stored.
    pub visits_kept: u64,
}

/// An error of a merge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// An error of a file.
    #[error(transparent)]
    File(#[from] FileError),
    /// Tables with a common ancestor but no base: samples would be counted twice.
    #[error(
        "{one} and {other} were copied from the same table, whose visits would count twice: give that table with --base"
    )]
    CommonOrigin {
        /// One file.
        one: String,
        /// The other file.
        other: String,
    },
    /// A base that is not exactly the common origin of two tables.
    #[error("{base} is not the table that {one} and {other} were copied from: give that one with --base")]
    Base {
        /// Path of the base.
        base: String,
        /// One file.
        one: String,
        /// The other file.
        other: String,
    },
    /// A merge with more origins than a lineage can store.
    #[error("the merged tables come from more than 24 original tables: merge fewer")]
    TooManyOrigins,
    /// The user interrupted the merge.
    #[error("interrupted: nothing was changed")]
    Interrupted,
}

/// A callback with the work done and the total work; it returns false to interrupt.
pub type MergeProgress<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

/// A merge in progress.
struct Merge<'t> {
    target: &'t Table,
    sources: &'t [&'t Table],
    base: Option<&'t Table>,
    kept: MergeCounts,
    /// Visits and keys of the positions with a page in some source, and the right shift of their visits.
    with_page: Vec<(u32, u64, u32)>,
}

impl Table {
    /// Merges `sources`, tables in files, into the new table file `path` of at most `bytes`, and opens it. An
    /// existing file is replaced if `may_replace`.
    ///
    /// `base` is the common ancestor of all sources; its samples are counted once.
    ///
    /// # Errors
    /// Returns an error if the tables are for different games, share samples outside `base`, or the file cannot be
    /// made. Nothing is changed then.
    pub fn merge(
        path: &Path,
        sources: &[&Table],
        base: Option<&Table>,
        bytes: usize,
        may_replace: bool,
        progress: MergeProgress<'_>,
    ) -> Result<(Table, MergeCounts), MergeError> {
        let in_target = |problem| MergeError::File(with_path(path, problem));
        let [first, others @ ..] = sources else { return Err(MergeError::Interrupted) };
        let identity = first.identity().cloned().ok_or(MergeError::Interrupted)?;
        for other in others.iter().chain(&base) {
            let found = other.identity().ok_or(MergeError::Interrupted)?;
            // The identity in a damaged file may be wrong: its pages may be those of another game.
            let is_alike = other.layout.shape == first.layout.shape;
            let unlike = || FileProblem::Pages { like: name_of(first) };
            compare(&identity, found)
                .and_then(|()| is_alike.then_some(()).ok_or_else(unlike))
                .map_err(|problem| with_path(other.path().unwrap_or(path), problem))?;
        }
        check_origins(sources, base)?;
        let mut lineage = first.lineage().cloned().ok_or(MergeError::Interrupted)?;
        for other in others.iter().filter_map(|other| other.lineage()) {
            lineage = lineage.union(other).ok_or(MergeError::TooManyOrigins)?;
        }
        if !may_replace && path.exists() {
            return Err(in_target(FileProblem::Exists));
        }
        let mut unnamed = UnnamedFile::new(path, &identity, first.layout.shape, bytes).map_err(in_target)?;
        unnamed.table.set_lineage(lineage);
        let target = &unnamed.table;
        target.header(header::GENERATION).store(first.generation(), Relaxed);
        let mut merge = Merge { target, sources, base, kept: MergeCounts::default(), with_page: Vec::new() };
        let kept = merge.run(progress).then_some(merge.kept).ok_or(MergeError::Interrupted)?;
        let mut table = unnamed.keep(path, may_replace).map_err(in_target)?;
        table.sync_at_end();
        Ok((table, kept))
    }
}

fn name_of(table: &Table) -> String {
    table.path().map(|path| path.display().to_string()).unwrap_or_default()
}

/// Returns an error if two sources have common origins other than exactly those of the base.
fn check_origins(sources: &[&Table], base: Option<&Table>) -> Result<(), MergeError> {
    for (index, one) in sources.iter().enumerate() {
        for other in &sources[index + 1..] {
            let (Some(past), Some(other_past)) = (one.lineage(), other.lineage()) else { continue };
            let is_common = past.overlaps(other_past);
            match base {
                None if is_common => {
                    return Err(MergeError::CommonOrigin { one: name_of(one), other: name_of(other) });
                }
                Some(base) if base.lineage() != past.common(other_past).as_ref() => {
                    let [base, one, other] = [base, one, other].map(name_of);
                    return Err(MergeError::Base { base, one, other });
                }
                _ => {}
            }
        }
    }
    Ok(())
}

impl Merge<'_> {
    /// Runs the merge; returns false if it was interrupted.
    fn run(&mut self, progress: MergeProgress<'_>) -> bool {
        let all: usize = self.sources.iter().map(|source| source.layout.entries()).sum();
        let all = all as u64 + self.target.layout.pages as u64;
        let mut done = 0_u64;
        for (index, source) in self.sources.iter().enumerate() {
            source.backing.expect_scan();
            for words in source.entry_words() {
                done += 1;
                if done.is_multiple_of(1 << 14) && !progress(done, all) {
                    return false;
                }
                let key = words[0].load(Relaxed);
                // A key inserted by two workers at the same moment has two entries; only the one that a probe finds counts.
                let here = Entry::new(words, key);
                if key >= entry::MIN_KEY && sound_entry(source, key).is_some_and(|entry| entry.is_same(&here))
                {
                    self.position(key, index);
                }
            }
        }
        self.target.header(header::ENTRIES_USED).store(self.kept.positions_kept, Relaxed);
        self.pages(&mut |pages| progress(done + pages, all))
    }

    /// Adds up the position `key`, found in source number `index`, and stores the sum.
    fn position(&mut self, key: u64, index: usize) {
        // A source in use may lack the position by now, or have got it after its scan.
        if index > 0 && self.target.find(key).is_some() {
            return;
        }
        let is_known = self.sources[..index].iter().any(|earlier| sound_entry(earlier, key).is_some());
        let entries: Vec<Entry<'_>> =
            self.sources.iter().filter_map(|source| sound_entry(source, key)).collect();
        let base = self.base.and_then(|base| sound_entry(base, key));
        // A source in use may have evicted the entry since the scan read it.
        let Some(times) = (entries.len() as u32).checked_sub(1) else { return };
        let estimate = self.chains_of(key).estimate();
        let samples = |table: &&Table| samples_of(table, key);
        let (visits, value) = sum_samples(
            self.sources.iter().filter_map(samples),
            self.base.iter().filter_map(samples).map(|total| (total, times)).next(),
        );
        let value = estimate.map_or(value, |estimate| estimate.join(visits, value));
        let shift = self.shift(key, visits);
        let total = VisitsAndValue { visits: (visits >> shift) as u32, value };
        let has_page = self.sources.iter().any(|source| sound_chain(source, key).is_some());
        let place = self.target.place_for(key, total.visits);
        // A known position without a place was counted with an earlier source, and left out for others with more visits.
        if place.is_some() || !is_known {
            self.kept.positions += 1;
            self.kept.shared += u64::from(times > 0);
            self.kept.visits += u64::from(total.visits);
            self.kept.expanded += u64::from(has_page);
        }
        let Some(place) = place else { return };
        let replaced = Entry::new(place, place[0].load(Relaxed));
        if replaced.key() == 0 {
            self.kept.positions_kept += 1;
        } else {
            self.kept.visits_kept -= u64::from(replaced.total().visits);
        }
        self.kept.visits_kept += u64::from(total.visits);
        let leaf_playouts = entries
            .iter()
            .fold(LeafPlayouts::default(), |sum, entry| sum.plus_samples(entry.leaf_playouts()));
        let leaf_playouts = base.as_ref().map_or(leaf_playouts, |base| {
            (0..times).fold(leaf_playouts, |rest, _| rest.without(base.leaf_playouts()))
        });
        let meta = EntryMeta {
            leaf_playouts: leaf_playouts.shifted(shift).halved_to_fit(),
            twin: entries.iter().any(Entry::has_twin),
            generation: entries.iter().map(|entry| entry.meta().generation).max().unwrap_or(0),
            page: 0,
        };
        let bounds = entries.iter().fold(entry::NO_BOUNDS, |known, entry| {
            let both = known.intersect(entry.bounds(entry::NO_BOUNDS));
            if both.lower <= both.upper { both } else { known }
        });
        Entry::store(place, key, total, meta, bounds);
        if has_page {
            self.with_page.push((total.visits, key, shift));
        }
    }

    /// Returns the position's chains in the sources and the base.
    fn chains_of(&self, key: u64) -> ChainSum<'_> {
        ChainSum {
            parts: self.sources.iter().filter_map(|source| sound_chain(source, key)).collect(),
            base: self.base.and_then(|base| sound_chain(base, key)),
        }
    }

    /// Returns the right shift of the visits of a position and its edges that leaves room for more; one shift for all
    /// keeps the order of the moves.
    fn shift(&self, key: u64, visits: u64) -> u32 {
        if visits < u64::from(EDGE_VISITS_FULL) {
            return 0;
        }
        let excess =
            |visits: u64, full: u32| (u64::BITS - visits.leading_zeros()).saturating_sub(full.ilog2());
        let of_edges = excess(self.chains_of(key).most_visits(), EDGE_VISITS_FULL);
        excess(visits, TOTAL_VISITS_FULL).max(of_edges)
    }

    /// Gives pages to the most visited positions that have one in a source and an entry in the target; returns false
    /// if interrupted.
    fn pages(&mut self, progress: &mut dyn FnMut(u64) -> bool) -> bool {
        self.with_page.sort_unstable_by(|one, other| other.cmp(one));
        let (mut number, mut expanded) = (0_u32, 0_u64);
        for &(visits, key, shift) in &self.with_page {
            if number as usize >= self.target.layout.pages {
                break;
            }
            let Some(entry) = self.target.find(key) else { continue };
            let sum = self.chains_of(key);
            let used = u64::from(visits) | entry.meta().generation << 32;
            let (stored, edges) = sum.store((self.target, key), number + 1, used, &sum.moves(), shift);
            // A source in use may have evicted some of the pages.
            if !sum.is_current() {
                let words = (0..stored).filter_map(|page| self.target.page_words(number + 1 + page));
                words.flatten().for_each(|word| word.store(0, Relaxed));
                continue;
            }
            let first = number + 1;
            number += stored;
            expanded += 1;
            // In each source the edge visits may exceed the total by the slack; their sum may exceed the sum of the
            // totals by more.
            let counted = edges + u64::from(entry.leaf_playouts().visits);
            if counted > Table::visits_allowed(entry.total().visits.into()) {
                entry.raise_visits(u32::try_from(counted).unwrap_or(u32::MAX));
            }
            entry.update_meta(|meta| EntryMeta { page: first, ..meta });
            if expanded.is_multiple_of(1 << 10) && !progress(u64::from(number)) {
                return false;
            }
        }
        self.kept.expanded_kept = expanded;
        self.target.header(header::PAGES_USED).store(u64::from(number), Relaxed);
        true
    }
}

impl Table {
    /// Returns a slot for a position with `visits`: an empty one of its buckets, or that of a position with fewer visits.
    fn place_for(&self, key: u64, visits: u32) -> Option<&[AtomicU64; 4]> {
        let worth = |words: &&[AtomicU64; 4]| match words[0].load(Relaxed) {
            0 => None,
            key => Some(Entry::new(words, key).total().visits),
        };
        let least = self.bucket(key).iter().chain(self.overflow_bucket(key)).min_by_key(worth)?;
        (worth(&least).is_none_or(|least| least < visits)).then_some(least)
    }
}

/// Returns the entry of a position, unless it is damaged.
fn sound_entry<'t>(table: &'t Table, key: u64) -> Option<Entry<'t>> {
    table.find(key).filter(|entry| table.entry_fault(entry).is_none())
}

/// Returns the pages of a position before the first damaged one; `None` if there are none or the entry is damaged.
fn sound_chain<'t>(table: &'t Table, key: u64) -> Option<Chain<'t>> {
    let first = table.page(&sound_entry(table, key)?)?;
    let chain: Chain<'t> = table.chain(first).take_while(|page| page.fault().is_none()).collect();
    (!chain.is_empty()).then_some(chain)
}

/// Returns the visits of a position, and their mean value without the estimate of its first page.
fn samples_of(table: &Table, key: u64) -> Option<VisitsAndValue> {
    let total = sound_entry(table, key)?.total();
    let estimate = sound_chain(table, key).and_then(|chain| chain.first()?.estimate());
    let value = estimate.map_or(total.value, |it| it.part(total.visits.into(), total.value));
    Some(VisitsAndValue { value, ..total })
}

/// Returns the sum of the visits, less the base's times its factor, and the mean of the values.
fn sum_samples(
    parts: impl Iterator<Item = VisitsAndValue>,
    base: Option<(VisitsAndValue, u32)>,
) -> (u64, Value) {
    let mut parts = parts.peekable();
    let first = parts.peek().copied();
    let terms = parts.map(|total| (total.visits, total.value, 1));
    let base = base.map(|(total, times)| (total.visits, total.value, -i128::from(times)));
    let (visits, value) = chain_sum::weighted_mean(terms.chain(base));
    match first {
        Some(total) if visits == 0 => (total.visits.into(), total.value),
        _ => (visits, value),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::table::counters::Counters;
    use crate::table::layout::Shape;
    use crate::table::transposition_table::ProtectedPath;

    fn table(bytes: usize) -> Table {
        Table::new(Shape::ranked(82), bytes).expect("a table")
    }

    fn insert(table: &Table, key: u64) {
        assert!(table.find_or_claim(key, ProtectedPath::default(), &mut Counters::default()).is_some());
    }

    fn merge<'t>(target: &'t Table, sources: &'t [&'t Table]) -> Merge<'t> {
        let (kept, with_page) = (MergeCounts::default(), Vec::new());
        Merge { target, sources, base: None, kept, with_page }
    }

    #[test]
    fn a_position_that_a_source_gets_or_loses_after_its_scan_is_merged_once() {
        let [one, other, target] = [(); 3].map(|()| table(1 << 16));
        let [late, lost] = [77 << 40, 78 << 40];
        for (table, key) in [(&one, lost), (&other, lost), (&other, late)] {
            insert(table, key);
        }
        let sources = [&one, &other];
        let mut merge = merge(&target, &sources);
        merge.position(lost, 0);
        insert(&one, late);
        merge.position(late, 1);
        assert!(target.find(late).is_some());
        let empty = table(1 << 16);
        let sources = [&empty, &other];
        merge.sources = &sources;
        merge.position(lost, 1);
        assert_eq!((merge.kept.positions, merge.kept.positions_kept, merge.kept.shared), (2, 2, 2));
    }

    #[test]
    fn a_position_that_finds_no_place_is_counted_once() {
        let (one, other) = (table(1 << 18), table(1 << 18));
        let target = table(table(0x4000).layout.bytes());
        let keys: Vec<u64> =
            (1..3_000_u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63).collect();
        keys.iter().for_each(|&key| [&one, &other].into_iter().for_each(|table| insert(table, key)));
        let sources = [&one, &other];
        let mut merge = merge(&target, &sources);
        assert!(merge.run(&mut |_, _| true));
        let kept = merge.kept;
        let distinct =
            keys.iter().filter(|&&key| one.find(key).is_some() || other.find(key).is_some()).count();
        assert_eq!(kept.positions, distinct as u64);
        assert!(kept.positions_kept < kept.positions);
    }
}
