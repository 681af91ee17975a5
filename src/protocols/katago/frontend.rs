//! The part of the server that reads and answers lines, also while the engine searches.

use super::defaults::QueryDefaults;
use super::error::{QueryError, found, warning};
use super::fields::EXPECTED_ID;
use super::memory_limit::QueryMemory;
use super::query::PositionRequest;
use super::{message, reader};
use crate::base::input::{Line, LineReader};
use crate::engine::{EngineError, EngineOptions};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Immediate answers to a line. Each is made when written, since there may be thousands.
type Answers = Box<dyn Iterator<Item = Value>>;

/// The server without its engine: reads and answers lines while the engine searches.
pub(super) struct Frontend<W> {
    pub(super) defaults: QueryDefaults,
    input: LineReader,
    output: W,
    /// Waiting positions in order of arrival.
    pub(super) queue: Vec<PositionRequest>,
    memory: QueryMemory,
    pub(super) has_ended: bool,
    /// True if the client has terminated the present search.
    pub(super) is_terminated: bool,
    /// True if the table is to be cleared before the next search.
    pub(super) is_clearing: bool,
    /// A copy of the engine's options, for questions that arrive during a search.
    options: EngineOptions,
}

impl<W: Write> Frontend<W> {
    /// Creates a frontend for the lines of `input`. Waiting queries may take the memory that `options`
    /// [reserve](EngineOptions::reserved).
    pub(super) fn new(
        defaults: QueryDefaults,
        input: LineReader,
        output: W,
        options: EngineOptions,
    ) -> Frontend<W> {
        let memory = QueryMemory::new(options.reserved);
        let queue = Vec::new();
        let (has_ended, is_terminated, is_clearing) = (false, false, false);
        Frontend { defaults, input, output, queue, memory, has_ended, is_terminated, is_clearing, options }
    }

    /// Writes a message as one line.
    pub(super) fn write_message(&mut self, message: &Value) -> io::Result<()> {
        writeln!(self.output, "{message}")?;
        self.output.flush()
    }

    /// Removes the first of the requests with the highest priority.
    pub(super) fn next_request(&mut self) -> Option<PositionRequest> {
        let highest = self.queue.iter().map(|request| request.priority).max()?;
        let index = self.queue.iter().position(|request| request.priority == highest)?;
        Some(self.queue.remove(index))
    }

    /// Returns the networks for all board sizes, or one named `none`.
    fn models(&self) -> Vec<Value> {
        let model =
            |name: &str, version: u32| json!({"name": name, "internalName": name, "version": version});
        let networks = self.options.networks_by_name();
        if networks.is_empty() {
            return vec![model("none", 0)];
        }
        networks.iter().map(|(name, version)| model(name, *version)).collect()
    }

    /// Answers a query with an error.
    pub(super) fn refuse(&mut self, request: &PositionRequest, error: &EngineError) -> io::Result<()> {
        let (message, id) = (error.to_string(), Some(request.query.id.clone()));
        self.write_message(&QueryError { message, field: None, id }.object())
    }

    /// Handles all lines that have arrived and for which there is memory.
    ///
    /// # Errors
    /// Returns an error if reading or writing fails; the kind is `BrokenPipe` once no client reads the answers.
    pub(super) fn read_lines(&mut self, current: Option<&PositionRequest>) -> io::Result<()> {
        loop {
            if self.input.is_abandoned() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if self.has_ended || self.memory.is_full() || !self.input.has_more() {
                return Ok(());
            }
            self.read_line(current)?;
        }
    }

    /// Waits for the next line and handles it. `current` is the request being searched.
    pub(super) fn read_line(&mut self, current: Option<&PositionRequest>) -> io::Result<()> {
        match self.input.take_line()? {
            None => self.has_ended = true,
            Some(line) if line.text.trim().is_empty() => {}
            Some(line) => {
                let outcome = self.memory.check(&line).and_then(|()| parse(&line));
                match outcome.and_then(|object| self.take(object, line.text.len(), current)) {
                    Ok(mut answers) => answers.try_for_each(|answer| self.write_message(&answer))?,
                    Err(error) => self.write_message(&error.object())?,
                }
            }
        }
        Ok(())
    }

