//! Probes of the table for proven bounds.

use super::{ProvenBounds, decided, outcome_for, permits};
use crate::base::game::{Bounds, Game, Move, Outcome, Player};
use crate::table::{Entry, Table};

/// Returns the part of base bounds that holds on a path: the lower bound if `permits` is true for Black, the upper
/// bound if it is true for White.
#[inline]
pub(super) fn permitted(base: Bounds, permits: [bool; 2], range: Bounds) -> Bounds {
    Bounds {
        lower: if permits[0] { base.lower } else { range.lower },
        upper: if permits[1] { base.upper } else { range.upper },
    }
}

/// Returns the path bounds of the position of `game`; the whole score range if the table has none.
pub(in crate::search) fn path_bounds<G: Game>(table: &Table, game: &G) -> Bounds {
    let range = game.score_range();
    table.find(game.key()).map_or(range, |entry| path_bounds_of(table, game, &entry, range))
}

/// Returns the path bounds of the position of `game`, which has `entry`.
#[inline]
pub(super) fn path_bounds_of<G: Game>(table: &Table, game: &G, entry: &Entry<'_>, range: Bounds) -> Bounds {
    let bounds = permitted(entry.bounds(range), permits(game), range);
    if entry.has_twin() {
        bounds.intersect(twin_bounds(table, game.key_with_history(), range))
    } else {
        bounds
    }
}

/// Returns the path bounds stored under a key of position and history.
pub(super) fn twin_bounds(table: &Table, key_with_history: u64, range: Bounds) -> Bounds {
    table.find(key_with_history).map_or(range, |entry| entry.bounds(range))
}

/// Returns the proven bounds of the child after `mv`; `None` if it is not in the table.
pub(in crate::search) fn child_bounds<G: Game>(table: &Table, game: &G, mv: Move) -> Option<ProvenBounds> {
    let range = game.score_range();
    let entry = table.find(game.key_after(mv))?;
    let base = entry.bounds(range);
    let mut path = range;
    if base != range {
        let permits = Player::BOTH.map(|winner| game.permits_proof_after(mv, winner));
        path = permitted(base, permits, range);
    }
    if entry.has_twin() {
        path = path.intersect(twin_bounds(table, game.key_with_history_after(mv), range));
    }
    Some(ProvenBounds { base, path })
}

/// Returns the outcome for the player to move, if the path bounds decide it.
pub(in crate::search) fn proven_outcome<G: Game>(table: &Table, game: &G) -> Option<Outcome> {
    let for_black = decided(game, path_bounds(table, game))?;
    Some(outcome_for(game.to_play(), for_black))
}
