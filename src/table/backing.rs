//! The memory mapping under a table. `tests/house/layering.rs` lists the few files, among them this one, in which
//! `unsafe` is allowed.
//!
//! Memory is accessed only through `AtomicU64`, even where other processes map it, so a race is never undefined behaviour.

#![allow(unsafe_code)]

use super::atomic::AtomicU64;
use crate::base::platform;
use memmap2::{MmapOptions, MmapRaw};
use std::fs::File;
use std::io;

/// Bytes of a huge page on the usual processors.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Claimed entries for each huge page of the directory from which on it gets huge pages. Clearing one takes about as long
/// as the first use of as many small pages.
const CLAIMS_PER_HUGE_PAGE: u64 = 32;
/// Claimed entries between two huge pages that the directory gets, so that no simulation waits for all of them.
const CLAIMS_BETWEEN_HUGE_PAGES: u64 = 8;

/// Bytes above which a mapped file is read without read-ahead: a search in such a file touches scattered pages. With
/// a read-ahead of 8 MiB, ten simulations in a new file of 8 GiB took 2.3 s. A smaller file is soon read completely,
/// and faster with read-ahead.
const MIN_RANDOM_ACCESS_BYTES: usize = 1 << 30;

/// Bytes up to which a file is read into memory at once: a search would soon touch most of its pages and wait for
/// each. The pages are populated for reading only: pages made writable count as dirty, and the system would write the
/// whole file to the disk after ten simulations that touch 40 KiB.
const MAX_POPULATED_BYTES: usize = 128 << 20;

/// The memory of a table: private to this process, or mapped from a file.
pub(super) struct Backing {
    /// The mapping of a file, or an anonymous mapping: the system provides zeroed pages on first touch, so a large
    /// table costs nothing at start. (An aligned allocation would be zeroed at once.)
    memory: MmapRaw,
    /// Bytes before the first word, a multiple of 8.
    start: usize,
    words: usize,
    /// Number of huge pages that the part with small pages has room for, see [`Backing::enlarge_pages`].
    sparse_huge_pages: usize,
}

/// The effect of writes on a mapped file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Writes reach the file and all processes that map it.
    Shared,
    /// Writes go to private copies of the pages; the file stays as it is.
    Private,
}

impl Backing {
    /// Allocates `words` zeroed words, aligned to a page; `None` if the memory is not available.
    ///
    /// A large table is aligned to a huge page and requests huge pages from word `dense` on, where memory is used in
    /// order. The words before `dense` are used in no order and have small pages at first: with huge ones, 200 simulations
    /// in 2 GiB touched 150 MiB. See [`enlarge_pages`](Backing::enlarge_pages).
    pub(super) fn heap(words: usize, dense: usize) -> Option<Backing> {
        let bytes = words.checked_mul(8).filter(|&bytes| bytes > 0)?;
        // Miri supports mappings, but not `madvise`.
        let whole_pages = if cfg!(miri) { 0 } else { bytes / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES };
        let sparse = (8 * dense / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES).min(whole_pages);
        let slack = if whole_pages > 0 { HUGE_PAGE_BYTES } else { 0 };
        let memory: MmapRaw = MmapOptions::new().len(bytes.checked_add(slack)?).map_anon().ok()?.into();
        let start = if slack > 0 {
            memory.as_ptr().addr().next_multiple_of(HUGE_PAGE_BYTES) - memory.as_ptr().addr()
        } else {
            0
        };
        if whole_pages > 0 {
            // Huge pages lie entirely inside the table: the rest of the last one is not in the memory budget. A system
            // without huge pages ignores the request; the first call restrains a system that uses them everywhere.
            platform::memory::advise_no_huge_pages(&memory, start, sparse);
            platform::memory::advise_huge_pages(&memory, start + sparse, whole_pages - sparse);
        }
        Some(Backing { memory, start, words, sparse_huge_pages: sparse / HUGE_PAGE_BYTES })
    }

    /// Maps the first `words` words of a file. For `Sharing::Shared` the caller has reserved the file's disk blocks:
    /// a write to a hole on a full disk kills the process (SIGBUS).
    pub(super) fn file(file: &File, words: usize, sharing: Sharing) -> io::Result<Backing> {
        let bytes = words.checked_mul(8).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut options = MmapOptions::new();
        options.len(bytes);
        let memory = match sharing {
            Sharing::Shared => options.map_raw(file)?,
            // SAFETY: the mapping is accessed only as atomic integers, for which any bit pattern is valid; changes of the
            // file under pages not yet copied are races between atomics. If a program that ignores the lock truncates the
            // file, the process ends with SIGBUS, as with any mapping; no bytes beyond the file are read.
            Sharing::Private => unsafe { options.no_reserve_swap().map_copy(file)? }.into(),
        };
        // Huge pages only for files in memory (tmpfs): on a disk, ext4 fills two megabytes for each page touched, and
        // the first search in a large new table takes seconds to begin.
        if platform::files::is_in_memory(file) {
            platform::memory::advise_huge_pages(&memory, 0, bytes);
        }
        if bytes <= MAX_POPULATED_BYTES && sharing == Sharing::Shared {
            platform::memory::populate(&memory);
        }
        if bytes > MIN_RANDOM_ACCESS_BYTES {
            platform::memory::advise_random(&memory);
        }
        Ok(Backing { memory, start: 0, words, sparse_huge_pages: 0 })
    }

