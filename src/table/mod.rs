//! The memory of the search: one table of fixed size for everything known of any position.
//!
//! A table has two tiers in one allocation. The *directory* holds a 32-byte [`Entry`] for every
//! position: visits, value, own playouts, proven bounds. The *pool* holds edge [`Block`]s, one for each
//! position that is worth one: visits, value and AMAF samples of every move. The module knows 64-bit
//! keys and move numbers, never a board.
//!
//! # The contract
//!
//! Any number of threads read and write at the same time, without locks, through atomics alone.
//!
//! **Never:** a number that makes the search leave its memory, loop or panic, whatever the bits are;
//! bounds believed for another position than they were proven for (they carry 44 bits of its key, the
//! key itself was compared whole); a block read as another position's (owner and sequence are compared
//! before and after); visits without the points that belong to them (they share a word).
//!
//! **May be lost:** an update of a position whose entry or block is taken over between the look at the
//! key and the write: at most one simulation for each worker and each takeover, counted as
//! `late_updates` where a worker notices. What a worker writes to an entry or block that another worker
//! made for the same position at the same moment: only one of the two is found again. One of two AMAF
//! samples added to the same word at the same moment ([`Block::add_amaf`]). One of two values stored for
//! a position at the same moment: the value is recomputed from its parts at every visit, so the next one
//! mends it. A block that another process left unfinished for eight generations is taken for abandoned;
//! should that process go on after all, it may put moves and priors of its own into it.
//!
//! **Orderings:** a key and a block's sequence are published with `Release` after what they vouch for,
//! and read with `Acquire` before it. Everything else is `Relaxed`: words are independent, and each is
//! valid alone.
//!
//! **Full** is the normal state. A new position takes the place of the least valuable entry of its
//! bucket, a new block that of the least valuable of a few that a clock hand passes; what value is, says
//! the [`Replacement`] policy. What the caller protects (the path it is on) is left alone; if nothing
//! else is left, the caller gets nothing and goes on without.

mod backing;
mod block;
mod entry;
mod layout;
mod replacement;

pub use block::{AMAF_VISITS_LIMIT, Amaf, Block, EDGE_VISITS_LIMIT, Edge, amaf_sample};
pub use entry::{Entry, Own, Total};
pub use layout::{ENTRIES_PER_BLOCK, Layout, Shape};
pub use replacement::Replacement;

use crate::game::Prior;
use backing::Backing;
use entry::{BUSY, GENERATIONS};
use layout::{BUCKET_ENTRIES, BUCKET_WORDS, ENTRY_WORDS};
use replacement::age;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release, fence};

/// What can be wrong with a table that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// No room for one bucket and two blocks.
    #[error("a table of {given} bytes is too small: expected at least {smallest} for this game and board")]
    TooSmall {
        /// Bytes asked for.
        given: usize,
        /// Bytes of the smallest table.
        smallest: usize,
    },
    /// The operating system refused.
    #[error("cannot get {bytes} bytes of memory for the table: ask for less")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
}

/// Header words that change while the table is in use.
mod header {
    /// Number of the present search root, modulo [`super::GENERATIONS`].
    pub(super) const GENERATION: usize = 16;
    /// Entries in use. From here on, in another cache line than what every look at an entry reads, is what
    /// claims write.
    pub(super) const ENTRIES_USED: usize = 24;
    /// Blocks in use.
    pub(super) const BLOCKS_USED: usize = 25;
    /// Where the clock hand is.
    pub(super) const CLOCK: usize = 26;
    /// Entries claimed, where generations are counted by them.
    pub(super) const CLAIMS: usize = 27;
}

/// Marks a block's third word: the block was found unfinished, with the sequence whose lower bits follow,
/// in the generation that stands there.
const SUSPECT: u64 = 1 << 63;
const SUSPECT_SHIFT: u32 = 38;
/// Generations after which a block that is still unfinished is taken for abandoned.
const ABANDONED_AGE: u64 = 8;
/// Blocks the clock hand looks at for one that is evicted.
const CLOCK_STEPS: usize = 8;

/// What happened at the table, counted by each worker for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Positions that were looked for and found.
    pub hits: u64,
    /// Positions that were looked for and new.
    pub misses: u64,
    /// Positions found at the first visit of an edge: another order of moves had led there.
    pub transpositions: u64,
    /// Entries taken from another position.
    pub evictions: u64,
    /// Blocks taken from another position.
    pub block_evictions: u64,
    /// Positions that got no entry or block, since all that could go was protected.
    pub refused: u64,
    /// Blocks that were gone when their position was visited again.
    pub lost_blocks: u64,
    /// Backups that found an entry or block taken over meanwhile.
    pub late_updates: u64,
}

