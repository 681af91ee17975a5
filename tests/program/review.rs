//! `tewari review` of a whole game in every format, tested on the real program.

mod bad_input;
mod formats;
mod record;
mod resume;
mod shards;

use crate::common::program;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A game on 9x9 in which White gives three stones away.
const GAME: &str =
    "(;GM[1]FF[4]SZ[9]KM[6.5]RU[Chinese]PB[Ann]BR[3k]PW[Ben]RE[B+R]DT[2026-11-01]C[a first comment]
;B[ee];W[gc]C[why here?];B[cc];W[gg];B[fc];W[aa];B[gd];W[ia];B[hc];W[ai];B[gb])";

/// Number of its moves.
const MOVES: usize = 11;

/// Options for a short review.
const SHORT: [&str; 4] = ["--simulations", "60", "--table-size", "4MiB"];

struct Run {
    code: Option<i32>,
    output: String,
    errors: String,
}

/// Returns a command that runs the program without a terminal.
fn command(arguments: &[&str]) -> Command {
    let mut command = program();
    command.arg("review").args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Run {
    let output = command(arguments).output().expect("the program runs");
    Run {
        code: output.status.code(),
        output: String::from_utf8(output.stdout).expect("UTF-8"),
        errors: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs a short review; it must succeed and print nothing on standard error.
fn review(arguments: &[&str]) -> String {
    let run = run(&[arguments, &SHORT[..]].concat());
    assert_eq!((run.code, run.errors.as_str()), (Some(0), ""), "{arguments:?}: {}", run.output);
    run.output
}

/// Runs the program without a search; it must succeed.
fn show(arguments: &[&str]) -> String {
    let run = run(arguments);
    assert_eq!((run.code, run.errors.as_str()), (Some(0), ""), "{arguments:?}: {}", run.output);
    run.output
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

fn path(directory: &TempDir, name: &str) -> String {
    let path: PathBuf = directory.path().join(name);
    path.to_str().expect("UTF-8").to_owned()
}

fn file(directory: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = path(directory, name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}
