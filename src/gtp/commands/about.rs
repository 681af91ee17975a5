//! The engine itself.

use super::{Arguments, GtpError, Session};

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

/// What we answer to people who talk to us on KGS: what we think of the game.
pub(super) fn kgs_chat(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(session.last_thought.clone().unwrap_or_else(|| "I have not thought about anything yet.".to_owned()))
}

/// Nothing to do where nothing runs: that a line came is what ends an analysis.
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

/// Seconds of processor time that the process used so far, its threads included.
pub(super) fn cputime(_: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    let stat = std::fs::read_to_string("/proc/self/stat").map_err(|_| GtpError::NoCpuTime)?;
    let ticks = cpu_ticks(&stat).ok_or(GtpError::NoCpuTime)?;
    Ok(format!("{:.2}", ticks as f64 / TICKS_PER_SECOND))
}

/// Linux tells programs times in this unit on every architecture (`USER_HZ`).
const TICKS_PER_SECOND: f64 = 100.0;

/// User and system time in `/proc/PID/stat`: the 14th and 15th field. The second field is the program's
/// name in brackets, which may hold spaces and brackets.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    user.checked_add(system)
}

#[cfg(test)]
mod tests {
    use super::super::COMMANDS;
    use super::*;

    #[test]
    fn processor_time_is_found_behind_any_program_name() {
        let stat = "12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20";
        assert_eq!(cpu_ticks(stat), Some(300));
        assert_eq!(cpu_ticks("nonsense"), None);
    }

    #[test]
    fn commands_are_listed_once_and_in_order() {
        assert!(COMMANDS.is_sorted_by(|one, other| one.0 < other.0));
    }
}
