//! An evaluator in another process, asked by many threads.

use super::answer::{ExternalEvaluation, NoEvaluation};
use super::process::{Answer, EvaluatorProcess};
use super::question::Question;
use crate::base::pause::{Pause, ThreadPause};
use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two checks of the stop flag while waiting.
const WAIT: Duration = Duration::from_millis(50);
/// Time without any answer after which an evaluator that has loaded its model is started again or given up.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);
/// Time for the first answer: `KataGo` tunes itself for minutes when it first runs on a graphics card.
const FIRST_ANSWER_LIMIT: Duration = Duration::from_secs(1800);
/// Maximum number of characters of the evaluator's progress in loading, from the end of its error output.
const MAX_PROGRESS_CHARACTERS: usize = 120;
/// Time for an evaluation for a report, or for all those of one report.
pub const REPORT_LIMIT: Duration = Duration::from_secs(10);
/// Number of evaluations kept for reports.
const MAX_REPORTS: usize = 100;
/// Number of failures without an answer between them after which the evaluator is given up.
const MAX_FAILURES: u32 = 3;

/// An evaluator in another process. It starts with the first question.
pub struct ExternalEvaluator {
    command: String,
    /// The name of the model, if known before the start.
    name: Option<String>,
    /// The file to which the process's standard error is appended, if any.
    log: Option<PathBuf>,
    state: Mutex<State>,
    next_id: AtomicU64,
    answers: AtomicU64,
}

#[derive(Default)]
struct State {
    process: Option<Arc<EvaluatorProcess>>,
    /// Number of failures since the last answer.
    failures: u32,
    /// The reason why the evaluator was given up.
    given_up: Option<String>,
    /// The last evaluations for reports, the latest last.
    reports: VecDeque<(Question, ExternalEvaluation)>,
}

/// A question without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The stop flag was set while the question waited.
    #[error("the search was stopped")]
    Stopped,
    /// The evaluator refuses this position.
    #[error("{0}")]
    Refused(String),
    /// The evaluator is given up; all later questions fail with the same reason.
    #[error("{0}")]
    GivenUp(String),
}

/// The end of a wait for an answer.
enum Waited<'a> {
    Answered(&'a str),
    Stopped,
    Ended,
    Late,
    Gtp,
}

impl fmt::Debug for ExternalEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalEvaluator").field("command", &self.command).field("name", &self.name).finish()
    }
}

impl ExternalEvaluator {
    /// Creates an evaluator that `command` starts. `name` is the name of its model; by default the file name after
    /// `-model` in `command`.
    #[must_use]
    pub fn new(command: &str, name: Option<&str>) -> ExternalEvaluator {
        ExternalEvaluator {
            command: command.to_owned(),
            name: name.map(str::to_owned).or_else(|| model_in(command)),
            log: None,
            state: Mutex::default(),
            next_id: AtomicU64::new(1),
            answers: AtomicU64::new(0),
        }
    }

    /// Appends the process's standard error to a file, which is created if it does not exist.
    #[must_use]
    pub fn with_log(self, log: Option<&Path>) -> ExternalEvaluator {
        ExternalEvaluator { log: log.map(Path::to_owned), ..self }
    }

    /// Returns the command line.
    #[must_use]
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Returns the name of the model, as far as it is known without starting the evaluator.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the number of answers so far.
    #[must_use]
    pub fn answers(&self) -> u64 {
        self.answers.load(Relaxed)
    }