impl Counters {
    /// Adds another worker's counts.
    pub fn add(&mut self, other: &Counters) {
        self.hits += other.hits;
        self.misses += other.misses;
        self.transpositions += other.transpositions;
        self.evictions += other.evictions;
        self.block_evictions += other.block_evictions;
        self.refused += other.refused;
        self.lost_blocks += other.lost_blocks;
        self.late_updates += other.late_updates;
    }
}

/// What a caller is using and cannot spare: the path of its simulation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Protected<'a> {
    /// Keys of entries.
    pub keys: &'a [u64],
    /// Numbers of blocks.
    pub blocks: &'a [u32],
}

/// How full a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Census {
    /// Size of the whole table in bytes.
    pub bytes: usize,
    /// Bytes of the entries and blocks in use.
    pub bytes_used: usize,
    /// Entries of the directory.
    pub entries: usize,
    /// Entries in use.
    pub entries_used: usize,
    /// Blocks of the pool.
    pub blocks: usize,
    /// Blocks in use.
    pub blocks_used: usize,
}

impl Census {
    /// Share of the table that is in use, `0..=1`.
    #[must_use]
    pub fn occupancy(&self) -> f64 {
        self.bytes_used as f64 / (self.bytes - 8 * layout::HEADER_WORDS) as f64
    }
}

/// The table. Share it by reference.
pub struct Table {
    backing: Backing,
    layout: Layout,
    replacement: Replacement,
}

impl Table {
    /// An empty table on the heap, as large as fits into `bytes`.
    ///
    /// # Errors
    /// When `bytes` are too few, or more than there are.
    pub fn new(shape: Shape, bytes: usize) -> Result<Table, TableError> {
        let layout = Layout::fit(shape, bytes)?;
        let backing =
            Backing::heap(layout.words()).ok_or(TableError::OutOfMemory { bytes: layout.bytes() })?;
        Ok(Table { backing, layout, replacement: Replacement::default() })
    }

    /// The same table, with another way of choosing what to forget.
    #[must_use]
    pub fn with_replacement(self, replacement: Replacement) -> Table {
        Table { replacement, ..self }
    }

    /// Where everything is.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The present generation.
    #[must_use]
    #[inline]
    pub fn generation(&self) -> u64 {
        self.header(header::GENERATION).load(Relaxed) % GENERATIONS
    }

    /// Says that a new search begins: what is not visited from now on loses value. Instead of collecting
    /// garbage, call this at every new root.
    pub fn next_search(&self) {
        if self.replacement.ages_by_search() {
            self.next_generation();
        }
    }

    fn next_generation(&self) {
        let next = (self.generation() + 1) % GENERATIONS;
        self.header(header::GENERATION).store(next, Relaxed);
    }

    /// Forgets everything. No search may be running.
    pub fn clear(&mut self) {
        // Fresh memory is cleared only where it is used.
        match Backing::heap(self.layout.words()) {
            Some(fresh) => self.backing = fresh,
            None => self.backing.words().iter().for_each(|word| word.store(0, Relaxed)),
        }
    }

    /// How full it is.
    #[must_use]
    pub fn census(&self) -> Census {
        let used = |word, limit: usize| (self.header(word).load(Relaxed) as usize).min(limit);
        let entries_used = used(header::ENTRIES_USED, self.layout.entries());
        let blocks_used = used(header::BLOCKS_USED, self.layout.blocks);
        Census {
            bytes: self.layout.bytes(),
            bytes_used: 8 * (entries_used * ENTRY_WORDS + blocks_used * self.layout.shape.block_words()),
            entries: self.layout.entries(),
            entries_used,
            blocks: self.layout.blocks,
            blocks_used,
        }
    }

