//! Tables in files: creation, opening, locking and identity.
//!
//! A file is made under a temporary name with all its disk blocks reserved, and gets its name when it is completely
//! on the disk. A name thus refers to the old file or to the complete new one, never to a part of it.
//! [`session`](super::session) keeps track of its users.

use super::Table;
use super::backing::{Backing, Sharing};
use super::block::EPOCH_MASK;
use super::file_error::{FileError, FileProblem, about};
use super::header::{self, Header, HeaderFault, Identity, Lineage};
use super::layout::{HEADER_WORDS, Layout, Shape};
use super::new_file::{give_name, reserve, temporary_file};
use super::session::{self, Ending, Entered, Session};
use crate::base::platform::files;
use rand::rand_core::TryRng;
use rand::rngs::SysRng;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tempfile::NamedTempFile;

/// Bytes of the smallest page: the header is synced with it.
const FIRST_PAGE: usize = 4096;

/// The mode in which an existing file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableMode {
    /// Searches write to the file, together with those of other processes.
    ReadWrite,
    /// Searches write to private copies of the pages; the file stays as it is.
    CopyOnWrite,
    /// Nothing is written. (Mapped like `CopyOnWrite`, so that a write could not change the file.)
    ReadOnly,
}

/// The state of the name of a file in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// The name refers to the file.
    InPlace,
    /// Nothing has the name any more: results are lost when the last process closes the file.
    Deleted,
    /// Another file has the name: results are lost when the last process closes this one.
    Replaced,
}

/// The file of a table, locked while this value exists.
pub(super) struct MappedFile {
    pub(super) path: PathBuf,
    pub(super) session: Session,
    pub(super) identity: Identity,
    pub(super) lineage: Lineage,
}

impl Table {
    /// Creates the file `path` with an empty table, as large as fits into `bytes`, and opens it.
    ///
    /// # Errors
    /// Returns an error if the file exists, the disk has no room, or the file system fails.
    pub fn create(path: &Path, identity: &Identity, shape: Shape, bytes: usize) -> Result<Table, FileError> {
        Table::create_without_name(path, identity, shape, bytes)
            .and_then(|unnamed| unnamed.keep(false))
            .map_err(|problem| about(path, problem))
    }

    /// Creates the same as a temporary file in the same folder, without the name until [`Unnamed::keep`].
    pub(super) fn create_without_name(
        path: &Path,
        identity: &Identity,
        shape: Shape,
        bytes: usize,
    ) -> Result<Unnamed, FileProblem> {
        Unnamed::new(path, identity, Layout::fit(shape, bytes)?)
    }

    /// Opens the table in `path`; with `expected`, only if its identity agrees.
    ///
    /// Only the header is read, so opening a large file takes no longer.
    ///
    /// # Errors
    /// Returns a [`FileProblem`] if the file cannot be used or holds no such table.
    pub fn open(path: &Path, mode: TableMode, expected: Option<&Identity>) -> Result<Table, FileError> {
        open(path, mode, expected).map_err(|problem| about(path, problem))
    }

    /// Returns the identity of the table's file; `None` for a table on the heap.
    #[must_use]
    pub fn identity(&self) -> Option<&Identity> {
        self.file.as_ref().map(|file| &file.identity)
    }

    /// Returns the lineage of the table's file; `None` for a table on the heap.
    #[must_use]
    pub fn lineage(&self) -> Option<&Lineage> {
        self.file.as_ref().map(|file| &file.lineage)
    }

