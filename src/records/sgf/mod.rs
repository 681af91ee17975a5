//! Game records in the Smart Game Format: bytes in, [`GameRecord`]s and [`Position`]s out.
//!
//! A file is read in five steps, one module each:
//!
//! 1. [`decode`]: bytes to text, in any charset;
//! 2. `lexer`: text to tokens, each with its line and column;
//! 3. `parse`: the grammar of game trees, with an explicit stack, so that deep nesting cannot overflow the call stack;
//!    only the main line is kept, variations are checked and counted;
//! 4. `value`: values of properties, parsed one at a time with the crate `sgf-parse`;
//! 5. [`game_record`]: the main line with its typed nodes, which [`replay`] plays on a board under [`terms`].
//!
//! The grammar is enforced, since a truncated game looks like a short one; [`read_damaged`] reads up to the first
//! error. Values are not enforced: an unreadable komi is a warning, and an unreadable move is an error only when the
//! record is replayed to it.
//!
//! Source: FF\[4\], <https://www.red-bean.com/sgf/>.
//!
//! [`Position`]: crate::go::Position

pub mod annotate;
mod damaged;
pub mod decode;
pub mod error;
pub mod game_record;
mod handicap;
mod info;
mod lexer;
mod parse;
mod property;
pub mod replay;
pub mod rules;
pub mod terms;
mod value;
pub mod write;

pub use annotate::{AddedProperty, Addition, ExistingProperty, annotate};
pub use error::{Location, SgfError};
pub use game_record::{
    AnalysisProperty, GameRecord, MAX_WARNINGS, Node, NodeProperties, RecordMove, RecordPoint,
    StoredAnalysis, UnreadableValue,
};
pub use replay::{RecordTurn, RecordTurns, ReplayError};
pub use terms::{ChosenTerms, DefaultTerms, Terms, UnusableKomi, customary_komi};
pub use write::{GameInformation, PlayedGame, Variation, point, write_game, write_record, write_variations};

use std::ops::Range;

/// Maximum size of a file in bytes.
pub const MAX_BYTES: usize = 64 << 20;

/// Maximum number of games in a file.
pub const MAX_GAMES: usize = 1 << 17;

/// Maximum number of nodes, moves and setup points in the main lines of a file. It bounds memory, since a few bytes
/// (`AB[aa:ZZ]`) can stand for thousands of points.
pub const MAX_MAIN_LINE_ITEMS: usize = 1 << 22;

/// The contents of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// The games in the order of the file; [`read`] returns at least one. The first is the default game.
    pub games: Vec<GameRecord>,
    /// The charset of the text, by its name in the Encoding Standard.
    pub charset: &'static str,
    /// Warnings about the file as a whole; each game has its own besides.
    pub warnings: Vec<String>,
}

/// Reads a whole file.
///
/// # Errors
/// Fails if the file is too large, has no game, or has a syntax error in any game.
pub fn read(bytes: &[u8]) -> Result<Collection, SgfError> {
    match read_prefix(bytes) {
        (collection, None) => Ok(collection),
        (_, Some(error)) => Err(error),
    }
}

/// Reads a file up to its first error; returns the complete games before it, and the error.
#[must_use]
pub fn read_prefix(bytes: &[u8]) -> (Collection, Option<SgfError>) {
    let (collection, _, error) = read_prefix_with_sources(bytes);
    (collection, error)
}

fn read_prefix_with_sources(bytes: &[u8]) -> (Collection, Sources, Option<SgfError>) {
    if bytes.len() > MAX_BYTES {
        let nothing = Collection { games: Vec::new(), charset: "UTF-8", warnings: Vec::new() };
        let error = SgfError::TooLarge { bytes: bytes.len(), limit: MAX_BYTES };
        return (nothing, Sources::default(), Some(error));
    }
    let decoded = decode::decode(bytes);
    let mut collection =
        Collection { games: Vec::new(), charset: decoded.charset, warnings: decoded.warnings };
    let mut parser = parse::Parser::new(&decoded.text);
    let error = loop {
        match parser.next_game() {
            None if collection.games.is_empty() => break Some(SgfError::NoGame),
            None => break None,
            Some(Err(error)) => break Some(error),
            Some(Ok(game)) => collection.games.push(game),
        }
    };
    if error.is_none() {
        warn_of_other_charsets(&mut collection);
    }
    let spans = parser.spans;
    (collection, Sources { text: decoded.text, spans }, error)
}

/// The text that games were read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The decoded text of the file.
    text: String,
    /// The byte range of each game in `text`.
    spans: Vec<Range<usize>>,
}

impl Sources {
    /// Returns the text of the game at index `game`, from its first parenthesis on; empty if there is no such game. The
    /// text of a damaged game may end anywhere.
    #[must_use]
    pub fn of(&self, game: usize) -> &str {
        self.spans.get(game).map_or("", |span| &self.text[span.clone()])
    }
}

/// Reads a file; a damaged game is read up to the damage and gets a warning.
///
/// # Errors
/// Fails if the file is too large or has no node.
pub fn read_damaged(bytes: &[u8]) -> Result<Collection, SgfError> {
    read_damaged_with_sources(bytes).map(|(collection, _)| collection)
}

/// Reads a file as [`read_damaged`] does, and returns the text of each game, too.
///
/// # Errors
/// Fails if the file is too large or has no node.
pub fn read_damaged_with_sources(bytes: &[u8]) -> Result<(Collection, Sources), SgfError> {
    let first = match read_prefix_with_sources(bytes) {
        (collection, sources, None) => return Ok((collection, sources)),
        (_, _, Some(error @ SgfError::TooLarge { .. })) => return Err(error),
        (_, _, Some(error)) => error,
    };
    let decoded = decode::decode(bytes);
    let damaged::DamagedText { games, spans, errors } = damaged::games(&decoded.text);
    if games.is_empty() {
        return Err(first);
    }
    let mut collection = Collection { games, charset: decoded.charset, warnings: decoded.warnings };
    warn_of_other_charsets(&mut collection);
    collection.warnings.extend(errors.iter().take(MAX_WARNINGS).map(|error| format!("{error}; left out")));
    Ok((collection, Sources { text: decoded.text, spans }))
}

/// Adds a warning if a later game names another charset: the file is decoded as one text, by the label of the first
/// game.
fn warn_of_other_charsets(collection: &mut Collection) {
    for (index, game) in collection.games.iter().enumerate().skip(1) {
        let Some(label) = &game.charset_label else { continue };
        if decode::encoding_named(label).is_some_and(|encoding| encoding.name() != collection.charset) {
            collection.warnings.push(format!(
                "game {} says CA[{label}], but the file was read as {}: its names and comments may be wrong",
                index + 1,
                collection.charset
            ));
            return;
        }
    }
}
