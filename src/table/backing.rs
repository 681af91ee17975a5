//! The bytes under a table. The only file of the crate with `unsafe`.
//!
//! Memory is seen through `AtomicU64` alone, whoever else may hold it, so that a race is never
//! undefined behaviour.

#![allow(unsafe_code)]

use memmap2::{MmapMut, MmapOptions};
use std::sync::atomic::AtomicU64;

/// Zeroed memory of this process alone.
pub(super) struct Backing {
    /// An anonymous mapping: the system hands out zeroed pages as they are first touched, so a large table
    /// costs nothing at start. (An aligned allocation would be zeroed at once.)
    memory: MmapMut,
}

impl Backing {
    /// `words` zeroed words, on a page boundary; `None` when the memory is not to be had.
    pub(super) fn heap(words: usize) -> Option<Backing> {
        let bytes = words.checked_mul(8).filter(|&bytes| bytes > 0)?;
        let memory = MmapOptions::new().len(bytes).map_anon().ok()?;
        Some(Backing { memory })
    }

    /// All of it.
    #[inline]
    pub(super) fn words(&self) -> &[AtomicU64] {
        let start = self.memory.as_ptr().cast::<AtomicU64>();
        // SAFETY: the mapping is valid for its length, aligned to a page and zero-initialised (all bit
        // patterns are valid for an atomic integer), and lives as long as `self`. It came from an exclusive
        // mapping that is writable, and is reached through this method alone: no `&mut [u8]` is ever made.
        unsafe { std::slice::from_raw_parts(start, self.memory.len() / 8) }
    }
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
