//! What the first node says of the game as a whole.

use super::error::{SgfError, excerpt};
use super::game_record::{GameRecord, MAX_WARNINGS};
use super::parse::Property;
use super::value::{self, Board, Value};

/// Reads the first node's information; moves and setup are not looked at.
///
/// # Errors
/// A board size that SGF does not have: no point could be read on it.
pub(super) fn read(properties: &[Property]) -> Result<GameRecord, SgfError> {
    let mut warnings = Vec::new();
    let board = match first(properties, "SZ") {
        Some(value) => value::size(value.raw)
            .ok_or_else(|| SgfError::BoardSize { at: value.at, given: excerpt(value.raw) })?,
        None => Board { columns: 19, rows: 19 },
    };
    let text = |name| first(properties, name).map(|value| value::simple_text(value.raw));
    let game = checked(properties, "GM", "a number", &mut warnings, |raw| raw.trim().parse().ok());
    let komi = checked(properties, "KM", "a number", &mut warnings, value::real);
    let handicap = checked(properties, "HA", "a number", &mut warnings, |raw| raw.trim().parse().ok());
    Ok(GameRecord {
        game: game.unwrap_or(1),
        columns: board.columns,
        rows: board.rows,
        komi,
        // Many programs write HA[0] for an even game.
        handicap: handicap.filter(|&stones| stones != 0),
        rules: text("RU"),
        applications: all(properties, "AP").map(|value| value::simple_text(value.raw)).collect(),
        names: [text("PB"), text("PW")],
        ranks: [text("BR"), text("WR")],
        result: text("RE"),
        date: text("DT"),
        event: text("EV"),
        title: text("GN"),
        charset_label: text("CA"),
        nodes: Vec::new(),
        total_nodes: 0,
        forks: 0,
        warnings,
    })
}

/// The first value of a property that is not blank: `KM[]` says as much as no `KM`.
fn first<'a>(properties: &[Property<'a>], name: &str) -> Option<Value<'a>> {
    all(properties, name).find(|value| !value.raw.trim().is_empty())
}

fn all<'a>(properties: &[Property<'a>], name: &str) -> impl Iterator<Item = Value<'a>> {
    properties.iter().filter(move |property| property.name == name).flat_map(|p| &p.values).copied()
}

fn checked<T>(
    properties: &[Property],
    name: &str,
    expected: &str,
    warnings: &mut Vec<String>,
    read: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let value = first(properties, name)?;
    let read = read(value.raw);
    if read.is_none() {
        warn(warnings, name, expected, value);
    }
    read
}

/// Notes a value that is left out.
pub(super) fn warn(warnings: &mut Vec<String>, name: &str, expected: &str, value: Value) {
    if warnings.len() < MAX_WARNINGS {
        let Value { at, raw } = value;
        warnings.push(format!("{at}: expected {expected}, found {name}[{}]: ignored", excerpt(raw)));
    }
}
