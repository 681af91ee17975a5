//! Light playouts: random games to the end.

use super::board::{Board, ORTHOGONAL};
use super::geometry::Point;
use super::score::area_score_after_playout;
use crate::base::game::{Player, Score, Trace};
use crate::base::rng::PlayoutRng;

/// Maximum length of a playout, in moves per point (Fuego's limit): without superko, captures can go in circles.
pub(super) const MAX_MOVES_PER_POINT: usize = 3;

/// Plays uniformly random legal moves that fill no own eye until both players have passed or the playout reaches its maximum
/// length; returns the area score without komi. This is the reference bot of D. Dailey (computer-go list, 13 October 2008).
///
/// `passes` is the number of passes just made. Simple ko applies, superko does not. Moves, passes included, are appended to
/// `trace`.
pub fn light_playout(
    board: &mut Board,
    mut player: Player,
    mut passes: u8,
    rng: &mut PlayoutRng,
    trace: &mut Trace,
) -> Score {
    let geometry = board.geometry();
    let end = trace.moves.len() + MAX_MOVES_PER_POINT * geometry.size.points().max(2);
    while passes < 2 && trace.moves.len() < end {
        let mv = match uniform_move(board, player, rng) {
            Some(point) => {
                board.place_in_playout(point, player);
                passes = 0;
                geometry.move_of(point)
            }
            None => {
                board.clear_ko();
                passes += 1;
                geometry.size.pass()
            }
        };
        trace.moves.push((player, mv));
        player = player.other();
    }
    area_score_after_playout(board)
}

/// Returns true if a light playout may play on `point`, which is empty.
#[inline]
fn is_acceptable(board: &Board, point: Point, player: Player) -> bool {
    let around = board.neighbourhood(point);
    let has_empty_neighbour = !(around | around >> 1) & ORTHOGONAL != 0;
    point != board.ko()
        && (has_empty_neighbour || (!board.is_eye(point, player) && board.is_not_suicide(point, player)))
}

/// Returns a uniformly random acceptable move; `None` if there is none. Changes the order of the board's empty points.
#[inline]
pub fn uniform_move(board: &mut Board, player: Player, rng: &mut PlayoutRng) -> Option<Point> {
    let mut draws = EmptyPointDraws::of(board);
    while let Some(point) = draws.next(board, rng) {
        if is_acceptable(board, point, player) {
            return Some(point);
        }
        draws.refuse(board);
    }
    None
}

/// Random draws from the empty points, uniform over those not yet refused. A refused point goes to the end of the board's
/// list and is not drawn again: towards the end of a game few points are acceptable.
pub(super) struct EmptyPointDraws {
    left: usize,
    slot: usize,
}

impl EmptyPointDraws {
    #[inline]
    pub(super) fn of(board: &Board) -> EmptyPointDraws {
        EmptyPointDraws { left: board.empty_points().len(), slot: 0 }
    }

    #[inline]
    pub(super) fn next(&mut self, board: &Board, rng: &mut PlayoutRng) -> Option<Point> {
        if self.left == 0 {
            return None;
        }
        self.slot = rng.below(self.left);
        board.empty_points().get(self.slot).copied()
    }

    /// Refuses the point drawn last.
    #[inline]
    pub(super) fn refuse(&mut self, board: &mut Board) {
        self.left -= 1;
        board.swap_empty_points(self.slot, self.left);
    }
}
