//! Moves into own territory at the end of a game under territory scoring, where each costs a point.
//!
//! A search that finds several moves about equally good does not avoid them, and gives a pass few visits since its prior is
//! low. A second search of the same size, after a pass, shows whether the move is needed.

use super::Engine;
use crate::base::game::{Game, Move, Player};
use crate::go::Scoring;
use crate::go::status::DeadStones;
use crate::search::{Limits, Report};
use std::time::Instant;

/// Minimum ownership by the mover, `-1..=1`, for a point to be own territory.
const MIN_OWNERSHIP: f64 = 0.8;
/// Maximum win rate that a pass may cost, within the error of 400 visits.
const MAX_WIN_RATE_LOSS: f64 = 0.03;
/// Maximum points that a pass may cost as a share of the board's points, three points on 9x9.
const MAX_POINT_LOSS: f64 = 1.0 / 27.0;

impl Engine {
    /// Returns true if `mv`, chosen by the search of `report`, is in own territory and not needed: under territory scoring,
    /// a search after a pass that does not end the game finds it no worse. No time is left for that search where time
    /// alone limits searches. Its progress is not reported, since it is of another position.
    pub(super) fn is_pass_as_good(
        &mut self,
        player: Player,
        (mv, report): (Move, &Report),
        limits: Limits,
        started: Instant,
    ) -> bool {
        let position = self.position();
        let (size, pass) = (position.size(), position.size().pass());
        let sign = if player == Player::Black { 1.0 } else { -1.0 };
        if mv == pass
            || position.rules().scoring != Scoring::Territory
            || self.dead_stones() != DeadStones::Agreement
            // With handicap stones alone, all of the board may look like territory.
            || self.record().moves().len() < self.opening_moves()
            || self.has_passed(player.other())
            || sign * self.known_ownership(&self.root_for(player), report).mean_for_black(mv) < MIN_OWNERSHIP
        {
            return false;
        }
        let Some(played) = report.moves.iter().find(|it| it.mv == mv && it.proven.is_none()) else {
            return false;
        };
        let (win_rate, lead) = (played.value.as_f64(), played.black_score.map(|score| sign * score));
        // A search that ended before its count was interrupted, proven or out of time.
        let is_complete = limits.simulations.is_some_and(|count| report.simulations >= count)
            || limits.visits.is_some_and(|count| report.root.visits >= count);
        let time = limits.time.map(|time| time.saturating_sub(started.elapsed()));
        if !is_complete || time.is_some_and(|time| time.is_zero()) {
            return false;
        }
        let mut after = self.root_for(player);
        after.play(pass);
        let limits = Limits { time, ..limits };
        let Ok(Report { root, .. }) = self.search_position(after, limits, &mut |_| true) else {
            return false;
        };
        let loss = lead.zip(root.black_score).map_or(0.0, |(lead, score)| lead - sign * score);
        win_rate - (1.0 - root.value.as_f64()) <= MAX_WIN_RATE_LOSS
            && loss <= MAX_POINT_LOSS * size.points() as f64
    }
}