    /// Returns the path of the table's file; `None` for a table on the heap.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.path.as_path())
    }

    /// Returns true if other processes may write to the same memory.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.session.mode == TableMode::ReadWrite)
    }

    /// Returns the state of the file's name; `InPlace` for a table on the heap.
    #[must_use]
    pub fn file_state(&self) -> FileState {
        let Some(MappedFile { path, session, .. }) = &self.file else { return FileState::InPlace };
        let Ok(ours) = session.file.metadata() else { return FileState::InPlace };
        match std::fs::metadata(path) {
            Err(_) => FileState::Deleted,
            Ok(there) if !files::is_same(&there, &ours) => FileState::Replaced,
            Ok(_) => FileState::InPlace,
        }
    }

    /// Takes the exclusive lock, for a change that other processes must not see half done or for a replacement of the
    /// file, until the table is dropped.
    ///
    /// # Errors
    /// Returns an error if another process uses the file or has replaced it, or if the file is read-only.
    pub fn lock_exclusively(&self) -> Result<(), FileError> {
        let Some(mapped) = &self.file else { return Ok(()) };
        let wanted = "changed as a whole";
        let lock = || {
            // A conversion releases the shared lock first; if it fails, the caller stops using the table.
            mapped.session.file.try_lock().map_err(|error| match error {
                TryLockError::WouldBlock => FileProblem::Locked { wanted, found: "used" },
                TryLockError::Error(error) => FileProblem::io("lock the file")(error),
            })?;
            if self.file_state() != FileState::InPlace {
                return Err(FileProblem::Locked { wanted, found: "replaced" });
            }
            check_writable(&mapped.session.file)
        };
        lock().map_err(|problem| about(&mapped.path, problem))
    }

    /// Writes search results to the disk in the background, each part of the file once per `period`, and all when the
    /// table is dropped.
    ///
    /// # Errors
    /// Returns an error if searches do not write to the file, or the system cannot map it a second time.
    pub fn sync_every(&mut self, period: Duration) -> Result<(), FileError> {
        match &mut self.file {
            Some(file) if file.session.mode == TableMode::ReadWrite => {
                let outcome = file.session.sync_every(period);
                let problem = FileProblem::io("get ready to write the file to the disk");
                outcome.map_err(|error| about(&file.path, problem(error)))?;
            }
            Some(file) => return Err(about(&file.path, FileProblem::NothingToSync)),
            None => {}
        }
        Ok(())
    }

    /// Requests that search results are written to the disk when the table is dropped.
    pub(super) fn sync_at_end(&mut self) {
        if let Some(file) = &mut self.file {
            file.session.syncs = true;
        }
    }

    /// Returns the first error of writing search results to the disk, if any.
    #[must_use]
    pub fn sync_error(&self) -> Option<String> {
        self.file.as_ref()?.session.sync_error()
    }

    /// Returns the state in which the earlier users left the file; `None` for a table on the heap.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.file.as_ref().map(|file| file.session.ending)
    }

    /// Begins a new lineage for an emptied table, which shares no samples with earlier copies of it. First the
    /// emptied table is synced: otherwise old samples could be found on the disk under the new lineage.
    pub(super) fn begin_lineage(&mut self) {
        let Some(file) = &mut self.file else { return };
        let is_empty = file.session.mode != TableMode::ReadWrite || file.session.file.sync_data().is_ok();
        if is_empty {
            file.lineage = Lineage::begun(random());
            header::begin_lineage(self.backing.words(), &file.lineage);
        }
    }

    /// Writes the lineage of a table that is being filled.
    pub(super) fn set_lineage(&mut self, lineage: Lineage) {
        if let Some(file) = &mut self.file {
            file.lineage = lineage;
            header::write(self.backing.words(), &self.layout, &file.identity, &file.lineage);
        }
    }
}

/// A new table file without its name, deleted on drop unless it is kept.
pub(super) struct Unnamed {
    temporary: NamedTempFile,
    path: PathBuf,
    backing: Backing,
    layout: Layout,
    identity: Identity,
    lineage: Lineage,
}

