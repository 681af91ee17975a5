//! Tactics for playouts and priors: moves that save or capture chains in atari.

use super::board::{Board, cell, colour_masks, stone};
use super::geometry::Point;
use super::point_list::PointList;
use crate::base::game::Player;

/// Candidate moves of one tactical situation.
pub type TacticalMoves = PointList<16>;

/// Returns true if `player` may place a stone on `point` in a playout: an empty point, no ko, no suicide.
#[must_use]
#[inline]
pub fn is_playable(board: &Board, point: Point, player: Player) -> bool {
    board.cell(point) == cell::EMPTY && point != board.ko() && board.is_not_suicide(point, player)
}

/// Adds the moves of `player` that save its chain with a stone on `point`, which is in atari: a capture of a neighbour in
/// atari, or an extension to two liberties or more.
pub fn add_saving_moves(board: &Board, point: Point, player: Player, moves: &mut TacticalMoves) {
    let Some(liberty) = board.atari_liberty(point) else { return };
    for own in board.chain_stones(point) {
        let [_, mut enemies] = colour_masks(board.neighbourhood(own), player);
        while enemies != 0 {
            let neighbour = board.geometry().neighbour(own, enemies.trailing_zeros() / 2);
            enemies &= enemies - 1;
            if let Some(capture) = board.atari_liberty(neighbour) {
                add(board, capture, player, moves);
            }
        }
    }
    if !board.is_self_atari(liberty, player) {
        add(board, liberty, player, moves);
    }
}

/// Adds the move of `player` that captures the enemy chain with a stone on `point`, if that is in atari.
pub fn add_capturing_move(board: &Board, point: Point, player: Player, moves: &mut TacticalMoves) {
    if let Some(liberty) = board.atari_liberty(point) {
        add(board, liberty, player, moves);
    }
}

fn add(board: &Board, point: Point, player: Player, moves: &mut TacticalMoves) {
    if !moves.contains(point) && is_playable(board, point, player) {
        moves.push(point);
    }
}

/// Returns true if the stone of either player on `last` leaves `player` something to answer: it is the enemy's and in atari,
/// or beside an own chain in atari. Returns false for [`Point::NONE`].
#[must_use]
#[inline]
pub fn may_answer_atari(board: &Board, last: Point, player: Player) -> bool {
    let [own, _] = colour_masks(board.neighbourhood(last), player);
    let mut may = (board.cell(last) == stone(player.other())) & board.in_atari(last);
    // No early exit: four loads are cheaper than an unpredictable branch.
    for (k, neighbour) in board.neighbours4(last).into_iter().enumerate() {
        may |= (own >> (2 * k) & 1 != 0) & board.in_atari(neighbour);
    }
    may & (last != Point::NONE)
}

/// Adds the moves of `player` that answer the stone on `last`: those that save an own chain in atari beside it and, if the
/// stone is the enemy's, the move that captures it.
pub fn add_atari_answers(board: &Board, last: Point, player: Player, moves: &mut TacticalMoves) {
    if board.cell(last) == stone(player.other()) {
        add_capturing_move(board, last, player, moves);
    }
    let mut chains: PointList<4> = PointList::new();
    for neighbour in board.neighbours4(last) {
        if board.cell(neighbour) == stone(player) && board.in_atari(neighbour) {
            let chain = board.chain(neighbour);
            if !chains.contains(chain) {
                chains.push(chain);
                add_saving_moves(board, chain, player, moves);
            }
        }
    }
}
