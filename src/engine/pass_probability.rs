//! The probability of a pass in the network's policy, corrected by the rules and the points that are settled.

use crate::base::game::{Game, Move, Outcome};
use crate::base::value::Value;
use crate::go::board::cell;
use crate::go::{Point, Position};
use crate::network::probabilities::PROBABILITY_ONE;

/// Minimum probability of a pass that does not end the game if few moves are left. The search then tries the pass within
/// some fifty visits if all moves are worse.
const MIN_LATE_PASS_PROBABILITY: u32 = PROBABILITY_ONE / 64;

/// Right shift applied to the probability of moves that fill an own eye (1/16 remains).
const EYE_SHIFT: u32 = 4;
/// Minimum probability of such moves and the pass together for a pass to be searched.
const MIN_EYE_AND_PASS_PROBABILITY: u32 = PROBABILITY_ONE / 16;

/// Probability of an owner above which a point is settled.
const MIN_OWNER_PROBABILITY: f64 = 0.9;

/// Sets the probability of a pass, the last of `probabilities`; the others are the network's, by move number.
///
/// A pass that ends the game has the probability of its known outcome. Any other pass gets most of the probability of moves
/// that fill an own eye, in addition to its own: a player with nothing better passes. If both together are small, as in the
/// middle of a game, the probability is 0, since the network has hardly seen passes there and its output for them is
/// arbitrary. If few moves are left, it is at least [`MIN_LATE_PASS_PROBABILITY`].
pub(super) fn set_pass_probability(position: &Position, has_few_moves: bool, probabilities: &mut [u32]) {
    let (moves, pass) = probabilities.split_at_mut(position.size().points());
    let [pass] = pass else { return };
    match position.outcome_of_pass() {
        Some(outcome) => *pass = ending_pass_probability(outcome),
        None => {
            let of_eyes = own_eye_probabilities(position, moves).map(|probability| *probability).sum::<u32>();
            if of_eyes + *pass < MIN_EYE_AND_PASS_PROBABILITY {
                *pass = 0;
            } else {
                own_eye_probabilities(position, moves).for_each(|probability| *probability >>= EYE_SHIFT);
                *pass += of_eyes - (of_eyes >> EYE_SHIFT);
            }
            if has_few_moves {
                *pass = (*pass).max(MIN_LATE_PASS_PROBABILITY);
            }
        }
    }
}

/// Sets the probability of a pass under territory scoring, where moves inside own territory cost a point. `owner` returns
/// the probability that a point becomes the player's.
///
/// Once two thirds of the points have an owner and a sixth of them a stone, the pass gets half of the probability of moves
/// inside own territory, and at least [`MIN_LATE_PASS_PROBABILITY`]; before, 0: with many handicap stones on an empty board
/// all points seem to have an owner.
pub(super) fn set_pass_probability_for_territory(
    position: &Position,
    owner: impl Fn(Move) -> Option<Value>,
    probabilities: &mut [u32],
) {
    let (board, player) = (position.board(), position.to_play());
    let points = &board.geometry().points;
    let (moves, pass) = probabilities.split_at_mut(points.len());
    let [pass] = pass else { return };
    if let Some(outcome) = position.outcome_of_pass() {
        *pass = ending_pass_probability(outcome);
        return;
    }
    let owned = |number: usize| owner(Move(number as u16)).map_or(0.5, |value| value.as_f64());
    let settled =
        (0..points.len()).filter(|&number| (owned(number) - 0.5).abs() > MIN_OWNER_PROBABILITY - 0.5).count();
    if 3 * settled < 2 * points.len() || 6 * board.stone_count() < points.len() {
        *pass = 0;
        return;
    }
    for (number, (&point, probability)) in points.iter().zip(moves).enumerate() {
        let is_empty = board.cell(point) == cell::EMPTY;
        if is_empty && (owned(number) > MIN_OWNER_PROBABILITY || board.is_eye(point, player)) {
            *pass += *probability - *probability / 2;
            *probability /= 2;
        }
    }
    *pass = (*pass).max(MIN_LATE_PASS_PROBABILITY);
}

/// Returns the probability of a pass that ends the game with an outcome for the player.
fn ending_pass_probability(outcome: Outcome) -> u32 {
    match outcome {
        Outcome::Win => PROBABILITY_ONE,
        Outcome::Draw => PROBABILITY_ONE / 4,
        Outcome::Loss => 0,
    }
}

/// Returns the probabilities of the moves that fill an eye of the player to move.
fn own_eye_probabilities<'c>(
    position: &Position,
    probabilities: &'c mut [u32],
) -> impl Iterator<Item = &'c mut u32> {
    let (board, player) = (position.board(), position.to_play());
    let fills_eye = move |point: Point| board.cell(point) == cell::EMPTY && board.is_eye(point, player);
    let points = &board.geometry().points;
    points
        .iter()
        .zip(probabilities)
        .filter(move |(point, _)| fills_eye(**point))
        .map(|(_, probability)| probability)
}
