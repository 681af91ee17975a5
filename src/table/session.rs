//! Who uses a file, and how the last users left it.
//!
//! Who uses a file holds a shared advisory lock as long as it is mapped; what replaces its content holds an exclusive
//! one. Besides, a word of the header says that it is in use, on which run of the machine, and when it was left whether
//! all of it had been written to the disk. Who opens a file and is alone with it (for a moment, by the lock) knows from
//! that word whether what he finds is of one moment:
//!
//! | the word says     | alone | in doubt                                                                         |
//! |-------------------|-------|----------------------------------------------------------------------------------|
//! | synced            | –     | no                                                                               |
//! | closed, this run  | –     | no: what was not written to the disk is in the system's memory                   |
//! | in use, this run  | no    | no                                                                               |
//! | in use, this run  | yes   | yes: a user was killed, or could not write all of it to the disk                 |
//! | another run       | –     | yes: nothing tells whether all had been written when the machine stopped         |
//!
//! Another word says which file of the machine this is. In a copy it is that of another file, and then all is in doubt
//! whatever the first word says: that may have been copied before, and the rest after, somebody wrote. So it is, without
//! need, where a file system gets another number when the machine is started.
//!
//! In doubt the file gets another *epoch*, and its blocks are looked at before they are used
//! ([`doubt`](super::doubt)). The word is on the disk before anything of the new epoch is.

use super::block::EPOCH_SHIFT;
use super::file::TableMode;
use super::file_error::FileProblem;
use super::header::{PLACE, USE};
use super::syncer::Syncer;
use crate::platform::{files, process};
use std::fs::{File, TryLockError};
use std::io;
use std::time::{Duration, Instant};

/// Who opens a file holds it alone for a moment: others wait for so long.
const PATIENCE: Duration = Duration::from_secs(1);
const STATE_SHIFT: u32 = 30;
const BOOT_MASK: u64 = (1 << STATE_SHIFT) - 1;
const SYNCED: u64 = 0;
const IN_USE: u64 = 1;
const CLOSED: u64 = 2;

/// How a file was found when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its last users had written all of it to the disk.
    Synced,
    /// Its last user had closed it, since the machine was started.
    Closed,
    /// Others were using it.
    InUse,
    /// A user had ended without closing it, or could not write all of it to the disk.
    Killed,
    /// It is a copy of another file, which may have been in use meanwhile.
    Copied,
    /// The machine was started anew since it was used, and nothing says that all had been written to the disk.
    OtherRun,
}

impl Ending {
    /// Whether its blocks have to be looked at.
    pub(super) fn is_in_doubt(self) -> bool {
        matches!(self, Ending::Killed | Ending::Copied | Ending::OtherRun)
    }

    /// In words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Ending::Synced => "closed, and all written to the disk",
            Ending::Closed => "closed",
            Ending::InUse => "in use",
            Ending::Killed => "not closed: a user was killed, or could not write all to the disk",
            Ending::Copied => "a copy of another file, which may have been in use (or moved to another disk)",
            Ending::OtherRun => "the machine stopped before all was known to be on the disk",
        }
    }
}

/// The word of the header: bits 0..30 the machine's run, 30..32 the state, 32..64 the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Use(u64);

impl Use {
    fn ending(self, boot: u64, is_alone: bool) -> Ending {
        match (self.0 >> STATE_SHIFT & 3, self.0 & BOOT_MASK == boot && boot != 0) {
            (SYNCED, _) => Ending::Synced,
            (CLOSED, true) => Ending::Closed,
            (IN_USE, true) if is_alone => Ending::Killed,
            (IN_USE, true) => Ending::InUse,
            _ => Ending::OtherRun,
        }
    }

    fn with_state(self, state: u64, boot: u64) -> Use {
        Use(self.0 >> EPOCH_SHIFT << EPOCH_SHIFT | state << STATE_SHIFT | boot)
    }

    /// While it is used by who found it as `ending` says.
    fn entered(self, ending: Ending, boot: u64) -> Use {
        let epochs = u64::from(ending.is_in_doubt()) << EPOCH_SHIFT;
        Use(self.0.wrapping_add(epochs)).with_state(IN_USE, boot)
    }
}

/// The word of a new file.
pub(super) fn word_of_new_file() -> u64 {
    Use(0).with_state(IN_USE, boot()).0
}

/// The word of a file all of which is on the disk, and none in doubt.
pub(super) const WORD_OF_SYNCED_FILE: u64 = SYNCED << STATE_SHIFT;

/// Which run of the machine this is; 0 if the system does not tell.
fn boot() -> u64 {
    let Some(id) = process::boot_id() else { return 0 };
    let hash = super::header::fnv1a(id.into_bytes().into_iter());
    ((hash ^ hash >> 32) & BOOT_MASK).max(1)
}

/// Which file of the machine this is, from its device and its number there; not 0.
pub(super) fn place(file: &File) -> io::Result<u64> {
    let numbers = files::identity(&file.metadata()?).ok_or(io::ErrorKind::Unsupported)?;
    Ok(super::header::fnv1a(numbers.into_iter().flat_map(u64::to_le_bytes)).max(1))
}

/// What was found on entering, and what has to be done about it.
pub(super) struct Entered {
    pub(super) ending: Ending,
    /// What the word is now; where the file is not written, what it would be.
    pub(super) word: u64,
    /// Whether it must be on the disk before anything else is.
    pub(super) must_be_synced: bool,
}

