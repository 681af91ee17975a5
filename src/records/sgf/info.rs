//! Game information, as a rule in the first node.

use super::error::{SgfError, excerpt};
use super::game_record::{GameRecord, MAX_WARNINGS};
use super::property::Property;
use super::value::{self, PropertyValue, RecordBoard};

/// Reads the game information of the first node; ignores moves and setup.
///
/// # Errors
/// Fails if the board size is outside the range of SGF, since no point could be read.
pub(super) fn read(properties: &[Property]) -> Result<GameRecord, SgfError> {
    let mut warnings = Vec::new();
    let board = match only(properties, "SZ", &mut warnings) {
        Some(value) => value::size(value.raw)
            .ok_or_else(|| SgfError::BoardSize { at: value.at, given: excerpt(value.raw) })?,
        None => RecordBoard { columns: 19, rows: 19 },
    };
    let game = checked(properties, "GM", "a number", &mut warnings, |raw| raw.trim().parse().ok());
    let mut record = GameRecord {
        game: game.unwrap_or(1),
        columns: board.columns,
        rows: board.rows,
        komi: None,
        handicap: None,
        rules: None,
        applications: Vec::new(),
        is_from_fox: false,
        placed_handicap: Vec::new(),
        is_komi_in_ko: false,
        names: [None, None],
        ranks: [None, None],
        result: None,
        date: None,
        event: None,
        title: None,
        charset_label: text(properties, "CA", &mut warnings),
        nodes: Vec::new(),
        total_nodes: 0,
        forks: 0,
        warnings,
    };
    complete(&mut record, properties);
    Ok(record)
}

/// Takes from a node of the main line the items that the nodes before it lack: some programs write the game information
/// into the second or the last node.
pub(super) fn complete(record: &mut GameRecord, properties: &[Property]) {
    let warnings = &mut record.warnings;
    if record.komi.is_none() {
        record.komi = checked(properties, "KM", "a number", warnings, value::komi);
        record.is_komi_in_ko = false;
    }
    if record.komi.is_none() {
        // FF[4] defines KO without a value; Sina and Tom write the komi there.
        record.komi = first(properties, "KO").and_then(|value| value::real(value.raw));
        record.is_komi_in_ko = record.komi.is_some();
    }
    if record.handicap.is_none() {
        let handicap = checked(properties, "HA", "a number", warnings, value::handicap);
        // Many programs write HA[0] for an even game.
        record.handicap = handicap.filter(|&stones| stones != 0);
    }
    if record.applications.is_empty() {
        record.applications = all(properties, "AP").map(|value| value::simple_text(value.raw)).collect();
    }
    record.is_from_fox |= is_from_fox(&record.applications, properties);
    let ([black, white], [black_rank, white_rank]) = (&mut record.names, &mut record.ranks);
    for (field, name) in [
        (&mut record.rules, "RU"),
        (black, "PB"),
        (white, "PW"),
        (black_rank, "BR"),
        (white_rank, "WR"),
        (&mut record.result, "RE"),
        (&mut record.date, "DT"),
        (&mut record.event, "EV"),
        (&mut record.title, "GN"),
    ] {
        if field.is_none() {
            *field = text(properties, name, warnings);
        }
    }
}

/// Returns true if Fox wrote these properties. Its older records name only another program, beside a blank title.
///
/// Source: KataGo cpp/dataio/sgf.cpp.
fn is_from_fox(applications: &[String], properties: &[Property]) -> bool {
    /// Names of Fox and of its predecessor.
    const FOX: [&str; 2] = ["foxwq", "txwq"];
    let has = |name: &str| applications.iter().any(|it| it.to_ascii_lowercase().contains(name));
    let has_blank_title = || {
        let mut titles = all(properties, "GN").peekable();
        titles.peek().is_some() && titles.all(|title| title.raw.trim().is_empty())
    };
    FOX.into_iter().any(has) || (has("gnu go:3.8") && has_blank_title())
}

fn text(properties: &[Property], name: &str, warnings: &mut Vec<String>) -> Option<String> {
    only(properties, name, warnings).map(|value| value::simple_text(value.raw))
}

/// Returns the [`first`] value of a property that should have one, and adds a warning about another value.
fn only<'a>(
    properties: &[Property<'a>],
    name: &str,
    warnings: &mut Vec<String>,
) -> Option<PropertyValue<'a>> {
    let first = first(properties, name)?;
    let is_other = |value: &PropertyValue| ![first.raw.trim(), ""].contains(&value.raw.trim());
    if let Some(second) = all(properties, name).find(is_other) {
        warn_of_second(warnings, name, first, second);
    }
    Some(first)
}

/// Returns the first value of a property that is not blank: `KM[]` equals a missing `KM`.
fn first<'a>(properties: &[Property<'a>], name: &str) -> Option<PropertyValue<'a>> {
    all(properties, name).find(|value| !value.raw.trim().is_empty())
}

fn all<'a>(properties: &[Property<'a>], name: &str) -> impl Iterator<Item = PropertyValue<'a>> {
    properties.iter().filter(move |property| property.name == name).flat_map(|p| &p.values).copied()
}

fn checked<T>(
    properties: &[Property],
    name: &str,
    expected: &str,
    warnings: &mut Vec<String>,
    read: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let value = only(properties, name, warnings)?;
    let read = read(value.raw);
    if read.is_none() {
        warn(warnings, name, expected, value);
    }
    read
}

/// Adds a warning about a second value of a property that should have one.
pub(super) fn warn_of_second(
    warnings: &mut Vec<String>,
    name: &str,
    first: PropertyValue,
    second: PropertyValue,
) {
    warn(warnings, name, &format!("no value beside {name}[{}]", excerpt(first.raw)), second);
}

/// Adds a warning about a value that is ignored.
pub(super) fn warn(warnings: &mut Vec<String>, name: &str, expected: &str, value: PropertyValue) {
    if warnings.len() < MAX_WARNINGS {
        let PropertyValue { at, raw } = value;
        warnings.push(format!("{at}: expected {expected}, found {name}[{}]: ignored", excerpt(raw)));
    }
}
