//! Settings: values of options from a file.
//!
//! The file is TOML: a table for each command with the long names of its options as keys, and `[default]` for all
//! commands that play or analyse. Its values become the defaults of the command's options: `--help` shows them, clap
//! checks them, and the command line overrides them.

use super::argument_error::message;
use super::command_tree::{leaves, with_any_value, without_conditions};
use crate::base::bounded_file::read_bounded;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::builder::Resettable;
use clap::error::{ContextKind, ErrorKind as Mistake};
use clap::{Arg, ArgMatches, Command, value_parser};
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Name of the table for the commands that play or analyse.
pub(super) const COMMON_TABLE: &str = "default";
/// Commands of the common table: no experiments, since their results must not depend on settings for play.
const COMMON_COMMANDS: [&str; 5] = ["gtp", "analyze", "review", "analysis", "play.go"];
/// Groups of options of which one on the command line or in a more specific table replaces the others.
const RIVALS: [&[&str]; 3] =
    [&["memory", "table-size"], &["level", "visits", "simulations", "time"], &["level", "ponder"]];
/// Maximum size of the file.
const MAX_BYTES: usize = 1 << 20;
/// Name that stands for no file.
const NONE: &str = "none";

/// The settings file and its content.
#[derive(Debug)]
pub(super) struct Settings {
    /// The name of the file, or `none`, for people.
    pub(super) file: String,
    /// Those of more specific tables last.
    entries: Vec<Setting>,
}

/// A key with its values.
#[derive(Debug)]
pub(super) struct Setting {
    table: String,
    key: String,
    /// The texts that would follow the option on a command line.
    values: Vec<String>,
    /// The name of the file and the line.
    pub(super) place: String,
}

impl Settings {
    /// Reads and checks the file that the user names, else the usual one, if any. Removes `--config` from `words`.
    pub(super) fn read(words: &mut Vec<OsString>, program: &Command) -> Result<Settings> {
        let named = take_option(words)?;
        let is_named = named.is_some();
        let path = named.map_or_else(usual_path, PathBuf::from);
        let is_missing =
            |error: &io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
        let (bytes, note) = match read_bounded(&path, MAX_BYTES) {
            _ if path == Path::new(NONE) => (Vec::new(), ""),
            Err(error) if !is_named && is_missing(&error) => (Vec::new(), ", which does not exist"),
            read => (read.with_context(|| format!("cannot read the settings in {}", path.display()))?, ""),
        };
        let file = path.display().to_string();
        Ok(Settings { entries: parse(&bytes, program, &file)?, file: file + note })
    }

    /// Returns the settings of `command`, found at `path`, that hold beside `words`, its arguments: an option among them
    /// replaces its rivals and those that it conflicts with, as does one in a more specific table.
    pub(super) fn held(&self, command: &Command, path: &str, words: &[OsString]) -> Result<Vec<&Setting>> {
        let mut held: Vec<&Setting> = Vec::new();
        for setting in self.entries.iter().rev().filter(|it| applies(&it.table, path)) {
            let Some(option) = command.get_arguments().find(|option| setting.is_of(option)) else { continue };
            let above = held.iter().filter(|other| other.table != setting.table).flat_map(|it| it.words());
            if !setting.is_replaced(option, command, above.chain(words.iter().cloned())) {
                setting.parse(command).map_err(|error| anyhow!("{}: {}", setting.place, message(&error)))?;
                held.push(setting);
            }
        }
        Ok(held)
    }
}

/// Returns the settings in a file called `file`.
fn parse(bytes: &[u8], program: &Command, file: &str) -> Result<Vec<Setting>> {
    ensure!(bytes.len() <= MAX_BYTES, "{file}: expected settings of at most {MAX_BYTES} bytes, found more");
    let text = str::from_utf8(bytes).map_err(|error| anyhow!("{file}: expected UTF-8: {error}"))?;
    let place = |byte| format!("{file}:{}", 1 + text[..byte].matches('\n').count());
    let root = DeTable::parse(text).map_err(|error| {
        let place = place(error.span().map_or(0, |span| span.start));
        anyhow!("{place}: {}", error.message().replace('\n', "; "))
    })?;
    let mut entries = entries(root.get_ref(), "", program, &place)?;
    // Of the tables of one command, the more specific has the longer name.
    entries.sort_by_key(|it| if it.table == COMMON_TABLE { 0 } else { it.table.len() });
    Ok(entries)
}

/// Returns the entries of a table called `name`, and of the tables in it; `place` names the line of a byte.
fn entries(
    table: &DeTable<'_>,
    name: &str,
    program: &Command,
    place: &dyn Fn(usize) -> String,
) -> Result<Vec<Setting>> {
    let mut found = Vec::new();
    for (key, value) in table {
        let (line, key) = (place(key.span().start), key.get_ref().to_string());
        if let DeValue::Table(inner) = value.get_ref() {
            let name = format!("{name}.{key}");
            let name = name.trim_start_matches('.');
            check_table(name, program).with_context(|| line)?;
            found.extend(entries(inner, name, program, place)?);
            continue;
        }
        let values = values(value.get_ref()).with_context(|| format!("{line}: {key}"))?;
        ensure!(!name.is_empty(), "{line}: {key} is outside a table such as [{COMMON_TABLE}] or [gtp]");
        let is_help = key == "help" || values.iter().any(|it| it == "help");
        ensure!(!is_help, "{line}: {key}: help is for the command line");
        found.push(Setting { table: name.to_owned(), key, values, place: line });
    }
    found.iter().try_for_each(|setting| setting.check_name(program))?;
    Ok(found)
}

