//! Moves into own territory at the end of a game under territory scoring, where each costs a point.
//!
//! A search that finds several moves about equally good does not avoid them, and gives a pass few visits since its prior is
//! low. A second search of the same size, after a pass, shows whether the move is needed. Where time alone limits the search,
//! a part of it is kept for the second one.

use super::Engine;
use super::ending::opening_moves;
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

/// Share of the time for a move that is kept for the second search.
const TIME_SHARE: f64 = 0.2;
/// Minimum share of the points that have an owner for time to be kept.
const MIN_OWNED_SHARE: f64 = 2.0 / 3.0;
/// Minimum share of the points that have a stone for time to be kept.
const MIN_STONE_SHARE: f64 = 1.0 / 3.0;

impl Engine {
    /// Returns the limits of the first search for a move: less than all of the time if nothing else limits it, a move in own
    /// territory would cost a point, and most points have an owner by the network. An evaluator in another process is not asked:
    /// its answer takes time itself.
    pub(super) fn limits_of_first_search(&self, player: Player, limits: Limits) -> Limits {
        let Some(time) = limits.time.filter(|_| !is_counted(limits)) else { return limits };
        let is_slow = self.options.external.is_some();
        if is_slow || !self.may_fill_territory(player) || !self.has_owned_points(player) {
            return limits;
        }
        Limits { time: Some(time.mul_f64(1.0 - TIME_SHARE)), ..limits }
    }

    /// Returns true if a move in own territory costs a point and a pass does not end the game.
    fn may_fill_territory(&self, player: Player) -> bool {
        self.position().rules().scoring == Scoring::Territory
            && self.dead_stones() == DeadStones::Agreement
            // With handicap stones alone, all of the board may look like territory.
            && self.record().moves().len() >= opening_moves(self.position().size())
            && !self.has_passed(player.other())
    }

    /// Returns true if most points have an owner.
    fn has_owned_points(&self, player: Player) -> bool {
        let position = self.position();
        let points = position.size().points() as f64;
        let owned = |owners: Vec<f64>| owners.iter().filter(|owner| owner.abs() >= MIN_OWNERSHIP).count();
        position.board().stone_count() as f64 >= MIN_STONE_SHARE * points
            && self
                .evaluated_ownership(&self.root_for(player))
                .is_some_and(|owners| owned(owners) as f64 >= MIN_OWNED_SHARE * points)
    }

    /// Returns true if `mv`, chosen by the search of `report`, is in own territory and not needed: under territory scoring,
    /// a search after a pass that does not end the game finds it no worse. It takes no longer than the first search and keeps
    /// to `limits`, those of the whole decision. Its progress is not reported, since it is of another position.
    pub(super) fn is_pass_as_good(
        &mut self,
        player: Player,
        (mv, report): (Move, &Report),
        limits: Limits,
        started: Instant,
    ) -> bool {
        let (size, pass) = (self.position().size(), self.position().size().pass());
        let sign = if player == Player::Black { 1.0 } else { -1.0 };
        if mv == pass
            || !self.may_fill_territory(player)
            || sign * self.known_ownership(&self.root_for(player), report).mean_for_black(mv) < MIN_OWNERSHIP
        {
            return false;
        }
        let Some(played) = report.moves.iter().find(|it| it.mv == mv && it.proven.is_none()) else {
            return false;
        };
        let (win_rate, lead) = (played.value.as_f64(), played.black_score.map(|score| sign * score));
        // A search that ended before its count was proven or out of time.
        let is_complete = !is_counted(limits)
            || limits.simulations.is_some_and(|count| report.simulations >= count)
            || limits.visits.is_some_and(|count| report.root.visits >= count);
        let elapsed = started.elapsed();
        let time = limits.time.map(|time| time.saturating_sub(elapsed).min(elapsed));
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

/// Returns true if a number of visits or simulations limits the search.
fn is_counted(limits: Limits) -> bool {
    limits.visits.is_some() || limits.simulations.is_some()
}
