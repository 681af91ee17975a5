//! A table in a file: made, opened, guarded.
//!
//! A file is made under a temporary name with all its blocks reserved, and gets its name when all of it is on the disk:
//! so a name is that of the file before or of the new one, and never that of a part of it. Its users are told apart in
//! [`session`](super::session).

use super::Table;
use super::backing::{Backing, Sharing};
use super::block::EPOCH_MASK;
use super::file_error::{FileError, FileProblem, about};
use super::header::{self, Header, HeaderFault, Identity, Lineage};
use super::layout::{HEADER_WORDS, Layout, Shape};
use super::session::{self, Ending, Entered, Session};
use rand::rand_core::TryRng;
use rand::rngs::SysRng;
use rustix::fs::{FallocateFlags, fallocate, fstatvfs};
use rustix::io::Errno;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tempfile::NamedTempFile;

/// What the first bytes of a file are written with: the smallest page.
const FIRST_PAGE: usize = 4096;

/// What is done with an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableMode {
    /// Searches write to it, together with those of other processes.
    ReadWrite,
    /// Searches write to private copies of its pages; the file stays as it is.
    CopyOnWrite,
    /// Nothing is written. (Technically as `CopyOnWrite`, so that a write could not harm.)
    ReadOnly,
}

/// Whether a file in use still has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It has.
    InPlace,
    /// Nothing has its name any more: what is written is lost when the last process closes it.
    Deleted,
    /// Another file has its name: what is written is lost when the last process closes it.
    Replaced,
}

/// The file of a table; the lock is held as long as this is open.
pub(super) struct MappedFile {
    pub(super) path: PathBuf,
    pub(super) session: Session,
    pub(super) identity: Identity,
    pub(super) lineage: Lineage,
}

impl Table {
    /// Makes the file `path` with an empty table, as large as fits into `bytes`, and opens it.
    ///
    /// # Errors
    /// When it exists, there is no room, or the file system refuses.
    pub fn create(path: &Path, identity: &Identity, shape: Shape, bytes: usize) -> Result<Table, FileError> {
        Table::create_without_name(path, identity, shape, bytes)
            .and_then(|unnamed| unnamed.keep(false))
            .map_err(|problem| about(path, problem))
    }

    /// The same without its name until [`Unnamed::keep`]; a temporary file in the same folder.
    pub(super) fn create_without_name(
        path: &Path,
        identity: &Identity,
        shape: Shape,
        bytes: usize,
    ) -> Result<Unnamed, FileProblem> {
        Unnamed::new(path, identity, Layout::fit(shape, bytes)?)
    }

    /// Opens the table in `path`; with `expected`, only one of that identity.
    ///
    /// Nothing but the header is read, so this takes no longer for a large file.
    ///
    /// # Errors
    /// Whatever may be wrong with a file.
    pub fn open(path: &Path, mode: TableMode, expected: Option<&Identity>) -> Result<Table, FileError> {
        open(path, mode, expected).map_err(|problem| about(path, problem))
    }

    /// The identity of a table in a file; `None` for one on the heap.
    #[must_use]
    pub fn identity(&self) -> Option<&Identity> {
        self.file.as_ref().map(|file| &file.identity)
    }

    /// Where the samples of a table in a file come from.
    #[must_use]
    pub fn lineage(&self) -> Option<&Lineage> {
        self.file.as_ref().map(|file| &file.lineage)
    }

    /// The file's name; `None` for a table on the heap.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.path.as_path())
    }

    /// Whether other processes may write to the same memory.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.session.mode == TableMode::ReadWrite)
    }

    /// Whether the file still has its name; a table on the heap has nothing to lose.
    #[must_use]
    pub fn file_state(&self) -> FileState {
        let Some(MappedFile { path, session, .. }) = &self.file else { return FileState::InPlace };
        let Ok(ours) = session.file.metadata() else { return FileState::InPlace };
        match std::fs::metadata(path) {
            Err(_) => FileState::Deleted,
            Ok(there) if (there.dev(), there.ino()) != (ours.dev(), ours.ino()) => FileState::Replaced,
            Ok(_) => FileState::InPlace,
        }
    }

    /// Asks for the right to change the table in a way that others must not see half done, until it is dropped.
    ///
    /// # Errors
    /// When another process uses it.
    pub fn lock_exclusively(&self) -> Result<(), FileError> {
        let Some(mapped) = &self.file else { return Ok(()) };
        // Converting a lock gives the old one up first; if that fails, nothing more is done with the table.
        mapped.session.file.try_lock().map_err(|error| {
            let problem = match error {
                TryLockError::WouldBlock => {
                    FileProblem::Locked { wanted: "changed as a whole", found: "used" }
                }
                TryLockError::Error(error) => FileProblem::io("lock the file")(error),
            };
            about(&mapped.path, problem)
        })
    }

    /// Writes what is learnt to the disk, each part of the file once in a `period`, and all when the table is dropped.
    /// Searches go on meanwhile.
    ///
    /// # Errors
    /// When searches do not write to the file, or the system cannot map it once more.
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

    /// Writes what is learnt to the disk when the table is dropped.
    pub(super) fn sync_at_end(&mut self) {
        if let Some(file) = &mut self.file {
            file.session.syncs = true;
        }
    }

    /// Why what was learnt could not be written to the disk at some time, if so.
    #[must_use]
    pub fn sync_error(&self) -> Option<String> {
        self.file.as_ref()?.session.sync_error()
    }

    /// How the users before this one had left the file; `None` for a table on the heap.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.file.as_ref().map(|file| file.session.ending)
    }

    /// Says that an emptied table shares no samples any more with copies that were made of it: when all of it is
    /// empty on the disk, too, or samples from before could be found there with the new lineage.
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

