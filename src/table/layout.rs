//! The shape of a table and the offsets of its parts.
//!
//! ```text
//!   64 words       16 * buckets words                16 * (buckets / 8) words   page_words * pages words
//! +--------------+---------------------------------+--------------------------+----------------------------+
//! | header       | directory: buckets of 4 entries | overflow: more buckets   | pool: edge pages          |
//! +--------------+---------------------------------+--------------------------+----------------------------+
//! ```
//!
//! A position that finds its bucket full goes to a bucket of the overflow, which is part of the directory. Everything is
//! stored in little-endian words of 64 bits; pages are numbered from 1; nothing depends on the address of the memory.

/// Words of the header.
pub(super) const HEADER_WORDS: usize = 64;
/// Words of a directory entry.
pub(super) const ENTRY_WORDS: usize = 4;
/// Entries of a bucket: two adjacent cache lines.
pub(super) const BUCKET_ENTRIES: usize = 4;
/// Words of a bucket.
pub(super) const BUCKET_WORDS: usize = ENTRY_WORDS * BUCKET_ENTRIES;
/// Buckets for each overflow bucket. With this ratio, 100,000 simulations on 19x19 fill 37 % of a directory and evict
/// nothing; without an overflow they evict one entry in 55.
const BUCKETS_PER_OVERFLOW: usize = 8;
/// Words before the edges of a page.
pub(super) const PAGE_HEADER_WORDS: usize = 6;
/// Edges of a ranked page, which then has 16 words: two cache lines.
pub(super) const RANKED_EDGES: usize = 8;
/// Words of a ranked page with the numbers of its moves.
pub(super) const MOVE_WORDS: usize = 2;
/// Bits of a move number on a ranked page.
pub(super) const MOVE_BITS: usize = 12;
/// Maximum number of moves of a game with ranked pages: a chain has at most 64 pages.
const MAX_RANKED_MOVES: usize = 64 * RANKED_EDGES;
/// Maximum number of pages: an entry has 30 bits for a page number, and 0 is none.
const MAX_PAGES: usize = (1 << 30) - 1;
/// Maximum number of moves, above that of any game here.
const MAX_MOVES: usize = 1 << 16;
/// Minimum number of pages: the root and one position below it.
const MIN_PAGES: usize = 2;
/// Directory entries for each complete page of the pool. A position gets a page after a few visits, and each visit makes
/// a new position; the ratio was found by measurement.
const ENTRIES_PER_COMPLETE_PAGE: usize = 12;
/// Directory entries for each ranked page. Positions with one visit have no entry then: 100,000 simulations make 1.34
/// to 1.40 entries for each page.
const ENTRIES_PER_RANKED_PAGE: usize = 2;

/// An error of a table's size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// No room for one bucket and two pages.
    #[error("a table of {given} bytes is too small: expected at least {smallest} for this game and board")]
    TooSmall {
        /// Bytes requested.
        given: usize,
        /// Bytes of the smallest table.
        smallest: usize,
    },
    /// The operating system did not provide the memory.
    #[error("not enough memory for a table of {bytes} bytes: give a smaller --memory or --table-size")]
    OutOfMemory {
        /// Bytes requested.
        bytes: usize,
    },
}

/// The parameters of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of moves of the game.
    pub moves: usize,
    /// True for ranked pages, which hold the best moves by prior with their numbers; false for complete ones, which hold
    /// all moves in order.
    pub ranked: bool,
    /// True if each edge has a word of state for the selection policy.
    pub policy_state: bool,
}

impl Shape {
    /// Returns the shape with one page of all moves for each position.
    #[must_use]
    pub const fn complete(moves: usize) -> Shape {
        Shape { moves, ranked: false, policy_state: false }
    }

    /// Returns the shape with a chain of pages for each position, the best moves first.
    #[must_use]
    pub const fn ranked(moves: usize) -> Shape {
        Shape { moves, ranked: true, policy_state: false }
    }

    /// Returns the number of edges on a page.
    #[must_use]
    #[inline]
    pub const fn edges(self) -> usize {
        if self.ranked { RANKED_EDGES } else { self.moves }
    }

    /// Returns the words of a page, a multiple of a cache line.
    #[must_use]
    pub const fn page_words(self) -> usize {
        let state = if self.policy_state { self.edges() } else { 0 };
        (self.policy_start() + state).next_multiple_of(8)
    }

    /// Returns the index of the first AMAF word of a page.
    #[inline]
    pub(super) const fn amaf_start(self) -> usize {
        PAGE_HEADER_WORDS + self.edges()
    }

    /// Returns the number of AMAF words of a page. Ranked pages have none: with an evaluator, AMAF gains nothing.
    #[inline]
    pub(super) const fn amaf_words(self) -> usize {
        if self.ranked { 0 } else { self.edges().div_ceil(2) }
    }

    /// Returns the index of the first word with the move numbers of a ranked page.
    #[inline]
    pub(super) const fn move_words_start(self) -> usize {
        self.amaf_start() + self.amaf_words()
    }

