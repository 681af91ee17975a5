//! The memory of the search: one transposition table of fixed size.
//!
//! A table has two tiers in one allocation. The *directory* holds a 32-byte [`Entry`] for every
//! position: visits, value, leaf playouts, proven bounds. The *pool* holds edge [`Block`]s, one for each
//! expanded position: visits, value and AMAF samples of every move. The module knows 64-bit
//! keys and move numbers, never a board.
//!
//! # The contract
//!
//! Any number of threads, and of processes that map the same file, read and write at the same time, without locks,
//! through atomics alone. An entry or a block is *evicted* when it is given to another position.
//!
//! **Never:** a number that makes the search read outside the table, loop or panic, whatever the bits are;
//! bounds believed for another position than they were proven for (they carry 44 bits of its key, the
//! key itself was compared whole); a block read as another position's (owner and sequence are compared
//! before and after); visits without the points that belong to them (they share a word).
//!
//! **May be lost:**
//! - The backup to a position whose entry or block was evicted since the descent passed it. The worker compares the
//!   owner before it writes, and then writes nothing: one simulation for each worker and eviction, at most. Counted as
//!   `late_updates`. With it go the AMAF samples that the worker's update buffer holds for the position, those of
//!   sixteen simulations at most.
//! - What a process had not written when it was killed: of each worker one simulation and its update buffer.
//! - What is written to an entry when two workers insert one key at the same time: only the first of the two entries is
//!   found again. Of two blocks made for one position at the same time one is freed at once, as is the block of an
//!   evicted entry: no block is left that no entry names, but by a worker that is killed between making a block and
//!   naming it.
//! - One of two AMAF samples added to one word at the same time ([`Block::add_amaf`]), one of two values stored for a
//!   position: the value is computed anew at every backup, so the next one mends it. One of two score samples added at
//!   the same time ([`Block::add_score_sample`]): an exchange that is tried once, so no score is written to another
//!   position's block.
//! - Half a visit of each counter when all of a position are halved, once in 2^26 visits of an edge. A selection that
//!   reads the edges in that microsecond may find some halved and others not; a worker that is killed in it leaves one
//!   counter halved twice, at most.
//!
//! **May mislead:** a write between the last comparison of the owner and an eviction. The next owner then has one
//! playout, one visit of an edge or, of AMAF samples, what one word held (two moves) that were another position's; one
//! for each worker and eviction, at most. A visit of an illegal move is noticed, and counts as a collision. The same
//! holds for a worker that was taken for dead, its entry or block unfinished for eight generations, and goes on
//! after all. Never a broken rule or a false proof: bounds carry their key, and moves are checked again.
//!
//! **After a power cut** a file holds pages of different moments, and so does a copy that `cp` makes of a file in use. An
//! entry lies within a page and is of one moment, its bounds among it, so no proof is false. A block that lies on pages
//! of different claims is known by its tags and dropped before it is used; of one claim, its edges may be of different
//! moments, and its position may count fewer visits than they do, which is mended (`doubt.rs`). What had not been written
//! is lost; generations may be judged wrongly for a while. Where a halving was under way (once in 2^26 visits), some moves
//! may have twice the visits. tests/power_cut.rs. [`Table::snapshot`] copies a file in use.
//!
//! **Orderings:** a key, a block's sequence and its number in the entry are published with `Release` after what they
//! vouch for, and read with `Acquire` before it. Everything else is `Relaxed`: words are independent, and each is
//! valid alone. tests/table_loom.rs tries them in all orders, tests/table_stress.rs and tests/table_file/crowd.rs
//! with many threads and processes.
//!
//! **Full** is the normal state. A new position evicts the least valuable entry of its bucket and of the
//! overflow bucket behind it, a new block the least valuable of a few that a clock hand passes; value is defined by the
//! [`Replacement`] policy. What the caller protects (the path of its simulation) is never evicted; if nothing else is
//! left, the caller gets nothing and goes on without.

pub mod atomic;
#[cfg(not(loom))]
mod backing;
#[cfg(loom)]
#[path = "loom_backing.rs"]
mod backing;
mod block;
mod claim;
mod counters;
mod doubt;
mod entry;
mod file;
mod file_error;
mod halving;
mod header;
mod layout;
mod leaf_playouts;
mod new_file;
mod replacement;
mod score_mean;
mod session;
mod snapshot;
mod sum;
mod survey;
mod syncer;
mod transfer;
mod write_behind;

