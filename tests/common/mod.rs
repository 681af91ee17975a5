//! Shared parts of the tests: the program, the test data, and an independent implementation of the rules.

#![allow(dead_code, reason = "every test file uses a part of it")]

pub(crate) mod controller;
pub(crate) mod naive;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

/// Returns a command for the program without the user's settings.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tewari"));
    command.env("TEWARI_CONFIG", "none");
    command
}

/// Sends a program Ctrl-C as soon as it catches it, and returns its output.
pub(crate) fn interrupted(child: Child) -> Output {
    let started = Instant::now();
    while !catches_interrupts(child.id()) {
        assert!(started.elapsed() < Duration::from_secs(60), "the program does not catch Ctrl-C");
        std::thread::sleep(Duration::from_millis(1));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    child.wait_with_output().expect("the program ends")
}

/// Returns true if a process has a handler for SIGINT; after a second also where the system does not tell.
fn catches_interrupts(id: u32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{id}/status")) else {
        std::thread::sleep(Duration::from_secs(1));
        return true;
    };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_some_and(|mask| mask & 2 != 0)
}

/// Returns the directory of the shared test data; `None`, with a message, if it is absent, as in a fresh clone.
pub(crate) fn testdata() -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/testdata");
    if directory.is_dir() {
        return Some(directory);
    }
    println!("skipped: ../shared/testdata is absent");
    None
}

/// Returns the command of the stand-in with `arguments`; `None`, with a message, if it is not built: `cargo test` builds the
/// examples, `cargo test --test program` does not.
pub(crate) fn stand_in(arguments: &str) -> Option<String> {
    let beside = Path::new(env!("CARGO_BIN_EXE_tewari")).with_file_name("examples");
    let path: PathBuf = beside.join(format!("evaluator_stand_in{}", std::env::consts::EXE_SUFFIX));
    if !path.is_file() {
        println!("skipped: {} is not built", path.display());
        return None;
    }
    Some(format!("{} analysis -model small-model.bin.gz {arguments}", path.display()))
}
