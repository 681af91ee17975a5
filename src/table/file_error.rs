//! What can be wrong with the file of a table, in words that say what to do.

use super::TableError;
use super::header;
use std::io;
use std::num::NonZeroU64;
use std::path::Path;

/// What is wrong with a file that should hold a table. Each says what was expected, what was found, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct FileError {
    /// The file.
    pub path: String,
    /// What is wrong.
    pub problem: FileProblem,
}

/// See [`FileError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileProblem {
    /// A system on which processes cannot share a table file.
    #[error(
        "expected Linux, macOS or another Unix, where processes can share a table file, found {found}: use a table in \
         memory: leave out --table"
    )]
    NotOnThisSystem {
        /// The name of the system.
        found: &'static str,
    },
    /// There is nothing of that name.
    #[error(
        "expected a table file, found nothing: make one with `tewari table create`, or use --table-mode rw"
    )]
    Missing,
    /// A directory, a pipe, a device.
    #[error("expected a regular file, found {found}: give the name of a table file")]
    NotAFile {
        /// What it is.
        found: &'static str,
    },
    /// Not allowed.
    #[error("expected a file that can be written, found a read-only one: use --table-mode cow, or chmod +w")]
    ReadOnly,
    /// Another file's content.
    #[error("expected a table file, found other content: give another name")]
    Magic,
    /// From a machine that stores numbers the other way round.
    #[error(
        "expected numbers with the least byte first, found them the other way round: make a new table here"
    )]
    ByteOrder,
    /// From another version of this program.
    #[error(
        "expected format version {}, found version {found}: use the program that made it, or make a new table",
        header::VERSION
    )]
    Version {
        /// Its version.
        found: u64,
    },
    /// Damaged.
    #[error(
        "expected a header that agrees with its checksum, found a damaged one: restore a copy, or make a new table"
    )]
    Header,
    /// Damaged or made with malice.
    #[error("expected a layout that is possible, found one that is not: restore a copy, or make a new table")]
    Layout,
    /// Of the same game, as both say, and yet of another kind.
    #[error(
        "expected edge blocks like those of {like}, found others: one of the two files is damaged; restore a copy, or \
         make a new table"
    )]
    Blocks {
        /// The file with the other blocks.
        like: String,
    },
    /// Cut short, or grown.
    #[error(
        "expected {expected} bytes, found {found}: the file was truncated or grown; restore a copy, or make a new table"
    )]
    Length {
        /// What its header says.
        expected: u64,
        /// Its size.
        found: u64,
    },
    /// Made for another game or board.
    #[error(
        "expected a table for {expected}, found one for {found}: give another file, or the board it was made for"
    )]
    Game {
        /// What is wanted.
        expected: String,
        /// What it holds.
        found: String,
    },
    /// Position keys of another program.
    #[error(
        "expected position keys of seed {expected:#x}, found {found:#x}: make a new table with this program"
    )]
    KeySeed {
        /// What is wanted.
        expected: u64,
        /// What it holds.
        found: u64,
    },
    /// A policy's state in the blocks.
    #[error(
        "expected the state of {}, found that of {}: use --policy as when it was made, or another file",
        named(expected),
        named(found)
    )]
    PolicyState {
        /// The policy wanted.
        expected: String,
        /// The policy found.
        found: String,
    },
    /// What another network said, or none.
    #[error(
        "expected a table made with {}, found one made with {}: use --network as when it was made, or another file",
        network(*expected),
        network(*found)
    )]
    Network {
        /// The network wanted.
        expected: Option<NonZeroU64>,
        /// The network found.
        found: Option<NonZeroU64>,
    },
    /// Keys that contain other moves of the history.
    #[error(
        "expected a table with the keys of --key-policy {expected}, found those of {found}: use --key-policy {found}, or \
         another file"
    )]
    KeyPolicy {
        /// The key policy wanted.
        expected: String,
        /// The key policy found.
        found: String,
    },
    /// A file larger than the limit.
    #[error(
        "expected a table of at most {limit} bytes, as the memory was limited, found one of {found}: leave the limit \
             away, or use `tewari table resize`"
    )]
    TooLarge {
        /// Bytes at most.
        limit: u64,
        /// Its size.
        found: u64,
    },
    /// It exists and must not be overwritten.
    #[error("expected a new name, found a file: give another name, or remove it first")]
    Exists,
    /// Somebody holds a lock that excludes ours.
    #[error(
        "expected a table that can be {wanted}, found it {found} by another process: try again when that is done"
    )]
    Locked {
        /// What for.
        wanted: &'static str,
        /// What is being done.
        found: &'static str,
    },
    /// The file system is too small.
    #[error(
        "expected room for {needed} bytes, found {free} free on its file system: make room, or give less memory"
    )]
    NoSpace {
        /// Bytes of the table.
        needed: u64,
        /// Bytes to be had.
        free: u64,
    },
    /// Writing to the disk was asked for where nothing is written.
    #[error(
        "expected a table file that searches write to, found --sync with --table-mode cow: leave one of them away"
    )]
    NothingToSync,
    /// A copy onto what it is made of.
    #[error("expected another file than the table, found the table itself: give another name")]
    Itself,
    /// Something else.
    #[error("cannot {what}: {reason}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What the system says.
        reason: String,
    },
    /// The layout.
    #[error(transparent)]
    Table(#[from] TableError),
}

fn named(policy: &str) -> String {
    if policy.is_empty() { "no policy".to_owned() } else { format!("policy {policy}") }
}

fn network(identity: Option<NonZeroU64>) -> String {
    identity.map_or_else(|| "no network".to_owned(), |identity| format!("network {identity:016x}"))
}

impl FileProblem {
    pub(super) fn io(what: &'static str) -> impl Fn(io::Error) -> FileProblem {
        move |error| FileProblem::Io { what, reason: error.to_string() }
    }
}

pub(super) fn about(path: &Path, problem: FileProblem) -> FileError {
    FileError { path: path.display().to_string(), problem }
}
