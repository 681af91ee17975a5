//! The way to a position, as far as keys contain it.

use crate::game::Move;
use crate::zobrist::mix;

/// All moves since the start of a game in one number, which keys contain if that is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    moves: u64,
    pub(super) counts: bool,
}

impl Way {
    /// The way that goes on with `mv`. Moves in another order make another way.
    #[inline]
    pub(super) fn after(self, mv: Move) -> Way {
        Way { moves: mix(self.moves ^ (u64::from(mv.0) + 1)), ..self }
    }

    /// What belongs into the key of a position.
    #[inline]
    pub(super) fn key(self) -> u64 {
        if self.counts { self.moves } else { 0 }
    }
}
