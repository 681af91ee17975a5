//! The description of a shard of `tewari review`: `review.json`, which names the reviews once all are written.

use crate::base::folder::{self, FolderError, FolderIdentity, at, json, write_atomically};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The file that describes a folder of reviews.
pub const DESCRIPTION: &str = "review.json";

/// The content of `review.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewShardFile {
    /// The settings of the run, with the shard.
    pub identity: FolderIdentity,
    /// The names of the reviews; `None` until all are written.
    pub files: Option<Vec<String>>,
}

impl ReviewShardFile {
    /// Reads the description of `folder`.
    ///
    /// # Errors
    /// Returns an error if the file is absent or has another content.
    pub fn read(folder: &Path) -> Result<ReviewShardFile, FolderError> {
        folder::read_json(&folder.join(DESCRIPTION))
    }

    /// Writes the description of `folder`.
    ///
    /// # Errors
    /// Returns an error if the write fails.
    pub fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let path = folder.join(DESCRIPTION);
        write_atomically(&path, &json(self, &path)?)
    }

    /// Returns an error if `folder` has another shard or experiment.
    ///
    /// # Errors
    /// See above.
    pub fn check(folder: &Path, identity: &FolderIdentity) -> Result<(), FolderError> {
        if folder.join(DESCRIPTION).exists() {
            folder::compare(folder, &ReviewShardFile::read(folder)?.identity, identity)?;
        }
        Ok(())
    }

    /// Begins the reviews of a shard in `folder`, or continues those of the same shard.
    ///
    /// # Errors
    /// Returns an error if the folder has another shard or experiment, or cannot be written.
    pub fn begin(folder: &Path, identity: &FolderIdentity) -> Result<(), FolderError> {
        ReviewShardFile::check(folder, identity)?;
        fs::create_dir_all(folder).map_err(at(folder))?;
        ReviewShardFile { identity: identity.clone(), files: None }.write(folder)
    }
}
