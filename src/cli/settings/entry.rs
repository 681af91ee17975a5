//! The entries of a settings file, and mistakes in it.

use anyhow::anyhow;
use std::path::Path;

/// A key and its value.
#[derive(Debug)]
pub(super) struct SettingEntry {
    /// The tables around it, from the outermost.
    pub(super) tables: Vec<String>,
    pub(super) key: String,
    /// The line in the file, from 1.
    pub(super) line: usize,
    pub(super) value: SettingValue,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingValue {
    /// True if a flag is set.
    Flag(bool),
    /// The text that would follow the option on a command line.
    One(String),
    /// Several such texts.
    Many(Vec<String>),
}

/// A mistake in a line of the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SettingsError {
    pub(super) line: usize,
    pub(super) what: String,
}

impl SettingsError {
    /// Returns the error with the name of the file.
    pub(super) fn at(&self, path: &Path) -> anyhow::Error {
        anyhow!("{}:{}: {}", path.display(), self.line, self.what)
    }
}
