//! Stones on a board: placing, capturing (`placement`), liberties. The hot path of every playout.
//!
//! * A chain is a circular list of its stones (`next`), named by one of them (`chain`).
//! * Liberties are *pseudo-liberties*: an empty point counts once for every stone of the chain beside it. One word holds
//!   their number, the sum of their positions and the sum of the squares. A stone placed or removed is one addition per
//!   neighbour, and a chain is in atari exactly when `count * squares == sum²` (Cauchy-Schwarz: all positions are equal).
//! * Every cell has the colours of its eight neighbours in 16 bits (`neighbourhood`), updated with every stone, so that eyes
//!   and 3x3 patterns are one load.

mod placement;

use super::geometry::{CELLS, Geometry, MAX_POINTS, Point, Size};
use super::liberties::Liberties;
use super::point_list::PointList;
use crate::base::game::Player;

/// Contents of a cell, as the two-bit codes of neighbourhoods.
pub mod cell {
    /// An empty point.
    pub const EMPTY: u8 = 0;
    /// A black stone.
    pub const BLACK: u8 = 1;
    /// A white stone.
    pub const WHITE: u8 = 2;
    /// A cell off the board.
    pub const BORDER: u8 = 3;
}

/// Returns the cell value of a player's stone.
#[must_use]
#[inline]
pub const fn stone(player: Player) -> u8 {
    player as u8 + 1
}

/// The low bit of each of the four orthogonal two-bit fields of a neighbourhood.
pub(super) const ORTHOGONAL: u16 = 0x55;

/// The stones on a board, with mechanics only: turn order, ko and repetition are up to the caller.
pub struct Board {
    geometry: &'static Geometry,
    cells: [u8; CELLS],
    neighbourhood: [u16; CELLS],
    chain: [u16; CELLS],
    next: [u16; CELLS],
    /// Liberties by chain name. Element 0 belongs to the border and to empty points, which have no chain: it is updated and
    /// never read, which is cheaper than a branch.
    liberties: [Liberties; CELLS],
    chain_sizes: [u16; CELLS],
    empty: [Point; MAX_POINTS + 3],
    /// Index of each point in `empty`.
    empty_slots: [u16; CELLS],
    empty_count: usize,
    stones: [u16; 2],
    ko: Point,
    key: u64,
}

impl Clone for Board {
    fn clone(&self) -> Board {
        Board { ..*self }
    }

    /// Copies only the cells that the board's size uses.
    fn clone_from(&mut self, source: &Board) {
        if !std::ptr::eq(self.geometry, source.geometry) {
            *self = source.clone();
            return;
        }
        let used = source.geometry.cells.min(CELLS);
        self.cells[..used].copy_from_slice(&source.cells[..used]);
        self.neighbourhood[..used].copy_from_slice(&source.neighbourhood[..used]);
        self.chain[..used].copy_from_slice(&source.chain[..used]);
        self.next[..used].copy_from_slice(&source.next[..used]);
        self.liberties[..used].copy_from_slice(&source.liberties[..used]);
        self.chain_sizes[..used].copy_from_slice(&source.chain_sizes[..used]);
        self.empty_slots[..used].copy_from_slice(&source.empty_slots[..used]);
        self.empty[..source.empty_count].copy_from_slice(&source.empty[..source.empty_count]);
        self.empty_count = source.empty_count;
        self.stones = source.stones;
        self.ko = source.ko;
        self.key = source.key;
    }
}

impl Board {
    /// Creates an empty board.
    #[must_use]
    pub fn new(size: Size) -> Board {
        let geometry = Geometry::of(size);
        let mut board = Board {
            geometry,
            cells: [cell::BORDER; CELLS],
            neighbourhood: [0; CELLS],
            chain: [0; CELLS],
            next: [0; CELLS],
            liberties: [Liberties::NONE; CELLS],
            chain_sizes: [0; CELLS],
            empty: [Point::NONE; MAX_POINTS + 3],
            empty_slots: [0; CELLS],
            empty_count: geometry.points.len(),
            stones: [0; 2],
            ko: Point::NONE,
            key: 0,
        };
        for (slot, &point) in geometry.points.iter().enumerate() {
            board.cells[point.index()] = cell::EMPTY;
            board.empty[slot] = point;
            board.empty_slots[point.index()] = slot as u16;
        }
        for &point in &geometry.points {
            let around = board.neighbours8(point);
            board.neighbourhood[point.index()] =
                (0..8).map(|k| u16::from(board.cells[around[k].index()]) << (2 * k)).sum();
        }
        board
    }

