//! Playing, taking back, and thinking of moves.

use super::{Arguments, GtpError, Session};
use std::time::Instant;

/// Plays a move of either colour, whoever's turn it is.
pub(super) fn play(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let size = session.size();
    let (player, mv) = arguments.player_and_vertex(size)?;
    session.engine.record_mut().play(player, mv).map_err(|reason| {
        session.note(&format!("illegal move: {player} {}: {reason}", size.vertex(mv)));
        GtpError::IllegalMove
    })?;
    Ok(String::new())
}

/// Thinks of a move and plays it, also after the game has ended. Resigning plays nothing.
pub(super) fn genmove(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let player = arguments.player()?;
    let started = Instant::now();
    let (choice, _) = session.choose(player, true, &mut |_| true);
    session.clock.spend(player, started.elapsed());
    Ok(session.play_choice(player, choice))
}

/// Thinks of a move, without the clock, and does not play it. Test suites want a move: it never resigns.
pub(super) fn reg_genmove(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let player = arguments.player()?;
    let size = session.size();
    let (choice, _) = session.choose(player, false, &mut |_| true);
    Ok(size.vertex(choice.mv))
}

pub(super) fn undo(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    take_back(session, 1)
}

/// Takes back several moves, or none at all if there are fewer.
pub(super) fn gg_undo(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let count = arguments.optional_number("a number of moves")?;
    take_back(session, count.unwrap_or(1))
}

fn take_back(session: &mut Session, count: usize) -> Result<String, GtpError> {
    if session.engine.record().moves().len() < count {
        return Err(GtpError::CannotUndo);
    }
    for _ in 0..count {
        session.engine.record_mut().undo();
    }
    Ok(String::new())
}
