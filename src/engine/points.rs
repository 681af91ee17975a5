//! Play for points in a decided game, where the search alone is indifferent between moves with about the same win rate.

use crate::base::game::Player;
use crate::go::Size;
use crate::search::MoveReport;

/// Win rate of either player below which a game is decided.
const DECIDED_WIN_RATE: f64 = 0.1;
/// Win rate that as many points as a side of the board has lines are worth: 0.01 a point on 9x9, 0.005 on 19x19. KataGo's
/// utility of the score is about as steep at the expected score (D. J. Wu, "Accelerating Self-Play Learning in Go", 2019,
/// appendix F).
const SIDE_WIN_RATE: f64 = 0.09;
/// Maximum win rate that a move may cost for its points.
const MAX_WIN_RATE_LOSS: f64 = 0.05;
/// Minimum gain of a move as a share of a side's lines, a point on 9x9, at [`SCORED_VISITS`]. Smaller differences are
/// within the error of the scores.
const MIN_GAIN: f64 = 1.0 / 9.0;
/// Visits of both moves below which the minimum gain is larger, in proportion to the standard error.
const SCORED_VISITS: f64 = 64.0;
/// Minimum visits of both moves: the score of fewer is little more than the network's.
const MIN_SCORED_VISITS: u64 = 16;
/// Minimum visits of a move as a share of the first move's: with fewer the search may have missed the answer to it.
const MIN_VISIT_SHARE: f64 = 1.0 / 20.0;

/// Puts the move with the highest win rate and points first in `moves`, the best for `to_play` first, if the game is decided
/// and the points are worth the win rate that the move costs. A proven first move stays first. A pass is put first in a lost
/// game alone.
pub(super) fn put_point_gain_first(moves: &mut [MoveReport], to_play: Player, size: Size) {
    let Some(first) = moves.first().filter(|it| it.proven.is_none()) else { return };
    let win_rate = first.value.as_f64();
    let is_lost = win_rate < DECIDED_WIN_RATE;
    let is_decided = is_lost || win_rate > 1.0 - DECIDED_WIN_RATE;
    let (Some(first_lead), true) =
        (first.lead(to_play), is_decided && first.edge_visits >= MIN_SCORED_VISITS)
    else {
        return;
    };
    let gain = |it: &MoveReport| it.lead(to_play).map_or(0.0, |lead| lead - first_lead);
    let worth = |it: &MoveReport| it.value.as_f64() - win_rate + win_rate_of_points(gain(it), size);
    let is_compared = |it: &MoveReport| {
        it.edge_visits >= MIN_SCORED_VISITS
            && it.edge_visits as f64 >= first.edge_visits as f64 * MIN_VISIT_SHARE
            && it.proven.is_none()
    };
    let win_rates = moves.iter().filter(|it| is_compared(it)).map(|it| it.value.as_f64());
    let highest = win_rates.fold(win_rate, f64::max);
    let is_better = |it: &MoveReport| {
        gain(it) >= min_gain(first.edge_visits.min(it.edge_visits)) * side(size)
            && worth(it) >= 0.0
            && it.value.as_f64() >= highest - MAX_WIN_RATE_LOSS
            && is_compared(it)
            && (it.mv != size.pass() || is_lost)
    };
    let others = moves.iter().enumerate().filter(|(_, it)| is_better(it));
    if let Some((number, _)) = others.max_by(|(_, one), (_, other)| worth(one).total_cmp(&worth(other))) {
        moves[..=number].rotate_right(1);
    }
}

/// Returns the win rate that a gain of points is worth, at most [`MAX_WIN_RATE_LOSS`].
pub(super) fn win_rate_of_points(points: f64, size: Size) -> f64 {
    (SIDE_WIN_RATE * points / side(size)).min(MAX_WIN_RATE_LOSS)
}

/// Returns the lines of a side of the board, or of the square with as many points.
fn side(size: Size) -> f64 {
    (size.points() as f64).sqrt()
}

