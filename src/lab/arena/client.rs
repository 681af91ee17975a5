//! A GTP engine in a process of its own, and its failures.

use crate::base::child_process::{ChildProcess, Pipes, StartError};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Maximum length of an answer in bytes; GTP answers are a few lines.
const MAX_ANSWER_BYTES: u64 = 1 << 20;
/// Time for a process to end after a request to end.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A missing or unusable answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GtpFailure {
    /// The engine answered with an error.
    #[error("it answered {command:?} with an error: {answer}")]
    Refused {
        /// The command sent.
        command: String,
        /// The text of the error.
        answer: String,
    },
    /// The engine ended or closed its output.
    #[error("it ended at {command:?} ({status}){}", quoted(stderr))]
    Crashed {
        /// The command sent.
        command: String,
        /// The exit status.
        status: String,
        /// The end of standard error.
        stderr: String,
    },
    /// The engine took too long.
    #[error("no answer to {command:?} within {seconds} s{}", quoted(stderr))]
    TimedOut {
        /// The command sent.
        command: String,
        /// The time limit in seconds, rounded up.
        seconds: u64,
        /// The end of standard error.
        stderr: String,
    },
    /// The answer is not GTP, or not a move.
    #[error("unreadable answer to {command:?}: expected {expected}, found {found:?}")]
    Garbage {
        /// The command sent.
        command: String,
        /// The kind of answer expected.
        expected: &'static str,
        /// The answer, shortened.
        found: String,
    },
}

fn quoted(stderr: &str) -> String {
    let text = stderr.trim();
    if text.is_empty() { String::new() } else { format!("; its last error output: {text}") }
}

/// A process that speaks GTP. Dropping the value kills the process and, on Unix, those that it started.
pub struct GtpClient {
    process: ChildProcess,
    stdin: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl GtpClient {
    /// Starts `command`, split into words like a shell command but run without a shell.
    ///
    /// # Errors
    /// Returns an error if the command line is unreadable or the program cannot be started.
    pub fn start(command: &str) -> Result<GtpClient, StartError> {
        let (process, Pipes { stdin, stdout }) = ChildProcess::start(command, None)?;
        let (sender, answers) = sync_channel(4);
        thread::spawn(move || read_answers(BufReader::new(stdout), &sender));
        Ok(GtpClient { process, stdin: Some(stdin), answers })
    }

    /// Sends a command and returns the answer, without its status and surrounding space.
    ///
    /// # Errors
    /// If the answer is an error, missing or unusable. After anything but an error answer the process is of no
    /// further use.
    pub fn ask(&mut self, command: &str, timeout: Duration) -> Result<String, GtpFailure> {
        let answer = self.ask_raw(command, timeout)?;
        read_answer(command, &answer)
    }

    /// Sends a command and returns the answer unchanged.
    ///
    /// # Errors
    /// Returns an error if there is no answer.
    pub(super) fn ask_raw(&mut self, command: &str, timeout: Duration) -> Result<String, GtpFailure> {
        self.send(command)?;
        self.next_answer(command, timeout)
    }

    /// Sends a line without waiting for an answer.
    ///
    /// # Errors
    /// Returns an error if the line cannot be written.
    pub(super) fn send(&mut self, command: &str) -> Result<(), GtpFailure> {
        let line = format!("{command}\n");
        let written =
            self.stdin.as_mut().map(|stdin| stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()));
        if matches!(written, Some(Ok(()))) { Ok(()) } else { Err(self.crashed(command)) }
    }

