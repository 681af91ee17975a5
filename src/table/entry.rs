//! A directory entry: the statistics of one position in 32 bytes, two entries to a cache line.
//!
//! | word | bits   | field        | meaning                                                          |
//! |------|--------|--------------|------------------------------------------------------------------|
//! | 0    | 0..64  | key          | the whole table key; 0 is empty, below 128 is being claimed      |
//! | 1    | 0..32  | value        | Q, for the player to move                                        |
//! | 1    | 32..64 | visits       | N: leaf playouts and edge visits                                 |
//! | 2    | 0..14  | leaf points  | half-points of the leaf playouts, for the player to move         |
//! | 2    | 14..27 | leaf visits  | n0: playouts from the position as a leaf                         |
//! | 2    | 27     | twin         | bounds for one history are stored under another key              |
//! | 2    | 28..34 | generation   | of the last visit, modulo 64                                     |
//! | 2    | 34..64 | page         | number of the first page of the position's chain; 0 is none      |
//! | 3    | 0..10  | lower        | proven lower bound of Black's score, plus 512                    |
//! | 3    | 10..20 | upper        | proven upper bound of Black's score, plus 512                    |
//! | 3    | 20..64 | tag          | bits 0..44 of the key; the bounds are void if they differ        |
//!
//! Visits and value share a word, and so do leaf visits and leaf points, so that no reader sees one without the
//! other. Bounds carry 44 bits of the key, because a late write into an entry that belongs to another position by
//! then would be a false proof; any other late write is a bounded error.

use super::atomic::{AtomicU64, overwrite};
use super::backing;
use super::layout::ENTRY_WORDS;
use super::leaf_playouts::{LeafPlayouts, MAX_LEAF_PLAYOUTS};
use crate::base::game::Bounds;
use crate::base::value::{Estimate, Value};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Lower limit of position keys: 0 is an empty entry, other smaller numbers mark one that is being claimed, see [`busy`].
pub(super) const MIN_KEY: u64 = 2 * GENERATIONS;
/// Minimum visits with a mean that half-points can store.
const MIN_KEPT_VISITS: u64 = 4;
const GENERATION_BITS: u32 = 6;
const LEAF_VISITS_SHIFT: u32 = 14;
const LEAF_POINTS_MASK: u32 = (1 << LEAF_VISITS_SHIFT) - 1;
const TWIN_SHIFT: u32 = 27;
const GENERATION_SHIFT: u32 = 28;
const PAGE_SHIFT: u32 = GENERATION_SHIFT + GENERATION_BITS;
/// Number of generations, which wrap around: ages are differences modulo this number.
pub(super) const GENERATIONS: u64 = 1 << GENERATION_BITS;
/// Visits of a position at which all of its visits are halved: with many edges it may be full before any of them.
pub const TOTAL_VISITS_FULL: u32 = 1 << 31;
const SCORE_OFFSET: i32 = 512;
const SCORE_BITS: u32 = 10;
const SCORE_MASK: u64 = (1 << SCORE_BITS) - 1;
const TAG_SHIFT: u32 = 2 * SCORE_BITS;
pub(super) const NO_BOUNDS: Bounds = Bounds { lower: -SCORE_OFFSET as i16, upper: SCORE_OFFSET as i16 - 1 };

/// The fields of word 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct EntryMeta {
    pub(super) leaf_playouts: LeafPlayouts,
    pub(super) twin: bool,
    pub(super) generation: u64,
    pub(super) page: u32,
}

impl EntryMeta {
    #[inline]
    fn unpack(word: u64) -> EntryMeta {
        // The points of a damaged word may exceed those of its playouts.
        let LeafPlayouts { visits, half_points } = unpack_leaf_playouts(word);
        EntryMeta {
            leaf_playouts: LeafPlayouts { visits, half_points: half_points.min(2 * visits) },
            twin: word >> TWIN_SHIFT & 1 != 0,
            generation: word >> GENERATION_SHIFT & (GENERATIONS - 1),
            page: (word >> PAGE_SHIFT) as u32,
        }
    }

