//! Play for points in a decided game, where the search alone is indifferent between moves with about the same win rate.

use crate::base::game::Player;
use crate::go::Size;
use crate::search::MoveReport;

/// Win rate of either player below which a game is decided.
const DECIDED_WIN_RATE: f64 = 0.1;
/// Win rate that all points of the board are worth: about 0.001 a point on 9x9.
const BOARD_WIN_RATE: f64 = 0.08;
/// Minimum gain of a move as a share of the board's points, three points on 9x9, at [`SCORED_VISITS`]. Smaller
/// differences are within the scatter of playouts.
const MIN_GAIN: f64 = 1.0 / 27.0;
/// Visits of both moves below which the minimum gain is larger, in proportion to the standard error.
const SCORED_VISITS: f64 = 256.0;
/// Minimum visits of both moves: the score of fewer is little more than the network's.
const MIN_SCORED_VISITS: u64 = 16;
/// Minimum visits of a move as a share of the first move's: with fewer the search may have missed the answer to it.
const MIN_VISIT_SHARE: f64 = 1.0 / 20.0;

/// Puts the move that gains most points first in `moves`, the best for `to_play` first, if the game is decided
/// and the points are worth the win rate that the move costs. A proven first move stays first. A pass is put first in a lost
/// game alone.
pub(super) fn put_point_gain_first(moves: &mut [MoveReport], to_play: Player, size: Size) {
    let lead =
        |it: &MoveReport| it.black_score.map(|score| if to_play == Player::Black { score } else { -score });
    let Some(first) = moves.first().filter(|it| it.proven.is_none()) else { return };
    let win_rate = first.value.as_f64();
    let is_lost = win_rate < DECIDED_WIN_RATE;
    let is_decided = is_lost || win_rate > 1.0 - DECIDED_WIN_RATE;
    let (Some(first_lead), true) = (lead(first), is_decided && first.edge_visits >= MIN_SCORED_VISITS) else {
        return;
    };
    let points = size.points() as f64;
    let gain = |it: &MoveReport| lead(it).map_or(0.0, |lead| (lead - first_lead) / points);
    let is_better = |it: &MoveReport| {
        gain(it) >= min_gain(first.edge_visits.min(it.edge_visits))
            && it.value.as_f64() + gain(it) * BOARD_WIN_RATE >= win_rate
            && it.edge_visits >= MIN_SCORED_VISITS
            && it.edge_visits as f64 >= first.edge_visits as f64 * MIN_VISIT_SHARE
            && it.proven.is_none()
            && (it.mv != size.pass() || is_lost)
    };
    let others = moves.iter().enumerate().filter(|(_, it)| is_better(it));
    if let Some((number, _)) = others.max_by(|(_, one), (_, other)| gain(one).total_cmp(&gain(other))) {
        moves[..=number].rotate_right(1);
    }
}

/// Returns the minimum gain of a move, as a share of the board's points, where both moves have at least `visits`.
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
    fn ten_points_are_not_worth_two_wins_in_a_hundred() {
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 5_000), (8, 0.95, 30.0, 4_000)])), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 5_000), (8, 0.965, 30.0, 4_000)])), [8, 7]);
    }

    #[test]
    fn a_gain_within_what_playouts_scatter_by_counts_nothing() {
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 5_000), (8, 0.97, 22.5, 4_000)])), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 9_000), (8, 0.97, 30.0, 400)])), [7, 8]);
    }

    #[test]
    fn a_move_of_few_visits_must_gain_more() {
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 90), (8, 0.97, 25.0, 64)])), [7, 8]);
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 90), (8, 0.97, 26.5, 64)])), [8, 7]);
        assert_eq!(order(moves(&[(7, 0.97, 20.0, 90), (8, 0.97, 60.0, 15)])), [7, 8]);
    }

    #[test]
    fn a_won_game_is_not_passed_while_points_are_left() {
        let pass = nine().pass().0;
        assert_eq!(order(moves(&[(pass, 0.99, 41.5, 143), (7, 0.99, 60.0, 77)])), [7, pass]);
        assert_eq!(order(moves(&[(pass, 0.99, 41.5, 143), (7, 0.99, 43.0, 77)])), [pass, 7]);
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
