//! Damaged files, as far as they go.
//!
//! A game that breaks off, or whose text breaks the grammar, ends there, with a warning of its own. A missing `)` at the
//! end of a game is seen by the properties of a first node where a variation would start, a missing `;` by a property
//! behind a `(`. The next game of the file is looked for by the properties of its first node, too.

use super::error::SgfError;
use super::game_record::GameRecord;
use super::lexer::Token;
use super::parse::{Parser, PartialGame};

/// The games of a damaged text, and the errors of those without any node.
pub(super) fn games(text: &str) -> (Vec<GameRecord>, Vec<SgfError>) {
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
    (games, errors)
}

fn next_game(parser: &mut Parser<'_>, is_damaged: &mut bool) -> Option<Result<GameRecord, SgfError>> {
    if !matches!(parser.peeked, Some((Token::Open, _))) {
        let at = parser.lexer.find_damaged_game(*is_damaged)?;
        parser.peeked = Some((Token::Open, at));
    }
    let mut game = PartialGame::default();
    let Err(error) = parser.read_game(&mut game) else { return Some(game.into_record()) };
    *is_damaged = true;
    if !matches!(parser.peeked, Some((Token::Open, _))) {
        parser.peeked = None;
    }
    game.node = game.node.filter(|properties| !properties.is_empty());
    let at = error.location().unwrap_or(parser.lexer.here());
    let ended = parser.end_node(&mut game, at);
    Some(match (ended, game.into_record()) {
        (Ok(()), Ok(mut record)) => {
            record.warnings.push(format!("{error}; the game is read up to there"));
            Ok(record)
        }
        _ => Err(error),
    })
}