    /// Returns the reason why the evaluator was given up.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.state().given_up.clone()
    }

    /// Returns true if the evaluator has started and is loading its models: it has neither named them nor answered.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        let process = self.state().process.clone();
        process.is_some_and(|it| it.time_since_answer().or(it.time_since_loading()).is_none())
    }

    /// Returns true if the evaluator has answered and not ended.
    #[must_use]
    pub fn is_running(&self) -> bool {
        let process = self.state().process.clone();
        process.is_some_and(|process| process.time_since_answer().is_some())
    }

    /// Returns the state of an evaluator that has started but not yet answered, with its last error output while it loads.
    #[must_use]
    pub fn progress(&self) -> Option<String> {
        let process = self.state().process.clone()?;
        let loading = || match process.time_since_loading() {
            Some(_) => "the first answer of the evaluator".to_owned(),
            None => {
                let output = process.progress();
                let excess = output.chars().count().saturating_sub(MAX_PROGRESS_CHARACTERS);
                let end: String = output.chars().skip(excess).collect();
                format!("the evaluator, which loads its model: {end}")
            }
        };
        process.time_since_answer().is_none().then(loading)
    }

    /// Asks a question for a report, or returns the answer to an equal question of the last hundred. `None` if there is
    /// no answer within ten seconds.
    pub fn ask_for_report(&self, question: &Question) -> Option<ExternalEvaluation> {
        let known = self.known_for_report(question);
        if known.is_some() {
            return known;
        }
        let asked = Instant::now();
        let evaluation = self.ask(question, &ThreadPause, &|| asked.elapsed() > REPORT_LIMIT).ok()?;
        self.keep_for_reports(question, &evaluation);
        Some(evaluation)
    }

    /// Returns the answer to an equal question for a report, if it is one of the last hundred.
    pub fn known_for_report(&self, question: &Question) -> Option<ExternalEvaluation> {
        self.state().reports.iter().find(|(asked, _)| asked == question).map(|it| it.1.clone())
    }

    pub(super) fn keep_for_reports(&self, question: &Question, evaluation: &ExternalEvaluation) {
        let mut state = self.state();
        state.reports.push_back((question.clone(), evaluation.clone()));
        if state.reports.len() > MAX_REPORTS {
            state.reports.pop_front();
        }
    }

    /// Asks a question and waits for the answer, or until `stop` returns true. If the process ends or its answer cannot
    /// be read, it is started again.
    ///
    /// # Errors
    /// Returns an error if the wait was stopped, the position refused, or the evaluator given up.
    pub fn ask(
        &self,
        question: &Question,
        pause: &dyn Pause,
        stop: &dyn Fn() -> bool,
    ) -> Result<ExternalEvaluation, AskError> {
        loop {
            if stop() {
                return Err(AskError::Stopped);
            }
            let process = self.running()?;
            let (id, answer) = self.send(&process, question);
            // The other workers of the thread may have questions for the same write.
            pause.let_others_run();
            process.flush();
            let reason = match wait(&process, &answer, pause, stop) {
                Waited::Stopped => {
                    process.forget(id);
                    return Err(AskError::Stopped);
                }
                Waited::Answered(line) => {
                    match ExternalEvaluation::read(line, question.size, question.has_ownership) {
                        Ok(evaluation) => {
                            self.check_model(&process, pause, stop)?;
                            self.state().failures = 0;
                            self.answers.fetch_add(1, Relaxed);
                            return Ok(evaluation);
                        }
                        Err(NoEvaluation::Refused(message)) => {
                            let reason = format!("the evaluator refuses a position: {message}");
                            return Err(AskError::Refused(reason));
                        }
                        Err(NoEvaluation::Unreadable) => {
                            let found: String = line.chars().take(80).collect();
                            format!("sent no answer of KataGo's analysis protocol: {found}")
                        }
                    }
                }
                Waited::Ended => "ended".to_owned(),
                Waited::Gtp => "answers like a GTP engine: expected KataGo's command \"analysis\"".to_owned(),
                Waited::Late => {
                    process.forget(id);
                    format!(
                        "did not answer a question about {0} within {1} s: check that its configuration allows {0} \
                         (KataGo: maxBoardXSizeForNNBuffer, maxBoardYSizeForNNBuffer)",
                        question.size,
                        ANSWER_LIMIT.as_secs()
                    )
                }
            };
            self.replace(&process, &reason)?;
        }
    }

    /// Sends a question at the next [`flush`](EvaluatorProcess::flush); returns its id and the place of its answer.
    pub(super) fn send(&self, process: &EvaluatorProcess, question: &Question) -> (u64, Arc<Answer>) {
        let id = self.next_id.fetch_add(1, Relaxed);
        (id, process.send(id, &question.line(id)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the running process, which is started if there is none.
    pub(super) fn running(&self) -> Result<Arc<EvaluatorProcess>, AskError> {
        let mut state = self.state();
        if let Some(reason) = &state.given_up {
            return Err(AskError::GivenUp(reason.clone()));
        }
        if let Some(process) = &state.process {
            return Ok(Arc::clone(process));
        }
        let started = self
            .open_log()
            .and_then(|log| EvaluatorProcess::start(&self.command, log).map_err(|error| error.to_string()));
        match started {
            Ok(process) => Ok(Arc::clone(state.process.insert(Arc::new(process)))),
            Err(error) => {
                let reason = format!("the evaluator: {error}");
                state.given_up = Some(reason.clone());
                Err(AskError::GivenUp(reason))
            }
        }
    }

    fn open_log(&self) -> Result<Option<File>, String> {
        let Some(path) = &self.log else { return Ok(None) };
        let log = File::options().create(true).append(true).open(path);
        log.map(Some).map_err(|error| format!("cannot open its log {}: {error}", path.display()))
    }

    /// Ends a process that failed, so that the next question starts another; gives up after too many failures, or if it has
    /// never answered.
    fn replace(&self, failed: &Arc<EvaluatorProcess>, reason: &str) -> Result<(), AskError> {
        let mut state = self.state();
        if !state.process.as_ref().is_some_and(|process| Arc::ptr_eq(process, failed)) {
            // Another thread has ended it already.
            return Ok(());
        }
        state.process = None;
        state.failures += 1;
        let last_words = failed.end();
        if state.failures < MAX_FAILURES && self.answers() > 0 {
            return Ok(());
        }
        let reason = format!("the evaluator {:?} {reason} ({last_words})", self.command);
        state.given_up = Some(reason.clone());
        Err(AskError::GivenUp(reason))
    }

    /// Gives up the evaluator if its model is not the named one.
    pub(super) fn check_model(
        &self,
        process: &EvaluatorProcess,
        pause: &dyn Pause,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), AskError> {
        let Some(name) = self.name.as_ref().filter(|_| !process.is_model_accepted()) else { return Ok(()) };
        match process.model(pause, stop) {
            Some(found) if stem(&found) != stem(name) => Err(self.give_up(format!(
                "the evaluator runs the model {found}, but its results are stored as those of {name}: give \
                 --evaluator-name {} and another table",
                stem(&found)
            ))),
            None if stop() => Err(AskError::Stopped),
            _ => {
                process.accept_model();
                Ok(())
            }
        }
    }

    fn give_up(&self, reason: String) -> AskError {
        let mut state = self.state();
        let reason = state.given_up.get_or_insert(reason).clone();
        let process = state.process.take();
        drop(state);
        process.inspect(|process| drop(process.end()));
        AskError::GivenUp(reason)
    }
}

fn wait<'a>(
    process: &EvaluatorProcess,
    answer: &'a Answer,
    pause: &dyn Pause,
    stop: &dyn Fn() -> bool,
) -> Waited<'a> {
    let asked = Instant::now();
    let mut look = asked + WAIT;
    loop {
        match answer.line() {
            Some(Some(line)) => return Waited::Answered(line),
            Some(None) => return Waited::Ended,
            None if stop() => return Waited::Stopped,
            None => {}
        }
        let now = pause.wait_for_thread(WAIT);
        if now < look || answer.line().is_some() {
            continue;
        }
        look = now + WAIT;
        if process.is_gtp() {
            return Waited::Gtp;
        }
        let ready = process.time_since_answer().or(process.time_since_loading());
        if is_late(asked.elapsed(), ready) {
            return Waited::Late;
        }
    }
}

