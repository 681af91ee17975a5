//! Contestants as named on the command line: `self`, `self:OPTIONS`, or a program's command line.

use super::argument_error::message_with_hint;
use super::options::{EngineArguments, LIMITS, LimitArguments};
use super::usage_error::usage;
use super::value_parsers::parse_probability;
use crate::engine::{DecisionSettings, Level, MoveBudget};
use crate::go::{Komi, Rules, Size};
use crate::lab::arena::contestant::ContestantSpec;
use crate::protocols::gtp::SessionOptions;
use anyhow::{Context, Result, anyhow, ensure};
use clap::Parser;

/// Default bytes of the table of a `self` contestant, ample for thousands of simulations a move on 9x9; a match holds
/// several tables at once.
const DEFAULT_TABLE_BYTES: u64 = 64 << 20;
/// Default number of simulations a move of a `self` contestant.
pub(super) const DEFAULT_SIMULATIONS: u64 = 1_000;

/// Options after `self:`.
#[derive(Parser, Debug)]
#[command(name = "self:", no_binary_name = true, disable_help_flag = true)]
struct SelfArguments {
    #[command(flatten)]
    engine: EngineArguments,
    #[command(flatten)]
    limits: LimitArguments,
    /// Strength: from 1 to 10, or beginner, novice, learner, casual, improver, steady, club, strong, expert, master.
    /// Overrides --simulations, --visits and --time, and below club also --network.
    #[arg(long, value_name = "LEVEL", help_heading = LIMITS)]
    level: Option<Level>,
    /// Resign when the engine's win rate, from 0 to 1, is below this; 0 never resigns.
    #[arg(long, default_value_t = 0.1, value_parser = parse_probability)]
    resign: f64,
}

/// Settings of all `self` contestants.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContestantSettings {
    pub(super) size: Size,
    pub(super) rules: Rules,
    pub(super) komi: Komi,
    /// Limits of the contestants that set none.
    pub(super) limits: LimitArguments,
}

/// Parses a contestant. Its seed is 0 until the experiment sets one.
///
/// # Errors
/// Returns the error of a wrong command line.
pub(super) fn parse(text: &str, setting: &ContestantSettings) -> Result<ContestantSpec> {
    usage(read(text, setting))
}

fn read(text: &str, setting: &ContestantSettings) -> Result<ContestantSpec> {
    let options = match text.trim() {
        "self" => "",
        other => match other.strip_prefix("self:") {
            Some(options) => options,
            None => {
                ensure!(!other.is_empty(), "expected self, self:OPTIONS or a command line, found nothing");
                return Ok(ContestantSpec::Program(other.to_owned()));
            }
        },
    };
    let words = shlex::split(options).ok_or_else(|| anyhow!("{text:?}: a quotation mark is not closed"))?;
    let own = SelfArguments::try_parse_from(words)
        .map_err(|error| anyhow!("{}", message_with_hint(&error)))
        .with_context(|| format!("cannot read {text:?}"))?;
    let ContestantSettings { size, rules, komi, limits } = *setting;
    let mut engine = own.engine.with_default_table(DEFAULT_TABLE_BYTES).options(size, rules, komi, 0);
    let has_own =
        own.limits.visits.is_some() || own.limits.simulations.is_some() || own.limits.time.is_some();
    let LimitArguments { visits, simulations, time } = if has_own { own.limits } else { limits };
    let is_limited = visits.is_some() || simulations.is_some() || time.is_some();
    let simulations = simulations.or((!is_limited).then_some(DEFAULT_SIMULATIONS));
    let mut budget = MoveBudget { visits, simulations, time };
    if let Some(level) = own.level {
        level.apply(&mut engine);
        budget = level.limits().into();
    }
    let decisions = DecisionSettings { budget, resign_below: own.resign, ..DecisionSettings::default() };
    let session = SessionOptions { decisions, ..SessionOptions::default() };
    Ok(ContestantSpec::BuiltIn { description: text.trim().to_owned(), engine: Box::new(engine), session })
}
