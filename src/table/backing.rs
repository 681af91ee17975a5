//! The bytes under a table, mapped. `unsafe` is here and in the network's kernels alone.
//!
//! Memory is seen through `AtomicU64` alone, whoever else may hold it, so that a race is never
//! undefined behaviour.

#![allow(unsafe_code)]

use super::atomic::AtomicU64;
use crate::platform;
use memmap2::{MmapOptions, MmapRaw};
use std::fs::File;
use std::io;

/// Bytes of a huge page, on the machines that have them in this size.
const HUGE_PAGE: usize = 2 << 20;

/// In a file larger than this many bytes a search touches a page here and there, and to read the pages around would
/// be in vain: where the system read 8 MiB ahead, ten simulations in a new file of 8 GiB took 2.3 s. A smaller file
/// is soon read whole, and faster so.
const LARGE_FILE: usize = 1 << 30;

/// A file of so many bytes is brought into memory at once: a search would touch most of its pages soon, and wait for
/// each. For reading alone: what is made ready to be written counts as written, and all of the file would go to the disk
/// after ten simulations that touch 40 KiB.
const SMALL_FILE: usize = 128 << 20;

/// The memory of a table: of this process alone, or a file's.
pub(super) struct Backing {
    /// An anonymous mapping: the system hands out zeroed pages as they are first touched, so a large table
    /// costs nothing at start. (An aligned allocation would be zeroed at once.) Or the mapping of a file.
    memory: MmapRaw,
    /// Bytes before the first word, a multiple of a word.
    start: usize,
    words: usize,
}

/// Whether what is written to a mapped file reaches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// It does, and all processes that map the file see it.
    Shared,
    /// It does not: written pages are private copies.
    Private,
}

impl Backing {
    /// `words` zeroed words, on a page boundary; `None` when the memory is not to be had. Large tables begin
    /// on the boundary of a huge page, and ask for such pages from word `dense` on, where memory is used from one end
    /// to the other. The words before are used in no order: with huge pages, 200 simulations in 2 GiB touched 190 MiB.
    /// Small pages cost a search that fills them 1 % (2,000,000 simulations on 9x9 in 2 GiB).
    pub(super) fn heap(words: usize, dense: usize) -> Option<Backing> {
        let bytes = words.checked_mul(8).filter(|&bytes| bytes > 0)?;
        // Miri knows mappings, but no advice about them.
        let whole_pages = if cfg!(miri) { 0 } else { bytes / HUGE_PAGE * HUGE_PAGE };
        let sparse = (8 * dense / HUGE_PAGE * HUGE_PAGE).min(whole_pages);
        let slack = if whole_pages > 0 { HUGE_PAGE } else { 0 };
        let memory: MmapRaw = MmapOptions::new().len(bytes.checked_add(slack)?).map_anon().ok()?.into();
        let start = if slack > 0 {
            memory.as_ptr().addr().next_multiple_of(HUGE_PAGE) - memory.as_ptr().addr()
        } else {
            0
        };
        if whole_pages > 0 {
            // Only what is wholly table: the rest of the last page is not in the budget. A system without
            // huge pages refuses, and loses nothing; one that uses them everywhere is told where not to.
            platform::memory::advise_no_huge_pages(&memory, start, sparse);
            platform::memory::advise_huge_pages(&memory, start + sparse, whole_pages - sparse);
        }
        Some(Backing { memory, start, words })
    }

    /// The first `words` words of a file. Where they are shared, its blocks must have been reserved: a write
    /// to a hole of a file on a full disk kills the process.
    pub(super) fn file(file: &File, words: usize, sharing: Sharing) -> io::Result<Backing> {
        let bytes = words.checked_mul(8).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut options = MmapOptions::new();
        options.len(bytes);
        let memory = match sharing {
            Sharing::Shared => options.map_raw(file)?,
            // SAFETY: the copy is reached as atomic integers alone, of which any bit pattern is valid; that
            // the file changes under pages that were not written yet is one more race between atomics.
            // A file that is cut short by a program that ignores our lock ends the process with SIGBUS, as
            // with any mapping; nothing is read from beyond it.
            Sharing::Private => unsafe { options.no_reserve_swap().map_copy(file)? }.into(),
        };
        // On a disk huge pages cost more than they bring: ext4 fills two megabytes where one page is touched, so that the
        // first search in a large new table takes seconds to begin.
        if platform::files::is_in_memory(file) {
            platform::memory::advise_huge_pages(&memory, 0, bytes);
        }
        if bytes <= SMALL_FILE && sharing == Sharing::Shared {
            platform::memory::populate(&memory);
        }
        if bytes > LARGE_FILE {
            platform::memory::advise_random(&memory);
        }
        Ok(Backing { memory, start: 0, words })
    }

    /// All of it.
    #[inline]
    pub(super) fn words(&self) -> &[AtomicU64] {
        let start = self.memory.as_mut_ptr().cast::<u8>().wrapping_add(self.start).cast::<AtomicU64>();
        // SAFETY: the mapping is writable and valid from `start` for so many words (`heap` and `file` made it
        // so long), aligned to a page, of initialised bytes (all bit patterns are valid for an atomic
        // integer), and lives as long as `self`. It is reached through this method alone: no `&mut [u8]` is
        // ever made.
        unsafe { std::slice::from_raw_parts(start, self.words) }
    }

    /// Writes the pages of the first so many bytes to the disk, and waits for that.
    pub(super) fn sync_start(&self, bytes: usize) -> io::Result<()> {
        self.memory.flush_range(0, bytes.min(8 * self.words))
    }

    /// Says that all of it will be read from one end to the other.
    pub(super) fn expect_scan(&self) {
        platform::memory::advise_scan(&self.memory);
    }

    /// Bytes of it that huge pages hold now; `None` where the system does not tell.
    pub(super) fn huge_page_bytes(&self) -> Option<usize> {
        let start = self.words().as_ptr().addr();
        platform::memory::huge_page_bytes(start..start + 8 * self.words)
    }
}

/// Asks the processor to fetch the cache line of `word` and to take it from the other processors, for it will be
/// written; does nothing where that is not known how.
#[inline]
pub(super) fn prefetch_for_write(word: &AtomicU64) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch has no effect on memory, and the address comes from a reference. Processors without the
    // instruction take it for one that does nothing.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(std::ptr::from_ref(word).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = word;
}

/// Asks the processor to fetch the cache line of `word`; does nothing where that is not known how.
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

    #[test]
    fn memory_is_zeroed_and_of_the_size_asked_for() {
        for words in [1, 1000, HUGE_PAGE / 8 + 5] {
            let backing = Backing::heap(words, words / 2).expect("memory");
            assert_eq!(backing.words().len(), words);
            assert!(backing.words().iter().all(|word| word.load(std::sync::atomic::Ordering::Relaxed) == 0));
        }
    }
}
