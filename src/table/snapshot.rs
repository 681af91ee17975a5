//! A copy of a table while others search in it.
//!
//! Each entry and each block of the copy is that of one moment, as a search would read it; what is being written, does
//! not stay as it is long enough to be read, or is torn in the table itself is left out. Blocks are copied before
//! entries, so that a position has at least the visits of its edges; where a halving came between, its visits are
//! raised. What was learnt after the copy of its page is missing. Bounds are copied with the key beside them: none is
//! believed of another position. Lineage, generation and the number of openings are those of the table, and nothing in
//! the copy is in doubt. Damage that a search would not notice is copied: `verify` finds it in the copy as in the table.
//!
//! Where the file system can, the copy begins as a clone that shares the disk's blocks with the table (`FICLONE`); its
//! pages may be of different moments, so that it is then repaired like a file after a power cut.

use super::Table;
use super::atomic::{AtomicU64, fence};
use super::backing::{self, Backing, Sharing};
use super::block::Block;
use super::entry::{self, FIRST_KEY};
use super::file::MappedFile;
use super::file_error::{FileError, FileProblem, about};
use super::header::{self, Identity, Lineage};
use super::layout::HEADER_WORDS;
use super::new_file::{give_name, reserve, room, temporary_file};
use super::session::{self, Ending};
use super::write_behind::WriteBehind;
use crate::platform::files;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::thread;
use std::time::Instant;
use tempfile::NamedTempFile;

/// Words that are written at once, about.
const CHUNK: usize = 1 << 17;
/// While others use the table, a copy rests after each chunk for one part in so many of the time that the chunk took: it
/// shares memory and disk with their searches.
const REST: u32 = 4;
/// Entries between what is fetched and what is copied: what is remembered of their blocks lies anywhere.
const AHEAD: usize = 16;
/// How often an entry or a block that changes while it is read is read again.
const ATTEMPTS: usize = 3;
/// Words of the header that a copy has from the table.
const COPIED: [usize; 5] =
    [header::GENERATION, header::OPENINGS, header::CLOCK, header::CLAIMS, header::CLAIMS_AT_GENERATION];

/// What a copy holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Positions.
    pub entries: u64,
    /// Blocks that their position names.
    pub blocks: u64,
    /// Entries that were left out: they were being written.
    pub entries_dropped: u64,
    /// Blocks that were left out: they were being written, no entry of the copy names them, or they were in doubt and cannot
    /// be.
    pub blocks_dropped: u64,
    /// Whether it shares the disk's blocks with the table until either is written.
    pub is_clone: bool,
}

impl Table {
    /// Copies the table, in a file, to the file `path`, while others may search in it. A file of that name is replaced if
    /// `may_replace`, but never the table itself.
    ///
    /// # Errors
    /// When there is a file, it is the table or in use, or there is no room. Nothing is left behind then.
    pub fn snapshot(&self, path: &Path, may_replace: bool) -> Result<Snapshot, FileError> {
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
        copy().map_err(|problem| about(path, problem))
    }

    /// `None` where the file system cannot.
    fn clone_to(&self, source: &MappedFile, target: &File) -> Result<Option<Snapshot>, FileProblem> {
        // Until it is written again, each page of the table shares its place on the disk with the copy: there must be room
        // for a second one.
        let has_room = room(target) >= self.layout.bytes() as u64;
        if !has_room || files::clone_content(target, &source.session.file).is_err() {
            return Ok(None);
        }
        let backing = Backing::file(target, self.layout.words(), Sharing::Shared)
            .map_err(FileProblem::io("map the file"))?;
        let mut table = Table { epoch: self.epoch, ..Table::of(backing, self.layout) };
        let found = table.repair(&mut |_| {});
        table.header(header::USE).store(session::WORD_OF_SYNCED_FILE | self.epoch, Relaxed);
        table.header(header::PLACE).store(place_of(target)?, Relaxed);
        target.sync_all().map_err(FileProblem::io("write the file to the disk"))?;
        Ok(Some(Snapshot {
            entries: found.entries,
            blocks: found.blocks,
            entries_dropped: found.bad_entries + found.unfinished_entries,
            blocks_dropped: found.bad_blocks + found.unfinished_blocks + found.orphans,
            is_clone: true,
        }))
    }

