//! The moves of a ranked page: the best by prior that are on no earlier page of the chain.

use super::layout::RANKED_EDGES;
use crate::base::game::Prior;

/// Moves with their priors, the highest prior first and of equal priors the lower number; one more than a page holds, which
/// is the best of the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct BestMoves {
    moves: [Option<(u16, Prior)>; RANKED_EDGES + 1],
}

impl BestMoves {
    /// Chooses among the moves with priors, by move number, those for which `is_listed` is false.
    pub(super) fn of(priors: &[Option<Prior>], is_listed: impl Fn(u16) -> bool) -> BestMoves {
        let mut moves: [Option<(u16, Prior)>; RANKED_EDGES + 1] = [None; RANKED_EDGES + 1];
        for (number, prior) in (0..).zip(priors) {
            let Some(prior) = *prior else { continue };
            let ranks_below = |other: &Option<(u16, Prior)>| other.is_none_or(|(_, it)| it.wins < prior.wins);
            if !moves.last().is_some_and(ranks_below) || is_listed(number) {
                continue;
            }
            let place = moves.iter().position(ranks_below).unwrap_or(RANKED_EDGES);
            moves[place..].rotate_right(1);
            moves[place] = Some((number, prior));
        }
        BestMoves { moves }
    }

    /// Returns the given moves, at most as many as a page holds, and the prior of the best move that follows.
    pub(super) fn from_list(list: &[(u16, Prior)], rest: Option<Prior>) -> BestMoves {
        let mut moves = [None; RANKED_EDGES + 1];
        moves.iter_mut().zip(list.iter().take(RANKED_EDGES)).for_each(|(place, it)| *place = Some(*it));
        moves[RANKED_EDGES] = rest.map(|prior| (0, prior));
        BestMoves { moves }
    }

    /// Returns the prior of the edge at `index`; `None` if the page has fewer moves.
    pub(super) fn prior(&self, index: usize) -> Option<Prior> {
        self.moves[index].map(|(_, prior)| prior)
    }

    /// Returns the move number of the edge at `index`; 0 if the page has fewer moves.
    pub(super) fn number(&self, index: usize) -> u16 {
        self.moves[index].map_or(0, |(number, _)| number)
    }

    /// Returns the prior of the best move that is on no page; `None` if all moves are.
    pub(super) fn rest(&self) -> Option<Prior> {
        self.moves[RANKED_EDGES].map(|(_, prior)| prior)
    }
}
