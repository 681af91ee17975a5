//! The commands and options of the program as a tree: commands by path, and options freed of their conditions.

use clap::builder::Resettable;
use clap::{Arg, ArgAction, Command};
use std::ffi::OsString;

/// Returns the commands without subcommands in `command`, found at `path`, with their paths.
pub(super) fn leaves<'a>(command: &'a Command, path: &str) -> Vec<(String, &'a Command)> {
    if !command.has_subcommands() {
        return vec![(path.to_owned(), command)];
    }
    let below = command.get_subcommands().map(|below| (format!("{path}.{}", below.get_name()), below));
    below.flat_map(|(path, below)| leaves(below, path.trim_start_matches('.'))).collect()
}

/// Returns the command that the first of `words` name, its path, and the number of these words.
pub(super) fn named_command<'a>(program: &'a Command, words: &[OsString]) -> (&'a Command, String, usize) {
    let (mut command, mut names) = (program, Vec::new());
    while let Some(below) = words.get(names.len()).and_then(|word| command.find_subcommand(word)) {
        names.push(below.get_name());
        command = below;
    }
    (command, names.join("."), names.len())
}

/// Returns `command` with the change applied to the subcommand at `path`.
pub(super) fn change_command(command: Command, path: &str, change: &dyn Fn(Command) -> Command) -> Command {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    if name.is_empty() {
        return change(command);
    }
    command.mut_subcommand(name, |below| change_command(below, rest, change))
}

/// Returns the option; a flag also accepts `=true` and `=false`, and others negative numbers, for messages about their range.
pub(super) fn with_any_value(option: Arg) -> Arg {
    match option.get_action() {
        ArgAction::SetTrue => option.num_args(0..=1).require_equals(true).value_name("true|false"),
        _ if option.get_long().is_some() => option.allow_negative_numbers(true),
        _ => option,
    }
}

/// Returns the option as if it stood alone: not required, and without options that it requires or conflicts with.
pub(super) fn without_conditions(option: Arg) -> Arg {
    let option = option.required(false).required_unless_present(Resettable::Reset);
    with_any_value(option.requires(Resettable::Reset).conflicts_with(Resettable::Reset))
}
