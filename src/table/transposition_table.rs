//! The table: allocation, generations, and probes.

use super::atomic::AtomicU64;
use super::backing::{self, Backing};
use super::counters::Counters;
use super::entry::{self, Entry, GENERATIONS, MIN_KEY};
use super::file::MappedFile;
use super::header;
use super::layout::{self, BUCKET_ENTRIES, BUCKET_WORDS, ENTRY_WORDS, Layout, Shape, TableError};
use super::leaf_playouts::LeafPlayouts;
use super::replacement::Replacement;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

/// A generation lasts until one in this many entries has been claimed, see [`Table::next_search`].
const ENTRIES_PER_GENERATION: usize = 64;

/// Positions with entries and pages that must not be evicted: those on the path of the caller's simulation.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProtectedPath<'a> {
    /// Keys of the positions.
    pub keys: &'a [u64],
}

/// The fill state of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Census {
    /// Size of the whole table in bytes.
    pub bytes: usize,
    /// Bytes of the entries and pages in use.
    pub bytes_used: usize,
    /// Number of entries in the directory.
    pub entries: usize,
    /// Number of entries in use.
    pub entries_used: usize,
    /// Number of pages in the pool.
    pub pages: usize,
    /// Number of pages in use.
    pub pages_used: usize,
}

impl Census {
    /// Returns the entries in use per thousand, the `hashfull` of chess engines.
    #[must_use]
    pub fn per_mille(&self) -> u64 {
        (1000 * self.entries_used as u64) / self.entries.max(1) as u64
    }

    /// Returns the fraction of the table in use, `0..=1`.
    #[must_use]
    pub fn occupancy(&self) -> f64 {
        self.bytes_used as f64 / (self.bytes - 8 * layout::HEADER_WORDS) as f64
    }
}

/// A transposition table, shared between threads by reference.
pub struct Table {
    pub(super) backing: Backing,
    pub(super) layout: Layout,
    pub(super) replacement: Replacement,
    /// The file that backs the memory, if any.
    pub(super) file: Option<MappedFile>,
    /// See [`Table::open_count`].
    pub(super) open_count: u64,
    /// Random number of this process, for [`Table::is_shared_now`].
    pub(super) searcher: u64,
    /// The number of times that the file was found in doubt, in the upper 32 bits, see `file/session.rs`.
    pub(super) epoch: u64,
}

impl Table {
    /// Allocates an empty table on the heap, as large as fits into `bytes`.
    ///
    /// # Errors
    /// Returns an error if `bytes` is less than the smallest table or the memory is not available.
    pub fn new(shape: Shape, bytes: usize) -> Result<Table, TableError> {
        let layout = Layout::fit(shape, bytes)?;
        let backing = Backing::heap(layout.words(), layout.pool())
            .ok_or(TableError::OutOfMemory { bytes: layout.bytes() })?;
        Ok(Table::of(backing, layout))
    }

    pub(super) fn of(backing: Backing, layout: Layout) -> Table {
        Table {
            backing,
            layout,
            replacement: Replacement::default(),
            file: None,
            open_count: 0,
            searcher: 0,
            epoch: 0,
        }
    }

    /// Returns the same table with another replacement policy.
    #[must_use]
    pub fn with_replacement(self, replacement: Replacement) -> Table {
        Table { replacement, ..self }
    }

    /// Returns the layout of the table.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the present generation, `0..64`.
    #[must_use]
    #[inline]
    pub fn generation(&self) -> u64 {
        self.header(header::GENERATION).load(Relaxed) % GENERATIONS
    }

    /// Begins a new search, to be called at every new root instead of a garbage collection: positions not visited
    /// from this moment on lose value.
    ///
    /// A generation lasts at least until one entry in 64 has been claimed: where little is replaced, nothing needs to
    /// age, and the 64 generation numbers last longer.
    pub fn next_search(&self) {
        let claims = self.header(header::CLAIMS).load(Relaxed);
        let began = self.header(header::CLAIMS_AT_GENERATION).load(Relaxed);
        let enough = (self.layout.entries() / ENTRIES_PER_GENERATION) as u64;
        if claims.wrapping_sub(began) >= enough {
            self.next_generation();
        }
    }

