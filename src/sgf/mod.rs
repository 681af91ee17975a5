//! Game records in the Smart Game Format: bytes in, [`GameRecord`]s and [`Position`]s out.
//!
//! A file goes through five small steps, one file each:
//!
//! 1. [`decode`]: bytes to text, whatever the charset;
//! 2. `lexer`: text to tokens, each with its line and column;
//! 3. `parse`: the grammar of game trees, with a counter where others recurse, so that depth costs
//!    nothing; only the main line is kept, variations are checked and counted;
//! 4. `value`: what a property's value says; the crate `sgf-parse` reads it here, one value at a time;
//! 5. [`game_record`]: the main line with its typed nodes, which [`replay`] plays on our boards under
//!    [`terms`].
//!
//! Reading is strict about the grammar, since a truncated game looks just like a short one, unless it is asked
//! for what there is ([`read_damaged`]), and patient about values: a komi that cannot be read is a warning, a move that cannot be read only matters to
//! who replays it.
//!
//! Source: FF\[4\], <https://www.red-bean.com/sgf/>.
//!
//! [`Position`]: crate::go::Position

pub mod annotate;
pub mod decode;
pub mod error;
pub mod game_record;
mod handicap;
mod info;
mod lexer;
mod parse;
pub mod replay;
pub mod rules;
mod salvage;
pub mod terms;
mod value;
pub mod write;

pub use annotate::{Addition, Extra, Present, annotate};
pub use error::{Location, SgfError};
pub use game_record::{GameRecord, MAX_WARNINGS, Node, Place, RecordPoint, Rest, Unreadable};
pub use replay::{ReplayError, Step, Steps};
pub use terms::{Given, Otherwise, Terms, UnusableKomi, customary_komi};
pub use write::{PlayedGame, Variation, point, write_game, write_record, write_variations};

use std::ops::Range;

/// Files above this many bytes are refused.
pub const MAX_BYTES: usize = 64 << 20;

/// Games that one file may hold.
pub const MAX_GAMES: usize = 1 << 17;

/// Nodes, moves and points of setup that the main lines of one file may hold; bounds memory, since a
/// few bytes (`AB[aa:ZZ]`) may say thousands of points.
pub const MAX_KEPT: usize = 1 << 22;

/// Everything read from one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// The games in the order of the file, never none in what [`read`] returns. The first is the one
    /// meant when nobody asks for another.
    pub games: Vec<GameRecord>,
    /// The charset the text was read in, by the name that the Encoding Standard gives it.
    pub charset: &'static str,
    /// What was odd about the file as a whole. Each game has its own besides.
    pub warnings: Vec<String>,
}

/// Reads a whole file.
///
/// # Errors
/// A file too large, without any game, or with a syntax error anywhere in a game.
pub fn read(bytes: &[u8]) -> Result<Collection, SgfError> {
    match read_prefix(bytes) {
        (collection, None) => Ok(collection),
        (_, Some(error)) => Err(error),
    }
}

/// Reads a file up to its first error: the whole games before it, and the error if there is one.
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
    /// The whole file, decoded.
    text: String,
    /// Where each game stands in it.
    spans: Vec<Range<usize>>,
}

impl Sources {
    /// The text of a game, by its place in the collection, from its first parenthesis on. That of a damaged game may
    /// end anywhere; there is none for a game that the collection has not got.
    #[must_use]
    pub fn of(&self, game: usize) -> &str {
        self.spans.get(game).map_or("", |span| &self.text[span.clone()])
    }
}

/// Reads a whole file, damaged games as far as they go, with a warning each.
///
/// # Errors
/// A file too large, or without any node.
pub fn read_damaged(bytes: &[u8]) -> Result<Collection, SgfError> {
    read_damaged_with_sources(bytes).map(|(collection, _)| collection)
}

/// The same, with the text of each game.
///
/// # Errors
/// A file too large, or without any node.
pub fn read_damaged_with_sources(bytes: &[u8]) -> Result<(Collection, Sources), SgfError> {
    let first = match read_prefix_with_sources(bytes) {
        (collection, sources, None) => return Ok((collection, sources)),
        (_, _, Some(error @ SgfError::TooLarge { .. })) => return Err(error),
        (_, _, Some(error)) => error,
    };
    let decoded = decode::decode(bytes);
    let salvage::Salvaged { games, spans, errors } = salvage::games(&decoded.text);
    if games.is_empty() {
        return Err(first);
    }
    let mut collection = Collection { games, charset: decoded.charset, warnings: decoded.warnings };
    warn_of_other_charsets(&mut collection);
    collection.warnings.extend(errors.iter().take(MAX_WARNINGS).map(|error| format!("{error}; left out")));
    Ok((collection, Sources { text: decoded.text, spans }))
}

/// A file is decoded as one text, by what its first game says; later games may say otherwise.
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
