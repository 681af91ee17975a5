//! A third program that says which stones are dead.

use super::client::{Client, Failure, StartError};
use crate::game::{Player, Score};
use crate::go::Record;
use crate::go::board::Board;
use crate::go::score::area_score;
use std::time::Duration;

/// Time for each answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Why there is no score.
#[derive(Debug, thiserror::Error)]
pub enum ScorerError {
    /// It does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It does not answer.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// It names points that are none.
    #[error("the referee named {found:?} as a dead stone: expected a point with a stone")]
    NoStone {
        /// What it said.
        found: String,
    },
}

/// The area score of a finished game, Black's view, before komi, without the stones that `command` calls dead.
///
/// # Errors
/// When the program is of no use.
pub fn score(command: &str, record: &Record) -> Result<Score, ScorerError> {
    let mut client = Client::start(command)?;
    let position = record.position();
    let size = position.size();
    let boardsize = if size.columns() == size.rows() {
        format!("boardsize {}", size.columns())
    } else {
        format!("rectangular_boardsize {} {}", size.columns(), size.rows())
    };
    for line in [boardsize, "clear_board".to_owned(), format!("komi {}", position.komi())] {
        client.ask(&line, PATIENCE)?;
    }
    for &(player, mv) in record.moves() {
        let colour = if player == Player::Black { 'b' } else { 'w' };
        client.ask(&format!("play {colour} {}", size.vertex(mv)), PATIENCE)?;
    }
    let answer = client.ask("final_status_list dead", PATIENCE)?;
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
