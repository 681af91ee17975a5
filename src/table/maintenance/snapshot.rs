//! Copies of a table while other processes search in it.
//!
//! Each entry and each page of the copy is of one moment, as a search would read it. Entries and pages that are being
//! written, change too often to be read, or are torn in the table itself are left out. Pages are copied before entries, so
//! that a position has at least the visits of its edges; after a halving in between, its visits are raised. Results written
//! after the copy of their page are missing. Bounds are copied with the key beside them, so none is applied to another
//! position. Lineage, generation and number of openings are those of the table, and the copy needs no recovery. Damage that
//! a search would not notice is copied, and `verify` finds it in the copy as in the table.
//!
//! If the file system supports it, the copy begins as a clone that shares its disk blocks with the table (`FICLONE`).
//! The pages of a clone may be of different moments, so it is repaired like a file after a power cut.

use super::write_behind::WriteBehind;
use crate::base::platform::files;
use crate::table::atomic::{AtomicU64, fence};
use crate::table::backing::{self, Backing, Sharing};
use crate::table::page::Page;
use crate::table::entry::{self, MIN_KEY};
use crate::table::file::session::{self, CloseState};
use crate::table::file::{
    FileError, FileProblem, MappedFile, give_name, reserve, room, temporary_file, with_path,
};
use crate::table::header::{self, Lineage, TableIdentity};
use crate::table::layout::HEADER_WORDS;
use crate::table::transposition_table::Table;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::thread;
use std::time::Instant;
use tempfile::NamedTempFile;

/// Approximate number of words written at once (1 MiB).
const CHUNK_WORDS: usize = 1 << 17;
/// Divisor of the rest after each chunk: while others use the table, a copy sleeps for a quarter of the time that the
/// chunk took, since it shares memory and disk with their searches.
const REST_DIVISOR: u32 = 4;
/// Entries by which prefetches run ahead of copies: the data about their pages lie scattered in memory.
const PREFETCH_ENTRIES: usize = 16;
/// Maximum number of attempts to read an entry or a page that changes meanwhile.
const MAX_READ_ATTEMPTS: usize = 3;
/// Header words copied from the table.
const COPIED_HEADER_WORDS: [usize; 5] =
    [header::GENERATION, header::OPENINGS, header::CLOCK, header::CLAIMS, header::CLAIMS_AT_GENERATION];

/// The contents of a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotCounts {
    /// Number of positions.
    pub entries: u64,
    /// Number of pages, each named by its position.
    pub pages: u64,
    /// Entries left out because they were being written.
    pub entries_dropped: u64,
    /// Pages left out because they were being written, no entry of the copy names them, or their verification failed.
    pub pages_dropped: u64,
    /// True if the copy shares disk blocks with the table until either is written.
    pub is_clone: bool,
}

impl Table {
    /// Copies the table's file to the file `path`, while other processes may search in it. An existing file is
    /// replaced if `may_replace`, but never the table itself.
    ///
    /// # Errors
    /// Returns an error if `path` exists and must not be replaced, is the table itself or a table in use, or the disk
    /// has no room. No file is left behind then.
    pub fn snapshot(&self, path: &Path, may_replace: bool) -> Result<SnapshotCounts, FileError> {
        let copy = || {
            let Some(source) = &self.file else { return Err(FileProblem::Missing) };
            let _replaced = may_be_written(path, &source.session.file, may_replace)?;
            let temporary = temporary_file(path)?;
            let made = match self.clone_to(source, temporary.as_file())? {
                Some(made) => made,
                None => self.copy_to(source, &temporary)?,
            };
            give_name(temporary, path, may_replace)?;
            Ok(made)
        };
        copy().map_err(|problem| with_path(path, problem))
    }

    /// Makes the copy as a clone; `None` if the file system cannot.
    fn clone_to(&self, source: &MappedFile, target: &File) -> Result<Option<SnapshotCounts>, FileProblem> {
        // A clone shares its disk blocks with the table until either is written, so there must be room for a second set.
        let has_room = room(target) >= self.layout.bytes() as u64;
        if !has_room || files::clone_content(target, &source.session.file).is_err() {
            return Ok(None);
        }
        let backing = Backing::file(target, self.layout.words(), Sharing::Shared)
            .map_err(FileProblem::io("map the file"))?;
        let mut table = Table { epoch: self.epoch, ..Table::of(backing, self.layout) };
        let found = table.repair(&mut |_| {});
        table.header(header::USE_STATE).store(session::WORD_OF_SYNCED_FILE | self.epoch, Relaxed);
        table.header(header::FILE_IDENTITY).store(place_of(target)?, Relaxed);
        target.sync_all().map_err(FileProblem::io("write the file to the disk"))?;
        Ok(Some(SnapshotCounts {
            entries: found.entries,
            pages: found.pages,
            entries_dropped: found.bad_entries + found.unfinished_entries,
            pages_dropped: found.bad_pages + found.unfinished_pages + found.orphans,
            is_clone: true,
        }))
    }

