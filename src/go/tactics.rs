//! Small tactical questions that playouts and priors ask: what does a move leave in atari, what saves a
//! chain, what captures.

use super::board::{Board, cell, stone};
use super::geometry::Point;
use super::point_list::PointList;
use crate::game::Player;

/// Candidate moves of one tactical situation.
pub type Moves = PointList<16>;

/// Liberties that the chain of a new stone of `player` on the empty `point` would have, counted up to 2
/// (3 and more count as 2), its captures considered.
#[must_use]
pub fn liberties_after(board: &Board, point: Point, player: Player) -> usize {
    let own = stone(player);
    let mut found: PointList<2> = PointList::new();
    for neighbour in board.neighbours4(point) {
        let cell = board.cell(neighbour);
        let becomes_free =
            cell == cell::EMPTY || (cell == stone(player.other()) && board.in_atari(neighbour));
        if becomes_free {
            found.push(neighbour);
        }
    }
    if found.len() >= 2 {
        return 2;
    }
    for neighbour in board.neighbours4(point) {
        if board.cell(neighbour) == own && !board.in_atari(neighbour) {
            for &liberty in board.liberties::<3>(neighbour).as_slice() {
                if liberty != point && !found.contains(liberty) {
                    found.push(liberty);
                    if found.len() >= 2 {
                        return 2;
                    }
                }
            }
        }
    }
    found.len()
}

/// Whether a stone of `player` on the empty `point` could be captured at once. A move with two empty
/// neighbours never is, which one look at the neighbourhood tells.
#[must_use]
#[inline]
pub fn is_self_atari(board: &Board, point: Point, player: Player) -> bool {
    let around = board.neighbourhood(point);
    let free = !(around | around >> 1) & 0x55;
    free.count_ones() < 2 && liberties_after(board, point, player) < 2
}

/// Whether `player` may place a stone there at all, in a playout: an empty point, no ko, no suicide.
#[must_use]
#[inline]
pub fn is_playable(board: &Board, point: Point, player: Player) -> bool {
    board.cell(point) == cell::EMPTY && point != board.ko() && board.is_not_suicide(point, player)
}

/// Adds the moves of `player` that save the own chain with a stone on `point`, which is in atari:
/// capturing a neighbour that is in atari itself, or extending to two liberties or more.
pub fn add_saving_moves(board: &Board, point: Point, player: Player, moves: &mut Moves) {
    let Some(liberty) = board.atari_liberty(point) else { return };
    let enemy = stone(player.other());
    for own in board.chain_stones(point) {
        for neighbour in board.neighbours4(own) {
            if board.cell(neighbour) == enemy
                && let Some(capture) = board.atari_liberty(neighbour)
            {
                add(board, capture, player, moves);
            }
        }
    }
    if liberties_after(board, liberty, player) >= 2 {
        add(board, liberty, player, moves);
    }
}

/// Adds the move of `player` that captures the enemy chain with a stone on `point`, if it is in atari.
pub fn add_capturing_move(board: &Board, point: Point, player: Player, moves: &mut Moves) {
    if let Some(liberty) = board.atari_liberty(point) {
        add(board, liberty, player, moves);
    }
}

fn add(board: &Board, point: Point, player: Player, moves: &mut Moves) {
    if !moves.contains(point) && is_playable(board, point, player) {
        moves.push(point);
    }
}

/// Adds the moves of `player` that answer the enemy stone just placed on `last`: what saves a chain it
/// put in atari, and what captures its own chain.
pub fn add_atari_answers(board: &Board, last: Point, player: Player, moves: &mut Moves) {
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
