//! A program in a process of its own, started by a command line.

use super::platform::{job, process};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes kept from the end of standard error, for error messages.
const STDERR_TAIL_BYTES: usize = 2000;

/// A failure to start a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The command line is empty or has unmatched quotes.
    #[error(
        "cannot read the command line {command:?}: expected a program and its arguments, with matching quotes"
    )]
    Unreadable {
        /// The command line.
        command: String,
    },
    /// The operating system could not start the program.
    #[error("cannot start {command:?}: {reason}")]
    NotStarted {
        /// The command line.
        command: String,
        /// The error of the operating system.
        reason: String,
    },
}

/// A running program. Dropping the value kills the process and, on Unix, those that it started.
pub(crate) struct ChildProcess {
    child: Child,
    /// The exit status, once the process has been reaped.
    status: Option<ExitStatus>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
}

/// Standard input and output of a running program.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
}

impl ChildProcess {
    /// Starts `command`, split into words like a shell command but run without a shell. Ctrl-C in the terminal does not
    /// reach it, and it does not belong to the parallel job of this process. Standard error is also written to `log`.
    ///
    /// # Errors
    /// Returns an error if the command line is unreadable or the program cannot be started.
    pub(crate) fn start(command: &str, log: Option<File>) -> Result<(ChildProcess, Pipes), StartError> {
        let unreadable = || StartError::Unreadable { command: command.to_owned() };
        let not_started = |reason: String| StartError::NotStarted { command: command.to_owned(), reason };
        let words = shlex::split(command).ok_or_else(unreadable)?;
        let (program, arguments) = words.split_first().ok_or_else(unreadable)?;
        let mut command_line = Command::new(program);
        command_line.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        process::separate(&mut command_line);
        job::variables().for_each(|name| {
            command_line.env_remove(name);
        });
        let mut child = command_line.spawn().map_err(|error| not_started(error.to_string()))?;
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let (stdin, stdout, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = ChildProcess { child, status: None, stderr: Arc::clone(&stderr) };
        let (Some(stdin), Some(stdout), Some(errors)) = (stdin, stdout, errors) else {
            return Err(not_started("no pipes to the process".to_owned()));
        };
        thread::spawn(move || keep_tail(errors, &stderr, log));
        Ok((process, Pipes { stdin, stdout }))
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end of the process; returns `None` if it does not end within `limit`.
    pub(crate) fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let started = Instant::now();
        while !self.is_over() {
            if started.elapsed() >= limit {
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.end()
    }

    /// Returns true if the process has ended. On Unix it is not reaped here, so that its id is not reused yet.
    fn is_over(&mut self) -> bool {
        self.status.is_some() || process::has_ended(&mut self.child)
    }

    /// Kills the process and, on Unix, those that it started (its group); returns the exit status.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            process::kill_group(&mut self.child);
            self.status = self.child.wait().ok();
        }
        self.status
    }

    /// Returns the end of standard error, in one line.
    pub(crate) fn stderr(&self) -> String {
        // The thread that reads standard error may be behind.
        thread::sleep(Duration::from_millis(20));
        let Ok(kept) = self.stderr.lock() else { return String::new() };
        let bytes: Vec<u8> = kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.end();
    }
}

fn keep_tail(mut errors: impl Read, kept: &Mutex<VecDeque<u8>>, mut log: Option<File>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        // After an error, such as a full disk, the log ends, not the program.
        log = log.filter(|mut log| log.write_all(&buffer[..count]).is_ok());
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend(&buffer[..count]);
        let excess = kept.len().saturating_sub(STDERR_TAIL_BYTES);
        kept.drain(..excess);
    }
}
