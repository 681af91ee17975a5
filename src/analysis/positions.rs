//! The positions of a game record, with the rules and the komi that hold for it.

use crate::go::{KeyPolicy, Komi, Rules};
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
    rules: Rules,
    komi: Komi,
    keys: KeyPolicy,
) -> Result<impl Iterator<Item = Result<Step, ReplayError>>, ReplayError> {
    let mut steps = record.steps(rules, komi)?.with_key_policy(keys);
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
