//! Output folders shared by consecutive runs: a lock, an identity, and files written as a whole.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Timeout of a lock, and the pause between attempts.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// The reason why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// An error of the file system.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// A folder that holds another experiment.
    #[error(
        "{} holds another experiment: its {key} is {found}, expected {expected}; choose another folder, or \
         give the same options",
        path.display()
    )]
    DifferentExperiment {
        /// The folder.
        path: PathBuf,
        /// The name of the value that differs.
        key: String,
        /// Its value in the folder.
        found: String,
        /// Its value in this run.
        expected: String,
    },
    /// A folder or file that exists where a new one was named.
    #[error("{} exists: expected the name of what is to be made; choose a new name", path.display())]
    InUse {
        /// The folder or file.
        path: PathBuf,
    },
    /// A folder that another process writes.
    #[error("{} is being written by another process: wait for it, or choose another folder", path.display())]
    Locked {
        /// The locked file.
        path: PathBuf,
    },
}

/// A folder that gets its final name when it is complete; until then it is removed when the value is dropped.
#[derive(Debug)]
pub struct NewFolder {
    part: PathBuf,
    path: PathBuf,
}

impl NewFolder {
    /// Creates a temporary folder beside `path`, which must not exist or be an empty folder.
    ///
    /// # Errors
    /// Returns an error if `path` is used, or the folder cannot be made.
    pub fn begin(path: &Path) -> Result<NewFolder, FolderError> {
        check_unused(path)?;
        let mut part = path.components().as_path().as_os_str().to_owned();
        part.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(part);
        fs::create_dir(&part).map_err(at(&part))?;
        Ok(NewFolder { part, path: path.to_owned() })
    }

    /// Returns the path of the temporary folder, to write to.
    #[must_use]
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Gives the folder its final name.
    ///
    /// # Errors
    /// Any error of the file system.
    pub fn finish(self) -> Result<(), FolderError> {
        if self.path.is_dir() {
            // Fails unless it is empty.
            fs::remove_dir(&self.path).map_err(at(&self.path))?;
        }
        fs::rename(&self.part, &self.path).map_err(at(&self.path))
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // After `finish` there is none.
        let _ = fs::remove_dir_all(&self.part);
    }
}

/// Checks that `path` does not exist or is an empty folder.
///
/// # Errors
/// Returns [`FolderError::InUse`] otherwise.
pub fn check_unused(path: &Path) -> Result<(), FolderError> {
    let is_empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    if path.symlink_metadata().is_ok() && !is_empty() {
        return Err(FolderError::InUse { path: path.to_owned() });
    }
    Ok(())
}

/// The identity of a folder: names and values.
pub type FolderIdentity = BTreeMap<String, String>;

/// Returns a conversion of I/O errors at `path`.
pub fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |error| FolderError::Io { path, error }
}

/// Locks `file`, which has the path `path`. Waits up to two seconds, since a killed process may keep the lock a moment
/// longer.
///
/// # Errors
/// A lock of another process, or an I/O error.
pub fn lock(file: &File, path: &Path) -> Result<(), FolderError> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(LOCK_PAUSE)
            }
            Err(TryLockError::WouldBlock) => return Err(FolderError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(at(path)(error)),
        }
    }
}

/// Compares all names of the identity of `folder` with those expected.
///
/// # Errors
/// Returns the first difference.
pub fn compare(folder: &Path, found: &FolderIdentity, expected: &FolderIdentity) -> Result<(), FolderError> {
    compare_names(expected.keys().chain(found.keys()), folder, found, expected)
}

/// Compares only the expected names that `found` contains: folders of earlier versions lack some.
///
/// # Errors
/// Returns the first difference.
pub fn compare_recorded(
    folder: &Path,
    found: &FolderIdentity,
    expected: &FolderIdentity,
) -> Result<(), FolderError> {
    compare_names(expected.keys().filter(|&key| found.contains_key(key)), folder, found, expected)
}

fn compare_names<'k>(
    keys: impl Iterator<Item = &'k String>,
    folder: &Path,
    found: &FolderIdentity,
    expected: &FolderIdentity,
) -> Result<(), FolderError> {
    let show =
        |value: Option<&String>| value.map_or_else(|| "not set".to_owned(), |value| format!("{value:?}"));
    for key in keys {
        let (there, here) = (found.get(key), expected.get(key));
        if there != here {
            let (found, expected) = (show(there), show(here));
            return Err(FolderError::DifferentExperiment {
                path: folder.to_owned(),
                key: key.clone(),
                found,
                expected,
            });
        }
    }
    Ok(())
}

/// Returns `value` as one line of JSON, for the file `path`.
///
/// # Errors
/// A value that JSON cannot represent.
pub fn json(value: &impl Serialize, path: &Path) -> Result<Vec<u8>, FolderError> {
    serde_json::to_vec(value).map_err(|error| at(path)(error.into()))
}

/// Returns the content of the JSON file `path`.
///
/// # Errors
/// A file that cannot be read or has another content.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, FolderError> {
    let text = fs::read_to_string(path).map_err(at(path))?;
    let invalid = |error| at(path)(io::Error::new(io::ErrorKind::InvalidData, error));
    serde_json::from_str(&text).map_err(invalid)
}

/// Writes a file under a temporary name and renames it, so that a partial file is never visible.
///
/// # Errors
/// Any error of the file system.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<(), FolderError> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let written = fs::write(&part, content).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&part);
        at(path)(error)
    })
}
