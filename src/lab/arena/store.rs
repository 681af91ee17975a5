//! The folder of an experiment: `experiment.json` identifies it, `games.jsonl` has a line for every game, `sgf/` has
//! the records. A shard of a suite has `tests.jsonl` and no records.
//!
//! A game is written as soon as it ends. A line cut off by a kill is removed when the experiment is resumed, and its
//! game is played again. A line that cannot be written (a full disk) is removed at once, and earlier games are
//! intact. A lock keeps a second process out.

use crate::base::folder::{self, FolderError, FolderIdentity, at, json, lock, write_atomically};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The file that identifies the experiment.
pub const EXPERIMENT: &str = "experiment.json";
/// The file with a line for every game.
pub const GAMES: &str = "games.jsonl";
/// The folder of the records.
pub const RECORDS: &str = "sgf";

/// An unusable folder of an experiment.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentFolderError {
    /// An error common to all folders of games.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The folder holds games or tests, and `--resume` is not set.
    #[error("{} already holds {count} {unit}s: add --resume to continue, or choose another folder", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
        /// Number of games or tests in it.
        count: usize,
        /// The kind of its lines.
        unit: &'static str,
    },
    /// The folder is in use for something else.
    #[error("{} is not an experiment folder (found {found:?}): choose another folder", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The name of one of the files.
        found: String,
    },
    /// A line that is no game or test.
    #[error("{}, line {line}: expected a {unit}, found {found:?} ({reason}); nothing was changed", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The kind of the lines.
        unit: &'static str,
        /// Beginning of the line.
        found: String,
        /// The first error in it.
        reason: String,
    },
    /// A game or test that occurs twice.
    #[error("{}, line {line}: {unit} {number} occurs twice; nothing was changed", path.display())]
    Repeated {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The kind of the lines.
        unit: &'static str,
        /// Number of the game or test.
        number: u64,
    },
}

/// The identity of an experiment, compared when it is resumed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExperimentIdentity {
    /// The settings of the experiment.
    #[serde(rename = "identity")]
    pub setting: FolderIdentity,
    /// The built-in engines by description, which can select another engine in a later version. Older folders do not
    /// have them.
    #[serde(default)]
    pub engines: FolderIdentity,
}

/// The content of `experiment.json`.
#[derive(Serialize, Deserialize)]
struct ExperimentFile {
    tewari: String,
    #[serde(flatten)]
    identity: ExperimentIdentity,
}

impl ExperimentIdentity {
    /// Reads the identity of the experiment in `folder`.
    ///
    /// # Errors
    /// Returns an error if the file is absent or has another content.
    pub fn read(folder: &Path) -> Result<ExperimentIdentity, FolderError> {
        Ok(folder::read_json::<ExperimentFile>(&folder.join(EXPERIMENT))?.identity)
    }

    /// Writes the identity into `folder`.
    ///
    /// # Errors
    /// Returns an error if the write fails.
    pub fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let path = folder.join(EXPERIMENT);
        let file = ExperimentFile { tewari: env!("CARGO_PKG_VERSION").to_owned(), identity: self.clone() };
        write_atomically(&path, &json(&file, &path)?)
    }
}

/// A row type of a folder: of `games.jsonl`, unless the type names another file.
pub trait GameRecordRow: Serialize + DeserializeOwned {
    /// The file of the rows.
    const FILE: &'static str = GAMES;
    /// The kind of the rows, for messages.
    const UNIT: &'static str = "game";

    /// Returns the game's number, unique in the experiment.
    fn number(&self) -> u64;
}

/// The open folder of an experiment. The lock is held until the value is dropped.
#[derive(Debug)]
pub struct ExperimentFolder {
    folder: PathBuf,
    /// The file of the rows and its path.
    games: File,
    path: PathBuf,
    /// Length of the whole lines, in bytes.
    length: u64,
}

/// Games found in a folder when it was opened.
#[derive(Debug)]
pub struct StoredGames<R> {
    /// The rows.
    pub rows: Vec<R>,
    /// The part of a cut-off line, which has been removed from the file.
    pub torn: Option<String>,
}

impl<R: GameRecordRow> StoredGames<R> {
    /// Returns a notice about the part of a line that has been removed, if there was one.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        let torn = self.torn.as_ref()?;
        let (file, unit, bytes) = (R::FILE, R::UNIT, torn.len());
        if torn.bytes().all(|byte| byte == 0) {
            return Some(format!(
                "{file} ended with {bytes} bytes of value 0, which were removed: no {unit} is lost"
            ));
        }
        Some(format!("the last line of {file} was cut off ({bytes} bytes): that {unit} is repeated"))
    }
}