impl Unnamed {
    /// Creates an empty table file to be named `path`.
    pub(super) fn new(path: &Path, identity: &Identity, layout: Layout) -> Result<Unnamed, FileProblem> {
        check_system()?;
        let temporary = temporary_file(path)?;
        reserve(temporary.as_file(), layout.bytes() as u64)?;
        let backing = Backing::file(temporary.as_file(), layout.words(), Sharing::Shared)
            .map_err(FileProblem::io("map the file"))?;
        let lineage = Lineage::begun(random());
        header::write(backing.words(), &layout, identity, &lineage);
        backing.words()[header::USE].store(session::word_of_new_file(), Relaxed);
        let place = session::place(temporary.as_file()).map_err(FileProblem::io("look at the file"))?;
        backing.words()[header::PLACE].store(place, Relaxed);
        Ok(Unnamed { temporary, path: path.to_owned(), backing, layout, identity: identity.clone(), lineage })
    }

    /// Writes the file to the disk and gives it its name. If another file has the name, it is replaced if
    /// `may_replace`, otherwise an error is returned.
    pub(super) fn keep(self, may_replace: bool) -> Result<Table, FileProblem> {
        let Unnamed { temporary, path, backing, layout, identity, lineage } = self;
        let sync = || temporary.as_file().sync_all().map_err(FileProblem::io("write the file to the disk"));
        sync()?;
        header::complete(backing.words());
        sync()?;
        let file = give_name(temporary, &path, may_replace)?;
        while file.try_lock_shared().is_err() {
            // Another process briefly holds the exclusive lock, to test whether it is the only user.
            std::thread::sleep(Duration::from_millis(1));
        }
        let session = Session::new(file, TableMode::ReadWrite, Ending::Synced);
        let file = MappedFile { path, session, identity, lineage };
        Ok(Table { file: Some(file), searcher: random(), ..Table::of(backing, layout) })
    }

    /// Opens the table to fill it before it gets its name.
    pub(super) fn fill<T, E: From<FileError>>(
        self,
        fill: impl FnOnce(&mut Table) -> Result<T, E>,
    ) -> Result<(Unnamed, T), E> {
        let Unnamed { temporary, path, backing, layout, identity, lineage } = self;
        let cannot_use = |error| about(&path, FileProblem::io("use the new file")(error));
        let file = temporary.as_file().try_clone().map_err(cannot_use)?;
        // `ReadOnly`: the file has no other users, so dropping the session records nothing in the header.
        let session = Session::new(file, TableMode::ReadOnly, Ending::Synced);
        let file = MappedFile { path: path.clone(), session, identity, lineage };
        let mut table = Table { file: Some(file), ..Table::of(backing, layout) };
        let result = fill(&mut table)?;
        let Table { backing, file, .. } = table;
        let Some(MappedFile { identity, lineage, .. }) = file else { unreachable!("it was put there") };
        Ok((Unnamed { temporary, path, backing, layout, identity, lineage }, result))
    }
}

/// Returns a random number other than 0.
pub(super) fn random() -> u64 {
    // The clock replaces missing system randomness.
    SysRng.try_next_u64().unwrap_or_else(|_| {
        std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64)
    }) | 1
}

/// Returns an error on systems where processes cannot share a file.
fn check_system() -> Result<(), FileProblem> {
    if files::CAN_SHARE { Ok(()) } else { Err(FileProblem::NotOnThisSystem { found: std::env::consts::OS }) }
}

/// Returns an error if the file is marked read-only, also for users with permission to write everything.
pub(super) fn check_writable(file: &File) -> Result<(), FileProblem> {
    let metadata = file.metadata().map_err(FileProblem::io("look at the file"))?;
    if metadata.permissions().readonly() { Err(FileProblem::ReadOnly) } else { Ok(()) }
}

