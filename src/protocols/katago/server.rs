//! The server: searches the queries' positions one after another.

use super::defaults::QueryDefaults;
use super::frontend::Frontend;
use super::message::{self, ResultParts};
use super::query::{PositionRequest, Query};
use crate::base::input::LineReader;
use crate::engine::{Engine, FINAL_REPORT_WAIT, LIVE_REPORT_WAIT};
use crate::go::Record;
use crate::search::{Limits, Report, SearchSnapshot};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// A server that answers queries with one engine.
pub struct Server<W> {
    engine: Engine,
    frontend: Frontend<W>,
}

impl<W: Write> Server<W> {
    /// Creates a server for the queries of `input`. They may take the memory that the engine's options
    /// [reserve](crate::engine::EngineOptions::reserved).
    pub fn new(engine: Engine, defaults: QueryDefaults, input: LineReader, output: W) -> Server<W> {
        let options = engine.options().clone();
        Server { engine, frontend: Frontend::new(defaults, input, output, options) }
    }

    /// Answers until the end of the input.
    ///
    /// # Errors
    /// Returns an error if reading or writing fails; the kind is `BrokenPipe` once no client reads the answers.
    pub fn run(&mut self) -> io::Result<()> {
        loop {
            while self.frontend.queue.is_empty() && !self.frontend.has_ended {
                self.frontend.read_line(None)?;
                self.clear_if_asked();
            }
            self.frontend.read_lines(None)?;
            if self.frontend.has_ended && !self.frontend.defaults.finishes_queue {
                return Ok(());
            }
            match self.frontend.next_request() {
                Some(request) => self.analyse(&request)?,
                None if self.frontend.has_ended => return Ok(()),
                None => {}
            }
            self.clear_if_asked();
        }
    }

    fn analyse(&mut self, request: &PositionRequest) -> io::Result<()> {
        let Server { engine, frontend } = self;
        // This does not fail: the moves were played once when the query arrived.
        let Ok(position) = request.position() else {
            return frontend.write_message(&message::no_results(request));
        };
        if let Err(error) = engine.set_record(Record::from_position(position.clone())) {
            return frontend.refuse(request, &error);
        }
        let policy = request.query.has_policy.then(|| engine.policy(&position)).flatten();
        let mut ownership = engine.line_ownership(&position);
        if request.query.needs_ownership() {
            // Ahead of the search, so that the answer comes in time.
            ownership.begin_report([], Duration::ZERO);
        }
        let root_moves = request.root_moves(&position);
        let (restricted, has_no_move) = match root_moves {
            Some(allowed) if !position.allows_any(&allowed) => (None, true),
            restricted => (restricted, false),
        };
        if has_no_move {
            frontend.write_message(&message::nothing_allowed(request))?;
        }
        let mut result = |report: &Report, is_during_search| {
            let wait = if is_during_search || request.query.time.is_some() {
                LIVE_REPORT_WAIT
            } else {
                FINAL_REPORT_WAIT
            };
            let parts =
                ResultParts { policy: policy.as_deref(), ownership: &mut ownership, wait, has_no_move };
            message::result(request, &position, report, parts, is_during_search)
        };
        engine.set_root_moves(restricted);
        let Query { visits, simulations, time, .. } = *request.query;
        let limits = Limits { visits, simulations, time, ..Limits::default() };
        let mut failure = None;
        let first = request.query.first_report.or(request.query.report_interval);
        let mut next = first.map(|interval| Instant::now() + interval);
        let mut watch = |snapshot: &SearchSnapshot<'_>| -> io::Result<bool> {
            if next.is_some_and(|due| Instant::now() >= due) {
                next = request.query.report_interval.map(|interval| Instant::now() + interval);
                frontend.write_message(&result(&snapshot.report(), true))?;
            }
            frontend.read_lines(Some(request))?;
            let is_wanted = !frontend.has_ended || frontend.defaults.finishes_queue;
            Ok(is_wanted && !frontend.is_terminated)
        };
        let report = engine.search_position(position.clone(), limits, &mut |snapshot| {
            watch(snapshot).unwrap_or_else(|error| {
                failure = Some(error);
                false
            })
        });
        engine.set_root_moves(None);
        frontend.is_terminated = false;
        let answered = match (failure, report) {
            (Some(failure), _) => Err(failure),
            (None, Err(error)) => frontend.refuse(request, &error),
            (None, Ok(report)) => frontend.write_message(&result(&report, false)),
        };
        engine.store_ownership(&ownership);
        answered
    }

    fn clear_if_asked(&mut self) {
        if std::mem::take(&mut self.frontend.is_clearing) {
            self.engine.clear_table();
        }
    }
}
