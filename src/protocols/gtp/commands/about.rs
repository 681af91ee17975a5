//! Commands about the engine itself.

use super::{Arguments, GtpError, Session};
use crate::base::platform::process;

pub(super) fn protocol_version(_: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok("2".to_owned())
}

pub(super) fn name(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(session.options.name.clone())
}

pub(super) fn version(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(session.options.version.clone())
}

pub(super) fn known_command(_: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let name = arguments.word("the name of a command")?;
    Ok(super::names().any(|known| known == name).to_string())
}

pub(super) fn list_commands(_: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(super::names().collect::<Vec<_>>().join("\n"))
}

/// Answers a chat message on KGS with the summary of the last search.
pub(super) fn kgs_chat(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(session.last_search_summary.clone().unwrap_or_else(|| "I have not searched a move yet.".to_owned()))
}

/// Does nothing: a running analysis has already ended, since any line ends it.
pub(super) fn stop(_: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(String::new())
}

pub(super) fn quit(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    session.quit = true;
    Ok(String::new())
}

pub(super) fn set_random_seed(
    session: &mut Session,
    mut arguments: Arguments<'_>,
) -> Result<String, GtpError> {
    let seed = arguments.number("a whole number from 0 to 2^64-1")?;
    session.engine.set_seed(seed);
    Ok(String::new())
}

pub(super) fn get_random_seed(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(session.engine.options().parameters.seed.to_string())
}

/// Returns the processor time used by all threads of the process, in seconds.
pub(super) fn cputime(_: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    let time = process::cpu_time().ok_or(GtpError::NoCpuTime)?;
    Ok(format!("{:.2}", time.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::super::COMMANDS;

    #[test]
    fn commands_are_listed_once_and_in_order() {
        assert!(COMMANDS.is_sorted_by(|one, other| one.0 < other.0));
    }
}
