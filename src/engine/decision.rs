//! The decision on a move: limits of the search, the clock, a pass that ends the game, resignation. It is the same for GTP,
//! games against a person, and matches.

use super::after_pass::{SecondSearch, without_kept_time};
use super::clock::{Clock, MIN_TIME};
use super::ending::{EndingChoice, EndingPass, SETTLED_AND_WON, opening_moves};
use super::{Engine, EngineError};
use crate::base::game::{Move, Player};
use crate::search::{Limits, Progress, Report, SearchSnapshot};
use std::time::{Duration, Instant};

/// Minimum visits of an unproven root for a resignation.
const MIN_RESIGN_VISITS: u64 = 50;

/// Times of the last count that the clock must allow for another one: counts of positions differ.
const COUNTS: u32 = 2;

/// Limits of the search for one move; the first one reached ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveBudget {
    /// Visits of the root, those from earlier searches included.
    pub visits: Option<u64>,
    /// New simulations.
    pub simulations: Option<u64>,
    /// Wall-clock time; the clock may allow less.
    pub time: Option<Duration>,
}

impl From<Limits> for MoveBudget {
    fn from(limits: Limits) -> MoveBudget {
        let Limits { visits, simulations, time, .. } = limits;
        MoveBudget { visits, simulations, time }
    }
}

/// Settings of the decision on a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecisionSettings {
    /// Limits of the search.
    pub budget: MoveBudget,
    /// Time for a move that neither the budget nor a clock limits.
    pub default_time: Duration,
    /// Win rate below which the engine resigns, `0..=1`; 0: it never resigns.
    pub resign_below: f64,
}

impl Default for DecisionSettings {
    /// One second a move; resignation below a win rate of 0.1.
    fn default() -> DecisionSettings {
        DecisionSettings {
            budget: MoveBudget::default(),
            default_time: Duration::from_secs(1),
            resign_below: 0.1,
        }
    }
}

/// The decision on a move.
#[derive(Debug)]
pub struct Decision {
    /// The move.
    pub mv: Move,
    /// True if the engine should resign instead of playing the move.
    pub resigns: bool,
    /// The result of the search; `None` if none was needed.
    pub report: Option<Report>,
    /// The reason for a pass in place of the search's choice; `None` if the search chose the move.
    pub reason: Option<&'static str>,
    /// The reason why the evaluator ended the search, for people; the move then comes from what the table has stored.
    pub failure: Option<String>,
}

