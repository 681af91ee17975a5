//! A server for analysis queries, one JSON object a line. The protocol is that of KataGo's analysis engine (KataGo
//! docs/Analysis_Engine.md), so that its clients can use this engine.
//!
//! Positions are searched one at a time, the highest priority first, all in one table, so that each benefits from
//! those before it. Lines are read and answered during a search until waiting queries fill their share of the memory.
//! Then the next line is read after one of them has been answered.

mod message;
mod query;
mod room;
mod weight;

use crate::base::game::Player;
use crate::base::input::{Line, LineReader};
use crate::engine::{Engine, EngineError, EngineOptions, evaluation};
use crate::go::{KeyPolicy, Record};
use crate::search::{Limits, Report, SearchSnapshot};
use message::{Extras, QueryError};
use query::Job;
use room::{Room, Taken};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The point of view of reported win rates and scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Perspective {
    /// The player to move.
    SideToMove,
    /// Always the same player.
    Of(Player),
}

impl Perspective {
    /// Parses a value of `reportAnalysisWinratesAs`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Perspective> {
        match text.to_ascii_uppercase().as_str() {
            "BLACK" => Some(Perspective::Of(Player::Black)),
            "WHITE" => Some(Perspective::Of(Player::White)),
            "SIDETOMOVE" => Some(Perspective::SideToMove),
            _ => None,
        }
    }
}

/// Settings for fields that a query omits.
#[derive(Clone, Copy, Debug)]
pub struct Defaults {
    /// The perspective of win rates and scores.
    pub perspective: Perspective,
    /// Maximum visits of the root, those of earlier searches included.
    pub visits: u64,
    /// Maximum time for a position.
    pub time: Option<Duration>,
    /// The key policy: which transpositions share statistics.
    pub keys: KeyPolicy,
    /// True if waiting queries are answered after the end of the input.
    pub finishes_queue: bool,
}

/// A server that answers queries with one engine.
pub struct Server<W> {
    engine: Engine,
    desk: Desk<W>,
}

/// Immediate answers to a line. Each is made when written, since there may be thousands.
type Answers = Box<dyn Iterator<Item = Value>>;

/// The server without its engine: reads and answers lines while the engine searches.
struct Desk<W> {
    defaults: Defaults,
    input: LineReader,
    output: W,
    /// Waiting positions in order of arrival.
    queue: Vec<Job>,
    room: Room,
    has_ended: bool,
    /// True if the client has terminated the present search.
    is_terminated: bool,
    /// Answers to `clear_cache`, sent when the present search has ended and the table is cleared.
    clearing: Vec<(Value, Taken)>,
    /// A copy of the engine's options, for questions that arrive during a search.
    options: EngineOptions,
}

