//! Updates of much visited positions, put off until it is worth while to write them.
//!
//! Where several processors write one cache line, each write waits until the other processor has given it up: as long
//! as for memory, or longer. All workers pass the root and the best lines below it, and write a dozen lines of each. A
//! position with many visits can wait for the next sixteen: what a worker reads there is at most that much behind.

use super::path::Step;
use crate::table::{Block, Entry};
use crate::value::Value;

/// Positions with this many visits are written in parcels, where several workers write.
const BUSY_VISITS: u64 = 128;
/// Simulations in a parcel at most, and as a share of the visits, one in so many.
const LARGEST_PARCEL: u32 = 16;
const PARCEL_SHARE: u64 = 32;
/// Positions that parcels are kept for.
const PARCELS: usize = 128;

/// The parcels of one worker.
pub(super) struct Parcels<'t> {
    parcels: Vec<Parcel<'t>>,
    moves: usize,
    generation: u64,
    /// Simulations whose position had lost its block when they were to be written.
    late: u64,
}

/// What simulations brought to one position.
struct Parcel<'t> {
    to: Option<(Entry<'t>, Block<'t>)>,
    simulations: u32,
    /// The position's value after the last of them.
    value: Value,
    /// Edges with their visits and their last values.
    edges: Vec<(usize, u32, Value)>,
    samples: Vec<u64>,
}

impl<'t> Parcels<'t> {
    /// For a search in the present generation of the table.
    pub(super) fn new(moves: usize, generation: u64) -> Parcels<'t> {
        Parcels { parcels: Vec::new(), moves, generation, late: 0 }
    }

    /// Whether a position is visited so much that it can wait.
    #[inline]
    pub(super) fn takes(step: &Step<'_>) -> bool {
        step.others.visits >= BUSY_VISITS
    }

    /// Takes AMAF samples.
    pub(super) fn add_amaf(&mut self, step: &Step<'t>, samples: &[u64]) {
        for (sum, sample) in self.parcel(step).samples.iter_mut().zip(samples) {
            *sum += sample;
        }
    }

    /// Takes a visit of the edge, with the child's value for the mover; returns the edge's visits.
    pub(super) fn visit_edge(&mut self, step: &Step<'t>, value: Value) -> u32 {
        let index = step.mv.index();
        let edges = &mut self.parcel(step).edges;
        let before = match edges.iter_mut().find(|edge| edge.0 == index) {
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
        step.block.edge(index).visits() + before
    }

    /// Takes a visit of the position, and its value; the last thing of a simulation.
    pub(super) fn add_visit(&mut self, step: &Step<'t>, value: Value) {
        let generation = self.generation;
        let parcel = self.parcel(step);
        parcel.simulations += 1;
        parcel.value = value;
        if parcel.simulations >= LARGEST_PARCEL.min((step.others.visits / PARCEL_SHARE) as u32) {
            let late = parcel.deliver(generation);
            self.late += late;
        }
    }

    /// Writes what is left.
    pub(super) fn deliver_all(&mut self) {
        let generation = self.generation;
        self.late += self.parcels.iter_mut().map(|parcel| parcel.deliver(generation)).sum::<u64>();
    }

    /// Simulations that were lost because their position had lost its block when they were to be written.
    pub(super) fn late(&self) -> u64 {
        self.late
    }

    fn parcel(&mut self, step: &Step<'t>) -> &mut Parcel<'t> {
        if self.parcels.is_empty() {
            let words = self.moves.div_ceil(2);
            let empty = || Parcel {
                to: None,
                simulations: 0,
                value: Value::DRAW,
                edges: Vec::new(),
                samples: vec![0; words],
            };
            self.parcels.resize_with(PARCELS, empty);
        }
        let parcel = &mut self.parcels[step.block.number() as usize % PARCELS];
        if parcel.to.is_some_and(|(_, block)| !block.is_same(&step.block)) {
            self.late += parcel.deliver(self.generation);
        }
        parcel.to = Some((step.entry, step.block));
        parcel
    }
}

impl Parcel<'_> {
    /// Writes everything; a position whose block changed hands meanwhile gets nothing, and the simulations lost are
    /// returned.
    fn deliver(&mut self, generation: u64) -> u64 {
        let mut late = u64::from(self.simulations);
        if let Some((entry, block)) = self.to.take()
            && block.is_current()
        {
            block.add_amaf(&self.samples);
            for &(index, visits, value) in &self.edges {
                block.add_visits(&entry, index, visits, value);
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
