//! Commands for board size, komi and new games.

use super::{Arguments, GtpError, Session};
use crate::go::{Komi, KomiError, Size};

const SIDE: &str = "a board side from 1 to 19";

/// `boardsize SIDE`, or `boardsize COLUMNS ROWS` as some servers send it, also with a colon as KataGo reads it.
pub(super) fn boardsize(session: &mut Session, arguments: Arguments<'_>) -> Result<String, GtpError> {
    let sides = arguments.rest().replace(':', " ");
    let mut arguments = Arguments::new(&sides);
    let columns = arguments.side(SIDE)?;
    let rows = arguments.optional_side(SIDE)?.unwrap_or(columns);
    begin(session, columns, rows)
}

/// `rectangular_boardsize COLUMNS ROWS`.
pub(super) fn rectangular_boardsize(
    session: &mut Session,
    mut arguments: Arguments<'_>,
) -> Result<String, GtpError> {
    let columns = arguments.side(SIDE)?;
    let rows = arguments.side(SIDE)?;
    begin(session, columns, rows)
}

fn begin(session: &mut Session, columns: usize, rows: usize) -> Result<String, GtpError> {
    let size = Size::new(columns, rows).map_err(|_| GtpError::UnacceptableSize)?;
    session.new_game(size).map_err(GtpError::SizeFailed)?;
    Ok(String::new())
}

/// Begins a game. The table keeps its content: GUIs send this command whenever they go to another move.
pub(super) fn clear_board(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    session.new_game(session.size()).map_err(GtpError::SizeFailed)?;
    Ok(String::new())
}

/// Clears the table. The game continues.
pub(super) fn clear_cache(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    session.engine.clear_table();
    session.restart_totals();
    Ok(String::new())
}

/// Sets the komi of this and later games. The board and the table stay.
pub(super) fn komi(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    const EXPECTED: &str = "a komi from -1000 to 1000";
    let points: f64 = arguments.number(EXPECTED)?;
    let komi = Komi::from_points(points).map_err(|error| {
        let expected =
            if matches!(error, KomiError::NoHalfPoint { .. }) { "whole or half points" } else { EXPECTED };
        GtpError::syntax(expected, arguments.rest().split_ascii_whitespace().next())
    })?;
    session.set_komi(komi);
    Ok(String::new())
}

pub(super) fn get_komi(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(session.position().komi().to_string())
}