pub use block::{
    AMAF_VISITS_LIMIT, Amaf, Block, EDGE_VISITS_FULL, EDGE_VISITS_LIMIT, Edge, Evaluation, amaf_sample,
};
pub use counters::{AGES, Count, Counters, DEPTHS};
pub use entry::{Entry, Total};
pub use file::{FileState, TableMode};
pub use file_error::{FileError, FileProblem};
pub use halving::TOTAL_VISITS_FULL;
pub use header::{Identity, Lineage};
pub use layout::{ENTRIES_PER_BLOCK, Layout, Shape};
pub use leaf_playouts::LeafPlayouts;
pub use replacement::Replacement;
pub use score_mean::ScoreMean;
pub use session::Ending;
pub use snapshot::Snapshot;
pub use survey::Survey;
pub use transfer::{Kept, TransferError, TransferProgress};

use atomic::AtomicU64;
use backing::Backing;
use entry::{FIRST_KEY, GENERATIONS};
use file::MappedFile;
use layout::{BUCKET_ENTRIES, BUCKET_WORDS, ENTRY_WORDS};
use std::sync::atomic::Ordering::{Acquire, Relaxed};

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

/// See [`Table::next_search`].
const ENTRIES_PER_GENERATION: usize = 64;

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
    /// Entries in use in a thousand, as chess programs tell how full their hash table is.
    #[must_use]
    pub fn per_mille(&self) -> u64 {
        (1000 * self.entries_used as u64) / self.entries.max(1) as u64
    }

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
    /// Where the memory is a file's.
    file: Option<MappedFile>,
    /// How often the file had been opened before.
    opening: u64,
    /// A random number for this process, for [`Table::is_shared_now`].
    searcher: u64,
    /// Blocks that were found whole in another epoch are looked at before they are used, see [`doubt`]. In the upper half.
    epoch: u64,
}

impl Table {
    /// An empty table on the heap, as large as fits into `bytes`.
    ///
    /// # Errors
    /// When `bytes` are too few, or more than there are.
    pub fn new(shape: Shape, bytes: usize) -> Result<Table, TableError> {
        let layout = Layout::fit(shape, bytes)?;
        let backing = Backing::heap(layout.words(), layout.pool())
            .ok_or(TableError::OutOfMemory { bytes: layout.bytes() })?;
        Ok(Table::of(backing, layout))
    }

    fn of(backing: Backing, layout: Layout) -> Table {
        Table {
            backing,
            layout,
            replacement: Replacement::default(),
            file: None,
            opening: 0,
            searcher: 0,
            epoch: 0,
        }
    }

    /// The same table, with another replacement policy.
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

    /// Begins a new search: what is not visited from now on loses value. Instead of collecting
    /// garbage, call this at every new root.
    ///
    /// A generation lasts at least until one entry in 64 has been claimed: where little is replaced,
    /// nothing need grow old, and the few numbers of generations last longer.
    pub fn next_search(&self) {
        let claims = self.header(header::CLAIMS).load(Relaxed);
        let began = self.header(header::CLAIMS_AT_GENERATION).load(Relaxed);
        let enough = (self.layout.entries() / ENTRIES_PER_GENERATION) as u64;
        if self.replacement.ages_by_search() && claims.wrapping_sub(began) >= enough {
            self.next_generation();
        }
    }

    fn next_generation(&self) {
        let next = (self.generation() + 1) % GENERATIONS;
        self.header(header::GENERATION).store(next, Relaxed);
        self.header(header::CLAIMS_AT_GENERATION).store(self.header(header::CLAIMS).load(Relaxed), Relaxed);
    }

    /// How often the file of the table had been opened before; 0 for a new one and for a table on the heap. After the
    /// machine stopped a number may come again.
    #[must_use]
    pub fn opening(&self) -> u64 {
        self.opening
    }

    /// A number for seeds that no user of the file before this one had; 0 for a new table.
    #[must_use]
    pub fn visit_number(&self) -> u64 {
        self.opening ^ self.epoch
    }

    /// Bytes of it that huge pages hold now; `None` where the system does not tell.
    #[must_use]
    pub fn huge_page_bytes(&self) -> Option<usize> {
        self.backing.huge_page_bytes()
    }

    /// Notes that this process searches, for [`is_shared_now`](Table::is_shared_now).
    pub fn mark_active(&self) {
        if self.is_shared() {
            self.header(header::SEARCHER).store(self.searcher, Relaxed);
        }
    }

