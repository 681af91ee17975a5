//! The parser of settings files: keys, values and their lines.

use super::entry::{SettingEntry, SettingValue, SettingsError};
use toml::de::{DeTable, DeValue};

/// The entries and tables of a file.
#[derive(Debug)]
pub(super) struct ParsedSettings {
    /// In the order of their lines.
    pub(super) entries: Vec<SettingEntry>,
    /// All tables, with their lines.
    pub(super) tables: Vec<(Vec<String>, usize)>,
}

/// Parses a settings file.
pub(super) fn read(bytes: &[u8]) -> Result<ParsedSettings, SettingsError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let line = line_at(bytes, error.valid_up_to());
            return Err(SettingsError { line, what: "expected UTF-8".to_owned() });
        }
    };
    let root = DeTable::parse(text).map_err(|error| {
        let what = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        SettingsError { line: line_at(text.as_bytes(), error.span().map_or(0, |span| span.start)), what }
    })?;
    let mut found = ParsedSettings { entries: Vec::new(), tables: Vec::new() };
    collect(text, root.get_ref(), &[], &mut found)?;
    found.entries.sort_by_key(|entry| entry.line);
    found.tables.sort_by_key(|(_, line)| *line);
    Ok(found)
}

/// Adds the entries and tables in `table`, which is inside `tables`.
fn collect(
    text: &str,
    table: &DeTable<'_>,
    tables: &[String],
    found: &mut ParsedSettings,
) -> Result<(), SettingsError> {
    for (key, value) in table {
        let line = line_at(text.as_bytes(), key.span().start);
        let key = key.get_ref().to_string();
        if let DeValue::Table(inner) = value.get_ref() {
            let path = [tables, &[key]].concat();
            found.tables.push((path.clone(), line));
            collect(text, inner, &path, found)?;
            continue;
        }
        let Some(value) = value_of(value.get_ref()) else {
            let kind = value.get_ref().type_str();
            let what =
                format!("{key}: expected a text, a number, true, false or a list of them, found a {kind}");
            return Err(SettingsError { line, what });
        };
        found.entries.push(SettingEntry { tables: tables.to_vec(), key, line, value });
    }
    Ok(())
}

fn value_of(value: &DeValue<'_>) -> Option<SettingValue> {
    match value {
        DeValue::Boolean(is_set) => Some(SettingValue::Flag(*is_set)),
        DeValue::Array(items) => {
            items.iter().map(|item| scalar(item.get_ref())).collect::<Option<_>>().map(SettingValue::Many)
        }
        other => scalar(other).map(SettingValue::One),
    }
}

/// Returns a text or a number as it would be typed.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => {
            i128::from_str_radix(number.as_str(), number.radix()).ok().map(|it| it.to_string())
        }
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

/// Returns the line of a byte, from 1.
fn line_at(text: &[u8], byte: usize) -> usize {
    1 + text.iter().take(byte).filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_tables_lines_and_values() {
        let text = "[default]\nthreads = 0x2 # two\n\n[play.go]\nkomi = -7.5\n[sweep]\ntable-size = [\"4KiB\", 8]\nquiet=true";
        let found = read(text.as_bytes()).unwrap();
        let seen: Vec<_> = found
            .entries
            .iter()
            .map(|it| (it.tables.join("."), it.key.as_str(), it.line, it.value.clone()))
            .collect();
        let one = |text: &str| SettingValue::One(text.to_owned());
        assert_eq!(
            seen,
            [
                ("default".to_owned(), "threads", 2, one("2")),
                ("play.go".to_owned(), "komi", 5, one("-7.5")),
                (
                    "sweep".to_owned(),
                    "table-size",
                    7,
                    SettingValue::Many(vec!["4KiB".to_owned(), "8".to_owned()])
                ),
                ("sweep".to_owned(), "quiet", 8, SettingValue::Flag(true)),
            ]
        );
        assert_eq!(found.tables.len(), 4);
    }

    #[test]
    fn mistakes_have_their_line_and_are_one_line() {
        for (text, line, fragment) in [
            (&b"[gtp]\nthreads = \n"[..], 2, ""),
            (b"[gtp]\nthreads = 1\nthreads = 2", 3, "duplicate"),
            (b"\n\n[gtp", 3, ""),
            (b"[gtp]\nkomi = 1979-05-27", 2, "datetime"),
            (b"[[gtp]]\nkomi = 1", 1, "array"),
            (b"[gtp]\nkomi = [true]", 2, "array"),
            (b"a = 1\nb = \"\xff\"", 2, "UTF-8"),
        ] {
            let mistake = read(text).expect_err("a mistake");
            assert_eq!(mistake.line, line, "{mistake:?}");
            assert!(mistake.what.contains(fragment) && !mistake.what.contains('\n'), "{mistake:?}");
        }
    }
}