    /// Returns the index of the first word of policy state; of the word after the others if there is none.
    #[inline]
    pub(super) const fn policy_start(self) -> usize {
        self.move_words_start() + if self.ranked { MOVE_WORDS } else { 0 }
    }

    /// Returns the number of directory entries for each page of the pool.
    const fn entries_per_page(self) -> usize {
        if self.ranked { ENTRIES_PER_RANKED_PAGE } else { ENTRIES_PER_COMPLETE_PAGE }
    }

    /// Returns true if a page can number the moves. Ranked pages have no policy state.
    const fn is_possible(self) -> bool {
        !(self.ranked && self.policy_state)
            && self.moves >= 1
            && self.moves <= if self.ranked { MAX_RANKED_MOVES } else { MAX_MOVES }
    }
}

/// The number of each part, from which the offsets follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Shape of the pages.
    pub shape: Shape,
    /// Number of buckets in the directory, without the overflow.
    pub buckets: usize,
    /// Number of edge pages in the pool.
    pub pages: usize,
}

impl Layout {
    /// Returns the largest layout of `shape` that fits into `bytes`, with at most 2^30 - 1 pages.
    ///
    /// # Errors
    /// Returns an error if the smallest layout does not fit.
    pub fn fit(shape: Shape, bytes: usize) -> Result<Layout, TableError> {
        let smallest = Layout { shape, buckets: 1, pages: MIN_PAGES };
        if bytes < smallest.bytes() {
            return Err(TableError::TooSmall { given: bytes, smallest: smallest.bytes() });
        }
        let words = bytes / 8 - HEADER_WORDS;
        let per_page = shape.page_words() + shape.entries_per_page() * ENTRY_WORDS;
        let pages = (words / per_page).clamp(MIN_PAGES, MAX_PAGES);
        let all_buckets = ((words - pages * shape.page_words()) / BUCKET_WORDS).max(1);
        let mut layout =
            Layout { shape, buckets: all_buckets - all_buckets / (BUCKETS_PER_OVERFLOW + 1), pages };
        layout.buckets -= usize::from(layout.buckets + layout.overflow_buckets() > all_buckets);
        debug_assert!(layout.bytes() <= bytes);
        Ok(layout)
    }

    /// Returns true if the layout is possible; that of a file is not trusted.
    pub(super) fn is_possible(&self) -> bool {
        let bytes = || {
            let buckets = self.buckets.checked_add(self.overflow_buckets())?;
            let directory = buckets.checked_mul(BUCKET_WORDS)?;
            let pool = self.pages.checked_mul(self.shape.page_words())?;
            directory.checked_add(pool)?.checked_add(HEADER_WORDS)?.checked_mul(8)
        };
        self.shape.is_possible()
            && self.buckets >= 1
            && (MIN_PAGES..=MAX_PAGES).contains(&self.pages)
            && bytes().is_some_and(|bytes| isize::try_from(bytes).is_ok())
    }

    /// Returns the size of the table in bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        8 * self.words()
    }

    /// Returns the size of the table in words.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.pool() + self.pages * self.shape.page_words()
    }

    /// Returns the number of overflow buckets.
    pub(super) const fn overflow_buckets(&self) -> usize {
        self.buckets / BUCKETS_PER_OVERFLOW
    }

    /// Returns the number of entries in the directory, overflow included.
    #[must_use]
    pub const fn entries(&self) -> usize {
        (self.buckets + self.overflow_buckets()) * BUCKET_ENTRIES
    }

    /// Returns the index of the first word of the directory.
    pub(super) const fn directory(&self) -> usize {
        HEADER_WORDS
    }

    /// Returns the index of the first word of the overflow.
    pub(super) const fn overflow(&self) -> usize {
        self.directory() + self.buckets * BUCKET_WORDS
    }

    /// Returns the index of the first word of the pool.
    pub(super) const fn pool(&self) -> usize {
        self.overflow() + self.overflow_buckets() * BUCKET_WORDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ranked_page_is_two_cache_lines_and_never_lies_on_two_memory_pages() {
        for moves in [5, 82, 362] {
            assert_eq!(Shape::ranked(moves).page_words() * 8, 128);
            let layout = Layout::fit(Shape::ranked(moves), 1 << 20).unwrap();
            assert_eq!(8 * layout.pool() % 128, 0);
        }
        assert_eq!(Shape::complete(82).page_words() * 8, 1088);
        assert_eq!(Shape::complete(362).page_words() * 8, 4416);
    }

    #[test]
    fn a_layout_fills_what_it_is_given_and_never_more() {
        for moves in [2, 10, 82, 362] {
            let shape = Shape { policy_state: moves == 10, ..Shape::complete(moves) };
            for bytes in [16 << 10, 17_000, 100_001, 1 << 20, 64 << 20] {
                let layout = Layout::fit(shape, bytes).unwrap();
                assert!(layout.bytes() <= bytes);
                assert!(layout.bytes() + 2 * 8 * shape.page_words() > bytes, "{layout:?} in {bytes}");
            }
            assert!(matches!(Layout::fit(shape, 100), Err(TableError::TooSmall { given: 100, .. })));
        }
    }
}
