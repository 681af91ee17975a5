//! A running evaluator: questions go in, answers come back in any order.

use crate::base::child_process::{ChildProcess, Pipes, StartError};
use crate::base::pause::Pause;
use crate::base::platform::process::enlarge_pipe;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Id of the query for the models.
const MODELS_ID: &str = "models";
/// Bytes of collected questions from which they are written at once.
const WRITE_BYTES: usize = 4 << 10;
/// Bytes of answers that are read at once.
const READ_BYTES: usize = 64 << 10;
/// Time for the name of the model, after an evaluation.
const MODEL_LIMIT: Duration = Duration::from_secs(10);
/// Time between two checks of the name of the model.
const MODEL_WAIT: Duration = Duration::from_millis(2);
/// Time for a process to end once its output has ended.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// A running evaluator.
pub(super) struct EvaluatorProcess {
    process: Mutex<ChildProcess>,
    stdin: Arc<Mutex<ChildStdin>>,
    /// Channel to the thread that writes questions for which the pipe may have no room: a process that loads its model, or
    /// hangs, reads nothing.
    queued: Sender<Vec<u8>>,
    /// Bytes that fit into the pipe in any case.
    pipe_bytes: usize,
    /// True once the model has been accepted.
    is_model_accepted: AtomicBool,
    shared: Arc<Mutex<Shared>>,
}

/// State shared with the thread that reads the answers.
struct Shared {
    /// The questions without an answer, by id. `None` once the output has ended.
    waiting: Option<HashMap<u64, Waiting>>,
    /// Bytes of the questions without an answer.
    unanswered: usize,
    /// Questions that are not written yet and for which the pipe has room.
    collected: Vec<u8>,
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
    /// Place of the answer; `None` once the question is forgotten.
    answer: Option<Arc<Answer>>,
    bytes: usize,
}

/// The place of an answer.
pub(super) struct Answer {
    /// The line; `None` if the process has ended without one.
    line: OnceLock<Option<String>>,
    /// The thread that waits for the answer: it is unparked.
    thread: Thread,
}

