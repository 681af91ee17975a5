//! Word 1 of a page: its sequence number, its place in a chain, and the next page. Format: see [`page`](super::page).

use super::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The bits of word 1 that hold sequence and rank.
pub(super) const STAMP_MASK: u64 = u32::MAX as u64;
pub(super) const SEQUENCE_MASK: u64 = (1 << RANK_SHIFT) - 1;
pub(super) const RANK_SHIFT: u32 = 26;
pub(super) const NEXT_SHIFT: u32 = 32;
/// Maximum number of pages in a chain.
pub(super) const MAX_CHAIN: u64 = 1 << (NEXT_SHIFT - RANK_SHIFT);

/// Returns word 1 `steps` sequence numbers later, with the same rank and no next page.
pub(super) const fn after(word: u64, steps: u64) -> u64 {
    word & STAMP_MASK & !SEQUENCE_MASK | word.wrapping_add(steps) & SEQUENCE_MASK
}

/// Returns word 1 of a page that takes this place in its chain.
pub(super) const fn with_rank(word: u64, rank: u64) -> u64 {
    word & SEQUENCE_MASK | rank << RANK_SHIFT
}

/// Returns the place in the chain from word 1.
pub(super) const fn rank_of(word: u64) -> u64 {
    (word & STAMP_MASK) >> RANK_SHIFT
}

/// Returns the number of the next page from word 1.
pub(super) const fn next_of(word: u64) -> u32 {
    (word >> NEXT_SHIFT) as u32
}

/// Assigns a page that no worker uses to `owner`; the caller fills it.
pub(super) fn assign(words: &[AtomicU64], owner: u64, rank: u64) {
    words[0].store(owner, Relaxed);
    words[1].store(with_rank(2, rank), Relaxed);
}

/// Frees a page that no worker uses.
pub(super) fn free(words: &[AtomicU64]) {
    words[0].store(0, Relaxed);
    words[1].store(after(words[1].load(Relaxed) | 1, 1), Relaxed);
    words[2].store(0, Relaxed);
}
