//! AMAF samples of positions with many visits, buffered to write shared cache lines less often.
//!
//! If several processors write one cache line, each write takes the line from the cache of another processor, which
//! lasts at least as long as a read from memory. All workers pass through the root and the main lines below it, and the
//! AMAF samples of one position are a dozen cache lines. A position with many visits can do without the samples of the
//! last sixteen simulations.
//!
//! Visits of edge and position are written at once: these are two cache lines.

use super::path::Step;
use crate::table::Page;

/// Minimum visits of a position with buffered samples.
const MIN_BUFFERED_VISITS: u64 = 128;
/// Maximum number of buffered simulations of a position.
const MAX_SIMULATIONS: u32 = 16;
/// Visits of a position for each simulation that may be buffered, below that maximum.
const VISITS_PER_SIMULATION: u64 = 32;
/// Number of positions with buffered samples.
const SLOTS: usize = 128;

/// The buffered samples of one worker.
pub(super) struct UpdateBuffer<'t> {
    slots: Vec<Slot<'t>>,
    moves: usize,
}

/// The buffered samples of one position.
struct Slot<'t> {
    to: Option<Page<'t>>,
    simulations: u32,
    samples: Vec<u64>,
}

impl<'t> UpdateBuffer<'t> {
    /// Creates an empty buffer for a game with `moves` moves.
    pub(super) fn new(moves: usize) -> UpdateBuffer<'t> {
        UpdateBuffer { slots: Vec::new(), moves }
    }

    /// Returns true if the position has enough visits.
    #[inline]
    pub(super) fn is_buffered(step: &Step<'_>) -> bool {
        step.siblings.visits >= MIN_BUFFERED_VISITS
    }

    /// Adds the AMAF samples of one simulation, and writes those of the position once enough are buffered.
    pub(super) fn add(&mut self, step: &Step<'t>, samples: &[u64]) {
        let slot = self.slot(&step.page);
        for (sum, sample) in slot.samples.iter_mut().zip(samples) {
            *sum += sample;
        }
        slot.simulations += 1;
        let most = u64::from(MAX_SIMULATIONS).min(step.siblings.visits / VISITS_PER_SIMULATION);
        if u64::from(slot.simulations) >= most {
            slot.flush();
        }
    }

    /// Writes all buffered samples.
    pub(super) fn flush(&mut self) {
        self.slots.iter_mut().for_each(Slot::flush);
    }

    fn slot(&mut self, page: &Page<'t>) -> &mut Slot<'t> {
        if self.slots.is_empty() {
            let words = self.moves.div_ceil(2);
            self.slots.resize_with(SLOTS, || Slot { to: None, simulations: 0, samples: vec![0; words] });
        }
        let slot = &mut self.slots[page.number() as usize % SLOTS];
        if slot.to.is_some_and(|other| !other.is_same(page)) {
            slot.flush();
        }
        slot.to = Some(*page);
        slot
    }
}

impl Slot<'_> {
    /// Writes the samples, or discards them if the page was reassigned to another position.
    fn flush(&mut self) {
        if let Some(page) = self.to.take()
            && page.is_current()
        {
            page.add_amaf(&self.samples);
        }
        self.simulations = 0;
        self.samples.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::game::{Move, Player, Prior};
    use crate::search::path::SiblingStatistics;
    use crate::table::{Counters, ProtectedPath, Shape, Table, amaf_sample};

    const MOVES: usize = 4;

    fn table() -> Table {
        Table::new(Shape::complete(MOVES), 1 << 20).expect("a table")
    }

    /// Returns a step from a position with a page and `visits` sibling visits.
    fn step(table: &Table, key: u64, visits: u64) -> Step<'_> {
        let mut counters = Counters::default();
        let protected = ProtectedPath::default();
        let entry = table.find_or_claim(key, protected, &mut counters).expect("an entry");
        let priors = [Some(Prior::default()); MOVES];
        let page = table.claim_page(&entry, || &priors, protected, &mut counters).expect("a page");
        Step {
            entry,
            first: page,
            page,
            index: 0,
            mover: Player::Black,
            mv: Move(0),
            bias_slot: None,
            leaf_playouts: entry.leaf_playouts(),
            estimate: None,
            siblings: SiblingStatistics { visits, ..SiblingStatistics::NONE },
            loses_stones: [false; 2],
            permits_proof_for: [true; 2],
            key_with_history: key,
        }
    }

    #[test]
    fn samples_of_busy_positions_are_written_sixteen_at_a_time_and_none_is_lost() {
        let table = table();
        let samples = [amaf_sample(2), amaf_sample(1) << 32];
        for (key, visits, at_once) in [(1 << 40, 128, 4), (2 << 40, 512, 16), (3 << 40, 100_000, 16)] {
            let step = step(&table, key, visits);
            assert!(UpdateBuffer::is_buffered(&step));
            let mut buffer = UpdateBuffer::new(MOVES);
            let written = || step.page.amaf(0).visits;
            (1..at_once).for_each(|_| buffer.add(&step, &samples));
            assert_eq!(written(), 0);
            buffer.add(&step, &samples);
            assert_eq!(written(), at_once);
            buffer.add(&step, &samples);
            buffer.flush();
            assert_eq!(written(), at_once + 1);
            assert_eq!(step.page.amaf(3).half_points, at_once + 1);
        }
        assert!(!UpdateBuffer::is_buffered(&step(&table, 4 << 40, 127)));
    }

    #[test]
    fn a_position_that_needs_the_slot_of_another_has_that_written() {
        let table = table();
        // Spread over the directory, so that no entry is evicted.
        let key = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let steps: Vec<Step<'_>> =
            (1..=2 * SLOTS as u64).map(|number| step(&table, key(number), 1_000)).collect();
        let mut buffer = UpdateBuffer::new(MOVES);
        steps.iter().for_each(|step| buffer.add(step, &[amaf_sample(2), 0]));
        let written = |steps: &[Step<'_>]| steps.iter().map(|step| step.page.amaf(0).visits).sum::<u32>();
        assert!(written(&steps) >= SLOTS as u32);
        buffer.flush();
        assert_eq!(written(&steps), 2 * SLOTS as u32);
    }
}
