//! Which of the moves that a search has found about as good is played: the one that the network thinks likelier.
//!
//! Values of moves err together with the estimates of the positions below them, by more than visits tell, so that a small
//! lead in value says less than the policy does. A move is worth its value + τ·ln p, p being its prior: the likeliest move of
//! the policy in proportion to p·exp(value / τ), which has the best mean value less τ times its divergence from the prior.
//! The prior decides only where the values leave it open: a move is not played if another has a value higher by more than
//! the statistical error of both, as the visits tell it.
//! On larger boards, where a search has more moves to visit, it seemed to lose games (DESIGN.md): there the most visited move is played.
//! Compare Grill et al., "Monte-Carlo tree search as regularized policy optimization" (2020), section 3.

use crate::base::game::{Bounds, Game, Outcome, Player};
use crate::go::Position;
use crate::search::MoveReport;

/// τ: the chance to win that a prior e times as large is worth.
const PRIOR_IN_WINS: f64 = 0.015;
/// Smaller priors count like this one.
const LEAST_PRIOR: f64 = 1e-4;
/// The part of the most visited move's visits that a move needs, and how many at least: the value of fewer is noise.
const LEAST_SHARE: f64 = 0.1;
const LEAST_VISITS: u64 = 64;
/// On boards with a longer side the most visited move is played.
const LONGEST_SIDE: usize = 9;

/// Puts first the best of `moves`, which are those of `root` by visits. Where the first is proven, or where at least a draw is
/// certain by the proven `bounds` of Black's score, the search's order stays: there a move that keeps it comes first. On
/// boards with a side above [`LONGEST_SIDE`] it stays, too.
pub(super) fn put_first(moves: &mut [MoveReport], root: &Position, bounds: Bounds) {
    let certain = match root.to_play() {
        Player::Black => root.outcome_for_black(bounds.lower),
        Player::White => root.outcome_for_black(bounds.upper).other(),
    };
    let is_open = |it: &MoveReport| it.proven.is_none();
    let is_large = root.size().columns().max(root.size().rows()) > LONGEST_SIDE;
    if is_large || certain != Outcome::Loss || !moves.first().is_some_and(is_open) {
        return;
    }
    let least_visits = ((moves[0].edge_visits as f64 * LEAST_SHARE) as u64).max(LEAST_VISITS);
    let worth = |it: &MoveReport| it.value.as_f64() + PRIOR_IN_WINS * it.prior.max(LEAST_PRIOR).ln();
    let is_candidate = |it: &MoveReport| is_open(it) && it.edge_visits >= least_visits;
    let is_refuted =
        |it: &MoveReport| moves.iter().any(|other| is_candidate(other) && is_certainly_better(other, it));
    let candidates = moves.iter().enumerate().filter(|(_, it)| is_candidate(it) && !is_refuted(it));
    // Of equals the first, which has most visits.
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

    /// An empty board, where Black is to move, with a komi of 7.
    fn root(columns: usize) -> Position {
        Position::new(Size::new(columns, 9).expect("a size"), Rules::CHINESE, Komi(14))
    }

    /// Moves with so many chances to win, priors and visits each, the most visited first.
    fn moves(moves: &[(u16, f64, f64, u64)]) -> Vec<MoveReport> {
        let report = |&(number, chance, prior, visits): &(u16, f64, f64, u64)| MoveReport {
            prior,
            ..MoveReport::visited(number, chance, visits)
        };
        moves.iter().map(report).collect()
    }

    /// The numbers of the moves afterwards, where Black's score is proven to be `lower` at least.
    fn order(mut moves: Vec<MoveReport>, lower: i16) -> Vec<u16> {
        put_first(&mut moves, &root(9), Bounds { lower, upper: 81 });
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
        // As played on CGOS: 2,450 visits with 71.9 % before 11,065 with 75.3 %.
        let played = [(7, 0.753, 0.02, 11_065), (8, 0.719, 0.4, 2_450)];
        assert_eq!(order(moves(&played), -81), [7, 8]);
        // The same values with a 16th of the visits leave it open.
        let open = [(7, 0.753, 0.02, 691), (8, 0.719, 0.4, 153)];
        assert_eq!(order(moves(&open), -81), [8, 7]);
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
        put_first(&mut close, &root(10), Bounds { lower: -90, upper: 90 });
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
