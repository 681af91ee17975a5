//! Why a command fails. The first words of each message are those of the specification or, where that
//! says nothing, of GNU Go, since controllers look for them.

use crate::engine::EngineError;
use crate::go::{RulesError, Size};
use crate::memory::BudgetError;
use crate::sgf::{ReplayError, SgfError, UnusableKomi};

/// Why a command fails.
#[derive(Debug, thiserror::Error)]
pub enum GtpError {
    /// No such command.
    #[error("unknown command")]
    UnknownCommand,
    /// An argument that cannot be read.
    #[error("syntax error: expected {expected}, found {found}")]
    Syntax {
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// Rules that are not played here.
    #[error("syntax error: {0}")]
    Rules(#[from] RulesError),
    /// A line longer than we read.
    #[error("line too long: expected at most {limit} bytes")]
    LineTooLong {
        /// Bytes that we read.
        limit: usize,
    },
    /// A board we do not have.
    #[error("unacceptable size")]
    UnacceptableSize,
    /// A board for which there is no memory.
    #[error("unacceptable size: {0}")]
    NoMemoryForSize(EngineError),
    /// More workers than there is memory for.
    #[error("cannot set threads: {0}")]
    NoMemoryForThreads(BudgetError),
    /// Neither black nor white.
    #[error("invalid color")]
    InvalidColor,
    /// Neither a colour nor a point of this board.
    #[error("invalid color or coordinate")]
    InvalidColorOrCoordinate,
    /// A move against the rules.
    #[error("illegal move")]
    IllegalMove,
    /// A search of which every legal move is kept.
    #[error("nothing to search: expected avoid and allow to leave a legal move, found that they leave none")]
    NothingAllowed,
    /// A command that asks the network, where none is used.
    #[error("expected a network, found none: start without --network none and with --policy rave")]
    NoNetwork,
    /// A rule or a value of it that is not played here.
    #[error("cannot set rule: {0}")]
    Rule(RulesError),
    /// Fewer moves were made.
    #[error("cannot undo")]
    CannotUndo,
    /// Handicap is placed on an empty board only.
    #[error("board not empty")]
    BoardNotEmpty,
    /// A number of handicap stones that the board does not take.
    #[error("invalid handicap: a {size} board takes {allowed}, found {found}")]
    InvalidHandicap {
        /// The board.
        size: Size,
        /// What it takes.
        allowed: String,
        /// What was asked for.
        found: String,
    },
    /// Handicap stones that cannot stand as asked.
    #[error("bad vertex list: {0}")]
    BadVertexList(String),
    /// A file that gives no position.
    #[error("cannot load file: {0}")]
    CannotLoadFile(#[from] LoadError),
    /// A file that cannot be written.
    #[error("cannot write file: {path}: {error}")]
    CannotWriteFile {
        /// Its name.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The system does not tell.
    #[error("cputime is not known on this system")]
    NoCpuTime,
}

impl GtpError {
    /// A syntax error. `found` is shortened; `None` is a missing argument.
    pub(super) fn syntax(expected: &'static str, found: Option<&str>) -> GtpError {
        GtpError::Syntax { expected, found: found.map_or_else(|| "nothing".to_owned(), quoted) }
    }
}

/// Why a file gives no position.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("{path}: {error}")]
    Read {
        /// Its name.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// It is not SGF.
    #[error(transparent)]
    Sgf(#[from] SgfError),
    /// Its komi.
    #[error(transparent)]
    Komi(#[from] UnusableKomi),
    /// Its game cannot be played up to there.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// There is no memory for its board.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A piece of input for a message.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut short: String = text.chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    format!("{short:?}")
}
