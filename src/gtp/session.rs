//! A conversation: its state, and its loop.

use super::arguments::Arguments;
use super::clock::{Clock, TimeSystem};
use super::commands;
use super::error::GtpError;
use super::protocol::{self, Response};
use super::think::MoveBudget;
use crate::engine::{Engine, EngineError};
use crate::go::{Position, Record, Size};
use crate::search::Report;
use crate::table::Counters;
use std::io::{self, BufRead, ErrorKind, Write};
use std::time::Duration;

/// How a session behaves.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionOptions {
    /// What `version` answers. Lizzie complains about anything below 0.15 (it reads the number after the
    /// first dot).
    pub version: String,
    /// What every move may take.
    pub budget: MoveBudget,
    /// Time for a move when neither `budget` nor a clock limits it.
    pub default_time: Duration,
    /// Resign when our winning probability is below this; 0 is never.
    pub resign_below: f64,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            budget: MoveBudget::default(),
            default_time: Duration::from_secs(1),
            resign_below: 0.1,
        }
    }
}

/// What searches did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchTotals {
    /// Number of searches.
    pub searches: u64,
    /// Simulations of all of them.
    pub simulations: u64,
    /// Wall-clock time of all of them.
    pub elapsed: Duration,
    /// What happened at the table.
    pub counters: Counters,
}

impl SearchTotals {
    /// Adds what one search did.
    pub(super) fn add(&mut self, report: &Report) {
        self.searches += 1;
        self.simulations += report.simulations;
        self.elapsed += report.elapsed;
        self.counters.add(&report.counters);
    }
}

/// A conversation with one controller.
pub struct Session {
    pub(super) engine: Engine,
    pub(super) options: SessionOptions,
    pub(super) clock: Clock,
    /// What the searches did since the table was last empty.
    pub(super) totals: SearchTotals,
    pub(super) quit: bool,
    diagnostics: Box<dyn FnMut(&str) + Send>,
}

impl Session {
    /// A session with an engine; nothing is said yet.
    #[must_use]
    pub fn new(engine: Engine, options: SessionOptions) -> Session {
        Session {
            engine,
            options,
            clock: Clock::new(TimeSystem::Unlimited),
            totals: SearchTotals::default(),
            quit: false,
            diagnostics: Box::new(|_| {}),
        }
    }

    /// Where remarks go, a line each, that are no part of the protocol: what was thought about a move, why
    /// one was illegal.
    #[must_use]
    pub fn with_diagnostics(mut self, diagnostics: impl FnMut(&str) + Send + 'static) -> Session {
        self.diagnostics = Box::new(diagnostics);
        self
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What its searches did since its table was last empty.
    #[must_use]
    pub fn totals(&self) -> SearchTotals {
        self.totals
    }

    /// Answers commands until `quit`, the end of the input, or nobody reads the output any more.
    ///
    /// # Errors
    /// When reading or writing fails otherwise.
    pub fn run(&mut self, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
        self.quit = false;
        while !self.quit {
            let Some(line) = protocol::read_line(&mut input)? else { break };
            let response = if line.cut { too_long(&line.text) } else { self.answer(&line.text) };
            let Some(response) = response else { continue };
            match write!(output, "{response}").and_then(|()| output.flush()) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
                written => written?,
            }
        }
        Ok(())
    }

    /// Answers one line; `None` when it holds no command.
    pub fn answer(&mut self, line: &str) -> Option<Response> {
        let command = protocol::parse_line(line)?;
        let outcome = if command.name.is_empty() {
            Err(GtpError::syntax("a command after the id", None))
        } else {
            match commands::find(&command.name) {
                Some(handler) => handler(self, Arguments::new(&command.rest)),
                None => Err(GtpError::UnknownCommand),
            }
        };
        Some(Response { id: command.id, outcome: outcome.map_err(|error| error.to_string()) })
    }

    /// Whether `quit` was answered.
    #[must_use]
    pub fn has_quit(&self) -> bool {
        self.quit
    }

    pub(super) fn position(&self) -> &Position {
        self.engine.position()
    }

    pub(super) fn size(&self) -> Size {
        self.engine.position().size()
    }

    pub(super) fn note(&mut self, line: &str) {
        (self.diagnostics)(line);
    }

    /// Goes on with another game. On error the present one stays.
    pub(super) fn set_record(&mut self, record: Record) -> Result<(), EngineError> {
        let moves = self.engine.table().layout().shape.moves;
        self.engine.set_record(record)?;
        if moves != self.engine.table().layout().shape.moves {
            self.totals = SearchTotals::default();
        }
        Ok(())
    }

    /// An empty board, and full clocks.
    pub(super) fn new_game(&mut self, size: Size) -> Result<(), EngineError> {
        let position = self.position();
        self.set_record(Record::new(size, position.rules(), position.komi()))?;
        self.clock.restart();
        Ok(())
    }
}

/// The answer to a line of which only the beginning was read.
fn too_long(beginning: &str) -> Option<Response> {
    let command = protocol::parse_line(beginning)?;
    let error = GtpError::LineTooLong { limit: protocol::LONGEST_LINE };
    Some(Response { id: command.id, outcome: Err(error.to_string()) })
}
