//! A running evaluator: questions go in, answers come back in any order.

use crate::base::child_process::{ChildProcess, Pipes, StartError};
use serde::Deserialize;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Id of the query for the models.
const MODELS_ID: &str = "models";
/// Time for the name of the model, after an evaluation.
const MODEL_LIMIT: Duration = Duration::from_secs(10);
/// Time for a process to end once its output has ended.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// A running evaluator.
pub(super) struct EvaluatorProcess {
    process: Mutex<ChildProcess>,
    questions: Sender<String>,
    shared: Arc<Mutex<Shared>>,
}

/// State shared with the thread that reads the answers.
struct Shared {
    /// The threads that wait for an answer, by id. `None` once the output has ended.
    waiting: Option<HashMap<String, Sender<String>>>,
    /// The answer to the query for the models: the name of the first, `None` if the process does not tell it.
    model: Option<Option<String>>,
    /// Time of the last answer; `None` before the first.
    answered: Option<Instant>,
    /// The last line of output that is no answer.
    stray: Option<String>,
}

/// The part of a line that says where it belongs.
#[derive(Deserialize)]
struct Address {
    id: Option<String>,
    warning: Option<serde::de::IgnoredAny>,
    models: Option<Vec<Model>>,
}

#[derive(Deserialize)]
struct Model {
    name: String,
}

fn locked(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EvaluatorProcess {
    /// Starts the process and asks for its models.
    pub(super) fn start(command: &str) -> Result<EvaluatorProcess, StartError> {
        let (process, Pipes { stdin, stdout }) = ChildProcess::start(command)?;
        let shared = Shared { waiting: Some(HashMap::new()), model: None, answered: None, stray: None };
        let shared = Arc::new(Mutex::new(shared));
        let (questions, lines) = channel();
        let for_reader = Arc::clone(&shared);
        thread::spawn(move || write_questions(stdin, &lines));
        thread::spawn(move || read_answers(stdout, &for_reader));
        let _ = questions.send(format!("{{\"id\":\"{MODELS_ID}\",\"action\":\"query_models\"}}"));
        Ok(EvaluatorProcess { process: Mutex::new(process), questions, shared })
    }

    /// Sends a question and returns where its answer will arrive. If the process ends, the sender is dropped.
    pub(super) fn send(&self, id: &str, line: String) -> Receiver<String> {
        let (sender, receiver) = channel();
        if let Some(waiting) = &mut locked(&self.shared).waiting {
            waiting.insert(id.to_owned(), sender);
            // Fails only if the process has ended; then the reader drops the senders.
            let _ = self.questions.send(line);
        }
        receiver
    }

    /// Forgets a question; its answer is discarded.
    pub(super) fn forget(&self, id: &str) {
        if let Some(waiting) = &mut locked(&self.shared).waiting {
            waiting.remove(id);
        }
    }

    /// Returns the name of the model; `None` if the process does not tell it, within ten seconds after an evaluation.
    pub(super) fn model(&self) -> Option<String> {
        let started = Instant::now();
        while started.elapsed() < MODEL_LIMIT {
            let shared = locked(&self.shared);
            if let Some(model) = &shared.model {
                return model.clone();
            }
            if shared.waiting.is_none() {
                return None;
            }
            drop(shared);
            thread::sleep(Duration::from_millis(2));
        }
        None
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

fn write_questions(mut stdin: ChildStdin, lines: &Receiver<String>) {
    while let Ok(line) = lines.recv() {
        if stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
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
    let address = serde_json::from_str::<Address>(line).ok();
    let mut shared = locked(shared);
    let Some(Address { id: Some(id), warning, models }) = address else {
        shared.stray = Some(line.chars().take(200).collect());
        return;
    };
    if id == MODELS_ID {
        shared.model = Some(models.and_then(|models| models.into_iter().next()).map(|model| model.name));
    } else if warning.is_none() {
        shared.answered = Some(Instant::now());
        let waiting = shared.waiting.as_mut().and_then(|waiting| waiting.remove(&id));
        // Fails only if the question was forgotten at this moment.
        let _ = waiting.map(|waiting| waiting.send(line.to_owned()));
    }
}
