//! The use of a table's file by this process, and the state in which earlier users left it.
//!
//! A user holds a shared advisory lock while the file is mapped; a replacement of its contents needs an exclusive
//! lock. In addition, a word of the header stores whether the file is in use, the boot of the machine, and after
//! closing whether everything is on the disk. A process that opens a file and is its only user (briefly, by an
//! exclusive lock) reads from that word whether all of the file is of one moment, or the file is *in doubt*:
//!
//! | state of the file    | in doubt                                                                             |
//! |----------------------|--------------------------------------------------------------------------------------|
//! | synced               | no                                                                                   |
//! | closed, this boot    | no: what is not on the disk is in the system's memory                                |
//! | in use, this boot    | no, even if the only other user was killed                                           |
//! | another boot         | yes: the machine may have stopped, or a write failed, before all was on the disk     |
//!
//! A second word identifies the file on its machine. In a copy it identifies the original, and the copy is in doubt
//! whatever the first word contains, since another process may have written between the copies of two parts. So is,
//! without need, a file on a file system that gets another device number at boot.
//!
//! Entries and ranked pages lie within one page of memory each, so that they are of one moment in any file. A file in doubt
//! moves to another *epoch*, in which none of its earlier complete pages is found (`Table::owner_of`). The first word is on
//! the disk before any page of the new epoch.

use super::error::FileProblem;
use super::syncer::Syncer;
use crate::base::checksum::fnv1a;
use crate::base::platform::{files, process};
use crate::table::header::{FILE_IDENTITY, USE_STATE};
use std::fs::{File, TryLockError};
use std::io;
use std::time::{Duration, Instant};

/// Timeout for the exclusive lock that another process takes briefly while it opens the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
/// The bits of the word that hold the epoch.
pub(in crate::table) const EPOCH_MASK: u64 = u64::MAX << EPOCH_SHIFT;
const EPOCH_SHIFT: u32 = 32;
const STATE_SHIFT: u32 = 30;
const BOOT_MASK: u64 = (1 << STATE_SHIFT) - 1;
const SYNCED: u64 = 0;
const IN_USE: u64 = 1;
const CLOSED: u64 = 2;

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

/// The state in which a file was found when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseState {
    /// Everything had been written to the disk.
    Synced,
    /// Closed by its last user, since the machine booted.
    Closed,
    /// In use by others.
    InUse,
    /// Not closed: a user was killed.
    Killed,
    /// A copy of another file, which may have been in use during the copy.
    Copied,
    /// Not known to be completely on the disk: last used before the machine booted, or a write failed.
    OtherBoot,
}

impl CloseState {
    /// Returns true if parts of the file may be of different moments.
    pub(in crate::table) fn is_in_doubt(self) -> bool {
        matches!(self, CloseState::Copied | CloseState::OtherBoot)
    }

    /// Returns a description for users.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            CloseState::Synced => "closed, and all written to the disk",
            CloseState::Closed => "closed",
            CloseState::InUse => "in use",
            CloseState::Killed => "not closed: a program that used it was killed",
            CloseState::Copied => {
                "a copy of another file, which may have been in use (or moved to another disk)"
            }
            CloseState::OtherBoot => {
                "the machine stopped or a write failed, possibly before everything was on the disk"
            }
        }
    }
}

/// The header word of the file's use: bits 0..30 the boot, 30..32 the state, 32..64 the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UseState(u64);

impl UseState {
    fn close_state(self, boot: u64, is_alone: bool) -> CloseState {
        match (self.0 >> STATE_SHIFT & 3, self.0 & BOOT_MASK == boot && boot != 0) {
            (SYNCED, _) => CloseState::Synced,
            (CLOSED, true) => CloseState::Closed,
            (IN_USE, true) if is_alone => CloseState::Killed,
            (IN_USE, true) => CloseState::InUse,
            _ => CloseState::OtherBoot,
        }
    }

    fn with_state(self, state: u64, boot: u64) -> UseState {
        UseState(self.0 >> EPOCH_SHIFT << EPOCH_SHIFT | state << STATE_SHIFT | boot)
    }