/// A new table file that disappears unless it is kept.
pub(super) struct Unnamed {
    temporary: NamedTempFile,
    path: PathBuf,
    backing: Backing,
    layout: Layout,
    identity: Identity,
    lineage: Lineage,
}

impl Unnamed {
    /// An empty one that is to be `path`.
    pub(super) fn new(path: &Path, identity: &Identity, layout: Layout) -> Result<Unnamed, FileProblem> {
        let temporary = temporary_file(path)?;
        reserve(temporary.as_file(), layout.bytes() as u64)?;
        session::lock(temporary.as_file())?;
        let backing = Backing::file(temporary.as_file(), layout.words(), Sharing::Shared)
            .map_err(FileProblem::io("map the file"))?;
        let lineage = Lineage::begun(random());
        header::write(backing.words(), &layout, identity, &lineage);
        backing.words()[header::USE].store(session::word_of_new_file(), Relaxed);
        Ok(Unnamed { temporary, path: path.to_owned(), backing, layout, identity: identity.clone(), lineage })
    }

    /// Writes it to the disk and gives it its name; a file that has it is replaced if `may_replace`, else that is an
    /// error.
    pub(super) fn keep(self, may_replace: bool) -> Result<Table, FileProblem> {
        let Unnamed { temporary, path, backing, layout, identity, lineage } = self;
        let sync = || temporary.as_file().sync_all().map_err(FileProblem::io("write the file to the disk"));
        sync()?;
        header::complete(backing.words());
        sync()?;
        let file = give_name(temporary, &path, may_replace)?;
        while file.try_lock_shared().is_err() {
            // Another had it for a moment, to see whether it is alone.
            std::thread::sleep(Duration::from_millis(1));
        }
        let session = Session::new(file, TableMode::ReadWrite, Ending::Synced);
        let file = MappedFile { path, session, identity, lineage };
        Ok(Table { file: Some(file), searcher: random(), ..Table::of(backing, layout) })
    }

    /// The table, to be filled before it has its name.
    pub(super) fn fill<T, E: From<FileError>>(
        self,
        fill: impl FnOnce(&mut Table) -> Result<T, E>,
    ) -> Result<(Unnamed, T), E> {
        let Unnamed { temporary, path, backing, layout, identity, lineage } = self;
        let cannot_use = |error| about(&path, FileProblem::io("use the new file")(error));
        let file = temporary.as_file().try_clone().map_err(cannot_use)?;
        // Nobody else uses it, so there is nothing to be said to others when it is filled.
        let session = Session::new(file, TableMode::ReadOnly, Ending::Synced);
        let file = MappedFile { path: path.clone(), session, identity, lineage };
        let mut table = Table { file: Some(file), ..Table::of(backing, layout) };
        let result = fill(&mut table)?;
        let Table { backing, file, .. } = table;
        let Some(MappedFile { identity, lineage, .. }) = file else { unreachable!("it was put there") };
        Ok((Unnamed { temporary, path, backing, layout, identity, lineage }, result))
    }
}

/// A new file in the folder of `path`, made with the user's umask, that disappears unless it gets a name. Nothing of
/// that name is there before, so no link is followed.
pub(super) fn temporary_file(path: &Path) -> Result<NamedTempFile, FileProblem> {
    tempfile::Builder::new()
        .prefix(".tewari-")
        .suffix(".tmp")
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(folder_of(path))
        .map_err(FileProblem::io("make a file there"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gives a complete file that is on the disk its name, and that to the disk. A link of that name is replaced, not
/// followed. A file that is replaced leaves its permissions.
pub(super) fn give_name(
    temporary: NamedTempFile,
    path: &Path,
    may_replace: bool,
) -> Result<File, FileProblem> {
    if may_replace && let Ok(replaced) = std::fs::symlink_metadata(path) {
        let set = temporary.as_file().set_permissions(replaced.permissions());
        set.map_err(FileProblem::io("set the permissions of the file"))?;
    }
    let kept = if may_replace { temporary.persist(path) } else { temporary.persist_noclobber(path) };
    let file = kept.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => FileProblem::Exists,
        _ => FileProblem::io("give the file its name")(error.error),
    })?;
    // Some systems do not let folders be synced; the name is there all the same.
    let _ = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
    Ok(file)
}

/// Not 0, and never the same twice.
pub(super) fn random() -> u64 {
    // Without the system's randomness the clock has to do.
    SysRng.try_next_u64().unwrap_or_else(|_| {
        std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64)
    }) | 1
}