    /// Returns the board with those stones for which `is_kept` is true. The chains keep their liberties, so that nothing is
    /// captured on the way.
    #[must_use]
    pub fn keeping(&self, is_kept: impl Fn(Point) -> bool) -> Board {
        let mut kept = Board::new(self.size());
        for &point in self.geometry.points.iter().filter(|&&point| is_kept(point)) {
            if let Some(player) = self.stone_at(point) {
                kept.place(point, player);
            }
        }
        kept
    }

    /// Returns the board with the same stones and ko, built from the first point on: playouts depend on the order in which
    /// stones were placed.
    pub(super) fn in_point_order(&self) -> Board {
        let mut board = self.keeping(|_| true);
        board.set_ko(self.ko);
        board
    }

    /// Returns the data shared by boards of this size.
    #[must_use]
    #[inline]
    pub fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    /// Returns the size.
    #[must_use]
    pub fn size(&self) -> Size {
        self.geometry.size
    }

    /// Returns the content of a cell: one of the constants of [`cell`].
    #[must_use]
    #[inline]
    pub fn cell(&self, point: Point) -> u8 {
        self.cells[point.index()]
    }

    /// Returns the contents of all cells, the border included.
    #[must_use]
    #[inline]
    pub fn cells(&self) -> &[u8; CELLS] {
        &self.cells
    }

    /// Returns the player with a stone on the point; `None` if it is empty.
    #[must_use]
    pub fn stone_at(&self, point: Point) -> Option<Player> {
        match self.cell(point) {
            cell::BLACK => Some(Player::Black),
            cell::WHITE => Some(Player::White),
            _ => None,
        }
    }

    /// Returns the eight neighbours' cells, two bits each: above, below, right, left, then the diagonals above right, below
    /// left, above left, below right.
    #[must_use]
    #[inline]
    pub fn neighbourhood(&self, point: Point) -> u16 {
        self.neighbourhood[point.index()]
    }