/// Takes the lock of a user: an exclusive one where nobody else has one, until [`enter`] makes it shared. Returns
/// whether that was so.
pub(super) fn lock(file: &File) -> Result<bool, FileProblem> {
    let locked = |outcome: Result<(), TryLockError>| match outcome {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(FileProblem::io("lock the file")(error)),
    };
    let began = Instant::now();
    loop {
        // Not every system lets a file be locked alone that was opened for reading.
        if matches!(file.try_lock(), Ok(())) {
            return Ok(true);
        }
        if locked(file.try_lock_shared())? {
            return Ok(false);
        }
        if began.elapsed() > PATIENCE {
            return Err(FileProblem::Locked { wanted: "used", found: "locked for a change" });
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Says in the header that the file is in use, if it is to be written, and shares the lock.
pub(super) fn enter(file: &File, mode: TableMode, is_alone: bool) -> Result<Entered, FileProblem> {
    let cannot = FileProblem::io("say in the file that it is used");
    let boot = boot();
    let found = Use(read_word(file, USE).map_err(&cannot)?);
    let (place, found_place) = (place(file).map_err(&cannot)?, read_word(file, PLACE).map_err(&cannot)?);
    // Files of earlier versions have 0.
    let is_copy = found_place != place && found_place != 0;
    let ending = if is_copy { Ending::Copied } else { found.ending(boot, is_alone) };
    let entered = found.entered(ending, boot);
    if mode == TableMode::ReadWrite && (entered != found || found_place != place) {
        // Two processes that are not alone write the same, or the later one another epoch. Who finds the place its own
        // finds the epoch, too.
        write_word(file, USE, entered.0).map_err(&cannot)?;
        write_word(file, PLACE, place).map_err(&cannot)?;
    }
    while is_alone && file.try_lock_shared().is_err() {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(Entered { ending, word: entered.0, must_be_synced: ending.is_in_doubt() || ending == Ending::Synced })
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

/// The use of a file by this process, until it is dropped.
pub(super) struct Session {
    pub(super) file: File,
    pub(super) mode: TableMode,
    pub(super) ending: Ending,
    /// Whether all is written to the disk at the end.
    pub(super) syncs: bool,
    syncer: Option<Syncer>,
}

impl Session {
    pub(super) fn new(file: File, mode: TableMode, ending: Ending) -> Session {
        Session { file, mode, ending, syncs: false, syncer: None }
    }

    /// Writes what was learnt to the disk, all of it once in each `period`, and at the end.
    pub(super) fn sync_every(&mut self, period: Duration) -> io::Result<()> {
        self.syncs = true;
        self.syncer = Some(Syncer::start(&self.file, period)?);
        Ok(())
    }

    /// Why the disk could not be written once, if it could not.
    pub(super) fn sync_error(&self) -> Option<String> {
        self.syncer.as_ref().and_then(Syncer::error)
    }

    /// Notes how the file is left, if no other user is there to do it later.
    fn leave(&mut self) -> io::Result<()> {
        let is_written = self.syncer.take().is_none_or(Syncer::finish);
        if self.syncs {
            self.file.sync_data()?;
        }
        if self.mode != TableMode::ReadWrite || self.file.try_lock().is_err() {
            return Ok(());
        }
        // Another may have written something before this one was alone. The system takes pages that it could not write
        // for written, and may read what they had before: then the file was not closed.
        if self.syncs && !(is_written && self.file.sync_data().is_ok()) {
            return Ok(());
        }
        let word = Use(read_word(&self.file, USE)?);
        let state = if self.syncs { SYNCED } else { CLOSED };
        write_word(&self.file, USE, word.with_state(state, boot()).0)?;
        if self.syncs { self.file.sync_data() } else { Ok(()) }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A file that does not say so was not closed: its blocks are looked at when it is opened again.
        let _ = self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_the_header_says_whether_a_file_is_in_doubt() {
        let [here, other] = [7, 8];
        let word = |state, boot| Use(3 << EPOCH_SHIFT).with_state(state, boot);
        for (state, boot, is_alone, ending) in [
            (SYNCED, other, true, Ending::Synced),
            (SYNCED, other, false, Ending::Synced),
            (CLOSED, here, true, Ending::Closed),
            (CLOSED, other, true, Ending::OtherRun),
            (IN_USE, here, true, Ending::Killed),
            (IN_USE, here, false, Ending::InUse),
            (IN_USE, other, false, Ending::OtherRun),
            (3, here, true, Ending::OtherRun),
        ] {
            assert_eq!(word(state, boot).ending(here, is_alone), ending, "{state} {boot} {is_alone}");
            let entered = word(state, boot).entered(ending, here);
            assert_eq!(entered.0 & BOOT_MASK, here);
            assert_eq!(entered.0 >> EPOCH_SHIFT, 3 + u64::from(ending.is_in_doubt()));
            assert_eq!(entered.ending(here, false), Ending::InUse);
        }
        // Without a name for the run nothing but a synced file is trusted.
        assert_eq!(word(CLOSED, 0).ending(0, true), Ending::OtherRun);
        assert_eq!(Use(u64::MAX).entered(Ending::OtherRun, here), Use(0).with_state(IN_USE, here));
    }
}