    /// Executes a line of `length` bytes and returns the immediate answers.
    fn take(
        &mut self,
        object: Map<String, Value>,
        length: usize,
        current: Option<&PositionRequest>,
    ) -> Result<Answers, QueryError> {
        if object.get("action").is_some_and(|action| !action.is_null()) {
            return self.act(object, current);
        }
        let (requests, ignored) =
            reader::read(&object, &self.defaults, |positions| self.memory.take(length, positions))?;
        let id = object.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.queue.extend(requests);
        Ok(Box::new(ignored.into_iter().map(move |ignored| warning(&ignored, &id))))
    }

    fn act(
        &mut self,
        mut object: Map<String, Value>,
        current: Option<&PositionRequest>,
    ) -> Result<Answers, QueryError> {
        let text = |field: &str| object.get(field).and_then(Value::as_str).map(str::to_owned);
        let id = text("id");
        let unexpected = |field: &str, expected: &str, value| {
            QueryError::unexpected(field, expected, value, id.as_deref())
        };
        if id.is_none() {
            return Err(unexpected("id", EXPECTED_ID, object.get("id")));
        }
        let action = text("action").unwrap_or_default();
        match action.as_str() {
            "query_version" => {
                object.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
                object.insert("git_hash".to_owned(), "".into());
            }
            "query_models" => {
                object.insert("models".to_owned(), self.models().into());
            }
            "clear_cache" => self.is_clearing = true,
            "terminate" | "terminate_all" => {
                let wanted = text("terminateId").filter(|_| action == "terminate");
                if wanted.is_none() && action == "terminate" {
                    let expected = "expected the id of a query to end";
                    return Err(unexpected("terminateId", expected, object.get("terminateId")));
                }
                let turns = turn_numbers(&object).map_err(|found| {
                    let expected = "expected a list of turns, whole numbers from 0";
                    unexpected("turnNumbers", expected, Some(found))
                })?;
                let is_meant = move |request: &PositionRequest| {
                    wanted.as_ref().is_none_or(|wanted| request.query.id == *wanted)
                        && turns.as_ref().is_none_or(|turns| turns.contains(&request.turn))
                };
                return Ok(self.terminate(object, &is_meant, current));
            }
            _ => {
                let known = "expected query_version, query_models, clear_cache, terminate or terminate_all";
                return Err(unexpected("action", known, object.get("action")));
            }
        }
        Ok(Box::new(std::iter::once(Value::Object(object))))
    }

    /// Ends the matching requests: the present search reports its result so far, waiting ones have no results.
    fn terminate(
        &mut self,
        object: Map<String, Value>,
        is_meant: &dyn Fn(&PositionRequest) -> bool,
        current: Option<&PositionRequest>,
    ) -> Answers {
        self.is_terminated |= current.is_some_and(is_meant);
        let (ended, waiting) =
            std::mem::take(&mut self.queue).into_iter().partition(|request| is_meant(request));
        self.queue = waiting;
        let ended: Vec<PositionRequest> = ended;
        let ended = ended.into_iter().map(|request| message::no_results(&request));
        Box::new(std::iter::once(Value::Object(object)).chain(ended))
    }
}

/// Returns the field `turnNumbers`, or the value in it that is no list or no turn.
fn turn_numbers(object: &Map<String, Value>) -> Result<Option<Vec<usize>>, &Value> {
    let Some(turns) = object.get("turnNumbers").filter(|turns| !turns.is_null()) else { return Ok(None) };
    let number = |turn: &Value| turn.as_u64().map(|turn| turn as usize);
    let numbers = turns.as_array().ok_or(turns)?.iter().map(|turn| number(turn).ok_or(turn));
    numbers.collect::<Result<_, _>>().map(Some)
}

fn parse(line: &Line) -> Result<Map<String, Value>, QueryError> {
    let error = |message: String| QueryError { message, field: None, id: None };
    match serde_json::from_str(line.text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(error(format!("expected a JSON object, {}", found(Some(&other))))),
        Err(what) => Err(error(format!("expected a JSON object: {what}"))),
    }
}
