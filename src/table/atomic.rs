//! The atomics of the table: those of the standard library, or those of loom under `--cfg loom`, which tries all
//! interleavings of threads (tests/table_loom.rs).

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU64, fence};
use std::sync::atomic::Ordering::Relaxed;
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU64, fence};

/// Overwrites a word to which other threads may be adding: an addition that loaded the word before the store fails.
///
/// A plain store suffices. A thread that adds by compare-and-exchange compares with the newest value, so it cannot
/// restore a value that it loaded before. Loom does not order a store after an earlier exchange, though the standard
/// does; under loom the store is therefore an exchange, too.
#[inline]
pub(super) fn overwrite(word: &AtomicU64, value: u64) {
    #[cfg(not(loom))]
    word.store(value, Relaxed);
    #[cfg(loom)]
    word.swap(value, Relaxed);
}
