//! The 3x3 patterns of playouts: moves that look locally urgent.
//!
//! Source of the shapes: S. Gelly, Y. Wang, R. Munos, O. Teytaud, "Modification of UCT with Patterns in Monte-Carlo Go",
//! INRIA RR-6062, 2006, figures 2 to 5 (hane, two cuts, the edge), slightly refined as in P. Baudis's michi.

use std::sync::OnceLock;

/// Nine letters from the top left, the move in the middle. `X` and `O` are the two colours in either assignment, `.` is
/// empty, `#` beyond the edge, `x` anything but `X`, `o` anything but `O`, `?` anything.
const SHAPES: [&str; 13] = [
    // Hane.
    "XOX...???",
    "XO....?.?",
    "XO?X..x.?",
    ".O.X.....",
    // Cuts.
    "XO?O.o?o?",
    "XO?O.X???",
    "?X?O.Oooo",
    "OX?o.O???",
    // The edge.
    "X.?O.?###",
    "OX?X.O###",
    "?X?x.O###",
    "?XOx.x###",
    "?OXX.O###",
];

/// The eight neighbours of a neighbourhood in the order of [`Board::neighbourhood`](super::board::Board::neighbourhood), as
/// `(column, row)` offsets.
const ORDER: [(i8, i8); 8] = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (-1, 1), (1, -1)];

/// The set of matching neighbourhoods: one bit for each of the 2^16.
pub struct Patterns {
    bits: Box<[u64; 1024]>,
}

impl Patterns {
    /// Returns the table of `SHAPES` in all orientations and both colourings, computed once.
    #[must_use]
    pub fn get() -> &'static Patterns {
        static PATTERNS: OnceLock<Patterns> = OnceLock::new();
        PATTERNS.get_or_init(|| {
            let mut patterns = Patterns { bits: Box::new([0; 1024]) };
            for shape in SHAPES {
                for orientation in 0..8 {
                    for swapped in [false, true] {
                        patterns.add(&cells_of(shape.as_bytes(), orientation, swapped), 0, 0);
                    }
                }
            }
            patterns
        })
    }

    /// Returns true if a point with this neighbourhood matches a shape.
    #[must_use]
    #[inline]
    pub fn matches(&self, neighbourhood: u16) -> bool {
        self.matches_as_bit(neighbourhood) != 0
    }

    /// Returns 1 on a match and 0 otherwise, for masks built without branches.
    #[must_use]
    #[inline]
    pub fn matches_as_bit(&self, neighbourhood: u16) -> u64 {
        self.bits[usize::from(neighbourhood >> 6)] >> (neighbourhood & 63) & 1
    }

    /// Adds every neighbourhood that the allowed cells describe: for each of the eight neighbours, one bit per cell value.
    fn add(&mut self, allowed: &[u8; 8], next: usize, neighbourhood: u16) {
        if next == 8 {
            self.bits[usize::from(neighbourhood >> 6)] |= 1 << (neighbourhood & 63);
            return;
        }
        for cell in 0..4_u16 {
            if allowed[next] >> cell & 1 != 0 {
                self.add(allowed, next + 1, neighbourhood | cell << (2 * next));
            }
        }
    }
}

/// Returns the cell values that the shape allows on each neighbour in an orientation, with colours exchanged if `swapped`.
fn cells_of(shape: &[u8], orientation: u8, swapped: bool) -> [u8; 8] {
    ORDER.map(|(column, row)| {
        let (mut x, mut y) = (column, row);
        if orientation & 1 != 0 {
            x = -x;
        }
        if orientation & 2 != 0 {
            y = -y;
        }
        if orientation & 4 != 0 {
            (x, y) = (y, x);
        }
        let letter = shape[((1 - y) * 3 + x + 1) as usize];
        let (black, white) = if swapped { (1 << 2, 1 << 1) } else { (1 << 1, 1 << 2) };
        match letter {
            b'X' => black,
            b'O' => white,
            b'.' => 1,
            b'#' => 1 << 3,
            b'x' => 0b1111 & !black,
            b'o' => 0b1111 & !white,
            _ => 0b1111,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::game::Player;
    use crate::go::{Board, Size};

    fn matches(stones: &[(Player, usize, usize)], column: usize, row: usize) -> bool {
        let size = Size::new(9, 9).unwrap();
        let mut board = Board::new(size);
        let point = |column, row| board_point(size, column, row);
        for &(player, column, row) in stones {
            board.place(point(column, row), player);
        }
        Patterns::get().matches(board.neighbourhood(point(column, row)))
    }

    fn board_point(size: Size, column: usize, row: usize) -> crate::go::Point {
        let board = Board::new(size);
        board.geometry().point_of(size.move_at(column, row).unwrap()).unwrap()
    }

    #[test]
    fn a_hane_is_urgent_in_every_orientation_and_colour() {
        use Player::{Black, White};
        for (one, other) in [(Black, White), (White, Black)] {
            // X O X above the point.
            assert!(matches(&[(one, 3, 5), (other, 4, 5), (one, 5, 5)], 4, 4));
            // The same shape to the left of the point.
            assert!(matches(&[(one, 3, 5), (other, 3, 4), (one, 3, 3)], 4, 4));
        }
    }

    #[test]
    fn an_empty_neighbourhood_is_not_urgent() {
        assert!(!matches(&[], 4, 4));
        assert!(!matches(&[], 0, 4));
        assert!(!matches(&[(Player::Black, 4, 5)], 4, 4));
    }

    #[test]
    fn edge_shapes_need_the_edge() {
        use Player::{Black, White};
        // X . ? over O * X on the first line.
        let stones = |row| [(Black, 3, row + 1), (White, 3, row), (Black, 5, row)];
        assert!(matches(&stones(0), 4, 0));
        assert!(!matches(&stones(4), 4, 4));
    }
}