/// Returns true if no answer can be expected any more `asked` after the question and `ready` after the last answer or the
/// loading of the model.
fn is_late(asked: Duration, ready: Option<Duration>) -> bool {
    match ready {
        None => asked > FIRST_ANSWER_LIMIT,
        Some(ready) => ready.min(asked) > ANSWER_LIMIT,
    }
}

/// Returns the file name of the model in a command line of `KataGo`, the argument after `-model`.
fn model_in(command: &str) -> Option<String> {
    let words = shlex::split(command)?;
    let place = words.iter().position(|word| word == "-model" || word == "--model")?;
    words.get(place + 1).map(|path| stem(path).to_owned())
}

/// Returns the name of a model's file without its folder and endings.
fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    [".gz", ".bin", ".txt"].iter().fold(name, |name, ending| name.strip_suffix(ending).unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loaded_evaluator_answers_within_a_minute_and_a_loading_one_within_half_an_hour() {
        let [short, long] = [ANSWER_LIMIT, FIRST_ANSWER_LIMIT].map(|limit| limit + WAIT);
        assert!(!is_late(short, None) && is_late(long, None));
        assert!(!is_late(long, Some(WAIT)) && is_late(short, Some(short)));
        // A question waits for its own answer, however long ago the last one came.
        assert!(!is_late(WAIT, Some(long)));
    }

    #[test]
    fn the_command_names_the_model() {
        let evaluator =
            ExternalEvaluator::new("katago analysis -model 'a b/kata1-b18.bin.gz' -config x", None);
        assert_eq!(evaluator.name(), Some("kata1-b18"));
        assert_eq!(ExternalEvaluator::new("katago analysis", None).name(), None);
        assert_eq!(ExternalEvaluator::new("katago -model x.bin.gz", Some("y")).name(), Some("y"));
    }

    #[test]
    fn a_program_that_cannot_be_started_is_given_up_at_once() {
        use crate::go::{Komi, Position, Rules, Size};
        let evaluator = ExternalEvaluator::new("/nowhere/katago analysis", None);
        let position = Position::new(Size::new(9, 9).expect("a size"), Rules::CHINESE, Komi(15));
        let question = Question::new(&position, false, 1);
        let error = evaluator.ask(&question, &ThreadPause, &|| false).expect_err("no program");
        assert!(error.to_string().contains("cannot start \"/nowhere/katago analysis\""), "{error}");
        assert_eq!(evaluator.failure(), Some(error.to_string()));
    }
}
