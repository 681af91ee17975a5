//! What folders that are written by one run after another have in common: a lock, what they are of, whole files.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for a lock, and how long between two looks.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The file system.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It holds another experiment.
    #[error(
        "{} holds another experiment: its {key} is {found}, expected {expected}; choose another folder, or \
         give the same options",
        path.display()
    )]
    Other {
        /// The folder.
        path: PathBuf,
        /// What differs.
        key: String,
        /// What it is there.
        found: String,
        /// What was asked for.
        expected: String,
    },
    /// Another process writes it.
    #[error("{} is being written by another process: wait for it, or choose another folder", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
}

/// What a folder is of: names and values.
pub type Identity = BTreeMap<String, String>;

/// The error for what went wrong at `path`.
pub fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |error| FolderError::Io { path, error }
}

/// Locks `file`, which is `path`; waits a little, since a process that was killed may hold it a moment longer.
///
/// # Errors
/// When another process has it.
pub fn lock(file: &File, path: &Path) -> Result<(), FolderError> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_PATIENCE => {
                std::thread::sleep(LOCK_PAUSE)
            }
            Err(TryLockError::WouldBlock) => return Err(FolderError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(at(path)(error)),
        }
    }
}

/// Compares what `folder` is of with what was asked for, name by name.
///
/// # Errors
/// The first difference.
pub fn compare(folder: &Path, found: &Identity, expected: &Identity) -> Result<(), FolderError> {
    compare_names(expected.keys().chain(found.keys()), folder, found, expected)
}

/// The same for names that older folders do not have, and that are not compared there.
///
/// # Errors
/// The first difference.
pub fn compare_known(folder: &Path, found: &Identity, expected: &Identity) -> Result<(), FolderError> {
    compare_names(expected.keys().filter(|&key| found.contains_key(key)), folder, found, expected)
}

fn compare_names<'k>(
    keys: impl Iterator<Item = &'k String>,
    folder: &Path,
    found: &Identity,
    expected: &Identity,
) -> Result<(), FolderError> {
    let show =
        |value: Option<&String>| value.map_or_else(|| "not set".to_owned(), |value| format!("{value:?}"));
    for key in keys {
        let (there, here) = (found.get(key), expected.get(key));
        if there != here {
            let (found, expected) = (show(there), show(here));
            return Err(FolderError::Other { path: folder.to_owned(), key: key.clone(), found, expected });
        }
    }
    Ok(())
}

/// `value` as JSON in a line, for the file `path`.
///
/// # Errors
/// When it has no such form.
pub fn json(value: &impl Serialize, path: &Path) -> Result<Vec<u8>, FolderError> {
    serde_json::to_vec(value).map_err(|error| at(path)(error.into()))
}

/// The content of the file `path`, which is JSON.
///
/// # Errors
/// When it cannot be read, or is something else.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, FolderError> {
    let text = fs::read_to_string(path).map_err(at(path))?;
    let invalid = |error| at(path)(io::Error::new(io::ErrorKind::InvalidData, error));
    serde_json::from_str(&text).map_err(invalid)
}

/// Writes beside the place and renames, so that no half file is ever seen.
///
/// # Errors
/// The file system's.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), FolderError> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let written = fs::write(&part, content).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&part);
        at(path)(error)
    })
}
