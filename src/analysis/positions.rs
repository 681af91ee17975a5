//! The positions of a game record, with the rules and the komi that hold for it.

use crate::go::{Komi, Rules};
use crate::sgf::{GameRecord, ReplayError, Step};

/// A komi beyond this in a record is no number of points: some servers write 375 for 3.75 stones.
const BELIEVABLE_KOMI: f64 = 150.0;

/// The komi of a record: what is given wins, then what the record says if that is believable, then
/// `default`.
#[must_use]
pub fn komi_of(record: &GameRecord, given: Option<Komi>, default: Komi) -> Komi {
    let recorded = record.komi.filter(|komi| komi.abs() <= BELIEVABLE_KOMI).and_then(Komi::from_points);
    given.or(recorded).unwrap_or(default)
}

/// The rules of a record: what is given wins, then what the record names if it is known, then Chinese.
#[must_use]
pub fn rules_of(record: &GameRecord, given: Option<Rules>) -> Rules {
    given.or_else(|| record.known_rules()).unwrap_or(Rules::CHINESE)
}

/// The positions of a record's main line: all of them, or the one after `turn` moves. If a move cannot be
/// played, those before it come with the error.
///
/// # Errors
/// When not even the start can be set up.
pub fn positions_of(
    record: &GameRecord,
    turn: Option<usize>,
    rules: Rules,
    komi: Komi,
) -> Result<(Vec<Step>, Option<ReplayError>), ReplayError> {
    let mut steps = Vec::new();
    let mut error = None;
    for step in record.steps(rules, komi)? {
        match step {
            Ok(step) => {
                let is_last = turn == Some(step.turn);
                if turn.is_none() || is_last {
                    steps.push(step);
                }
                if is_last {
                    break;
                }
            }
            Err(found) => {
                error = Some(found);
                break;
            }
        }
    }
    if let Some(turn) = turn
        && steps.is_empty()
        && error.is_none()
    {
        error = Some(ReplayError::NoSuchTurn { turn, last: record.move_count() });
    }
    Ok((steps, error))
}
