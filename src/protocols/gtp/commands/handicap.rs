//! Commands for handicap stones, which are set up, not played: `undo` does not take them back, and White moves next.
//! White's compensation by the rules is part of the score.

use super::{Arguments, GtpError, Session, vertices};
use crate::base::game::Move;
use crate::go::handicap::{self, fixed_points, most_fixed};
use crate::go::{Record, Size};
use crate::records::sgf::DefaultTerms;
use std::collections::HashSet;

const COUNT: &str = "a number of stones";

/// Places stones on the customary points; an error if the board has no such number of them.
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

/// Places stones on the customary points, fewer than asked for if there are no more. On boards without such points it
/// places stones that do not touch each other, the nearest to the centre first.
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

/// Places stones on the points given by the controller.
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

/// Returns the number of handicap stones of the game, those that White is compensated for; 0 without a handicap.
pub(super) fn get_handicap(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(session.engine.record().compensated_stones().to_string())
}

/// Returns an error for fewer than 2 stones, and for a number that leaves no point empty.
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
    // The stones begin a game, even where the moves of a loaded record were taken back: the record's assumed terms do not
    // hold in it.
    let DefaultTerms { rules, komi } = session.terms;
    let start = handicap::start(size, rules, komi, stones);
    let start =
        start.map_err(|(mv, reason)| GtpError::BadVertexList(format!("{}: {reason}", size.vertex(mv))))?;
    session.set_record(Record::from_position(start)).map_err(GtpError::SizeFailed)?;
    Ok(vertices(size, stones.iter().copied()))
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