    #[inline]
    fn pack(self) -> u64 {
        u64::from(self.leaf_playouts.half_points)
            | u64::from(self.leaf_playouts.visits) << LEAF_VISITS_SHIFT
            | u64::from(self.twin) << TWIN_SHIFT
            | self.generation << GENERATION_SHIFT
            | u64::from(self.page) << PAGE_SHIFT
    }
}

/// Returns the leaf playouts as stored in word 2, impossible values included.
#[inline]
fn unpack_leaf_playouts(word: u64) -> LeafPlayouts {
    let (visits, half_points) = ((word >> LEAF_VISITS_SHIFT) as u32, word as u32);
    LeafPlayouts { visits: visits & MAX_LEAF_PLAYOUTS, half_points: half_points & LEAF_POINTS_MASK }
}

/// The fields of an entry as stored, impossible values included.
pub(super) struct RawEntry {
    pub(super) leaf_playouts: LeafPlayouts,
    pub(super) page: u32,
    /// `None` if they were written for another position.
    pub(super) bounds: Option<Bounds>,
}

/// Visits and value of a position, read together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitsAndValue {
    /// N, the number of visits.
    pub visits: u32,
    /// Q, for the player to move.
    pub value: Value,
}

/// A handle to a position's entry. The entry may be evicted at any time; every write compares the key first, and the
/// [contract](super) bounds the errors of writes that an eviction overtakes.
#[derive(Clone, Copy)]
pub struct Entry<'t> {
    words: &'t [AtomicU64; ENTRY_WORDS],
    key: u64,
}