    pub(super) fn next_generation(&self) {
        let next = (self.generation() + 1) % GENERATIONS;
        self.header(header::GENERATION).store(next, Relaxed);
        self.header(header::CLAIMS_AT_GENERATION).store(self.header(header::CLAIMS).load(Relaxed), Relaxed);
    }

    /// Returns the number of times that the table's file was created or opened for writing before; 0 for a new file
    /// and for a table on the heap. A number may repeat after the machine stopped.
    #[must_use]
    pub fn open_count(&self) -> u64 {
        self.open_count
    }

    /// Returns a seed that no earlier writer of the file had; 0 for a new table.
    #[must_use]
    pub fn session_seed(&self) -> u64 {
        self.open_count ^ self.epoch
    }

    /// Returns the bytes of the table that huge pages hold at present; `None` if the system does not report them.
    #[must_use]
    pub fn huge_page_bytes(&self) -> Option<usize> {
        self.backing.huge_page_bytes()
    }

    /// Records that this process is searching, for [`is_shared_now`](Table::is_shared_now).
    pub fn mark_active(&self) {
        if self.is_shared() {
            self.header(header::SEARCHER).store(self.searcher, Relaxed);
        }
    }

    /// Returns true if another process has called this or [`mark_active`](Table::mark_active) since this process did.
    /// Cheap enough to be called every few simulations.
    #[must_use]
    pub fn is_shared_now(&self) -> bool {
        let is_other = self.is_shared() && self.header(header::SEARCHER).load(Relaxed) != self.searcher;
        if is_other {
            self.mark_active();
        }
        is_other
    }

    /// Empties the table. No search of this process may be running; searches of other processes continue on the
    /// emptied table.
    pub fn clear(&mut self) {
        // Fresh memory is zeroed by the system page by page, when it is first used.
        match Backing::heap(self.layout.words(), self.layout.pool()).filter(|_| self.file.is_none()) {
            Some(fresh) => self.backing = fresh,
            None => {
                let words = self.backing.words();
                for word in &words[header::CLEARED_WORDS] {
                    word.store(0, Relaxed);
                }
                words[layout::HEADER_WORDS..].iter().for_each(|word| word.store(0, Relaxed));
                self.begin_lineage();
            }
        }
    }

    /// Returns the fill state.
    #[must_use]
    pub fn census(&self) -> Census {
        let used = |word, limit: usize| (self.header(word).load(Relaxed) as usize).min(limit);
        let entries_used = used(header::ENTRIES_USED, self.layout.entries());
        let pages_used = used(header::PAGES_USED, self.layout.pages);
        Census {
            bytes: self.layout.bytes(),
            bytes_used: 8 * (entries_used * ENTRY_WORDS + pages_used * self.layout.shape.page_words()),
            entries: self.layout.entries(),
            entries_used,
            pages: self.layout.pages,
            pages_used,
        }
    }

