//! A running evaluator: questions go in, answers come back in any order.

use crate::base::child_process::{ChildProcess, Pipes, StartError};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Id of the query for the models.
const MODELS_ID: &str = "models";
/// Bytes that fit into a pipe on every system: the smallest pipe has 16 KiB.
const PIPE_BYTES: usize = 12 << 10;
/// Time for the name of the model, after an evaluation.
const MODEL_LIMIT: Duration = Duration::from_secs(10);
/// Time for a process to end once its output has ended.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// A running evaluator.
pub(super) struct EvaluatorProcess {
    process: Mutex<ChildProcess>,
    stdin: Arc<Mutex<ChildStdin>>,
    /// Channel to the thread that writes questions for which the pipe may have no room: a process that loads its model, or
    /// hangs, reads nothing.
    queued: Sender<String>,
    shared: Arc<Mutex<Shared>>,
}

/// State shared with the thread that reads the answers.
struct Shared {
    /// The questions without an answer, by id. `None` once the output has ended.
    waiting: Option<HashMap<String, Waiting>>,
    /// Bytes of the questions without an answer.
    unanswered: usize,
    /// The answer to the query for the models: the name of the first, `None` if the process does not tell it.
    model: Option<Option<String>>,
    /// Time of the answer to the query for the models, which `KataGo` gives once they are loaded.
    loaded: Option<Instant>,
    /// Time of the last answer to a question; `None` before the first.
    answered: Option<Instant>,
    /// The last line of output that is no answer.
    stray: Option<String>,
}

/// A question without an answer.
struct Waiting {
    /// Channel to the thread that waits; `None` once it has stopped waiting.
    thread: Option<Sender<String>>,
    bytes: usize,
}

/// The answer to the query for the models.
#[derive(Deserialize)]
struct Models {
    models: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    name: String,
}

