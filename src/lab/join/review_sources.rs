//! The list of the records that the reviews of a folder belong to: `sources.jsonl`, a line for each review.
//!
//! A line is written before its review. A review that is made again gets another line, and the last one counts.

use crate::base::folder::{FolderError, at, json};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The file with the list.
pub const SOURCES: &str = "sources.jsonl";

/// The hashes of the reviewed records, by the names of their reviews.
pub type ReviewSources = BTreeMap<String, String>;

/// A line of the list.
#[derive(Serialize, Deserialize)]
struct SourceLine {
    /// The name of the review.
    review: String,
    /// The hash of the record's file.
    record: String,
}

/// Reads the list of `folder`; it is empty without a file. A cut-off line counts as absent.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read(folder: &Path) -> Result<ReviewSources, FolderError> {
    let path = folder.join(SOURCES);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        bytes => bytes.map_err(at(&path))?,
    };
    let lines = bytes.split(|&byte| byte == b'\n');
    let sources = lines.filter_map(|line| serde_json::from_slice::<SourceLine>(line).ok());
    Ok(sources.map(|line| (line.review, line.record)).collect())
}

/// Adds lines to the list of `folder`.
///
/// # Errors
/// Returns an error if the file cannot be read or written.
pub fn append(folder: &Path, sources: &ReviewSources) -> Result<(), FolderError> {
    let path = folder.join(SOURCES);
    let mut text = Vec::new();
    if ends_within_line(&path) {
        text.push(b'\n');
    }
    for (review, record) in sources {
        let line = SourceLine { review: review.clone(), record: record.clone() };
        text.extend(json(&line, &path)?);
        text.push(b'\n');
    }
    let file = OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(&text)).map_err(at(&path))
}

/// Returns true if the last line of a file is cut off.
fn ends_within_line(path: &Path) -> bool {
    let Ok(mut file) = File::open(path) else { return false };
    let mut last = [0];
    file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).is_ok() && last != *b"\n"
}
