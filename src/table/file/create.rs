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
use std::path::Path;
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
        UnnamedFile::new(path, identity, shape, bytes)
            .and_then(|unnamed| unnamed.keep(path, false))
            .map_err(|problem| with_path(path, problem))
    }
}

/// A new table in a temporary file, deleted on drop unless it is kept.
pub(in crate::table) struct UnnamedFile {
    temporary: NamedTempFile,
    /// The table, to be filled before the file gets its name.
    pub(in crate::table) table: Table,
}

impl UnnamedFile {
    /// Creates an empty table file to be named `path`, in the same folder and as large as fits into `bytes`.
    pub(in crate::table) fn new(
        path: &Path,
        identity: &TableIdentity,
        shape: Shape,
        bytes: usize,
    ) -> Result<UnnamedFile, FileProblem> {
        let layout = Layout::fit(shape, bytes)?;
        check_system()?;
        let temporary = temporary_file(path)?;
        let file = temporary.as_file();
        reserve(file, layout.bytes() as u64)?;
        let backing =
            Backing::file(file, layout.words(), Sharing::Shared).map_err(FileProblem::io("map the file"))?;
        let (identity, lineage) = (identity.clone(), Lineage::begun(random()));
        header::write(backing.words(), &layout, &identity, &lineage);
        let place =
            session::file_identity(file).map_err(FileProblem::io("read the properties of the file"))?;
        backing.words()[header::USE_STATE].store(session::word_of_new_file(), Relaxed);
        backing.words()[header::FILE_IDENTITY].store(place, Relaxed);
        let file = file.try_clone().map_err(FileProblem::io("use the new file"))?;
        // `ReadOnly`: the file has no other users, so dropping the session records nothing in the header.
        let session = FileSession::new(file, TableMode::ReadOnly, CloseState::Synced);
        let file = MappedFile { path: path.to_owned(), session, identity, lineage };
        Ok(UnnamedFile { temporary, table: Table { file: Some(file), ..Table::of(backing, layout) } })
    }

    /// Writes the file to the disk and names it `path`. If another file has the name, it is replaced if `may_replace`,
    /// otherwise an error is returned.
    pub(in crate::table) fn keep(self, path: &Path, may_replace: bool) -> Result<Table, FileProblem> {
        let UnnamedFile { temporary, mut table } = self;
        let sync = || temporary.as_file().sync_all().map_err(FileProblem::io("write the file to the disk"));
        sync()?;
        header::complete(table.backing.words());
        sync()?;
        let file = give_name(temporary, path, may_replace)?;
        while file.try_lock_shared().is_err() {
            // Another process briefly holds the exclusive lock, to test whether it is the only user.
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(mapped) = &mut table.file {
            mapped.session = FileSession::new(file, TableMode::ReadWrite, CloseState::Synced);
        }
        Ok(Table { searcher: random(), ..table })
    }
}