impl ExperimentFolder {
    /// Opens or creates `folder` for the experiment that `identity` describes.
    ///
    /// # Errors
    /// Returns an error if it holds another experiment, holds games while `resume` is not set, or cannot be written.
    pub fn open<R: GameRecordRow>(
        folder: &Path,
        identity: &ExperimentIdentity,
        resume: bool,
    ) -> Result<(ExperimentFolder, StoredGames<R>), ExperimentFolderError> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        let description = folder.join(EXPERIMENT);
        let is_new = !description.exists();
        if is_new {
            refuse_foreign(folder, R::FILE)?;
        }
        let path = folder.join(R::FILE);
        let mut options = OpenOptions::new();
        let games =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(at(&path))?;
        lock(&games, &path)?;
        if is_new {
            identity.write(folder)?;
        } else {
            let found = ExperimentIdentity::read(folder)?;
            folder::compare(folder, &found.setting, &identity.setting)?;
            folder::compare_recorded(folder, &found.engines, &identity.engines)?;
        }
        let mut store = ExperimentFolder { folder: folder.to_owned(), games, path, length: 0 };
        let found = store.read_rows()?;
        if !found.rows.is_empty() && !resume {
            let (path, count) = (folder.to_owned(), found.rows.len());
            return Err(ExperimentFolderError::NotEmpty { path, count, unit: R::UNIT });
        }
        if found.torn.is_some() {
            store.games.set_len(store.length).map_err(at(&store.path))?;
        }
        Ok((store, found))
    }

    /// Reads the rows and sets the length of the whole lines.
    fn read_rows<R: GameRecordRow>(&mut self) -> Result<StoredGames<R>, ExperimentFolderError> {
        let path = &self.path;
        let mut bytes = Vec::new();
        let read = self.games.seek(SeekFrom::Start(0)).and_then(|_| self.games.read_to_end(&mut bytes));
        read.map_err(at(path))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let (mut rows, mut numbers) = (Vec::new(), std::collections::BTreeSet::new());
        for (index, line) in bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate() {
            let (path, line_number) = (|| path.to_owned(), index + 1);
            let row = serde_json::from_slice::<R>(line).map_err(|error| ExperimentFolderError::Damaged {
                path: path(),
                line: line_number,
                unit: R::UNIT,
                found: String::from_utf8_lossy(line).chars().take(60).collect(),
                reason: error.to_string(),
            })?;
            let number = row.number();
            if !numbers.insert(number) {
                return Err(ExperimentFolderError::Repeated {
                    path: path(),
                    line: line_number,
                    unit: R::UNIT,
                    number,
                });
            }
            rows.push(row);
        }
        self.length = whole as u64;
        let torn = (whole < bytes.len()).then(|| String::from_utf8_lossy(&bytes[whole..]).into_owned());
        Ok(StoredGames { rows, torn })
    }

    /// Writes a game: its record first, then its row.
    ///
    /// # Errors
    /// Returns an error if a write fails, for example on a full disk; then no part of the row stays.
    pub fn append<R: GameRecordRow>(&mut self, row: &R, record: &str) -> Result<(), ExperimentFolderError> {
        let records = self.folder.join(RECORDS);
        fs::create_dir_all(&records).map_err(at(&records))?;
        write_atomically(&records.join(record_name(row.number())), record.as_bytes())?;
        self.append_row(row)
    }

    /// Writes a row that has no record.
    ///
    /// # Errors
    /// Returns an error if the write fails; then no part of the row stays.
    pub fn append_row<R: GameRecordRow>(&mut self, row: &R) -> Result<(), ExperimentFolderError> {
        let path = &self.path;
        let mut line = json(row, path)?;
        line.push(b'\n');
        let written = self
            .games
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.games.write_all(&line))
            .and_then(|()| self.games.sync_data());
        match written {
            Ok(()) => {
                self.length += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                // A second failure leaves a torn line, which the next --resume removes.
                let _ = self.games.set_len(self.length);
                Err(at(path)(error).into())
            }
        }
    }

    /// Writes or replaces a whole file beside the games.
    ///
    /// # Errors
    /// Returns an error if the write fails.
    pub fn write(&self, name: &str, content: &str) -> Result<(), ExperimentFolderError> {
        Ok(write_atomically(&self.folder.join(name), content.as_bytes())?)
    }
}

/// Returns the name of the record of game `number`.
#[must_use]
pub fn record_name(number: u64) -> String {
    format!("{number:06}.sgf")
}

/// Returns an error if a folder without an experiment has other files, which would be mixed with those of the
/// experiment.
fn refuse_foreign(folder: &Path, rows: &str) -> Result<(), ExperimentFolderError> {
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let name = entry.map_err(at(folder))?.file_name().to_string_lossy().into_owned();
        // Remains of a start that was cut off.
        let is_ours = name == RECORDS
            || name == format!("{EXPERIMENT}.part")
            || (name == rows && is_empty(&folder.join(rows)));
        if !is_ours {
            return Err(ExperimentFolderError::Foreign { path: folder.to_owned(), found: name });
        }
    }
    Ok(())
}

fn is_empty(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.len() == 0)
}
