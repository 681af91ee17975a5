//! Opening of table files.

use super::error::{FileError, FileProblem, with_path};
use super::mapped::MappedFile;
use super::new_file::{check_system, check_writable, reserve};
use super::random::random;
use super::session::{self, EPOCH_MASK, Entered, FileSession, TableMode};
use crate::base::platform::files;
use crate::table::backing::{Backing, Sharing};
use crate::table::header::{self, Header, HeaderFault, TableIdentity};
use crate::table::layout::HEADER_WORDS;
use crate::table::transposition_table::Table;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of the smallest memory page: the header is synced with it.
const HEADER_PAGE_BYTES: usize = 4096;

impl Table {
    /// Opens the table in `path`; with `expected`, only if its identity agrees.
    ///
    /// Only the header is read, so opening a large file takes no longer.
    ///
    /// # Errors
    /// Returns a [`FileProblem`] if the file cannot be used or holds no such table.
    pub fn open(path: &Path, mode: TableMode, expected: Option<&TableIdentity>) -> Result<Table, FileError> {
        open(path, mode, expected).map_err(|problem| with_path(path, problem))
    }
}

/// Opens the file `path` with the lock of [`session::lock`], and returns true with it if no other process uses it.
fn open_locked(path: &Path, writes: bool) -> Result<(File, bool), FileProblem> {
    check_system()?;
    let missing_or = |what| {
        move |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound if path.is_symlink() => FileProblem::DanglingLink,
            io::ErrorKind::NotFound => FileProblem::Missing,
            io::ErrorKind::PermissionDenied if writes && what == "open the file" => FileProblem::ReadOnly,
            _ => FileProblem::io(what)(error),
        }
    };
    loop {
        // Tested before opening: opening a pipe waits for its other end.
        let metadata = std::fs::metadata(path).map_err(missing_or("read the properties of the file"))?;
        if !metadata.is_file() {
            return Err(FileProblem::NotAFile { found: files::kind_of(metadata.file_type()) });
        }
        let file =
            OpenOptions::new().read(true).write(writes).open(path).map_err(missing_or("open the file"))?;
        if writes {
            check_writable(&file)?;
        }
        let is_alone = session::lock(&file)?;
        // While this process waited for the lock, another may have replaced the file.
        if is_in_place(path, &file)? {
            return Ok((file, is_alone));
        }
    }
}

/// Returns true if `file` is the one at `path`.
fn is_in_place(path: &Path, file: &File) -> Result<bool, FileProblem> {
    let ours = file.metadata().map_err(FileProblem::io("read the properties of the file"))?;
    Ok(std::fs::metadata(path).is_ok_and(|there| files::is_same(&there, &ours)))
}

/// An open file with the lock of a user.
struct EnteredFile {
    file: File,
    header: Header,
    /// The properties under the lock.
    metadata: Metadata,
    entered: Entered,
}

/// Opens and checks the file `path`, and records that it is in use.
fn enter(path: &Path, mode: TableMode, expected: Option<&TableIdentity>) -> Result<EnteredFile, FileProblem> {
    let (file, is_alone) = open_locked(path, mode == TableMode::ReadWrite)?;
    let header = read_header(&file)?;
    if let Some(expected) = expected {
        compare(expected, &header.identity)?;
    }
    let metadata = file.metadata().map_err(FileProblem::io("read the properties of the file"))?;
    let bytes = header.layout.bytes() as u64;
    if metadata.len() != bytes {
        return Err(FileProblem::Length { expected: bytes, found: metadata.len() });
    }
    let entered = session::enter(&file, mode, is_alone)?;
    Ok(EnteredFile { file, header, metadata, entered })
}

fn open(path: &Path, mode: TableMode, expected: Option<&TableIdentity>) -> Result<Table, FileProblem> {
    let writes = mode == TableMode::ReadWrite;
    let EnteredFile { file, header, metadata, entered } = loop {
        let entered = enter(path, mode, expected)?;
        // The conversion to a shared lock first gives up the exclusive one: another process may have replaced the file then.
        if is_in_place(path, &entered.file)? {
            break entered;
        }
    };
    let Header { layout, identity, lineage } = header;
    let bytes = layout.bytes() as u64;
    let Entered { close_state, word, must_be_synced } = entered;
    // A copy may have holes where the original had zeros.
    if writes && files::allocated_bytes(&metadata) < bytes {
        reserve(&file, bytes)?;
    }
    let sharing = if writes { Sharing::Shared } else { Sharing::Private };
    let backing = Backing::file(&file, layout.words(), sharing).map_err(FileProblem::io("map the file"))?;
    let session = FileSession::new(file, mode, close_state);
    let mapped = MappedFile { path: path.to_owned(), session, identity, lineage };
    let mut table = Table { file: Some(mapped), searcher: random(), ..Table::of(backing, layout) };
    table.open_count = table.header(header::OPEN_COUNT).load(Relaxed).wrapping_add(1);
    if writes {
        table.open_count = table.header(header::OPEN_COUNT).fetch_add(1, Relaxed).wrapping_add(1);
        // Another process may have begun a new epoch while the lock was converted to a shared one.
        table.epoch = table.header(header::USE_STATE).load(Relaxed) & EPOCH_MASK;
        if must_be_synced {
            table
                .backing
                .sync_start(HEADER_PAGE_BYTES)
                .map_err(FileProblem::io("write the file to the disk"))?;
        }
    } else {
        table.epoch = word & EPOCH_MASK;
    }
    Ok(table)
}

/// Reads the header of an open file. Bytes missing from a file shorter than a header count as zeros.
fn read_header(file: &File) -> Result<Header, FileProblem> {
    let mut bytes = [0; 8 * HEADER_WORDS];
    let read = files::read_all_at(file, &mut bytes, 0).map_err(FileProblem::io("read the file"))?;
    let words: Vec<_> = bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes).into()).collect();
    header::read(&words).map_err(|fault| match fault {
        HeaderFault::Magic => FileProblem::Magic,
        _ if read < bytes.len() => FileProblem::Length { expected: bytes.len() as u64, found: read as u64 },
        HeaderFault::ByteOrder => FileProblem::ByteOrder,
        HeaderFault::Version(found) => FileProblem::Version { found },
        HeaderFault::Checksum => FileProblem::Header,
        HeaderFault::Layout => FileProblem::Layout,
    })
}

/// Returns an error if the two identities cannot share a table.
pub(in crate::table) fn compare(expected: &TableIdentity, found: &TableIdentity) -> Result<(), FileProblem> {
    if found.key_seed != expected.key_seed {
        return Err(FileProblem::KeySeed { expected: expected.key_seed, found: found.key_seed });
    }
    if found.game != expected.game {
        return Err(FileProblem::Game { expected: expected.game.clone(), found: found.game.clone() });
    }
    if found.policy_state != expected.policy_state {
        let (expected, found) = (expected.policy_state.clone(), found.policy_state.clone());
        return Err(FileProblem::PolicyState { expected, found });
    }
    if found.network != expected.network {
        return Err(FileProblem::Network { expected: expected.network, found: found.network });
    }
    Ok(())
}
