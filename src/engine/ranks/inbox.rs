//! Increments of other ranks on their way into the table.

use crate::table::{Counters, PositionIncrement, Table};

/// Maximum number of rounds that visits wait for the page of their edges, which another rank may have sent.
const MAX_ROUNDS: u32 = 20;
/// Maximum number of increments that wait.
const MAX_WAITING: usize = 1 << 14;

/// Increments that wait for a page, and counts of what came.
#[derive(Debug, Default)]
pub struct Inbox {
    waiting: Vec<Waiting>,
    /// Pages that were new to the table.
    pub(super) new_pages: u64,
    /// Pages that the table had.
    pub(super) known_pages: u64,
    counters: Counters,
}

#[derive(Debug)]
struct Waiting {
    increment: PositionIncrement,
    rounds: u32,
}

impl Inbox {
    /// Adds increments to the table.
    pub fn add(&mut self, table: &Table, increments: Vec<PositionIncrement>) {
        for mut increment in increments {
            if self.is_added(table, &mut increment) {
                continue;
            }
            if self.waiting.len() < MAX_WAITING {
                self.waiting.push(Waiting { increment, rounds: 0 });
            } else {
                table.add_unplaced(&increment, &mut self.counters);
            }
        }
    }

    /// Tries again to add what waits. Adds the oldest without their edges, or all of them if no page can come any more.
    pub fn retry(&mut self, table: &Table, is_last: bool) {
        for mut it in std::mem::take(&mut self.waiting) {
            it.rounds += 1;
            if self.is_added(table, &mut it.increment) {
                continue;
            }
            if is_last || it.rounds >= MAX_ROUNDS {
                table.add_unplaced(&it.increment, &mut self.counters);
            } else {
                self.waiting.push(it);
            }
        }
    }

    /// Adds an increment; returns false if visits of edges are left in it. What finds no room in the table is lost, as are
    /// the results of a simulation that finds none.
    fn is_added(&mut self, table: &Table, increment: &mut PositionIncrement) -> bool {
        let Some(addition) = table.add_increment(increment, &mut self.counters) else { return true };
        self.new_pages += u64::from(addition.new_pages);
        self.known_pages += u64::from(addition.known_pages);
        addition.unplaced_visits == 0
    }
}
