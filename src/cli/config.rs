//! `tewari config`: the value and the source of every option.

use super::argument_error::message;
use super::exit_codes::USAGE_ERROR;
use super::print::print_error;
use super::settings::{
    AppliedSetting, COMMON_TABLE, SettingValue, Settings, SettingsFile, named_command, normalize_flags,
    options,
};
use anyhow::{Context, Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write;

/// Column of the comments that name the sources.
const COLUMN: usize = 40;

#[derive(Args)]
pub(super) struct ConfigArguments {
    /// The command to print the options of; options may follow as on its own command line. Default: all commands.
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
    /// The chosen settings file and its content.
    #[arg(skip)]
    settings: Option<(SettingsFile, Option<Settings>)>,
}

impl ConfigArguments {
    /// Sets the settings file, which is read before the arguments.
    pub(super) fn set_settings(&mut self, choice: SettingsFile, settings: Option<Settings>) {
        self.settings = Some((choice, settings));
    }
}

pub(super) fn run(arguments: ConfigArguments, program: &Command) -> Result<()> {
    let text = text(arguments, program).unwrap_or_else(|error| {
        print_error(&format!("{error:#}"));
        std::process::exit(USAGE_ERROR)
    });
    std::io::stdout().lock().write_all(text.as_bytes()).context("cannot write output")
}

/// Returns the output, or an error for wrong settings or wrong options after the command.
fn text(arguments: ConfigArguments, program: &Command) -> Result<String> {
    let (choice, settings) = arguments.settings.context("the settings were not read")?;
    let mut text = head(&choice, settings.as_ref());
    if arguments.command.is_empty() {
        for command in program.get_subcommands() {
            add_all(&mut text, command, &[command.get_name().to_owned()], settings.as_ref())?;
        }
    } else {
        add_named(&mut text, program, arguments.command, settings.as_ref())?;
    }
    Ok(text)
}

fn head(choice: &SettingsFile, settings: Option<&Settings>) -> String {
    let found = match (choice, settings) {
        (SettingsFile::File(path) | SettingsFile::DefaultPath(path), Some(_)) => {
            format!("{}", path.display())
        }
        (SettingsFile::DefaultPath(path) | SettingsFile::File(path), None) => {
            format!("none; {} does not exist", path.display())
        }
        (SettingsFile::None, _) => "none".to_owned(),
    };
    format!(
        "# settings: {found}\n# [{COMMON_TABLE}] in it applies to gtp, analyze, review, analysis and play go\n"
    )
}

/// Adds the options of `command`, or those of all commands below it.
fn add_all(text: &mut String, command: &Command, path: &[String], settings: Option<&Settings>) -> Result<()> {
    if command.has_subcommands() {
        for below in command.get_subcommands() {
            add_all(text, below, &[path, &[below.get_name().to_owned()]].concat(), settings)?;
        }
        return Ok(());
    }
    let held = settings.map_or_else(Vec::new, |settings| settings.held(command, path, &[]));
    if let Some(settings) = settings {
        settings.apply(command.clone(), &held)?;
    }
    add(text, command, path, &ValueSources { settings, held, given: None, off: Vec::new() });
    Ok(())
}

/// Adds the options of the command that the first `words` name, with the options in the other words applied.
fn add_named(
    text: &mut String,
    program: &Command,
    words: Vec<OsString>,
    settings: Option<&Settings>,
) -> Result<()> {
    let (path, count) = named_command(program, &words);
    let command = path.iter().try_fold(program, |command, name| command.find_subcommand(name));
    let Some(command) = command.filter(|_| count > 0) else {
        bail!("expected a command such as gtp or analyze, found {:?}", words[0].to_string_lossy());
    };
    let mut words = words[count..].to_vec();
    if words.is_empty() {
        return add_all(text, command, &path, settings);
    }
    let off = normalize_flags(command, &mut words);
    let held = settings.map_or_else(Vec::new, |settings| settings.held(command, &path, &words));
    let mut with_settings = command.clone().no_binary_name(true);
    if let Some(settings) = settings {
        with_settings = settings.apply(with_settings, &held)?;
    }
    let given = match with_settings.try_get_matches_from(words) {
        Ok(given) => given,
        Err(error) => bail!("{}", message(&error)),
    };
    add(text, command, &path, &ValueSources { settings, held, given: Some(given), off });
    Ok(())
}

/// Sources of the values of a command's options.
struct ValueSources<'a> {
    settings: Option<&'a Settings>,
    held: Vec<AppliedSetting<'a>>,
    given: Option<ArgMatches>,
    /// Flags that the command line turns off.
    off: Vec<String>,
}

