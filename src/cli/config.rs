//! `tewari config`: the value and the source of every option.

use super::argument_error::message;
use super::command_tree::{leaves, named_command, without_conditions};
use super::print::print_line;
use super::settings::{COMMON_TABLE, Setting, Settings, with_default};
use anyhow::{Result, anyhow, ensure};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use serde_json::{Number, Value};
use std::ffi::OsString;

#[derive(Args)]
pub(super) struct ConfigArguments {
    /// The command to print the options of; options may follow as on its own command line. Default: all commands.
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) command: Vec<OsString>,
    /// The output, which depends on the settings.
    #[arg(skip)]
    pub(super) text: String,
}

pub(super) fn run(arguments: &ConfigArguments) -> Result<()> {
    print_line(arguments.text.trim_end())
}

/// Returns the options of the command that `words` name, or of all commands.
pub(super) fn describe(words: &[OsString], program: &Command, settings: &Settings) -> Result<String> {
    let (command, path, count) = named_command(program, words);
    let word = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    ensure!(count > 0 || words.is_empty(), "expected a command such as gtp or analyze, found {word:?}");
    let mut text = format!("# settings: {}\n", settings.file);
    text += &format!(
        "# [{COMMON_TABLE}] in the settings applies to gtp, analyze, review, analysis and play go\n"
    );
    for (path, command) in leaves(command, &path) {
        let held = settings.held(command, &path, &words[count..])?;
        let parser = command.clone().no_binary_name(true).mut_args(without_conditions);
        let parser = parser.mut_args(|option| with_default(option, &held));
        let matches = parser.try_get_matches_from(&words[count..]).map_err(|it| anyhow!(message(&it)))?;
        let options = command.get_arguments().filter(|it| it.get_long().is_some() && !it.is_hide_set());
        let lines: String = options.map(|option| line(option, &matches, &held)).collect();
        if !lines.is_empty() {
            text += &format!("\n[{path}]\n{lines}");
        }
    }
    Ok(text)
}

/// Returns the value of an option as a line of TOML, with its source as a comment.
fn line(option: &Arg, matches: &ArgMatches, held: &[&Setting]) -> String {
    let (key, id) = (option.get_long().unwrap_or_default(), option.get_id().as_str());
    let is_flag = matches!(option.get_action(), ArgAction::SetTrue);
    let is_bare = |text: &str| is_flag || serde_json::from_str::<Number>(text).is_ok();
    let toml = |text: &str| if is_bare(text) { text.to_owned() } else { Value::from(text).to_string() };
    let texts = matches.get_raw(id).into_iter().flatten().map(|text| toml(&text.to_string_lossy()));
    let value = match texts.collect::<Vec<_>>().as_slice() {
        [] => return format!("# {key}: {}\n", unset(option)),
        [text] => text.clone(),
        texts => format!("[{}]", texts.join(", ")),
    };
    let setting = held.iter().find(|setting| setting.is_of(option));
    let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
    let source = if is_given { "command line" } else { setting.map_or("default", |it| &it.place) };
    format!("{:40} # {source}\n", format!("{key} = {value}"))
}

/// Describes an option without a value by the text after the last "Default:" or "default:" of its help.
fn unset(option: &Arg) -> String {
    let help = option.get_long_help().or(option.get_help()).map(ToString::to_string).unwrap_or_default();
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.rsplit_once("efault: ") {
        Some((_, text)) => format!("by default {}", text.trim_end_matches(['.', ']'])),
        None if option.is_required_set() => "must be given".to_owned(),
        None => "not set".to_owned(),
    }
}