    /// Returns the value for a file in use that was found in the state `close_state`.
    fn entered(self, close_state: CloseState, boot: u64) -> UseState {
        let epochs = u64::from(close_state.is_in_doubt()) << EPOCH_SHIFT;
        UseState(self.0.wrapping_add(epochs)).with_state(IN_USE, boot)
    }
}

/// Returns the word of a new file, in use by this process.
pub(in crate::table) fn word_of_new_file() -> u64 {
    UseState(0).with_state(IN_USE, boot()).0
}

/// The word of a file that is completely on the disk.
pub(in crate::table) const WORD_OF_SYNCED_FILE: u64 = SYNCED << STATE_SHIFT;

/// Returns a hash of the machine's boot identity; 0 if the system has none.
fn boot() -> u64 {
    let Some(id) = process::boot_id() else { return 0 };
    let hash = fnv1a(id.into_bytes().into_iter());
    ((hash ^ hash >> 32) & BOOT_MASK).max(1)
}

/// Returns a hash of the file's device and inode, not 0, which identifies the file on its machine.
pub(in crate::table) fn file_identity(file: &File) -> io::Result<u64> {
    let numbers = files::identity(&file.metadata()?).ok_or(io::ErrorKind::Unsupported)?;
    Ok(fnv1a(numbers.into_iter().flat_map(u64::to_le_bytes)).max(1))
}

/// The result of entering a file.
pub(in crate::table) struct Entered {
    pub(in crate::table) close_state: CloseState,
    /// The use state after entering; not written if the file is read-only.
    pub(in crate::table) word: u64,
    /// True if the word must be on the disk before any other write.
    pub(in crate::table) must_be_synced: bool,
}

