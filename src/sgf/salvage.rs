//! Damaged files, as far as they go.
//!
//! A game that breaks off, or whose text breaks the grammar, ends there, with a warning of its own. A missing `)` at the
//! end of a game is seen by the properties of a first node where a variation would start, a missing `;` by a property
//! behind a `(`. The next game of the file is looked for by the properties of its first node, too.

use super::error::SgfError;
use super::game_record::GameRecord;
use super::lexer::Token;
use super::parse::{Parser, PartialGame};
use std::ops::Range;

/// What a damaged text has.
pub(super) struct Salvaged {
    /// The games.
    pub(super) games: Vec<GameRecord>,
    /// Where each stands in the text, in bytes.
    pub(super) spans: Vec<Range<usize>>,
    /// The errors of those without any node.
    pub(super) errors: Vec<SgfError>,
}

/// The games of a damaged text.
pub(super) fn games(text: &str) -> Salvaged {
    let (mut games, mut errors) = (Vec::new(), Vec::new());
    let mut parser = Parser::new(text);
    parser.is_patient = true;
    let mut is_damaged = false;
    while let Some(found) = next_game(&mut parser, &mut is_damaged) {
        match found {
            Ok(game) => games.push(game),
            Err(error) => {
                // Beyond a limit all is.
                let is_final = matches!(error, SgfError::TooMany { .. });
                errors.push(error);
                if is_final {
                    break;
                }
            }
        }
    }
    Salvaged { games, spans: parser.spans, errors }
}

fn next_game(parser: &mut Parser<'_>, is_damaged: &mut bool) -> Option<Result<GameRecord, SgfError>> {
    if !matches!(parser.peeked, Some((Token::Open, _))) {
        let at = parser.lexer.find_damaged_game(*is_damaged)?;
        parser.peeked = Some((Token::Open, at));
    }
    // The parenthesis is read already.
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