    fn copy_to(&self, source: &MappedFile, temporary: &NamedTempFile) -> Result<SnapshotCounts, FileProblem> {
        let target = temporary.as_file();
        let cannot = FileProblem::io("write the copy");
        reserve(target, self.layout.bytes() as u64)?;
        self.backing.expect_scan();
        let lineage = self.present_lineage(source);
        let copied = WriteBehind::run(target, |target| {
            let mut copy = SnapshotWriter {
                table: self,
                target,
                counts: SnapshotCounts::default(),
                copied: std::iter::repeat_with(AtomicU64::default).take(self.layout.pages).collect(),
                buffer: Vec::new(),
                last_rest: (source.session.close_state == CloseState::InUse).then(Instant::now),
            };
            copy.pages()?;
            copy.entries()?;
            Ok((copy.counts, copy.copied))
        });
        let (mut made, pages) = copied.map_err(&cannot)?;
        made.pages_dropped += self.drop_orphans(&pages, target).map_err(&cannot)?;
        if made.entries_dropped > 0 {
            let backing = Backing::file(target, self.layout.words(), Sharing::Shared)
                .map_err(FileProblem::io("map the file"))?;
            Table::of(backing, self.layout).drain_overflow();
        }
        if self.present_lineage(source) != lineage {
            // Parts of two tables were copied.
            return Err(FileProblem::Locked { wanted: "copied", found: "has emptied" });
        }
        let words = self.header_of_copy(&source.identity, &lineage, &made);
        words[header::FILE_IDENTITY].store(place_of(temporary.as_file())?, Relaxed);
        let write_header = || {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect();
            files::write_all_at(target, &bytes, 0)
        };
        write_header().and_then(|()| target.sync_all()).map_err(&cannot)?;
        header::complete(&words);
        write_header().and_then(|()| target.sync_all()).map_err(&cannot)?;
        Ok(made)
    }

    /// Frees the pages of the copy that none of its entries names; returns their number.
    fn drop_orphans(&self, copied: &[AtomicU64], target: &File) -> io::Result<u64> {
        let mut dropped = 0;
        let copied = copied.iter().map(|word| CopiedPage::unpack(word.load(Relaxed)));
        for (index, _) in copied.enumerate().filter(|(_, page)| page.owner != 0 && !page.is_named) {
            dropped += 1;
            let offset = self.layout.pool() + index * self.layout.shape.page_words();
            files::write_all_at(target, &[0; 24], 8 * offset as u64)?;
        }
        Ok(dropped)
    }

    /// Returns the lineage in the header at present: another process may have emptied the table since it was opened.
    fn present_lineage(&self, source: &MappedFile) -> Lineage {
        let header = header::read(self.backing.words());
        header.map_or_else(|_| source.lineage.clone(), |header| header.lineage)
    }

    fn header_of_copy(
        &self,
        identity: &TableIdentity,
        lineage: &Lineage,
        made: &SnapshotCounts,
    ) -> Vec<AtomicU64> {
        let words: Vec<AtomicU64> = (0..HEADER_WORDS).map(|_| AtomicU64::new(0)).collect();
        header::write(&words, &self.layout, identity, lineage);
        for index in COPIED_HEADER_WORDS {
            words[index].store(self.header(index).load(Relaxed), Relaxed);
        }
        words[header::ENTRIES_USED].store(made.entries, Relaxed);
        words[header::PAGES_USED].store(made.pages, Relaxed);
        words[header::USE_STATE].store(session::WORD_OF_SYNCED_FILE, Relaxed);
        words
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
    if file.try_lock().is_err() {
        return Err(FileProblem::Locked { wanted: "replaced", found: "uses" });
    }
    Ok(Some(file))
}

/// The data kept about a copied page, in one word: bits 0..32 the owner, 32..63 the visits, 63 whether it is named.
#[derive(Clone, Copy)]
struct CopiedPage {
    /// The lower half of the owner's key; 0 if the page was left out.
    owner: u32,
    /// Visits of the edges, saturating at 31 bits.
    visits: u32,
    /// True if an entry of the copy names the page.
    is_named: bool,
}

impl CopiedPage {
    fn pack(self) -> u64 {
        let visits = u64::from(self.visits.min(u32::MAX >> 1));
        u64::from(self.is_named) << 63 | visits << 32 | u64::from(self.owner)
    }

    fn unpack(word: u64) -> CopiedPage {
        let visits = (word >> 32) as u32 & u32::MAX >> 1;
        CopiedPage { owner: word as u32, visits, is_named: word >> 63 != 0 }
    }
}

struct SnapshotWriter<'t> {
    table: &'t Table,
    target: &'t WriteBehind,
    counts: SnapshotCounts,
    /// One [`CopiedPage`] for each page, as atomics because these can be prefetched.
    copied: Vec<AtomicU64>,
    buffer: Vec<u8>,
    /// End of the last rest, if others use the table.
    last_rest: Option<Instant>,
}

