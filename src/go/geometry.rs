//! Board sizes, points and their names.
//!
//! Inside, a board is one padded array with `stride = columns + 1`: a row of border below and above, and one border column
//! that serves as the right edge of a row and the left edge of the next. The four neighbours of point `p` are then
//! `p ± stride` and `p ± 1` without a test for the edge.

use crate::base::game::Move;
use crate::base::zobrist::{self, SIDE};
use std::fmt;
use std::sync::OnceLock;

/// Length of every array indexed by [`Point`]: a power of two above the 421 cells of a padded 19x19 board, so that
/// `index & (CELLS - 1)` needs no bounds check.
pub const CELLS: usize = 512;

/// Number of points on the largest board.
pub const MAX_POINTS: usize = SIDE * SIDE;

/// A cell of the padded board. `Point(0)` is always border and stands for "none".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(pub u16);

impl Point {
    /// No point: a border cell.
    pub const NONE: Point = Point(0);

    /// Returns the index into arrays of [`CELLS`] elements.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize & (CELLS - 1)
    }
}

/// The columns and rows of a board, each `1..=19`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    columns: u8,
    rows: u8,
}

/// An unsupported board size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unacceptable size {given:?}: expected COLUMNSxROWS or one number, each from 1 to {SIDE}")]
pub struct SizeError {
    /// The size as given.
    pub given: String,
}

impl Size {
    /// Creates the size of a board of `columns` by `rows`.
    ///
    /// # Errors
    /// Either number outside `1..=19`.
    pub fn new(columns: usize, rows: usize) -> Result<Size, SizeError> {
        if (1..=SIDE).contains(&columns) && (1..=SIDE).contains(&rows) {
            Ok(Size { columns: columns as u8, rows: rows as u8 })
        } else {
            Err(SizeError { given: format!("{columns}x{rows}") })
        }
    }

    /// Returns the number of points in a row.
    #[must_use]
    pub const fn columns(self) -> usize {
        self.columns as usize
    }

    /// Returns the number of points in a column.
    #[must_use]
    pub const fn rows(self) -> usize {
        self.rows as usize
    }

    /// Returns the number of points.
    #[must_use]
    pub const fn points(self) -> usize {
        self.columns() * self.rows()
    }

    /// Returns the points row by row from the top left, the order of KataGo.
    pub fn points_from_top_left(self) -> impl Iterator<Item = Move> {
        let (columns, rows) = (self.columns(), self.rows());
        let row = move |row: usize| (0..columns).map(move |column| Move((row * columns + column) as u16));
        (0..rows).rev().flat_map(row)
    }

    /// Returns the move number of pass.
    #[must_use]
    pub const fn pass(self) -> Move {
        Move(self.points() as u16)
    }

    /// Returns the move on `column` and `row`, both from 0, row 0 at the bottom; `None` outside the board.
    #[must_use]
    pub fn move_at(self, column: usize, row: usize) -> Option<Move> {
        (column < self.columns() && row < self.rows()).then(|| Move((row * self.columns() + column) as u16))
    }

    /// Returns the column and row of a move on the board; `None` for pass.
    #[must_use]
    pub fn coordinates(self, mv: Move) -> Option<(usize, usize)> {
        (mv.index() < self.points()).then(|| (mv.index() % self.columns(), mv.index() / self.columns()))
    }

    /// Returns the move in GTP notation: a column letter without `I` and the row from the bottom, or `pass`.
    #[must_use]
    pub fn vertex(self, mv: Move) -> String {
        let mut text = String::new();
        self.push_vertex(mv, &mut text);
        text
    }

    /// Appends the move in GTP notation to `text`, see [`vertex`](Size::vertex).
    pub(crate) fn push_vertex(self, mv: Move, text: &mut String) {
        let Some((column, row)) = self.coordinates(mv) else { return text.push_str("pass") };
        text.push(column_letter(column));
        let digits = [(row + 1) / 10, (row + 1) % 10].map(|digit| char::from(b'0' + digit as u8));
        text.extend(digits.into_iter().skip_while(|&digit| digit == '0'));
    }

    /// Parses a vertex in either case, or `(X,Y)` as in KataGo: column and row from 0, the row from the top. Returns `None`
    /// if it is no vertex of this board.
    #[must_use]
    pub fn parse_vertex(self, text: &str) -> Option<Move> {
        if text.eq_ignore_ascii_case("pass") {
            return Some(self.pass());
        }
        if let Some(numbers) = text.strip_prefix('(') {
            let (column, row) = numbers.strip_suffix(')')?.split_once(',')?;
            let row: usize = row.trim().parse().ok()?;
            return self.move_at(column.trim().parse().ok()?, self.rows().checked_sub(row.checked_add(1)?)?);
        }
        let letter = text.bytes().next()?.to_ascii_uppercase();
        if !letter.is_ascii_uppercase() || letter == b'I' {
            return None;
        }
        let column = usize::from(letter - b'A') - usize::from(letter > b'I');
        let digits = &text[1..];
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let row: usize = digits.parse().ok()?;
        self.move_at(column, row.checked_sub(1)?)
    }
}

/// Returns the letter of a column from 0, without `I`.
#[must_use]
pub fn column_letter(column: usize) -> char {
    char::from(b"ABCDEFGHJKLMNOPQRST"[column])
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.columns, self.rows)
    }
}

impl std::str::FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Size, SizeError> {
        let error = || SizeError { given: text.to_owned() };
        let (columns, rows) = text.split_once(['x', 'X', ':']).unwrap_or((text, text));
        let parse = |side: &str| side.trim().parse::<usize>().map_err(|_| error());
        Size::new(parse(columns)?, parse(rows)?).map_err(|_| error())
    }
}

