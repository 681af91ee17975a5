//! Ownership of a finished board.

use super::board::{Board, cell};
use super::score::owners;
use crate::base::game::Player;
use crate::base::ownership::Ownership;

/// Returns the ownership of a finished board, all stones alive, counted as one playout.
#[must_use]
pub fn of_board(board: &Board) -> Ownership {
    let mut ownership = Ownership::default();
    add_owners(board, &mut ownership);
    ownership
}

/// Adds the owners of a finished board to `ownership` as one playout.
pub(super) fn add_owners(board: &Board, ownership: &mut Ownership) {
    let points = &board.geometry().points;
    // After most playouts every empty point has only stones beside it, so that its neighbourhood gives its owner.
    let is_simple = board.empty_points().iter().all(|&point| {
        let around = board.neighbourhood(point);
        (around | around >> 1) & 0x55 == 0x55
    });
    if is_simple {
        ownership.add_playout(points.iter().map(|&point| {
            let around = match board.cell(point) {
                cell::EMPTY => board.neighbourhood(point),
                cell => u16::from(cell) * 0x55,
            };
            // The border sets both bits of a cell, a stone only one.
            match (around & 0x55 == 0x55, around >> 1 & 0x55 == 0x55) {
                (true, false) => Some(Player::Black),
                (false, true) => Some(Player::White),
                _ => None,
            }
        }));
    } else {
        let owners = owners(board);
        ownership.add_playout(points.iter().map(|point| match owners[point.index()] {
            cell::BLACK => Some(Player::Black),
            cell::WHITE => Some(Player::White),
            _ => None,
        }));
    }
}
