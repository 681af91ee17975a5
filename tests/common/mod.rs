//! What several test files share: where the test data is, and rules that know nothing of the engine's.

#![allow(dead_code, reason = "every test file uses a part of it")]

pub(crate) mod naive;

use std::path::{Path, PathBuf};

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
