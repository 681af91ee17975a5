//! Reading damaged files up to the damage.
//!
//! A game ends where its text breaks the grammar or breaks off, and gets a warning. A missing `)` at the end of a game
//! is detected by first-node properties where a variation would start, a missing `;` by a property behind a `(`. The
//! next game after the damage is found by its first-node properties, too.

use super::error::SgfError;
use super::game_record::GameRecord;
use super::lexer::Token;
use super::parse::{Parser, PartialGame};
use std::ops::Range;

/// The games of a damaged text.
pub(super) struct DamagedText {
    /// The games that have a node.
    pub(super) games: Vec<GameRecord>,
    /// The byte range of each game in the text.
    pub(super) spans: Vec<Range<usize>>,
    /// The errors of games without any node.
    pub(super) errors: Vec<SgfError>,
}

/// Reads the games of a damaged text.
pub(super) fn games(text: &str) -> DamagedText {
    let (mut games, mut errors) = (Vec::new(), Vec::new());
    let mut parser = Parser::new(text);
    parser.is_lenient = true;
    let mut is_damaged = false;
    while let Some(found) = next_game(&mut parser, &mut is_damaged) {
        match found {
            Ok(game) => games.push(game),
            Err(error) => {
                // A limit of the file also stops every game after it.
                let is_final = matches!(error, SgfError::TooMany { .. });
                errors.push(error);
                if is_final {
                    break;
                }
            }
        }
    }
    DamagedText { games, spans: parser.spans, errors }
}

fn next_game(parser: &mut Parser<'_>, is_damaged: &mut bool) -> Option<Result<GameRecord, SgfError>> {
    if !matches!(parser.peeked, Some((Token::Open, _))) {
        let at = parser.lexer.find_damaged_game(*is_damaged)?;
        parser.peeked = Some((Token::Open, at));
    }
    // Minus 1, since the parenthesis is already read.
    let start = parser.lexer.offset() - 1;
    let mut game = PartialGame::default();
    let Err(error) = parser.read_game(&mut game) else {
        parser.spans.push(start..parser.lexer.offset());
        return Some(game.into_record());
    };
    *is_damaged = true;
    let mut end = parser.lexer.offset();
    if matches!(parser.peeked, Some((Token::Open, _))) {
        end -= 1;
    } else {
        parser.peeked = None;
    }
    game.node = game.node.filter(|properties| !properties.is_empty());
    let at = error.location().unwrap_or(parser.lexer.here());
    let ended = parser.end_node(&mut game, at);
    Some(match (ended, game.into_record()) {
        (Ok(()), Ok(mut record)) => {
            parser.spans.push(start..end);
            record.warnings.push(format!("{error}; the game is read up to there"));
            Ok(record)
        }
        _ => Err(error),
    })
}
