//! The server: searches the queries' positions one after another.

use super::defaults::Defaults;
use super::frontend::Desk;
use super::message::{self, Extras};
use super::query::Job;
use crate::base::input::Input;
use crate::engine::{Engine, expert};
use crate::go::Record;
use crate::search::{Limits, Report, Snapshot};
use std::io::{self, Write};
use std::time::Instant;

/// A server that answers queries with one engine.
pub struct Server<W> {
    engine: Engine,
    desk: Desk<W>,
}

impl<W: Write> Server<W> {
    /// Creates a server for the queries of `input`. They may take the memory that the engine's options
    /// [reserve](EngineOptions::reserved).
    pub fn new(engine: Engine, defaults: Defaults, input: Input, output: W) -> Server<W> {
        let options = engine.options().clone();
        Server { engine, desk: Desk::new(defaults, input, output, options) }
    }

    /// Answers until the end of the input.
    ///
    /// # Errors
    /// If reading or writing fails; the kind is `BrokenPipe` once no client reads the answers.
    pub fn run(&mut self) -> io::Result<()> {
        loop {
            while self.desk.queue.is_empty() && !self.desk.has_ended {
                self.desk.hear_line(None)?;
                self.clear_if_asked()?;
            }
            self.desk.hear(None)?;
            if self.desk.has_ended && !self.desk.defaults.finishes_queue {
                return Ok(());
            }
            match self.desk.next_job() {
                Some(job) => self.analyse(&job)?,
                None if self.desk.has_ended => return Ok(()),
                None => {}
            }
            self.clear_if_asked()?;
        }
    }

    fn analyse(&mut self, job: &Job) -> io::Result<()> {
        let Server { engine, desk } = self;
        // The query was played through on arrival.
        let Ok(position) = job.position() else { return desk.say(&message::no_results(job)) };
        if let Err(error) = engine.set_record(Record::from_position(position.clone())) {
            return desk.refuse(job, &error);
        }
        let asked = engine.network().cloned().filter(|_| job.query.has_policy);
        let policy = asked.map(|network| expert::ask(&network, &position).policy);
        let mut ownership = engine.line_ownership(&position);
        let root_moves = job.root_moves(&position);
        let (restricted, has_no_move) = match root_moves {
            Some(allowed) if !position.allows_any(&allowed) => (None, true),
            restricted => (restricted, false),
        };
        if has_no_move {
            desk.say(&message::nothing_allowed(job))?;
        }
        let mut result = |report: &Report, is_during_search| {
            let extras = Extras { policy: policy.as_deref(), ownership: &mut ownership, has_no_move };
            message::result(job, &position, report, extras, is_during_search)
        };
        engine.set_root_moves(restricted);
        let limits = Limits { visits: Some(job.query.visits), time: job.query.time, ..Limits::default() };
        let mut failure = None;
        let first = job.query.first_report.or(job.query.report_interval);
        let mut next = first.map(|interval| Instant::now() + interval);
        let mut watch = |snapshot: &Snapshot<'_>| -> io::Result<bool> {
            if next.is_some_and(|due| Instant::now() >= due) {
                next = job.query.report_interval.map(|interval| Instant::now() + interval);
                desk.say(&result(&snapshot.report(), true))?;
            }
            desk.hear(Some(job))?;
            let is_wanted = !desk.has_ended || desk.defaults.finishes_queue;
            Ok(is_wanted && !desk.is_terminated)
        };
        let report = engine.search_position(position.clone(), limits, &mut |snapshot| {
            watch(snapshot).unwrap_or_else(|error| {
                failure = Some(error);
                false
            })
        });
        engine.set_root_moves(None);
        desk.is_terminated = false;
        match failure {
            Some(failure) => Err(failure),
            None => desk.say(&result(&report, false)),
        }
    }

    fn clear_if_asked(&mut self) -> io::Result<()> {
        if !self.desk.clearing.is_empty() {
            self.engine.clear_table();
        }
        let answers = std::mem::take(&mut self.desk.clearing);
        answers.iter().try_for_each(|(answer, _)| self.desk.say(answer))
    }
}
