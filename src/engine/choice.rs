//! The choice of a move by value and policy, among the moves that a search has found about equally good.
//!
//! The value of a move contains the errors of the value estimates below it, which exceed the statistical error of its
//! visits: a small lead in value is weaker evidence than the policy. The move with the best value + τ·ln p is played, where
//! p is its prior. It is the most probable move of the policy proportional to p·exp(value / τ), which maximises the mean
//! value minus τ times its divergence from the prior. Compare Grill et al., "Monte-Carlo tree search as regularized policy
//! optimization" (2020), section 3.
//!
//! The expected score counts beside the value, as in KataGo's utility: of moves that win about as often, the one that keeps
//! more points is the better one, and the score has smaller errors than the win rate.
//!
//! A move is never played if the value of another one is higher by more than the statistical error of both. On larger
//! boards, where the visits are spread over more moves, this choice seemed to lose games, so the most visited move is played
//! there. Measurements: tools/experiments/decisions.md, section "The decision on a move".

use super::points::win_rate_of_points;
use crate::base::game::{Bounds, Game, Outcome, Player};
use crate::go::Position;
use crate::search::MoveReport;

/// τ: the win rate that a factor of e in the prior is worth.
const PRIOR_WEIGHT: f64 = 0.015;
/// Minimum prior in the formula; lower ones are raised to it.
const MIN_PRIOR: f64 = 1e-4;
/// Minimum visits of a move, as a share of the most visited move's and as a number: the value of fewer visits is noise.
const MIN_VISIT_SHARE: f64 = 0.1;
const MIN_VISITS: u64 = 64;
/// Maximum side of a board on which the prior counts.
const MAX_SIDE: usize = 9;

/// Puts the move to play first in `moves`, which are the moves of `root` by visits. The order is unchanged if the first move
/// is proven, if the proven `bounds` of Black's score guarantee the player to move at least a draw (the search puts a move
/// first that keeps it), or if a side of the board is above [`MAX_SIDE`].
pub(super) fn put_preferred_first(moves: &mut [MoveReport], root: &Position, bounds: Bounds) {
    let certain = match root.to_play() {
        Player::Black => root.outcome_for_black(bounds.lower),
        Player::White => root.outcome_for_black(bounds.upper).other(),
    };
    let is_open = |it: &MoveReport| it.proven.is_none();
    let is_large = root.size().columns().max(root.size().rows()) > MAX_SIDE;
    if is_large || certain != Outcome::Loss || !moves.first().is_some_and(is_open) {
        return;
    }
    let least_visits = ((moves[0].edge_visits as f64 * MIN_VISIT_SHARE) as u64).max(MIN_VISITS);
    let is_candidate = |it: &MoveReport| is_open(it) && it.edge_visits >= least_visits;
    let is_refuted =
        |it: &MoveReport| moves.iter().any(|other| is_candidate(other) && is_certainly_better(other, it));
    let candidates = moves.iter().enumerate().filter(|(_, it)| is_candidate(it) && !is_refuted(it));
    let has_scores = candidates.clone().all(|(_, it)| it.black_score.is_some());
    let most_valued = candidates.clone().max_by_key(|(_, it)| it.value).map(|(_, it)| it);
    let lead = |it: &MoveReport| it.lead(root.to_play()).filter(|_| has_scores);
    let points = |it: &MoveReport| match lead(it).zip(most_valued.and_then(lead)) {
        Some((lead, of_most_valued)) => win_rate_of_points(lead - of_most_valued, root.size()),
        None => 0.0,
    };
    let worth =
        |it: &MoveReport| it.value.as_f64() + PRIOR_WEIGHT * it.prior.max(MIN_PRIOR).ln() + points(it);
    // The last maximum of the reversed order is the most visited of equals.
    let best = candidates.rev().max_by(|(_, one), (_, other)| worth(one).total_cmp(&worth(other)));
    if let Some((number, _)) = best {
        moves[..=number].rotate_right(1);
    }
}

