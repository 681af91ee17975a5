//! Copies of a table while other processes search in it.
//!
//! Each entry and each page of the copy is of one moment, as a search would read it. What is being written or changes too
//! often to be read is left out. Then the copy is repaired: chains that were changed between the copies of their pages end
//! before the first page that no longer fits, and positions get at least the visits of their edges. Results written after
//! the copy of their page are missing. Bounds are copied with the key beside them, so none is applied to another position.
//! Lineage, generation and number of openings are those of the table. Damage that a search would not notice is copied, and
//! `verify` finds it in the copy as in the table.
//!
//! If the file system supports it and pages are ranked, the copy begins as a clone that shares its disk blocks with the
//! table (`FICLONE`). A complete page of a clone may be of different moments.

use crate::base::platform::files;
use crate::table::atomic::{AtomicU64, fence};
use crate::table::backing::{Backing, Sharing};
use crate::table::claim_word;
use crate::table::entry::{Entry, MIN_KEY};
use crate::table::file::session::{self, CloseState};
use crate::table::file::{
    FileError, FileProblem, MappedFile, give_name, reserve, room, temporary_file, with_path,
};
use crate::table::header::{self, Lineage};
use crate::table::layout::HEADER_WORDS;
use crate::table::transposition_table::Table;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// Words copied between two rests (1 MiB).
const CHUNK_WORDS: usize = 1 << 17;
/// Divisor of the rest after each chunk: while others use the table, a copy sleeps for a quarter of the time that the
/// chunk took, since it shares memory and disk with their searches.
const REST_DIVISOR: u32 = 4;
/// Timeout for the exclusive lock of a file that is to be replaced.
const REPLACED_LOCK_TIMEOUT: Duration = Duration::from_millis(200);
/// Maximum number of attempts to read an entry or a page that changes meanwhile.
const MAX_READ_ATTEMPTS: usize = 3;
/// Header words copied from the table.
const COPIED_HEADER_WORDS: [usize; 5] =
    [header::GENERATION, header::OPEN_COUNT, header::CLOCK, header::CLAIMS, header::CLAIMS_AT_GENERATION];

/// The contents of a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotCounts {
    /// Number of positions.
    pub entries: u64,
    /// Number of pages, each in the chain of its position.
    pub pages: u64,
    /// Entries left out because they were being written.
    pub entries_dropped: u64,
    /// Pages left out because they were being written, no chain of the copy contains them, or they were impossible.
    pub pages_dropped: u64,
    /// True if the copy shares disk blocks with the table until either is written.
    pub is_clone: bool,
}

