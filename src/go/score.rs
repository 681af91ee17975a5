//! Area scores, and scores under territory scoring.

use super::board::{Board, cell};
use super::geometry::{CELLS, Point};
use crate::base::game::Score;

/// Returns the owner of each point of a finished board: `cell::BLACK`, `cell::WHITE`, or `cell::EMPTY` for a point that
/// reaches both colours or neither. Stones own their points, dead or not (Tromp-Taylor).
#[must_use]
pub fn owners(board: &Board) -> [u8; CELLS] {
    let mut owners = [cell::BORDER; CELLS];
    for &point in &board.geometry().points {
        owners[point.index()] = board.cell(point);
    }
    let mut done = [false; CELLS];
    for &start in board.empty_points() {
        if !done[start.index()] {
            let (region, reached) = empty_region(board, start, &mut done);
            let owner = if reached == cell::BORDER { cell::EMPTY } else { reached };
            for point in region {
                owners[point.index()] = owner;
            }
        }
    }
    owners
}

/// Returns the empty points connected with `start`, and the colours that they touch as the union of cell bits.
fn empty_region(board: &Board, start: Point, done: &mut [bool; CELLS]) -> (Vec<Point>, u8) {
    let mut region = vec![start];
    let mut reached = cell::EMPTY;
    done[start.index()] = true;
    let mut next = 0;
    while next < region.len() {
        for neighbour in board.neighbours4(region[next]) {
            match board.cell(neighbour) {
                cell::EMPTY if !done[neighbour.index()] => {
                    done[neighbour.index()] = true;
                    region.push(neighbour);
                }
                cell::EMPTY | cell::BORDER => {}
                colour => reached |= colour,
            }
        }
        next += 1;
    }
    (region, reached)
}

/// Returns the area score: Black's points minus White's, without komi.
#[must_use]
pub fn area_score(board: &Board) -> Score {
    let owners = owners(board);
    let count = |colour| board.geometry().points.iter().filter(|p| owners[p.index()] == colour).count();
    count(cell::BLACK) as Score - count(cell::WHITE) as Score
}

/// Returns the [`area_score`], faster if every empty point has only stones beside it, as after most playouts.
#[must_use]
#[inline]
pub fn area_score_after_playout(board: &Board) -> Score {
    let [black, white] = board.stones();
    let mut score = black as Score - white as Score;
    for &point in board.empty_points() {
        let around = board.neighbourhood(point);
        let (low, high) = (around & 0x55, around >> 1 & 0x55);
        if (low | high) != 0x55 {
            return area_score(board);
        }
        // The border sets both bits, a stone only one.
        score += Score::from(low == 0x55) - Score::from(high == 0x55);
    }
    score
}

/// Largest absolute score under territory scoring: the limit of the bounds in a table entry.
pub(super) const MAX_TERRITORY_SCORE: Score = 511;

/// Returns the score of an area score with an [area offset](super::Position::area_offset).
#[inline]
pub(super) fn score_of_area(area: Score, area_offset: i32) -> Score {
    let limit = i32::from(MAX_TERRITORY_SCORE);
    (i32::from(area) - area_offset).clamp(-limit, limit) as Score
}
