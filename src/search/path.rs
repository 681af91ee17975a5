//! The path of one simulation: what the backup needs to know of each position on the way down.

use crate::game::{Bounds, Move, Player};
use crate::table::{Block, Entry, Own};
use crate::value::Value;

/// What the edges of a position come to, except for the chosen one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Others {
    /// Visits of all other edges.
    pub(super) visits: u64,
    /// Visits of those that are not refuted.
    pub(super) unrefuted: u64,
    /// Their visits times their values (for the mover, in units of [`Value`]), summed.
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
    pub(super) own: Own,
    pub(super) others: Others,
    /// Stones that the move makes Black and White lose.
    pub(super) loses: [bool; 2],
    /// Whether proofs for Black and for White that know no history hold here.
    pub(super) permits: [bool; 2],
    /// The key for bounds that hold for this history only; the plain key where there is no such rule.
    pub(super) key_with_history: u64,
}

/// What a simulation learnt of a position, handed up to the position before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Learnt {
    /// Q, for the player to move there.
    pub(super) value: Value,
    /// Bounds that hold whatever the history, under the condition in [`super::proof`].
    pub(super) base: Bounds,
    /// Bounds that hold for the history of this path.
    pub(super) here: Bounds,
}