impl<'t> Entry<'t> {
    #[inline]
    pub(super) fn new(words: &'t [AtomicU64; ENTRY_WORDS], key: u64) -> Entry<'t> {
        Entry { words, key }
    }

    /// Returns the position's key.
    #[must_use]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Returns true if the entry still belongs to the position.
    #[must_use]
    #[inline]
    pub fn is_current(&self) -> bool {
        self.words[0].load(Acquire) == self.key
    }

    /// Returns visits and value.
    #[must_use]
    #[inline]
    pub fn total(&self) -> VisitsAndValue {
        let word = self.words[1].load(Relaxed);
        VisitsAndValue { visits: (word >> 32) as u32, value: Value(word as u32) }
    }

    /// Replaces visits and value.
    #[inline]
    pub fn set_total(&self, total: VisitsAndValue) {
        if self.is_current() {
            self.words[1].store(u64::from(total.visits) << 32 | u64::from(total.value.0), Relaxed);
        }
    }

    /// Raises the visits to `visits` if they are fewer.
    pub(super) fn raise_visits(&self, visits: u32) {
        if self.is_current() {
            let raised = |word: u64| Some(word & u64::from(u32::MAX) | (word >> 32).max(visits.into()) << 32);
            let _ = self.words[1].fetch_update(Relaxed, Relaxed, raised);
        }
    }

    /// Removes bounds that were written for another position.
    pub(super) fn clear_void_bounds(&self) {
        if unpack_bounds(self.words[3].load(Relaxed), self.key).is_none() {
            self.words[3].store(pack_bounds(NO_BOUNDS, self.key), Relaxed);
        }
    }

    /// Adds a visit and replaces the value.
    #[inline]
    pub fn add_visit(&self, value: Value) {
        self.add_visits(1, value);
    }

    /// Adds `count` visits, saturating, and replaces the value.
    #[inline]
    pub fn add_visits(&self, count: u32, value: Value) {
        if !self.is_current() {
            return;
        }
        let counted = |word: u64| {
            let visits = ((word >> 32) + u64::from(count)).min(u64::from(u32::MAX));
            Some(visits << 32 | u64::from(value.0))
        };
        let _ = self.words[1].fetch_update(Relaxed, Relaxed, counted);
    }

    /// Halves the visits and keeps the value.
    pub(super) fn halve_total(&self) {
        if self.is_current() {
            let halved = |word: u64| Some((word >> 33) << 32 | word & u64::from(u32::MAX));
            let _ = self.words[1].fetch_update(Relaxed, Relaxed, halved);
        }
    }

    /// Halves the leaf playouts and keeps their mean.
    pub(super) fn halve_leaf_playouts(&self) {
        self.update_meta(|meta| EntryMeta { leaf_playouts: meta.leaf_playouts.shifted(1), ..meta });
    }

    /// Prefetches the entry for writing.
    #[inline]
    pub fn prefetch_for_update(&self) {
        backing::prefetch_for_write(&self.words[0]);
    }

    #[inline]
    pub(super) fn meta(&self) -> EntryMeta {
        EntryMeta::unpack(self.words[2].load(Relaxed))
    }

    /// Returns the page's number, 0 if there is none; a worker that reads the number also finds the page published.
    #[inline]
    #[must_use]
    pub fn page_number(&self) -> u32 {
        EntryMeta::unpack(self.words[2].load(Acquire)).page
    }

    #[inline]
    pub(super) fn update_meta(&self, change: impl Fn(EntryMeta) -> EntryMeta) {
        if self.is_current() {
            let changed = |word| Some(change(EntryMeta::unpack(word)).pack()).filter(|&it| it != word);
            let _ = self.words[2].fetch_update(Relaxed, Relaxed, changed);
        }
    }

    /// Sets the page to `number` if it is `before` at present. Ordered with all other changes of the page: a worker that
    /// reads the number finds the page published, and this worker sees all that the worker of the last change had seen.
    pub(super) fn change_page(&self, before: u32, number: u32) -> bool {
        self.change_page_and(before, |meta| EntryMeta { page: number, ..meta })
    }

    /// Removes the page and replaces the leaf playouts, if the page is still `lost`.
    pub(super) fn lose_page(&self, lost: u32, leaf_playouts: LeafPlayouts) -> bool {
        self.change_page_and(lost, |meta| EntryMeta { page: 0, leaf_playouts, ..meta })
    }

    fn change_page_and(&self, before: u32, change: impl Fn(EntryMeta) -> EntryMeta) -> bool {
        let changed = |word| {
            let meta = EntryMeta::unpack(word);
            (meta.page == before).then(|| change(meta).pack())
        };
        self.is_current() && self.words[2].fetch_update(AcqRel, Relaxed, changed).is_ok()
    }

    /// Reads the page's number by an exchange that changes nothing: a worker that changes the page later sees all
    /// that this worker has seen and written.
    pub(super) fn page_by_exchange(&self) -> u32 {
        EntryMeta::unpack(self.words[2].fetch_or(0, AcqRel)).page
    }

    /// Returns true if both are handles to the same entry of the directory.
    pub(super) fn is_same(&self, other: &Entry<'_>) -> bool {
        std::ptr::eq(self.words, other.words)
    }

    /// Returns the stored fields unclamped, so that `verify` sees impossible values.
    pub(super) fn raw(&self) -> RawEntry {
        let word = self.words[2].load(Relaxed);
        RawEntry {
            leaf_playouts: unpack_leaf_playouts(word),
            page: EntryMeta::unpack(word).page,
            bounds: unpack_bounds(self.words[3].load(Relaxed), self.key),
        }
    }

    /// Returns the words of an entry for a copy of the table, without void bounds.
    pub(super) fn for_copy([key, total, meta, bounds]: [u64; ENTRY_WORDS]) -> [u64; ENTRY_WORDS] {
        let bounds = if unpack_bounds(bounds, key).is_some() { bounds } else { pack_bounds(NO_BOUNDS, key) };
        [key, total, meta, bounds]
    }

    /// Fills an entry that no other worker reads.
    pub(super) fn store(
        words: &[AtomicU64; ENTRY_WORDS],
        key: u64,
        total: VisitsAndValue,
        meta: EntryMeta,
        bounds: Bounds,
    ) {
        words[1].store(u64::from(total.visits) << 32 | u64::from(total.value.0), Relaxed);
        words[2].store(meta.pack(), Relaxed);
        words[3].store(pack_bounds(bounds, key), Relaxed);
        words[0].store(key, Relaxed);
    }

    /// Returns the position's leaf playouts.
    #[must_use]
    #[inline]
    pub fn leaf_playouts(&self) -> LeafPlayouts {
        self.meta().leaf_playouts
    }

    /// Adds a playout with `half_points` for the player to move, and returns the sums.
    pub fn add_leaf_playout(&self, half_points: u32) -> LeafPlayouts {
        self.update_meta(|meta| EntryMeta { leaf_playouts: meta.leaf_playouts.plus(half_points), ..meta });
        self.leaf_playouts()
    }

    /// Adds playouts of another search; all are halved if they are too many.
    pub(super) fn add_leaf_playouts(&self, more: LeafPlayouts) {
        let sum = |before: LeafPlayouts| before.plus_samples(more).halved_to_fit();
        self.update_meta(|meta| EntryMeta { leaf_playouts: sum(meta.leaf_playouts), ..meta });
    }

    /// Removes an estimate from the mean of the leaf playouts, which replace all visits of a lost page.
    pub fn remove_from_leaf_playouts(&self, estimate: Estimate) {
        let all = self.total().visits;
        self.update_meta(|meta| {
            let LeafPlayouts { visits, .. } = meta.leaf_playouts;
            let value = estimate.part(all.into(), meta.leaf_playouts.mean());
            EntryMeta { leaf_playouts: LeafPlayouts::with_mean(visits, value), ..meta }
        });
    }

    /// Replaces the leaf playouts, which stand for all visits of a lost page or entry, by those of all visits but one: the
    /// evaluation, with `estimate`, which was the first visit and comes back with the next page. A mean of fewer than four
    /// visits is dropped, since half-points are too coarse for it.
    pub fn remove_evaluation_from_leaf_playouts(&self, estimate: Estimate) {
        let total = self.total();
        let others = u64::from(total.visits.saturating_sub(1));
        let kept = if others < MIN_KEPT_VISITS { 0 } else { total.visits - 1 };
        let value = estimate.part(others, total.value);
        self.update_meta(|meta| EntryMeta { leaf_playouts: LeafPlayouts::with_mean(kept, value), ..meta });
    }

    /// Initialises the new entry of an evicted position from the statistics of the edge to it.
    pub fn seed(&self, leaf_playouts: LeafPlayouts, total: VisitsAndValue) {
        let leaf_playouts = leaf_playouts.halved_to_fit();
        self.update_meta(|meta| EntryMeta { leaf_playouts, ..meta });
        self.set_total(total);
    }

    /// Returns true if bounds for some history are stored under
    /// [`Game::key_with_history`](crate::base::game::Game::key_with_history).
    #[must_use]
    #[inline]
    pub fn has_twin(&self) -> bool {
        self.meta().twin
    }

    /// Records that bounds for some history are stored under another key.
    pub fn mark_twin(&self) {
        self.update_meta(|meta| EntryMeta { twin: true, ..meta });
    }

    /// Returns the proven bounds, intersected with `range`; `range` if nothing is proven.
    #[must_use]
    #[inline]
    pub fn bounds(&self, range: Bounds) -> Bounds {
        match unpack_bounds(self.words[3].load(Relaxed), self.key) {
            Some(bounds) if bounds.lower <= bounds.upper => {
                let cut = bounds.intersect(range);
                if cut.lower <= cut.upper { cut } else { range }
            }
            _ => range,
        }
    }

    /// Returns true if bounds of the position are proven.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.bounds(NO_BOUNDS) != NO_BOUNDS
    }

