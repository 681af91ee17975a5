//! The atomics of the table: those of the standard library, or with `--cfg loom` those of loom, which tries all
//! orders in which threads may meet (tests/table_loom.rs).

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU64, fence};
use std::sync::atomic::Ordering::Relaxed;
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU64, fence};

/// Writes a word that others may be adding to: what they looked at before, they add in vain.
///
/// A plain store. Whoever adds by compare-and-exchange adds to the newest value, so after this store none can bring
/// back what it had looked at earlier. Loom does not put a store and an exchange that came before it in
/// order, though the standard does; for loom the store is an exchange, too.
#[inline]
pub(super) fn overwrite(word: &AtomicU64, value: u64) {
    #[cfg(not(loom))]
    word.store(value, Relaxed);
    #[cfg(loom)]
    word.swap(value, Relaxed);
}
