//! Errors of reading a file, with their place.

use std::fmt;

/// A place in the text. Line and column count from 1; a column is one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The line; `\n`, `\r` and `\r\n` each end one.
    pub line: u32,
    /// The character within the line.
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

/// A reason to refuse a file as SGF.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SgfError {
    /// The file exceeds [`MAX_BYTES`](super::MAX_BYTES).
    #[error("the file has {bytes} bytes, the limit is {limit}: split the collection into smaller files")]
    TooLarge {
        /// Size of the file in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// No text in the file looks like the start of a game.
    #[error("no game found: expected \"(;\" somewhere in the file; is it an SGF file?")]
    NoGame,
    /// The text breaks the grammar.
    #[error("{at}: expected {expected}, found {found}; {advice}")]
    Syntax {
        /// Start of the wrong text.
        at: Location,
        /// Tokens that the grammar allows there.
        expected: &'static str,
        /// The text found there.
        found: String,
        /// Advice to the user.
        advice: &'static str,
    },
    /// The text ends within a game.
    #[error("{at}: expected {expected}, found the end of the file; it seems cut off: get a whole copy")]
    Truncated {
        /// End of the text.
        at: Location,
        /// The missing text.
        expected: String,
    },
    /// A board size outside the range of SGF.
    #[error(
        "{at}: expected a board size from 1 to 52 (SZ[19]) or columns:rows (SZ[19:13]), found SZ[{given}]; \
         correct the SZ property"
    )]
    BoardSize {
        /// Start of the value.
        at: Location,
        /// The value found.
        given: String,
    },
    /// The file exceeds a limit that bounds memory.
    #[error("{at}: more than {limit} {what}: reduce the file or split it into smaller ones")]
    TooMany {
        /// The place that passed the limit.
        at: Location,
        /// The things that are counted.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

impl SgfError {
    /// Returns the place of the error, if it has one.
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

/// Shortens a piece of the file for a message: at most 24 characters and an ellipsis, on one line.
pub(super) fn excerpt(text: &str) -> String {
    const MAX_EXCERPT_CHARACTERS: usize = 24;
    let mut excerpt: String = text
        .chars()
        .take(MAX_EXCERPT_CHARACTERS)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(MAX_EXCERPT_CHARACTERS).is_some() {
        excerpt.push('…');
    }
    excerpt
}
