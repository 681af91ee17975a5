//! Time settings, the clocks of a game, and the time for a move.

use crate::base::game::Player;
use crate::go::Size;
use std::time::Duration;

/// Delay between engine and server, subtracted from the time for each move.
const LAG: Duration = Duration::from_millis(200);
/// Further delay, as a divisor of the time: 1 %.
const LAG_DIVISOR: u32 = 100;
/// Minimum time for a move: one has to be made even when the clock is at zero.
pub(super) const MIN_TIME: Duration = Duration::from_millis(10);
/// Share of the remaining main time that a search with another limit than the clock may use, as a divisor.
const MAX_MAIN_DIVISOR: u32 = 4;

/// A time system. Main time, if there is any, comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeSystem {
    /// No limit.
    Unlimited,
    /// Main time alone.
    Absolute {
        /// Main time.
        main: Duration,
    },
    /// Overtime in periods, in each of which a number of stones must be played.
    Canadian {
        /// Main time.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// Stones to be played in a period.
        stones: u32,
    },
    /// Overtime of a number of periods (Japanese byo-yomi); a move that exceeds the period uses it up.
    ByoYomi {
        /// Main time.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// Number of periods.
        periods: u32,
    },
    /// Main time with an increment after each move.
    Fischer {
        /// Main time.
        main: Duration,
        /// Time added after each move.
        increment: Duration,
        /// Maximum time on a clock.
        most: Duration,
        /// Maximum time for one move; `None`: the time on the clock.
        longest: Option<Duration>,
    },
}

impl TimeSystem {
    /// Returns the time system that the GTP command `time_settings` describes. A period without stones means no limit, a
    /// period of zero length absolute time. All zeros mean no limit, too: the game would be lost before it starts.
    #[must_use]
    pub fn from_settings(main: Duration, period: Duration, stones: u32) -> TimeSystem {
        match (period.is_zero(), stones) {
            (false, 0) => TimeSystem::Unlimited,
            (false, stones) => TimeSystem::Canadian { main, period, stones },
            (true, _) if main.is_zero() => TimeSystem::Unlimited,
            (true, _) => TimeSystem::Absolute { main },
        }
    }

    fn main(self) -> Duration {
        match self {
            TimeSystem::Unlimited => Duration::ZERO,
            TimeSystem::Absolute { main }
            | TimeSystem::Canadian { main, .. }
            | TimeSystem::Fischer { main, .. }
            | TimeSystem::ByoYomi { main, .. } => main,
        }
    }

    /// Returns the time at the start of overtime; `None` without overtime.
    fn overtime(self) -> Option<RemainingTime> {
        match self {
            TimeSystem::Unlimited | TimeSystem::Absolute { .. } | TimeSystem::Fischer { .. } => None,
            TimeSystem::Canadian { period, stones, .. } => {
                Some(RemainingTime { time: period, count: stones.max(1) })
            }
            TimeSystem::ByoYomi { period, periods, .. } => {
                Some(RemainingTime { time: period, count: periods.max(1) })
            }
        }
    }
}

/// The time left to one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RemainingTime {
    time: Duration,
    /// Stones or periods left; 0 in main time.
    count: u32,
}

/// The clocks of both players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    system: TimeSystem,
    left: [RemainingTime; 2],
    /// True for players with a time set by [`set_left`](Clock::set_left), which limits them even if the system does not.
    told: [bool; 2],
}

impl Clock {
    /// Returns the clocks at the start of a game.
    #[must_use]
    pub fn new(system: TimeSystem) -> Clock {
        let main = RemainingTime { time: system.main(), count: 0 };
        let left = if main.time.is_zero() { system.overtime().unwrap_or(main) } else { main };
        Clock { system, left: [left; 2], told: [false; 2] }
    }

    /// Resets both clocks to the start of a game.
    pub fn restart(&mut self) {
        *self = Clock::new(self.system);
    }

    /// Returns true if a player's time is limited.
    #[must_use]
    pub fn is_limited(&self, player: Player) -> bool {
        self.system != TimeSystem::Unlimited || self.told[player.index()]
    }

    /// Sets the time left to a player, as the GTP command `time_left` states it: `count` is the number of stones left
    /// (periods in Japanese byo-yomi), 0 in main time. The player's time is then limited, even without a time system.
    pub fn set_left(&mut self, player: Player, time: Duration, count: u32) {
        self.left[player.index()] = RemainingTime { time, count };
        self.told[player.index()] = true;
    }