/// Returns the minimum gain of a move, as a share of a side's lines, where both moves have at least `visits`.
fn min_gain(visits: u64) -> f64 {
    MIN_GAIN * (SCORED_VISITS / visits as f64).sqrt().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::game::Outcome;

    fn nine() -> Size {
        Size::new(9, 9).expect("a size")
    }

    /// Returns moves of White with the given number, win rate, lead of White and visits, the best first.
    fn moves(moves: &[(u16, f64, f64, u64)]) -> Vec<MoveReport> {
        let report = |&(number, win_rate, lead, visits): &(u16, f64, f64, u64)| MoveReport {
            black_score: Some(-lead),
            ..MoveReport::visited(number, win_rate, visits)
        };
        moves.iter().map(report).collect()
    }

    /// Returns the numbers of the moves in the order chosen.
    fn order(mut moves: Vec<MoveReport>) -> Vec<u16> {
        put_point_gain_first(&mut moves, Player::White, nine());
        moves.iter().map(|it| it.mv.0).collect()
    }

    #[test]
    fn a_decided_game_is_played_for_points() {
        let lost = moves(&[(7, 0.05, -20.0, 5_000), (8, 0.049, -19.0, 900), (9, 0.045, -12.0, 800)]);
        assert_eq!(order(lost), [9, 7, 8]);
        let won = moves(&[(7, 0.97, 20.0, 5_000), (8, 0.968, 24.0, 900), (9, 0.965, 30.0, 800)]);
        assert_eq!(order(won), [9, 7, 8]);
    }

    #[test]
    fn points_count_only_where_the_result_is_decided() {
        assert_eq!(order(moves(&[(7, 0.12, -20.0, 5_000), (8, 0.12, -5.0, 4_000)])), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.88, 5.0, 5_000), (8, 0.88, 20.0, 4_000)])), [7, 8]);
    }

    #[test]
    fn a_point_is_worth_a_win_in_a_hundred() {
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 5_000), (8, 0.95, 21.9, 4_000)])), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 5_000), (8, 0.95, 22.1, 4_000)])), [8, 7]);
        assert_eq!(
            order(moves(&[(7, 0.97, 20.0, 5_000), (8, 0.965, 30.0, 900), (9, 0.94, 31.0, 900)])),
            [8, 7, 9]
        );
    }

    #[test]
    fn no_number_of_points_is_worth_more_than_five_wins_in_a_hundred() {
        assert_eq!(order(moves(&[(7, 0.98, 20.0, 5_000), (8, 0.92, 50.0, 4_000)])), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.98, 20.0, 5_000), (8, 0.935, 50.0, 4_000)])), [8, 7]);
    }

    #[test]
    fn a_gain_within_the_error_of_scores_counts_nothing() {
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 5_000), (8, 0.97, 20.9, 4_000)])), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 9_000), (8, 0.97, 30.0, 400)])), [7, 8]);
    }

    #[test]
    fn a_move_of_few_visits_must_gain_more() {
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 90), (8, 0.97, 21.9, 16)])), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 90), (8, 0.97, 22.1, 16)])), [8, 7]);
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 90), (8, 0.97, 60.0, 15)])), [7, 8]);
    }

    #[test]
    fn a_won_game_is_not_passed_while_points_are_left() {
        let pass = nine().pass().0;
        assert_eq!(order(moves(&[(pass, 0.99, 41.5, 143), (7, 0.99, 60.0, 77)])), [7, pass]);
        assert_eq!(order(moves(&[(pass, 0.99, 41.5, 143), (7, 0.99, 42.4, 77)])), [pass, 7]);
    }

    #[test]
    fn a_lost_game_is_not_passed_away_while_points_are_left() {
        let pass = nine().pass().0;
        assert_eq!(
            order(moves(&[(pass, 0.02, -30.0, 90), (7, 0.02, -29.0, 50), (8, 0.02, -12.0, 40)])),
            [8, pass, 7]
        );
        assert_eq!(
            order(moves(&[(pass, 0.02, -30.0, 90), (7, 0.02, -29.0, 50)])),
            [pass, 7],
            "nothing is gained"
        );
        assert_eq!(order(moves(&[(pass, 0.02, -30.0, 90), (8, 0.02, -12.0, 15)])), [pass, 8]);
    }

    #[test]
    fn a_proof_stays_first_and_a_pass_gains_nothing_in_a_won_game() {
        let mut proven = moves(&[(7, 0.97, 20.0, 5_000), (8, 0.97, 30.0, 4_000)]);
        proven[0].proven = Some(Outcome::Win);
        assert_eq!(order(proven), [7, 8]);
        let pass = nine().pass().0;
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 5_000), (pass, 0.97, 30.0, 4_000)])), [7, pass]);
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 5_000)])), [7]);
    }
}
