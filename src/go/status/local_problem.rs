//! A local game cut out of a board, with the same numbering in all symmetries and with either colouring.

use super::local_game::{LocalArea, LocalPosition, MAX_AREA, Neighbours, PointSet, single};
use crate::base::game::Player;
use crate::go::board::Board;
use crate::go::geometry::Point;

/// A local game and its place on the board.
pub(super) struct LocalProblem {
    /// The area.
    pub(super) area: LocalArea,
    /// The stones in it, by local player.
    pub(super) stones: [PointSet; 2],
    /// The points on the board, in the order of their numbers.
    points: Vec<Point>,
    /// The number of each of them.
    numbers: Vec<usize>,
    /// True if Black on the board is the local White.
    swaps_colours: bool,
    /// The local player to whom a ko forbids a first move, and the number of that point.
    ko: Option<(Player, usize)>,
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
        let (form, order, swaps_colours) = canonical_order(board, points, &contents);
        let (numbers, row) = numbers(&form);
        let points: Vec<Point> = order.iter().map(|&index| points[index]).collect();
        let neighbours = row.map_or_else(|| listed_neighbours(board, &points), Neighbours::Rows);
        let all = numbers.iter().fold(0, |set, &number| set | single(number));
        let area = LocalArea { all, neighbours, walls: [0; 2] };
        let mut problem =
            LocalProblem { area, stones: [0; 2], points, numbers: numbers.clone(), swaps_colours, ko: None };
        for (number, index) in numbers.into_iter().zip(order) {
            for player in Player::BOTH {
                let local = problem.local(player).index();
                let content = contents[index];
                problem.stones[local] |= if content.stones[player.index()] { single(number) } else { 0 };
                problem.area.walls[local] |= if content.walls[player.index()] { single(number) } else { 0 };
            }
        }
        Some(problem)
    }

    /// Forbids a first move of a player of the board by ko, if its point is in the area.
    pub(super) fn set_ko(&mut self, player: Player, point: Point) {
        let index = self.points.iter().position(|&it| it == point);
        self.ko = index.map(|index| (self.local(player), self.numbers[index]));
    }

    /// Returns the position in which a local player moves first.
    pub(super) fn start(&self, first: Player) -> LocalPosition {
        let start = LocalPosition::new(self.stones, first);
        match self.ko {
            Some((player, at)) if player == first => start.with_ko(at),
            _ => start,
        }
    }

    /// Converts a player of the board to the local player, and back.
    pub(super) fn local(&self, player: Player) -> Player {
        if self.swaps_colours { player.other() } else { player }
    }

    /// Returns the point on the board of a number.
    pub(super) fn point(&self, number: usize) -> Point {
        self.points[self.numbers.partition_point(|&it| it < number)]
    }

    /// Returns true if the area contains a point of the board.
    pub(super) fn contains(&self, point: Point) -> bool {
        self.points.contains(&point)
    }

    /// Returns the set of the points for which `is_element` holds.
    pub(super) fn set_of(&self, is_element: impl Fn(Point) -> bool) -> PointSet {
        let elements = self.points.iter().zip(&self.numbers).filter(|&(&point, _)| is_element(point));
        elements.fold(0, |set, (_, &number)| set | single(number))
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

/// Returns the numbers of the points of a drawing, ascending, and the numbers of a row if each row has its own: otherwise the
/// numbers are consecutive.
fn numbers(form: &CanonicalForm) -> (Vec<usize>, Option<u32>) {
    let most = |of: fn(&(i32, i32, u8)) -> i32| form.iter().map(of).max().unwrap_or(0) as usize;
    let row = most(|place| place.1) + 2;
    if (most(|place| place.0) + 1) * row > MAX_AREA {
        return ((0..form.len()).collect(), None);
    }
    (form.iter().map(|place| place.0 as usize * row + place.1 as usize).collect(), Some(row as u32))
}

/// Returns the neighbours of points with consecutive numbers.
fn listed_neighbours(board: &Board, points: &[Point]) -> Neighbours {
    let number_of = |beside: Point| points.iter().position(|&point| point == beside);
    let around = |&point: &Point| {
        let numbers = board.neighbours4(point).into_iter().filter_map(number_of);
        numbers.fold(0, |set, number| set | single(number))
    };
    Neighbours::Listed(points.iter().map(around).collect())
}

/// Returns the least drawing of the points over all symmetries and colourings, their order in it (as indices), and true if
/// its colours are exchanged.
fn canonical_order(
    board: &Board,
    points: &[Point],
    contents: &[PointContent],
) -> (CanonicalForm, Vec<usize>, bool) {
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
    best.unwrap_or_default()
}

/// Maps a place by one of the eight symmetries about the origin.
fn apply_symmetry((column, row): (i32, i32), symmetry: u8) -> (i32, i32) {
    let (column, row) = if symmetry & 1 != 0 { (-column, row) } else { (column, row) };
    let (column, row) = if symmetry & 2 != 0 { (column, -row) } else { (column, row) };
    if symmetry & 4 != 0 { (row, column) } else { (column, row) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Size;

    #[test]
    fn neighbours_by_rows_and_by_list_are_those_on_the_board() {
        let size = Size::new(19, 19).expect("a size");
        let board = Board::new(size);
        let places = |columns: usize, rows: usize| {
            let all = (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)));
            // With holes.
            all.filter(|(column, row)| (column + 2 * row) % 7 != 3)
        };
        for (columns, rows, has_rows) in
            [(9, 9, true), (1, 1, true), (19, 5, true), (19, 7, false), (11, 11, false)]
        {
            let point = |(column, row)| board.geometry().point_of(size.move_at(column, row)?);
            let points: Vec<Point> = places(columns, rows).filter_map(point).collect();
            let problem = LocalProblem::new(&board, &points).expect("an area");
            let area = &problem.area;
            assert_eq!(matches!(area.neighbours, Neighbours::Rows(_)), has_rows, "{columns}x{rows}");
            assert_eq!(area.all.count_ones() as usize, points.len());
            for &point in &points {
                let around = board.neighbours4(point);
                let expected = problem.set_of(|other| around.contains(&other));
                assert_eq!(area.beside(problem.set_of(|other| other == point)), expected, "{columns}x{rows}");
            }
        }
    }
}
