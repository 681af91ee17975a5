//! A directory entry: the statistics of one position in 32 bytes, two to a cache line.
//!
//! | word | bits   | field        | meaning                                                          |
//! |------|--------|--------------|------------------------------------------------------------------|
//! | 0    | 0..64  | key          | the whole table key; 0 is empty, below 128 it is being claimed   |
//! | 1    | 0..32  | value        | Q, for the player to move                                        |
//! | 1    | 32..64 | visits       | N: leaf playouts and edge visits                                 |
//! | 2    | 0..16  | leaf points  | half-points of the leaf playouts, for the player to move         |
//! | 2    | 16..31 | leaf visits  | n0: playouts that the position had as a leaf                     |
//! | 2    | 31     | twin         | bounds for one history are stored under another key              |
//! | 2    | 32..38 | generation   | of the last visit, modulo 64                                     |
//! | 2    | 38..64 | block        | number of its edge block; 0 is none                              |
//! | 3    | 0..10  | lower        | proven lower bound of Black's score, plus 512                    |
//! | 3    | 10..20 | upper        | proven upper bound of Black's score, plus 512                    |
//! | 3    | 20..64 | tag          | bits 0..44 of the key: the bounds are void where they differ     |
//!
//! Visits and value share a word, so do leaf visits and leaf points: no reader sees one without the
//! other. Bounds carry 44 bits of the key, because a late write into an entry that meanwhile belongs
//! to another position would be a false proof; anything else written late is a bounded error.

use super::atomic::{AtomicU64, overwrite};
use super::backing;
use super::layout::ENTRY_WORDS;
use super::leaf_playouts::{LEAF_PLAYOUTS_LIMIT, LeafPlayouts};
use crate::game::Bounds;
use crate::value::{Estimate, Value};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// No position has a key below this: such numbers say that an entry is being claimed, see [`busy`].
pub(super) const FIRST_KEY: u64 = 2 * GENERATIONS;
const GENERATION_BITS: u32 = 6;
/// Generations count like the hours of a clock: ages are differences modulo this.
pub(super) const GENERATIONS: u64 = 1 << GENERATION_BITS;
const SCORE_OFFSET: i32 = 512;
const SCORE_BITS: u32 = 10;
const SCORE_MASK: u64 = (1 << SCORE_BITS) - 1;
const TAG_SHIFT: u32 = 2 * SCORE_BITS;
pub(super) const NO_BOUNDS: Bounds = Bounds { lower: -SCORE_OFFSET as i16, upper: SCORE_OFFSET as i16 - 1 };

/// Word 2, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Meta {
    pub(super) leaf_playouts: LeafPlayouts,
    pub(super) twin: bool,
    pub(super) generation: u64,
    pub(super) block: u32,
}

impl Meta {
    #[inline]
    fn unpack(word: u64) -> Meta {
        // A damaged word may claim more points than playouts can earn.
        let visits = (word >> 16) as u32 & LEAF_PLAYOUTS_LIMIT;
        Meta {
            leaf_playouts: LeafPlayouts { visits, half_points: (word as u32 & 0xffff).min(2 * visits) },
            twin: word >> 31 & 1 != 0,
            generation: word >> 32 & (GENERATIONS - 1),
            block: (word >> 38) as u32,
        }
    }

    #[inline]
    fn pack(self) -> u64 {
        u64::from(self.leaf_playouts.half_points)
            | u64::from(self.leaf_playouts.visits) << 16
            | u64::from(self.twin) << 31
            | self.generation << 32
            | u64::from(self.block) << 38
    }
}

/// An entry as it is stored, for checks.
pub(super) struct Raw {
    pub(super) leaf_playouts: LeafPlayouts,
    pub(super) block: u32,
    /// `None` where they were written for another position.
    pub(super) bounds: Option<Bounds>,
}

/// See [`Entry::copy`].
pub(super) struct Copy {
    pub(super) words: [u64; ENTRY_WORDS],
    pub(super) leaf_visits: u32,
    pub(super) block: u32,
}

