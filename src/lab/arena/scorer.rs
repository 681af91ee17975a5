//! Scoring by a third program that reports the dead stones.

use super::client::{GtpClient, GtpFailure};
use crate::base::child_process::StartError;
use crate::base::game::{Player, Score};
use crate::go::Record;
use crate::go::board::Board;
use crate::go::score::area_score;
use std::time::Duration;

/// Timeout for each answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);

/// A failure of the scoring program.
#[derive(Debug, thiserror::Error)]
pub enum ScorerError {
    /// The program does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The program gives no usable answer.
    #[error(transparent)]
    GtpFailure(#[from] GtpFailure),
    /// The program names a point without a stone.
    #[error("the referee named {found:?} as a dead stone: expected a point with a stone")]
    NoStone {
        /// The point as answered.
        found: String,
    },
}

/// Returns the area score of a finished game, from Black's view and before komi, without the stones that `command`
/// reports as dead.
///
/// # Errors
/// Returns an error if the program fails or names a point without a stone.
pub fn score(command: &str, record: &Record) -> Result<Score, ScorerError> {
    let mut client = GtpClient::start(command)?;
    let position = record.position();
    let size = position.size();
    let boardsize = if size.columns() == size.rows() {
        format!("boardsize {}", size.columns())
    } else {
        format!("rectangular_boardsize {} {}", size.columns(), size.rows())
    };
    for line in [boardsize, "clear_board".to_owned(), format!("komi {}", position.komi())] {
        client.ask(&line, ANSWER_TIMEOUT)?;
    }
    for &(player, mv) in record.moves() {
        let colour = if player == Player::Black { 'b' } else { 'w' };
        client.ask(&format!("play {colour} {}", size.vertex(mv)), ANSWER_TIMEOUT)?;
    }
    let answer = client.ask("final_status_list dead", ANSWER_TIMEOUT)?;
    client.close();
    let mut dead = Vec::new();
    for vertex in answer.split_whitespace() {
        let no_stone = || ScorerError::NoStone { found: vertex.to_owned() };
        let mv = size.parse_vertex(vertex).ok_or_else(no_stone)?;
        let point = position.board().geometry().point_of(mv).ok_or_else(no_stone)?;
        position.board().stone_at(point).ok_or_else(no_stone)?;
        dead.push(point);
    }
    let mut living = Board::new(size);
    for &point in &position.board().geometry().points {
        if let Some(player) = position.board().stone_at(point).filter(|_| !dead.contains(&point)) {
            living.place(point, player);
        }
    }
    Ok(area_score(&living))
}