    /// Begins to fetch what [`find`](Table::find) will look at.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        let bucket = self.bucket(key);
        backing::prefetch(&bucket[0][0]);
        backing::prefetch(&bucket[BUCKET_ENTRIES / 2][0]);
    }

    /// The entry of a position, if there is one.
    #[must_use]
    #[inline]
    pub fn find(&self, key: u64) -> Option<Entry<'_>> {
        let key = nonzero(key);
        let words = self.bucket(key).iter().find(|words| words[0].load(Acquire) == key)?;
        Some(Entry::new(words, key))
    }

    /// The entry of a position, made if there is none; `None` if every entry that could be taken over is
    /// protected.
    pub fn find_or_claim(
        &self,
        key: u64,
        protected: Protected<'_>,
        counters: &mut Counters,
    ) -> Option<Entry<'_>> {
        if let Some(entry) = self.find(key) {
            counters.hits += 1;
            let generation = self.generation();
            if entry.meta().generation != generation {
                entry.update_meta(|meta| entry::Meta { generation, ..meta });
            }
            return Some(entry);
        }
        counters.misses += 1;
        self.claim(nonzero(key), protected, counters)
    }

    fn claim(&self, key: u64, protected: Protected<'_>, counters: &mut Counters) -> Option<Entry<'_>> {
        self.count_claim();
        let generation = self.generation();
        // Another worker may be faster, even with the same key.
        for _ in 0..BUCKET_ENTRIES {
            let Some((words, owner)) = self.victim(key, protected) else { break };
            let orphan = (owner != 0).then(|| self.block(&Entry::new(words, owner))).flatten();
            let entry = Entry::new(words, key);
            if entry.take_over(owner, generation) {
                if owner == 0 {
                    self.header(header::ENTRIES_USED).fetch_add(1, Relaxed);
                } else {
                    counters.evictions += 1;
                }
                // The block of a position that lost its entry is the first to go.
                if let Some(orphan) = orphan {
                    orphan.mark_used(0, generation);
                }
                return Some(entry);
            }
            if let Some(entry) = self.find(key) {
                return Some(entry);
            }
        }
        counters.refused += 1;
        None
    }

    /// Where generations are counted by claims, begins the next one when it is time.
    #[inline]
    fn count_claim(&self) {
        if let Some(claims) = self.replacement.claims_per_generation(self.layout.entries())
            && (self.header(header::CLAIMS).fetch_add(1, Relaxed) + 1).is_multiple_of(claims)
        {
            self.next_generation();
        }
    }

    /// The entry of `key`'s bucket that is the least worth keeping, and its owner (0 if it is empty);
    /// `None` if all are protected.
    fn victim(&self, key: u64, protected: Protected<'_>) -> Option<(&[AtomicU64; ENTRY_WORDS], u64)> {
        let generation = self.generation();
        let (mut victim, mut least) = (None, u64::MAX);
        let bucket = self.bucket(key);
        // Among equals the first counts.
        let (before, from) = bucket.split_at(self.replacement.first_place(key, BUCKET_ENTRIES));
        for words in from.iter().chain(before) {
            let owner = words[0].load(Relaxed);
            if owner == 0 {
                return Some((words, 0));
            }
            let entry = Entry::new(words, owner);
            let worth = self.replacement.worth(entry.total().visits, entry.meta().generation, generation);
            if worth < least && owner != BUSY && !protected.keys.contains(&owner) {
                (victim, least) = (Some((words, owner)), worth);
            }
        }
        victim
    }

    /// The block of a position, if it has one that is still its own.
    #[must_use]
    #[inline]
    pub fn block(&self, entry: &Entry<'_>) -> Option<Block<'_>> {
        let number = entry.meta().block;
        if number == 0 {
            return None;
        }
        Block::accept(self.block_words(number)?, self.layout.shape, number, entry.key())
    }

    /// Begins to fetch the start of a position's block.
    #[inline]
    pub fn prefetch_block(&self, entry: &Entry<'_>) {
        if let Some(words) = self.block_words(entry.meta().block) {
            for line in words.iter().step_by(8).take(8) {
                backing::prefetch(line);
            }
        }
    }

    /// If the position had a block and lost it, its value becomes that of own playouts: what the lost
    /// edges knew is kept as their mean. Returns whether that was so.
    pub fn mend_lost_block(&self, entry: &Entry<'_>, counters: &mut Counters) -> bool {
        let lost = entry.meta().block;
        if lost == 0 || self.block(entry).is_some() {
            return false;
        }
        counters.lost_blocks += 1;
        let total = entry.total();
        let own = Own::with_mean(total.visits, total.value);
        // Another worker may have given it a new block meanwhile.
        entry.update_meta(
            |meta| if meta.block == lost { entry::Meta { block: 0, own, ..meta } } else { meta },
        );
        true
    }

    /// Gives the position a block with `priors` (one for each move, `None` where illegal), taken over
    /// from a less valuable position if none is free; `None` if all that could go are protected. One that
    /// another worker has given it meanwhile is returned as it is.
    pub fn claim_block(
        &self,
        entry: &Entry<'_>,
        priors: &[Option<Prior>],
        protected: Protected<'_>,
        counters: &mut Counters,
    ) -> Option<Block<'_>> {
        debug_assert_eq!(priors.len(), self.layout.shape.moves);
        let before = entry.meta().block;
        if let Some(block) = self.block(entry) {
            return Some(block);
        }
        let Some((number, words, sequence)) = self.reserve_block(protected, counters) else {
            counters.refused += 1;
            return None;
        };
        words[0].store(0, Release);
        words[2].store(self.generation() << 32 | u64::from(entry.total().visits), Relaxed);
        Block::fill(words, self.layout.shape, priors);
        words[0].store(entry.key(), Release);
        // Fails only if this worker was so slow that another took the block for abandoned.
        words[1].compare_exchange(sequence, sequence + 1, Release, Relaxed).ok()?;
        entry.update_meta(
            |meta| {
                if meta.block == before { entry::Meta { block: number, ..meta } } else { meta }
            },
        );
        let block = Block::accept(words, self.layout.shape, number, entry.key())?;
        if entry.meta().block == number {
            return Some(block);
        }
        // Another worker gave the position a block first: that one counts, this one is the next to go.
        block.mark_used(0, self.generation());
        self.block(entry)
    }

    /// Takes the least valuable of the blocks that the clock hand passes; its sequence is odd then.
    fn reserve_block(
        &self,
        protected: Protected<'_>,
        counters: &mut Counters,
    ) -> Option<(u32, &[AtomicU64], u64)> {
        let generation = self.generation();
        let blocks = self.layout.blocks as u64;
        let mut victim: Option<(u32, &[AtomicU64], u64, u64)> = None;
        for _ in 0..CLOCK_STEPS.min(self.layout.blocks) {
            let number = (self.header(header::CLOCK).fetch_add(1, Relaxed) % blocks) as u32 + 1;
            let words = self.block_words(number)?;
            let sequence = words[1].load(Acquire);
            let used = words[2].load(Relaxed);
            let used_in = used >> 32 & (GENERATIONS - 1);
            if protected.blocks.contains(&number) {
                continue;
            }
            // Odd: being filled, or left half-way by a worker that died. The latter shows by staying so.
            if sequence & 1 != 0 {
                let suspect = SUSPECT | sequence << SUSPECT_SHIFT & !SUSPECT;
                let is_suspect = used >> SUSPECT_SHIFT == suspect >> SUSPECT_SHIFT;
                if !is_suspect {
                    // Fails if the worker that fills it goes on just now.
                    let _ = words[2].compare_exchange(used, suspect | generation << 32, Relaxed, Relaxed);
                }
                if !is_suspect || age(used_in, generation) < ABANDONED_AGE {
                    continue;
                }
            }
            let free = words[0].load(Relaxed) == 0;
            let worth = if free { 0 } else { self.replacement.worth(used as u32, used_in, generation) };
            if victim.is_none_or(|(.., least)| worth < least) {
                victim = Some((number, words, sequence, worth));
            }
            if free {
                break;
            }
        }
        let (number, words, sequence, _) = victim?;
        let odd = if sequence & 1 == 0 { sequence + 1 } else { sequence + 2 };
        words[1].compare_exchange(sequence, odd, Acquire, Relaxed).ok()?;
        // Whoever sees what is written from here on also sees the odd number.
        fence(Release);
        if sequence == 0 {
            self.header(header::BLOCKS_USED).fetch_add(1, Relaxed);
        } else {
            counters.block_evictions += 1;
        }
        Some((number, words, odd))
    }

    #[inline]
    fn header(&self, word: usize) -> &AtomicU64 {
        &self.backing.words()[word]
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[[AtomicU64; ENTRY_WORDS]] {
        // The product's high half is uniform over the buckets whatever their number (Lemire 2019).
        let index = ((u128::from(nonzero(key)) * self.layout.buckets as u128) >> 64) as usize;
        let start = self.layout.directory() + index * BUCKET_WORDS;
        self.backing.words()[start..start + BUCKET_WORDS].as_chunks().0
    }

    #[inline]
    fn block_words(&self, number: u32) -> Option<&[AtomicU64]> {
        let index = (number as usize).checked_sub(1).filter(|&index| index < self.layout.blocks)?;
        let words = self.layout.shape.block_words();
        let start = self.layout.pool() + index * words;
        Some(&self.backing.words()[start..start + words])
    }
}

/// Keys 0 and 1 mark an empty entry and one that changes hands; the two positions in 2^64 that have them
/// get others.
#[inline]
const fn nonzero(key: u64) -> u64 {
    if key <= BUSY { 0x7465_7761_7269 + key } else { key }
}
