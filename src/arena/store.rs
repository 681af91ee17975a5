//! The folder of an experiment: `experiment.json` says what it is, `games.jsonl` has a line for every game,
//! `sgf/` has the games themselves.
//!
//! A game is written the moment it ends, whole or not at all. A line that was cut off by a kill is taken
//! away when the experiment is resumed, and its game is played again; a line that cannot be written (a full
//! disk) is taken away at once, and the games so far are intact. A lock keeps a second process out.

use crate::folder::{self, FolderError, Identity, at, json, lock, write_whole};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const EXPERIMENT: &str = "experiment.json";
const GAMES: &str = "games.jsonl";
const RECORDS: &str = "sgf";

/// What can be wrong with the folder of an experiment.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// What can be wrong with any.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// There are games in it, and nobody said that they are to be continued.
    #[error("{} already holds {games} games: add --resume to go on with them, or choose another folder", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
        /// Games in it.
        games: usize,
    },
    /// It is in use for something else.
    #[error("{} holds files of something else (found {found:?}): choose another folder", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// One of the files.
        found: String,
    },
    /// A line that is no game, with more lines after it.
    #[error("{}, line {line}: expected a game, found {found:?}; nothing was changed", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Its beginning.
        found: String,
    },
}

/// What identifies an experiment, compared when it is resumed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExperimentIdentity {
    /// What is played.
    #[serde(rename = "identity")]
    pub setting: Identity,
    /// The engines of ours by their words, which may name another one tomorrow. Older folders do not tell them.
    #[serde(default)]
    pub engines: Identity,
}

#[derive(Serialize, Deserialize)]
struct Experiment {
    tewari: String,
    #[serde(flatten)]
    identity: ExperimentIdentity,
}

/// A row of `games.jsonl`.
pub trait Row: Serialize + DeserializeOwned {
    /// The game's number, unique in the experiment.
    fn number(&self) -> u64;
}

/// An open folder of an experiment. The lock is held as long as the value lives.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    games: File,
    /// Bytes of whole lines.
    length: u64,
}

/// What was there before.
#[derive(Debug)]
pub struct Found<R> {
    /// The games.
    pub rows: Vec<R>,
    /// What is left of a line that was cut off, and was taken away.
    pub torn: Option<String>,
}

impl Store {
    /// Opens `folder`, made if need be, for the experiment that `identity` describes.
    ///
    /// # Errors
    /// When it holds another experiment, or games and `resume` is not set, or cannot be written.
    pub fn open<R: Row>(
        folder: &Path,
        identity: &ExperimentIdentity,
        resume: bool,
    ) -> Result<(Store, Found<R>), StoreError> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        let description = folder.join(EXPERIMENT);
        let is_new = !description.exists();
        if is_new {
            refuse_foreign(folder)?;
        }
        let records = folder.join(RECORDS);
        fs::create_dir_all(&records).map_err(at(&records))?;
        let path = folder.join(GAMES);
        let mut options = OpenOptions::new();
        let games =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(at(&path))?;
        lock(&games, &path)?;
        if is_new {
            let experiment =
                Experiment { tewari: env!("CARGO_PKG_VERSION").to_owned(), identity: identity.clone() };
            write_whole(&description, &json(&experiment, &description)?)?;
        } else {
            let found: Experiment = folder::read_json(&description)?;
            folder::compare(folder, &found.identity.setting, &identity.setting)?;
            folder::compare_known(folder, &found.identity.engines, &identity.engines)?;
        }
        let mut store = Store { folder: folder.to_owned(), games, length: 0 };
        let found = store.read_rows(&path)?;
        if !found.rows.is_empty() && !resume {
            return Err(StoreError::NotEmpty { path: folder.to_owned(), games: found.rows.len() });
        }
        if found.torn.is_some() {
            store.games.set_len(store.length).map_err(at(&path))?;
        }
        Ok((store, found))
    }

    /// The rows, and where the whole lines end.
    fn read_rows<R: Row>(&mut self, path: &Path) -> Result<Found<R>, StoreError> {
        let mut bytes = Vec::new();
        let read = self.games.seek(SeekFrom::Start(0)).and_then(|_| self.games.read_to_end(&mut bytes));
        read.map_err(at(path))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let (mut rows, mut numbers) = (Vec::new(), std::collections::BTreeSet::new());
        for (index, line) in bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate() {
            match serde_json::from_slice::<R>(line) {
                Ok(row) if numbers.insert(row.number()) => rows.push(row),
                _ => {
                    let found = String::from_utf8_lossy(line).chars().take(60).collect();
                    return Err(StoreError::Damaged { path: path.to_owned(), line: index + 1, found });
                }
            }
        }
        self.length = whole as u64;
        let torn = (whole < bytes.len()).then(|| String::from_utf8_lossy(&bytes[whole..]).into_owned());
        Ok(Found { rows, torn })
    }

    /// Writes a game: its record first, then its row.
    ///
    /// # Errors
    /// When the disk is full, for example; then no part of the row stays.
    pub fn append<R: Row>(&mut self, row: &R, record: &str) -> Result<(), StoreError> {
        let path = self.folder.join(RECORDS).join(format!("{:06}.sgf", row.number()));
        write_whole(&path, record.as_bytes())?;
        let path = self.folder.join(GAMES);
        let mut line = json(row, &path)?;
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
                // If this fails too, the next --resume takes the torn line away.
                let _ = self.games.set_len(self.length);
                Err(at(&path)(error).into())
            }
        }
    }

    /// Writes a file beside the games, replaced as a whole.
    ///
    /// # Errors
    /// The file system's.
    pub fn write(&self, name: &str, content: &str) -> Result<(), StoreError> {
        Ok(write_whole(&self.folder.join(name), content.as_bytes())?)
    }
}

/// A folder without an experiment must be empty, or an accident would mix files.
fn refuse_foreign(folder: &Path) -> Result<(), StoreError> {
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let name = entry.map_err(at(folder))?.file_name().to_string_lossy().into_owned();
        // What a start that was cut off leaves behind.
        let is_ours = name == RECORDS
            || name == format!("{EXPERIMENT}.part")
            || (name == GAMES && is_empty(&folder.join(GAMES)));
        if !is_ours {
            return Err(StoreError::Foreign { path: folder.to_owned(), found: name });
        }
    }
    Ok(())
}

fn is_empty(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.len() == 0)
}