fn locked(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EvaluatorProcess {
    /// Starts the process and asks for its models. Its standard error is also written to `log`.
    pub(super) fn start(command: &str, log: Option<File>) -> Result<EvaluatorProcess, StartError> {
        let (process, Pipes { stdin, stdout }) = ChildProcess::start(command, log)?;
        let waiting = Some(HashMap::new());
        let shared =
            Shared { waiting, unanswered: 0, model: None, loaded: None, answered: None, stray: None };
        let shared = Arc::new(Mutex::new(shared));
        let stdin = Arc::new(Mutex::new(stdin));
        let (queued, lines) = channel::<String>();
        let (for_reader, for_writer) = (Arc::clone(&shared), Arc::clone(&stdin));
        thread::spawn(move || lines.iter().try_for_each(|line| write(&for_writer, &line)));
        thread::spawn(move || read_answers(stdout, &for_reader));
        let _ = queued.send(format!("{{\"id\":\"{MODELS_ID}\",\"action\":\"query_models\"}}\n"));
        Ok(EvaluatorProcess { process: Mutex::new(process), stdin, queued, shared })
    }

    /// Sends a question and returns where its answer will arrive. If the process ends, the sender is dropped.
    pub(super) fn send(&self, id: &str, line: String) -> Receiver<String> {
        let (sender, receiver) = channel();
        let mut shared = locked(&self.shared);
        let Some(waiting) = &mut shared.waiting else { return receiver };
        waiting.insert(id.to_owned(), Waiting { thread: Some(sender), bytes: line.len() });
        shared.unanswered += line.len();
        let has_room = shared.answered.is_some() && shared.unanswered <= PIPE_BYTES;
        drop(shared);
        // Both fail only if the process has ended; then the reader drops the senders.
        if has_room {
            let _ = write(&self.stdin, &line);
        } else {
            let _ = self.queued.send(line);
        }
        receiver
    }

    /// Forgets a question; its answer is discarded.
    pub(super) fn forget(&self, id: &str) {
        if let Some(waiting) = locked(&self.shared).waiting.as_mut().and_then(|waiting| waiting.get_mut(id)) {
            waiting.thread = None;
        }
    }

    /// Returns the name of the model; `None` if the process does not tell it within ten seconds after an evaluation, or if
    /// `stop` becomes true.
    pub(super) fn model(&self, stop: &dyn Fn() -> bool) -> Option<String> {
        let started = Instant::now();
        loop {
            let mut shared = locked(&self.shared);
            let is_over = shared.waiting.is_none() || started.elapsed() > MODEL_LIMIT;
            if is_over && shared.model.is_none() {
                shared.model = Some(None);
            }
            if let Some(model) = &shared.model {
                return model.clone();
            }
            drop(shared);
            if stop() {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Returns true if the process has shown that it is no evaluator: it answers like a GTP engine.
    pub(super) fn is_gtp(&self) -> bool {
        locked(&self.shared).stray.as_ref().is_some_and(|line| line.starts_with(['?', '=']))
    }

    /// Returns the time since the models were loaded; `None` before.
    pub(super) fn time_since_loading(&self) -> Option<Duration> {
        locked(&self.shared).loaded.map(|at| at.elapsed())
    }

    /// Returns the time since the last answer; `None` before the first.
    pub(super) fn time_since_answer(&self) -> Option<Duration> {
        locked(&self.shared).answered.map(|at| at.elapsed())
    }

    /// Ends the process; returns its exit status and its last words.
    pub(super) fn end(&self) -> String {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let status = process.wait(EXIT_TIMEOUT).or_else(|| process.end());
        let status = status.map_or_else(String::new, |status| status.to_string());
        let words = match process.stderr() {
            errors if !errors.is_empty() => Some(errors),
            _ => locked(&self.shared).stray.clone(),
        };
        words.map_or(status.clone(), |words| format!("{status}; its last words: {words}"))
    }

    /// Returns the end of standard error: progress of loading and tuning.
    pub(super) fn progress(&self) -> String {
        self.process.lock().unwrap_or_else(PoisonError::into_inner).stderr()
    }
}

fn write(stdin: &Mutex<ChildStdin>, line: &str) -> std::io::Result<()> {
    stdin.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
}

/// Gives each answer to the thread that waits for it, until the output ends.
fn read_answers(stdout: ChildStdout, shared: &Mutex<Shared>) {
    let mut output = BufReader::new(stdout);
    let mut line = Vec::new();
    while matches!(output.read_until(b'\n', &mut line), Ok(1..)) {
        deliver(String::from_utf8_lossy(&line).trim(), shared);
        line.clear();
    }
    locked(shared).waiting = None;
}

fn deliver(line: &str, shared: &Mutex<Shared>) {
    let mut shared = locked(shared);
    let Some(id) = id_in(line) else {
        if !line.is_empty() {
            // An old KataGo answers the query for the models by an error without an id.
            if shared.model.is_none() && line.contains("\"error\"") {
                shared.model = Some(None);
            }
            shared.stray = Some(line.chars().take(200).collect());
        }
        return;
    };
    if id == MODELS_ID {
        let models = serde_json::from_str::<Models>(line).map(|it| it.models).unwrap_or_default();
        shared.model = Some(models.into_iter().next().map(|model| model.name));
        shared.loaded = Some(Instant::now());
    } else if line.contains("\"rootInfo\"") || !line.contains("\"warning\"") {
        shared.answered = Some(Instant::now());
        let Some(waiting) = shared.waiting.as_mut().and_then(|waiting| waiting.remove(id)) else { return };
        shared.unanswered -= waiting.bytes;
        drop(shared);
        // Fails only if the question was forgotten at this moment.
        let _ = waiting.thread.map(|thread| thread.send(line.to_owned()));
    }
}

/// Returns the id in a line of JSON; ids of this program need no escapes.
fn id_in(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("\"id\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    rest.split_once('"').map(|(id, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_wherever_it_is() {
        assert_eq!(id_in(r#"{"id":"12","x":1}"#), Some("12"));
        assert_eq!(id_in(r#"{"error": "no", "id" : "models"}"#), Some("models"));
        assert_eq!(["{}", "KataGo v1.17", r#"{"id":7}"#, r#"{"id":"7"#].map(id_in), [None; 4]);
    }
}
