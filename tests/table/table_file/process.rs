//! Runs of the program with table files.

use crate::common::program;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A folder with table files, removed when dropped.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Creates a table of 1 MiB for a 9x9 board with the results of `simulations` simulations; returns its path.
    pub(crate) fn table(&self, name: &str, simulations: u32) -> PathBuf {
        let path = self.path(name);
        let done = analyze(&path, &["--table-size", "1MiB", "--simulations", &simulations.to_string()]);
        assert!(done.status.success(), "{}", stderr(&done));
        path
    }

    pub(crate) fn copy(&self, of: &Path, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::copy(of, &path).expect("a copy");
        path
    }

    /// Checks that the folder contains only these files.
    pub(crate) fn assert_holds(&self, names: &[&str]) {
        let mut found: Vec<String> = fs::read_dir(self.0.path())
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        found.sort();
        assert_eq!(found, names);
    }
}

pub(crate) fn tewari() -> Command {
    let mut command = program();
    command.stdin(Stdio::null());
    command
}

/// Searches the empty 9x9 board.
pub(crate) fn analyze(table: &Path, arguments: &[&str]) -> Output {
    let mut command = tewari();
    command.args(["analyze", "--size", "9", "--format", "json", "--table"]).arg(table).args(arguments);
    command.output().expect("the program runs")
}

/// Starts the same search without waiting.
pub(crate) fn start_analysis(table: &Path, arguments: &[&str]) -> Child {
    let mut command = tewari();
    command.args(["analyze", "--size", "9", "--format", "json", "--table"]).arg(table).args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Returns the JSON object of an analysis that must succeed.
pub(crate) fn analysis(table: &Path, arguments: &[&str]) -> Value {
    object(&analyze(table, arguments))
}

pub(crate) fn object(output: &Output) -> Value {
    assert!(output.status.success(), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

pub(crate) fn root_visits(analysis: &Value) -> u64 {
    analysis["rootInfo"]["visits"].as_u64().expect("visits")
}

/// Runs `tewari table` with these arguments.
pub(crate) fn table(words: &[&str], paths: &[&Path]) -> Output {
    let mut command = tewari();
    command.arg("table").args(words).args(paths);
    command.output().expect("the program runs")
}

/// Returns the output of `tewari table info` for a file.
pub(crate) fn info(path: &Path) -> Value {
    object(&table(&["info", "--format", "json"], &[path]))
}

pub(crate) fn verify(path: &Path) {
    let output = table(&["verify"], &[path]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("clean"), "{output:?}");
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Checks that the run failed with one line that contains all of `parts`.
pub(crate) fn assert_refused(output: &Output, parts: &[&str]) {
    let text = stderr(output);
    assert!(!output.status.success(), "it was accepted");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}
