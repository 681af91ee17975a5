//! Who owns each point in the end: playouts tell.

use super::Position;
use super::board::cell;
use super::score::owners;
use crate::game::{Game, Move, Player, Trace};
use crate::rng::PlayoutRng;

/// The random stream of these playouts; search workers have the first 255.
const STREAM: u64 = 1 << 32;

/// How often each point was whose at the end of playouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ownership {
    /// By player and move number.
    counts: [Vec<u32>; 2],
    playouts: u32,
}

impl Ownership {
    /// Plays `position` out `playouts` times, as its playout policy has it; the same seed gives the same answer. Each
    /// player begins half of the playouts, so that nobody is a move ahead.
    #[must_use]
    pub fn by_playouts(position: &Position, playouts: u32, seed: u64) -> Ownership {
        let points = position.size().points();
        let mut counts = [vec![0; points], vec![0; points]];
        let mut start = position.clone();
        start.resume();
        start.seal();
        let mut rng = PlayoutRng::new(seed, STREAM);
        let mut trace = Trace::default();
        let mut played = start.clone();
        for number in 0..playouts {
            played.clone_from(&start);
            played.set_to_play(Player::BOTH[number as usize % 2]);
            trace.moves.clear();
            played.playout(&mut rng, &mut trace);
            let owners = owners(played.board());
            let [black, white] = &mut counts;
            for (&point, (black, white)) in
                position.board().geometry().points.iter().zip(black.iter_mut().zip(white))
            {
                *black += u32::from(owners[point.index()] == cell::BLACK);
                *white += u32::from(owners[point.index()] == cell::WHITE);
            }
        }
        Ownership { counts, playouts }
    }

    /// How many playouts there were.
    #[must_use]
    pub fn playouts(&self) -> u32 {
        self.playouts
    }

    /// How often a point was a player's.
    #[must_use]
    pub fn count(&self, player: Player, point: Move) -> u32 {
        self.counts[player.index()][point.index()]
    }

    /// Whose a point is after most playouts.
    #[must_use]
    pub fn owner(&self, point: Move) -> Option<Player> {
        Player::BOTH.into_iter().find(|&player| 2 * self.count(player, point) > self.playouts)
    }
}