/// Opens the file `path` with the lock of [`session::lock`], and returns true with it if no other process uses it.
pub(super) fn open_locked(path: &Path, writes: bool) -> Result<(File, bool), FileProblem> {
    check_system()?;
    let missing_or = |what| {
        move |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => FileProblem::Missing,
            io::ErrorKind::PermissionDenied if writes && what == "open the file" => FileProblem::ReadOnly,
            _ => FileProblem::io(what)(error),
        }
    };
    loop {
        // Tested before opening: opening a pipe waits for its other end.
        let metadata = std::fs::metadata(path).map_err(missing_or("look at the file"))?;
        if !metadata.is_file() {
            return Err(FileProblem::NotAFile { found: files::kind_of(metadata.file_type()) });
        }
        let file =
            OpenOptions::new().read(true).write(writes).open(path).map_err(missing_or("open the file"))?;
        if writes {
            check_writable(&file)?;
        }
        let is_alone = session::lock(&file)?;
        let ours = file.metadata().map_err(FileProblem::io("look at the file"))?;
        // While this process waited for the lock, another may have replaced the file.
        if std::fs::metadata(path).is_ok_and(|there| files::is_same(&there, &ours)) {
            return Ok((file, is_alone));
        }
    }
}

fn open(path: &Path, mode: TableMode, expected: Option<&Identity>) -> Result<Table, FileProblem> {
    let writes = mode == TableMode::ReadWrite;
    let (file, is_alone) = open_locked(path, writes)?;
    let Header { layout, identity, lineage } = read_header(&file)?;
    if let Some(expected) = expected {
        compare(expected, &identity)?;
    }
    // Read under the lock.
    let metadata = file.metadata().map_err(FileProblem::io("look at the file"))?;
    let bytes = layout.bytes() as u64;
    if metadata.len() != bytes {
        return Err(FileProblem::Length { expected: bytes, found: metadata.len() });
    }
    let Entered { ending, word, must_be_synced } = session::enter(&file, mode, is_alone)?;
    // A copy may have holes where the original had zeros.
    if writes && files::allocated_bytes(&metadata) < bytes {
        reserve(&file, bytes)?;
    }
    let sharing = if writes { Sharing::Shared } else { Sharing::Private };
    let backing = Backing::file(&file, layout.words(), sharing).map_err(FileProblem::io("map the file"))?;
    let session = Session::new(file, mode, ending);
    let mapped = MappedFile { path: path.to_owned(), session, identity, lineage };
    let mut table = Table { file: Some(mapped), searcher: random(), ..Table::of(backing, layout) };
    table.opening = table.header(header::OPENINGS).load(Relaxed).wrapping_add(1);
    if writes {
        table.opening = table.header(header::OPENINGS).fetch_add(1, Relaxed).wrapping_add(1);
        // Another process may have begun a new epoch while the lock was converted to a shared one.
        table.epoch = table.header(header::USE).load(Relaxed) & EPOCH_MASK;
        if must_be_synced {
            table.backing.sync_start(FIRST_PAGE).map_err(FileProblem::io("write the file to the disk"))?;
        }
    } else {
        table.epoch = word & EPOCH_MASK;
    }
    Ok(table)
}

/// Reads the header of an open file. Bytes missing from a file shorter than a header count as zeros.
pub(super) fn read_header(file: &File) -> Result<Header, FileProblem> {
    let mut bytes = [0; 8 * HEADER_WORDS];
    let read = files::read_all_at(file, &mut bytes, 0).map_err(FileProblem::io("read the file"))?;
    let words: Vec<_> = bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes).into()).collect();
    header::read(&words).map_err(|fault| match fault {
        HeaderFault::Magic => FileProblem::Magic,
        HeaderFault::ByteOrder => FileProblem::ByteOrder,
        HeaderFault::Version(found) => FileProblem::Version { found },
        HeaderFault::Checksum if read < bytes.len() => {
            FileProblem::Length { expected: bytes.len() as u64, found: read as u64 }
        }
        HeaderFault::Checksum => FileProblem::Header,
        HeaderFault::Layout => FileProblem::Layout,
    })
}

/// Returns an error if the two identities cannot share a table.
pub(super) fn compare(expected: &Identity, found: &Identity) -> Result<(), FileProblem> {
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
