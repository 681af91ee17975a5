//! A conversation: its state, and its loop.

use super::arguments::Arguments;
use super::clock::{Clock, TimeSystem};
use super::commands;
use super::error::GtpError;
use super::live::Request;
use super::protocol::{self, Command, Response};
use super::think::MoveBudget;
use crate::engine::{Engine, EngineError, Level};
use crate::game::Game;
use crate::go::status::Statuses;
use crate::go::{Position, Record, Rules, Size};
use crate::input::{Input, LONGEST_LINE, Line};
use crate::search::Report;
use crate::table::Counters;
use std::io::{self, BufRead, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How a session behaves.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionOptions {
    /// What `name` answers. Lizzie uses `kata-analyze` only where it begins with `KataGo`.
    pub name: String,
    /// What `version` answers. Lizzie complains about anything below 0.15 (it reads the number after the
    /// first dot).
    pub version: String,
    /// What every move may take.
    pub budget: MoveBudget,
    /// Time for a move when neither `budget` nor a clock limits it.
    pub default_time: Duration,
    /// Resign when our winning probability is below this; 0 is never.
    pub resign_below: f64,
    /// Whether to search on while the opponent thinks.
    pub ponders: bool,
    /// The level that the engine plays at, where nobody may turn pondering on; `None`: as well as it can.
    pub level: Option<Level>,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            name: "Tewari".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            budget: MoveBudget::default(),
            default_time: Duration::from_secs(1),
            resign_below: 0.1,
            ponders: false,
            level: None,
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
    /// See [`Session::totals`].
    pub(super) totals: SearchTotals,
    pub(super) quit: bool,
    pub(super) input: Input,
    /// Whether the last command made a move of ours.
    pub(super) has_just_moved: bool,
    /// What the last search said of its move, in a line.
    pub(super) last_thought: Option<String>,
    /// The key of the position that was searched last, and what was found.
    pub(super) last_search: Option<(u64, Report)>,
    abandoned: Arc<AtomicBool>,
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
            input: Input::none(),
            has_just_moved: false,
            last_thought: None,
            last_search: None,
            abandoned: Arc::default(),
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

    /// A flag that ends every search soon after it is set: nobody reads the answers any more.
    #[must_use]
    pub fn with_abandoned(mut self, abandoned: Arc<AtomicBool>) -> Session {
        self.abandoned = abandoned;
        self
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What its searches did since its table was last empty, or since they were last counted anew.
    #[must_use]
    pub fn totals(&self) -> SearchTotals {
        self.totals
    }

    /// Counts anew what its searches do.
    pub fn restart_totals(&mut self) {
        self.totals = SearchTotals::default();
    }

    /// Answers commands until `quit`, the end of the input, or nobody reads the output any more. Lines are read while
    /// the engine thinks, by a thread that lives until the input has nothing more to say.
    ///
    /// # Errors
    /// When reading or writing fails otherwise.
    pub fn run(&mut self, input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<()> {
        self.quit = false;
        self.input = Input::reading(input, Arc::clone(&self.abandoned), protocol::is_interrupt);
        let outcome = loop {
            if std::mem::take(&mut self.has_just_moved) && self.options.ponders {
                self.ponder();
            }
            let line = match self.input.take_line() {
                Ok(Some(line)) => line,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            };
            match self.respond(&line, &mut output) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => break Ok(()),
                Err(error) => break Err(error),
                Ok(()) if self.quit => break Ok(()),
                Ok(()) => {}
            }
        };
        self.input = Input::none();
        outcome
    }

    fn respond(&mut self, line: &Line, output: &mut impl Write) -> io::Result<()> {
        let response = if line.cut { too_long(&line.text) } else { self.answer_to(&line.text, output)? };
        let Some(response) = response else { return Ok(()) };
        write!(output, "{response}")?;
        output.flush()
    }

    /// Answers one line; `None` when it holds no command, or the answer is written to `output` already.
    fn answer_to(&mut self, line: &str, output: &mut impl Write) -> io::Result<Option<Response>> {
        let Some(command) = protocol::parse_line(line) else { return Ok(None) };
        let Some(Ok(request)) = self.live_request(&command) else { return Ok(self.answer(line)) };
        writeln!(output, "={}", command.id.map_or(String::new(), |id| id.to_string()))?;
        output.flush()?;
        self.analyze_live(&request, &mut |line| {
            writeln!(output, "{line}")?;
            output.flush()
        })?;
        writeln!(output)?;
        output.flush()?;
        Ok(None)
    }

    fn live_request(&self, command: &Command) -> Option<Result<Request, GtpError>> {
        let request = Request::parse(&command.name, &command.rest, self.position().to_play(), self.size())?;
        Some(request.and_then(|request| {
            let Some(allowed) = &request.root_moves else { return Ok(request) };
            let has_move = self.engine.root_for(request.player).allows_any(allowed);
            if has_move { Ok(request) } else { Err(GtpError::NothingAllowed) }
        }))
    }

    /// Answers one line; `None` when it holds no command. An analysis ends at once, since nothing more can be said.
    pub fn answer(&mut self, line: &str) -> Option<Response> {
        let command = protocol::parse_line(line)?;
        if let Some(request) = self.live_request(&command) {
            let outcome = request.map(|request| {
                let mut text = String::from("\n");
                // Writing to a string cannot fail.
                let _ = self.analyze_live(&request, &mut |line| {
                    text.extend([line, "\n"]);
                    Ok(())
                });
                text
            });
            return Some(Response { id: command.id, outcome: outcome.map_err(|error| error.to_string()) });
        }
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

    /// What becomes of each chain, as the rules have it.
    pub(super) fn statuses(&self) -> Statuses {
        self.engine.statuses()
    }

    pub(super) fn note(&mut self, line: &str) {
        (self.diagnostics)(line);
    }

    /// Goes on with another game. On error the present one stays.
    pub(super) fn set_record(&mut self, record: Record) -> Result<(), EngineError> {
        let moves = self.engine.table().layout().shape.moves;
        self.engine.set_record(record)?;
        if moves != self.engine.table().layout().shape.moves {
            self.restart_totals();
        }
        Ok(())
    }

    /// Changes the rules. On error, when a move of the game is illegal by them, nothing changes.
    pub(super) fn set_rules(&mut self, rules: Rules) -> Result<(), GtpError> {
        let record = self.engine.record().with_rules(rules).map_err(|_| GtpError::IllegalMove)?;
        self.set_record(record).map_err(GtpError::NoMemoryForSize)
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
    let error = GtpError::LineTooLong { limit: LONGEST_LINE };
    Some(Response { id: command.id, outcome: Err(error.to_string()) })
}