/// Takes the lock of a user: an exclusive one if there is no other user, until [`enter`] converts it to a shared one.
/// Returns true if it is exclusive.
pub(in crate::table) fn lock(file: &File) -> Result<bool, FileProblem> {
    let locked = |outcome: Result<(), TryLockError>| match outcome {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(FileProblem::io("lock the file")(error)),
    };
    let began = Instant::now();
    loop {
        // Errors here are ignored: not every system lets a file opened for reading be locked exclusively.
        if matches!(file.try_lock(), Ok(())) {
            return Ok(true);
        }
        if locked(file.try_lock_shared())? {
            return Ok(false);
        }
        if began.elapsed() > LOCK_TIMEOUT {
            return Err(FileProblem::Locked { wanted: "used", found: "is changing" });
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Records in the header that the file is in use, if it is opened for writing, and converts the lock to a shared one.
pub(in crate::table) fn enter(file: &File, mode: TableMode, is_alone: bool) -> Result<Entered, FileProblem> {
    let cannot = FileProblem::io("record in the file that it is in use");
    let boot = boot();
    let found = UseState(read_word(file, USE_STATE).map_err(&cannot)?);
    let (place, found_place) =
        (file_identity(file).map_err(&cannot)?, read_word(file, FILE_IDENTITY).map_err(&cannot)?);
    // Files of earlier versions contain 0.
    let is_copy = found_place != place && found_place != 0;
    let close_state = if is_copy { CloseState::Copied } else { found.close_state(boot, is_alone) };
    let entered = found.entered(close_state, boot);
    if mode == TableMode::ReadWrite && (entered != found || found_place != place) {
        // Of two simultaneous users both write the same word, or the later one another epoch. The use is written
        // before the identity, so a process that finds its own identity also finds the new epoch.
        write_word(file, USE_STATE, entered.0).map_err(&cannot)?;
        write_word(file, FILE_IDENTITY, place).map_err(&cannot)?;
    }
    while is_alone && file.try_lock_shared().is_err() {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(Entered {
        close_state,
        word: entered.0,
        must_be_synced: close_state.is_in_doubt() || close_state == CloseState::Synced,
    })
}

fn read_word(file: &File, index: usize) -> io::Result<u64> {
    let mut bytes = [0; 8];
    if files::read_all_at(file, &mut bytes, 8 * index as u64)? < bytes.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(u64::from_le_bytes(bytes))
}

fn write_word(file: &File, index: usize, word: u64) -> io::Result<()> {
    files::write_all_at(file, &word.to_le_bytes(), 8 * index as u64)
}

/// The use of a file by this process, until dropped.
pub(in crate::table) struct FileSession {
    pub(in crate::table) file: File,
    pub(in crate::table) mode: TableMode,
    pub(in crate::table) close_state: CloseState,
    /// True if everything is written to the disk at the end.
    pub(in crate::table) syncs: bool,
    syncer: Option<Syncer>,
}

impl FileSession {
    pub(in crate::table) fn new(file: File, mode: TableMode, close_state: CloseState) -> FileSession {
        FileSession { file, mode, close_state, syncs: false, syncer: None }
    }

    /// Writes search results to the disk, each part once per `period`, and all of them at the end.
    pub(in crate::table) fn sync_every(&mut self, period: Duration) -> io::Result<()> {
        self.syncs = true;
        self.syncer = Some(Syncer::start(&self.file, period)?);
        Ok(())
    }

    /// Returns the first error of writing to the disk, if any.
    pub(in crate::table) fn sync_error(&self) -> Option<String> {
        self.syncer.as_ref().and_then(Syncer::error)
    }

    /// Records the state of the file in the header, unless another user remains to do so later.
    fn leave(&mut self) -> io::Result<()> {
        let is_written = self.syncer.take().is_none_or(Syncer::finish);
        let is_written = is_written && (!self.syncs || self.file.sync_data().is_ok());
        if self.mode != TableMode::ReadWrite || self.file.try_lock().is_err() {
            return Ok(());
        }
        // Another user may have written between the sync and the lock. After a failed write the system marks the
        // pages as clean and may read back their old contents: the file is then recorded as of an unknown boot.
        let word = UseState(read_word(&self.file, USE_STATE)?);
        if self.syncs && !(is_written && self.file.sync_data().is_ok()) {
            return write_word(&self.file, USE_STATE, word.with_state(CLOSED, 0).0);
        }
        let state = if self.syncs { SYNCED } else { CLOSED };
        write_word(&self.file, USE_STATE, word.with_state(state, boot()).0)?;
        if self.syncs { self.file.sync_data() } else { Ok(()) }
    }
}

impl Drop for FileSession {
    fn drop(&mut self) {
        // A file not marked as closed counts as that of a killed user.
        let _ = self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_the_header_says_whether_a_file_is_in_doubt() {
        let [here, other] = [7, 8];
        let word = |state, boot| UseState(3 << EPOCH_SHIFT).with_state(state, boot);
        for (state, boot, is_alone, close_state) in [
            (SYNCED, other, true, CloseState::Synced),
            (SYNCED, other, false, CloseState::Synced),
            (CLOSED, here, true, CloseState::Closed),
            (CLOSED, other, true, CloseState::OtherBoot),
            (IN_USE, here, true, CloseState::Killed),
            (IN_USE, here, false, CloseState::InUse),
            (IN_USE, other, false, CloseState::OtherBoot),
            (3, here, true, CloseState::OtherBoot),
        ] {
            assert_eq!(
                word(state, boot).close_state(here, is_alone),
                close_state,
                "{state} {boot} {is_alone}"
            );
            let entered = word(state, boot).entered(close_state, here);
            assert_eq!(entered.0 & BOOT_MASK, here);
            assert_eq!(entered.0 >> EPOCH_SHIFT, 3 + u64::from(close_state.is_in_doubt()));
            assert_eq!(entered.close_state(here, false), CloseState::InUse);
        }
        // Without a boot identity only a synced file is not in doubt.
        assert_eq!(word(CLOSED, 0).close_state(0, true), CloseState::OtherBoot);
        assert_eq!(
            UseState(u64::MAX).entered(CloseState::OtherBoot, here),
            UseState(0).with_state(IN_USE, here)
        );
    }
}
