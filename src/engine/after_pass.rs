//! The search after a pass, and the loss that contradicts the count of a settled position.
//!
//! The search for a move gives a pass few visits, since its prior is low. A second search of the same size, after a pass, shows
//! what a pass loses. Where time alone limits searches, a part of it is kept for the second one.
//!
//! Both searches err by about the same in a settled position: between two walls that divide the board, a right pass loses up to
//! 0.26 of win rate. A wrong pass in a position with unclear chains lost 0.18 and
//! more in 16 of 17 cases, a right one up to 0.15 in 33 of 39 (`tools/experiments/decisions.md`).

use super::Engine;
use crate::base::game::{Game, Player};
use crate::go::status::BoardStatus;
use crate::search::{Limits, Report};
use std::time::Instant;

/// Share of the time for a move that is kept for the second search.
const TIME_SHARE: f64 = 0.2;

/// Maximum win rate that a pass may lose where the status of all chains is clear, by searches of [`COMPARED_VISITS`].
const MAX_LOSS: f64 = 0.28;
/// The same where the status of a chain is unclear.
const MAX_UNCLEAR_LOSS: f64 = 0.15;
/// Minimum win rate after a pass that wins by the count.
const MIN_WIN_RATE: f64 = 0.35;
/// Visits of the root below which these bounds are wider, in proportion to the standard error.
const COMPARED_VISITS: f64 = 400.0;
/// Win rate from which the loser by the count plays on, where the status of all chains is clear, and elsewhere.
const PLAYING_WIN_RATE: f64 = 0.75;
const PLAYING_UNCLEAR_WIN_RATE: f64 = 0.5;

/// The evidence for the count of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clarity {
    /// The status of each chain is the same whoever moves first.
    Clear,
    /// The status of a chain depends on the first move, or on a close vote of playouts.
    Unclear,
}

impl Clarity {
    pub(super) fn of(statuses: &BoardStatus) -> Clarity {
        let is_clear = statuses.chains().iter().all(|chain| chain.is_settled);
        if is_clear { Clarity::Clear } else { Clarity::Unclear }
    }

    /// Returns the maximum win rate that a pass may lose, by searches with this number of visits.
    pub(super) fn max_loss(self, visits: u64) -> f64 {
        let loss = if self == Clarity::Clear { MAX_LOSS } else { MAX_UNCLEAR_LOSS };
        loss * widening(visits)
    }

    /// Returns the win rate from which the loser by the count plays on.
    pub(super) fn playing_win_rate(self) -> f64 {
        if self == Clarity::Clear { PLAYING_WIN_RATE } else { PLAYING_UNCLEAR_WIN_RATE }
    }
}

/// Returns the minimum win rate after a pass that wins by the count, by a search with this number of visits.
pub(super) fn min_win_rate(visits: u64) -> f64 {
    MIN_WIN_RATE / widening(visits)
}

fn widening(visits: u64) -> f64 {
    (COMPARED_VISITS / visits.max(1) as f64).sqrt().max(1.0)
}

/// The limits of a search after a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecondSearch {
    /// Limits of the whole decision.
    pub(super) limits: Limits,
    /// Start of the decision.
    pub(super) started: Instant,
}

/// The value of a pass by a search after it, for the player who passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PassValue {
    /// Win rate, `0..=1`.
    pub(super) win_rate: f64,
    /// Expected lead in points before komi.
    pub(super) lead: Option<f64>,
}

impl Engine {
    /// Searches the position after a pass of `player` in place of the search's choice; a pass that would end the game is followed
    /// by the opponent's move all the same. The search takes no longer than that of `report`. Its progress is not reported, since
    /// it is of another position.
    ///
    /// Returns `None` if no second search is allowed, if the first one ended by a proof or before its count, if no time is left, or
    /// if the search fails.
    pub(super) fn search_after_pass(
        &mut self,
        player: Player,
        report: &Report,
        second: Option<SecondSearch>,
    ) -> Option<PassValue> {
        let SecondSearch { limits, started } = second?;
        let is_complete = !is_counted(limits)
            || limits.simulations.is_some_and(|count| report.simulations >= count)
            || limits.visits.is_some_and(|count| report.root.visits >= count);
        let elapsed = started.elapsed();
        let time = limits.time.map(|time| time.saturating_sub(elapsed).min(elapsed));
        if !is_complete || report.root.proven.is_some() || time.is_some_and(|time| time.is_zero()) {
            return None;
        }
        let mut after = self.root_for(player);
        after.play(after.size().pass());
        if after.passes() >= 2 {
            after.resume();
            after.set_to_play(player.other());
        }
        let report = self.search_position(after, Limits { time, ..limits }, &mut |_| true).ok()?;
        Some(PassValue {
            win_rate: 1.0 - report.root.value.as_f64(),
            lead: report.root.black_score.map(|score| if player == Player::Black { score } else { -score }),
        })
    }
}

/// Returns the limits of a search that another one follows: less than all of the time if nothing else limits it.
pub(super) fn without_kept_time(limits: Limits) -> Limits {
    let kept = limits.time.filter(|_| !is_counted(limits)).map(|time| time.mul_f64(1.0 - TIME_SHARE));
    Limits { time: kept.or(limits.time), ..limits }
}

/// Returns true if a number of visits or simulations limits the search.
pub(super) fn is_counted(limits: Limits) -> bool {
    limits.visits.is_some() || limits.simulations.is_some()
}
