//! AMAF ("all moves as first") samples of a simulation, for every position on its path.

use super::path::Step;
use crate::base::game::{Move, Player, Trace};
use crate::table::amaf_sample;

/// The samples of one simulation, in the form that [`Page::add_amaf`](crate::table::Page::add_amaf) takes.
pub(super) struct AmafSamples {
    /// For each player, the sample of each move, two moves to a word.
    samples: [Vec<u64>; 2],
    /// For each player, a sample with the simulation's result.
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

    /// Marks `player` as the first to play the move. Called from the last move of the simulation to the first, so that
    /// the earliest player remains.
    #[inline]
    fn set_first(&mut self, player: Player, index: usize) {
        let shift = 32 * (index & 1);
        let mask = 0xffff_ffff_u64 << shift;
        let other = &mut self.samples[player.other().index()][index / 2];
        *other &= !mask;
        let own = &mut self.samples[player.index()][index / 2];
        *own = *own & !mask | self.sample[player.index()] << shift;
    }

    /// Calls `add` with every position on the path and its samples, the last position first. A move has a sample if the
    /// position's mover was the first of both players to play it, at the position or later. Moves for which `counts` is
    /// false are never sampled.
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
