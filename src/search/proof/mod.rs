//! Proven score bounds under rules that forbid repetition.
//!
//! A position's value may depend on its history, since superko bans moves (the graph history interaction problem). Two
//! kinds of bounds are kept apart.
//!
//! **Base bounds** are stored under the position's key and do not depend on the history. A base bound in favour of a
//! player, the *winner*, is the result of a proof tree in which
//!
//! 1. at the winner's turns one move is given, at the loser's turns *all* moves are answered that are legal by the key
//!    alone (banned or not), and
//! 2. the winner loses no stone, on any line.
//!
//! Claim: such a bound holds for every history in which no position had more stones of the winner than the present
//! one. By 2 the winner's stones only grow along a line, and each of the winner's plays adds one, so the position after
//! it has more of them than any before it, on the line or in the history: it repeats nothing, and no ban can touch the
//! strategy. Bans on the loser's moves only remove answered ones, and pass is never banned.
//! [`Game::permits_proof_for`](crate::game::Game::permits_proof_for) checks the condition on the history; where it
//! fails, the bound is not used.
//!
//! **Path bounds** hold for the history of the path on which the position was reached: they follow from the moves legal
//! on this path and from the path bounds of the children. They are stored in an entry of their own, the *twin*, under
//! [`Game::key_with_history`](crate::game::Game::key_with_history), which covers the set of all earlier positions, so
//! they are found again only where exactly the same moves are banned; a mark in the position's entry says that there
//! is a twin. (Kishimoto & Müller, "A general solution to the graph history interaction problem", AAAI 2004, keep such
//! twins too, and re-check base proofs by simulation where this uses condition 2.)
//!
//! Under simple ko the key decides everything, condition 2 is dropped, and all bounds are base bounds: a proof is a
//! finite tree that ends in passes, so no cycle can be part of it.
//!
//! In all cases an evicted child is an unproven child.
//!
//! `lookup` reads bounds from the table, `inference` derives those of a position from those of its children, and
//! `bookkeeping` stores them in the course of a simulation.

mod bookkeeping;
mod inference;
mod lookup;

pub(super) use lookup::{child_bounds, path_bounds, proven_outcome};

use crate::game::{Bounds, Game, Outcome, Player};

/// What is proven of a position, in both kinds of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProvenBounds {
    /// Bounds for all histories that meet the condition above.
    pub(super) base: Bounds,
    /// Bounds for the history of the present path.
    pub(super) path: Bounds,
}

impl ProvenBounds {
    /// Nothing is proven: `range` is the game's [`score_range`](Game::score_range).
    #[inline]
    pub(super) fn none(range: Bounds) -> ProvenBounds {
        ProvenBounds { base: range, path: range }
    }
}

/// Black's outcome, if bounds decide it.
#[inline]
pub(super) fn decided<G: Game>(game: &G, bounds: Bounds) -> Option<Outcome> {
    let worst = game.outcome_for_black(bounds.lower);
    (worst == game.outcome_for_black(bounds.upper)).then_some(worst)
}

/// The same outcome in `player`'s view.
#[inline]
pub(super) fn outcome_for(player: Player, for_black: Outcome) -> Outcome {
    match player {
        Player::Black => for_black,
        Player::White => for_black.other(),
    }
}

/// The worst and the best outcome for `player` that bounds leave possible.
#[inline]
pub(super) fn outcomes_for<G: Game>(game: &G, player: Player, bounds: Bounds) -> [Outcome; 2] {
    let lower = outcome_for(player, game.outcome_for_black(bounds.lower));
    let upper = outcome_for(player, game.outcome_for_black(bounds.upper));
    if player == Player::Black { [lower, upper] } else { [upper, lower] }
}

/// For each player, Black first, whether base bounds in that player's favour hold for the history of `game`.
#[inline]
pub(super) fn permits<G: Game>(game: &G) -> [bool; 2] {
    Player::BOTH.map(|winner| game.permits_proof_for(winner))
}