impl Engine {
    /// Decides on the move of `player` in the present position; it is not played. A clock limits the search, and the time
    /// of the whole decision is subtracted from it.
    ///
    /// # Errors
    /// Returns an error as [`Engine::search_position`] does.
    pub fn decide(
        &mut self,
        player: Player,
        settings: &DecisionSettings,
        clock: Option<&mut Clock>,
        progress: Progress<'_>,
    ) -> Result<Decision, EngineError> {
        let started = Instant::now();
        let limits = self.move_limits(player, settings, clock.as_deref());
        let mut was_interrupted = false;
        let mut progress = |snapshot: &SearchSnapshot<'_>| {
            let goes_on = progress(snapshot);
            was_interrupted |= !goes_on;
            goes_on
        };
        let longest = clock.as_deref().and_then(|clock| clock.longest(player));
        let may_count = longest.is_none_or(|longest| COUNTS * self.time_of_count() <= longest);
        let ending = if may_count { self.ending_pass(player) } else { EndingPass::Uncounted };
        if !may_count {
            self.halve_time_of_count();
        }
        let decision = if ending == EndingPass::WinsForSure {
            let pass = self.position().size().pass();
            Decision { mv: pass, resigns: false, report: None, reason: Some(SETTLED_AND_WON), failure: None }
        } else {
            let first = match ending {
                EndingPass::Wins(_) | EndingPass::Settled(_) => without_kept_time(limits),
                EndingPass::Uncounted => limits,
                _ => self.limits_before_own_territory(player, limits),
            };
            let counted_later = if ending == EndingPass::Open && self.may_end(player) {
                self.time_of_count()
            } else {
                Duration::ZERO
            };
            let first = match longest {
                Some(_) => without_time(first, started.elapsed() + counted_later),
                None => first,
            };
            self.skips_counts = !may_count;
            let found = self.search_for_move(player, ending, first, &mut progress);
            self.skips_counts = false;
            let (report, failure) = found?;
            let is_complete = !was_interrupted && failure.is_none();
            let second = is_complete.then_some(SecondSearch { limits, started, longest });
            let decision = self.decision_after(player, ending, report, second, settings.resign_below);
            Decision { failure, ..decision }
        };
        if let Some(clock) = clock {
            clock.spend(player, started.elapsed());
        }
        Ok(decision)
    }

    /// Decides after the search of `report`: its choice, a pass in its place, or resignation.
    fn decision_after(
        &mut self,
        player: Player,
        ending: EndingPass,
        report: Report,
        second: Option<SecondSearch>,
        resign_below: f64,
    ) -> Decision {
        let pass = self.position().size().pass();
        let (mut mv, mut resigns, mut reason) = (self.chosen_move(&report), false, None);
        // Among the allowed moves the search alone decides.
        if self.root_moves().is_none() {
            match self.choose_ending(player, ending, &report, second) {
                EndingChoice::Pass(why) => reason = Some(why),
                EndingChoice::NoPass if mv == pass => {
                    let best = report.moves.iter().chain(&report.untried).find(|it| it.mv != pass);
                    mv = best.map_or(pass, |best| best.mv);
                }
                EndingChoice::NoPass => {}
                EndingChoice::OfSearch => {
                    resigns = self.should_resign(&report, resign_below);
                    if !resigns && ending != EndingPass::Uncounted {
                        reason = self.reason_to_pass(player, (mv, &report), second);
                    }
                }
            }
        }
        let mv = if reason.is_some() { pass } else { mv };
        Decision { mv, resigns, report: Some(report), reason, failure: None }
    }

    /// Returns the reason for a pass in place of the move chosen by a search, if the move gains nothing.
    fn reason_to_pass(
        &mut self,
        player: Player,
        chosen: (Move, &Report),
        second: Option<SecondSearch>,
    ) -> Option<&'static str> {
        if self.is_lost_and_settled(player, chosen.1, second) {
            return Some("the game is lost and the position is settled: pass");
        }
        let is_needless = self.is_pass_as_good(player, chosen, second);
        is_needless.then_some("a move in own territory is not needed: pass")
    }

    /// Returns the limits of the search for a move. With a limit of visits or simulations, the clock only keeps the search
    /// from using up the time; with neither such a limit nor a clock, the default time applies.
    fn move_limits(&self, player: Player, settings: &DecisionSettings, clock: Option<&Clock>) -> Limits {
        let MoveBudget { visits, simulations, time } = settings.budget;
        let is_counted = visits.is_some() || simulations.is_some();
        let by_clock = clock.and_then(|clock| {
            if is_counted {
                clock.longest(player)
            } else {
                clock.share(player, self.record().move_count(), self.position().size())
            }
        });
        let mut time = [time, by_clock].into_iter().flatten().min();
        if time.is_none() && !is_counted {
            time = Some(settings.default_time);
        }
        let early = by_clock.is_some() && !is_counted;
        Limits { visits, simulations, time, early, best_visits: None }
    }

    /// Returns true if the engine should resign: the win rate of the root is low, proven or based on enough visits, and the
    /// opening is over.
    fn should_resign(&self, report: &Report, resign_below: f64) -> bool {
        report.root.value.as_f64() < resign_below
            && (report.root.visits >= MIN_RESIGN_VISITS || report.root.proven.is_some())
            && self.record().move_count() >= opening_moves(self.position().size())
    }
}

/// Returns limits without some of their time; at least [`MIN_TIME`] is left.
fn without_time(limits: Limits, used: Duration) -> Limits {
    Limits { time: limits.time.map(|time| time.saturating_sub(used).max(MIN_TIME)), ..limits }
}

#[cfg(test)]
impl Engine {
    /// Returns an engine on 9x9 with a table of 1 MiB after moves by both players in turn, with komi 6.5.
    pub(super) fn after_moves(moves: &str, rules: crate::go::Rules, seed: u64) -> Engine {
        let mut options = super::EngineOptions {
            size: crate::go::Size::new(9, 9).expect("a size"),
            komi: crate::go::Komi(13),
            rules,
            memory: crate::base::memory::MemoryBudget::Table(1 << 20),
            ..super::EngineOptions::default()
        };
        options.parameters.seed = seed;
        let mut engine = Engine::new(options).expect("an engine");
        for (name, player) in moves.split_whitespace().zip(Player::BOTH.into_iter().cycle()) {
            let mv = engine.position().size().parse_vertex(name).expect("a point");
            engine.record_mut().play(player, mv).expect("legal");
        }
        engine
    }
}

#[cfg(test)]
mod tests {
    use super::super::EngineOptions;
    use super::super::clock::TimeSystem;
    use super::*;
    use crate::base::memory::MemoryBudget;
    use crate::go::{Komi, Rules, Size};

    const SIDE: usize = 7;

    /// Returns an engine with a lost, settled game of Black: a wall of each player in the middle of the board.
    fn lost_and_settled() -> Engine {
        let options = EngineOptions {
            size: Size::new(SIDE, SIDE).expect("a size"),
            komi: Komi(200),
            memory: MemoryBudget::Table(1 << 20),
            networks: None,
            ..EngineOptions::default()
        };
        let mut engine = Engine::new(options).expect("an engine");
        for row in 0..SIDE {
            for (column, player) in [(2, Player::Black), (3, Player::White)] {
                let mv = engine.position().size().move_at(column, row).expect("on the board");
                engine.record_mut().play(player, mv).expect("legal");
            }
        }
        engine
    }

