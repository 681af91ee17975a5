//! The training positions of all shards.

use super::error::JoinError;
use super::shards::{ShardFolder, ShardSet};
use crate::base::folder::{self, FolderError, FolderIdentity, at};
use crate::lab::training::sample_files::{DESCRIPTION, FILES, take_length};
use crate::lab::training::samples::{HEADER_BYTES, row_bytes};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The kind of the files, for messages.
const KIND: &str = "training positions";

impl ShardSet {
    /// Returns an error if a shard lacks a file of training positions, or one is cut off or has another header.
    ///
    /// # Errors
    /// See above.
    pub fn check_samples(&self) -> Result<(), JoinError> {
        for name in FILES {
            let mut expected = None;
            for ShardFolder { path, shard } in &self.folders {
                let (path, shard) = (path.join(name), *shard);
                if !path.is_file() {
                    return Err(JoinError::NoFile { path, kind: KIND, shard });
                }
                let bad = |found| JoinError::BadFile { path: path.clone(), kind: KIND, shard, found };
                let header = read_header(&path)?.map_err(bad)?;
                if *expected.get_or_insert(header) != header {
                    return Err(bad("a header that differs from that of the first shard".to_owned()));
                }
            }
        }
        self.folders.iter().try_for_each(check_lengths)
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

/// Returns the header of a file of whole rows, or a description of another content.
fn read_header(path: &Path) -> Result<Result<[u8; HEADER_BYTES], String>, FolderError> {
    let mut file = File::open(path).map_err(at(path))?;
    let length = file.metadata().map_err(at(path))?.len();
    let mut header = [0; HEADER_BYTES];
    if length < HEADER_BYTES as u64 {
        return Ok(Err(format!("{length} bytes, less than a header")));
    }
    file.read_exact(&mut header).map_err(at(path))?;
    let Some(row) = row_bytes(&header) else {
        return Ok(Err("a file of another format or version".to_owned()));
    };
    Ok(match (length - HEADER_BYTES as u64) % row {
        0 => Ok(header),
        rest => Err(format!("{rest} bytes of a cut-off row at the end")),
    })
}

/// Compares the lengths of the files of a shard with those in its description.
fn check_lengths(folder: &ShardFolder) -> Result<(), JoinError> {
    let mut description: FolderIdentity = folder::read_json(&folder.path.join(DESCRIPTION))?;
    for name in FILES {
        let path = folder.path.join(name);
        let length = path.metadata().map_err(at(&path))?.len();
        let Some(expected) = take_length(&mut description, name).filter(|&expected| expected != length)
        else {
            continue;
        };
        let found = format!("{length} bytes, not the {expected} that were written");
        return Err(JoinError::BadFile { path, kind: KIND, shard: folder.shard, found });
    }
    Ok(())
}
