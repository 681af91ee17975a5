//! The positions of a game record.

use crate::go::KeyPolicy;
use crate::sgf::{GameRecord, ReplayError, Step, Terms};

/// The positions of a record's main line in order: all of them, or only the one after `turn` moves. If a
/// move cannot be played, those before it come first, and the error last.
///
/// One at a time, so that a long record takes no memory. Their table keys contain what `keys` says of the moves before.
///
/// # Errors
/// When not even the board can be had.
pub fn positions_of(
    record: &GameRecord,
    turn: Option<usize>,
    terms: &Terms,
    keys: KeyPolicy,
) -> Result<impl Iterator<Item = Result<Step, ReplayError>>, ReplayError> {
    let mut steps = record.steps(terms.rules, terms.komi)?.with_key_policy(keys);
    steps = steps.with_handicap(terms.handicap);
    let last = record.move_count();
    let mut is_over = false;
    Ok(std::iter::from_fn(move || {
        while !is_over {
            let step = steps.next();
            let reached = step.as_ref().and_then(|step| step.as_ref().ok()).map(|step| step.turn);
            if reached.is_some() && turn.is_some() && reached != turn {
                continue;
            }
            is_over = reached.is_none() || turn.is_some();
            let missing = || turn.map(|turn| Err(ReplayError::NoSuchTurn { turn, last }));
            return step.or_else(missing);
        }
        None
    }))
}
