//! Recovery of blocks in files with pages of different moments (after a power cut, a killed user or a copy).
//!
//! An entry lies within one page, so it is consistent in any file, and its bounds belong to the key beside them. A
//! block may lie on two or three pages; one of them may hold edges of its owner, and another edges of the block's
//! owner before or after.
//!
//! Each file therefore counts *epochs*. Opening a file increments its epoch unless all of its pages are known to be
//! of one moment ([`session`](crate::table::file)). Each block stores the epoch in which it was filled or last
//! verified, in the word of its sequence, which every reader compares anyway: blocks of the present epoch need no
//! further test. A block of another epoch is verified at its first use, and then gets the present epoch or is freed.

use crate::table::block::Block;
use crate::table::entry::{Entry, VisitsAndValue};
use crate::table::header;
use crate::table::transposition_table::Table;
use std::sync::atomic::Ordering::Relaxed;

/// The result of verifying a block of another epoch.
pub(super) enum BlockState {
    /// All of the block belongs to its position.
    Consistent,
    /// All of the block belongs to its position, but its edges have more visits than the entry, which was written to
    /// the disk earlier. Contains the visits that the entry should have.
    EntryBehind(u32),
    /// Parts of the block belong to another position, or are damaged.
    Torn,
}

impl Table {
    /// Verifies a block of another epoch. Returns the block of `entry`'s position if it is consistent, with the
    /// present epoch; frees it otherwise.
    #[cold]
    pub(in crate::table) fn verify_block(&self, entry: &Entry<'_>, number: u32) -> Option<Block<'_>> {
        let words = self.block_words(number)?;
        let block = Block::accept_any(words, self.layout.shape, number, entry.key())?;
        if block.has_epoch(self.epoch) {
            // Another worker has completed or verified the block since the caller probed it.
            return Some(block);
        }
        match Table::check_block(entry, &block) {
            BlockState::Consistent => {}
            BlockState::EntryBehind(visits) => entry.raise_visits(visits),
            BlockState::Torn => {
                if block.free() {
                    self.header(header::BLOCKS_USED).fetch_sub(1, Relaxed);
                }
                return None;
            }
        }
        block.with_epoch(self.epoch)
    }

    /// Returns the block of `entry`'s position if it is consistent, and the position's visits and value after
    /// recovery. Changes nothing.
    pub(super) fn sound_block(&self, entry: &Entry<'_>) -> Option<(Block<'_>, VisitsAndValue)> {
        let number = entry.block_number();
        let words = self.block_words(number)?;
        let block = Block::accept_any(words, self.layout.shape, number, entry.key())?;
        match Table::check_block(entry, &block) {
            BlockState::Consistent => Some((block, entry.total())),
            BlockState::EntryBehind(visits) => Some((block, VisitsAndValue { visits, ..entry.total() })),
            BlockState::Torn => None,
        }
    }

    /// Verifies that `block` is consistent and agrees with `entry`.
    pub(super) fn check_block(entry: &Entry<'_>, block: &Block<'_>) -> BlockState {
        if !block.has_matching_tags() || block.fault().is_some() {
            return BlockState::Torn;
        }
        let edges: u64 = block.edges().map(|edge| u64::from(edge.visits())).sum();
        let counted = edges + u64::from(entry.leaf_playouts().visits);
        let visits = u64::from(entry.total().visits);
        if counted <= Table::visits_allowed(visits) {
            BlockState::Consistent
        } else {
            // Up to twice the visits: the difference of a few seconds, or of one halving.
            let counted =
                u32::try_from(counted).ok().filter(|_| counted <= 2 * Table::visits_allowed(visits));
            counted.map_or(BlockState::Torn, BlockState::EntryBehind)
        }
    }
}
