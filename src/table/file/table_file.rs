//! The file of an open table: its identity, the exclusive lock, and writing to the disk.

use super::error::{FileError, FileProblem, with_path};
use super::mapped::{FileState, MappedFile};
use super::new_file::check_writable;
use super::random::random;
use super::session::{CloseState, TableMode};
use crate::base::platform::files;
use crate::table::header::{self, Lineage, TableIdentity};
use crate::table::transposition_table::Table;
use std::fs::TryLockError;
use std::path::Path;
use std::time::Duration;

impl Table {
    /// Returns the identity of the table's file; `None` for a table on the heap.
    #[must_use]
    pub fn identity(&self) -> Option<&TableIdentity> {
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
        let wanted = "changed";
        let lock = || {
            // A conversion releases the shared lock first; if it fails, the caller stops using the table.
            mapped.session.file.try_lock().map_err(|error| match error {
                TryLockError::WouldBlock => FileProblem::Locked { wanted, found: "uses" },
                TryLockError::Error(error) => FileProblem::io("lock the file")(error),
            })?;
            if self.file_state() != FileState::InPlace {
                return Err(FileProblem::Locked { wanted, found: "has replaced" });
            }
            check_writable(&mapped.session.file)
        };
        lock().map_err(|problem| with_path(&mapped.path, problem))
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
                let problem = FileProblem::io("prepare to write the file to the disk");
                outcome.map_err(|error| with_path(&file.path, problem(error)))?;
            }
            Some(file) => return Err(with_path(&file.path, FileProblem::NothingToSync)),
            None => {}
        }
        Ok(())
    }

    /// Requests that search results are written to the disk when the table is dropped.
    pub(in crate::table) fn sync_at_end(&mut self) {
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
    pub fn close_state(&self) -> Option<CloseState> {
        self.file.as_ref().map(|file| file.session.close_state)
    }

    /// Begins a new lineage for an emptied table, which shares no samples with earlier copies of it. First the
    /// emptied table is synced: otherwise old samples could be found on the disk under the new lineage.
    pub(in crate::table) fn begin_lineage(&mut self) {
        let Some(file) = &mut self.file else { return };
        let is_empty = file.session.mode != TableMode::ReadWrite || file.session.file.sync_data().is_ok();
        if is_empty {
            file.lineage = Lineage::begun(random());
            header::begin_lineage(self.backing.words(), &file.lineage);
        }
    }

    /// Adds the origins of other tables, since it will get their samples. An empty table has no origin of its own.
    pub fn share_lineage(&mut self, with: &Lineage) {
        let is_empty = self.census().entries_used == 0;
        let Some(file) = self.file.as_mut().filter(|file| file.session.mode == TableMode::ReadWrite) else {
            return;
        };
        let words = self.backing.words();
        let [first, others @ ..] = with.origins() else { return };
        if is_empty && file.lineage.origins() != with.origins() {
            file.lineage = Lineage::begun(*first);
            header::begin_lineage(words, &file.lineage);
        }
        for &number in [first].into_iter().chain(others) {
            file.lineage = header::add_origin(words, &file.lineage, number);
        }
    }

    /// Writes the lineage of a table that is being filled.
    pub(in crate::table) fn set_lineage(&mut self, lineage: Lineage) {
        if let Some(file) = &mut self.file {
            file.lineage = lineage;
            header::write(self.backing.words(), &self.layout, &file.identity, &file.lineage);
        }
    }
}
