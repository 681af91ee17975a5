//! Creation of table files.

use super::error::{FileError, FileProblem, with_path};
use super::mapped::MappedFile;
use super::new_file::{check_system, give_name, reserve, temporary_file};
use super::random::random;
use super::session::{self, CloseState, FileSession, TableMode};
use crate::table::backing::{Backing, Sharing};
use crate::table::header::{self, Lineage, TableIdentity};
use crate::table::layout::{Layout, Shape};
use crate::table::transposition_table::Table;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tempfile::NamedTempFile;

impl Table {
    /// Creates the file `path` with an empty table, as large as fits into `bytes`, and opens it.
    ///
    /// # Errors
    /// Returns an error if the file exists, the disk has no room, or the file system fails.
    pub fn create(
        path: &Path,
        identity: &TableIdentity,
        shape: Shape,
        bytes: usize,
    ) -> Result<Table, FileError> {
        Table::create_without_name(path, identity, shape, bytes)
            .and_then(|unnamed| unnamed.keep(false))
            .map_err(|problem| with_path(path, problem))
    }

    /// Creates the same as a temporary file in the same folder, without the name until [`UnnamedFile::keep`].
    pub(in crate::table) fn create_without_name(
        path: &Path,
        identity: &TableIdentity,
        shape: Shape,
        bytes: usize,
    ) -> Result<UnnamedFile, FileProblem> {
        UnnamedFile::new(path, identity, Layout::fit(shape, bytes)?)
    }
}

/// A new table file without its name, deleted on drop unless it is kept.
pub(in crate::table) struct UnnamedFile {
    temporary: NamedTempFile,
    path: PathBuf,
    backing: Backing,
    layout: Layout,
    identity: TableIdentity,
    lineage: Lineage,
}

impl UnnamedFile {
    /// Creates an empty table file to be named `path`.
    pub(in crate::table) fn new(
        path: &Path,
        identity: &TableIdentity,
        layout: Layout,
    ) -> Result<UnnamedFile, FileProblem> {
        check_system()?;
        let temporary = temporary_file(path)?;
        reserve(temporary.as_file(), layout.bytes() as u64)?;
        let backing = Backing::file(temporary.as_file(), layout.words(), Sharing::Shared)
            .map_err(FileProblem::io("map the file"))?;
        let lineage = Lineage::begun(random());
        header::write(backing.words(), &layout, identity, &lineage);
        backing.words()[header::USE_STATE].store(session::word_of_new_file(), Relaxed);
        let place = session::file_identity(temporary.as_file())
            .map_err(FileProblem::io("read the properties of the file"))?;
        backing.words()[header::FILE_IDENTITY].store(place, Relaxed);
        Ok(UnnamedFile {
            temporary,
            path: path.to_owned(),
            backing,
            layout,
            identity: identity.clone(),
            lineage,
        })
    }

    /// Writes the file to the disk and gives it its name. If another file has the name, it is replaced if
    /// `may_replace`, otherwise an error is returned.
    pub(in crate::table) fn keep(self, may_replace: bool) -> Result<Table, FileProblem> {
        let UnnamedFile { temporary, path, backing, layout, identity, lineage } = self;
        let sync = || temporary.as_file().sync_all().map_err(FileProblem::io("write the file to the disk"));
        sync()?;
        header::complete(backing.words());
        sync()?;
        let file = give_name(temporary, &path, may_replace)?;
        while file.try_lock_shared().is_err() {
            // Another process briefly holds the exclusive lock, to test whether it is the only user.
            std::thread::sleep(Duration::from_millis(1));
        }
        let session = FileSession::new(file, TableMode::ReadWrite, CloseState::Synced);
        let file = MappedFile { path, session, identity, lineage };
        Ok(Table { file: Some(file), searcher: random(), ..Table::of(backing, layout) })
    }

    /// Opens the table to fill it before it gets its name.
    pub(in crate::table) fn fill<T, E: From<FileError>>(
        self,
        fill: impl FnOnce(&mut Table) -> Result<T, E>,
    ) -> Result<(UnnamedFile, T), E> {
        let UnnamedFile { temporary, path, backing, layout, identity, lineage } = self;
        let cannot_use = |error| with_path(&path, FileProblem::io("use the new file")(error));
        let file = temporary.as_file().try_clone().map_err(cannot_use)?;
        // `ReadOnly`: the file has no other users, so dropping the session records nothing in the header.
        let session = FileSession::new(file, TableMode::ReadOnly, CloseState::Synced);
        let file = MappedFile { path: path.clone(), session, identity, lineage };
        let mut table = Table { file: Some(file), ..Table::of(backing, layout) };
        let result = fill(&mut table)?;
        let Table { backing, file, .. } = table;
        let Some(MappedFile { identity, lineage, .. }) = file else { unreachable!("it was put there") };
        Ok((UnnamedFile { temporary, path, backing, layout, identity, lineage }, result))
    }
}
