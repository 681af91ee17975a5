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
/// Maximum number of pages: an entry has 26 bits for the page number, and 0 is none.
const MAX_PAGES: usize = (1 << 26) - 1;
/// Moves up to which a page lies on at most two pages. With more it may lie on three, so a tag ends each of its arrays.
const MOVES_ON_TWO_PAGES: usize = 128;
/// Maximum number of moves, above that of any game here.
const MAX_MOVES: usize = 1 << 16;
/// Minimum number of pages: the root and one position below it.
const MIN_PAGES: usize = 2;
/// Directory entries for each page of the pool. A position gets a page after a few visits, and each visit makes a new
/// position; the ratio was found by measurement.
pub const ENTRIES_PER_PAGE: usize = 12;

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
    /// Number of moves of the game: edges of a page.
    pub moves: usize,
    /// True if each edge has a word of state for the selection policy.
    pub policy_state: bool,
}

impl Shape {
    /// Returns the words of an edge page, a multiple of a cache line.
    #[must_use]
    pub const fn page_words(self) -> usize {
        (self.last_tag() + 1).next_multiple_of(8)
    }

    /// Returns the words between two arrays of a page: one for a tag if it may lie on three pages.
    #[inline]
    const fn gap(self) -> usize {
        (self.moves > MOVES_ON_TWO_PAGES) as usize
    }

    /// Returns the index of the first AMAF word of a page.
    #[inline]
    pub(super) const fn amaf_start(self) -> usize {
        PAGE_HEADER_WORDS + self.moves + self.gap()
    }

    /// Returns the index of the first word of policy state; of the word after the AMAF words if there is none.
    #[inline]
    pub(super) const fn policy_start(self) -> usize {
        let gap = if self.policy_state { self.gap() } else { 0 };
        self.amaf_start() + self.moves.div_ceil(2) + gap
    }

    const fn last_tag(self) -> usize {
        self.policy_start() + if self.policy_state { self.moves } else { 0 }
    }

    /// Returns the indices of the tags, see [`tag`](super::page::tag). Each page of a page contains a tag or the
    /// page's owner, wherever the page boundaries lie, because an array is shorter than a page.
    pub(super) fn tags(self) -> impl Iterator<Item = usize> {
        let after_edges = (self.gap() > 0).then(|| self.amaf_start() - 1);
        let after_amaf = (self.gap() > 0 && self.policy_state).then(|| self.policy_start() - 1);
        after_edges.into_iter().chain(after_amaf).chain([self.last_tag()])
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
    /// Returns the largest layout of `shape` that fits into `bytes`, with at most 2^26 - 1 pages.
    ///
    /// # Errors
    /// Returns an error if the smallest layout does not fit.
    pub fn fit(shape: Shape, bytes: usize) -> Result<Layout, TableError> {
        let smallest = Layout { shape, buckets: 1, pages: MIN_PAGES };
        if bytes < smallest.bytes() {
            return Err(TableError::TooSmall { given: bytes, smallest: smallest.bytes() });
        }
        let words = bytes / 8 - HEADER_WORDS;
        let per_page = shape.page_words() + ENTRIES_PER_PAGE * ENTRY_WORDS;
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
        (1..=MAX_MOVES).contains(&self.shape.moves)
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
    fn a_page_takes_1088_bytes_on_9x9_and_4416_on_19x19() {
        assert_eq!(Shape { moves: 82, policy_state: false }.page_words() * 8, 1088);
        assert_eq!(Shape { moves: 362, policy_state: false }.page_words() * 8, 4416);
    }

    #[test]
    fn each_page_of_a_page_has_a_tag_however_it_lies() {
        const PAGE: usize = 512;
        for moves in [2, 82, 128, 129, 170, 325, 362] {
            for policy_state in [false, true] {
                let shape = Shape { moves, policy_state };
                let signs: Vec<usize> = [0].into_iter().chain(shape.tags()).collect();
                let used = *signs.last().expect("a tag") + 1;
                assert!(used <= shape.page_words());
                for start in 0..PAGE {
                    let page = |word: usize| (start + word) / PAGE;
                    let has_sign = |wanted: usize| signs.iter().any(|&sign| page(sign) == wanted);
                    // The first page contains the owner; a page boundary may also divide the page's header of six words.
                    assert!((0..used).all(|word| has_sign(page(word))), "{shape:?} at {start}");
                }
            }
        }
    }

    #[test]
    fn a_layout_fills_what_it_is_given_and_never_more() {
        for moves in [2, 10, 82, 362] {
            let shape = Shape { moves, policy_state: moves == 10 };
            for bytes in [16 << 10, 17_000, 100_001, 1 << 20, 64 << 20] {
                let layout = Layout::fit(shape, bytes).unwrap();
                assert!(layout.bytes() <= bytes);
                assert!(layout.bytes() + 2 * 8 * shape.page_words() > bytes, "{layout:?} in {bytes}");
            }
            assert!(matches!(Layout::fit(shape, 100), Err(TableError::TooSmall { given: 100, .. })));
        }
    }
}
