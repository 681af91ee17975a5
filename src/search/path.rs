//! The path of one simulation: the data that the backup needs of each position.

use super::proof::ProvenBounds;
use super::value_bias::BiasSlot;
use super::value_weight;
use crate::base::game::{Move, Player};
use crate::base::value::{Estimate, Value};
use crate::table::{Entry, LeafPlayouts, Page};

/// Sums over the edges of a position other than the chosen one, taken when it was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SiblingStatistics {
    /// Visits of all siblings, refuted ones included.
    pub(super) visits: u64,
    /// Weight of the siblings that are not refuted: the sum of visits times weight of a visit.
    pub(super) weight: u64,
    /// Sum of weight times value (for the mover, in units of [`Value`]) over the siblings that are not refuted.
    pub(super) weighted: u128,
    /// Visits of the chosen edge itself.
    pub(super) chosen: u32,
    /// Weight of a visit of the chosen edge, see [`value_weight`].
    pub(super) chosen_weight: u32,
}

impl SiblingStatistics {
    /// No siblings, and a chosen edge without visits.
    pub(super) const NONE: SiblingStatistics = SiblingStatistics {
        visits: 0,
        weight: 0,
        weighted: 0,
        chosen: 0,
        chosen_weight: value_weight::WEIGHT_UNIT,
    };
}

/// A position of the descent and the move chosen there.
pub(super) struct Step<'t> {
    pub(super) entry: Entry<'t>,
    /// The first page of the position's chain.
    pub(super) first: Page<'t>,
    /// The page with the edge of the move, and the edge's index there.
    pub(super) page: Page<'t>,
    pub(super) index: usize,
    pub(super) mover: Player,
    pub(super) mv: Move,
    /// The slot of the position's context; `None` at the root, and without a correction of values.
    pub(super) bias_slot: Option<BiasSlot>,
    pub(super) leaf_playouts: LeafPlayouts,
    pub(super) estimate: Option<Estimate>,
    pub(super) siblings: SiblingStatistics,
    /// True for Black, and for White, if the move makes that player lose stones.
    pub(super) loses_stones: [bool; 2],
    /// True for Black, and for White, if base bounds in that player's favour hold on this path.
    pub(super) permits_proof_for: [bool; 2],
    /// The key for path bounds; the plain key where no rule forbids repetition.
    pub(super) key_with_history: u64,
}

/// Value and bounds that a position passes to its predecessor on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BackupValue {
    /// Q of the child, for the player to move there.
    pub(super) value: Value,
    /// Proven bounds of the child.
    pub(super) bounds: ProvenBounds,
}
