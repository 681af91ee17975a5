//! Parsers of option values.

use super::print::exit_after_print;
use crate::go::rules::RulesError;
use crate::go::{KeyPolicy, PlayoutPolicy, Rules, Scoring, playout_policy};
use crate::search::policy::{self, Preset};
use crate::table::Replacement;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::io::Write;
use std::time::Duration;

/// Returns a parser of replacement policies; help and completions list their names.
pub(super) fn replacements() -> impl TypedValueParser<Value = Replacement> {
    PossibleValuesParser::new(Replacement::ALL.map(Replacement::name))
        .try_map(|name| name.parse::<Replacement>())
}

/// Returns a parser of key policies; help and completions list their names.
pub(super) fn key_policies() -> impl TypedValueParser<Value = KeyPolicy> {
    PossibleValuesParser::new(KeyPolicy::ALL.map(KeyPolicy::name)).try_map(|name| name.parse::<KeyPolicy>())
}

/// Parses rules that count area, as the referee does.
pub(super) fn parse_area_rules(text: &str) -> Result<Rules, String> {
    let rules: Rules = text.parse().map_err(|error: RulesError| error.to_string())?;
    match rules.scoring {
        Scoring::Area => Ok(rules),
        Scoring::Territory => Err(format!("expected rules that count area, found {rules}")),
    }
}

/// Parses bytes with an optional unit; `64M`, `64MiB` and `64mb` are all mebibytes, as memory is sold.
pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let binary = parse_size::Config::new().with_binary();
    let expected = "expected a number of bytes such as 65536, 512KiB, 64MiB or 2GiB";
    let bytes = binary.parse_size(text).map_err(|_| format!("{expected}, found {text:?}"))?;
    if bytes == 0 { Err(format!("{expected}, found 0")) } else { Ok(bytes) }
}

/// Parses seconds, above 0 and at most 1,000,000.
pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 =
        text.parse().map_err(|_| format!("expected a number of seconds such as 5 or 0.5, found {text:?}"))?;
    if seconds > 0.0 && seconds <= 1e6 {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("expected more than 0 and at most a million seconds, found {text}"))
    }
}

/// Parses a selection policy; `help` prints all of them and ends the program.
pub(super) fn parse_policy(text: &str) -> Result<Preset, String> {
    if text == "help" {
        exit_after_print(write!(std::io::stdout(), "{}", policy::help()));
    }
    text.parse()
}

/// Parses a playout policy; `help` prints all of them and ends the program.
pub(super) fn parse_playouts(text: &str) -> Result<PlayoutPolicy, String> {
    if text == "help" {
        exit_after_print(write!(std::io::stdout(), "{}", playout_policy::help()));
    }
    text.parse()
}

/// Parses a probability from 0 to 1.
pub(super) fn parse_probability(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("expected a number from 0 to 1, found {text:?}"))?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(format!("expected 0 to 1, found {text}")) }
}
