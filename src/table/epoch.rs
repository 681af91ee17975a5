//! The place of the epoch in a word: in the sequence of a page, and in the header's state of use.

/// Right shift of a word that gives its epoch.
pub(super) const EPOCH_SHIFT: u32 = 32;
/// The bits of a word that hold the epoch.
pub(super) const EPOCH_MASK: u64 = u64::MAX << EPOCH_SHIFT;
