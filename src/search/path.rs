//! The path of one simulation: what the backup needs to know of each position on it.

use super::proof::ProvenBounds;
use crate::game::{Move, Player};
use crate::table::{Block, Entry, LeafPlayouts};
use crate::value::{Estimate, Value};

/// Sums over the edges of a position other than the chosen one, when it was chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SiblingStatistics {
    /// Visits of all siblings.
    pub(super) visits: u64,
    /// Visits of those that are not refuted.
    pub(super) unrefuted: u64,
    /// Visits times value (for the mover, in units of [`Value`]) of those that are not refuted.
    pub(super) weighted: u128,
    /// Visits of the chosen edge itself.
    pub(super) chosen: u32,
}

/// One position of the descent, and the move chosen there.
pub(super) struct Step<'t> {
    pub(super) entry: Entry<'t>,
    pub(super) block: Block<'t>,
    pub(super) mover: Player,
    pub(super) mv: Move,
    pub(super) leaf_playouts: LeafPlayouts,
    pub(super) estimate: Option<Estimate>,
    pub(super) siblings: SiblingStatistics,
    /// Whether the move makes Black, and White, lose stones.
    pub(super) loses_stones: [bool; 2],
    /// Whether base bounds in favour of Black, and of White, hold on this path.
    pub(super) permits_proof_for: [bool; 2],
    /// The key for path bounds; the plain key where no rule forbids repetition.
    pub(super) key_with_history: u64,
}

/// What is backed up from a position to the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BackupValue {
    /// Q, for the player to move at the child.
    pub(super) value: Value,
    /// What is proven of the child.
    pub(super) bounds: ProvenBounds,
}
