//! Random games to the end.

use super::board::Board;
use super::geometry::{MAX_POINTS, Point};
use super::score::area_score_after_playout;
use crate::game::{Player, Score, Trace};
use crate::rng::PlayoutRng;

/// How playouts choose their moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayoutPolicy {
    /// Uniform among the legal moves that fill no own one-point eye.
    Light,
    /// Tactics next to the last move and 3x3 patterns first; see [`super::heavy`].
    Heavy,
}

/// Random draws before the acceptable moves are listed: most points are acceptable for most of a game.
const DRAWS: usize = 6;

/// A playout ends here even when captures go in circles (superko is not obeyed in playouts): Fuego's
/// limit, three times the number of points.
const LENGTH_PER_POINT: usize = 3;

/// Plays uniformly random legal moves that fill no own eye until both players have passed.
///
/// `passes`: how many passes were just made. Simple ko is obeyed, superko is not. Moves, passes
/// included, are appended to `trace`. This is the reference bot of D. Dailey (computer-go list, 13
/// October 2008).
pub fn light(
    board: &mut Board,
    mut player: Player,
    mut passes: u8,
    rng: &mut PlayoutRng,
    trace: &mut Trace,
) -> Score {
    let geometry = board.geometry();
    let end = trace.moves.len() + LENGTH_PER_POINT * geometry.size.points().max(2);
    while passes < 2 && trace.moves.len() < end {
        let mv = match uniform_move(board, player, rng) {
            Some(point) => {
                board.place(point, player);
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

/// Whether a light playout may move there.
#[inline]
fn is_acceptable(board: &Board, point: Point, player: Player) -> bool {
    !board.is_eye(point, player) && point != board.ko() && board.is_not_suicide(point, player)
}

/// One of the acceptable moves, each with the same probability; `None` if there is none.
#[inline]
pub fn uniform_move(board: &Board, player: Player, rng: &mut PlayoutRng) -> Option<Point> {
    let empty = board.empty_points();
    for _ in 0..DRAWS {
        // Drawing again after a refusal leaves every acceptable point equally likely.
        let point = *empty.get(rng.below(empty.len()))?;
        if is_acceptable(board, point, player) {
            return Some(point);
        }
    }
    listed_move(board, player, rng)
}

/// The same by listing all of them.
#[inline(never)]
fn listed_move(board: &Board, player: Player, rng: &mut PlayoutRng) -> Option<Point> {
    let mut acceptable = [Point::NONE; MAX_POINTS];
    let mut count = 0;
    for &point in board.empty_points() {
        acceptable[count.min(MAX_POINTS - 1)] = point;
        count += usize::from(is_acceptable(board, point, player));
    }
    (count > 0).then(|| acceptable[rng.below(count).min(MAX_POINTS - 1)])
}
