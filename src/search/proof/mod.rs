//! Proven score bounds under rules that forbid repetition.
//!
//! The value of a position may depend on its history, since superko bans moves (the graph history interaction problem).
//! Two kinds of bounds are kept apart.
//!
//! **Base bounds** are stored under the position's key and do not depend on the history. A base bound in favour of a
//! player, the *winner*, is the result of a proof tree in which
//!
//! 1. the winner's turns have one move, and the loser's turns answer *all* moves that are legal by the key alone
//!    (banned or not), and
//! 2. the winner loses no stone, on any line.
//!
//! Claim: such a bound holds for every history in which no position had more stones of the winner than the present one. By 2
//! the winner's stones never decrease along a line, and each of the winner's plays adds one. The position after a play
//! therefore has more of them than any earlier position, on the line or in the history: it repeats nothing, and no ban
//! affects the strategy. Bans on the loser's moves only remove answered moves, and pass is never banned.
//! [`Game::permits_proof_for`] checks the condition on the history; if it fails, the bound is not used.
//!
//! **Path bounds** hold for the history of the path on which the position was reached: they follow from the moves legal on
//! this path and from the path bounds of the children. They are stored in a separate entry, the *twin*, under
//! [`Game::key_with_history`], which covers the set of all earlier positions. So they are found again only where exactly the
//! same moves are banned. A mark in the position's entry states that it has a twin. (Kishimoto & Müller, "A general solution
//! to the graph history interaction problem", AAAI 2004, keep such twins too, and re-check base proofs by simulation where
//! this uses condition 2.)
//!
//! Under simple ko the key decides everything, condition 2 is dropped, and all bounds are base bounds: a proof is a
//! finite tree that ends in passes, so no cycle can be part of it.
//!
//! In all cases an evicted child is an unproven child.
//!
//! `lookup` reads bounds from the table, `inference` derives those of a position from those of its children, and
//! `bookkeeping` stores them during a simulation.

mod bookkeeping;
mod inference;
mod lookup;

pub(super) use lookup::{child_bounds, path_bounds, proven_outcome};

use crate::base::game::{Bounds, Game, Outcome, Player};

/// The proven bounds of a position, of both kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProvenBounds {
    /// Bounds for all histories that meet the condition in the module's documentation.
    pub(super) base: Bounds,
    /// Bounds for the history of the current path.
    pub(super) path: Bounds,
}

impl ProvenBounds {
    /// Returns the bounds of a position without a proof: `range` is the game's [`score_range`](Game::score_range).
    #[inline]
    pub(super) fn none(range: Bounds) -> ProvenBounds {
        ProvenBounds { base: range, path: range }
    }
}

/// Returns Black's outcome, if the bounds decide it.
#[inline]
pub(super) fn decided<G: Game>(game: &G, bounds: Bounds) -> Option<Outcome> {
    let worst = game.outcome_for_black(bounds.lower);
    (worst == game.outcome_for_black(bounds.upper)).then_some(worst)
}

/// Returns Black's outcome in the view of `player`.
#[inline]
pub(super) fn outcome_for(player: Player, for_black: Outcome) -> Outcome {
    match player {
        Player::Black => for_black,
        Player::White => for_black.other(),
    }
}

/// Returns the worst and the best outcome for `player` that the bounds leave possible.
#[inline]
pub(super) fn outcomes_for<G: Game>(game: &G, player: Player, bounds: Bounds) -> [Outcome; 2] {
    let lower = outcome_for(player, game.outcome_for_black(bounds.lower));
    let upper = outcome_for(player, game.outcome_for_black(bounds.upper));
    if player == Player::Black { [lower, upper] } else { [upper, lower] }
}

/// Returns, for Black and for White, true if base bounds in that player's favour hold for the history of `game`.
#[inline]
pub(super) fn permits<G: Game>(game: &G) -> [bool; 2] {
    Player::BOTH.map(|winner| game.permits_proof_for(winner))
}
