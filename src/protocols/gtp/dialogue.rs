//! The loop of a session, from input lines to responses.

use super::arguments::Arguments;
use super::commands;
use super::error::GtpError;
use super::live::Request;
use super::protocol::{self, Command, Response};
use super::session::Session;
use crate::base::game::Game;
use crate::base::input::{Line, LineReader, MAX_LINE_BYTES};
use std::io::{self, BufRead, ErrorKind, Write};
use std::sync::Arc;

impl Session {
    /// Answers commands until `quit`, the end of the input, or the closing of the output by its reader. A thread reads lines
    /// during searches.
    ///
    /// # Errors
    /// Returns an error if reading or writing fails, except if the output is closed.
    pub fn run(&mut self, input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<()> {
        self.quit = false;
        self.input = LineReader::reading(input, Arc::clone(&self.abandoned), protocol::is_interrupt);
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
        self.input = LineReader::none();
        outcome
    }

    fn respond(&mut self, line: &Line, output: &mut impl Write) -> io::Result<()> {
        let response = if line.cut { too_long(&line.text) } else { self.answer_to(&line.text, output)? };
        let Some(response) = response else { return Ok(()) };
        write!(output, "{response}")?;
        output.flush()
    }

    /// Answers one line; `None` if it holds no command, or if the response of a live analysis is already on `output`.
    fn answer_to(&mut self, line: &str, output: &mut impl Write) -> io::Result<Option<Response>> {
        let Some(command) = protocol::parse_line(line) else { return Ok(None) };
        let Some(Ok(request)) = self.live_request(&command) else { return Ok(self.answer(line)) };
        let mut head = Some(format!("={}\n", command.id.map_or(String::new(), |id| id.to_string())));
        // An analysis answers at once. A search for a move may fail before its first line, and then answers with an error.
        if request.is_analysis() {
            write!(output, "{}", head.take().unwrap_or_default())?;
            output.flush()?;
        }
        let outcome = self.analyze_live(&request, &mut |line| {
            writeln!(output, "{}{line}", head.take().unwrap_or_default())?;
            output.flush()
        })?;
        if let Err(error) = outcome {
            return Ok(Some(Response { id: command.id, outcome: Err(error.to_string()) }));
        }
        writeln!(output)?;
        output.flush()?;
        Ok(None)
    }

    /// Parses a command of live analysis; `None` if it is another command. The error includes an analysis restricted to
    /// moves of which none is legal.
    fn live_request(&self, command: &Command) -> Option<Result<Request, GtpError>> {
        let request = Request::parse(&command.name, &command.rest, self.position().to_play(), self.size())?;
        Some(request.and_then(|request| {
            let Some(allowed) = &request.root_moves else { return Ok(request) };
            let has_move = self.engine.root_for(request.player).allows_any(allowed);
            if has_move { Ok(request) } else { Err(GtpError::NothingAllowed) }
        }))
    }

    /// Answers one line; `None` if it holds no command. A live analysis ends at once, since no further line can follow.
    pub fn answer(&mut self, line: &str) -> Option<Response> {
        let command = protocol::parse_line(line)?;
        if let Some(request) = self.live_request(&command) {
            let outcome = request.and_then(|request| {
                let mut text = String::from("\n");
                let emit = &mut |line: &str| {
                    text.extend([line, "\n"]);
                    Ok(())
                };
                // Writing to a string cannot fail.
                self.analyze_live(&request, emit).unwrap_or(Ok(())).map(|()| text)
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
}

/// Returns the response to a line of which only the beginning was read.
fn too_long(beginning: &str) -> Option<Response> {
    let command = protocol::parse_line(beginning)?;
    let error = GtpError::LineTooLong { limit: MAX_LINE_BYTES };
    Some(Response { id: command.id, outcome: Err(error.to_string()) })
}
