//! The content of a settings file.

use super::entry::SettingEntry;
use super::read;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// The content of a settings file.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(super) path: PathBuf,
    /// In the order of their lines.
    pub(super) entries: Vec<SettingEntry>,
    /// All tables, with their lines.
    pub(super) tables: Vec<(Vec<String>, usize)>,
}

impl Settings {
    /// Parses a settings file.
    pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Settings> {
        let found = read::read(bytes).map_err(|mistake| mistake.at(path))?;
        Ok(Settings { path: path.to_owned(), entries: found.entries, tables: found.tables })
    }

    /// Returns the name of the file with a line number.
    pub(crate) fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }
}