    /// Waits for the next answer, which is that to `command`.
    ///
    /// # Errors
    /// Returns an error if there is no answer in time.
    pub(super) fn next_answer(&mut self, command: &str, timeout: Duration) -> Result<String, GtpFailure> {
        match self.answers.recv_timeout(timeout) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => Err(GtpFailure::TimedOut {
                command: command.to_owned(),
                seconds: timeout.as_secs_f64().ceil() as u64,
                stderr: self.process.stderr(),
            }),
            Err(RecvTimeoutError::Disconnected) => Err(self.crashed(command)),
        }
    }

    /// Returns the process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Closes the standard input of the process.
    pub(super) fn end_input(&mut self) {
        self.stdin = None;
    }

    /// Returns true if the process ends within two seconds.
    pub(super) fn has_ended(&mut self) -> bool {
        self.process.wait(EXIT_TIMEOUT).is_some()
    }

    /// Asks the process to end, and kills it if it does not.
    pub fn close(mut self) {
        let _ = self.ask("quit", EXIT_TIMEOUT);
        self.stdin = None;
        self.process.wait(EXIT_TIMEOUT);
    }

    fn crashed(&mut self, command: &str) -> GtpFailure {
        let status = self
            .process
            .wait(EXIT_TIMEOUT)
            .map_or_else(|| "it closed its output".to_owned(), |status| status.to_string());
        GtpFailure::Crashed { command: command.to_owned(), status, stderr: self.process.stderr() }
    }
}

/// Sends every answer, from its status to the empty line that ends it, until the output ends.
fn read_answers(mut output: impl BufRead, answers: &SyncSender<String>) {
    let mut answer = String::new();
    loop {
        let mut line = Vec::new();
        let limit = MAX_ANSWER_BYTES - answer.len() as u64;
        match output.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        let is_full = answer.len() as u64 + line.len() as u64 + 1 >= MAX_ANSWER_BYTES;
        if !line.is_empty() {
            answer.push_str(line);
            answer.push('\n');
        }
        // Output that is no answer is sent at once, since no empty line may follow.
        let is_answer = answer.starts_with(['=', '?']);
        if (line.is_empty() || !is_answer || is_full)
            && !answer.is_empty()
            && (answers.send(std::mem::take(&mut answer)).is_err() || is_full)
        {
            break;
        }
    }
}

fn read_answer(command: &str, answer: &str) -> Result<String, GtpFailure> {
    let (status, rest) = answer.split_at(usize::from(!answer.is_empty()));
    // An id is allowed, although none was sent.
    let text = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim();
    match status {
        "=" => Ok(text.to_owned()),
        "?" => Err(GtpFailure::Refused { command: command.to_owned(), answer: text.to_owned() }),
        _ => Err(garbage(command, "an answer that begins with = or ?", answer)),
    }
}

/// Returns the failure for an unusable answer, quoted up to 80 characters.
#[must_use]
pub(super) fn garbage(command: &str, expected: &'static str, found: &str) -> GtpFailure {
    let found: String = found.trim().chars().take(80).collect();
    GtpFailure::Garbage { command: command.to_owned(), expected, found }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(output: &str) -> Vec<String> {
        let (sender, receiver) = sync_channel(100);
        read_answers(output.as_bytes(), &sender);
        drop(sender);
        receiver.into_iter().collect()
    }

    #[test]
    fn answers_end_with_an_empty_line_and_garbage_at_once() {
        assert_eq!(answers("\n\n= a\nb\n\n?2 no\r\n\r\n"), ["= a\nb\n", "?2 no\n"]);
        assert_eq!(answers("Segmentation fault\n= a\n\n"), ["Segmentation fault\n", "= a\n"]);
        assert_eq!(answers("= cut off"), Vec::<String>::new());
    }

    #[test]
    fn status_and_id_are_taken_off() {
        assert_eq!(read_answer("x", "=12 D4\n"), Ok("D4".to_owned()));
        assert_eq!(read_answer("x", "=\n"), Ok(String::new()));
        assert!(
            matches!(read_answer("x", "? no\n"), Err(GtpFailure::Refused { answer, .. }) if answer == "no")
        );
        assert!(matches!(read_answer("x", "hello\n"), Err(GtpFailure::Garbage { .. })));
    }

    #[test]
    fn an_answer_without_end_is_cut() {
        let endless = format!("= {}", "x\n".repeat(1 << 20));
        let found = answers(&endless);
        assert_eq!(found.len(), 1);
        assert!(found[0].len() as u64 <= MAX_ANSWER_BYTES);
    }
}