/// The data shared by all boards of one size.
pub struct Geometry {
    /// The size.
    pub size: Size,
    /// Number of cells from one row to the next.
    pub stride: u16,
    /// Index of the last cell in use plus one.
    pub cells: usize,
    /// Offset from a point to each of its eight neighbours, modulo 2^16.
    steps: [u16; 8],
    /// The point of each move on the board, in the order of move numbers.
    pub points: Vec<Point>,
    /// The move number of each point; `u16::MAX` on the border.
    pub moves: [u16; CELLS],
    /// Zobrist key of a stone: `stone_keys[player][point]`.
    pub stone_keys: [[u64; CELLS]; 2],
    /// Zobrist key of a simple-ko point.
    pub ko_keys: [u64; CELLS],
    /// Distance of each point from the nearest edge: 0 on the first line.
    pub edge_distance: [u8; CELLS],
}

impl Geometry {
    /// Returns the geometry of boards of `size`, computed once.
    #[must_use]
    pub fn of(size: Size) -> &'static Geometry {
        static ALL: [OnceLock<Box<Geometry>>; MAX_POINTS] = [const { OnceLock::new() }; MAX_POINTS];
        let slot = (size.rows() - 1) * SIDE + size.columns() - 1;
        ALL[slot].get_or_init(|| Box::new(Geometry::compute(size)))
    }

    fn compute(size: Size) -> Geometry {
        let stride = size.columns() + 1;
        let keys = zobrist::keys();
        let mut geometry = Geometry {
            size,
            stride: stride as u16,
            cells: (size.rows() + 2) * stride + 1,
            steps: {
                let (up, down) = (stride as u16, (stride as u16).wrapping_neg());
                let (right, left) = (1_u16, 1_u16.wrapping_neg());
                [up, down, right, left, up + 1, down.wrapping_sub(1), up - 1, down.wrapping_add(1)]
            },
            points: Vec::with_capacity(size.points()),
            moves: [u16::MAX; CELLS],
            stone_keys: [[0; CELLS]; 2],
            ko_keys: [0; CELLS],
            edge_distance: [0; CELLS],
        };
        for row in 0..size.rows() {
            for column in 0..size.columns() {
                let cell = (row + 1) * stride + column + 1;
                geometry.moves[cell] = geometry.points.len() as u16;
                geometry.points.push(Point(cell as u16));
                for player in 0..2 {
                    geometry.stone_keys[player][cell] = keys.stones[player][row * SIDE + column];
                }
                geometry.ko_keys[cell] = keys.ko[row * SIDE + column];
                let to_edge = column.min(row).min(size.columns() - 1 - column).min(size.rows() - 1 - row);
                geometry.edge_distance[cell] = to_edge as u8;
            }
        }
        geometry
    }

    /// Returns the neighbours above, below, right and left.
    #[must_use]
    #[inline]
    pub fn neighbours4(&self, point: Point) -> [Point; 4] {
        let (p, stride) = (point.0, self.stride);
        [
            Point(p.wrapping_add(stride)),
            Point(p.wrapping_sub(stride)),
            Point(p.wrapping_add(1)),
            Point(p.wrapping_sub(1)),
        ]
    }

    /// Returns neighbour `k & 7` of a point, in the order of [`Board::neighbours8`](super::board::Board::neighbours8). This
    /// is one load; indexing a fresh array of all eight would wait for its stores.
    #[must_use]
    #[inline]
    pub fn neighbour(&self, point: Point, k: u32) -> Point {
        Point(point.0.wrapping_add(self.steps[k as usize & 7]))
    }

    /// Returns the move number of a point on the board.
    #[must_use]
    #[inline]
    pub fn move_of(&self, point: Point) -> Move {
        Move(self.moves[point.index()])
    }

    /// Returns the point of a move; `None` for pass.
    #[must_use]
    #[inline]
    pub fn point_of(&self, mv: Move) -> Option<Point> {
        self.points.get(mv.index()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_go_by_rows_from_the_top_left() {
        let size = Size::new(3, 2).expect("a size");
        let vertices: Vec<String> = size.points_from_top_left().map(|point| size.vertex(point)).collect();
        assert_eq!(vertices, ["A2", "B2", "C2", "A1", "B1", "C1"]);
    }

    #[test]
    fn every_point_of_every_size_has_a_cell_inside_the_padding() {
        for (columns, rows) in [(1, 1), (1, 19), (19, 1), (9, 9), (19, 19), (7, 2)] {
            let geometry = Geometry::of(Size::new(columns, rows).unwrap());
            assert!(geometry.cells <= CELLS);
            for &point in &geometry.points {
                let stride = geometry.stride as usize;
                assert!(point.index() > stride && point.index() + stride + 1 < geometry.cells + 1);
                assert_eq!(geometry.point_of(geometry.move_of(point)), Some(point));
            }
        }
    }

    #[test]
    fn vertices_skip_the_letter_i_and_ignore_case() {
        let size = Size::new(19, 19).unwrap();
        assert_eq!(size.vertex(size.move_at(8, 0).unwrap()), "J1");
        assert_eq!(size.parse_vertex("t19"), size.move_at(18, 18));
        assert_eq!(size.parse_vertex("PASS"), Some(size.pass()));
        for wrong in ["I5", "A0", "A20", "", "U1", "5A", "A+1", "é1", "A"] {
            assert_eq!(size.parse_vertex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sizes_are_read_as_columns_by_rows() {
        let size: Size = "3x5".parse().unwrap();
        assert_eq!((size.columns(), size.rows()), (3, 5));
        assert_eq!("9".parse::<Size>().unwrap(), Size::new(9, 9).unwrap());
        for wrong in ["0", "20", "3x20", "x", "-1", "9x", "axb"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