    /// Whether another process has called this, or [`mark_active`](Table::mark_active), since this one did. Cheap enough
    /// to be asked every few simulations.
    #[must_use]
    pub fn is_shared_now(&self) -> bool {
        let is_other = self.is_shared() && self.header(header::SEARCHER).load(Relaxed) != self.searcher;
        if is_other {
            self.mark_active();
        }
        is_other
    }

    /// Empties the table. No search of this process may be running; those of others go on with what they write from now
    /// on.
    pub fn clear(&mut self) {
        // Fresh memory is cleared only where it is used.
        match Backing::heap(self.layout.words(), self.layout.pool()).filter(|_| self.file.is_none()) {
            Some(fresh) => self.backing = fresh,
            None => {
                let words = self.backing.words();
                for word in &words[header::CHANGING] {
                    word.store(0, Relaxed);
                }
                words[layout::HEADER_WORDS..].iter().for_each(|word| word.store(0, Relaxed));
                self.begin_lineage();
            }
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
        let bucket = self.bucket(key);
        // The first line is not waited for to find that the second is needed.
        backing::prefetch(&bucket[BUCKET_ENTRIES / 2][0]);
        let is_it = |words: &&[AtomicU64; ENTRY_WORDS]| words[0].load(Acquire) == key;
        let words = bucket.iter().find(is_it).or_else(|| {
            // What is in the overflow found its bucket full, and places are never emptied but by a repair.
            let is_full = bucket.iter().all(|words| words[0].load(Relaxed) != 0);
            is_full.then(|| self.overflow_bucket(key).iter().find(is_it)).flatten()
        })?;
        Some(Entry::new(words, key))
    }

    /// The entry of a position, made if there is none; `None` if every entry that could be evicted is
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

    /// The block of a position, if it has one that is still its own.
    #[must_use]
    #[inline]
    pub fn block(&self, entry: &Entry<'_>) -> Option<Block<'_>> {
        let number = entry.block_number();
        if number == 0 {
            return None;
        }
        let words = self.block_words(number)?;
        let found = Block::accept(words, self.layout.shape, number, entry.key(), self.epoch);
        if found.is_some() { found } else { self.settle_doubt(entry, number) }
    }

    /// Begins to fetch the start of a position's block.
    #[inline]
    pub fn prefetch_block(&self, entry: &Entry<'_>) {
        if let Some(words) = self.block_words(entry.meta().block) {
            for line in words.iter().step_by(8) {
                backing::prefetch(line);
            }
        }
    }

    /// If the position had a block and lost it, its value becomes that of leaf playouts: the statistics of
    /// the lost edges are kept as their mean. Returns whether that was so, to one of the workers that find it.
    pub fn mend_lost_block(&self, entry: &Entry<'_>, counters: &mut Counters) -> bool {
        let lost = entry.block_number();
        if lost == 0 || self.block(entry).is_some() {
            return false;
        }
        let total = entry.total();
        let leaf_playouts = LeafPlayouts::with_mean(total.visits, total.value);
        // Another worker may have given it a new block meanwhile; and if that has the number of the old one, it goes.
        let is_mended = entry.lose_block(lost, leaf_playouts);
        if is_mended {
            counters.lost_blocks += 1;
            self.free_block(lost, entry.key());
        }
        is_mended
    }

    #[inline]
    fn header(&self, word: usize) -> &AtomicU64 {
        &self.backing.words()[word]
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[[AtomicU64; ENTRY_WORDS]] {
        let start = self.layout.directory() + share_of(nonzero(key), self.layout.buckets) * BUCKET_WORDS;
        self.backing.words()[start..start + BUCKET_WORDS].as_chunks().0
    }

    /// Where a position goes whose bucket is full; empty in a table of less than 8 buckets.
    #[inline]
    fn overflow_bucket(&self, key: u64) -> &[[AtomicU64; ENTRY_WORDS]] {
        let buckets = self.layout.overflow_buckets();
        if buckets == 0 {
            return &[];
        }
        // Other bits than those that chose the bucket: positions of one bucket spread.
        let index = share_of(nonzero(key).rotate_left(32), buckets);
        let start = self.layout.overflow() + index * BUCKET_WORDS;
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

/// `key` as a number below `parts`: the product's high half is uniform whatever their number (Lemire 2019).
#[inline]
fn share_of(key: u64, parts: usize) -> usize {
    ((u128::from(key) * parts as u128) >> 64) as usize
}

/// Small keys mark an empty entry and one that is being claimed; the positions that have them, 128 in 2^64, get
/// others.
#[inline]
const fn nonzero(key: u64) -> u64 {
    if key < FIRST_KEY { 0x7465_7761_7269 + key } else { key }
}
