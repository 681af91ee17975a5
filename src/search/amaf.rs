//! AMAF samples of a simulation, for every position of its path.

use super::path::Step;
use crate::game::{Move, Player, Trace};
use crate::table::amaf_sample;

/// The samples of one simulation in the form that [`Block::add_amaf`](crate::table::Block::add_amaf) takes.
pub(super) struct AmafSamples {
    /// For each player, two moves to a word.
    samples: [Vec<u64>; 2],
    /// For each player, one sample with the simulation's result.
    sample: [u64; 2],
}

impl AmafSamples {
    pub(super) fn new(moves: usize) -> AmafSamples {
        AmafSamples { samples: [(); 2].map(|()| vec![0; moves.div_ceil(2)]), sample: [0; 2] }
    }

    fn begin(&mut self, half_points_for_black: u32) {
        self.samples.iter_mut().for_each(|samples| samples.fill(0));
        self.sample = [amaf_sample(half_points_for_black), amaf_sample(2 - half_points_for_black)];
    }

    /// Makes `player` the first to play the move: samples are set from the last move of the simulation to the first.
    #[inline]
    fn set_first(&mut self, player: Player, index: usize) {
        let shift = 32 * (index & 1);
        let mask = 0xffff_ffff_u64 << shift;
        let other = &mut self.samples[player.other().index()][index / 2];
        *other &= !mask;
        let own = &mut self.samples[player.index()][index / 2];
        *own = *own & !mask | self.sample[player.index()] << shift;
    }

    /// Calls `add` with every position of the path and its samples, the last position first. A move has a sample where
    /// the position's mover was the first of both players to play on that point, at the position or later; `counts` says
    /// which moves are sampled at all.
    pub(super) fn of_path<'t>(
        &mut self,
        steps: &[Step<'t>],
        trace: &Trace,
        half_points_for_black: u32,
        counts: impl Fn(Move) -> bool,
        mut add: impl FnMut(&Step<'t>, &[u64]),
    ) {
        self.begin(half_points_for_black);
        let mut next = trace.moves.len();
        for (ply, step) in steps.iter().enumerate().rev() {
            while next > ply {
                next -= 1;
                let (player, mv) = trace.moves[next];
                if counts(mv) {
                    self.set_first(player, mv.index());
                }
            }
            add(step, &self.samples[step.mover.index()]);
        }
    }
}
