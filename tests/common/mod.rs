//! What several test files share: the program, where the test data is, and rules that know nothing of the engine's.

#![allow(dead_code, reason = "every test file uses a part of it")]

pub(crate) mod naive;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program, which does not read the settings of whoever runs the tests.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tewari"));
    command.env("TEWARI_CONFIG", "none");
    command
}

/// The directory of the shared test data; says so and returns `None` where there is none, as in a fresh
/// clone.
pub(crate) fn testdata() -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/testdata");
    if directory.is_dir() {
        return Some(directory);
    }
    println!("skipped: ../shared/testdata is absent");
    None
}
