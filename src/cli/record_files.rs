//! Files and folders of game records.

use super::failures::Failures;
use super::shard_identity::content_hash;
use crate::base::bounded_file::read_bounded;
use crate::cli::print::print_error;
use crate::records::sgf::{self, Collection, Sources};
use anyhow::{Context, Result, anyhow, ensure};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Maximum depth of folders inside folders.
const MAX_FOLDER_DEPTH: usize = 32;

/// A file of games.
pub(super) struct SourceFile {
    /// The path, `-` for standard input.
    pub(super) path: PathBuf,
    pub(super) collection: Collection,
    /// The texts of the games in the file.
    pub(super) texts: Sources,
    /// The hash of the content.
    pub(super) hash: String,
}

impl SourceFile {
    /// Returns the name for messages.
    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns the number of positions of all games.
    pub(super) fn positions(&self) -> usize {
        self.collection.games.iter().map(|game| game.move_count() + 1).sum()
    }
}

/// Returns the paths of files, and of those in folders. The error of an unreadable folder is added to `failures`.
pub(super) fn files_of(paths: &[PathBuf], failures: &mut Failures) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            match add_folder(path, MAX_FOLDER_DEPTH, &mut files) {
                Ok(()) if files.len() == before => {
                    failures.add(anyhow!("{}: expected .sgf files in it, found none", path.display()));
                }
                Ok(()) => {}
                Err(error) => failures.add(error),
            }
        } else {
            files.push(path.clone());
        }
    }
    files
}

/// Adds the records of a folder and of the folders in it, in the order of names. Links to folders are not followed.
fn add_folder(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let cannot = || format!("cannot read {}", folder.display());
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        entries.push((entry.path(), entry.file_type().with_context(cannot)?));
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, kind) in entries {
        let is_record = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("sgf"));
        if kind.is_dir() && depth > 0 {
            add_folder(&path, depth - 1, files)?;
        } else if is_record && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

/// Reads a file; damaged games are read up to the damage. Warnings about the file are printed.
pub(super) fn read(path: &Path) -> Result<SourceFile> {
    let name = path.display().to_string();
    let bytes = read_bytes(path).with_context(|| format!("cannot read {name}"))?;
    let (collection, texts) =
        sgf::read_damaged_with_sources(&bytes).map_err(|error| anyhow!("{name}: {error}"))?;
    for warning in &collection.warnings {
        print_error(&format!("{name}: {warning}"));
    }
    Ok(SourceFile { path: path.to_owned(), collection, texts, hash: content_hash(&bytes) })
}

/// Returns the hash of the content of each file; `None` for an unreadable one.
pub(super) fn hashes(files: &[PathBuf]) -> Vec<Option<String>> {
    files.iter().map(|path| read_bytes(path).ok().map(|bytes| content_hash(&bytes))).collect()
}

/// Reads a file of records, or standard input for `-`, and one byte more than the parser allows.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    if path == Path::new("-") {
        return read_input();
    }
    ensure!(!path.is_dir(), "expected an SGF file, found a directory");
    Ok(read_bounded(path, sgf::MAX_BYTES)?)
}

/// Returns the content of standard input, which can be read only once, on each call.
fn read_input() -> Result<Vec<u8>> {
    static INPUT: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(bytes) = INPUT.get() {
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(sgf::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(INPUT.get_or_init(|| bytes).clone())
}
