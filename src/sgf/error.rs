//! Why a file cannot be read, and where.

use std::fmt;

/// A place in the text, both numbers from 1. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Line; `\n`, `\r` and `\r\n` each end one.
    pub line: u32,
    /// Character within the line.
    pub column: u32,
}

impl Location {
    /// The first character.
    pub const START: Location = Location { line: 1, column: 1 };
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a file is not read as SGF.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SgfError {
    /// More bytes than we are ready to take.
    #[error("the file has {bytes} bytes, the limit is {limit}: split the collection into smaller files")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Nothing in the file looks like the start of a game.
    #[error("no game found: expected \"(;\" somewhere in the file; is it an SGF file?")]
    NoGame,
    /// The text breaks the grammar.
    #[error("{at}: expected {expected}, found {found}; {advice}")]
    Syntax {
        /// Where the wrong text starts.
        at: Location,
        /// What the grammar allows there.
        expected: &'static str,
        /// What is there.
        found: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// The text ends within a game.
    #[error("{at}: expected {expected}, found the end of the file; it seems cut off: get a whole copy")]
    Truncated {
        /// Where the text ends.
        at: Location,
        /// What should have followed.
        expected: String,
    },
    /// A board that SGF cannot describe.
    #[error(
        "{at}: expected a board size from 1 to 52 (SZ[19]) or columns:rows (SZ[19:13]), found SZ[{given}]; \
         correct the SZ property"
    )]
    BoardSize {
        /// Where the value stands.
        at: Location,
        /// The value.
        given: String,
    },
    /// More than we are ready to keep in memory.
    #[error("{at}: more than {limit} {what}: reduce the file or split it into smaller ones")]
    TooMany {
        /// Where the limit was passed.
        at: Location,
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

impl SgfError {
    /// Where the error is, if it is at one place.
    #[must_use]
    pub fn location(&self) -> Option<Location> {
        match self {
            SgfError::TooLarge { .. } | SgfError::NoGame => None,
            SgfError::Syntax { at, .. }
            | SgfError::Truncated { at, .. }
            | SgfError::BoardSize { at, .. }
            | SgfError::TooMany { at, .. } => Some(*at),
        }
    }
}

/// A piece of the file for a message: short, on one line.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 24;
    let mut excerpt: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        excerpt.push('…');
    }
    excerpt
}
