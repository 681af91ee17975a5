//! Commands that query the board, the rules and the table.

use super::{Arguments, GtpError, Session, vertices};
use crate::base::game::{Game, Move, Player};
use crate::go::Position;

/// Returns the board, the player to move, captures, komi and rules.
pub(super) fn showboard(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    let position = session.position();
    let [by_black, by_white] = position.prisoners();
    Ok(format!(
        "\n{position}\n{} to play after {} moves\nBlack (X) has captured {by_black}, White (O) {by_white}\n\
         Komi {}, rules {}",
        match position.to_play() {
            Player::Black => "Black (X)",
            Player::White => "White (O)",
        },
        session.engine.record().move_count(),
        position.komi(),
        position.rules(),
    ))
}

pub(super) fn list_stones(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let player = arguments.player()?;
    let position = session.position();
    let board = position.board();
    let points = &board.geometry().points;
    let stones = points.iter().filter(|&&point| board.stone_at(point) == Some(player));
    Ok(vertices(position.size(), stones.map(|&point| board.geometry().move_of(point))))
}

/// Returns `1` for a legal move, else `0`.
pub(super) fn is_legal(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let (player, mv) = arguments.player_and_vertex(session.size())?;
    let legal = with_player_to_move(session.position(), player).check(mv).is_ok();
    Ok(u8::from(legal).to_string())
}

/// Returns all legal moves but pass.
pub(super) fn all_legal(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let player = arguments.player()?;
    let position = with_player_to_move(session.position(), player);
    let moves: Vec<Move> = position.legal_moves().collect();
    Ok(vertices(position.size(), moves))
}

fn with_player_to_move(position: &Position, player: Player) -> Position {
    let mut position = position.clone();
    position.set_to_play(player);
    position
}

/// Returns the size and occupancy of the table, and the counters of searches since it was last empty.
pub(super) fn tewari_table(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    let census = session.engine.table().census();
    let counters = session.totals.counters;
    let huge = session.engine.table().huge_page_bytes();
    let lines = [
        format!("bytes {}", census.bytes),
        format!("bytesUsed {}", census.bytes_used),
        format!("occupancy {:.4}", census.occupancy()),
        format!("perMille {}", census.per_mille()),
        format!("entries {}", census.entries),
        format!("entriesUsed {}", census.entries_used),
        format!("blocks {}", census.pages),
        format!("blocksUsed {}", census.pages_used),
        format!("hugePages {}", huge.map_or("unknown".to_owned(), |bytes| bytes.to_string())),
    ];
    let counters = counters.list().map(|(name, count)| format!("{name} {count}"));
    let lines: Vec<String> = lines.into_iter().chain(counters).collect();
    Ok(lines.join("\n"))
}
