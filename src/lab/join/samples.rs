//! The training positions of all shards.

use super::error::JoinError;
use super::shards::ShardSet;
use crate::base::folder::at;
use crate::lab::training::sample_files::FILES;
use crate::lab::training::samples::HEADER_BYTES;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

impl ShardSet {
    /// Returns an error if a shard lacks a file of training positions.
    ///
    /// # Errors
    /// See above.
    pub fn check_samples(&self) -> Result<(), JoinError> {
        for folder in &self.folders {
            if let Some(name) = FILES.iter().find(|name| !folder.path.join(name).is_file()) {
                let path = folder.path.join(name);
                return Err(JoinError::NoFile { path, kind: "training positions", shard: folder.shard });
            }
        }
        Ok(())
    }

    /// Writes the positions of all shards, one after the other, into `out`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written.
    pub fn write_samples(&self, out: &Path) -> Result<(), JoinError> {
        for name in FILES {
            let path = out.join(name);
            let mut joined = File::create(&path).map_err(at(&path))?;
            for (number, folder) in self.folders.iter().enumerate() {
                let part = folder.path.join(name);
                let mut file = File::open(&part).map_err(at(&part))?;
                // All have the same header.
                let start = if number == 0 { 0 } else { HEADER_BYTES as u64 };
                file.seek(SeekFrom::Start(start)).map_err(at(&part))?;
                io::copy(&mut file, &mut joined).map_err(at(&part))?;
            }
        }
        Ok(())
    }
}
