//! Proven score bounds under rules that forbid repetition.
//!
//! A position's value may depend on its history, since superko bans moves. Two kinds of bounds are
//! kept apart.
//!
//! **Base bounds** are stored under the position's key and know no history. A base bound in favour of a
//! player, the *winner*, is the result of a proof tree in which
//!
//! 1. at the winner's turns one move is given, at the loser's turns *all* moves are answered that are
//!    legal by the key alone (banned or not), and
//! 2. the winner loses no stone, on any line.
//!
//! Claim: such a bound holds for every history in which no position had more stones of the winner than
//! the present one. By 2 the winner's stones only grow along a line, and each of the winner's plays adds
//! one, so the position it makes has more of them than any before it, on the line or in the history: it
//! repeats nothing, and no ban can touch the strategy. Bans on the loser's moves only remove answered
//! ones, and pass is never banned. [`Game::permits_proof_for`] checks the condition on the history;
//! where it fails, the bound is not used.
//!
//! **Bounds with history** are computed from the moves legal on the path and whatever holds for the
//! children on that path. They are stored in an entry of their own under
//! [`Game::key_with_history`], which covers the set of all earlier positions, so they are found again
//! only where exactly the same moves are banned; a mark in the position's entry says when to look.
//! (Kishimoto & Müller, "A general solution to the graph history interaction problem", AAAI 2004, keep
//! such twins too, and re-check base proofs by simulation where this uses condition 2.)
//!
//! Under simple ko the key says everything, condition 2 is dropped, and all bounds are base bounds: a
//! proof is a finite tree that ends in passes, so no cycle can be part of it.
//!
//! In all cases an evicted child is an unproven child.

use super::path::{Learnt, Others, Step};
use crate::game::{Bounds, Game, Move, Outcome, Player};
use crate::table::{Counters, Protected, Table};

/// What bounds decide for Black, if they decide anything.
#[inline]
pub(super) fn decided<G: Game>(game: &G, bounds: Bounds) -> Option<Outcome> {
    let worst = game.outcome_for_black(bounds.lower);
    (worst == game.outcome_for_black(bounds.upper)).then_some(worst)
}

/// The outcome for `player` of what was decided for Black.
#[inline]
pub(super) fn outcome_for(player: Player, for_black: Outcome) -> Outcome {
    match player {
        Player::Black => for_black,
        Player::White => for_black.other(),
    }
}

/// The worst and the best that bounds leave for `player`.
#[inline]
pub(super) fn outcomes_for<G: Game>(game: &G, player: Player, bounds: Bounds) -> [Outcome; 2] {
    let lower = outcome_for(player, game.outcome_for_black(bounds.lower));
    let upper = outcome_for(player, game.outcome_for_black(bounds.upper));
    if player == Player::Black { [lower, upper] } else { [upper, lower] }
}

/// Of base bounds, the part that holds where `permits` says so for Black (the lower bound) and White
/// (the upper).
#[inline]
pub(super) fn permitted(base: Bounds, permits: [bool; 2], range: Bounds) -> Bounds {
    Bounds {
        lower: if permits[0] { base.lower } else { range.lower },
        upper: if permits[1] { base.upper } else { range.upper },
    }
}

/// The bounds of the position of `game` as it stands, with its history, as far as the table knows them.
pub(super) fn bounds_here<G: Game>(table: &Table, game: &G) -> Bounds {
    let range = game.score_range();
    let Some(entry) = table.find(game.key()) else { return range };
    let permits = Player::BOTH.map(|winner| game.permits_proof_for(winner));
    let bounds = permitted(entry.bounds(range), permits, range);
    if entry.has_twin() {
        bounds.intersect(twin_bounds(table, game.key_with_history(), range))
    } else {
        bounds
    }
}

/// The bounds stored for one history.
pub(super) fn twin_bounds(table: &Table, key_with_history: u64, range: Bounds) -> Bounds {
    table.find(key_with_history).map_or(range, |entry| entry.bounds(range))
}

/// What is proven of the child that `mv` leads to: `(base, here)`; `None` if it is not in the table.
pub(super) fn child_bounds<G: Game>(table: &Table, game: &G, mv: Move) -> Option<(Bounds, Bounds)> {
    let range = game.score_range();
    let entry = table.find(game.key_after(mv))?;
    let base = entry.bounds(range);
    let mut here = range;
    if base != range {
        let permits = Player::BOTH.map(|winner| game.permits_proof_after(mv, winner));
        here = permitted(base, permits, range);
    }
    if entry.has_twin() {
        here = here.intersect(twin_bounds(table, game.key_with_history_after(mv), range));
    }
    Some((base, here))
}