impl Setting {
    /// Returns true if this is the setting of an option.
    pub(super) fn is_of(&self, option: &Arg) -> bool {
        option.get_long() == Some(&self.key)
    }

    fn words(&self) -> impl Iterator<Item = OsString> {
        self.values.iter().map(|value| format!("--{}={value}", self.key).into())
    }

    /// Parses the setting alone.
    fn parse(&self, command: &Command) -> Result<ArgMatches, clap::Error> {
        let parser = command.clone().no_binary_name(true).mut_args(without_conditions);
        parser.try_get_matches_from(self.words())
    }

    /// Checks that a command of its table knows the key.
    fn check_name(&self, program: &Command) -> Result<()> {
        let leaves = leaves(program, "").into_iter().filter(|(path, _)| applies(&self.table, path));
        let is_unknown = |error: &clap::Error| error.kind() == Mistake::UnknownArgument;
        let errors: Option<Vec<_>> = leaves.map(|(_, it)| self.parse(it).err().filter(is_unknown)).collect();
        let is_good = |error: &clap::Error| error.get(ContextKind::SuggestedArg).is_some();
        let error = errors.unwrap_or_default().into_iter().max_by_key(is_good);
        error.map_or(Ok(()), |error| bail!("{}: {}", self.place, message(&error)))
    }

    /// Returns true if other words contain its option, or one that is a rival or in conflict.
    fn is_replaced(&self, option: &Arg, command: &Command, words: impl Iterator<Item = OsString>) -> bool {
        let parser = command.clone().no_binary_name(true).mut_args(|other| {
            let other = with_any_value(other).value_parser(value_parser!(OsString));
            let pair = [self.key.as_str(), other.get_long().unwrap_or_default()];
            let is_rival = RIVALS.iter().any(|group| pair.iter().all(|name| group.contains(name)));
            if is_rival && !self.is_of(&other) { other.conflicts_with(option.get_id()) } else { other }
        });
        // A flag that is turned off excludes nothing.
        let words = self.words().take(1).chain(words).filter(|it| !it.to_string_lossy().ends_with("=false"));
        parser.try_get_matches_from(words).is_err_and(|error| error.kind() == Mistake::ArgumentConflict)
    }
}

/// Returns the option with the values of its setting, if there is one, as its default.
pub(super) fn with_default(option: Arg, held: &[&Setting]) -> Arg {
    let Some(setting) = held.iter().find(|setting| setting.is_of(&option)) else { return option };
    // Leaked, since clap requires `'static` texts.
    let values = setting.values.iter().map(|value| -> &'static str { String::leak(value.clone()) });
    option.required(false).required_unless_present(Resettable::Reset).default_values(values)
}

/// Removes `--config` from `words`, but not after `analysis`, where it is an option of KataGo's. Returns the file that it
/// names, or else the environment.
fn take_option(words: &mut Vec<OsString>) -> Result<Option<OsString>> {
    let is_option = |word: &OsString| word == "--config" || word.to_string_lossy().starts_with("--config=");
    let mut named = std::env::var_os("TEWARI_CONFIG").filter(|file| !file.is_empty());
    while words.get(1).is_none_or(|word| word != "analysis")
        && let Some(index) = words.iter().take_while(|word| *word != "--").position(is_option)
    {
        let word = words.remove(index);
        named = Some(match word.to_string_lossy().strip_prefix("--config=") {
            Some(file) => file.into(),
            None if index < words.len() => words.remove(index),
            None => bail!("expected a file of settings after --config, or none; found nothing"),
        });
    }
    Ok(named)
}

/// Returns the settings file by the XDG base directory specification, which ignores relative folders.
fn usual_path() -> PathBuf {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    folder.map_or(NONE.into(), |folder| folder.join("tewari/config.toml"))
}

/// Returns the texts that would follow an option on the command line.
fn values(value: &DeValue<'_>) -> Result<Vec<String>> {
    Ok(vec![match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())?.to_string(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(is_set) => is_set.to_string(),
        DeValue::Array(items) if !items.is_empty() => {
            return items.iter().try_fold(Vec::new(), |all, it| Ok([all, values(it.get_ref())?].concat()));
        }
        DeValue::Array(_) => bail!("expected a list with at least one value, found an empty list"),
        other => bail!("expected a text, a number, true, false or a list, found {}", other.type_str()),
    }])
}

/// Checks that a table applies to a command.
fn check_table(name: &str, program: &Command) -> Result<()> {
    let is_known = leaves(program, "").iter().any(|(path, _)| applies(name, path));
    let parser = program.clone().no_binary_name(true).disable_help_subcommand(true);
    let error = parser.try_get_matches_from(name.split('.')).err().filter(|_| !is_known);
    error.map_or(Ok(()), |error| bail!("unknown table [{name}]: {}", message(&error)))
}

/// Returns true if a table applies to the command at a path such as `play.go`.
fn applies(table: &str, path: &str) -> bool {
    let is_common = table == COMMON_TABLE && COMMON_COMMANDS.contains(&path);
    is_common || format!("{path}.").starts_with(&format!("{table}."))
}