/// The number of the block in the third word of an entry; 0 if there is none.
pub(super) fn block_of(meta: u64) -> u32 {
    Meta::unpack(meta).block
}

/// Visits and value of a position, from one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// N.
    pub visits: u32,
    /// Q, for the player to move.
    pub value: Value,
}

/// The entry of a position: the right to read and write it. It may be evicted for another position
/// at any time; every write looks at the key first, and what slips between is bounded by the
/// [contract](super).
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

    /// The position's key.
    #[must_use]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Whether it still belongs to the position.
    #[must_use]
    #[inline]
    pub fn is_current(&self) -> bool {
        self.words[0].load(Acquire) == self.key
    }

    /// Visits and value.
    #[must_use]
    #[inline]
    pub fn total(&self) -> Total {
        let word = self.words[1].load(Relaxed);
        Total { visits: (word >> 32) as u32, value: Value(word as u32) }
    }

    /// Replaces visits and value.
    #[inline]
    pub fn set_total(&self, total: Total) {
        if self.is_current() {
            self.words[1].store(u64::from(total.visits) << 32 | u64::from(total.value.0), Relaxed);
        }
    }

    /// At least so many visits.
    pub(super) fn raise_visits(&self, visits: u32) {
        if self.is_current() {
            let raised = |word: u64| Some(word & u64::from(u32::MAX) | (word >> 32).max(visits.into()) << 32);
            let _ = self.words[1].fetch_update(Relaxed, Relaxed, raised);
        }
    }

    /// Makes bounds that belong to another position none at all.
    pub(super) fn clear_void_bounds(&self) {
        if unpack_bounds(self.words[3].load(Relaxed), self.key).is_none() {
            self.words[3].store(pack_bounds(NO_BOUNDS, self.key), Relaxed);
        }
    }

    /// Counts a visit and replaces the value.
    #[inline]
    pub fn add_visit(&self, value: Value) {
        self.add_visits(1, value);
    }

    /// Counts visits and replaces the value.
    #[inline]
    pub fn add_visits(&self, count: u32, value: Value) {
        if !self.is_current() {
            return;
        }
        let mut word = self.words[1].load(Relaxed);
        loop {
            let visits = ((word >> 32) + u64::from(count)).min(u64::from(u32::MAX));
            let counted = visits << 32 | u64::from(value.0);
            match self.words[1].compare_exchange_weak(word, counted, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }

    /// Half of the visits, the same value.
    pub(super) fn halve_total(&self) {
        if self.is_current() {
            let halved = |word: u64| Some((word >> 33) << 32 | word & u64::from(u32::MAX));
            let _ = self.words[1].fetch_update(Relaxed, Relaxed, halved);
        }
    }

    /// Half of the leaf playouts, the same mean.
    pub(super) fn halve_leaf_playouts(&self) {
        self.update_meta(|meta| Meta { leaf_playouts: meta.leaf_playouts.shifted(1), ..meta });
    }

    /// Begins to fetch it for a backup.
    #[inline]
    pub fn prefetch_for_update(&self) {
        backing::prefetch_for_write(&self.words[0]);
    }

    #[inline]
    pub(super) fn meta(&self) -> Meta {
        Meta::unpack(self.words[2].load(Relaxed))
    }

    /// The number of the block, 0 if there is none: a worker that reads it also finds the block complete.
    #[inline]
    pub(super) fn block_number(&self) -> u32 {
        Meta::unpack(self.words[2].load(Acquire)).block
    }

    #[inline]
    pub(super) fn update_meta(&self, change: impl Fn(Meta) -> Meta) {
        if !self.is_current() {
            return;
        }
        let mut word = self.words[2].load(Relaxed);
        loop {
            let changed = change(Meta::unpack(word)).pack();
            if changed == word {
                return;
            }
            match self.words[2].compare_exchange_weak(word, changed, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }

    /// Makes `number` the block, if that is `before` now. Ordered with all other changes of the block: a worker that finds the
    /// number also finds the block complete, and the caller sees what the worker that changed it last had seen.
    pub(super) fn change_block(&self, before: u32, number: u32) -> bool {
        self.change_block_and(before, |meta| Meta { block: number, ..meta })
    }

    /// Where the block is still `lost`, takes its number out and replaces the leaf playouts.
    pub(super) fn lose_block(&self, lost: u32, leaf_playouts: LeafPlayouts) -> bool {
        self.change_block_and(lost, |meta| Meta { block: 0, leaf_playouts, ..meta })
    }

    fn change_block_and(&self, before: u32, change: impl Fn(Meta) -> Meta) -> bool {
        if !self.is_current() {
            return false;
        }
        let mut word = self.words[2].load(Relaxed);
        loop {
            let meta = Meta::unpack(word);
            if meta.block != before {
                return false;
            }
            match self.words[2].compare_exchange_weak(word, change(meta).pack(), AcqRel, Relaxed) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
    }

    /// The number of the block, by an exchange that changes nothing: a worker that changes the block afterwards sees what this
    /// one has seen and written.
    pub(super) fn block_by_exchange(&self) -> u32 {
        Meta::unpack(self.words[2].fetch_or(0, AcqRel)).block
    }

    /// Whether both are the same place of the directory.
    pub(super) fn is_same(&self, other: &Entry<'_>) -> bool {
        std::ptr::eq(self.words, other.words)
    }

    /// What is stored, without the corrections that other readers make.
    pub(super) fn raw(&self) -> Raw {
        let word = self.words[2].load(Relaxed);
        Raw {
            leaf_playouts: LeafPlayouts {
                visits: (word >> 16) as u32 & LEAF_PLAYOUTS_LIMIT,
                half_points: word as u32 & 0xffff,
            },
            block: Meta::unpack(word).block,
            bounds: unpack_bounds(self.words[3].load(Relaxed), self.key),
        }
    }

    /// The entry that is stored as these words, for another place; void bounds are left out.
    pub(super) fn copy(words: [u64; ENTRY_WORDS]) -> Copy {
        let [key, total, word, bounds] = words;
        let meta = Meta::unpack(word);
        let bounds = if unpack_bounds(bounds, key).is_some() { bounds } else { pack_bounds(NO_BOUNDS, key) };
        Copy { words: [key, total, word, bounds], leaf_visits: meta.leaf_playouts.visits, block: meta.block }
    }

    /// Fills a place that no other worker reads.
    pub(super) fn store(
        words: &[AtomicU64; ENTRY_WORDS],
        key: u64,
        total: Total,
        meta: Meta,
        bounds: Bounds,
    ) {
        words[1].store(u64::from(total.visits) << 32 | u64::from(total.value.0), Relaxed);
        words[2].store(meta.pack(), Relaxed);
        words[3].store(pack_bounds(bounds, key), Relaxed);
        words[0].store(key, Relaxed);
    }

    /// The position's leaf playouts.
    #[must_use]
    #[inline]
    pub fn leaf_playouts(&self) -> LeafPlayouts {
        self.meta().leaf_playouts
    }

    /// Adds a playout from this position, `half_points` for the player to move, and returns the sums.
    pub fn add_leaf_playout(&self, half_points: u32) -> LeafPlayouts {
        self.update_meta(|meta| Meta { leaf_playouts: meta.leaf_playouts.plus(half_points), ..meta });
        self.leaf_playouts()
    }

    /// Takes an estimate out of the mean of the leaf playouts, which stand for all visits of a block that was lost.
    pub fn remove_from_leaf_playouts(&self, estimate: Estimate) {
        let all = self.total().visits;
        self.update_meta(|meta| {
            let LeafPlayouts { visits, .. } = meta.leaf_playouts;
            let value = estimate.part(all.into(), meta.leaf_playouts.mean());
            Meta { leaf_playouts: LeafPlayouts::with_mean(visits, value), ..meta }
        });
    }

    /// Starts a new entry of an evicted position from the statistics of the edge to it.
    pub fn seed(&self, leaf_playouts: LeafPlayouts, total: Total) {
        self.update_meta(|meta| Meta { leaf_playouts, ..meta });
        self.set_total(total);
    }

    /// Whether bounds for some history are stored under
    /// [`Game::key_with_history`](crate::game::Game::key_with_history).
    #[must_use]
    #[inline]
    pub fn has_twin(&self) -> bool {
        self.meta().twin
    }

    /// Says that there are such bounds.
    pub fn mark_twin(&self) {
        self.update_meta(|meta| Meta { twin: true, ..meta });
    }

    /// The proven bounds, cut to `range`: the whole range where nothing is proven.
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

    /// Adds proven bounds to those known. Bounds only ever tighten, so an update lost is knowledge lost
    /// and nothing worse.
    pub fn tighten_bounds(&self, bounds: Bounds) {
        if !self.is_current() {
            return;
        }
        let mut word = self.words[3].load(Relaxed);
        loop {
            let known = unpack_bounds(word, self.key).unwrap_or(NO_BOUNDS);
            let tightened = known.intersect(bounds);
            // Contradicting bounds can only come from a damaged file: what was proven now stands.
            let packed =
                pack_bounds(if tightened.lower <= tightened.upper { tightened } else { bounds }, self.key);
            if packed == word {
                return;
            }
            match self.words[3].compare_exchange_weak(word, packed, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }

    /// Takes the entry from `owner` and empties it for this position: first the old key goes, so that no reader
    /// accepts the old content under the new one. Returns what stood in the word with the block; `None` if another
    /// worker was faster. To be [`publish`](Entry::publish)ed.
    pub(super) fn claim(&self, owner: u64, generation: u64) -> Option<Meta> {
        let busy = busy(generation);
        if owner == busy || self.words[0].compare_exchange(owner, busy, Acquire, Relaxed).is_err() {
            return None;
        }
        overwrite(&self.words[1], u64::from(Value::DRAW.0));
        // An exchange: a block that was named until now is found here, one that is named later fails, or its worker
        // sees that the key has gone.
        let former = self.words[2].swap(Meta { generation, ..Meta::default() }.pack(), AcqRel);
        overwrite(&self.words[3], pack_bounds(NO_BOUNDS, self.key));
        Some(Meta::unpack(former))
    }

    /// Publishes the key of an entry that was claimed in `generation`. `false` if this worker was so slow that
    /// another took the entry for abandoned.
    pub(super) fn publish(&self, generation: u64) -> bool {
        self.words[0].compare_exchange(busy(generation), self.key, Release, Relaxed).is_ok()
    }
}

/// Instead of a key: the entry is being claimed since that generation.
#[inline]
const fn busy(generation: u64) -> u64 {
    1 | generation << 1
}

/// The generation since which an entry with `word` instead of a key is being claimed; `None` for a key, and
/// for nothing at all.
#[inline]
pub(super) const fn busy_since(word: u64) -> Option<u64> {
    if word != 0 && word < FIRST_KEY { Some(word >> 1) } else { None }
}

fn pack_bounds(bounds: Bounds, key: u64) -> u64 {
    let score = |score: i16| (i32::from(score) + SCORE_OFFSET) as u64 & SCORE_MASK;
    // The key's upper bits chose the bucket: the lower ones tell its entries apart.
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
        let meta = Meta {
            leaf_playouts: LeafPlayouts { visits: LEAF_PLAYOUTS_LIMIT, half_points: 65_534 },
            twin: true,
            generation: 63,
            block: (1 << 26) - 1,
        };
        assert_eq!(Meta::unpack(meta.pack()), meta);
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
        // The late write of a worker that still thinks the entry is the first position's.
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
