//! Queries: positions of a game to search, and the requested output.

use super::defaults::Perspective;
use super::memory_limit::Reservation;
use crate::base::game::{Game as _, Move, Player};
use crate::go::handicap::stones_given;
use crate::go::{IllegalMove, KeyPolicy, Komi, Position, Record, Rules, Size};
use std::sync::Arc;
use std::time::Duration;

/// A request about positions of one game.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) id: String,
    pub(super) perspective: Perspective,
    /// Maximum visits of the root, those of earlier searches included.
    pub(super) visits: Option<u64>,
    /// Maximum simulations of a search for the query.
    pub(super) simulations: Option<u64>,
    pub(super) time: Option<Duration>,
    pub(super) report_interval: Option<Duration>,
    pub(super) first_report: Option<Duration>,
    pub(super) pv_length: usize,
    pub(super) has_ownership: bool,
    pub(super) has_moves_ownership: bool,
    pub(super) has_policy: bool,
    pub(super) has_pv_visits: bool,
    pub(super) restrictions: Vec<MoveRestriction>,
    pub(super) game: QueryGame,
    /// Keeps the query's memory reserved.
    pub(super) _reservation: Reservation,
}

impl Query {
    /// Returns true if the answer contains an ownership.
    pub(super) fn needs_ownership(&self) -> bool {
        self.has_ownership || self.has_moves_ownership
    }

    /// Returns the field that restricts the moves.
    pub(super) fn restricting_key(&self) -> &'static str {
        if self.restrictions.iter().any(|it| it.is_allowed) { "allowMoves" } else { "avoidMoves" }
    }
}

/// A position of a query, stored as a turn number: positions are large, and thousands may wait.
#[derive(Clone, Debug)]
pub(super) struct PositionRequest {
    pub(super) query: Arc<Query>,
    pub(super) turn: usize,
    pub(super) priority: i64,
}

/// A start position and the moves from there, all legal but for ko and superko.
#[derive(Clone, Debug)]
pub(super) struct QueryGame {
    pub(super) size: Size,
    pub(super) rules: Rules,
    pub(super) komi: Komi,
    pub(super) stones: Vec<(Player, Move)>,
    pub(super) first: Player,
    pub(super) moves: Vec<(Player, Move)>,
    pub(super) keys: KeyPolicy,
}

impl QueryGame {
    /// Returns the start position, or the stone that cannot stand where it is set up.
    pub(super) fn start(&self) -> Result<Position, (Move, IllegalMove)> {
        let mut start = Position::with_stones(self.size, self.rules, self.komi, &self.stones, self.first)?;
        start.compensate_for(stones_given(start.board().stones().map(usize::from)));
        Ok(start)
    }
}

/// Moves of a player that are avoided at the root, or the only ones allowed there.
#[derive(Clone, Debug)]
pub(super) struct MoveRestriction {
    pub(super) player: Player,
    pub(super) moves: Vec<Move>,
    pub(super) is_allowed: bool,
}

impl PositionRequest {
    /// Returns the position to search. A game that two passes have ended is resumed.
    pub(super) fn position(&self) -> Result<Position, (Move, IllegalMove)> {
        let game = &self.query.game;
        let mut record = Record::from_position(game.start()?);
        record.set_key_policy(game.keys);
        for &(player, mv) in &game.moves[..self.turn] {
            record.play_recorded(player, mv).map_err(|reason| (mv, reason))?;
        }
        let mut position = record.position().clone();
        if position.passes() >= 2 {
            position.resume();
        }
        Ok(position)
    }

    /// Returns the root moves to search, by move number; `None` for all.
    pub(super) fn root_moves(&self, position: &Position) -> Option<Vec<bool>> {
        let player = position.to_play();
        let restrictions = || self.query.restrictions.iter().filter(|it| it.player == player);
        restrictions().next()?;
        let has_allowed = restrictions().any(|it| it.is_allowed);
        let mut allowed = vec![!has_allowed; position.move_count()];
        // A move that is both allowed and avoided is avoided.
        for is_allowed in [true, false] {
            let moves = restrictions().filter(|it| it.is_allowed == is_allowed).flat_map(|it| &it.moves);
            moves.for_each(|mv| allowed[mv.index()] = is_allowed);
        }
        Some(allowed)
    }
}
