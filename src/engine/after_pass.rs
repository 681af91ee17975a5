//! The search after a pass, and the loss that contradicts the count of a settled position.
//!
//! The search for a move gives a pass few visits, since its prior is low. A second search of the same size, after a pass,
//! shows what a pass loses. Where time alone limits searches, a part of it is kept for the second one.
//!
//! A [loss](Prospects::loss) is that of the log-odds of the win rate and of points together: a pass that lowers a win
//! rate from 0.95 to 0.90 and one that lowers it from 0.5 to 0.33 lose alike. In judged positions that the mover wins by
//! the count, 15 of 17 wrong passes lost 1.7 or more. Right passes lost up to 1.5, or up to 1.9 between two walls that
//! divide the board; only four, which cost 4 to 14 points, lost more (`tools/experiments/decisions.md`).

use super::Engine;
use crate::base::game::{Game, Player};
use crate::go::Size;
use crate::go::status::BoardStatus;
use crate::search::{Limits, Report};
use std::time::{Duration, Instant};

/// Share of the time for a move that is kept for the second search.
const TIME_SHARE: f64 = 0.2;

/// Maximum loss of a pass where the status of all chains is clear, by searches of [`COMPARED_VISITS`].
const MAX_LOSS: f64 = 2.5;
/// Maximum loss of a pass where the status of a chain is unclear.
const MAX_UNCLEAR_LOSS: f64 = 1.6;
/// Maximum loss of a pass that loses by an unclear or close count; the loser risks little with another move.
const MAX_UNCERTAIN_LOSS: f64 = 0.9;
/// Points that count as one of log-odds, as a share of the board's points.
const POINTS_SHARE: f64 = 1.0 / 8.0;
/// Win rates nearer to 0 and 1 are compared as this one and its opposite.
const MIN_COMPARED_WIN_RATE: f64 = 0.005;
/// Maximum points that a pass may cost as a share of the board's points, three points on 9x9.
const MAX_POINT_LOSS: f64 = 1.0 / 27.0;
/// Visits of the root below which the bounds of losses are wider, in proportion to the standard error.
const COMPARED_VISITS: f64 = 400.0;
/// Win rate from which the loser by the count plays on if the status of all chains is clear.
const PLAYING_WIN_RATE: f64 = 0.75;
/// Win rate from which the loser by the count plays on if the status of a chain is unclear.
const PLAYING_UNCLEAR_WIN_RATE: f64 = 0.5;

/// The evidence for the count of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clarity {
    /// The status of each chain is the same whoever moves first.
    Clear,
    /// The status of each chain is the same whoever moves first, and the count is lost by at most four points. An error
    /// of the count may decide the game.
    Close,
    /// The status of a chain depends on the first move, or on a close vote of playouts.
    Unclear,
}

impl Clarity {
    pub(super) fn of(statuses: &BoardStatus) -> Clarity {
        let is_clear = statuses.chains().iter().all(|chain| chain.is_settled);
        if is_clear { Clarity::Clear } else { Clarity::Unclear }
    }

    /// Returns the maximum loss of a pass that wins or loses by the count, by searches with this number of visits.
    pub(super) fn max_loss(self, is_win: bool, visits: u64) -> f64 {
        let max_loss = match (self, is_win) {
            (Clarity::Clear, _) => MAX_LOSS,
            (Clarity::Unclear, true) => MAX_UNCLEAR_LOSS,
            (Clarity::Close, _) | (Clarity::Unclear, false) => MAX_UNCERTAIN_LOSS,
        };
        max_loss * error_factor(visits)
    }

    /// Returns the win rate from which the loser by the count plays on.
    pub(super) fn playing_win_rate(self) -> f64 {
        if self == Clarity::Unclear { PLAYING_UNCLEAR_WIN_RATE } else { PLAYING_WIN_RATE }
    }
}

/// The limits of a search after a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecondSearch {
    /// Limits of the whole decision, the count included.
    pub(super) limits: Limits,
    /// Start of the decision.
    pub(super) started: Instant,
    /// Maximum time of the decision by a clock.
    pub(super) longest: Option<Duration>,
}

impl SecondSearch {
    /// Returns true if a clock leaves time for a count that takes as long as this.
    pub(super) fn has_time_for(self, count: Duration) -> bool {
        self.longest.is_none_or(|longest| self.started.elapsed() + count <= longest)
    }

    /// Returns the limits with more time, by the share that is kept for second searches elsewhere, as far as a clock allows.
    pub(super) fn with_more_time(self) -> SecondSearch {
        let longest = self.longest.unwrap_or(Duration::MAX);
        let time = self.limits.time.map(|time| time.mul_f64(1.0 + TIME_SHARE).min(longest.max(time)));
        SecondSearch { limits: Limits { time, ..self.limits }, ..self }
    }
}

/// The expected result of a game for one player, by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Prospects {
    /// Win rate, `0..=1`.
    pub(super) win_rate: f64,
    /// Expected lead in points before komi.
    pub(super) lead: Option<f64>,
}

