//! The path of one simulation: what the backup needs to know of each position on it.

use super::proof::ProvenBounds;
use super::value_weight;
use crate::game::{Move, Player};
use crate::table::{Block, Entry, LeafPlayouts};
use crate::value::{Estimate, Value};

/// Sums over the edges of a position other than the chosen one, when it was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SiblingStatistics {
    /// Visits of all siblings.
    pub(super) visits: u64,
    /// Weight of those that are not refuted: visits, times the weight of a visit.
    pub(super) weight: u64,
    /// Weight times value (for the mover, in units of [`Value`]) of those that are not refuted.
    pub(super) weighted: u128,
    /// Visits of the chosen edge itself.
    pub(super) chosen: u32,
    /// The weight of a visit of the chosen edge, see [`value_weight`](super::value_weight).
    pub(super) chosen_weight: u32,
}

impl SiblingStatistics {
    /// Without any sibling, and a chosen edge without visits.
    pub(super) const NONE: SiblingStatistics =
        SiblingStatistics { visits: 0, weight: 0, weighted: 0, chosen: 0, chosen_weight: value_weight::UNIT };
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