    /// Subtracts the time used for a move from a player's clock, for controllers that send no `time_left`.
    pub fn spend(&mut self, player: Player, used: Duration) {
        let RemainingTime { time, count } = self.left[player.index()];
        if let TimeSystem::Fischer { increment, most, .. } = self.system {
            let time = (time.saturating_sub(used) + increment).min(most);
            self.left[player.index()] = RemainingTime { time, count: 0 };
            return;
        }
        self.left[player.index()] = match (count, self.system.overtime()) {
            (0, Some(start)) if used >= time => self.spend_overtime(start, start, used - time),
            (0, _) => RemainingTime { time: time.saturating_sub(used), count: 0 },
            (_, Some(start)) => self.spend_overtime(RemainingTime { time, count }, start, used),
            (_, None) => RemainingTime { time: time.saturating_sub(used), count },
        };
    }

    fn spend_overtime(&self, left: RemainingTime, start: RemainingTime, used: Duration) -> RemainingTime {
        if let TimeSystem::ByoYomi { .. } = self.system {
            let mut count = left.count;
            let mut used = used;
            let mut time = left.time;
            while used > time && count > 1 {
                used -= time;
                time = start.time;
                count -= 1;
            }
            return RemainingTime { time: start.time, count };
        }
        match left.count {
            0 | 1 => start,
            count => RemainingTime { time: left.time.saturating_sub(used), count: count - 1 },
        }
    }

    /// Returns the time for a move after `ply` moves on a board of `size`; `None` without a limit.
    ///
    /// In main time it is remaining / (C + max(MaxPly - ply, 0)), but at least the share of overtime; an increment is added
    /// in full. Source: Huang, Coulom & Lin, "Time Management for Monte-Carlo Tree Search Applied to the Game of Go", TAAI
    /// 2010; C and MaxPly by board are those of Ray.
    #[must_use]
    pub fn share(&self, player: Player, ply: usize, size: Size) -> Option<Duration> {
        let (c, max_ply) = match size.points() {
            0..=100 => (20, 0),
            101..=196 => (30, 30),
            _ => (60, 80),
        };
        let parts = c + u32::try_from(usize::saturating_sub(max_ply, ply)).unwrap_or(0);
        self.part_of_main(player, parts)
    }

    /// Returns the maximum time of a search with another limit than the clock; `None` if the player's time is not limited.
    #[must_use]
    pub fn longest(&self, player: Player) -> Option<Duration> {
        self.part_of_main(player, MAX_MAIN_DIVISOR)
    }

    fn part_of_main(&self, player: Player, parts: u32) -> Option<Duration> {
        if !self.is_limited(player) {
            return None;
        }
        let left = self.left[player.index()];
        let time = if left.count > 0 {
            self.overtime_share(left)
        } else {
            let in_overtime = self.system.overtime().map_or(Duration::ZERO, |left| self.overtime_share(left));
            // The increment comes back after the move, so all of it may be used, up to the time on the clock.
            let given_back = match self.system {
                TimeSystem::Fischer { increment, .. } => without_lag(increment.min(left.time)),
                _ => Duration::ZERO,
            };
            ((without_lag(left.time).saturating_sub(given_back)) / parts + given_back).max(in_overtime)
        };
        let allowed = match self.system {
            TimeSystem::Fischer { longest: Some(longest), .. } => without_lag(longest),
            _ => Duration::MAX,
        };
        Some(time.min(allowed).max(MIN_TIME))
    }

    fn overtime_share(&self, left: RemainingTime) -> Duration {
        match self.system {
            TimeSystem::ByoYomi { .. } => without_lag(left.time),
            _ => without_lag(left.time / left.count.max(1)),
        }
    }
}