impl Prospects {
    /// Returns the prospects for `player`, by the win rate of the player and the expected score for Black.
    pub(super) fn new(player: Player, win_rate: f64, black_score: Option<f64>) -> Prospects {
        Prospects { win_rate, lead: lead_of(player, black_score) }
    }

    /// Returns the loss from these prospects to later ones: the difference of the log-odds, and one for each eighth of the
    /// board's points.
    pub(super) fn loss(self, later: Prospects, size: Size) -> f64 {
        let points = self.lead.zip(later.lead).map_or(0.0, |(before, after)| before - after);
        log_odds(self.win_rate) - log_odds(later.win_rate) + points / (POINTS_SHARE * size.points() as f64)
    }
}

/// Returns the lead of `player` by an expected score of Black, in points before komi.
pub(super) fn lead_of(player: Player, black_score: Option<f64>) -> Option<f64> {
    black_score.map(|score| if player == Player::Black { score } else { -score })
}

/// Returns the factor by which bounds of losses are wider with this number of visits.
pub(super) fn error_factor(visits: u64) -> f64 {
    (COMPARED_VISITS / visits.max(1) as f64).sqrt().max(1.0)
}

/// Returns the points that a pass may cost, within the error of a search of [`COMPARED_VISITS`].
pub(super) fn max_point_loss(size: Size) -> f64 {
    MAX_POINT_LOSS * size.points() as f64
}

fn log_odds(win_rate: f64) -> f64 {
    let compared = win_rate.clamp(MIN_COMPARED_WIN_RATE, 1.0 - MIN_COMPARED_WIN_RATE);
    (compared / (1.0 - compared)).ln()
}

impl Engine {
    /// Searches the position after a pass of `player` in place of the search's choice. If the pass would end the game,
    /// the search continues with the opponent's move. The search takes no longer than that of `report`. Its progress is
    /// not reported, since it is of another position.
    ///
    /// Returns `None` if no second search is allowed, if the first one ended by a proof or before its count, if no time
    /// is left, or if the search fails.
    pub(super) fn search_after_pass(
        &mut self,
        player: Player,
        report: &Report,
        second: Option<SecondSearch>,
    ) -> Option<Prospects> {
        let SecondSearch { limits, started, .. } = second?;
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
        self.skips_counts = true;
        let report = self.search_position(after, Limits { time, ..limits }, &mut |_| true);
        self.skips_counts = false;
        let report = report.ok()?;
        Some(Prospects::new(player, 1.0 - report.root.value.as_f64(), report.root.black_score))
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

#[cfg(test)]
mod tests {
    use super::*;

    const NINE: usize = 9;

    fn loss(player: Player, before: (f64, f64), after: (f64, f64)) -> f64 {
        let of = |(win_rate, black_score)| Prospects::new(player, win_rate, Some(black_score));
        of(before).loss(of(after), Size::new(NINE, NINE).expect("a size"))
    }

    #[test]
    fn equal_factors_of_the_odds_are_equal_losses() {
        let [sure, even] = [(0.9, 0.75), (0.5, 0.25)]
            .map(|(before, after)| loss(Player::Black, (before, 0.0), (after, 0.0)));
        assert!((sure - even).abs() < 1e-9 && (even - 3_f64.ln()).abs() < 1e-9, "{sure} and {even}");
    }

    #[test]
    fn an_eighth_of_the_board_is_one_of_log_odds_for_either_player() {
        let points = (NINE * NINE) as f64 / 8.0;
        for (player, score) in [(Player::Black, -points), (Player::White, points)] {
            let lost = loss(player, (0.5, 0.0), (0.5, score));
            assert!((lost - 1.0).abs() < 1e-9, "{player:?}: {lost}");
        }
    }

    #[test]
    fn a_certain_win_and_a_certain_loss_have_a_finite_distance() {
        assert!(loss(Player::White, (1.0, 0.0), (0.0, 0.0)) < 12.0);
    }

    #[test]
    fn a_second_search_may_use_more_than_its_time_but_not_more_than_the_clock_allows() {
        let seconds = |number| Some(Duration::from_secs(number));
        let time = |longest| {
            let limits = Limits { time: seconds(10), ..Limits::default() };
            SecondSearch { limits, started: Instant::now(), longest }.with_more_time().limits.time
        };
        assert_eq!(
            [None, seconds(100), seconds(11), seconds(10), seconds(5)].map(time),
            [12, 12, 11, 10, 10].map(seconds)
        );
    }

    #[test]
    fn fewer_visits_allow_a_larger_loss() {
        let clear = |visits| Clarity::Clear.max_loss(true, visits);
        assert_eq!(clear(100), 2.0 * clear(400));
        assert_eq!(clear(1_600), clear(400));
        assert!(Clarity::Unclear.max_loss(false, 400) < Clarity::Unclear.max_loss(true, 400));
    }
}