fn open(path: &Path, mode: TableMode, expected: Option<&Identity>) -> Result<Table, FileProblem> {
    let missing_or = |what| {
        move |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => FileProblem::Missing,
            io::ErrorKind::PermissionDenied if what == "open the file" => FileProblem::ReadOnly,
            _ => FileProblem::io(what)(error),
        }
    };
    // Looked at before it is opened: to open a pipe waits for its other end.
    let metadata = std::fs::metadata(path).map_err(missing_or("look at the file"))?;
    if !metadata.is_file() {
        return Err(FileProblem::NotAFile { found: kind_of(metadata.file_type()) });
    }
    let writes = mode == TableMode::ReadWrite;
    // Who may write everything still shall not write what is marked as not to be written.
    if writes && metadata.permissions().readonly() {
        return Err(FileProblem::ReadOnly);
    }
    let file = OpenOptions::new().read(true).write(writes).open(path).map_err(missing_or("open the file"))?;
    let is_alone = session::lock(&file)?;
    let Header { layout, identity, lineage } = read_header(&file, header::VERSION)?;
    if let Some(expected) = expected {
        compare(expected, &identity)?;
    }
    // Looked at under the lock.
    let metadata = file.metadata().map_err(FileProblem::io("look at the file"))?;
    let bytes = layout.bytes() as u64;
    if metadata.len() != bytes {
        return Err(FileProblem::Length { expected: bytes, found: metadata.len() });
    }
    let Entered { ending, word, must_be_synced } = session::enter(&file, mode, is_alone)?;
    // A copy may have holes where the original had zeros.
    if writes && metadata.blocks() * 512 < bytes {
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
        // Another may have found it in doubt while the lock was changed to a shared one.
        table.epoch = table.header(header::USE).load(Relaxed) & EPOCH_MASK;
        if must_be_synced {
            table.backing.sync_start(FIRST_PAGE).map_err(FileProblem::io("write the file to the disk"))?;
        }
    } else {
        table.epoch = word & EPOCH_MASK;
    }
    Ok(table)
}

fn kind_of(kind: std::fs::FileType) -> &'static str {
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

/// Reads the header of a file that is open. The rest of a file shorter than a header counts as zeros.
pub(super) fn read_header(file: &File, version: u64) -> Result<Header, FileProblem> {
    use std::os::unix::fs::FileExt;
    let mut bytes = [0; 8 * HEADER_WORDS];
    let mut read = 0;
    while read < bytes.len() {
        match file.read_at(&mut bytes[read..], read as u64) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(FileProblem::io("read the file")(error)),
        }
    }
    let words: Vec<_> = bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes).into()).collect();
    header::read(&words, version).map_err(|fault| match fault {
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

/// Whether a table found is the one wanted.
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

/// Makes sure that every byte of the file has its place on the disk.
pub(super) fn reserve(file: &File, bytes: u64) -> Result<(), FileProblem> {
    let free = fstatvfs(file).map_or(0, |space| space.f_bavail.saturating_mul(space.f_frsize));
    let outcome = loop {
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            Err(Errno::INTR) => {}
            outcome => break outcome,
        }
    };
    match outcome {
        Ok(()) => Ok(()),
        Err(Errno::NOSPC | Errno::FBIG | Errno::DQUOT) => Err(FileProblem::NoSpace { needed: bytes, free }),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => write_holes(file, bytes, free),
        Err(error) => Err(FileProblem::io("reserve its blocks")(error.into())),
    }
}

/// Appends zeros where the file system cannot reserve blocks; what is there stays.
fn write_holes(mut file: &File, bytes: u64, free: u64) -> Result<(), FileProblem> {
    use std::io::Seek;
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            FileProblem::NoSpace { needed: bytes, free }
        }
        _ => FileProblem::io("reserve its blocks")(error),
    };
    let zeros = [0; 1 << 16];
    let mut at = file.seek(io::SeekFrom::End(0)).map_err(failed)?;
    while at < bytes {
        let count = (bytes - at).min(zeros.len() as u64) as usize;
        file.write_all(&zeros[..count]).map_err(failed)?;
        at += count as u64;
    }
    Ok(())
}