    /// Prefetches the bucket that [`find`](Table::find) probes.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        let bucket = self.bucket(key);
        backing::prefetch(&bucket[0][0]);
        backing::prefetch(&bucket[BUCKET_ENTRIES / 2][0]);
    }

    /// Probes for the entry of a position.
    #[must_use]
    #[inline]
    pub fn find(&self, key: u64) -> Option<Entry<'_>> {
        let key = avoid_reserved_keys(key);
        let bucket = self.bucket(key);
        // The second line of the bucket, requested before the first has arrived.
        backing::prefetch(&bucket[BUCKET_ENTRIES / 2][0]);
        let is_it = |words: &&[AtomicU64; ENTRY_WORDS]| words[0].load(Acquire) == key;
        let words = bucket.iter().find(is_it).or_else(|| {
            // Positions enter the overflow only if their bucket is full, and only a repair empties entries.
            let is_full = bucket.iter().all(|words| words[0].load(Relaxed) != 0);
            is_full.then(|| self.overflow_bucket(key).iter().find(is_it)).flatten()
        })?;
        Some(Entry::new(words, key))
    }

    /// Probes for the entry of a position and claims one if there is none; `None` if every candidate for eviction is
    /// protected, or if other workers were faster at each attempt.
    pub fn find_or_claim(
        &self,
        key: u64,
        protected: ProtectedPath<'_>,
        counters: &mut Counters,
    ) -> Option<Entry<'_>> {
        if let Some(entry) = self.find(key) {
            counters.hits += 1;
            let generation = self.generation();
            if entry.meta().generation != generation {
                entry.update_meta(|meta| entry::EntryMeta { generation, ..meta });
            }
            return Some(entry);
        }
        counters.misses += 1;
        self.claim(avoid_reserved_keys(key), protected, counters)
    }

    /// Prefetches the header and the first edges of page `number`; does nothing for 0.
    #[inline]
    pub fn prefetch_page(&self, number: u32) {
        if let Some(words) = self.page_words(number) {
            words.iter().step_by(8).take(2).for_each(backing::prefetch);
        }
    }

    /// Replaces the statistics of an evicted page by leaf playouts with the mean of the position. Returns true to
    /// the one worker that did so.
    pub fn replace_lost_page(&self, entry: &Entry<'_>, counters: &mut Counters) -> bool {
        let lost = entry.page_number();
        if lost == 0 || self.page(entry).is_some() {
            return false;
        }
        let total = entry.total();
        let leaf_playouts = LeafPlayouts::with_mean(total.visits, total.value);
        // Fails if another worker has given it a new page; one with the same number is freed.
        let is_mended = entry.lose_page(lost, leaf_playouts);
        if is_mended {
            counters.lost_pages += 1;
            self.free_chain(lost, entry.key());
        }
        is_mended
    }

    /// Returns the owner that pages of the position `key` have, and the key of an owner.
    ///
    /// A complete page may lie on several memory pages, which are of different moments after a power cut. In a file in
    /// doubt complete pages therefore get other owners than before, so that none of the earlier ones is found.
    #[inline]
    pub(super) fn owner_of(&self, key: u64) -> u64 {
        if self.layout.shape.ranked { key } else { key ^ mix_epoch(self.epoch) }
    }

    #[inline]
    pub(super) fn header(&self, word: usize) -> &AtomicU64 {
        &self.backing.words()[word]
    }

    #[inline]
    pub(super) fn bucket(&self, key: u64) -> &[[AtomicU64; ENTRY_WORDS]] {
        let start =
            self.layout.directory() + scale_to(avoid_reserved_keys(key), self.layout.buckets) * BUCKET_WORDS;
        self.backing.words()[start..start + BUCKET_WORDS].as_chunks().0
    }

    /// Returns the overflow bucket of a key; empty in a table with fewer than 8 buckets.
    #[inline]
    pub(super) fn overflow_bucket(&self, key: u64) -> &[[AtomicU64; ENTRY_WORDS]] {
        let buckets = self.layout.overflow_buckets();
        if buckets == 0 {
            return &[];
        }
        // Bits other than those of the bucket's index: positions of one bucket are spread.
        let index = scale_to(avoid_reserved_keys(key).rotate_left(32), buckets);
        let start = self.layout.overflow() + index * BUCKET_WORDS;
        self.backing.words()[start..start + BUCKET_WORDS].as_chunks().0
    }

    #[inline]
    pub(super) fn page_words(&self, number: u32) -> Option<&[AtomicU64]> {
        let index = (number as usize).checked_sub(1).filter(|&index| index < self.layout.pages)?;
        let words = self.layout.shape.page_words();
        let start = self.layout.pool() + index * words;
        Some(&self.backing.words()[start..start + words])
    }
}

/// Returns the difference between keys and owners in an epoch; 0 in the first. The factor is odd, so no two epochs agree.
#[inline]
const fn mix_epoch(epoch: u64) -> u64 {
    (epoch | epoch >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Maps `key` to a number below `parts`: the high half of the product is uniform for any `parts` (Lemire 2019).
#[inline]
fn scale_to(key: u64, parts: usize) -> usize {
    ((u128::from(key) * parts as u128) >> 64) as usize
}

/// Maps keys below [`MIN_KEY`], which mark empty entries and entries being claimed, to other keys. Such keys belong
/// to 128 positions in 2^64.
#[inline]
const fn avoid_reserved_keys(key: u64) -> u64 {
    if key < MIN_KEY { 0x7465_7761_7269 + key } else { key }
}