    /// Returns all words of the table.
    #[inline]
    pub(super) fn words(&self) -> &[AtomicU64] {
        let start = self.memory.as_mut_ptr().cast::<u8>().wrapping_add(self.start).cast::<AtomicU64>();
        // SAFETY: the mapping is writable and valid for `self.words` words from `start` (`heap` and `file` gave it
        // that length), aligned to a page, initialised (all bit patterns are valid for an atomic integer), and lives
        // as long as `self`. It is accessed through this method only: no `&mut [u8]` is ever made.
        unsafe { std::slice::from_raw_parts(start, self.words) }
    }

    /// Gives the directory huge pages, one after the other, once `claims` entries have been claimed and a search uses much
    /// of it. To be called with each number of claims; does nothing for a file.
    ///
    /// A small page is first read, as the system's page of zeros, and then written; this change of the mapping interrupts
    /// all other processors of the process. In 2 GiB two workers had 0.71 of the speed of two searches with small pages
    /// (120,000 simulations on 9x9), and one worker 0.96 of its speed with huge ones.
    #[inline]
    pub(super) fn enlarge_pages(&self, claims: u64) {
        let huge_pages = self.sparse_huge_pages as u64;
        let Some(late) = claims.checked_sub(CLAIMS_PER_HUGE_PAGE * huge_pages) else { return };
        if late < CLAIMS_BETWEEN_HUGE_PAGES * huge_pages && late.is_multiple_of(CLAIMS_BETWEEN_HUGE_PAGES) {
            self.enlarge_page((late / CLAIMS_BETWEEN_HUGE_PAGES) as usize);
        }
    }

    #[cold]
    fn enlarge_page(&self, index: usize) {
        if index == 0 {
            let bytes = self.sparse_huge_pages * HUGE_PAGE_BYTES;
            platform::memory::advise_huge_pages(&self.memory, self.start, bytes);
        }
        let start = self.start + index * HUGE_PAGE_BYTES;
        platform::memory::collapse_into_huge_pages(&self.memory, start, HUGE_PAGE_BYTES);
    }

    /// Writes the pages of the first `bytes` bytes to the disk and waits for completion.
    pub(super) fn sync_start(&self, bytes: usize) -> io::Result<()> {
        self.memory.flush_range(0, bytes.min(8 * self.words))
    }

    /// Advises the system that the whole mapping will be read sequentially.
    pub(super) fn expect_scan(&self) {
        platform::memory::advise_scan(&self.memory);
    }

    /// Returns the bytes of the table that huge pages hold at present; `None` if the system does not report them.
    pub(super) fn huge_page_bytes(&self) -> Option<usize> {
        let start = self.words().as_ptr().addr();
        platform::memory::huge_page_bytes(start..start + 8 * self.words)
    }
}

/// Prefetches the cache line of `word` for writing, so that other processors give it up; does nothing on processors
/// other than x86-64.
#[inline]
pub(super) fn prefetch_for_write(word: &AtomicU64) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch has no effect on memory, and the address comes from a reference. Processors without the
    // instruction execute it as a no-op.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(std::ptr::from_ref(word).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = word;
}

/// Prefetches the cache line of `word` for reading; does nothing on processors other than x86-64.
#[inline]
pub(super) fn prefetch(word: &AtomicU64) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch has no effect on memory, and the address comes from a reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(word).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = word;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn larger_pages_keep_the_content() {
        let (words, dense) = (6 * HUGE_PAGE_BYTES / 8, 4 * HUGE_PAGE_BYTES / 8);
        let backing = Backing::heap(words, dense).expect("memory");
        let content = |index: usize| (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let some = (0..words).step_by(4_099);
        some.clone().for_each(|index| backing.words()[index].store(content(index), Relaxed));
        (0..1_000).for_each(|claims| backing.enlarge_pages(claims));
        assert!(some.clone().all(|index| backing.words()[index].load(Relaxed) == content(index)));
        let mut others = backing.words().iter().enumerate().filter(|(index, _)| index % 4_099 != 0);
        assert!(others.all(|(_, word)| word.load(Relaxed) == 0));
    }

    #[test]
    fn memory_is_zeroed_and_of_the_size_asked_for() {
        for words in [1, 1000, HUGE_PAGE_BYTES / 8 + 5] {
            let backing = Backing::heap(words, words / 2).expect("memory");
            assert_eq!(backing.words().len(), words);
            assert!(backing.words().iter().all(|word| word.load(Relaxed) == 0));
        }
    }
}
