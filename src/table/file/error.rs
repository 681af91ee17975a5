//! Errors of table files.

use crate::table::header;
use crate::table::layout::TableError;
use std::io;
use std::num::NonZeroU64;
use std::path::Path;

/// An error of a file that should hold a table. The text states what was expected, what was found, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct FileError {
    /// Path of the file.
    pub path: String,
    /// The problem with it.
    pub problem: FileProblem,
}

/// The problem of a [`FileError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileProblem {
    /// The operating system does not let processes share a table file.
    #[error(
        "table files need Linux, macOS or another Unix, found {found}: leave out --table to keep the table in memory"
    )]
    NotOnThisSystem {
        /// Name of the operating system.
        found: &'static str,
    },
    /// No file has the name.
    #[error(
        "expected a table file, found nothing: give the name of one, or make one with `tewari table create` (searches make it \
         with --table-mode rw)"
    )]
    Missing,
    /// A symbolic link to a file that does not exist.
    #[error(
        "expected a table file, found a link to a file that does not exist: remove the link, or give it the name of a \
         table file"
    )]
    DanglingLink,
    /// A directory, a pipe or a device.
    #[error("expected a regular file, found {found}: give the name of a table file")]
    NotAFile {
        /// Type of the file.
        found: &'static str,
    },
    /// The file is read-only.
    #[error(
        "expected a file that can be written, found a read-only one: make it writable (chmod +w), or search without writing to it (--table-mode cow)"
    )]
    ReadOnly,
    /// The contents are not a table.
    #[error("not a table file: give the name of a file made by `tewari table create`")]
    Magic,
    /// The file was made on a machine with another byte order.
    #[error(
        "the table was made on a machine of another kind (byte order) and cannot be read here: make a new table"
    )]
    ByteOrder,
    /// Another version of the format.
    #[error(
        "expected format version {}, found version {found}: use the program that made it, or make a new table",
        header::VERSION
    )]
    Version {
        /// Version of the file.
        found: u64,
    },
    /// The checksum of the header is wrong.
    #[error("the beginning of the file (its header) is damaged: restore a copy, or make a new table")]
    Header,
    /// The header, though its checksum is right, describes an impossible layout.
    #[error("the file describes a table that cannot exist: restore a copy, or make a new table")]
    Layout,
    /// A table of the same game with edge pages of another shape.
    #[error(
        "the table does not have the same structure as {like}, though both are for the same board: one of the files \
         is damaged; restore a copy, or make a new table"
    )]
    Pages {
        /// Path of the table compared with.
        like: String,
    },
    /// The file is shorter or longer than its header states.
    #[error(
        "expected {expected} bytes, found {found}: the file was cut short or extended; restore a copy, or make a new \
         table"
    )]
    Length {
        /// Bytes according to the header.
        expected: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// Another game or board.
    #[error(
        "expected a table for {expected}, found one for {found}: give another file, or the board it was made for"
    )]
    Game {
        /// Game of the caller.
        expected: String,
        /// Game of the file.
        found: String,
    },
    /// Position keys drawn from another seed.
    #[error(
        "expected a table with the position keys of this program (seed {expected:#x}), found one with those of another \
         (seed {found:#x}): make a new table"
    )]
    KeySeed {
        /// Key seed of the caller.
        expected: u64,
        /// Key seed of the file.
        found: u64,
    },
    /// The pages hold the state of another selection policy.
    #[error(
        "expected the state of {}, found that of {}: give the --policy it was made with, or another file",
        named(expected),
        named(found)
    )]
    PolicyState {
        /// Policy of the caller; empty for none.
        expected: String,
        /// Policy of the file; empty for none.
        found: String,
    },
    /// The evaluations come from another network or from none.
    #[error(
        "expected a table made with {}, found one made with {}: give the --network or --evaluator it was made with, or \
         another file{}",
        network(*expected),
        network(*found),
        advice_on_levels(*expected)
    )]
    Network {
        /// Network of the caller.
        expected: Option<NonZeroU64>,
        /// Network of the file.
        found: Option<NonZeroU64>,
    },
    /// Keys that contain other parts of the move history.
    #[error(
        "expected a table with the keys of --key-policy {expected}, found those of {found}: use --key-policy {found}, or \
         another file"
    )]
    KeyPolicy {
        /// Key policy of the caller.
        expected: String,
        /// Key policy of the file.
        found: String,
    },
    /// The file exceeds the memory limit.
    #[error(
        "expected a table of at most {limit} bytes (the memory limit), found one of {found}: raise the limit, or \
         shrink the table with `tewari table resize`"
    )]
    TooLarge {
        /// Maximum bytes.
        limit: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// The file exists and must not be overwritten.
    #[error("expected a new name, found a name in use: give another one, or remove the file or folder first")]
    Exists,
    /// Another process holds a conflicting lock.
    #[error(
        "the table cannot be {wanted} now, because another process {found} it: try again when that process is done"
    )]
    Locked {
        /// The intended use, as a participle.
        wanted: &'static str,
        /// The action of the other process, as a verb.
        found: &'static str,
    },
    /// The file system has too little free space.
    #[error(
        "expected room for {needed} bytes, found {free} bytes free on its file system: make room, or give less memory"
    )]
    NoSpace {
        /// Bytes of the table.
        needed: u64,
        /// Free bytes.
        free: u64,
    },
    /// A request to sync a table that is not written.
    #[error(
        "--sync has no effect with --table-mode cow, where nothing is written to the file: leave out one of the two"
    )]
    NothingToSync,
    /// A copy to the table's own file.
    #[error("the output would overwrite the table itself: give another name")]
    SameFile,
    /// The user interrupted the command.
    #[error("interrupted: no file was made")]
    Interrupted,
    /// An error of the operating system.
    #[error("cannot {what}: {reason}")]
    Io {
        /// The failed operation.
        what: &'static str,
        /// Error text of the operating system.
        reason: String,
    },
    /// An error of the table's size.
    #[error(transparent)]
    Table(#[from] TableError),
}

fn named(policy: &str) -> String {
    if policy.is_empty() { "no policy".to_owned() } else { format!("policy {policy}") }
}

fn network(identity: Option<NonZeroU64>) -> String {
    identity.map_or_else(|| "no network".to_owned(), |identity| format!("network {identity:016x}"))
}

/// Returns the condition for a file if the caller has no network, which may be the choice of a level.
fn advice_on_levels(expected: Option<NonZeroU64>) -> &'static str {
    match expected {
        None => "; a --level below club plays without a network and needs a file made with --network none",
        Some(_) => "",
    }
}

impl FileProblem {
    pub(in crate::table) fn io(what: &'static str) -> impl Fn(io::Error) -> FileProblem {
        move |error| FileProblem::Io { what, reason: error.to_string() }
    }
}

pub(in crate::table) fn with_path(path: &Path, problem: FileProblem) -> FileError {
    FileError { path: path.display().to_string(), problem }
}