    /// Intersects the bounds with newly proven ones. Bounds only ever tighten, so a lost update costs no more than
    /// its proof.
    pub fn tighten_bounds(&self, bounds: Bounds) {
        if !self.is_current() {
            return;
        }
        let tightened = |word| {
            let known = unpack_bounds(word, self.key).unwrap_or(NO_BOUNDS);
            let both = known.intersect(bounds);
            // Only damage makes bounds contradict each other: the new proof replaces them.
            let packed = pack_bounds(if both.lower <= both.upper { both } else { bounds }, self.key);
            (packed != word).then_some(packed)
        };
        let _ = self.words[3].fetch_update(Relaxed, Relaxed, tightened);
    }

    /// Claims the entry of `owner` and empties it for this position. The old key is removed first, so that no reader
    /// accepts the old contents under the new key. Returns the old word 2; `None` if another worker was faster. The
    /// caller then calls [`publish`](Entry::publish).
    pub(super) fn claim(&self, owner: u64, generation: u64) -> Option<EntryMeta> {
        let busy = busy(generation);
        if owner == busy || self.words[0].compare_exchange(owner, busy, Acquire, Relaxed).is_err() {
            return None;
        }
        overwrite(&self.words[1], u64::from(Value::DRAW.0));
        // An exchange: a page named before it is found here; a later naming fails, or its worker sees that the key
        // is gone.
        let former = self.words[2].swap(EntryMeta { generation, ..EntryMeta::default() }.pack(), AcqRel);
        overwrite(&self.words[3], pack_bounds(NO_BOUNDS, self.key));
        Some(EntryMeta::unpack(former))
    }

