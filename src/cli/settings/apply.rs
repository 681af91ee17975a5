//! Settings as the defaults of a command's options.

use super::content::Settings;
use super::entry::{SettingEntry, SettingValue, SettingsError};
use crate::cli::argument_error;
use clap::builder::Resettable;
use clap::{Arg, ArgAction, Command};
use std::ffi::OsString;

/// Name of the table for all commands that play or analyse.
pub(crate) const COMMON_TABLE: &str = "default";
/// Commands that the common table applies to. Experiments have only tables of their own: their results must not depend
/// on the user's settings for play.
const COMMON_COMMANDS: [&[&str]; 5] = [&["gtp"], &["analyze"], &["review"], &["analysis"], &["play", "go"]];
/// Groups of options of which a given one replaces the others: memory size, limit of a search.
const MUTUALLY_REPLACING: [&[&str]; 2] = [&["memory", "table-size"], &["visits", "simulations", "time"]];
/// Minimum similarity (Jaro, 0 to 1) of a name that is suggested.
const MIN_SIMILARITY: f64 = 0.7;

/// A setting that applies to a command.
#[derive(Debug)]
pub(crate) struct AppliedSetting<'a> {
    /// The long name of the option.
    pub(crate) key: &'a str,
    pub(crate) value: &'a SettingValue,
    /// The line in the file, from 1.
    pub(crate) line: usize,
}

impl Settings {
    /// Checks the names and types of all settings, whatever command runs.
    ///
    /// # Errors
    /// Returns the first mistake, with its place.
    pub(crate) fn check(&self, program: &Command) -> anyhow::Result<()> {
        self.mistake(program).map_or(Ok(()), |mistake| Err(mistake.at(&self.path)))
    }

    fn mistake(&self, program: &Command) -> Option<SettingsError> {
        for (tables, line) in &self.tables {
            if leaves(program, tables).is_empty() {
                let names =
                    std::iter::once(COMMON_TABLE).chain(program.get_subcommands().map(Command::get_name));
                let what = format!("unknown table [{}]{}", tables.join("."), similar(tables.last()?, names));
                return Some(SettingsError {
                    line: *line,
                    what: format!("{what}; the tables are [{COMMON_TABLE}] and one for each command"),
                });
            }
        }
        self.entries.iter().find_map(|entry| {
            let what = entry.mistake(program)?;
            Some(SettingsError { line: entry.line, what })
        })
    }

    /// Returns the settings that apply to the command at `path`. An option in `arguments`, the words after the command,
    /// replaces its setting and those of its rivals and of options that it conflicts with.
    pub(crate) fn held(
        &self,
        command: &Command,
        path: &[String],
        arguments: &[OsString],
    ) -> Vec<AppliedSetting<'_>> {
        let ranked: Vec<(usize, &SettingEntry)> =
            self.entries.iter().filter_map(|entry| Some((entry.rank(path)?, entry))).collect();
        let is_beaten = |rank: usize, entry: &SettingEntry| {
            ranked
                .iter()
                .any(|&(other_rank, other)| other_rank > rank && replace_each_other(&entry.key, &other.key))
        };
        let mut held = Vec::new();
        for &(rank, entry) in &ranked {
            let Some(option) = option(command, &entry.key) else { continue };
            let is_given = options(command)
                .filter(|other| exclude(command, option, other))
                .any(|other| is_given(other, arguments));
            if !is_given && !is_beaten(rank, entry) {
                held.push(AppliedSetting { key: &entry.key, value: &entry.value, line: entry.line });
            }
        }
        held
    }

    /// Sets settings as the defaults of the options of `command`.
    ///
    /// # Errors
    /// Returns an error, with the place, if an option does not accept its value.
    pub(crate) fn apply(&self, mut command: Command, held: &[AppliedSetting<'_>]) -> anyhow::Result<Command> {
        for AppliedSetting { key, value, line } in held {
            let Some(option) = option(&command, key) else { continue };
            if let Some(what) = value_error(option, value) {
                return Err(SettingsError { line: *line, what }.at(&self.path));
            }
            let id = option.get_id().clone();
            // Changed in place to keep the order of the options.
            command = command
                .mut_args(|option| if option.get_id() == &id { with_default(option, value) } else { option });
        }
        Ok(command)
    }
}

