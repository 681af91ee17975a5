//! `tewari config`: the value and the source of every option.

use super::argument_error::message;
use super::command_tree::{leaves, named_command, without_conditions};
use super::settings::{COMMON_TABLE, Setting, Settings, with_default};
use anyhow::{Context, Result, anyhow, ensure};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use std::ffi::OsString;
use std::io::Write;

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
    std::io::stdout().lock().write_all(arguments.text.as_bytes()).context("cannot write output")
}

/// Returns the options of the command that `words` name, or of all commands.
pub(super) fn describe(words: &[OsString], program: &Command, settings: &Settings) -> Result<String> {
    let (command, path, count) = named_command(program, words);
    let word = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    ensure!(count > 0 || words.is_empty(), "expected a command such as gtp or analyze, found {word:?}");
    let (file, is_absent) = (settings.path.display(), settings.text.is_none() && settings.path.is_absolute());
    let mut text = format!("# settings: {file}{}\n", if is_absent { ", which does not exist" } else { "" });
    text += &format!("# [{COMMON_TABLE}] in it applies to gtp, analyze, review, analysis and play go\n");
    for (path, command) in leaves(command, &path) {
        let held = settings.held(command, &path, &words[count..])?;
        let parser = command.clone().no_binary_name(true).mut_args(without_conditions);
        let parser = parser.mut_args(|option| with_default(option, &held));
        let matches = parser.try_get_matches_from(&words[count..]);
        let matches = matches.map_err(|error| anyhow!("{}", message(&error)))?;
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
    let toml = |text: &str| match serde_json::from_str::<serde_json::Number>(text) {
        Err(_) if !is_flag => serde_json::Value::from(text).to_string(),
        _ => text.to_owned(),
    };
    let texts = matches.get_raw(id).into_iter().flatten().map(|text| toml(&text.to_string_lossy()));
    let value = match texts.collect::<Vec<_>>().as_slice() {
        [] => return format!("# {key}: {}\n", unset(option)),
        [text] => text.clone(),
        texts => format!("[{}]", texts.join(", ")),
    };
    let setting = held.iter().find(|setting| setting.is_of(option));
    let source = match matches.value_source(id) {
        Some(ValueSource::CommandLine) => "command line",
        _ => setting.map_or("default", |setting| &setting.place),
    };
    format!("{:40} # {source}\n", format!("{key} = {value}"))
}

/// Describes an option without a value by the text after the last "default:" of its help.
fn unset(option: &Arg) -> String {
    let help = option.get_long_help().or(option.get_help()).map(ToString::to_string).unwrap_or_default();
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let described = ["Default: ", "default: "].iter().find_map(|mark| Some(words.rsplit_once(mark)?.1));
    match described {
        Some(text) => format!("by default {}", text.trim_end_matches(['.', ']'])),
        None if option.is_required_set() => "must be given".to_owned(),
        None => "not set".to_owned(),
    }
}
