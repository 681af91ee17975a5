//! Choosing a move: how much to search, when to pass at once, when to resign.

use super::session::Session;
use crate::game::{Game, Move, Player};
use crate::go::Size;
use crate::search::{Limits, Report, Snapshot};
use std::time::{Duration, Instant};

/// A value is no reason to resign before the root has this many visits.
const RESIGN_VISITS: u64 = 50;

/// What a search for a move may take; the first limit that is reached counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveBudget {
    /// Visits of the root, those it had before included.
    pub visits: Option<u64>,
    /// New simulations.
    pub simulations: Option<u64>,
    /// Time, whatever the clock says; less when the clock has less.
    pub time: Option<Duration>,
}

impl From<Limits> for MoveBudget {
    fn from(limits: Limits) -> MoveBudget {
        let Limits { visits, simulations, time, .. } = limits;
        MoveBudget { visits, simulations, time }
    }
}

/// How a move is thought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thinking {
    pub(super) player: Player,
    /// True if the search obeys the clock, and its time is taken from it.
    pub(super) uses_clock: bool,
    /// True if any line cancels the search.
    pub(super) is_cancellable: bool,
}

impl Thinking {
    /// About a move to be played.
    pub(super) fn of(player: Player) -> Thinking {
        Thinking { player, uses_clock: true, is_cancellable: false }
    }
}

/// What a search for a move ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// A move.
    Move(Move),
    /// Resigning, which is better than the move.
    Resign(Move),
    /// Nothing: another line came first.
    Cancelled,
}

impl Session {
    /// Searches for a move, which is not played; the report is absent where no search was needed. `watch` is called now and
    /// then, and may end the search.
    pub(super) fn choose(
        &mut self,
        thinking: Thinking,
        watch: &mut dyn FnMut(&Snapshot<'_>) -> bool,
    ) -> (Choice, Option<Report>) {
        let started = Instant::now();
        let Thinking { player, uses_clock, is_cancellable } = thinking;
        let limits = self.limits(player, uses_clock);
        let Session { engine, input, .. } = self;
        let mut is_cancelled = false;
        let decision = engine.decide(player, limits, &mut |snapshot| {
            is_cancelled |= is_cancellable && input.has_more();
            watch(snapshot) && !is_cancelled && !input.is_interrupted()
        });
        if let Some(report) = &decision.report {
            self.totals.add(report);
            self.remember(report);
            if self.totals.searches == 1 {
                self.note(&self.huge_pages());
            }
            if let Some(warning) = self.engine.file_warning() {
                self.note(&warning);
            }
        }
        if let Some(reason) = decision.reason {
            self.note(reason);
        }
        if uses_clock {
            self.clock.spend(player, started.elapsed());
        }
        let resigns = decision.reason.is_none()
            && decision.report.as_ref().is_some_and(|report| self.should_resign(report));
        let choice = match decision.mv {
            _ if is_cancelled => Choice::Cancelled,
            mv if resigns => Choice::Resign(mv),
            mv => Choice::Move(mv),
        };
        (choice, decision.report)
    }

    /// Writes a choice as the answer to the controller.
    pub(super) fn words_of(&self, choice: Choice) -> String {
        match choice {
            Choice::Move(mv) => self.size().vertex(mv),
            Choice::Resign(_) => "resign".to_owned(),
            Choice::Cancelled => "cancelled".to_owned(),
        }
    }

    /// Plays a move that was chosen and returns the answer to the controller.
    pub(super) fn play_choice(&mut self, player: Player, choice: Choice) -> String {
        let Choice::Move(mv) = choice else { return self.words_of(choice) };
        self.has_just_moved = true;
        let size = self.size();
        let record = self.engine.record_mut();
        if let Err(reason) = record.play(player, mv) {
            let pass = record.play(player, size.pass());
            debug_assert!(pass.is_ok(), "passing is always legal");
            self.note(&format!("the search chose {}, which is illegal ({reason}): pass", size.vertex(mv)));
            return size.vertex(size.pass());
        }
        size.vertex(mv)
    }

    /// Keeps what a search found, and says it.
    fn remember(&mut self, report: &Report) {
        self.last_search = Some((self.searched_key(report.root.to_play), report.clone()));
        let thought = summary(report, self.size());
        self.note(&thought);
        self.last_thought = Some(thought);
    }

    /// The key of the present position with `player` to move.
    pub(super) fn searched_key(&self, player: Player) -> u64 {
        let mut searched = self.position().clone();
        searched.set_to_play(player);
        searched.key()
    }

    /// A line on the pages of the table.
    fn huge_pages(&self) -> String {
        let table = self.engine.table();
        let mebibytes = |bytes: usize| bytes as f64 / (1 << 20) as f64;
        match table.huge_page_bytes() {
            Some(0) | None => "table: no huge pages".to_owned(),
            Some(bytes) => {
                let all = mebibytes(table.layout().bytes());
                format!("table: {:.0} of {all:.0} MiB in huge pages so far", mebibytes(bytes))
            }
        }
    }

    /// A fixed count is kept unless the clock would run out; with neither count nor clock, the default
    /// time.
    fn limits(&self, player: Player, uses_clock: bool) -> Limits {
        let MoveBudget { visits, simulations, time } = self.options.budget;
        let is_counted = visits.is_some() || simulations.is_some();
        let by_clock = match (uses_clock, is_counted) {
            (false, _) => None,
            (true, true) => self.clock.longest(player),
            (true, false) => self.clock.share(player, self.engine.record().moves().len(), self.size()),
        };
        let mut time = [time, by_clock].into_iter().flatten().min();
        if time.is_none() && !is_counted {
            time = Some(self.options.default_time);
        }
        let early = by_clock.is_some() && !is_counted;
        Limits { visits, simulations, time, early, best_visits: None }
    }

    /// Not in the opening, where a low value says more about komi and handicap than about the game; and not where some
    /// moves alone were searched, since the value is theirs.
    fn should_resign(&self, report: &Report) -> bool {
        if self.engine.root_moves().is_some() {
            return false;
        }
        let opening = 2.0 * (self.size().points() as f64).sqrt();
        report.root.value.as_f64() < self.options.resign_below
            && (report.root.visits >= RESIGN_VISITS || report.root.proven.is_some())
            && self.engine.record().moves().len() as f64 >= opening
    }
}

fn summary(report: &Report, size: Size) -> String {
    let line: Vec<String> =
        report.best().map_or_else(Vec::new, |best| best.pv.iter().map(|&mv| size.vertex(mv)).collect());
    format!(
        "{} simulations, {} visits, win rate of {} {:.3}{}, {:.2} s, pv {}",
        report.simulations,
        report.root.visits,
        report.root.to_play,
        report.root.value.as_f64(),
        if report.root.proven.is_some() { " (proven)" } else { "" },
        report.elapsed.as_secs_f64(),
        line.join(" "),
    )
}