impl Answer {
    /// Returns the answer, if it has arrived: `Some(None)` if the process has ended without one.
    pub(super) fn line(&self) -> Option<Option<&str>> {
        self.line.get().map(Option::as_deref)
    }
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
        let pipe_bytes = enlarge_pipe(&stdin);
        let waiting = Some(HashMap::new());
        let shared = Shared {
            waiting,
            unanswered: 0,
            collected: Vec::new(),
            model: None,
            loaded: None,
            answered: None,
            stray: None,
        };
        let shared = Arc::new(Mutex::new(shared));
        let stdin = Arc::new(Mutex::new(stdin));
        let (queued, lines) = channel::<Vec<u8>>();
        let (for_reader, for_writer) = (Arc::clone(&shared), Arc::clone(&stdin));
        thread::spawn(move || lines.iter().try_for_each(|line| write(&for_writer, &line)));
        thread::spawn(move || read_answers(stdout, &for_reader));
        let question = format!("{{\"id\":\"{MODELS_ID}\",\"action\":\"query_models\"}}\n");
        let _ = queued.send(question.into_bytes());
        let (process, is_model_accepted) = (Mutex::new(process), AtomicBool::new(false));
        Ok(EvaluatorProcess { process, stdin, queued, pipe_bytes, is_model_accepted, shared })
    }

    /// Takes a question and returns the place of its answer, for the calling thread. The question is sent at the latest by
    /// [`flush`](EvaluatorProcess::flush).
    pub(super) fn send(&self, id: u64, line: &str) -> Arc<Answer> {
        let answer = Arc::new(Answer { line: OnceLock::new(), thread: thread::current() });
        let mut shared = locked(&self.shared);
        let Some(waiting) = &mut shared.waiting else {
            let _ = answer.line.set(None);
            return answer;
        };
        waiting.insert(id, Waiting { answer: Some(Arc::clone(&answer)), bytes: line.len() });
        shared.unanswered += line.len();
        if shared.answered.is_none() || shared.unanswered > self.pipe_bytes {
            drop(shared);
            // Fails only if the process has ended; then there will be no answers.
            let _ = self.queued.send(line.as_bytes().to_vec());
        } else {
            shared.collected.extend_from_slice(line.as_bytes());
            if shared.collected.len() >= WRITE_BYTES {
                drop(shared);
                self.flush();
            }
        }
        answer
    }

    /// Writes the collected questions, in one call.
    pub(super) fn flush(&self) {
        let collected = std::mem::take(&mut locked(&self.shared).collected);
        if !collected.is_empty() {
            // Fails only if the process has ended; then there will be no answers.
            let _ = write(&self.stdin, &collected);
        }
    }

    /// Forgets a question; its answer is discarded.
    pub(super) fn forget(&self, id: u64) {
        if let Some(waiting) = locked(&self.shared).waiting.as_mut().and_then(|it| it.get_mut(&id)) {
            waiting.answer = None;
        }
    }

    /// Returns the name of the model; `None` if the process does not tell it within ten seconds after an evaluation, or if
    /// `stop` becomes true.
    pub(super) fn model(&self, pause: &dyn Pause, stop: &dyn Fn() -> bool) -> Option<String> {
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
            pause.wait_for_thread(MODEL_WAIT);
        }
    }

    /// Returns true once the model has been [accepted](EvaluatorProcess::accept_model).
    pub(super) fn is_model_accepted(&self) -> bool {
        self.is_model_accepted.load(Relaxed)
    }

    /// Accepts the model, so that it need not be checked again.
    pub(super) fn accept_model(&self) {
        self.is_model_accepted.store(true, Relaxed);
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

fn write(stdin: &Mutex<ChildStdin>, lines: &[u8]) -> std::io::Result<()> {
    stdin.lock().unwrap_or_else(PoisonError::into_inner).write_all(lines)
}

/// Stores each answer at its place, until the output ends. The threads that wait are unparked when all lines that were
/// read at once are stored.
fn read_answers(stdout: ChildStdout, shared: &Mutex<Shared>) {
    let mut output = BufReader::with_capacity(READ_BYTES, stdout);
    let mut line = Vec::new();
    let mut threads: Vec<Thread> = Vec::new();
    while matches!(output.read_until(b'\n', &mut line), Ok(1..)) {
        let text = std::str::from_utf8(&line).map_or_else(|_| String::from_utf8_lossy(&line), Cow::Borrowed);
        if let Some(answer) = deliver(text.trim(), shared)
            && threads.iter().all(|thread| thread.id() != answer.thread.id())
        {
            threads.push(answer.thread.clone());
        }
        if !output.buffer().contains(&b'\n') {
            threads.drain(..).for_each(|thread| thread.unpark());
        }
        line.clear();
    }
    let waiting = locked(shared).waiting.take().unwrap_or_default();
    for answer in waiting.into_values().filter_map(|waiting| waiting.answer) {
        let _ = answer.line.set(None);
        answer.thread.unpark();
    }
}

/// Stores a line; returns its place if it is waited for.
fn deliver(line: &str, shared: &Mutex<Shared>) -> Option<Arc<Answer>> {
    let Some(id) = id_in(line) else {
        if !line.is_empty() {
            let mut shared = locked(shared);
            // An old KataGo answers the query for the models by an error without an id.
            if shared.model.is_none() && line.contains("\"error\"") {
                shared.model = Some(None);
            }
            shared.stray = Some(line.chars().take(200).collect());
        }
        return None;
    };
    if id == MODELS_ID {
        let models = serde_json::from_str::<Models>(line).map(|it| it.models).unwrap_or_default();
        let mut shared = locked(shared);
        shared.model = Some(models.into_iter().next().map(|model| model.name));
        shared.loaded = Some(Instant::now());
        return None;
    }
    if line.contains("\"warning\"") && !line.contains("\"rootInfo\"") {
        return None;
    }
    let mut shared = locked(shared);
    shared.answered = Some(Instant::now());
    let waiting = shared.waiting.as_mut()?.remove(&id.parse().ok()?)?;
    shared.unanswered -= waiting.bytes;
    drop(shared);
    let answer = waiting.answer?;
    let _ = answer.line.set(Some(line.to_owned()));
    Some(answer)
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
