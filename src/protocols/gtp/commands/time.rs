//! Commands for clocks.

use super::{Arguments, GtpError, Session};
use crate::engine::clock::{Clock, TimeSystem};
use std::time::Duration;

const SECONDS: &str = "a number of seconds";
const STONES: &str = "a number of stones";

/// Maximum seconds of a setting; longer times are cut to it, so that sums do not overflow.
const MAX_SECONDS: f64 = 1e9;

/// `time_settings MAIN PERIOD STONES`: Canadian byo-yomi, absolute time, or no limit.
pub(super) fn time_settings(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let main = seconds(&mut arguments)?;
    let period = seconds(&mut arguments)?;
    let stones = arguments.number(STONES)?;
    session.clock = Clock::new(TimeSystem::from_settings(main, period, stones));
    Ok(String::new())
}

/// `kgs-time_settings none`, `absolute MAIN`, `byoyomi MAIN PERIOD PERIODS` or `canadian MAIN PERIOD STONES`.
pub(super) fn kgs_time_settings(session: &mut Session, arguments: Arguments<'_>) -> Result<String, GtpError> {
    set_time(session, arguments, "none, absolute, byoyomi or canadian")
}

/// Sets a clock by arguments as those of `kgs-time_settings`; `expected` names the time systems.
fn set_time(
    session: &mut Session,
    mut arguments: Arguments<'_>,
    expected: &'static str,
) -> Result<String, GtpError> {
    let system = match arguments.word(expected)? {
        "none" => TimeSystem::Unlimited,
        "absolute" => TimeSystem::Absolute { main: seconds(&mut arguments)? },
        "byoyomi" => {
            let (main, period) = (seconds(&mut arguments)?, seconds(&mut arguments)?);
            match arguments.number("a number of periods")? {
                0 => TimeSystem::Absolute { main },
                periods => TimeSystem::ByoYomi { main, period, periods },
            }
        }
        "canadian" => {
            let (main, period) = (seconds(&mut arguments)?, seconds(&mut arguments)?);
            TimeSystem::from_settings(main, period, arguments.number(STONES)?)
        }
        other => return Err(GtpError::syntax(expected, Some(other))),
    };
    session.clock = Clock::new(system);
    Ok(String::new())
}

pub(super) fn kata_list_time_settings(_: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok("none absolute byoyomi canadian fischer fischer-capped".to_owned())
}

/// `kata-time_settings`: as `kgs-time_settings`, and `fischer MAIN INCREMENT` or `fischer-capped MAIN INCREMENT
/// MOST_MAIN MOST_MOVE`, with maxima of the main time, at least MAIN, and of the time for a move. A negative maximum is no
/// limit.
pub(super) fn kata_time_settings(
    session: &mut Session,
    mut arguments: Arguments<'_>,
) -> Result<String, GtpError> {
    let mut system = Arguments::new(arguments.rest());
    let is_capped = match system.next_word() {
        Some("fischer") => false,
        Some("fischer-capped") => true,
        _ => {
            const EXPECTED: &str = "none, absolute, byoyomi, canadian, fischer or fischer-capped";
            return set_time(session, arguments, EXPECTED);
        }
    };
    arguments.next_word();
    let (main, increment) = (seconds(&mut arguments)?, seconds(&mut arguments)?);
    let (most, longest) = if is_capped {
        (main_limit(&mut arguments, main)?, limit(&mut arguments)?.map(|(longest, _)| longest))
    } else {
        (None, None)
    };
    let most = most.unwrap_or(Duration::from_secs_f64(MAX_SECONDS));
    session.clock = Clock::new(TimeSystem::Fischer { main, increment, most, longest });
    Ok(String::new())
}

/// `time_left COLOR SECONDS STONES`. It limits the player's time even without time settings. A negative time, which
/// servers send for a late player, counts as 0.
pub(super) fn time_left(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let player = arguments.player()?;
    let left: f64 = arguments.number(SECONDS)?;
    if left.is_nan() {
        return Err(GtpError::syntax(SECONDS, Some("NaN")));
    }
    let count = arguments.number(STONES)?;
    session.clock.set_left(player, Duration::from_secs_f64(left.clamp(0.0, MAX_SECONDS)), count);
    Ok(String::new())
}

fn seconds(arguments: &mut Arguments<'_>) -> Result<Duration, GtpError> {
    let word = arguments.word(SECONDS)?;
    let seconds: Option<f64> = word.parse().ok().filter(|&seconds| seconds >= 0.0);
    let seconds = seconds.ok_or_else(|| GtpError::syntax(SECONDS, Some(word)))?;
    Ok(Duration::from_secs_f64(seconds.min(MAX_SECONDS)))
}

/// Returns the limit of the main time; an error if it is below the main time at the start.
fn main_limit(arguments: &mut Arguments<'_>, main: Duration) -> Result<Option<Duration>, GtpError> {
    match limit(arguments)? {
        Some((most, word)) if most < main => {
            Err(GtpError::syntax("a maximum of the main time that is at least the main time", Some(word)))
        }
        limit => Ok(limit.map(|(most, _)| most)),
    }
}

/// Returns a limit in seconds with its word; `None` if it is negative, as gtp2ogs sends it.
fn limit<'a>(arguments: &mut Arguments<'a>) -> Result<Option<(Duration, &'a str)>, GtpError> {
    const LIMIT: &str = "a number of seconds, -1 for no limit";
    let word = arguments.word(LIMIT)?;
    match word.parse::<f64>() {
        Ok(seconds) if seconds < 0.0 => Ok(None),
        Ok(seconds) if seconds >= 0.0 => Ok(Some((Duration::from_secs_f64(seconds.min(MAX_SECONDS)), word))),
        _ => Err(GtpError::syntax(LIMIT, Some(word))),
    }
}