impl SnapshotWriter<'_> {
    fn pages(&mut self) -> io::Result<()> {
        let layout = self.table.layout;
        let words = layout.shape.page_words();
        let mut at = layout.pool();
        for number in 1..=layout.pages as u32 {
            self.page(number);
            if self.buffer.len() >= 8 * CHUNK_WORDS || number as usize == layout.pages {
                self.flush(at)?;
                at = layout.pool() + number as usize * words;
            }
        }
        Ok(())
    }

    /// Appends a page to the buffer; zeros (a free page) if it has no owner or cannot be copied.
    fn page(&mut self, number: u32) {
        let table = self.table;
        let Some(words) = table.page_words(number) else { return };
        let start = self.buffer.len();
        for _ in 0..MAX_READ_ATTEMPTS {
            let owner = words[0].load(Acquire);
            if owner == 0 {
                break;
            }
            let Some(page) = Page::accept_any(words, table.layout.shape, number, owner) else { continue };
            self.append(words.iter().map(|word| word.load(Relaxed)), words.len());
            let visits = page.edges().map(|edge| u64::from(edge.visits())).sum::<u64>();
            let is_sound =
                page.has_matching_tags() && (page.has_epoch(table.epoch) || page.fault().is_none());
            if page.is_current() && is_sound {
                // Epoch 0, that of the copy.
                self.buffer[start + 12..start + 16].fill(0);
                let visits = visits.min(u32::MAX.into()) as u32;
                let copied = CopiedPage { owner: owner as u32, visits, is_named: false };
                self.copied[number as usize - 1].store(copied.pack(), Relaxed);
                return;
            }
            self.buffer.truncate(start);
        }
        self.counts.pages_dropped += u64::from(words[0].load(Relaxed) != 0);
        self.buffer.resize(start + 8 * words.len(), 0);
    }

    fn entries(&mut self) -> io::Result<()> {
        let mut at = self.table.layout.directory();
        let table = self.table;
        let entries = table.entry_words();
        for (index, words) in entries.iter().enumerate() {
            if let Some([.., meta, _]) = entries.get(index + PREFETCH_ENTRIES) {
                self.prefetch_page(entry::page_of(meta.load(Relaxed)));
            }
            let copy = self.entry(words);
            self.append(copy.into_iter(), copy.len());
            if self.buffer.len() >= 8 * CHUNK_WORDS {
                at = self.flush(at)?;
            }
        }
        self.flush(at).map(|_| ())
    }

    fn prefetch_page(&self, number: u32) {
        if let Some(word) = self.word_of_page(number) {
            backing::prefetch(word);
        }
    }

    /// Returns the data about a page; `None` for number 0, no page.
    fn word_of_page(&self, number: u32) -> Option<&AtomicU64> {
        (number as usize).checked_sub(1).and_then(|index| self.copied.get(index))
    }

    /// Returns the words of the entry for the copy; zeros (an empty entry) if it cannot be copied.
    fn entry(&mut self, words: &[AtomicU64; 4]) -> [u64; 4] {
        if words[0].load(Relaxed) == 0 {
            return [0; 4];
        }
        for _ in 0..MAX_READ_ATTEMPTS {
            let key = words[0].load(Acquire);
            let found = [key, words[1].load(Relaxed), words[2].load(Relaxed), words[3].load(Relaxed)];
            // Keeps the earlier reads before the comparison.
            fence(Acquire);
            if key >= MIN_KEY && words[0].load(Relaxed) == key {
                let copy = entry::Entry::prepare_copy(found);
                return self.with_visits_of_page(copy);
            }
        }
        self.counts.entries_dropped += 1;
        [0; 4]
    }

    fn with_visits_of_page(&mut self, found: entry::EntryCopy) -> [u64; 4] {
        self.counts.entries += 1;
        let Some(word) = self.word_of_page(found.page) else { return found.words };
        let page = CopiedPage::unpack(word.load(Relaxed));
        if page.owner == 0 || page.owner != found.words[0] as u32 {
            return found.words;
        }
        word.store(CopiedPage { is_named: true, ..page }.pack(), Relaxed);
        self.counts.pages += u64::from(!page.is_named);
        let visits = found.words[1] >> 32;
        let counted = u64::from(page.visits) + u64::from(found.leaf_visits);
        if counted > Table::visits_allowed(visits) {
            let [key, total, meta, bounds] = found.words;
            let raised = counted.min(u32::MAX.into());
            return [key, total & u64::from(u32::MAX) | raised << 32, meta, bounds];
        }
        found.words
    }

    /// Appends `count` words to the buffer as little-endian bytes.
    fn append(&mut self, words: impl Iterator<Item = u64>, count: usize) {
        let start = self.buffer.len();
        self.buffer.resize(start + 8 * count, 0);
        for (bytes, word) in self.buffer[start..].as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
    }

    /// Writes the buffer at word `at`, and rests if others use the table; returns the next word.
    fn flush(&mut self, at: usize) -> io::Result<usize> {
        let after = at + self.buffer.len() / 8;
        self.buffer = self.target.write(std::mem::take(&mut self.buffer), 8 * at as u64)?;
        if let Some(last_rest) = &mut self.last_rest {
            thread::sleep(last_rest.elapsed() / REST_DIVISOR);
            *last_rest = Instant::now();
        }
        Ok(after)
    }
}
