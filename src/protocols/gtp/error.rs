//! Errors of commands. The first words of each message are those of the specification or, where it has none, of GNU Go,
//! since controllers look for them.

use crate::base::memory::BudgetError;
use crate::engine::EngineError;
use crate::go::{RulesError, Size};
use crate::records::sgf::{ReplayError, SgfError, UnusableKomi};

/// The error of a command.
#[derive(Debug, thiserror::Error)]
pub enum GtpError {
    /// There is no such command.
    #[error("unknown command")]
    UnknownCommand,
    /// An argument cannot be parsed.
    #[error("syntax error: expected {expected}, found {found}")]
    Syntax {
        /// Description of a valid argument.
        expected: &'static str,
        /// The argument in quotes, shortened, or `nothing`.
        found: String,
    },
    /// The rules are invalid or not supported.
    #[error("syntax error: {0}")]
    Rules(#[from] RulesError),
    /// The line is too long.
    #[error("line too long: expected at most {limit} bytes")]
    LineTooLong {
        /// Maximum bytes of a line.
        limit: usize,
    },
    /// The size of the board is not supported.
    #[error("unacceptable size")]
    UnacceptableSize,
    /// The memory does not suffice for the size of the board.
    #[error("unacceptable size: {0}")]
    SizeFailed(EngineError),
    /// The memory does not suffice for the number of threads.
    #[error("cannot set threads: {0}")]
    NoMemoryForThreads(BudgetError),
    /// The argument is neither black nor white.
    #[error("invalid color")]
    InvalidColor,
    /// The arguments are not a colour and a vertex of this board.
    #[error("invalid color or coordinate")]
    InvalidColorOrCoordinate,
    /// The move is illegal.
    #[error("illegal move")]
    IllegalMove,
    /// The evaluator in another process was given up, and the position has no visits.
    #[error(transparent)]
    Evaluator(EngineError),
    /// No legal move is left to search.
    #[error("nothing to search: avoid and allow leave no legal move")]
    NothingAllowed,
    /// The command needs a network, and none is used.
    #[error("expected a network, found none: start without --network none and with --policy rave")]
    NoNetwork,
    /// The command needs the program's own network, and an evaluator in another process is used.
    #[error("expected a network, found an external evaluator: start without --evaluator")]
    EvaluatorNotNetwork,
    /// A part of the rules, or its value, is not supported.
    #[error("cannot set rule: {0}")]
    Rule(RulesError),
    /// Fewer moves were played than are to be taken back.
    #[error("cannot undo")]
    CannotUndo,
    /// The command needs a board without stones, or a game without moves.
    #[error("board not empty")]
    BoardNotEmpty,
    /// The board does not allow this number of handicap stones.
    #[error("invalid handicap: a {size} board takes {allowed}, found {found}")]
    InvalidHandicap {
        /// Size of the board.
        size: Size,
        /// The allowed numbers, as text.
        allowed: String,
        /// The number given.
        found: String,
    },
    /// The stones cannot be placed as given.
    #[error("bad vertex list: {0}")]
    BadVertexList(String),
    /// A file does not give a position.
    #[error("cannot load file: {0}")]
    CannotLoadFile(#[from] LoadError),
    /// A file cannot be written.
    #[error("cannot write file: {path}: {error}")]
    CannotWriteFile {
        /// The path as given.
        path: String,
        /// The error of the system.
        error: std::io::Error,
    },
    /// The system does not report processor time.
    #[error("cputime is not available on this system")]
    NoCpuTime,
}

impl GtpError {
    /// Returns a syntax error. `found` is shortened; `None` stands for a missing argument.
    pub(super) fn syntax(expected: &'static str, found: Option<&str>) -> GtpError {
        GtpError::Syntax { expected, found: found.map_or_else(|| "nothing".to_owned(), quoted) }
    }
}

/// The error of loading a file.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    Read {
        /// The path as given.
        path: String,
        /// The error of the system.
        error: std::io::Error,
    },
    /// The file is not SGF.
    #[error(transparent)]
    Sgf(#[from] SgfError),
    /// The komi of the record cannot be used.
    #[error(transparent)]
    Komi(#[from] UnusableKomi),
    /// The game cannot be replayed up to the given move.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The engine cannot be set up for the board.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Returns input for a message: in quotes, at most 40 characters.
pub(super) fn quoted(text: &str) -> String {
    const MAX_CHARACTERS: usize = 40;
    let mut short: String = text.chars().take(MAX_CHARACTERS).collect();
    if text.chars().nth(MAX_CHARACTERS).is_some() {
        short.push('…');
    }
    format!("{short:?}")
}