fn add(text: &mut String, command: &Command, path: &[String], sources: &ValueSources<'_>) {
    let mut lines = String::new();
    for option in options(command).filter(|option| !option.is_hide_set()) {
        lines += &sources.line(option);
    }
    if !lines.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n[{}]\n{lines}", path.join("."));
    }
}

impl ValueSources<'_> {
    /// Returns the value of an option as a line of TOML, with its source as a comment.
    fn line(&self, option: &Arg) -> String {
        let Some(key) = option.get_long() else { return String::new() };
        let is_flag = matches!(option.get_action(), ArgAction::SetTrue);
        let given = self
            .given
            .as_ref()
            .filter(|given| given.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine));
        let (value, source) = if self.off.iter().any(|off| off == key) {
            (SettingValue::Flag(false), "command line".to_owned())
        } else if let Some(given) = given {
            let raw = given.get_raw(option.get_id().as_str()).into_iter().flatten();
            let texts: Vec<String> = raw.map(|text| text.to_string_lossy().into_owned()).collect();
            (if is_flag { SettingValue::Flag(true) } else { one_or_many(texts) }, "command line".to_owned())
        } else if let Some((held, settings)) =
            self.held.iter().rfind(|held| held.key == key).zip(self.settings)
        {
            (held.value.clone(), settings.place(held.line))
        } else if is_flag {
            (SettingValue::Flag(false), "default".to_owned())
        } else if option.get_default_values().is_empty() {
            return format!("# {key}: {}\n", unset(option));
        } else {
            let texts = option.get_default_values().iter().map(|text| text.to_string_lossy().into_owned());
            (one_or_many(texts.collect()), "default".to_owned())
        };
        let setting = format!("{key} = {}", toml_of(&value));
        format!("{setting:COLUMN$} # {source}\n")
    }
}

fn one_or_many(mut texts: Vec<String>) -> SettingValue {
    if texts.len() == 1 { SettingValue::One(texts.remove(0)) } else { SettingValue::Many(texts) }
}

/// Describes an option without a value by the text after the last "default:" of its help.
fn unset(option: &Arg) -> String {
    let help =
        option.get_long_help().or_else(|| option.get_help()).map(ToString::to_string).unwrap_or_default();
    let described = ["Default: ", "default: "].iter().find_map(|mark| Some(help.rsplit_once(mark)?.1));
    let described = described.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    match described {
        Some(text) => format!("by default {}", text.trim_end_matches(['.', ']'])),
        None if option.is_required_set() => "must be given".to_owned(),
        None => "not set".to_owned(),
    }
}

/// Returns a value as TOML: flags and numbers bare, everything else as a string.
fn toml_of(value: &SettingValue) -> String {
    let scalar = |text: &String| {
        let is_number = text.parse::<i64>().is_ok_and(|number| number.to_string() == *text)
            || text.contains('.') && text.parse::<f64>().is_ok_and(|number| format!("{number:?}") == *text);
        // A JSON string is a TOML string, too.
        if is_number { text.clone() } else { serde_json::Value::from(text.as_str()).to_string() }
    };
    match value {
        SettingValue::Flag(is_set) => is_set.to_string(),
        SettingValue::One(text) => scalar(text),
        SettingValue::Many(texts) => format!("[{}]", texts.iter().map(scalar).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_toml_reads_them() {
        for (text, written) in [
            ("2", "2"),
            ("7.5", "7.5"),
            ("1GiB", "\"1GiB\""),
            ("a\"b", "\"a\\\"b\""),
            ("9x9", "\"9x9\""),
            ("nan", "\"nan\""),
        ] {
            assert_eq!(toml_of(&SettingValue::One(text.to_owned())), written);
        }
        assert_eq!(toml_of(&SettingValue::Many(vec!["4KiB".to_owned(), "8".to_owned()])), "[\"4KiB\", 8]");
    }
}