impl<W: Write> Server<W> {
    /// Creates a server for the queries of `input`. They may take the memory that the engine's options
    /// [reserve](EngineOptions::reserved).
    pub fn new(engine: Engine, defaults: Defaults, input: LineReader, output: W) -> Server<W> {
        let options = engine.options().clone();
        let room = Room::new(options.reserved);
        let (queue, clearing) = (Vec::new(), Vec::new());
        let (has_ended, is_terminated) = (false, false);
        Server {
            engine,
            desk: Desk { defaults, input, output, queue, room, has_ended, is_terminated, clearing, options },
        }
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
        let policy = asked.map(|network| evaluation::evaluate(&network, &position).policy);
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
        let mut watch = |snapshot: &SearchSnapshot<'_>| -> io::Result<bool> {
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

impl<W: Write> Desk<W> {
    fn say(&mut self, message: &Value) -> io::Result<()> {
        writeln!(self.output, "{message}")?;
        self.output.flush()
    }

    /// Removes the first of the jobs with the highest priority.
    fn next_job(&mut self) -> Option<Job> {
        let highest = self.queue.iter().map(|job| job.priority).max()?;
        let index = self.queue.iter().position(|job| job.priority == highest)?;
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

    fn refuse(&mut self, job: &Job, error: &EngineError) -> io::Result<()> {
        let (message, id) = (error.to_string(), Some(job.query.id.clone()));
        self.say(&QueryError { message, field: None, id }.object())
    }

    /// Handles all lines that have arrived and have room.
    ///
    /// # Errors
    /// If an answer cannot be written.
    fn hear(&mut self, current: Option<&Job>) -> io::Result<()> {
        loop {
            if self.input.is_abandoned() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if self.has_ended || self.room.is_full() || !self.input.has_more() {
                return Ok(());
            }
            self.hear_line(current)?;
        }
    }

    /// Waits for the next line and handles it. `current` is the job being searched.
    fn hear_line(&mut self, current: Option<&Job>) -> io::Result<()> {
        match self.input.take_line()? {
            None => self.has_ended = true,
            Some(line) if line.text.trim().is_empty() => {}
            Some(line) => {
                let outcome = self.room.check(&line).and_then(|()| parse(&line));
                match outcome.and_then(|object| self.take(object, line.text.len(), current)) {
                    Ok(mut answers) => answers.try_for_each(|answer| self.say(&answer))?,
                    Err(error) => self.say(&error.object())?,
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
        current: Option<&Job>,
    ) -> Result<Answers, QueryError> {
        if let Some(action) = object.get("action") {
            let action = action.as_str().unwrap_or_default().to_owned();
            return self.act(&action, object, length, current);
        }
        let (jobs, ignored) =
            query::read(&object, &self.defaults, |positions| self.room.take(length, positions))?;
        let id = object.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.queue.extend(jobs);
        Ok(Box::new(ignored.into_iter().map(move |ignored| message::warning(&ignored, &id))))
    }

    fn act(
        &mut self,
        action: &str,
        mut object: Map<String, Value>,
        length: usize,
        current: Option<&Job>,
    ) -> Result<Answers, QueryError> {
        let id = object.get("id").and_then(Value::as_str).map(str::to_owned);
        let error = |field: &str, message: &str| QueryError {
            message: message.to_owned(),
            field: Some(field.to_owned()),
            id: id.clone(),
        };
        if id.is_none() {
            return Err(error("id", "expected a text to answer with"));
        }
        match action {
            "query_version" => {
                object.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
                object.insert("git_hash".to_owned(), "".into());
            }
            "query_models" => {
                object.insert("models".to_owned(), self.models().into());
            }
            "clear_cache" => {
                self.clearing.push((Value::Object(object), self.room.take(length, 0)));
                return Ok(Box::new(std::iter::empty()));
            }
            "terminate_all" => return Ok(self.terminate(object, &|_| true, current)),
            "terminate" => {
                let wanted = object.get("terminateId").and_then(Value::as_str).map(str::to_owned);
                let wanted = wanted.ok_or_else(|| error("terminateId", "expected the id of a query"))?;
                let turns = turn_numbers(&object).map_err(|what| error("turnNumbers", what))?;
                let is_meant = move |job: &Job| {
                    job.query.id == wanted && turns.as_ref().is_none_or(|turns| turns.contains(&job.turn))
                };
                return Ok(self.terminate(object, &is_meant, current));
            }
            _ => {
                let known = "expected query_version, query_models, clear_cache, terminate or terminate_all";
                return Err(error("action", known));
            }
        }
        Ok(Box::new(std::iter::once(Value::Object(object))))
    }

    /// Ends the matching jobs: the present search reports its result so far, waiting ones have no results.
    fn terminate(
        &mut self,
        object: Map<String, Value>,
        is_meant: &dyn Fn(&Job) -> bool,
        current: Option<&Job>,
    ) -> Answers {
        self.is_terminated |= current.is_some_and(is_meant);
        let (ended, waiting) = std::mem::take(&mut self.queue).into_iter().partition(|job| is_meant(job));
        self.queue = waiting;
        let ended: Vec<Job> = ended;
        let ended = ended.into_iter().map(|job| message::no_results(&job));
        Box::new(std::iter::once(Value::Object(object)).chain(ended))
    }
}

fn turn_numbers(object: &Map<String, Value>) -> Result<Option<Vec<usize>>, &'static str> {
    let Some(turns) = object.get("turnNumbers") else { return Ok(None) };
    let numbers = turns.as_array().and_then(|turns| {
        turns.iter().map(|turn| turn.as_u64().map(|turn| turn as usize)).collect::<Option<Vec<_>>>()
    });
    numbers.map(Some).ok_or("expected a list of turns")
}

fn parse(line: &Line) -> Result<Map<String, Value>, QueryError> {
    let error = |message: String| QueryError { message, field: None, id: None };
    match serde_json::from_str(&line.text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(error("expected a JSON object".to_owned())),
        Err(what) => Err(error(format!("expected a JSON object: {what}"))),
    }
}
