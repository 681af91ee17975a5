//! The status of chains in the position that was counted last: one decision asks for it several times, and a count may take
//! a third of a second.

use super::Engine;
use crate::base::game::{Game, Player};
use crate::go::status::{BoardStatus, DeadStones};
use crate::go::{PlayoutPolicy, Position};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The last count of an engine.
#[derive(Default)]
pub(super) struct StatusCache(Mutex<Option<CountedPosition>>);

struct CountedPosition {
    key: u64,
    dead_stones: DeadStones,
    playouts: PlayoutPolicy,
    statuses: Arc<BoardStatus>,
    time: Duration,
}

impl StatusCache {
    fn last(&self) -> MutexGuard<'_, Option<CountedPosition>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// Returns the status of each chain of `position` under its rules.
    pub(super) fn statuses_of(&self, position: &Position) -> Arc<BoardStatus> {
        let (key, playouts) = (position.key(), self.options.playouts);
        let dead_stones = self.dead_stones_under(position);
        let mut last = self.counted.last();
        let is_same =
            |it: &&CountedPosition| (it.key, it.dead_stones, it.playouts) == (key, dead_stones, playouts);
        if let Some(counted) = last.as_ref().filter(is_same) {
            return Arc::clone(&counted.statuses);
        }
        let started = Instant::now();
        let statuses = Arc::new(dead_stones.statuses(position, playouts));
        let time = started.elapsed();
        *last = Some(CountedPosition { key, dead_stones, playouts, statuses: Arc::clone(&statuses), time });
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

    /// Returns the time that the last count took; zero before the first one.
    pub(super) fn time_of_count(&self) -> Duration {
        self.counted.last().as_ref().map_or(Duration::ZERO, |it| it.time)
    }
}

#[cfg(test)]
impl Engine {
    /// Counts the present position, and sets the time that this took.
    pub(super) fn set_time_of_count(&mut self, time: Duration) {
        let _ = self.statuses();
        self.counted.last().as_mut().expect("a count").time = time;
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