    fn copy_to(&self, source: &MappedFile, temporary: &NamedTempFile) -> Result<Snapshot, FileProblem> {
        let target = temporary.as_file();
        let cannot = FileProblem::io("write the copy");
        reserve(target, self.layout.bytes() as u64)?;
        self.backing.expect_scan();
        let lineage = self.present_lineage(source);
        let copied = WriteBehind::run(target, |target| {
            let mut copy = Copy {
                table: self,
                target,
                made: Snapshot::default(),
                copied: std::iter::repeat_with(AtomicU64::default).take(self.layout.blocks).collect(),
                buffer: Vec::new(),
                rested: (source.session.ending == Ending::InUse).then(Instant::now),
            };
            copy.blocks()?;
            copy.entries()?;
            Ok((copy.made, copy.copied))
        });
        let (mut made, blocks) = copied.map_err(&cannot)?;
        made.blocks_dropped += self.drop_orphans(&blocks, target).map_err(&cannot)?;
        if made.entries_dropped > 0 {
            let backing = Backing::file(target, self.layout.words(), Sharing::Shared)
                .map_err(FileProblem::io("map the file"))?;
            Table::of(backing, self.layout).leave_overflow();
        }
        if self.present_lineage(source) != lineage {
            // What was copied is of two tables.
            return Err(FileProblem::Locked { wanted: "copied", found: "emptied" });
        }
        let words = self.header_of_copy(&source.identity, &lineage, &made);
        words[header::PLACE].store(place_of(temporary.as_file())?, Relaxed);
        let write_header = || {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect();
            files::write_all_at(target, &bytes, 0)
        };
        write_header().and_then(|()| target.sync_all()).map_err(&cannot)?;
        header::complete(&words);
        write_header().and_then(|()| target.sync_all()).map_err(&cannot)?;
        Ok(made)
    }

    /// Frees the blocks of the copy that none of its entries names; returns how many there were.
    fn drop_orphans(&self, copied: &[AtomicU64], target: &File) -> io::Result<u64> {
        let mut dropped = 0;
        let copied = copied.iter().map(|word| Copied::unpack(word.load(Relaxed)));
        for (index, _) in copied.enumerate().filter(|(_, block)| block.owner != 0 && !block.is_named) {
            dropped += 1;
            let offset = self.layout.pool() + index * self.layout.shape.block_words();
            files::write_all_at(target, &[0; 24], 8 * offset as u64)?;
        }
        Ok(dropped)
    }

    /// As the header has it now: others may have emptied the table since it was opened.
    fn present_lineage(&self, source: &MappedFile) -> Lineage {
        let header = header::read(self.backing.words());
        header.map_or_else(|_| source.lineage.clone(), |header| header.lineage)
    }

    fn header_of_copy(&self, identity: &Identity, lineage: &Lineage, made: &Snapshot) -> Vec<AtomicU64> {
        let words: Vec<AtomicU64> = (0..HEADER_WORDS).map(|_| AtomicU64::new(0)).collect();
        header::write(&words, &self.layout, identity, lineage);
        for index in COPIED {
            words[index].store(self.header(index).load(Relaxed), Relaxed);
        }
        words[header::ENTRIES_USED].store(made.entries, Relaxed);
        words[header::BLOCKS_USED].store(made.blocks, Relaxed);
        words[header::USE].store(session::WORD_OF_SYNCED_FILE, Relaxed);
        words
    }
}

fn place_of(file: &File) -> Result<u64, FileProblem> {
    session::place(file).map_err(FileProblem::io("look at the file"))
}

/// Whether a copy of `source` may get the name `path`. A table that has it is locked until what is returned is dropped:
/// its users would lose what they learn.
fn may_be_written(path: &Path, source: &File, may_replace: bool) -> Result<Option<File>, FileProblem> {
    let look = FileProblem::io("look at the file");
    let named = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        named => named.map_err(&look)?,
    };
    let ours = source.metadata().map_err(&look)?;
    if std::fs::metadata(path).is_ok_and(|there| files::is_same(&there, &ours)) {
        return Err(FileProblem::Itself);
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
        return Err(FileProblem::Locked { wanted: "replaced", found: "used" });
    }
    Ok(Some(file))
}

/// What is remembered of a block that was copied, in one word: bits 0..32 the owner, 32..63 the visits, 63 whether it is
/// named.
#[derive(Clone, Copy)]
struct Copied {
    /// The lower half of its owner; 0 if it was left out.
    owner: u32,
    /// Visits of its edges, as far as they fit 31 bits.
    visits: u32,
    /// Whether an entry of the copy names it.
    is_named: bool,
}

impl Copied {
    fn pack(self) -> u64 {
        let visits = u64::from(self.visits.min(u32::MAX >> 1));
        u64::from(self.is_named) << 63 | visits << 32 | u64::from(self.owner)
    }

    fn unpack(word: u64) -> Copied {
        let visits = (word >> 32) as u32 & u32::MAX >> 1;
        Copied { owner: word as u32, visits, is_named: word >> 63 != 0 }
    }
}

struct Copy<'t> {
    table: &'t Table,
    target: &'t WriteBehind,
    made: Snapshot,
    /// [`Copied`], for each block. Atomic, since such words can be prefetched.
    copied: Vec<AtomicU64>,
    buffer: Vec<u8>,
    /// When it rested last, if others use the table.
    rested: Option<Instant>,
}