    #[test]
    fn the_clock_is_charged_for_the_whole_decision() {
        let mut engine = lost_and_settled();
        let mut clock = Clock::new(TimeSystem::Absolute { main: Duration::from_secs(1_000) });
        let settings = DecisionSettings {
            budget: MoveBudget { simulations: Some(1), ..MoveBudget::default() },
            resign_below: 0.0,
            ..DecisionSettings::default()
        };
        let parts = |clock: &Clock| clock.longest(Player::Black).expect("a limit").as_secs_f64();
        let (before, started) = (parts(&clock), Instant::now());
        let decision =
            engine.decide(Player::Black, &settings, Some(&mut clock), &mut |_| true).expect("a decision");
        let elapsed = started.elapsed().as_secs_f64();
        assert_eq!(decision.reason, Some("the game is lost and the position is settled: pass"));
        // A search may use a quarter of the main time less 1 %.
        let charged = (before - parts(&clock)) * 4.0 / 0.99;
        assert!(charged > 0.9 * elapsed, "charged {charged} s of {elapsed} s");
    }

    #[test]
    fn a_position_is_not_counted_if_the_last_count_took_longer_than_the_clock_allows() {
        let mut engine = lost_and_settled();
        let settings = DecisionSettings {
            budget: MoveBudget { simulations: Some(1), ..MoveBudget::default() },
            resign_below: 0.0,
            ..DecisionSettings::default()
        };
        engine.set_time_of_count(Duration::from_secs(1));
        for (main, is_counted) in [(2, false), (10, true)] {
            let mut clock = Clock::new(TimeSystem::Absolute { main: Duration::from_secs(main) });
            let decision =
                engine.decide(Player::Black, &settings, Some(&mut clock), &mut |_| true).expect("a decision");
            assert_eq!(decision.reason.is_some(), is_counted, "{main} s");
        }
    }

    #[test]
    fn no_report_of_a_search_counts_where_the_clock_has_no_time_for_it() {
        let mut engine = Engine::after_moves(CAPTURE_LEFT, Rules::JAPANESE, 1);
        engine.set_time_of_count(Duration::from_secs(10));
        let mut clock = Clock::new(TimeSystem::Absolute { main: Duration::from_secs(2) });
        let budget = MoveBudget { simulations: Some(200), ..MoveBudget::default() };
        let settings = DecisionSettings { budget, resign_below: 0.0, ..DecisionSettings::default() };
        engine.decide(Player::White, &settings, Some(&mut clock), &mut |_| true).expect("a decision");
        assert_eq!(engine.number_of_counts(), 0);
        engine.decide(Player::White, &settings, None, &mut |_| true).expect("a decision");
        assert_eq!(engine.number_of_counts(), 1);
    }

    #[test]
    fn the_time_of_a_count_is_taken_from_the_search() {
        let of = |time| Limits { time: Some(Duration::from_millis(time)), ..Limits::default() };
        let used = Duration::from_millis(100);
        assert_eq!(without_time(of(500), used).time, of(400).time);
        assert_eq!(without_time(of(50), used).time, Some(MIN_TIME));
        assert_eq!(without_time(Limits::default(), used).time, None);
    }

    /// A game under territory rules with White to move: J4 captures H4 and J3, and takes J4 from Black's living stone at J5.
    const CAPTURE_LEFT: &str = "D4 E5 F4 E4 E3 D5 F5 F6 G6 D3 C4 F3 E2 D2 F2 G3 E6 D6 F7 G2 D7 C6 C2 F1 C3 E1 B5 B6 C8 B8 C1 \
        C7 D8 H5 H6 A5 A4 A6 H4 B2 A2 B3 B1 J4 J3 G4 J5 G5 F6 G7 A3 F8 G8 H8 H7 G9 J8 G7 E9 G8 E8 J6 J7 C9 F9 J2 B9 H3 D9 \
        A8 B7 C5 B4";

    #[test]
    fn the_capture_of_dead_stones_beside_a_living_one_is_not_needless() {
        for seed in 1..=4 {
            let mut engine = Engine::after_moves(CAPTURE_LEFT, Rules::JAPANESE, seed);
            let budget = MoveBudget { simulations: Some(400), ..MoveBudget::default() };
            let settings = DecisionSettings { budget, ..DecisionSettings::default() };
            let decision = engine.decide(Player::White, &settings, None, &mut |_| true).expect("a decision");
            assert_eq!(decision.reason, None, "seed {seed}");
        }
    }
}