fn without_lag(time: Duration) -> Duration {
    time.saturating_sub(LAG + time / LAG_DIVISOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    const B: Player = Player::Black;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn settings(main: u64, period: u64, stones: u32) -> Clock {
        Clock::new(TimeSystem::from_settings(seconds(main), seconds(period), stones))
    }

    fn size(side: usize) -> Size {
        Size::new(side, side).unwrap()
    }

    #[test]
    fn settings_without_stones_are_no_limit_and_without_a_period_absolute() {
        for [main, period] in [[0, 1], [300, 30], [0, 0]] {
            assert!(!settings(main, period, 0).is_limited(B));
        }
        assert_eq!(settings(300, 0, 0).system, TimeSystem::Absolute { main: seconds(300) });
        assert_eq!(settings(0, 1, 0).share(B, 0, size(9)), None);
    }

    #[test]
    fn main_time_is_shared_by_the_formula() {
        let clock = settings(100, 0, 0);
        assert_eq!(clock.share(B, 50, size(9)), Some(Duration::from_millis(98_800) / 20));
        assert_eq!(clock.share(B, 10, size(13)), Some(Duration::from_millis(98_800) / 50));
        assert_eq!(clock.share(B, 0, size(19)), Some(Duration::from_millis(98_800) / 140));
        assert_eq!(clock.share(B, 500, size(19)), Some(Duration::from_millis(98_800) / 60));
    }

    #[test]
    fn overtime_is_shared_by_its_stones() {
        let mut clock = settings(0, 100, 10);
        assert_eq!(clock.share(B, 0, size(19)), Some(Duration::from_millis(9_700)));
        clock.set_left(B, seconds(20), 4);
        assert_eq!(clock.share(B, 0, size(19)), Some(Duration::from_millis(4_750)));
        assert_eq!(clock.longest(B), clock.share(B, 0, size(19)));
        clock.set_left(B, Duration::ZERO, 4);
        assert_eq!(clock.share(B, 0, size(19)), Some(MIN_TIME));
        let japanese = TimeSystem::ByoYomi { main: Duration::ZERO, period: seconds(30), periods: 5 };
        assert_eq!(Clock::new(japanese).share(B, 0, size(9)), Some(Duration::from_millis(29_500)));
    }

    #[test]
    fn time_that_is_told_limits_the_player_also_without_settings() {
        let mut clock = Clock::new(TimeSystem::Unlimited);
        clock.set_left(B, seconds(10), 0);
        assert_eq!(clock.share(B, 50, size(9)), Some(Duration::from_millis(9_700) / 20));
        assert_eq!(clock.share(B.other(), 50, size(9)), None);
        clock.spend(B, seconds(4));
        assert_eq!(clock.left[0], RemainingTime { time: seconds(6), count: 0 });
        clock.set_left(B, seconds(10), 5);
        assert_eq!(clock.share(B, 50, size(9)), Some(Duration::from_millis(1_780)));
        clock.set_left(B, Duration::ZERO, 0);
        assert_eq!(clock.share(B, 50, size(9)), Some(MIN_TIME));
        clock.restart();
        assert_eq!(clock.share(B, 50, size(9)), None);
    }

    #[test]
    fn what_a_move_gives_back_is_used() {
        let (main, increment, most) = (seconds(60), seconds(10), seconds(62));
        let mut clock = Clock::new(TimeSystem::Fischer { main, increment, most, longest: None });
        let share = clock.share(B, 50, size(9)).expect("a limit");
        assert!(share > seconds(11) && share < seconds(13), "{share:?}");
        clock.spend(B, seconds(20));
        assert_eq!(clock.left[0], RemainingTime { time: seconds(50), count: 0 });
        clock.spend(B, Duration::ZERO);
        clock.spend(B, seconds(3));
        assert_eq!(clock.left[0].time, seconds(62));
        clock.set_left(B, seconds(1), 0);
        assert!(clock.share(B, 50, size(9)).expect("a limit") < seconds(1));
    }

    #[test]
    fn a_move_takes_no_longer_than_the_clock_allows_for_one() {
        let (main, increment, most) = (seconds(600), seconds(30), seconds(600));
        let share = |longest| {
            let clock = Clock::new(TimeSystem::Fischer { main, increment, most, longest });
            [clock.share(B, 50, size(9)), clock.longest(B)].map(|time| time.expect("a limit"))
        };
        assert_eq!(share(Some(seconds(20))), [Duration::from_millis(19_600); 2]);
        assert_eq!(share(Some(Duration::ZERO)), [MIN_TIME; 2]);
        assert!(share(None).iter().all(|time| *time > seconds(30)));
    }

    #[test]
    fn the_end_of_main_time_is_never_worth_less_than_overtime() {
        let mut clock = settings(600, 100, 10);
        clock.set_left(B, seconds(1), 0);
        assert_eq!(clock.share(B, 0, size(19)), Some(Duration::from_millis(9_700)));
    }

    #[test]
    fn spent_time_goes_through_main_time_into_overtime_and_its_periods() {
        let mut clock = settings(10, 30, 2);
        clock.spend(B, seconds(4));
        assert_eq!(clock.left[0], RemainingTime { time: seconds(6), count: 0 });
        clock.spend(B, seconds(16));
        assert_eq!(clock.left[0], RemainingTime { time: seconds(20), count: 1 });
        clock.spend(B, seconds(1));
        assert_eq!(clock.left[0], RemainingTime { time: seconds(30), count: 2 });
        assert_eq!(clock.left[1], RemainingTime { time: seconds(10), count: 0 });
        let mut clock =
            Clock::new(TimeSystem::ByoYomi { main: Duration::ZERO, period: seconds(10), periods: 3 });
        clock.spend(B, seconds(9));
        assert_eq!(clock.left[0], RemainingTime { time: seconds(10), count: 3 });
        clock.spend(B, seconds(15));
        assert_eq!(clock.left[0], RemainingTime { time: seconds(10), count: 2 });
        clock.spend(B, seconds(1000));
        assert_eq!(clock.left[0], RemainingTime { time: seconds(10), count: 1 });
        clock.restart();
        assert_eq!(clock.left[0].count, 3);
    }
}
