//! The customary points of handicap stones, and the star points of boards.
//!
//! Source: the table of section 4.1.1 in the specification of the Go Text Protocol, version 2.

use super::{IllegalMove, Komi, Position, Rules, Size};
use crate::base::game::{Move, Player};
use std::str::FromStr;

/// Handicap stones as requested by a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handicap {
    /// This number of stones, on the customary points.
    Fixed(usize),
    /// Stones on the points of these names.
    Free(Vec<String>),
}

/// The reason why handicap stones cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandicapError {
    /// A number of stones without customary points on the board.
    #[error(
        "{found} handicap stones are not possible on a {size} board: expected {allowed}; or name the points, such as {example}"
    )]
    Count {
        /// The allowed number, in words.
        allowed: String,
        /// The board size.
        size: Size,
        /// The number requested.
        found: usize,
        /// Two points of the board.
        example: String,
    },
    /// A name of no point, or of a point that was named before.
    #[error("handicap point {found:?}: expected points of the {size} board, such as A1, each named once")]
    Point {
        /// The board size.
        size: Size,
        /// The name.
        found: String,
    },
    /// Stones without liberties.
    #[error("the handicap stone on {vertex} has no liberty: leave more points empty")]
    NoLiberty {
        /// The point of such a stone.
        vertex: String,
    },
    /// Text that is neither a number nor a list of points.
    #[error("handicap {found:?}: expected a number from 2 on, such as 4, or points, such as D4,Q16")]
    Unreadable {
        /// The text as given.
        found: String,
    },
}

impl FromStr for Handicap {
    type Err = HandicapError;

    fn from_str(text: &str) -> Result<Handicap, HandicapError> {
        let unreadable = || HandicapError::Unreadable { found: text.to_owned() };
        if let Ok(count) = text.trim().parse() {
            return if count >= 2 { Ok(Handicap::Fixed(count)) } else { Err(unreadable()) };
        }
        let names: Vec<String> =
            text.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let is_point = |name: &String| name.starts_with(|first: char| first.is_ascii_alphabetic());
        if names.len() >= 2 && names.iter().all(is_point) {
            Ok(Handicap::Free(names))
        } else {
            Err(unreadable())
        }
    }
}

impl Handicap {
    /// Returns the points of the stones, at least two, on a board of `size`.
    ///
    /// # Errors
    /// A number without customary points, or a name of no point or of a point named before.
    pub fn points(&self, size: Size) -> Result<Vec<Move>, HandicapError> {
        match self {
            Handicap::Fixed(count) => {
                let most = most_fixed(size);
                if (2..=most).contains(count) {
                    return Ok(fixed_points(size, *count));
                }
                let allowed =
                    if most < 2 { "no fixed handicap".to_owned() } else { format!("2 to {most} stones") };
                let example = [Move(0), Move(size.points() as u16 - 1)].map(|mv| size.vertex(mv)).join(",");
                Err(HandicapError::Count { allowed, size, found: *count, example })
            }
            Handicap::Free(names) => {
                let mut points = Vec::with_capacity(names.len());
                for name in names {
                    let mv = size.parse_vertex(name).filter(|mv| *mv != size.pass() && !points.contains(mv));
                    points.push(mv.ok_or_else(|| HandicapError::Point { size, found: name.clone() })?);
                }
                Ok(points)
            }
        }
    }
}

/// Returns the start of a handicap game: Black has the stones, White moves first with the compensation of the rules.
///
/// # Errors
/// Returns the first stone off the board, on another stone, or in a chain without liberties.
pub fn start(size: Size, rules: Rules, komi: Komi, stones: &[Move]) -> Result<Position, (Move, IllegalMove)> {
    let black: Vec<(Player, Move)> = stones.iter().map(|&mv| (Player::Black, mv)).collect();
    let mut start = Position::with_stones(size, rules, komi, &black, Player::White)?;
    start.compensate_for(stones.len());
    Ok(start)
}

/// Returns the number of handicap stones among the setup stones of Black and White: Black's stones, if there are two or more
/// and White has none.
#[must_use]
pub fn stones_given([black, white]: [usize; 2]) -> usize {
    if black >= 2 && white == 0 { black } else { 0 }
}

/// Returns the largest number of customary handicap stones: 0 with a side below 7 lines, 4 with a side below 9 or of an even
/// number of lines, else 9.
#[must_use]
pub fn most_fixed(size: Size) -> usize {
    let (short, long) = (size.columns().min(size.rows()), size.columns().max(size.rows()));
    if short < 7 {
        0
    } else if short < 9 || short % 2 == 0 || long % 2 == 0 {
        4
    } else {
        9
    }
}

/// Returns the customary points of `count` stones, at most [`most_fixed`]: on the fourth line from 12 lines on (GNU Go's
/// limit), else on the third.
#[must_use]
pub fn fixed_points(size: Size, count: usize) -> Vec<Move> {
    let lines = |side: usize| {
        let edge = if side >= 12 { 3 } else { 2 };
        [edge, side / 2, side.saturating_sub(1 + edge)]
    };
    let (columns, rows) = (lines(size.columns()), lines(size.rows()));
    // Low, middle and high lines, as indices into `columns` and `rows`.
    let mut points = vec![(0, 0), (2, 2), (0, 2), (2, 0)];
    points.truncate(count);
    if count >= 6 {
        points.extend([(0, 1), (2, 1)]);
    }
    if count >= 8 {
        points.extend([(1, 0), (1, 2)]);
    }
    if count >= 5 && count % 2 == 1 {
        points.push((1, 1));
    }
    points.into_iter().filter_map(|(column, row)| size.move_at(columns[column], rows[row])).collect()
}

/// Returns the points that are marked on a wooden board: those of handicap stones, below 13 lines only corners and centre.
#[must_use]
pub fn star_points(size: Size) -> Vec<Move> {
    let most = most_fixed(size);
    let is_small = size.columns().min(size.rows()) < 13;
    fixed_points(size, if is_small { most.min(5) } else { most })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(side: usize, points: impl Fn(Size) -> Vec<Move>) -> String {
        let size = Size::new(side, side).expect("a size");
        let mut names: Vec<String> = points(size).into_iter().map(|mv| size.vertex(mv)).collect();
        names.sort();
        names.join(" ")
    }

    #[test]
    fn handicap_stones_have_the_points_of_the_specification() {
        assert_eq!(names(19, |size| fixed_points(size, 2)), "D4 Q16");
        assert_eq!(names(19, |size| fixed_points(size, 5)), "D16 D4 K10 Q16 Q4");
        assert_eq!(names(19, |size| fixed_points(size, 9)), "D10 D16 D4 K10 K16 K4 Q10 Q16 Q4");
        assert_eq!(names(9, |size| fixed_points(size, 4)), "C3 C7 G3 G7");
    }

    #[test]
    fn star_points_are_those_of_wooden_boards() {
        assert_eq!(names(9, star_points), "C3 C7 E5 G3 G7");
        assert_eq!(names(13, star_points).split(' ').count(), 9);
        assert_eq!(names(8, star_points), "C3 C6 F3 F6");
        assert_eq!(names(5, star_points), "");
    }

    #[test]
    fn boards_narrower_than_the_third_line_have_no_marked_points() {
        for (columns, rows) in [(19, 1), (1, 1), (2, 13)] {
            assert!(star_points(Size::new(columns, rows).expect("a size")).is_empty(), "{columns}x{rows}");
        }
    }
}
