//! The vital points of small eye spaces.

use super::board::{Board, cell};
use super::geometry::Point;
use super::point_list::PointList;

/// Points of the largest space that one move decides.
const LARGEST: usize = 6;

/// The vital point of the space that the empty `start` belongs to, if stones of one colour alone enclose it and it has
/// a shape in which the first move on one point decides whether it makes two eyes: three in a row or bent, the
/// pyramid of four, the crossed and the bulky five, the rabbity six.
#[must_use]
pub fn vital_point(board: &Board, start: Point) -> Option<Point> {
    // A space with more points than this, or with both colours beside it, is left quickly.
    let mut space: PointList<{ LARGEST + 1 }> = PointList::new();
    space.push(start);
    let mut colours = cell::EMPTY;
    let mut next = 0;
    while next < space.len() {
        for neighbour in board.neighbours4(space.as_slice()[next]) {
            match board.cell(neighbour) {
                cell::BORDER => {}
                cell::EMPTY if space.contains(neighbour) => {}
                cell::EMPTY => space.push(neighbour),
                colour => colours |= colour,
            }
        }
        if space.len() > LARGEST || colours == cell::BLACK | cell::WHITE {
            return None;
        }
        next += 1;
    }
    let degree = |point: Point| {
        board.neighbours4(point).into_iter().filter(|&neighbour| board.cell(neighbour) == cell::EMPTY).count()
    };
    let (mut vital, mut most, mut edges) = (None, 0, 0);
    for &point in space.as_slice() {
        let degree = degree(point);
        edges += degree;
        if degree > most {
            (vital, most) = (Some(point), degree);
        }
    }
    // Twice the number of neighbouring pairs; a tree of n points has 2(n - 1).
    let decides = match (space.len(), most, edges) {
        (3, 2, _) | (4, 3, _) | (5, 4, _) => true,
        // Four of the five, or five of the six, make a square: else it is a chain with arms, which lives.
        (5, 3, 10) | (6, 4, 12) => true,
        _ => false,
    };
    vital.filter(|_| decides)
}
