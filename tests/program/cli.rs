//! The command line, tested on the real program.

mod analyze;
mod bad_input;
mod conversation;
mod records;
mod rules;

use crate::common::program;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A game of four moves on 9x9.
const GAME: &str = "(;GM[1]FF[4]SZ[9]KM[6.5];B[ee];W[gc];B[cc];W[gg])";

/// Options for a short search.
const SHORT: [&str; 4] = ["--simulations", "60", "--table-size", "1MiB"];

/// The result of a run of the program.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    output: String,
    errors: String,
}

/// Returns a command that runs the program without a terminal.
fn tewari(arguments: &[&str]) -> Command {
    let mut command = program();
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Run {
    run_with_input(arguments, b"")
}

/// Runs the program with `input` on its standard input, which is closed after it.
fn run_with_input(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = tewari(arguments).stdin(Stdio::piped()).spawn().expect("the program starts");
    // The program may end before it has read all of its input.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    Run {
        code: output.status.code(),
        output: String::from_utf8(output.stdout).expect("UTF-8"),
        errors: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs `analyze` with a short search; it must succeed and print nothing on standard error.
fn analyze(arguments: &[&str]) -> String {
    let run = run(&[&["analyze"], arguments, &SHORT[..]].concat());
    assert_eq!((run.code, run.errors.as_str()), (Some(0), ""), "{arguments:?}: {}", run.output);
    run.output
}

/// Returns the objects that `analyze --format json` prints.
fn analyze_json(arguments: &[&str]) -> Vec<Value> {
    objects(&analyze(&[arguments, &["--format", "json"]].concat()))
}

/// Parses one object a line.
fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Writes a file into the test's directory; returns its path.
fn file(directory: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path: PathBuf = directory.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    path.to_str().expect("UTF-8").to_owned()
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

/// Checks that a run failed with `code` and an error message of one line that contains each of `fragments`.
fn assert_refused(run: &Run, code: i32, fragments: &[&str]) {
    assert_eq!(run.code, Some(code), "{run:?}");
    assert_eq!(run.errors.lines().count(), 1, "{run:?}");
    assert!(run.errors.starts_with("tewari: ") && run.errors.ends_with('\n'), "{run:?}");
    assert!(!run.errors.contains("panicked"), "{run:?}");
    for fragment in fragments {
        assert!(run.errors.contains(fragment), "no {fragment:?} in {:?}", run.errors);
    }
}

/// Runs the program with arguments that it must refuse before it prints anything.
fn refuse(arguments: &[&str], code: i32, fragments: &[&str]) {
    let run = run(arguments);
    assert_eq!(run.output, "", "{arguments:?}");
    assert_refused(&run, code, fragments);
}
