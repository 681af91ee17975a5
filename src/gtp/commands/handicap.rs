//! Handicap stones. They are set up, not played: `undo` does not take them back, and White moves next.

use super::{Arguments, GtpError, Session, vertices};
use crate::game::{Move, Player};
use crate::go::{Position, Record, Size};
use std::collections::HashSet;

const COUNT: &str = "a number of stones";

/// The customary points; their number must be possible on the board.
pub(super) fn fixed_handicap(
    session: &mut Session,
    mut arguments: Arguments<'_>,
) -> Result<String, GtpError> {
    let count: usize = arguments.number(COUNT)?;
    let size = session.size();
    let most = most_fixed(size);
    if !(2..=most).contains(&count) {
        let allowed = if most < 2 { "none".to_owned() } else { format!("2 to {most}") };
        return Err(GtpError::InvalidHandicap { size, allowed, found: count.to_string() });
    }
    place(session, &fixed_points(size, count))
}

/// The customary points again, fewer than asked for if there are no more; on boards without such points,
/// stones that do not touch each other, nearest to the centre first.
pub(super) fn place_free_handicap(
    session: &mut Session,
    mut arguments: Arguments<'_>,
) -> Result<String, GtpError> {
    let count: usize = arguments.number(COUNT)?;
    let size = session.size();
    check_count(size, count)?;
    let most = most_fixed(size);
    let stones = if most >= 2 { fixed_points(size, count.min(most)) } else { spread_points(size, count) };
    place(session, &stones)
}

/// The points that the controller names.
pub(super) fn set_free_handicap(
    session: &mut Session,
    mut arguments: Arguments<'_>,
) -> Result<String, GtpError> {
    let size = session.size();
    let mut stones = Vec::new();
    let mut named = HashSet::new();
    while let Some(word) = arguments.next_word() {
        let bad =
            |what: &str| GtpError::BadVertexList(format!("{what} {}", super::super::error::quoted(word)));
        let mv = size.parse_vertex(word).filter(|&mv| mv != size.pass());
        let mv = mv.ok_or_else(|| bad("expected a point of the board, found"))?;
        if !named.insert(mv) {
            return Err(bad("repeated vertex"));
        }
        stones.push(mv);
    }
    check_count(size, stones.len())?;
    place(session, &stones)?;
    Ok(String::new())
}

/// At least one point must stay empty.
fn check_count(size: Size, count: usize) -> Result<(), GtpError> {
    if count >= 2 && count < size.points() {
        return Ok(());
    }
    let most = size.points() - 1;
    let allowed = if most < 2 { "none".to_owned() } else { format!("2 to {most}") };
    Err(GtpError::InvalidHandicap { size, allowed, found: count.to_string() })
}

fn place(session: &mut Session, stones: &[Move]) -> Result<String, GtpError> {
    let position = session.position();
    if position.board().stones() != [0, 0] {
        return Err(GtpError::BoardNotEmpty);
    }
    let size = position.size();
    let black: Vec<_> = stones.iter().map(|&mv| (Player::Black, mv)).collect();
    let start = Position::with_stones(size, position.rules(), position.komi(), &black, Player::White);
    let start =
        start.map_err(|(mv, reason)| GtpError::BadVertexList(format!("{}: {reason}", size.vertex(mv))))?;
    session.set_record(Record::from_position(start)).map_err(GtpError::NoMemoryForSize)?;
    Ok(vertices(size, stones.iter().copied()))
}

/// Stones that have a customary point: none on boards below 7 lines, 4 corners, and 9 where both middle
/// lines exist and leave room.
fn most_fixed(size: Size) -> usize {
    let (short, long) = (size.columns().min(size.rows()), size.columns().max(size.rows()));
    if short < 7 {
        0
    } else if short < 9 || short % 2 == 0 || long % 2 == 0 {
        4
    } else {
        9
    }
}

/// The points of the specification's table: on the fourth line from 12 lines on
/// (GNU Go's limit), else on the third.
fn fixed_points(size: Size, count: usize) -> Vec<Move> {
    let lines = |side: usize| {
        let edge = if side >= 12 { 3 } else { 2 };
        [edge, side / 2, side - 1 - edge]
    };
    let (columns, rows) = (lines(size.columns()), lines(size.rows()));
    // Low, middle and high, as indices of the above.
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

fn spread_points(size: Size, count: usize) -> Vec<Move> {
    let from_centre = |&mv: &Move| {
        let (column, row) = size.coordinates(mv).unwrap_or_default();
        (2 * column + 1).abs_diff(size.columns()) + (2 * row + 1).abs_diff(size.rows())
    };
    let is_spread = |&mv: &Move| size.coordinates(mv).is_some_and(|(column, row)| (column + row) % 2 == 0);
    let mut points: Vec<Move> = (0..size.points() as u16).map(Move).filter(is_spread).collect();
    points.sort_by_key(from_centre);
    points.truncate(count);
    points
}
