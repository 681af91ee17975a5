//! A local game cut out of a board, with the same numbering in all symmetries and with either colouring.

use super::local_game::{LocalArea, MAX_AREA, PointSet, single};
use crate::base::game::Player;
use crate::go::board::Board;
use crate::go::geometry::Point;

/// A local game and its place on the board.
pub(super) struct LocalProblem {
    /// The area.
    pub(super) area: LocalArea,
    /// The stones in it, by local player.
    pub(super) stones: [PointSet; 2],
    /// The point on the board of each number.
    points: Vec<Point>,
    /// True if Black on the board is the local White.
    swaps_colours: bool,
}

/// Rows, columns and contents of an area's points, in one order of the points.
type CanonicalForm = Vec<(i32, i32, u8)>;

/// The content of a point and the presence of walls beside it, by player of the board.
#[derive(Clone, Copy)]
struct PointContent {
    stones: [bool; 2],
    walls: [bool; 2],
}

impl PointContent {
    fn code(self, swaps_colours: bool) -> u8 {
        let order = if swaps_colours { [1, 0] } else { [0, 1] };
        let bits = order.map(|player| [self.stones[player], self.walls[player]]);
        bits.into_iter().flatten().fold(0, |code, bit| code << 1 | u8::from(bit))
    }
}

impl LocalProblem {
    /// Creates the game on `points`, with all other stones of the board safe from capture; `None` for no or too many points.
    pub(super) fn new(board: &Board, points: &[Point]) -> Option<LocalProblem> {
        if points.is_empty() || points.len() > MAX_AREA {
            return None;
        }
        let contents: Vec<PointContent> = points.iter().map(|&point| content(board, points, point)).collect();
        let (order, swaps_colours) = canonical_order(board, points, &contents);
        let number_of = |point: Point| order.iter().position(|&index| points[index] == point);
        let mut problem = LocalProblem {
            area: LocalArea { neighbours: Vec::new(), walls: [0; 2] },
            stones: [0; 2],
            points: order.iter().map(|&index| points[index]).collect(),
            swaps_colours,
        };
        for (number, &index) in order.iter().enumerate() {
            let around = board.neighbours4(points[index]).into_iter().filter_map(number_of);
            problem.area.neighbours.push(around.fold(0, |set, at| set | single(at)));
            for player in Player::BOTH {
                let local = problem.local(player).index();
                let content = contents[index];
                problem.stones[local] |= if content.stones[player.index()] { single(number) } else { 0 };
                problem.area.walls[local] |= if content.walls[player.index()] { single(number) } else { 0 };
            }
        }
        Some(problem)
    }

    /// Converts a player of the board to the local player, and back.
    pub(super) fn local(&self, player: Player) -> Player {
        if self.swaps_colours { player.other() } else { player }
    }

    /// Returns the point on the board of a number.
    pub(super) fn point(&self, number: usize) -> Point {
        self.points[number]
    }

    /// Returns true if the area contains a point of the board.
    pub(super) fn contains(&self, point: Point) -> bool {
        self.points.contains(&point)
    }

    /// Returns the set of the points for which `is_element` holds.
    pub(super) fn set_of(&self, is_element: impl Fn(Point) -> bool) -> PointSet {
        let elements = self.points.iter().enumerate().filter(|&(_, &point)| is_element(point));
        elements.fold(0, |set, (number, _)| set | single(number))
    }
}

fn content(board: &Board, points: &[Point], point: Point) -> PointContent {
    Player::BOTH.into_iter().fold(
        PointContent { stones: [false; 2], walls: [false; 2] },
        |mut content, player| {
            content.stones[player.index()] = board.stone_at(point) == Some(player);
            let is_wall =
                |beside: &Point| board.stone_at(*beside) == Some(player) && !points.contains(beside);
            content.walls[player.index()] = board.neighbours4(point).iter().any(is_wall);
            content
        },
    )
}

/// Returns the order of the points (as indices) with the least drawing over all symmetries and colourings, and true if its
/// colours are exchanged.
fn canonical_order(board: &Board, points: &[Point], contents: &[PointContent]) -> (Vec<usize>, bool) {
    let size = board.size();
    let place = |point: &Point| {
        let (column, row) = size.coordinates(board.geometry().move_of(*point)).unwrap_or_default();
        (column as i32, row as i32)
    };
    let places: Vec<(i32, i32)> = points.iter().map(place).collect();
    let mut best: Option<(CanonicalForm, Vec<usize>, bool)> = None;
    for symmetry in 0..8 {
        let transformed: Vec<(i32, i32)> =
            places.iter().map(|&place| apply_symmetry(place, symmetry)).collect();
        let left = transformed.iter().map(|place| place.0).min().unwrap_or(0);
        let bottom = transformed.iter().map(|place| place.1).min().unwrap_or(0);
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by_key(|&index| (transformed[index].1, transformed[index].0));
        for swaps_colours in [false, true] {
            let drawing: CanonicalForm = order
                .iter()
                .map(|&index| {
                    let (column, row) = transformed[index];
                    (row - bottom, column - left, contents[index].code(swaps_colours))
                })
                .collect();
            if best.as_ref().is_none_or(|(least, ..)| drawing < *least) {
                best = Some((drawing, order.clone(), swaps_colours));
            }
        }
    }
    best.map_or((Vec::new(), false), |(_, order, swaps_colours)| (order, swaps_colours))
}

/// Maps a place by one of the eight symmetries about the origin.
fn apply_symmetry((column, row): (i32, i32), symmetry: u8) -> (i32, i32) {
    let (column, row) = if symmetry & 1 != 0 { (-column, row) } else { (column, row) };
    let (column, row) = if symmetry & 2 != 0 { (column, -row) } else { (column, row) };
    if symmetry & 4 != 0 { (row, column) } else { (column, row) }
}