impl SettingEntry {
    /// Returns the error of the entry's table, name or type, if there is one.
    fn mistake(&self, program: &Command) -> Option<String> {
        let SettingEntry { tables, key, value, .. } = self;
        if tables.is_empty() {
            return Some(format!(
                "{key} is outside a table: put it below [{COMMON_TABLE}] or a command such as [gtp]"
            ));
        }
        let leaves = leaves(program, tables);
        let Some(option) = leaves.iter().find_map(|leaf| option(leaf, key)) else {
            let names = leaves.iter().flat_map(|leaf| options(leaf)).filter_map(Arg::get_long);
            let command = if tables[0] == COMMON_TABLE { "gtp" } else { &tables[0] };
            return Some(format!(
                "unknown key {key} in [{}]{}; `tewari config {command}` lists all",
                tables.join("."),
                similar(key, names)
            ));
        };
        let expected = match (option.get_action(), value) {
            (ArgAction::SetTrue, SettingValue::Flag(_)) => return None,
            (ArgAction::SetTrue, _) => "true or false",
            (ArgAction::Append, SettingValue::One(_) | SettingValue::Many(_)) => return None,
            (_, SettingValue::One(_)) => return None,
            _ => "a text or a number",
        };
        let found = match value {
            SettingValue::Flag(is_set) => is_set.to_string(),
            SettingValue::One(text) => format!("{text:?}"),
            SettingValue::Many(_) => "a list".to_owned(),
        };
        Some(format!("{key}: expected {expected}, found {found}"))
    }

    /// Returns the rank of the entry's table among those that apply to the command at `path`: the more specific, the
    /// higher. `None` if it does not apply.
    fn rank(&self, path: &[String]) -> Option<usize> {
        if self.tables == [COMMON_TABLE] {
            return COMMON_COMMANDS.iter().any(|common| common == &path).then_some(0);
        }
        (!self.tables.is_empty() && path.starts_with(&self.tables)).then_some(self.tables.len())
    }
}

/// Returns the path of the command that the first words of `arguments` name, and the number of these words. Without any
/// the command is `gtp`.
pub(crate) fn named_command(program: &Command, arguments: &[OsString]) -> (Vec<String>, usize) {
    let (mut command, mut path) = (program, Vec::new());
    for word in arguments {
        let Some(below) = word.to_str().and_then(|word| command.find_subcommand(word)) else { break };
        path.push(below.get_name().to_owned());
        command = below;
    }
    let words = path.len();
    (if path.is_empty() { vec!["gtp".to_owned()] } else { path }, words)
}

/// Removes `--flag=false` from `arguments` and shortens `--flag=true` to `--flag`, so that the command line can turn
/// off a flag of the settings. Returns the long names of the flags that are turned off.
pub(crate) fn normalize_flags(command: &Command, arguments: &mut Vec<OsString>) -> Vec<String> {
    let mut off = Vec::new();
    arguments.retain_mut(|argument| {
        let Some((name, is_set)) = argument.to_str().and_then(flag_and_value) else { return true };
        let is_flag = |option: &Arg| matches!(option.get_action(), ArgAction::SetTrue);
        if !option(command, name).is_some_and(is_flag) {
            return true;
        }
        let name = name.to_owned();
        if is_set {
            *argument = format!("--{name}").into();
        } else {
            off.push(name);
        }
        is_set
    });
    off
}

/// Returns true if an argument has a form that [`normalize_flags`] handles.
pub(crate) fn is_flag_with_value(argument: &OsString) -> bool {
    argument.to_str().and_then(flag_and_value).is_some()
}

fn flag_and_value(argument: &str) -> Option<(&str, bool)> {
    let (name, value) = argument.strip_prefix("--")?.split_once('=')?;
    Some((name, value.parse().ok()?))
}