    /// Returns a code of each of the eight neighbours: its own neighbourhood, and if its stone is in atari; together the
    /// cells of a square of five by five.
    pub fn surroundings(&self, point: Point) -> impl Iterator<Item = u64> + '_ {
        self.neighbours8(point).into_iter().map(|neighbour| match self.cell(neighbour) {
            cell::BORDER => u64::MAX,
            stone => {
                let is_in_atari = stone != cell::EMPTY && self.in_atari(neighbour);
                u64::from(self.neighbourhood(neighbour)) | u64::from(is_in_atari) << 16
            }
        })
    }

    /// Returns the empty points, in no particular order.
    #[must_use]
    #[inline]
    pub fn empty_points(&self) -> &[Point] {
        &self.empty[..self.empty_count]
    }

    /// Exchanges two empty points in their list. Indices beyond the list change nothing.
    #[inline]
    pub fn swap_empty_points(&mut self, one: usize, other: usize) {
        if one < self.empty_count && other < self.empty_count {
            self.empty.swap(one, other);
            self.empty_slots[self.empty[one].index()] = one as u16;
            self.empty_slots[self.empty[other].index()] = other as u16;
        }
    }

    /// Returns the number of stones of Black and of White.
    #[must_use]
    #[inline]
    pub fn stones(&self) -> [u16; 2] {
        self.stones
    }

    /// Returns the number of stones of both colours.
    #[must_use]
    pub fn stone_count(&self) -> usize {
        self.stones.iter().map(|&stones| usize::from(stones)).sum()
    }

    /// Returns the point where a simple ko forbids the next move; [`Point::NONE`] without a ko.
    #[must_use]
    #[inline]
    pub fn ko(&self) -> Point {
        self.ko
    }

    /// Clears the ko, as a pass does.
    #[inline]
    pub fn clear_ko(&mut self) {
        self.ko = Point::NONE;
    }

    /// Sets the point that a simple ko forbids.
    pub(super) fn set_ko(&mut self, point: Point) {
        self.ko = point;
    }

    /// Returns the Zobrist key of the stones alone.
    #[must_use]
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Returns the neighbours above, below, right and left.
    #[must_use]
    #[inline]
    pub fn neighbours4(&self, point: Point) -> [Point; 4] {
        self.geometry.neighbours4(point)
    }

    /// Returns all eight neighbours, in the order of [`neighbourhood`](Board::neighbourhood): the opposite of neighbour `k`
    /// is `k ^ 1`.
    #[must_use]
    #[inline]
    pub fn neighbours8(&self, point: Point) -> [Point; 8] {
        let (p, stride) = (point.0, self.geometry.stride);
        [
            Point(p.wrapping_add(stride)),
            Point(p.wrapping_sub(stride)),
            Point(p.wrapping_add(1)),
            Point(p.wrapping_sub(1)),
            Point(p.wrapping_add(stride + 1)),
            Point(p.wrapping_sub(stride + 1)),
            Point(p.wrapping_add(stride - 1)),
            Point(p.wrapping_sub(stride - 1)),
        ]
    }

    /// Returns the name of the chain with a stone on `point`: one of its stones.
    #[must_use]
    #[inline]
    pub fn chain(&self, point: Point) -> Point {
        Point(self.chain[point.index()])
    }

    /// Returns the stones of the chain with a stone on `point`, which must have one.
    pub fn chain_stones(&self, point: Point) -> impl Iterator<Item = Point> + '_ {
        let mut current = point;
        let mut done = false;
        std::iter::from_fn(move || {
            if done {
                return None;
            }
            let stone = current;
            current = Point(self.next[stone.index()]);
            done = current == point;
            Some(stone)
        })
    }

    /// Returns the number of stones of the chain with a stone on `point`.
    #[must_use]
    #[inline]
    pub fn chain_size(&self, point: Point) -> usize {
        usize::from(self.chain_sizes[self.chain(point).index()])
    }

    /// Returns the pseudo-liberties of the chain of this name.
    #[inline]
    pub(super) fn chain_liberties(&self, name: Point) -> Liberties {
        self.liberties[name.index()]
    }

    /// Returns the number of stones of the chain of this name.
    #[inline]
    pub(super) fn chain_size_of(&self, name: Point) -> u16 {
        self.chain_sizes[name.index()]
    }

    /// Returns true if the chain with a stone on `point` has exactly one liberty.
    #[must_use]
    #[inline]
    pub fn in_atari(&self, point: Point) -> bool {
        self.liberties[self.chain(point).index()].at_most_one_point()
    }

    /// Returns the only liberty of the chain with a stone on `point`, if it is in atari.
    #[must_use]
    #[inline]
    pub fn atari_liberty(&self, point: Point) -> Option<Point> {
        let liberties = self.liberties[self.chain(point).index()];
        liberties.at_most_one_point().then(|| liberties.only())
    }

    /// Returns the distinct liberties of the chain with a stone on `point`, at most `LIMIT`.
    pub fn liberties<const LIMIT: usize>(&self, point: Point) -> PointList<LIMIT> {
        let mut found = PointList::new();
        for stone in self.chain_stones(point) {
            for neighbour in self.neighbours4(stone) {
                if self.cell(neighbour) == cell::EMPTY && !found.contains(neighbour) {
                    found.push(neighbour);
                    if found.len() == LIMIT {
                        return found;
                    }
                }
            }
        }
        found
    }

    /// Returns true if the empty `point` is a one-point eye of `player`: no neighbour is empty or the opponent's, and the
    /// opponent holds at most one diagonal, none on the edge.
    #[must_use]
    #[inline]
    pub fn is_eye(&self, point: Point, player: Player) -> bool {
        let around = self.neighbourhood(point);
        // Black is 01 and the border 11: for Black all low bits are set, for White all high bits.
        let own = around >> player.index();
        if own & ORTHOGONAL != ORTHOGONAL {
            return false;
        }
        let (low, high) = (around >> 8 & ORTHOGONAL, around >> 9 & ORTHOGONAL);
        let enemies = match player {
            Player::Black => high & !low,
            Player::White => low & !high,
        };
        enemies.count_ones() + u32::from(low & high != 0) < 2
    }
}

/// Returns the orthogonal neighbours that are `player`'s stones and those that are the opponent's, as the low bits of their
/// two-bit fields.
#[inline]
pub(super) const fn colour_masks(around: u16, player: Player) -> [u16; 2] {
    let (low, high) = (around & ORTHOGONAL, around >> 1 & ORTHOGONAL);
    match player {
        Player::Black => [low & !high, high & !low],
        Player::White => [high & !low, low & !high],
    }
}
