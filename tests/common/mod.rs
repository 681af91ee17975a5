//! Shared parts of the tests: the program, the test data, and an independent implementation of the rules.

#![allow(dead_code, reason = "every test file uses a part of it")]

pub(crate) mod controller;
pub(crate) mod naive;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns a command for the program without the user's settings.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tewari"));
    command.env("TEWARI_CONFIG", "none");
    command
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
