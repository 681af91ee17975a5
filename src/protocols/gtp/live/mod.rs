//! Live analysis: a search that reports while it runs and ends with the next line from the controller.

mod info;
mod request;

pub(super) use request::{Request, names};

use self::request::Purpose;
use super::error::GtpError;
use super::session::Session;
use super::think::Thinking;
use crate::base::game::Game;
use crate::engine::EngineError;
use crate::external::LoadingMessages;
use crate::search::{Limits, Report, SearchSnapshot};
use std::io;
use std::time::{Duration, Instant};

/// Time until the first line, if the interval is longer.
const MAX_FIRST_LINE_DELAY: Duration = Duration::from_millis(50);

/// Minimum time between two lines.
const MIN_INTERVAL: Duration = Duration::from_millis(10);

impl Session {
    /// Analyses the position and passes each line to `emit`; an error of `emit` ends the analysis. The inner error is that of
    /// a search for a move without any evaluation, which has no lines.
    ///
    /// # Errors
    /// Returns the error of `emit`.
    pub(super) fn analyze_live(
        &mut self,
        request: &Request,
        emit: &mut dyn FnMut(&str) -> io::Result<()>,
    ) -> io::Result<Result<(), GtpError>> {
        for key in &request.unsupported {
            self.note(&format!("{key} is not supported here: nothing is written for it"));
        }
        let root = self.engine.root_for(request.player);
        let mut ownership = self.engine.line_ownership(&root);
        let waits = self.engine.options().external.is_some();
        let mut line_times = LineTimes::new(request.interval);
        let mut failure = None;
        let mut report_line = |report: &Report| {
            let line = info::line(report, request, &root, &mut ownership);
            // Without a visit nothing is known of the position.
            if failure.is_none() && !line.is_empty() && (report.root.visits > 0 || !waits) {
                failure = emit(&line).err();
            }
            failure.is_none()
        };
        let mut watch =
            |snapshot: &SearchSnapshot<'_>| !line_times.is_due() || report_line(&snapshot.report());
        self.engine.set_root_moves(request.root_moves.clone());
        let choice = if request.is_analysis() {
            match self.search_until_next_line(request, &mut watch) {
                Ok(report) => {
                    report_line(&report);
                    self.last_search = Some((self.searched_key(request.player), report));
                }
                Err(error) => self.note(&error.to_string()),
            }
            None
        } else {
            let is_cancellable = request.purpose == Purpose::CancellableSearch;
            let thinking = Thinking { player: request.player, uses_clock: true, is_cancellable };
            let chosen = self.choose(thinking, &mut watch);
            if let Ok((_, Some(report))) = &chosen {
                report_line(report);
            }
            Some(chosen)
        };
        self.engine.set_root_moves(None);
        self.engine.store_ownership(&ownership);
        match (failure, choice) {
            (Some(failure), _) => Err(failure),
            (None, Some(Err(error))) => Ok(Err(error)),
            (None, Some(Ok((choice, _)))) => {
                let is_played = request.purpose == Purpose::Play;
                let answer = if is_played {
                    self.play_choice(request.player, choice)
                } else {
                    self.choice_text(choice)
                };
                emit(&format!("play {answer}")).map(Ok)
            }
            (None, None) => {
                // A search may end by itself, but its response ends with the next line.
                self.input.wait();
                Ok(Ok(()))
            }
        }
    }

    fn search_until_next_line(
        &mut self,
        request: &Request,
        watch: &mut dyn FnMut(&SearchSnapshot<'_>) -> bool,
    ) -> Result<Report, EngineError> {
        let Session { engine, input, diagnostics, .. } = self;
        let mut loading = LoadingMessages::new(engine.options().external.as_ref());
        let report = engine.search(request.player, Limits::default(), &mut |snapshot| {
            loading.due().into_iter().for_each(|message| diagnostics(&message));
            watch(snapshot) && !input.has_more()
        });
        report.inspect(|report| self.totals.add(report))
    }

    /// Searches on the opponent's time until the next line from the controller.
    pub(super) fn ponder(&mut self) {
        if self.position().passes() >= 2 {
            return;
        }
        let to_play = self.position().to_play();
        let Session { engine, input, .. } = self;
        let report = engine.search(to_play, Limits::default(), &mut |_| !input.has_more());
        // A failure of the evaluator is reported with the next command that needs it.
        report.iter().for_each(|report| self.totals.add(report));
    }
}

/// The times of lines.
struct LineTimes {
    next: Option<Instant>,
    interval: Duration,
}

impl LineTimes {
    fn new(interval: Option<Duration>) -> LineTimes {
        let next = interval.map(|interval| Instant::now() + interval.min(MAX_FIRST_LINE_DELAY));
        LineTimes { next, interval: interval.unwrap_or_default().max(MIN_INTERVAL) }
    }

    /// Returns true if a line is due; the next one is due an interval later.
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