impl Table {
    /// Copies the table's file to the file `path`, while other processes may search in it. An existing file is
    /// replaced if `may_replace`, but never the table itself. Once `should_continue` returns false, the copy ends.
    ///
    /// # Errors
    /// Returns an error if `path` exists and must not be replaced, is the table itself or a table in use, the disk has
    /// no room, or the copy was ended. No file is left behind then.
    pub fn snapshot(
        &self,
        path: &Path,
        may_replace: bool,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<SnapshotCounts, FileError> {
        let copy = || {
            let Some(source) = &self.file else { return Err(FileProblem::Missing) };
            let _replaced = may_be_written(path, &source.session.file, may_replace)?;
            let temporary = temporary_file(path)?;
            let made = match self.clone_to(source, temporary.as_file())? {
                Some(made) => made,
                None => self.copy_to(source, &temporary, should_continue)?,
            };
            if !should_continue() {
                return Err(FileProblem::Interrupted);
            }
            give_name(temporary, path, may_replace)?;
            Ok(made)
        };
        copy().map_err(|problem| with_path(path, problem))
    }

    /// Makes the copy as a clone; `None` if the file system cannot, or if a clone could not be repaired.
    fn clone_to(&self, source: &MappedFile, target: &File) -> Result<Option<SnapshotCounts>, FileProblem> {
        // A clone shares its disk blocks with the table until either is written, so there must be room for a second set.
        let is_possible = self.layout.shape.ranked && room(target) >= self.layout.bytes() as u64;
        if !is_possible || files::clone_content(target, &source.session.file).is_err() {
            return Ok(None);
        }
        let mut copy = self.map_copy(target)?;
        let made = SnapshotCounts { is_clone: true, ..copy.repair_copy() };
        copy.header(header::USE_STATE).store(session::WORD_OF_SYNCED_FILE, Relaxed);
        copy.header(header::FILE_IDENTITY).store(place_of(target)?, Relaxed);
        target.sync_all().map_err(FileProblem::io("write the file to the disk"))?;
        Ok(Some(made))
    }

    fn map_copy(&self, target: &File) -> Result<Table, FileProblem> {
        let backing = Backing::file(target, self.layout.words(), Sharing::Shared);
        Ok(Table::of(backing.map_err(FileProblem::io("map the file"))?, self.layout))
    }

    /// Repairs this copy of another table, and counts what remains and what was dropped.
    fn repair_copy(&mut self) -> SnapshotCounts {
        let found = self.repair(&mut |_| {});
        let census = self.census();
        SnapshotCounts {
            entries: census.entries_used as u64,
            pages: census.pages_used as u64,
            entries_dropped: found.bad_entries + found.unfinished_entries,
            pages_dropped: found.bad_pages + found.unfinished_pages + found.orphans,
            is_clone: false,
        }
    }

    fn copy_to(
        &self,
        source: &MappedFile,
        temporary: &NamedTempFile,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<SnapshotCounts, FileProblem> {
        let target = temporary.as_file();
        let cannot = FileProblem::io("write the copy");
        reserve(target, self.layout.bytes() as u64)?;
        self.backing.expect_scan();
        let lineage = self.present_lineage(source);
        let mut copy = self.map_copy(target)?;
        let mut writer = SnapshotWriter {
            table: self,
            words_copied: 0,
            should_continue,
            last_rest: (source.session.close_state == CloseState::InUse).then(Instant::now),
        };
        let pages_dropped = writer.copy_pages(&copy)?;
        let entries_dropped = writer.copy_entries(&copy)?;
        if self.present_lineage(source) != lineage {
            // Parts of two tables were copied.
            return Err(FileProblem::Locked { wanted: "copied", found: "has emptied" });
        }
        let mut made = copy.repair_copy();
        made.pages_dropped += pages_dropped;
        made.entries_dropped += entries_dropped;
        let words = &copy.backing.words()[..HEADER_WORDS];
        header::write(words, &self.layout, &source.identity, &lineage);
        for index in COPIED_HEADER_WORDS {
            words[index].store(self.header(index).load(Relaxed), Relaxed);
        }
        words[header::USE_STATE].store(session::WORD_OF_SYNCED_FILE, Relaxed);
        words[header::FILE_IDENTITY].store(place_of(target)?, Relaxed);
        target.sync_all().map_err(&cannot)?;
        header::complete(words);
        target.sync_all().map_err(&cannot)?;
        Ok(made)
    }

    /// Returns the lineage in the header at present: another process may have emptied the table since it was opened.
    fn present_lineage(&self, source: &MappedFile) -> Lineage {
        let header = header::read(self.backing.words());
        header.map_or_else(|_| source.lineage.clone(), |header| header.lineage)
    }
}

fn place_of(file: &File) -> Result<u64, FileProblem> {
    session::file_identity(file).map_err(FileProblem::io("read the properties of the file"))
}

/// Tests that a copy of `source` may get the name `path`. An existing file is returned exclusively locked, since the
/// users of a replaced table would lose their results.
fn may_be_written(path: &Path, source: &File, may_replace: bool) -> Result<Option<File>, FileProblem> {
    let look = FileProblem::io("read the properties of the file");
    let named = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        named => named.map_err(&look)?,
    };
    let ours = source.metadata().map_err(&look)?;
    if std::fs::metadata(path).is_ok_and(|there| files::is_same(&there, &ours)) {
        return Err(FileProblem::SameFile);
    }
    if !may_replace {
        return Err(FileProblem::Exists);
    }
    if named.is_symlink() {
        return Ok(None);
    }
    if !named.is_file() {
        return Err(FileProblem::NotAFile { found: files::kind_of(named.file_type()) });
    }
    let file = File::open(path).map_err(FileProblem::io("open the file"))?;
    let began = Instant::now();
    // A child that another thread of this process has just forked holds locks of this process until it runs its program.
    while file.try_lock().is_err() {
        if began.elapsed() > REPLACED_LOCK_TIMEOUT {
            return Err(FileProblem::Locked { wanted: "replaced", found: "uses" });
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(Some(file))
}

/// Copies words to another table, with rests.
struct SnapshotWriter<'t> {
    table: &'t Table,
    words_copied: usize,
    should_continue: &'t dyn Fn() -> bool,
    /// End of the last rest, if others use the table.
    last_rest: Option<Instant>,
}

impl SnapshotWriter<'_> {
    /// Copies all pages; returns the number of those that could not be read.
    fn copy_pages(&mut self, copy: &Table) -> Result<u64, FileProblem> {
        let mut dropped = 0;
        for number in 1..=self.table.layout.pages as u32 {
            let (Some(from), Some(to)) = (self.table.page_words(number), copy.page_words(number)) else {
                break;
            };
            if !self.copy_page(number, from, to) {
                dropped += u64::from(from[0].load(Relaxed) != 0);
                to.iter().for_each(|word| word.store(0, Relaxed));
            }
            self.rest(from.len())?;
        }
        Ok(dropped)
    }

    /// Copies a page as it is at one moment; returns false if it is free, being written, or changes too often.
    fn copy_page(&self, number: u32, from: &[AtomicU64], to: &[AtomicU64]) -> bool {
        for _ in 0..MAX_READ_ATTEMPTS {
            let owner = from[0].load(Acquire);
            if owner == 0 {
                return false;
            }
            let (key, rank) = (self.table.owner_of(owner), claim_word::rank_of(from[1].load(Relaxed)));
            let Some(page) = self.table.page_of(number, key, rank) else { continue };
            // The copy is in the first epoch, in which owners are keys.
            to[0].store(key, Relaxed);
            for (to, from) in to[1..].iter().zip(&from[1..]) {
                to.store(from.load(Relaxed), Relaxed);
            }
            if page.is_current() {
                return true;
            }
        }
        false
    }

    /// Copies all entries; returns the number of those that could not be read.
    fn copy_entries(&mut self, copy: &Table) -> Result<u64, FileProblem> {
        let mut dropped = 0;
        for (from, to) in self.table.entry_words().iter().zip(copy.entry_words()) {
            if from[0].load(Relaxed) != 0 {
                match read_entry(from) {
                    Some(words) => to.iter().zip(words).for_each(|(to, word)| to.store(word, Relaxed)),
                    None => dropped += 1,
                }
            }
            self.rest(from.len())?;
        }
        Ok(dropped)
    }

    /// Counts words copied, and rests after each chunk of them if others use the table. Returns an error if the user has
    /// interrupted the copy.
    fn rest(&mut self, words: usize) -> Result<(), FileProblem> {
        self.words_copied += words;
        if self.words_copied < CHUNK_WORDS {
            return Ok(());
        }
        self.words_copied = 0;
        if !(self.should_continue)() {
            return Err(FileProblem::Interrupted);
        }
        if let Some(last_rest) = &mut self.last_rest {
            thread::sleep(last_rest.elapsed() / REST_DIVISOR);
            *last_rest = Instant::now();
        }
        Ok(())
    }
}

/// Reads an entry as it is at one moment; `None` if it is being written or changes too often.
fn read_entry(words: &[AtomicU64; 4]) -> Option<[u64; 4]> {
    (0..MAX_READ_ATTEMPTS).find_map(|_| {
        let key = words[0].load(Acquire);
        let found = [key, words[1].load(Relaxed), words[2].load(Relaxed), words[3].load(Relaxed)];
        // Keeps the earlier reads before the comparison.
        fence(Acquire);
        (key >= MIN_KEY && words[0].load(Relaxed) == key).then(|| Entry::for_copy(found))
    })
}
