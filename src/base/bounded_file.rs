//! Files of unknown size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a file, or its first `limit + 1` bytes, from which the caller sees that the file is too large.
///
/// # Errors
/// Returns the error of the file.
pub fn read_bounded(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
