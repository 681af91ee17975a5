//! The positions of a game record.

use crate::go::KeyPolicy;
use crate::records::sgf::{GameRecord, RecordTurn, ReplayError, Terms};

/// Returns the positions of a record's main line in order: all, or only the one after `turn` moves. At a move that
/// cannot be played, the iterator ends with the error.
///
/// Positions are made one at a time, so the memory does not grow with the record. Their table keys follow `keys`.
///
/// # Errors
/// Returns an error if the record has no usable board.
pub fn positions_of(
    record: &GameRecord,
    turn: Option<usize>,
    terms: &Terms,
    keys: KeyPolicy,
) -> Result<impl Iterator<Item = Result<RecordTurn, ReplayError>>, ReplayError> {
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
