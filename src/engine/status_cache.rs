//! The counts made last: one decision asks for a count several times, and it may take a third of a second.

use super::Engine;
use super::ending::EndingPass;
use crate::base::game::{Game, Player};
use crate::go::status::{BoardStatus, DeadStones};
use crate::go::{PlayoutPolicy, Point, Position, Rules, Size};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of counts that are kept: those with either player to move.
const KEPT_COUNTS: usize = 2;

/// The last counts of an engine.
#[derive(Default)]
pub(super) struct StatusCache(Mutex<LastCounts>);

#[derive(Default)]
struct LastCounts {
    /// The newest last.
    counts: Vec<(CountedBoard, Arc<BoardStatus>)>,
    /// The meaning of a pass by a player in a position, by its key, where an evaluator may have been asked.
    meaning: Option<((u64, Player, DeadStones), EndingPass)>,
    /// Time that the last count took, with the further checks of an ending.
    time: Duration,
}

/// All that the status of chains depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CountedBoard {
    stones: u64,
    ko: Point,
    to_play: Player,
    size: Size,
    rules: Rules,
    dead_stones: DeadStones,
    playouts: PlayoutPolicy,
}

impl StatusCache {
    fn last(&self) -> MutexGuard<'_, LastCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all counts and their time.
    pub(super) fn clear(&self) {
        *self.last() = LastCounts::default();
    }
}

impl Engine {
    /// Returns the status of each chain of `position` under its rules.
    pub(super) fn statuses_of(&self, position: &Position) -> Arc<BoardStatus> {
        let counted = CountedBoard {
            stones: position.board().key(),
            ko: position.board().ko(),
            to_play: position.to_play(),
            size: position.size(),
            rules: position.rules(),
            dead_stones: self.dead_stones_under(position),
            playouts: self.options.playouts,
        };
        let mut last = self.counted.last();
        if let Some((_, statuses)) = last.counts.iter().find(|(it, _)| *it == counted) {
            return Arc::clone(statuses);
        }
        let started = Instant::now();
        let statuses = Arc::new(counted.dead_stones.statuses(position, counted.playouts));
        last.time = started.elapsed();
        if last.counts.len() == KEPT_COUNTS {
            last.counts.remove(0);
        }
        last.counts.push((counted, Arc::clone(&statuses)));
        statuses
    }

    /// Returns the status of each chain after a pass of `player` in `position`. If the game ends there, this is its count:
    /// the opponent has the first move in areas that it decides.
    pub(super) fn statuses_after_pass(&self, position: &Position, player: Player) -> Arc<BoardStatus> {
        let mut after = position.clone();
        if after.passes() >= 2 {
            after.resume();
        }
        after.set_to_play(player);
        after.play(after.size().pass());
        self.statuses_of(&after)
    }

    /// Returns the meaning of a pass by `player` in `position`, computed by `compute` unless it is that of the last call.
    pub(super) fn kept_meaning(
        &self,
        position: &Position,
        player: Player,
        compute: impl FnOnce() -> EndingPass,
    ) -> EndingPass {
        let key = (position.key(), player, self.dead_stones_under(position));
        if let Some((_, meaning)) = self.counted.last().meaning.filter(|(kept, _)| *kept == key) {
            return meaning;
        }
        let started = Instant::now();
        let meaning = compute();
        let mut last = self.counted.last();
        last.meaning = Some((key, meaning));
        last.time = last.time.max(started.elapsed());
        meaning
    }

    /// Returns the time that the last count took; zero before the first one.
    pub(super) fn time_of_count(&self) -> Duration {
        self.counted.last().time
    }

    /// Halves the time of the last count, since none follows for lack of time: other positions take less.
    pub(super) fn halve_time_of_count(&self) {
        let mut last = self.counted.last();
        last.time /= 2;
    }
}

#[cfg(test)]
impl Engine {
    /// Returns the number of counts that are kept.
    pub(super) fn number_of_counts(&self) -> usize {
        self.counted.last().counts.len()
    }

    /// Sets the time that the last count took.
    pub(super) fn set_time_of_count(&mut self, time: Duration) {
        self.counted.last().time = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::game::Move;
    use crate::go::Rules;

    #[test]
    fn a_position_is_counted_once_until_its_stones_or_its_rules_change() {
        let mut engine = Engine::after_moves("E5 C3 G3 G7 C7 E7", Rules::CHINESE, 1);
        let first = engine.statuses();
        assert!(Arc::ptr_eq(&first, &engine.statuses()));
        assert!(engine.time_of_count() > Duration::ZERO);
        engine.set_record(engine.record().with_rules(Rules::JAPANESE)).expect("the same board");
        let japanese = engine.statuses();
        assert!(!Arc::ptr_eq(&first, &japanese));
        let pass = engine.position().size().pass();
        let player = Player::Black;
        engine.record_mut().play(player, Move(0)).expect("a legal move");
        assert_eq!(engine.statuses().chains().len(), first.chains().len() + 1);
        engine.record_mut().play(player.other(), pass).expect("a pass");
        assert_eq!(engine.statuses().chains().len(), first.chains().len() + 1);
    }
}
