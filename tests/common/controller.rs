//! A client for GTP conversations with a real process.

use crate::common::program;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running engine, killed when dropped.
pub(crate) struct Controller {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Controller {
    /// Starts a GTP engine.
    pub(crate) fn start(command: &mut Command) -> Controller {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the engine starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Controller { child, input, output }
    }

    /// Starts this program as the engine.
    pub(crate) fn tewari(arguments: &[&str]) -> Controller {
        let mut command = program();
        Controller::start(command.arg("gtp").args(arguments))
    }

    /// Sends a command; returns the text after `=`, or the text after `?` as an error.
    pub(crate) fn try_ask(&mut self, line: &str) -> Result<String, String> {
        writeln!(self.input, "{line}").unwrap_or_else(|error| panic!("{line}: {error}"));
        let mut answer = String::new();
        loop {
            let start = answer.len();
            let count = self.output.read_line(&mut answer).expect("UTF-8");
            assert_ne!(count, 0, "{line}: the engine ended after {answer:?}");
            if answer[start..].trim().is_empty() && start > 0 {
                break;
            }
        }
        let text = answer.get(1..).unwrap_or_default().trim().to_owned();
        if answer.starts_with('=') { Ok(text) } else { Err(text) }
    }

    /// Sends a command that must succeed.
    pub(crate) fn ask(&mut self, line: &str) -> String {
        self.try_ask(line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// Returns a number from the answer to `tewari-table`.
    #[allow(dead_code, reason = "not every test looks at the table")]
    pub(crate) fn table(&mut self, key: &str) -> u64 {
        let text = self.ask("tewari-table");
        let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {key} in {text}"))
    }

    /// Returns the peak resident memory in bytes, as Linux counts it.
    #[allow(dead_code, reason = "not every test looks at memory")]
    pub(crate) fn peak_memory(&self) -> u64 {
        peak_memory(self.child.id())
    }

    /// Sends `quit`; the engine must exit with success.
    pub(crate) fn quit(mut self) {
        self.ask("quit");
        assert!(self.child.wait().expect("it ends").success());
    }
}

/// Returns the peak resident memory of a process in bytes, as Linux counts it.
#[allow(dead_code, reason = "not every test looks at memory")]
pub(crate) fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().expect("kilobytes");
    kib * 1024
}

impl Drop for Controller {
    fn drop(&mut self) {
        // Both fail if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