/// Returns the commands without subcommands that a table of settings applies to.
fn leaves<'a>(program: &'a Command, tables: &[String]) -> Vec<&'a Command> {
    if tables == [COMMON_TABLE] {
        return COMMON_COMMANDS
            .iter()
            .filter_map(|path| path.iter().try_fold(program, |it, name| it.find_subcommand(name)))
            .collect();
    }
    let found = tables.iter().try_fold(program, |command, name| command.find_subcommand(name));
    let mut leaves = Vec::new();
    let mut waiting: Vec<&Command> = found.into_iter().collect();
    while let Some(command) = waiting.pop() {
        waiting.extend(command.get_subcommands());
        if !command.has_subcommands() {
            leaves.push(command);
        }
    }
    leaves
}

/// Returns the options that settings may set.
pub(crate) fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_setting = |option: &&Arg| {
        option.get_long().is_some()
            && !option.is_global_set()
            && !["help", "version"].contains(&option.get_id().as_str())
    };
    command.get_arguments().filter(is_setting)
}

fn option<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    options(command).find(|option| option.get_long() == Some(key))
}

/// Returns true if giving one option invalidates the other: they are equal, rivals, or in conflict.
fn exclude(command: &Command, one: &Arg, other: &Arg) -> bool {
    let conflicts = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|conflict| conflict.get_id() == other.get_id())
    };
    let names = one.get_long().zip(other.get_long());
    names.is_some_and(|(one, other)| replace_each_other(one, other))
        || conflicts(one, other)
        || conflicts(other, one)
}

/// Returns true if the options are equal, or one replaces the other.
fn replace_each_other(one: &str, other: &str) -> bool {
    one == other || MUTUALLY_REPLACING.iter().any(|rivals| rivals.contains(&one) && rivals.contains(&other))
}

/// Returns true if an option is among the words of a command line.
fn is_given(option: &Arg, arguments: &[OsString]) -> bool {
    let mut longs = option.get_long_and_visible_aliases().unwrap_or_default();
    longs.extend(option.get_all_aliases().unwrap_or_default());
    let is_it = |argument: &str| match argument.strip_prefix("--") {
        Some(long) => longs.contains(&long.split('=').next().unwrap_or_default()),
        None => option
            .get_short()
            .is_some_and(|short| argument.strip_prefix('-').is_some_and(|it| it.starts_with(short))),
    };
    let words = arguments.iter().take_while(|argument| *argument != "--");
    words.filter_map(|argument| argument.to_str()).any(is_it)
}

/// Returns the option with another default, no longer required.
fn with_default(option: Arg, value: &SettingValue) -> Arg {
    // Leaked, since clap requires `'static` texts.
    let keep = |text: &String| -> &'static str { String::leak(text.clone()) };
    let option = option.required(false).required_unless_present(Resettable::Reset);
    match value {
        SettingValue::Flag(is_set) => option.default_value(if *is_set { "true" } else { "false" }),
        SettingValue::One(text) => option.default_value(keep(text)),
        SettingValue::Many(texts) => option.default_values(texts.iter().map(keep)),
    }
}

/// Returns the error of setting an option to `value`, if there is one.
fn value_error(option: &Arg, value: &SettingValue) -> Option<String> {
    let texts = match value {
        SettingValue::Flag(_) => return None,
        SettingValue::One(text) => std::slice::from_ref(text),
        SettingValue::Many(texts) => texts,
    };
    let long = option.get_long()?;
    if texts.iter().any(|text| text == "help") {
        return Some(format!("{long}: help is for the command line"));
    }
    let alone = option.clone().required(false).required_unless_present(Resettable::Reset);
    let alone = alone.requires(Resettable::Reset).conflicts_with(Resettable::Reset);
    let command = Command::new("settings").no_binary_name(true).disable_help_flag(true).arg(alone);
    let outcome = command.try_get_matches_from(texts.iter().map(|text| format!("--{long}={text}")));
    outcome.err().map(|error| argument_error::message(&error))
}

/// Returns the most similar name as a question, or an empty text.
fn similar<'a>(name: &str, others: impl Iterator<Item = &'a str>) -> String {
    let rated = others.map(|other| (strsim::jaro(name, other), other));
    let best = rated.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(likeness, _)| *likeness >= MIN_SIMILARITY)
        .map_or(String::new(), |(_, other)| format!(": did you mean {other}?"))
}
