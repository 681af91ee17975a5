//! Converting a file of the former format, whose blocks have neither tags nor epochs.
//!
//! Everything is kept: entries, blocks, lineage, generation. The new file takes the place of the old one when all of it
//! is on the disk.

use super::Table;
use super::atomic::AtomicU64;
use super::block;
use super::file::{Unnamed, check_writable, open_locked, read_header};
use super::file_error::{FileError, FileProblem, about};
use super::header::{self, Header};
use super::layout::{BLOCK_HEADER_WORDS, HEADER_WORDS, Layout, Shape};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

impl Table {
    /// Converts a file of the former format, and opens it. `None` if it has the present one.
    ///
    /// # Errors
    /// When it is neither, or in use, or there is no room. It is unchanged then.
    pub fn upgrade(path: &Path) -> Result<Option<Table>, FileError> {
        let convert = || {
            // A link stays one.
            let path = path.canonicalize().map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => FileProblem::Missing,
                _ => FileProblem::io("find the file")(error),
            })?;
            let (file, is_alone) = open_locked(&path, false)?;
            if !is_alone {
                return Err(FileProblem::Locked { wanted: "changed as a whole", found: "used" });
            }
            match read_header(&file, header::FORMER_VERSION) {
                Err(FileProblem::Version { found: header::VERSION }) => Ok(None),
                Err(problem) => Err(problem),
                Ok(header) => convert(&path, &file, header).map(Some),
            }
        };
        convert().map_err(|problem| about(path, problem))
    }
}

fn convert(path: &Path, file: &File, header: Header) -> Result<Table, FileProblem> {
    let Header { layout, identity, lineage } = header;
    let expected = bytes_of_former(&layout);
    let found = file.metadata().map_err(FileProblem::io("look at the file"))?.len();
    if found != expected {
        return Err(FileProblem::Length { expected, found });
    }
    check_writable(file)?;
    let unnamed = Unnamed::new(path, &identity, layout)?;
    let (unnamed, ()) = unnamed
        .fill(|table| {
            table.set_lineage(lineage);
            fill(table, BufReader::with_capacity(1 << 20, file))
                .map_err(|error| about(path, FileProblem::io("read the file")(error)))
        })
        .map_err(|error: FileError| error.problem)?;
    let mut table = unnamed.keep(true)?;
    table.sync_at_end();
    Ok(table)
}

fn fill(table: &Table, mut source: impl Read) -> io::Result<()> {
    let words = table.backing.words();
    for (index, word) in words[..HEADER_WORDS].iter().enumerate() {
        let found = next_word(&mut source)?;
        if index == header::GENERATION || index == header::OPENINGS || header::CHANGING.contains(&index) {
            word.store(found, Relaxed);
        }
    }
    for word in &words[HEADER_WORDS..table.layout.pool()] {
        word.store(next_word(&mut source)?, Relaxed);
    }
    let shape = table.layout.shape;
    let mut former = vec![0; block_words_of_former(shape)];
    for number in 1..=table.layout.blocks as u32 {
        for word in &mut former {
            *word = next_word(&mut source)?;
        }
        if let Some(words) = table.block_words(number) {
            fill_block(words, shape, &former);
        }
    }
    Ok(())
}

/// Arrays stood behind each other.
fn fill_block(words: &[AtomicU64], shape: Shape, former: &[u64]) {
    let (amaf, policy) = (BLOCK_HEADER_WORDS + shape.moves, shape.moves + shape.moves.div_ceil(2));
    let policy = BLOCK_HEADER_WORDS + policy;
    let copy = |from: usize, to: usize, count: usize| {
        for (word, &value) in words[to..to + count].iter().zip(&former[from..]) {
            word.store(value, Relaxed);
        }
    };
    copy(0, 0, amaf);
    copy(amaf, shape.amaf_start(), shape.moves.div_ceil(2));
    if shape.policy_state {
        copy(policy, shape.policy_start(), shape.moves);
    }
    let sequence = former[1] & !block::EPOCH_MASK;
    words[1].store(sequence, Relaxed);
    shape.tags().for_each(|at| words[at].store(block::tag(former[0], sequence), Relaxed));
}

fn next_word(source: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    source.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn block_words_of_former(shape: Shape) -> usize {
    let policy = if shape.policy_state { shape.moves } else { 0 };
    (BLOCK_HEADER_WORDS + shape.moves + shape.moves.div_ceil(2) + policy).next_multiple_of(8)
}

fn bytes_of_former(layout: &Layout) -> u64 {
    8 * (layout.pool() + layout.blocks * block_words_of_former(layout.shape)) as u64
}
