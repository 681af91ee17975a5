//! Blocks in doubt: those of a file whose last users may have left pages of different moments.
//!
//! An entry lies within a page, so whatever was written of a file, an entry is that of one moment, and bounds belong to
//! the key beside them. A block may lie on two or three pages, and one may have been written with this owner's edges
//! and the other with the edges of the position that had the block before, or after.
//!
//! So a file counts *epochs*: one more whenever it is opened and nobody can tell that all of it is of one moment
//! ([`session`](super::session)). Each block carries the epoch in which it was filled, or found to be whole. That number
//! stands beside the claim's, which every reader compares anyway: for blocks of the present epoch nothing is added to
//! that. A block of another one is looked at when a search first comes to it; it is given the present epoch, or freed.

use super::block::Block;
use super::entry::{Entry, Total};
use super::{Table, header};
use std::sync::atomic::Ordering::Relaxed;

/// What is found in a block of another epoch.
pub(super) enum Finding {
    /// All of it is its position's.
    Whole,
    /// It is, and its edges have more visits than the position says: the entry was written earlier. The visits it
    /// should have.
    Newer(u32),
    /// Not all of it is.
    Torn,
}

impl Table {
    /// The block of `entry`'s position if it is of another epoch and all of it belongs to the position; it is freed if
    /// it does not.
    #[cold]
    pub(super) fn settle_doubt(&self, entry: &Entry<'_>, number: u32) -> Option<Block<'_>> {
        let words = self.block_words(number)?;
        let block = Block::accept_any(words, self.layout.shape, number, entry.key())?;
        if block.is_of(self.epoch) {
            // It was being filled a moment ago.
            return Some(block);
        }
        match Table::examine(entry, &block) {
            Finding::Whole => {}
            Finding::Newer(visits) => entry.raise_visits(visits),
            Finding::Torn => {
                if block.free() {
                    self.header(header::BLOCKS_USED).fetch_sub(1, Relaxed);
                }
                return None;
            }
        }
        block.renewed(self.epoch)
    }

    /// The block of `entry`'s position, if all of it is, and the position's visits and value as they should be. Nothing is
    /// changed.
    pub(super) fn sound_block(&self, entry: &Entry<'_>) -> Option<(Block<'_>, Total)> {
        let number = entry.block_number();
        let words = self.block_words(number)?;
        let block = Block::accept_any(words, self.layout.shape, number, entry.key())?;
        match Table::examine(entry, &block) {
            Finding::Whole => Some((block, entry.total())),
            Finding::Newer(visits) => Some((block, Total { visits, ..entry.total() })),
            Finding::Torn => None,
        }
    }

    /// Whether a block can be used as that of `entry`'s position.
    pub(super) fn examine(entry: &Entry<'_>, block: &Block<'_>) -> Finding {
        if !block.is_whole() || block.fault().is_some() {
            return Finding::Torn;
        }
        let edges: u64 = block.edges().map(|edge| u64::from(edge.visits())).sum();
        let counted = edges + u64::from(entry.leaf_playouts().visits);
        let visits = u64::from(entry.total().visits);
        if counted <= Table::visits_allowed(visits) {
            Finding::Whole
        } else {
            // Twice as many are no difference of a few seconds, or of one halving.
            let counted =
                u32::try_from(counted).ok().filter(|_| counted <= 2 * Table::visits_allowed(visits));
            counted.map_or(Finding::Torn, Finding::Newer)
        }
    }
}
