//! The orientation of a board in which its chains and points are counted.
//!
//! Playouts and some choices of the count depend on the order of points and on the colour of the player to move. All boards
//! that differ only by a symmetry, or by exchanged colours with the other player to move, have the same canonical
//! orientation, and so the same count.

use crate::base::game::{Move, Player};
use crate::go::board::{Board, cell, stone};
use crate::go::{Size, Symmetry};

/// Code of the point that a ko forbids; it has no stone.
const KO: u8 = cell::BORDER;

/// A symmetry of the board and an exchange of colours, from an oriented board to the original one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orientation {
    size: Size,
    symmetry: Symmetry,
    swaps_colours: bool,
}

impl Orientation {
    /// The player to move in the canonical orientation.
    pub(super) const TO_PLAY: Player = Player::Black;

    /// Returns the orientation in which [`TO_PLAY`](Orientation::TO_PLAY) moves and the drawing of stones and ko is the least.
    /// If several symmetries give the least drawing, they map the board to itself.
    pub(super) fn canonical(board: &Board, to_play: Player) -> Orientation {
        let (size, swaps_colours) = (board.size(), to_play != Orientation::TO_PLAY);
        let all = Symmetry::all(size).map(|symmetry| Orientation { size, symmetry, swaps_colours });
        let least = all.min_by_key(|orientation| orientation.drawing(board));
        least.unwrap_or_else(|| unreachable!("every board has a symmetry"))
    }

    /// Returns the contents of the oriented board's points, by move number.
    fn drawing(self, board: &Board) -> Vec<u8> {
        let content = |mv: Move| match board.geometry().point_of(self.original_move(mv)) {
            Some(point) if point == board.ko() => KO,
            Some(point) => {
                board.stone_at(point).map_or(cell::EMPTY, |player| stone(self.original_player(player)))
            }
            None => cell::BORDER,
        };
        self.moves().map(content).collect()
    }

    /// Returns the oriented board of an original one.
    pub(super) fn oriented_board(self, board: &Board) -> Board {
        let mut oriented = Board::new(self.size);
        let geometry = board.geometry();
        let mut ko = board.ko();
        for (mv, &point) in self.moves().zip(&geometry.points) {
            let Some(original) = geometry.point_of(self.original_move(mv)) else { continue };
            if let Some(player) = board.stone_at(original) {
                oriented.place(point, self.original_player(player));
            } else if original == board.ko() {
                ko = point;
            }
        }
        oriented.set_ko(ko);
        oriented
    }

    /// Returns the original of a move on the oriented board.
    pub(super) fn original_move(self, mv: Move) -> Move {
        self.symmetry.apply(mv, self.size)
    }

    /// Returns the original of a player on the oriented board, and the reverse.
    pub(super) fn original_player(self, player: Player) -> Player {
        if self.swaps_colours { player.other() } else { player }
    }

    /// Returns the original of values by move number.
    pub(super) fn original_values<T: Copy>(self, values: &[T]) -> Vec<T> {
        let mut originals = values.to_vec();
        for (mv, &value) in self.moves().zip(values) {
            originals[self.original_move(mv).index()] = value;
        }
        originals
    }

    /// Returns the moves on the board, in order.
    fn moves(self) -> impl Iterator<Item = Move> {
        (0..self.size.points() as u16).map(Move)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Point;

    #[test]
    fn the_ko_decides_between_orientations_with_equal_stones() {
        let size = Size::new(4, 3).expect("a size");
        let board = Board::new(size);
        let ko_points = [(0, 1), (3, 1)].map(|(column, row)| {
            let mv = size.move_at(column, row).expect("a point");
            board.geometry().point_of(mv).expect("a point")
        });
        let canonical = |ko: Point| {
            let mut board = board.clone();
            board.set_ko(ko);
            let oriented = Orientation::canonical(&board, Player::White).oriented_board(&board);
            (oriented.ko(), oriented.key())
        };
        let [left, right] = ko_points.map(canonical);
        assert_eq!(left, right);
        assert!(ko_points.contains(&left.0));
        assert_eq!(canonical(Point::NONE).0, Point::NONE);
    }

    #[test]
    fn the_original_of_the_oriented_board_is_the_board() {
        let size = Size::new(3, 3).expect("a size");
        let mut board = Board::new(size);
        for (number, player) in [(1, Player::Black), (3, Player::White), (8, Player::White)] {
            board.place(board.geometry().points[number], player);
        }
        let players = |board: &Board| -> Vec<Option<Player>> {
            board.geometry().points.iter().map(|&point| board.stone_at(point)).collect()
        };
        for to_play in Player::BOTH {
            let orientation = Orientation::canonical(&board, to_play);
            let oriented = players(&orientation.oriented_board(&board));
            let originals = orientation.original_values(&oriented);
            let originals: Vec<Option<Player>> = originals
                .into_iter()
                .map(|player| player.map(|player| orientation.original_player(player)))
                .collect();
            assert_eq!(originals, players(&board));
        }
    }
}
