//! Commands that play, take back and search moves.

use super::{Arguments, GtpError, Session};
use crate::base::game::{Game, Move, Player};
use crate::go::status::{BoardStatus, Chain, ChainStatus};
use crate::protocols::gtp::think::{MoveChoice, Thinking};

/// Plays a move of either colour, whether or not it is that player's turn.
pub(super) fn play(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let size = session.size();
    let (player, mv) = arguments.player_and_vertex(size)?;
    session.engine.record_mut().play(player, mv).map_err(|reason| {
        session.note(&format!("illegal move: {player} {}: {reason}", size.vertex(mv)));
        GtpError::IllegalMove
    })?;
    Ok(String::new())
}

/// Searches for a move and plays it, also after the game has ended. A resignation plays no move.
pub(super) fn genmove(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let player = arguments.player()?;
    genmove_for(session, player)
}

fn genmove_for(session: &mut Session, player: Player) -> Result<String, GtpError> {
    let (choice, _) = session.choose(Thinking::of(player), &mut |_| true)?;
    Ok(session.play_choice(player, choice))
}

/// `kata-search [COLOR]`: searches for a move as [`genmove`] does, without playing it.
pub(super) fn kata_search(session: &mut Session, arguments: Arguments<'_>) -> Result<String, GtpError> {
    search(session, arguments, false)
}

/// `kata-search_cancellable [COLOR]`: as [`kata_search`], but any following line cancels it, with the answer
/// `cancelled`.
pub(super) fn kata_search_cancellable(
    session: &mut Session,
    arguments: Arguments<'_>,
) -> Result<String, GtpError> {
    search(session, arguments, true)
}

fn search(
    session: &mut Session,
    mut arguments: Arguments<'_>,
    is_cancellable: bool,
) -> Result<String, GtpError> {
    let player = arguments.optional_player()?.unwrap_or(session.position().to_play());
    let thinking = Thinking { is_cancellable, ..Thinking::of(player) };
    let (choice, _) = session.choose(thinking, &mut |_| true)?;
    Ok(session.choice_text(choice))
}

/// `reg_genmove [COLOR]`: searches for a move without the clock and without playing it. It never resigns, since test
/// suites want a move. Without a colour, as `gogui-statistics` sends it, the search is for the player to move.
pub(super) fn reg_genmove(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let player = arguments.optional_player()?.unwrap_or(session.position().to_play());
    let thinking = Thinking { uses_clock: false, ..Thinking::of(player) };
    let (choice, _) = session.choose(thinking, &mut |_| true)?;
    let (MoveChoice::Move(mv) | MoveChoice::Resign(mv)) = choice else {
        unreachable!("only another line cancels, and this search does not look for one")
    };
    Ok(session.size().vertex(mv))
}

/// Searches for a move after the end of a game, until the opponent's dead stones are off the board: among the moves that
/// [help to capture them](crate::go::status::BoardStatus::cleanup_moves). Without such stones it passes.
pub(super) fn kgs_genmove_cleanup(
    session: &mut Session,
    mut arguments: Arguments<'_>,
) -> Result<String, GtpError> {
    let player = arguments.player()?;
    let statuses = session.statuses();
    let pass = session.size().pass();
    let is_dead = |chain: &Chain| chain.player != player && chain.status == ChainStatus::Dead;
    if !statuses.chains().iter().any(is_dead) {
        return if is_cleaned_up(session, &statuses, player) {
            Ok(session.play_choice(player, MoveChoice::Move(pass)))
        } else {
            genmove_for(session, player)
        };
    }
    let useful = statuses.cleanup_moves(session.position(), player);
    if useful.is_empty() {
        return genmove_for(session, player);
    }
    let allowed = (0..=pass.0).map(|mv| useful.contains(&Move(mv))).collect();
    session.engine.set_root_moves(Some(allowed));
    let answer = genmove_for(session, player);
    session.engine.set_root_moves(None);
    answer
}

/// Returns true if nothing is left to do in a position without dead stones of the opponent: the opponent has passed, or both
/// have ended the game before and no chain depends on the next move.
fn is_cleaned_up(session: &Session, statuses: &BoardStatus, player: Player) -> bool {
    let moves = session.engine.record().moves();
    let is_pass = |(mover, mv): (Player, Move)| (mv == session.size().pass()).then_some(mover);
    let has_ended = moves.windows(2).any(|pair| match (is_pass(pair[0]), is_pass(pair[1])) {
        (Some(first), Some(second)) => first != second,
        _ => false,
    });
    let has_passed = moves.last().is_some_and(|&last| is_pass(last) == Some(player.other()));
    has_passed || has_ended && statuses.chains().iter().all(|chain| chain.is_settled)
}

/// Returns the summary of the last search for a move.
pub(super) fn explain_last_move(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    Ok(session.last_search_summary.clone().unwrap_or_default())
}

pub(super) fn undo(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    take_back(session, 1)
}

/// Takes back several moves; an error if fewer were played.
pub(super) fn gg_undo(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let count = arguments.optional_number("a number of moves")?;
    take_back(session, count.unwrap_or(1))
}

fn take_back(session: &mut Session, count: usize) -> Result<String, GtpError> {
    if session.engine.record().move_count() < count {
        return Err(GtpError::CannotUndo);
    }
    for _ in 0..count {
        session.engine.record_mut().undo();
    }
    Ok(String::new())
}
