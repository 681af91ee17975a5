//! Updates of much visited positions, buffered until it is worth while to write them.
//!
//! Where several processors write one cache line, each write takes the line from the cache of another processor: as long
//! as a read from memory, or longer. All workers pass the root and the best lines below it, and write a dozen cache lines
//! of each position. One with many visits can do without the last sixteen: what a worker reads there is at most that
//! much behind.

use super::path::Step;
use crate::table::{Block, Entry};
use crate::value::Value;

/// Positions with this many visits have their updates buffered, where several workers write.
const BUSY_VISITS: u64 = 128;
/// A position is written after this many simulations at most...
const MOST_SIMULATIONS: u32 = 16;
/// ... and at least once for each so many visits that it has.
const VISITS_PER_SIMULATION: u64 = 32;
/// Positions that updates are buffered for at the same time.
const SLOTS: usize = 128;

/// The buffered updates of one worker.
pub(super) struct UpdateBuffer<'t> {
    slots: Vec<Slot<'t>>,
    moves: usize,
    generation: u64,
    /// Simulations that were not written since their position had lost its block.
    late: u64,
}

/// The updates of one position.
struct Slot<'t> {
    to: Option<(Entry<'t>, Block<'t>)>,
    simulations: u32,
    /// The position's value after the last of them.
    value: Value,
    /// Edges with their visits and their last values.
    edges: Vec<(usize, u32, Value)>,
    samples: Vec<u64>,
}

impl<'t> UpdateBuffer<'t> {
    /// For a search in the present generation of the table.
    pub(super) fn new(moves: usize, generation: u64) -> UpdateBuffer<'t> {
        UpdateBuffer { slots: Vec::new(), moves, generation, late: 0 }
    }

    /// Whether a position has visits enough.
    #[inline]
    pub(super) fn takes(step: &Step<'_>) -> bool {
        step.siblings.visits >= BUSY_VISITS
    }

    /// Adds AMAF samples.
    pub(super) fn add_amaf(&mut self, step: &Step<'t>, samples: &[u64]) {
        for (sum, sample) in self.slot(step).samples.iter_mut().zip(samples) {
            *sum += sample;
        }
    }

    /// Adds a visit of the edge, with the child's value for the mover; returns the edge's visits.
    pub(super) fn visit_edge(&mut self, step: &Step<'t>, value: Value) -> u32 {
        let index = step.mv.index();
        let edges = &mut self.slot(step).edges;
        let buffered = match edges.iter_mut().find(|edge| edge.0 == index) {
            Some(edge) => {
                edge.1 += 1;
                edge.2 = value;
                edge.1
            }
            None => {
                edges.push((index, 1, value));
                1
            }
        };
        step.block.edge(index).visits() + buffered
    }

    /// Adds a visit of the position, and its value; the last update of a simulation.
    pub(super) fn add_visit(&mut self, step: &Step<'t>, value: Value) {
        let generation = self.generation;
        let slot = self.slot(step);
        slot.simulations += 1;
        slot.value = value;
        if slot.simulations >= MOST_SIMULATIONS.min((step.siblings.visits / VISITS_PER_SIMULATION) as u32) {
            let late = slot.flush(generation);
            self.late += late;
        }
    }

    /// Writes what is left.
    pub(super) fn flush(&mut self) {
        let generation = self.generation;
        self.late += self.slots.iter_mut().map(|slot| slot.flush(generation)).sum::<u64>();
    }

    /// Simulations that were not written since their position had lost its block.
    pub(super) fn late(&self) -> u64 {
        self.late
    }

    fn slot(&mut self, step: &Step<'t>) -> &mut Slot<'t> {
        if self.slots.is_empty() {
            let words = self.moves.div_ceil(2);
            let empty = || Slot {
                to: None,
                simulations: 0,
                value: Value::DRAW,
                edges: Vec::new(),
                samples: vec![0; words],
            };
            self.slots.resize_with(SLOTS, empty);
        }
        let slot = &mut self.slots[step.block.number() as usize % SLOTS];
        if slot.to.is_some_and(|(_, block)| !block.is_same(&step.block)) {
            self.late += slot.flush(self.generation);
        }
        slot.to = Some((step.entry, step.block));
        slot
    }
}

impl Slot<'_> {
    /// Writes everything; where the block was taken for another position meanwhile, nothing, and the simulations lost
    /// are returned.
    fn flush(&mut self, generation: u64) -> u64 {
        let mut late = u64::from(self.simulations);
        if let Some((entry, block)) = self.to.take()
            && block.is_current()
        {
            block.add_amaf(&self.samples);
            for &(index, visits, value) in &self.edges {
                block.add_visits(index, visits, value);
            }
            if self.simulations > 0 {
                entry.add_visits(self.simulations, self.value);
                block.mark_used(entry.total().visits, generation);
            }
            late = 0;
        }
        self.simulations = 0;
        self.edges.clear();
        self.samples.fill(0);
        late
    }
}