/// The bounds of a position from what was learnt of one child by the move of `step`.
///
/// The better of two moves raises the mover's own bound at once. The opposite bound needs all moves:
/// `from_all_moves` is [`bounds_from_all_moves`] of the position, called only if it comes to that.
pub(super) fn bounds_from_child(
    step: &Step<'_>,
    child: &Learnt,
    range: Bounds,
    has_repetition_rule: bool,
    from_all_moves: impl FnOnce() -> (Bounds, Bounds),
) -> (Bounds, Bounds) {
    let (mut base, mut here) = (range, range);
    let keeps = |winner: Player| !has_repetition_rule || !step.loses[winner.index()];
    let is_informative;
    match step.mover {
        Player::Black => {
            here.lower = child.here.lower;
            base.lower = if keeps(Player::Black) { child.base.lower } else { range.lower };
            is_informative = child.here.upper < range.upper || child.base.upper < range.upper;
        }
        Player::White => {
            here.upper = child.here.upper;
            base.upper = if keeps(Player::White) { child.base.upper } else { range.upper };
            is_informative = child.here.lower > range.lower || child.base.lower > range.lower;
        }
    }
    if is_informative {
        let (all_base, all_here) = from_all_moves();
        base = base.intersect(all_base);
        here = here.intersect(all_here);
    }
    (base, here.intersect(permitted(base, step.permits, range)))
}

/// The bound against the mover: the best that any move achieves. All moves must be in the table; the
/// scan ends at the first that bounds nothing.
pub(super) fn bounds_from_all_moves<G: Game>(table: &Table, game: &G) -> (Bounds, Bounds) {
    let range = game.score_range();
    let mover = game.to_play();
    let winner = mover.other();
    let has_repetition_rule = game.has_repetition_rule();
    // In the mover's view the bound is the maximum over the moves; start from the worst.
    let (mut base_best, mut here_best) = match mover {
        Player::Black => (range.lower, range.lower),
        Player::White => (range.upper, range.upper),
    };
    let better = |one: i16, other: i16| if mover == Player::Black { one.max(other) } else { one.min(other) };
    let against = |bounds: Bounds| if mover == Player::Black { bounds.upper } else { bounds.lower };
    let nothing = against(range);
    for number in 0..game.move_count() {
        let mv = Move(number as u16);
        if !game.is_legal_ignoring_history(mv) {
            continue;
        }
        let (base, here) = child_bounds(table, game, mv).unwrap_or((range, range));
        let keeps = !has_repetition_rule || !game.loses_stones(mv)[winner.index()];
        base_best = better(base_best, if keeps { against(base) } else { nothing });
        if here_best != nothing && !game.is_banned(mv) {
            here_best = better(here_best, against(here));
        }
        if base_best == nothing && here_best == nothing {
            return (range, range);
        }
    }
    let bounds = |best: i16| match mover {
        Player::Black => Bounds { lower: range.lower, upper: best },
        Player::White => Bounds { lower: best, upper: range.upper },
    };
    (bounds(base_best), bounds(here_best))
}

/// Stores bounds with history that say more than the base bounds do on this path.
pub(super) fn store_twin(
    table: &Table,
    step: &Step<'_>,
    here: Bounds,
    protected: Protected<'_>,
    counters: &mut Counters,
) {
    if let Some(twin) = table.find_or_claim(step.key_with_history, protected, counters) {
        twin.tighten_bounds(here);
        // Worth as much as the position itself when it comes to replacement.
        twin.set_total(step.entry.total());
        step.entry.mark_twin();
    }
}

/// The mean of a position's parts: its own playouts, the other edges, and the chosen edge with `visits`
/// and `value` for the mover, which counts only if it is not refuted. All values are for the mover.
///
/// Q(s) = (n0·U(s) + Σ N(s,a)·(1 - Q(child))) / (n0 + Σ N(s,a)) over the moves not refuted.
/// Source: D. Wu, "Monte-Carlo Graph Search from First Principles", KataGo docs/GraphSearch.md, 2023;
/// Childs, Brodeur & Kocsis, CIG 2008 (UCT3). Refuted moves are left out since they will not be played.
pub(super) fn mean_value(
    own: crate::table::Own,
    others: &Others,
    chosen: Option<(u32, crate::value::Value)>,
) -> crate::value::Value {
    let (visits, value) = chosen.map_or((0, 0), |(visits, value)| (u64::from(visits), value.0));
    let weight = u64::from(own.visits) + others.unrefuted + visits;
    if weight == 0 {
        return chosen.map_or(own.mean(), |(_, value)| value);
    }
    let own_sum = u128::from(own.mean().0) * u128::from(own.visits);
    let sum = own_sum + others.weighted + u128::from(value) * u128::from(visits);
    crate::value::Value((sum / u128::from(weight)) as u32)
}