impl Copy<'_> {
    fn blocks(&mut self) -> io::Result<()> {
        let layout = self.table.layout;
        let words = layout.shape.block_words();
        let mut at = layout.pool();
        for number in 1..=layout.blocks as u32 {
            self.block(number);
            if self.buffer.len() >= 8 * CHUNK || number as usize == layout.blocks {
                self.flush(at)?;
                at = layout.pool() + number as usize * words;
            }
        }
        Ok(())
    }

    /// Appends a block to the buffer; zeros, a free block, where it has no owner or cannot be copied.
    fn block(&mut self, number: u32) {
        let table = self.table;
        let Some(words) = table.block_words(number) else { return };
        let start = self.buffer.len();
        for _ in 0..ATTEMPTS {
            let owner = words[0].load(Acquire);
            if owner == 0 {
                break;
            }
            let Some(block) = Block::accept_any(words, table.layout.shape, number, owner) else { continue };
            self.append(words.iter().map(|word| word.load(Relaxed)), words.len());
            let visits = block.edges().map(|edge| u64::from(edge.visits())).sum::<u64>();
            let is_sound = block.is_whole() && (block.is_of(table.epoch) || block.fault().is_none());
            if block.is_current() && is_sound {
                // What is copied is not in doubt.
                self.buffer[start + 12..start + 16].fill(0);
                let visits = visits.min(u32::MAX.into()) as u32;
                let copied = Copied { owner: owner as u32, visits, is_named: false };
                self.copied[number as usize - 1].store(copied.pack(), Relaxed);
                return;
            }
            self.buffer.truncate(start);
        }
        self.made.blocks_dropped += u64::from(words[0].load(Relaxed) != 0);
        self.buffer.resize(start + 8 * words.len(), 0);
    }

    fn entries(&mut self) -> io::Result<()> {
        let mut at = self.table.layout.directory();
        let table = self.table;
        let entries = table.entry_words();
        for (index, words) in entries.iter().enumerate() {
            if let Some([.., meta, _]) = entries.get(index + AHEAD) {
                self.prefetch_block(entry::block_of(meta.load(Relaxed)));
            }
            let copy = self.entry(words);
            self.append(copy.into_iter(), copy.len());
            if self.buffer.len() >= 8 * CHUNK {
                at = self.flush(at)?;
            }
        }
        self.flush(at).map(|_| ())
    }

    fn prefetch_block(&self, number: u32) {
        if let Some(word) = self.word_of_block(number) {
            backing::prefetch(word);
        }
    }

    /// What is remembered of a block; `None` for 0, no block.
    fn word_of_block(&self, number: u32) -> Option<&AtomicU64> {
        (number as usize).checked_sub(1).and_then(|index| self.copied.get(index))
    }

    /// The entry as it is to stand in the copy; zeros, an empty one, where it cannot be copied.
    fn entry(&mut self, words: &[AtomicU64; 4]) -> [u64; 4] {
        if words[0].load(Relaxed) == 0 {
            return [0; 4];
        }
        for _ in 0..ATTEMPTS {
            let key = words[0].load(Acquire);
            let found = [key, words[1].load(Relaxed), words[2].load(Relaxed), words[3].load(Relaxed)];
            // What was read before is not read later.
            fence(Acquire);
            if key >= FIRST_KEY && words[0].load(Relaxed) == key {
                let copy = entry::Entry::copy(found);
                return self.with_visits_of_block(copy);
            }
        }
        self.made.entries_dropped += 1;
        [0; 4]
    }

    fn with_visits_of_block(&mut self, found: entry::Copy) -> [u64; 4] {
        self.made.entries += 1;
        let Some(word) = self.word_of_block(found.block) else { return found.words };
        let block = Copied::unpack(word.load(Relaxed));
        if block.owner == 0 || block.owner != found.words[0] as u32 {
            return found.words;
        }
        word.store(Copied { is_named: true, ..block }.pack(), Relaxed);
        self.made.blocks += u64::from(!block.is_named);
        let visits = found.words[1] >> 32;
        let counted = u64::from(block.visits) + u64::from(found.leaf_visits);
        if counted > Table::visits_allowed(visits) {
            let [key, total, meta, bounds] = found.words;
            let raised = counted.min(u32::MAX.into());
            return [key, total & u64::from(u32::MAX) | raised << 32, meta, bounds];
        }
        found.words
    }

    /// Appends so many words to the buffer, eight bytes at a time.
    fn append(&mut self, words: impl Iterator<Item = u64>, count: usize) {
        let start = self.buffer.len();
        self.buffer.resize(start + 8 * count, 0);
        for (bytes, word) in self.buffer[start..].as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
    }

    /// Has the buffer written at the word `at`; returns the word after it.
    fn flush(&mut self, at: usize) -> io::Result<usize> {
        let after = at + self.buffer.len() / 8;
        self.buffer = self.target.write(std::mem::take(&mut self.buffer), 8 * at as u64)?;
        if let Some(rested) = &mut self.rested {
            thread::sleep(rested.elapsed() / REST);
            *rested = Instant::now();
        }
        Ok(after)
    }
}
