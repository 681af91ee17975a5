//! Commands for the end of the game.

use super::{Arguments, GtpError, Session, vertices};
use crate::go::status::ChainStatus;

/// Returns the score by the rules, without dead stones.
pub(super) fn final_score(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(session.statuses().result(session.position().final_area_komi()))
}

/// Returns the chains that are alive, dead or in seki, one a line.
pub(super) fn final_status_list(
    session: &mut Session,
    mut arguments: Arguments<'_>,
) -> Result<String, GtpError> {
    const EXPECTED: &str = "alive, dead or seki";
    let status = match arguments.word(EXPECTED)? {
        "alive" => ChainStatus::Alive,
        "dead" => ChainStatus::Dead,
        "seki" => ChainStatus::Seki,
        other => return Err(GtpError::syntax(EXPECTED, Some(other))),
    };
    let statuses = session.statuses();
    let chains = statuses.chains().iter().filter(|chain| chain.status == status);
    let lines: Vec<String> =
        chains.map(|chain| vertices(session.size(), chain.stones.iter().copied())).collect();
    Ok(lines.join("\n"))
}