/// Returns true if the value of `one` exceeds that of `other` by more than the 99 % error of their difference, visits as
/// Bernoulli trials.
fn is_certainly_better(one: &MoveReport, other: &MoveReport) -> bool {
    let error = |it: &MoveReport| it.value_error();
    let difference = one.value.as_f64() - other.value.as_f64();
    difference > (error(one).powi(2) + error(other).powi(2)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::game::Move;
    use crate::go::{Komi, Rules, Size};

    /// Returns an empty board with Black to move and a komi of 7.
    fn root(columns: usize) -> Position {
        Position::new(Size::new(columns, 9).expect("a size"), Rules::CHINESE, Komi(14))
    }

    /// Returns moves with the given number, win rate, prior and visits, the most visited first.
    fn moves(moves: &[(u16, f64, f64, u64)]) -> Vec<MoveReport> {
        let report = |&(number, win_rate, prior, visits): &(u16, f64, f64, u64)| MoveReport {
            prior,
            ..MoveReport::visited(number, win_rate, visits)
        };
        moves.iter().map(report).collect()
    }

    /// Returns the numbers of the moves in the order chosen, with Black's score proven to be at least `lower`.
    fn order(mut moves: Vec<MoveReport>, lower: i16) -> Vec<u16> {
        put_preferred_first(&mut moves, &root(9), Bounds { lower, upper: 81 });
        moves.iter().map(|it| it.mv.0).collect()
    }

    #[test]
    fn of_moves_about_as_good_the_likelier_is_played() {
        let close = moves(&[(7, 0.52, 0.02, 900), (8, 0.50, 0.1, 500), (9, 0.51, 0.3, 300)]);
        assert_eq!(order(close, -81), [9, 7, 8]);
    }

    #[test]
    fn a_lead_in_value_outweighs_the_policy() {
        assert_eq!(order(moves(&[(7, 0.60, 0.02, 900), (8, 0.50, 0.9, 500)]), -81), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.60, 0.0, 900), (8, 0.40, 1.0, 500)]), -81), [7, 8]);
    }

    #[test]
    fn a_likelier_move_is_not_played_where_another_is_better_by_more_than_their_error() {
        // From a game on CGOS: the move with 2,450 visits and 71.9 % was played instead of that with 11,065 and 75.3 %.
        let played = [(7, 0.753, 0.02, 11_065), (8, 0.719, 0.4, 2_450)];
        assert_eq!(order(moves(&played), -81), [7, 8]);
        // With a 16th of the visits the difference is within the error.
        let open = [(7, 0.753, 0.02, 691), (8, 0.719, 0.4, 153)];
        assert_eq!(order(moves(&open), -81), [8, 7]);
    }

    #[test]
    fn of_moves_about_as_good_the_one_with_more_points_is_played() {
        let mut close = moves(&[(7, 0.52, 0.1, 500), (8, 0.50, 0.1, 400)]);
        (close[0].black_score, close[1].black_score) = (Some(1.0), Some(3.5));
        assert_eq!(order(close.clone(), -81), [8, 7]);
        close[1].black_score = Some(2.5);
        assert_eq!(order(close.clone(), -81), [7, 8]);
        (close[0].black_score, close[1].black_score) = (None, Some(30.0));
        assert_eq!(order(close, -81), [7, 8], "without the score of each move none counts");
    }

    #[test]
    fn points_outweigh_at_most_five_wins_in_a_hundred() {
        let mut decided = moves(&[(7, 0.97, 0.1, 1_000), (8, 0.90, 0.1, 100), (9, 0.93, 0.1, 100)]);
        for (mv, lead) in decided.iter_mut().zip([20.0, 30.0, 30.0]) {
            mv.black_score = Some(lead);
        }
        assert_eq!(order(decided[..2].to_vec(), -81), [7, 8]);
        assert_eq!(order(decided, -81), [9, 7, 8]);
    }

    #[test]
    fn moves_with_few_visits_are_not_played() {
        assert_eq!(order(moves(&[(7, 0.50, 0.02, 1_000), (8, 0.60, 0.9, 99)]), -81), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.50, 0.02, 1_000), (8, 0.60, 0.9, 100)]), -81), [8, 7]);
        assert_eq!(order(moves(&[(7, 0.50, 0.02, 300), (8, 0.60, 0.9, 63)]), -81), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.50, 0.02, 300), (8, 0.60, 0.9, 64)]), -81), [8, 7]);
        assert_eq!(order(moves(&[(7, 0.50, 0.02, 10), (8, 0.60, 0.9, 9)]), -81), [7, 8]);
    }

    #[test]
    fn of_equals_the_most_visited_is_played() {
        assert_eq!(order(moves(&[(7, 0.5, 0.2, 90), (8, 0.5, 0.2, 80), (9, 0.5, 0.2, 80)]), -81), [7, 8, 9]);
        assert_eq!(order(Vec::new(), -81), [0u16; 0]);
    }

    #[test]
    fn larger_boards_play_the_most_visited_move() {
        let mut close = moves(&[(7, 0.52, 0.02, 900), (8, 0.50, 0.9, 500)]);
        put_preferred_first(&mut close, &root(10), Bounds { lower: -90, upper: 90 });
        assert_eq!(close[0].mv, Move(7));
    }

    #[test]
    fn proofs_keep_their_order() {
        let mut first_proven = moves(&[(7, 1.0, 0.02, 500), (8, 1.0, 0.9, 500)]);
        first_proven[0].proven = Some(Outcome::Win);
        assert_eq!(order(first_proven, -81), [7, 8]);
        let mut second_lost = moves(&[(7, 0.01, 0.02, 500), (8, 0.0, 0.9, 500)]);
        second_lost[1].proven = Some(Outcome::Loss);
        assert_eq!(order(second_lost, -81), [7, 8]);
        let close = [(7, 0.50, 0.02, 500), (8, 0.50, 0.9, 500)];
        assert_eq!(order(moves(&close), 6), [8, 7]);
        assert_eq!(order(moves(&close), 7), [7, 8], "a draw is certain, and the second may lose it");
    }
}