    /// Publishes the key of an entry claimed in `generation`; returns false if another worker has meanwhile reclaimed
    /// it as abandoned.
    pub(super) fn publish(&self, generation: u64) -> bool {
        self.words[0].compare_exchange(busy(generation), self.key, Release, Relaxed).is_ok()
    }
}

/// Returns the mark, in place of a key, of an entry being claimed since `generation`.
#[inline]
const fn busy(generation: u64) -> u64 {
    1 | generation << 1
}

/// Returns the generation in which a claim began that is marked by `word`; `None` if `word` is a key or 0.
#[inline]
pub(super) const fn busy_since(word: u64) -> Option<u64> {
    if word != 0 && word < MIN_KEY { Some(word >> 1) } else { None }
}

fn pack_bounds(bounds: Bounds, key: u64) -> u64 {
    let score = |score: i16| (i32::from(score) + SCORE_OFFSET) as u64 & SCORE_MASK;
    // The upper bits of the key chose the bucket, so the lower ones distinguish its entries.
    score(bounds.lower) | score(bounds.upper) << SCORE_BITS | key << TAG_SHIFT
}

fn unpack_bounds(word: u64, key: u64) -> Option<Bounds> {
    let score = |bits: u64| ((bits & SCORE_MASK) as i32 - SCORE_OFFSET) as i16;
    (word >> TAG_SHIFT == key << TAG_SHIFT >> TAG_SHIFT)
        .then(|| Bounds { lower: score(word), upper: score(word >> SCORE_BITS) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Bounds = Bounds { lower: -361, upper: 361 };

    fn words() -> [AtomicU64; 4] {
        Default::default()
    }

    fn claim(entry: &Entry<'_>, owner: u64) -> bool {
        entry.claim(owner, 1).is_some() && entry.publish(1)
    }

    #[test]
    fn fields_do_not_touch_each_other() {
        let meta = EntryMeta {
            leaf_playouts: LeafPlayouts { visits: MAX_LEAF_PLAYOUTS, half_points: 2 * MAX_LEAF_PLAYOUTS },
            twin: true,
            generation: 63,
            page: (1 << 30) - 1,
        };
        assert_eq!(EntryMeta::unpack(meta.pack()), meta);
        let bounds = Bounds { lower: -361, upper: 361 };
        assert_eq!(unpack_bounds(pack_bounds(bounds, u64::MAX), u64::MAX), Some(bounds));
    }

    #[test]
    fn bounds_of_another_position_are_not_believed() {
        let words = words();
        let first = Entry::new(&words, 0x1234_5678_9abc_def0);
        assert!(claim(&first, 0));
        first.tighten_bounds(Bounds::exact(5));
        assert_eq!(first.bounds(RANGE), Bounds::exact(5));
        let second = Entry::new(&words, 0x1234_5678_9abc_fed0);
        assert!(claim(&second, first.key()));
        assert_eq!(second.bounds(RANGE), RANGE);
        // The late write of a worker that still takes the entry for the first position's.
        words[3].store(pack_bounds(Bounds::exact(5), first.key()), Relaxed);
        assert_eq!(second.bounds(RANGE), RANGE);
        first.tighten_bounds(Bounds::exact(7));
        assert_eq!(second.bounds(RANGE), RANGE);
    }

    #[test]
    fn bounds_only_tighten() {
        let words = words();
        let entry = Entry::new(&words, 77 << 40);
        assert!(claim(&entry, 0));
        entry.tighten_bounds(Bounds { lower: -3, upper: 361 });
        entry.tighten_bounds(Bounds { lower: -9, upper: 12 });
        assert_eq!(entry.bounds(RANGE), Bounds { lower: -3, upper: 12 });
    }
}
