//! Symmetries of the board: rotations and reflections.

use super::geometry::Size;
use crate::base::game::Move;

/// One of the eight symmetries of a square, or of the four of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The identity.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// Returns the symmetries of a board of this size, the identity first.
    pub fn all(size: Size) -> impl Iterator<Item = Symmetry> {
        (0..Symmetry::count(size)).map(Symmetry)
    }

    /// Returns the symmetry selected by an arbitrary number, for example a hash.
    #[must_use]
    pub fn from_number(number: u64, size: Size) -> Symmetry {
        Symmetry((number % u64::from(Symmetry::count(size))) as u8)
    }

    /// Returns the number of symmetries of a board of this size.
    #[must_use]
    pub const fn count(size: Size) -> u8 {
        if size.columns() == size.rows() { 8 } else { 4 }
    }

    /// Returns its index in the order of [`Symmetry::all`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the image of a move; a pass is unchanged.
    #[must_use]
    pub fn apply(self, mv: Move, size: Size) -> Move {
        let Some((mut column, mut row)) = size.coordinates(mv) else { return mv };
        if self.0 & 1 != 0 {
            column = size.columns() - 1 - column;
        }
        if self.0 & 2 != 0 {
            row = size.rows() - 1 - row;
        }
        // Squares only, so that the image is on the board.
        if self.0 & 4 != 0 && size.columns() == size.rows() {
            (column, row) = (row, column);
        }
        size.move_at(column, row).unwrap_or(mv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn symmetries_are_different_permutations() {
        for (columns, rows, count) in [(3, 3, 8), (3, 2, 4)] {
            let size = Size::new(columns, rows).unwrap();
            let turned: HashSet<Vec<Move>> = Symmetry::all(size)
                .map(|symmetry| (0..size.points() as u16).map(|n| symmetry.apply(Move(n), size)).collect())
                .collect();
            assert_eq!(turned.len(), count);
            for board in turned {
                assert_eq!(board.into_iter().collect::<HashSet<_>>().len(), size.points());
            }
        }
    }
}
