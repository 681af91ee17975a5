//! Virtual loss: simulations in progress count as lost visits, so that workers take different paths.
//!
//! The counters belong to the process, not to the table, since a killed process would leave its virtual losses in a
//! shared file. Positions share rows of counters by their hash, so a position may see virtual losses of another.

use crate::base::zobrist::mix;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of rows: many more than the positions on the paths of all workers of a usual machine.
const ROWS: usize = 256;
/// Visits for each worker from which virtual loss is ignored, see [`VirtualLoss::matters`].
const VISITS_PER_WORKER: u64 = 256;
/// Number of counters in a word, 8 bits each. No counter carries into the next: simulations in progress never exceed
/// the workers, which are fewer than 256.
const PER_WORD: usize = 8;
const WORDS_IN_LINE: usize = 8;

/// Counters of simulations in progress: one row for each position, one counter for each move.
pub(super) struct VirtualLoss {
    lines: Box<[Line]>,
    lines_in_row: usize,
    /// Visits from which a position has no virtual loss.
    max_visits: u64,
}

/// A cache line. Rows begin with one, so that reading a row takes as few cache lines as possible from the processors
/// that wrote them.
#[derive(Default)]
#[repr(align(64))]
struct Line([AtomicU64; WORDS_IN_LINE]);

/// The counters of one position.
#[derive(Clone, Copy)]
pub(super) struct PositionCounters<'v>(&'v [Line]);

impl VirtualLoss {
    /// Creates counters for a game with `moves` moves and for `workers` workers.
    pub(super) fn new(moves: usize, workers: usize) -> VirtualLoss {
        let lines_in_row = moves.div_ceil(PER_WORD * WORDS_IN_LINE);
        VirtualLoss {
            lines: (0..ROWS * lines_in_row).map(|_| Line::default()).collect(),
            lines_in_row,
            max_visits: VISITS_PER_WORKER * workers as u64,
        }
    }

    /// Returns true if virtual loss can make a difference at a position with `visits`: above a limit all workers
    /// together are less than half a per cent of the visits.
    #[inline]
    pub(super) fn matters(&self, visits: u64) -> bool {
        visits < self.max_visits
    }

    /// Returns the counters of the position with `key`.
    #[inline]
    pub(super) fn counters(&self, key: u64) -> PositionCounters<'_> {
        let start = mix(key) as usize % ROWS * self.lines_in_row;
        PositionCounters(&self.lines[start..start + self.lines_in_row])
    }
}

impl PositionCounters<'_> {
    /// Calls `visit` with each move that has simulations in progress, and with their number.
    #[inline]
    pub(super) fn for_each_in_progress(&self, mut visit: impl FnMut(usize, u8)) {
        let words = self.0.iter().flat_map(|line| &line.0);
        for (number, word) in words.enumerate() {
            let mut counters = word.load(Relaxed);
            while counters != 0 {
                let lane = counters.trailing_zeros() as usize / 8;
                visit(number * PER_WORD + lane, (counters >> (8 * lane)) as u8);
                counters &= !(0xff << (8 * lane));
            }
        }
    }

    /// Increments the counter of a move.
    #[inline]
    pub(super) fn increment(&self, index: usize) {
        self.word(index).fetch_add(1 << (index % PER_WORD * 8), Relaxed);
    }

    /// Decrements the counter of a move.
    #[inline]
    pub(super) fn decrement(&self, index: usize) {
        self.word(index).fetch_sub(1 << (index % PER_WORD * 8), Relaxed);
    }

    #[inline]
    fn word(&self, index: usize) -> &AtomicU64 {
        let number = index / PER_WORD;
        &self.0[number / WORDS_IN_LINE].0[number % WORDS_IN_LINE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_move_of_a_row_has_a_counter_of_its_own() {
        let virtual_loss = VirtualLoss::new(82, 255);
        let row = virtual_loss.counters(5);
        let busy = |row: PositionCounters<'_>| {
            let mut busy = Vec::new();
            row.for_each_in_progress(|index, count| busy.push((index, count)));
            busy
        };
        (0..82).for_each(|index| row.increment(index));
        (0..254).for_each(|_| row.increment(63));
        assert_eq!(
            busy(row),
            (0..82).map(|index| (index, if index == 63 { 255 } else { 1 })).collect::<Vec<_>>()
        );
        (0..254).for_each(|_| row.decrement(63));
        (0..82).for_each(|index| row.decrement(index));
        assert_eq!(busy(row), []);
    }
}
