//! Commands that KataGo introduced, for clients that know its names.

use super::gogui::{Setting, UNLIMITED, set};
use super::{Arguments, GtpError, Session};
use crate::sgf::rules;

/// The names that clients use, and what they set.
const PARAMETERS: [(&str, Setting); 4] = [
    ("maxVisits", Setting::Visits),
    ("maxPlayouts", Setting::Simulations),
    ("maxTime", Setting::Time),
    ("numSearchThreads", Setting::Threads),
];

pub(super) fn list_params(_: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(PARAMETERS.map(|(name, _)| name).join(" "))
}

/// A parameter's value; of a limit that is not set, what KataGo says then.
pub(super) fn get_param(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let budget = session.options.budget;
    Ok(match find(&mut arguments)? {
        Setting::Visits => budget.visits.unwrap_or(UNLIMITED).to_string(),
        Setting::Simulations => budget.simulations.unwrap_or(UNLIMITED).to_string(),
        Setting::Time => budget.time.map_or(1e20, |time| time.as_secs_f64()).to_string(),
        _ => session.engine.options().parameters.threads.to_string(),
    })
}

pub(super) fn set_param(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let setting = find(&mut arguments)?;
    let value = arguments.number("a number")?;
    set(session, setting, value)?;
    Ok(String::new())
}

fn find(arguments: &mut Arguments<'_>) -> Result<Setting, GtpError> {
    const EXPECTED: &str = "maxVisits, maxPlayouts, maxTime or numSearchThreads";
    let name = arguments.word(EXPECTED)?;
    let found = PARAMETERS.iter().find(|(known, _)| *known == name);
    found.map(|&(_, setting)| setting).ok_or_else(|| GtpError::syntax(EXPECTED, Some(name)))
}

/// The rules in the words of KataGo.
pub(super) fn get_rules(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(rules::to_json(session.position().rules()).to_string())
}

/// Sets the rules by name, or by an object of KataGo's. The game goes on if its moves are legal by them.
pub(super) fn set_rules(session: &mut Session, arguments: Arguments<'_>) -> Result<String, GtpError> {
    session.set_rules(rules::parse(arguments.rest())?)?;
    Ok(String::new())
}
