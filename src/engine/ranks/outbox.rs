//! The visits of this rank's own simulations that the others do not have yet.

use crate::search::{Change, JournalRecord};
use crate::table::{LeafPlayouts, OwnVisits, PositionIncrement, Table};
use std::collections::HashMap;

/// Minimum visits of a position that is sent, unless this rank has just evaluated it. Below, every rank has its own
/// statistics, and the visits wait here.
const MIN_VISITS: u32 = 4;

/// Maximum number of positions that wait. If there are more, all that wait are given up: a few visits each.
const MAX_WAITING: usize = 1 << 16;

/// Own visits by key of the position.
type Visits = HashMap<u64, OwnVisits, ahash::RandomState>;

/// The visits of own simulations that were not sent yet.
#[derive(Debug)]
pub struct Outbox {
    /// Visits of positions that were visited since the last call of [`Outbox::take`].
    fresh: Visits,
    /// Visits of positions that had too few then.
    waiting: Visits,
    min_visits: u32,
    /// Minimum visits of a position that this rank has evaluated.
    min_evaluated_visits: u32,
}

impl Default for Outbox {
    fn default() -> Outbox {
        Outbox::new(MIN_VISITS)
    }
}

impl Outbox {
    /// Creates an outbox for positions with at least `min_visits`.
    #[must_use]
    pub fn new(min_visits: u32) -> Outbox {
        Outbox { fresh: Visits::default(), waiting: Visits::default(), min_visits, min_evaluated_visits: 0 }
    }

    /// Delays new evaluations until their position has at least `visits`; without this they are sent at once.
    #[must_use]
    pub fn with_min_evaluated_visits(self, visits: u32) -> Outbox {
        Outbox { min_evaluated_visits: visits, ..self }
    }

    /// Adds the records of a journal.
    pub fn add(&mut self, records: &[JournalRecord]) {
        for &JournalRecord { key, change } in records {
            let waiting = &mut self.waiting;
            let own = self.fresh.entry(key).or_insert_with(|| waiting.remove(&key).unwrap_or_default());
            add_change(own, change);
        }
    }

    /// Removes and returns the increments of all positions that were visited and have enough visits, were evaluated, are
    /// proven, or have the key `root`. Those with the fewest visits come first: a position comes before those that lead
    /// to it, in most cases. Positions that were evicted are dropped.
    pub fn take(&mut self, table: &Table, root: u64) -> Vec<PositionIncrement> {
        let mut increments = Vec::new();
        for (key, own) in self.fresh.drain() {
            let Some(entry) = table.find(key) else { continue };
            let is_known = key == root || entry.is_bounded();
            let min_visits = if own.pages.is_empty() {
                self.min_visits
            } else {
                self.min_evaluated_visits.min(self.min_visits)
            };
            if is_known || entry.total().visits >= min_visits {
                increments.extend(table.increment(key, &own));
            } else {
                self.waiting.insert(key, own);
            }
        }
        if self.waiting.len() > MAX_WAITING {
            self.waiting = Visits::default();
        }
        increments.sort_unstable_by_key(|increment| (increment.total.visits, increment.key));
        increments
    }

    /// Forgets everything, for another table.
    pub(super) fn clear(&mut self) {
        *self = Outbox::new(self.min_visits).with_min_evaluated_visits(self.min_evaluated_visits);
    }
}

#[cfg(test)]
impl Outbox {
    /// Returns the visits that wait.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (u64, &OwnVisits)> {
        self.waiting.iter().map(|(&key, own)| (key, own))
    }
}

fn add_change(own: &mut OwnVisits, change: Change) {
    match change {
        Change::Edge(number) => {
            own.visits += 1;
            match own.edges.iter_mut().find(|(other, _)| *other == number) {
                Some((_, visits)) => *visits += 1,
                None => own.edges.push((number, 1)),
            }
        }
        Change::Playout(half_points) => {
            own.visits += 1;
            let LeafPlayouts { visits, half_points: before } = own.leaf_playouts;
            own.leaf_playouts =
                LeafPlayouts { visits: visits + 1, half_points: before + u32::from(half_points) };
        }
        Change::Leaf => own.visits += 1,
        Change::Page(rank) => own.pages.push(rank),
        Change::Bounds => {}
    }
}
