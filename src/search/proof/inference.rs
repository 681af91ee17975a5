//! Inference of a position's bounds from those of its children.

use super::ProvenBounds;
use super::lookup::{child_bounds, permitted};
use crate::base::game::{Bounds, Game, Move, Player};
use crate::search::path::{BackupValue, Step};
use crate::table::Table;

/// Returns the bounds of a position that follow from those backed up from `child`, the position after the move of
/// `step`.
///
/// One child is enough to raise the mover's own bound. The opposite bound needs all moves: `from_all_moves` is
/// [`bounds_from_all_moves`] of the position, called only if it can tighten that bound.
pub(super) fn bounds_from_child(
    step: &Step<'_>,
    child: &BackupValue,
    range: Bounds,
    has_repetition_rule: bool,
    from_all_moves: impl FnOnce() -> ProvenBounds,
) -> ProvenBounds {
    let ProvenBounds { mut base, mut path } = ProvenBounds::none(range);
    let child = &child.bounds;
    let keeps_stones = |winner: Player| !has_repetition_rule || !step.loses_stones[winner.index()];
    let is_informative;
    match step.mover {
        Player::Black => {
            path.lower = child.path.lower;
            base.lower = if keeps_stones(Player::Black) { child.base.lower } else { range.lower };
            is_informative = child.path.upper < range.upper || child.base.upper < range.upper;
        }
        Player::White => {
            path.upper = child.path.upper;
            base.upper = if keeps_stones(Player::White) { child.base.upper } else { range.upper };
            is_informative = child.path.lower > range.lower || child.base.lower > range.lower;
        }
    }
    if is_informative {
        let all = from_all_moves();
        base = base.intersect(all.base);
        path = path.intersect(all.path);
    }
    ProvenBounds { base, path: path.intersect(permitted(base, step.permits_proof_for, range)) }
}

/// Returns the bounds against the player to move: the best that any move achieves. A move to a position without an entry is
/// unproven, and pages are not read. The scan ends once nothing can be proven.
pub(super) fn bounds_from_all_moves<G: Game>(table: &Table, game: &G) -> ProvenBounds {
    let range = game.score_range();
    let mover = game.to_play();
    let winner = mover.other();
    let has_repetition_rule = game.has_repetition_rule();
    // In the mover's view the bound is the maximum over the moves, so it starts from the worst.
    let (mut base_best, mut path_best) = match mover {
        Player::Black => (range.lower, range.lower),
        Player::White => (range.upper, range.upper),
    };
    let better = |one: i16, other: i16| if mover == Player::Black { one.max(other) } else { one.min(other) };
    let against = |bounds: Bounds| if mover == Player::Black { bounds.upper } else { bounds.lower };
    let unproven = against(range);
    for number in 0..game.move_count() {
        let mv = Move(number as u16);
        if !game.is_legal_ignoring_history(mv) {
            continue;
        }
        let child = child_bounds(table, game, mv).unwrap_or(ProvenBounds::none(range));
        let keeps_stones = !has_repetition_rule || !game.loses_stones(mv)[winner.index()];
        base_best = better(base_best, if keeps_stones { against(child.base) } else { unproven });
        if path_best != unproven && !game.is_banned(mv) {
            path_best = better(path_best, against(child.path));
        }
        if base_best == unproven && path_best == unproven {
            return ProvenBounds::none(range);
        }
    }
    let bounds = |best: i16| match mover {
        Player::Black => Bounds { lower: range.lower, upper: best },
        Player::White => Bounds { lower: best, upper: range.upper },
    };
    ProvenBounds { base: bounds(base_best), path: bounds(path_best) }
}
