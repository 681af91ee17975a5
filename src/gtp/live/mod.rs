//! Live analysis: a search that tells what it finds while it runs, and ends when the controller says anything.

mod info;
mod request;

pub(super) use request::{Request, names};

use super::session::Session;
use crate::game::Game;
use crate::search::{Limits, Report, Snapshot};
use std::io;
use std::time::{Duration, Instant};

/// The first line comes after this time, if the interval is longer.
const FIRST_LINE: Duration = Duration::from_millis(50);

/// Lines come no faster than this.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

impl Session {
    /// Analyses, and gives each line to `emit`; a failure of that ends the analysis.
    ///
    /// # Errors
    /// Those of `emit`.
    pub(super) fn analyze_live(
        &mut self,
        request: &Request,
        emit: &mut dyn FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        let root = self.engine.root_for(request.player);
        let mut lines = Lines::new(request.interval);
        let mut failure = None;
        let mut tell = |report: &Report| {
            let line = info::line(report, request, &root);
            let told = if line.is_empty() { Ok(()) } else { emit(&line) };
            failure = told.err();
            failure.is_none()
        };
        let mut watch = |snapshot: &Snapshot<'_>| !lines.is_due() || tell(&snapshot.report());
        self.engine.set_root_moves(request.root_moves.clone());
        let choice = if request.plays {
            let started = Instant::now();
            let (choice, report) = self.choose(request.player, true, &mut watch);
            self.clock.spend(request.player, started.elapsed());
            if let Some(report) = &report {
                tell(report);
            }
            Some(choice)
        } else {
            let report = self.search_until_more_is_said(request, &mut watch);
            tell(&report);
            self.last_search = Some((self.searched_key(request.player), report));
            None
        };
        self.engine.set_root_moves(None);
        match (failure, choice) {
            (Some(failure), _) => Err(failure),
            (None, Some(choice)) => {
                let played = self.play_choice(request.player, choice);
                emit(&format!("play {played}"))
            }
            (None, None) => {
                // A search that has ended has nothing more to tell, but its answer ends with the next line.
                self.input.wait();
                Ok(())
            }
        }
    }

    fn search_until_more_is_said(
        &mut self,
        request: &Request,
        watch: &mut dyn FnMut(&Snapshot<'_>) -> bool,
    ) -> Report {
        let Session { engine, input, .. } = self;
        let report = engine
            .search(request.player, Limits::default(), &mut |snapshot| watch(snapshot) && !input.has_more());
        self.totals.add(&report);
        report
    }

    /// Searches for the opponent's answer until the controller says anything.
    pub(super) fn ponder(&mut self) {
        if self.position().passes() >= 2 {
            return;
        }
        let to_play = self.position().to_play();
        let Session { engine, input, .. } = self;
        let report = engine.search(to_play, Limits::default(), &mut |_| !input.has_more());
        self.totals.add(&report);
    }
}

/// When lines are due.
struct Lines {
    next: Option<Instant>,
    interval: Duration,
}

impl Lines {
    fn new(interval: Option<Duration>) -> Lines {
        let next = interval.map(|interval| Instant::now() + interval.min(FIRST_LINE));
        Lines { next, interval: interval.unwrap_or_default().max(SHORTEST_INTERVAL) }
    }

    /// Whether a line is due now; the next is due an interval later.
    fn is_due(&mut self) -> bool {
        let Some(next) = &mut self.next else { return false };
        let now = Instant::now();
        let is_due = now >= *next;
        if is_due {
            *next = now + self.interval;
        }
        is_due
    }
}
