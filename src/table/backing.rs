//! The bytes under a table. The only file of the crate with `unsafe`.
//!
//! Memory is seen through `AtomicU64` alone, whoever else may hold it, so that a race is never
//! undefined behaviour.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// Alignment of small tables: a page.
const PAGE: usize = 4096;
/// Alignment of tables that can use it: an x86-64 huge page.
const HUGE_PAGE: usize = 2 << 20;

/// Zeroed memory on the heap.
pub(super) struct Backing {
    start: NonNull<AtomicU64>,
    layout: Layout,
}

// SAFETY: the memory is owned, lives as long as the value, and is only handed out as `&[AtomicU64]`,
// which is `Sync`.
unsafe impl Send for Backing {}
// SAFETY: as above; no method needs exclusive access.
unsafe impl Sync for Backing {}

impl Backing {
    /// `words` zeroed words, on a page boundary; `None` when the memory is not to be had.
    ///
    /// Pages are touched only as they are used, so a large table costs nothing at start.
    pub(super) fn heap(words: usize) -> Option<Backing> {
        let bytes = words.checked_mul(8).filter(|&bytes| bytes > 0)?;
        let align = if bytes >= 2 * HUGE_PAGE { HUGE_PAGE } else { PAGE };
        let layout = Layout::from_size_align(bytes, align).ok()?;
        // SAFETY: the layout has a non-zero size.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Backing { start: start.cast(), layout })
    }

    /// All of it.
    #[inline]
    pub(super) fn words(&self) -> &[AtomicU64] {
        // SAFETY: `start` is valid for `layout.size()` bytes, aligned to a page, zero-initialised (all
        // bit patterns are valid for an atomic integer), and no `&mut` to it is ever made.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size() / 8) }
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        // SAFETY: allocated in `heap` with this layout, and no borrow of it outlives the value.
        unsafe { dealloc(self.start.as_ptr().cast(), self.layout) }
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
