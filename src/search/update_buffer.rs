//! AMAF samples for much visited positions, buffered until it is worth while to write them.
//!
//! Where several processors write one cache line, each write takes the line from the cache of another processor: as long
//! as a read from memory, or longer. All workers pass the root and the best lines below it, and the AMAF samples of one
//! position are a dozen cache lines. A position with many visits can do without those of the last sixteen simulations.
//!
//! The visits of the edge and of the position are written at once: these are two cache lines.

use super::path::Step;
use crate::table::Block;

/// Positions with this many visits have their samples buffered, where several workers write.
const BUSY_VISITS: u64 = 128;
/// A position is written after this many simulations at most...
const MOST_SIMULATIONS: u32 = 16;
/// ... and at least once for each so many visits that it has.
const VISITS_PER_SIMULATION: u64 = 32;
/// Positions whose samples are buffered at the same time.
const SLOTS: usize = 128;

/// The buffered samples of one worker.
pub(super) struct UpdateBuffer<'t> {
    slots: Vec<Slot<'t>>,
    moves: usize,
}

/// The samples for one position.
struct Slot<'t> {
    to: Option<Block<'t>>,
    simulations: u32,
    samples: Vec<u64>,
}

impl<'t> UpdateBuffer<'t> {
    /// For a game with so many moves.
    pub(super) fn new(moves: usize) -> UpdateBuffer<'t> {
        UpdateBuffer { slots: Vec::new(), moves }
    }

    /// Whether a position has visits enough.
    #[inline]
    pub(super) fn takes(step: &Step<'_>) -> bool {
        step.siblings.visits >= BUSY_VISITS
    }

    /// Adds the AMAF samples of one simulation.
    pub(super) fn add(&mut self, step: &Step<'t>, samples: &[u64]) {
        let slot = self.slot(&step.block);
        for (sum, sample) in slot.samples.iter_mut().zip(samples) {
            *sum += sample;
        }
        slot.simulations += 1;
        let most = u64::from(MOST_SIMULATIONS).min(step.siblings.visits / VISITS_PER_SIMULATION);
        if u64::from(slot.simulations) >= most {
            slot.flush();
        }
    }

    /// Writes what is left.
    pub(super) fn flush(&mut self) {
        self.slots.iter_mut().for_each(Slot::flush);
    }

    fn slot(&mut self, block: &Block<'t>) -> &mut Slot<'t> {
        if self.slots.is_empty() {
            let words = self.moves.div_ceil(2);
            self.slots.resize_with(SLOTS, || Slot { to: None, simulations: 0, samples: vec![0; words] });
        }
        let slot = &mut self.slots[block.number() as usize % SLOTS];
        if slot.to.is_some_and(|other| !other.is_same(block)) {
            slot.flush();
        }
        slot.to = Some(*block);
        slot
    }
}

impl Slot<'_> {
    /// Writes the samples, unless the block was taken for another position: then they are lost, as all that it had.
    fn flush(&mut self) {
        if let Some(block) = self.to.take()
            && block.is_current()
        {
            block.add_amaf(&self.samples);
        }
        self.simulations = 0;
        self.samples.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Move, Player, Prior};
    use crate::search::path::SiblingStatistics;
    use crate::table::{Counters, Protected, Shape, Table, amaf_sample};

    const MOVES: usize = 4;

    fn table() -> Table {
        Table::new(Shape { moves: MOVES, policy_state: false }, 1 << 20).expect("a table")
    }

    /// A step from a position with a block and so many visits.
    fn step(table: &Table, key: u64, visits: u64) -> Step<'_> {
        let mut counters = Counters::default();
        let protected = Protected::default();
        let entry = table.find_or_claim(key, protected, &mut counters).expect("an entry");
        let priors = [Some(Prior::default()); MOVES];
        let block = table.claim_block(&entry, || &priors, protected, &mut counters).expect("a block");
        Step {
            entry,
            block,
            mover: Player::Black,
            mv: Move(0),
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
            assert!(UpdateBuffer::takes(&step));
            let mut buffer = UpdateBuffer::new(MOVES);
            let written = || step.block.amaf(0).visits;
            (1..at_once).for_each(|_| buffer.add(&step, &samples));
            assert_eq!(written(), 0);
            buffer.add(&step, &samples);
            assert_eq!(written(), at_once);
            buffer.add(&step, &samples);
            buffer.flush();
            assert_eq!(written(), at_once + 1);
            assert_eq!(step.block.amaf(3).half_points, at_once + 1);
        }
        assert!(!UpdateBuffer::takes(&step(&table, 4 << 40, 127)));
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
        let written = |steps: &[Step<'_>]| steps.iter().map(|step| step.block.amaf(0).visits).sum::<u32>();
        assert!(written(&steps) >= SLOTS as u32);
        buffer.flush();
        assert_eq!(written(&steps), 2 * SLOTS as u32);
    }
}
