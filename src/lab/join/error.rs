//! Faults of shards.

use crate::base::folder::FolderError;
use crate::base::shard::Shard;
use std::path::PathBuf;

/// Maximum number of shards, or of games of a shard, that a message lists.
const MAX_LISTED: usize = 8;

/// The reason for which shards cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// An error of the file system, or a shard that is being written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A folder that is no shard.
    #[error(
        "{}: expected the folder of a shard, made with --shard I/N, found {found}; name only such folders after the \
         new folder",
        path.display()
    )]
    NoShard {
        /// The folder.
        path: PathBuf,
        /// The content found.
        found: &'static str,
    },
    /// Two folders with different experiments.
    #[error(
        "{} and {} are no shards of one experiment: expected one value of {key}, found {values:?}; name the shards \
         of one experiment",
        folders[0].display(),
        folders[1].display()
    )]
    Different {
        /// The folders.
        folders: Box<[PathBuf; 2]>,
        /// The name of the value.
        key: String,
        /// The values; empty where a folder has none.
        values: Box<[String; 2]>,
    },
    /// A shard in two folders.
    #[error(
        "shard {shard} is given twice, as {} and {}: name each shard once",
        folders[0].display(),
        folders[1].display()
    )]
    Twice {
        /// The shard.
        shard: Shard,
        /// The folders.
        folders: Box<[PathBuf; 2]>,
    },
    /// Shards without a folder.
    #[error("missing: shard {}; name the folders of all {} shards", listed(shards), shards[0].count())]
    Missing {
        /// The shards; at least one.
        shards: Vec<Shard>,
    },
    /// Shards that were interrupted.
    #[error(
        "incomplete: {}; run their commands again, match, sweep, suite and review with --resume",
        listed(shards)
    )]
    Incomplete {
        /// The shards; at least one.
        shards: Vec<IncompleteShard>,
    },
    /// A game or test that the shard has not played, or twice.
    #[error(
        "{}, line {line}: expected a {unit} of shard {shard} that the file does not have yet, found {found:?}; remove \
         the line and run the command of the shard again",
        path.display()
    )]
    Strange {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The kind of the line.
        unit: &'static str,
        /// The shard.
        shard: Shard,
        /// Beginning of the line.
        found: String,
    },
    /// A file that a shard should have.
    #[error(
        "{} is missing: expected the {kind} of shard {shard}; copy the whole folder, or remove it and run the command \
         of the shard again",
        path.display()
    )]
    NoFile {
        /// The file.
        path: PathBuf,
        /// The kind of file.
        kind: &'static str,
        /// The shard.
        shard: Shard,
    },
    /// A file that is cut off or damaged.
    #[error(
        "{}: expected the {kind} of shard {shard}, found {found}; copy the whole folder again, or remove it and run the \
         command of the shard again",
        path.display()
    )]
    BadFile {
        /// The file.
        path: PathBuf,
        /// The kind of file.
        kind: &'static str,
        /// The shard.
        shard: Shard,
        /// The content found.
        found: String,
    },
    /// A file name that two shards have.
    #[error(
        "{} and {} have one name: expected a different file from each shard; name folders of one run",
        files[0].display(),
        files[1].display()
    )]
    SameFile {
        /// The files.
        files: Box<[PathBuf; 2]>,
    },
}

/// A shard that lacks games, tests or reviews.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteShard {
    /// The folder.
    pub path: PathBuf,
    /// The shard.
    pub shard: Shard,
    /// The first missing ones, by number or name.
    pub missing: Vec<String>,
    /// The number of missing ones.
    pub count: usize,
    /// The kind of what is missing.
    pub unit: &'static str,
}

impl std::fmt::Display for IncompleteShard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let IncompleteShard { path, shard, missing, count, unit } = self;
        write!(f, "{} (shard {shard}) lacks {unit} {}", path.display(), listed(missing))?;
        match count.saturating_sub(missing.len().min(MAX_LISTED)) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Returns the first items, separated by commas. An incomplete shard states the number of the others itself.
fn listed(items: &[impl std::fmt::Display]) -> String {
    let mut text: Vec<String> = items.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    if items.len() > MAX_LISTED {
        text.push("...".to_owned());
    }
    text.join(", ")
}
