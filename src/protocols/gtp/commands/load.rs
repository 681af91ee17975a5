//! Commands for game records.

use super::{Arguments, GtpError, Session};
use crate::base::bounded_file::read_bounded;
use crate::go::{KeyPolicy, Record};
use crate::protocols::gtp::error::LoadError;
use crate::protocols::gtp::protocol::is_whole_number;
use crate::records::sgf::{self, ChosenTerms, DefaultTerms};
use std::path::Path;

/// `loadsgf FILE [N]`: loads the position before move N of the main line, or its end. Size, komi and set-up stones are
/// those of the file, and the rules if it names them; those it does not state are the session's. Damaged files are read
/// up to the damage. `undo` takes back the moves of the file.
pub(super) fn loadsgf(session: &mut Session, arguments: Arguments<'_>) -> Result<String, GtpError> {
    let (path, before) = file_and_move(&arguments)?;
    let keys = session.position().key_policy();
    let LoadedGame { record, stated, notices } = load(path, before, session.terms, keys)?;
    session.set_record(record).map_err(LoadError::from)?;
    // Assumptions for a record end with it.
    let DefaultTerms { rules, komi } = session.terms;
    session.terms = DefaultTerms { rules: stated.rules.unwrap_or(rules), komi: stated.komi.unwrap_or(komi) };
    session.clock.restart();
    for line in notices {
        session.note(&format!("loadsgf: {line}"));
    }
    Ok(String::new())
}

/// `printsgf [FILE]`: writes the game as SGF to the response or to a file.
pub(super) fn printsgf(session: &mut Session, arguments: Arguments<'_>) -> Result<String, GtpError> {
    let text = sgf::write_record(session.engine.record());
    let path = arguments.rest();
    if path.is_empty() || path == "-" {
        return Ok(text);
    }
    std::fs::write(path, text).map_err(|error| GtpError::CannotWriteFile { path: path.to_owned(), error })?;
    Ok(String::new())
}

/// Splits the arguments: the last word is the move number if it is a number and not the only word. File names may
/// contain spaces, though the specification does not provide for them.
fn file_and_move<'a>(arguments: &Arguments<'a>) -> Result<(&'a str, Option<usize>), GtpError> {
    const NUMBER: &str = "a move number from 1";
    let rest = arguments.rest();
    if rest.is_empty() {
        return Err(GtpError::syntax("the name of a file", None));
    }
    match rest.rsplit_once(' ') {
        Some((path, number)) if is_whole_number(number) => match number.parse() {
            Ok(0) => Err(GtpError::syntax(NUMBER, Some(number))),
            Ok(number) => Ok((path.trim_end(), Some(number))),
            // A number too large for its type is beyond the end; a negative one is an error.
            Err(_) if !number.starts_with('-') => Ok((path.trim_end(), None)),
            Err(_) => Err(GtpError::syntax(NUMBER, Some(number))),
        },
        _ => Ok((rest, None)),
    }
}

/// A game read from a file.
struct LoadedGame {
    record: Record,
    /// See [`Terms::stated`](sgf::Terms::stated).
    stated: ChosenTerms,
    /// Warnings and assumptions, one a line.
    notices: Vec<String>,
}

fn load(
    path: &str,
    before: Option<usize>,
    otherwise: DefaultTerms,
    keys: KeyPolicy,
) -> Result<LoadedGame, LoadError> {
    let bytes = read_bounded(Path::new(path), sgf::MAX_BYTES);
    let bytes = bytes.map_err(|error| LoadError::Read { path: path.to_owned(), error })?;
    let collection = sgf::read_damaged(&bytes)?;
    let game = collection.games.first().ok_or(sgf::SgfError::NoGame)?;
    let terms = game.terms(ChosenTerms::default(), otherwise)?;
    let steps = game.steps(terms.rules, terms.komi)?.with_key_policy(keys);
    let steps = steps.with_handicap(terms.handicap);
    let record = steps.into_record(before.map(|number| number - 1))?;
    let mut notices = [collection.warnings.as_slice(), &game.warnings].concat();
    notices.extend(terms.assumed);
    Ok(LoadedGame { record, stated: terms.stated, notices })
}
