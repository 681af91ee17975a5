//! A search for goals that a player can force in a local game: depth-first with iterative deepening. A positive answer is
//! exact; a negative one may come from a search cut off after [`SUFFICIENT_DEPTH`] moves.

use super::local_game::{LocalArea, LocalPosition, PointSet, single};
use crate::base::game::Player;
use std::collections::HashMap;

/// Largest depth, in moves.
const MAX_DEPTH: u8 = 60;

/// Increase of the depth per iteration, in moves.
const DEPTH_STEP: usize = 2;

/// Depth without success from which on a goal counts as out of reach when the budget of positions is spent.
const SUFFICIENT_DEPTH: u8 = 14;

/// Depth of a negative answer that holds for every depth.
const EXHAUSTIVE: u8 = u8::MAX;

/// A condition on the final position that `player` tries to force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    /// The attacking player. An endless game is a failure.
    pub(super) player: Player,
    /// The points that count: plus one for each that the player owns in the end, minus one for each that the opponent owns.
    pub(super) counted: PointSet,
    /// Minimum sum over `counted`.
    pub(super) at_least: i32,
    /// Points that the player must also own.
    pub(super) owned: PointSet,
}

impl Goal {
    fn difference(&self, own: PointSet, enemy: PointSet) -> i32 {
        (own & self.counted).count_ones() as i32 - (enemy & self.counted).count_ones() as i32
    }

    /// Returns true if the goal is reached in a finished game.
    fn is_reached(&self, area: &LocalArea, state: &LocalPosition) -> bool {
        let owned = area.owned(state);
        let (own, enemy) = (owned[self.player.index()], owned[self.player.other().index()]);
        self.difference(own, enemy) >= self.at_least && self.owned & !own == 0
    }

    /// Returns the answer if settled points alone decide it.
    fn decided(&self, settled: [PointSet; 2], all: PointSet) -> Option<bool> {
        let (own, enemy) = (settled[self.player.index()], settled[self.player.other().index()]);
        if self.owned & enemy != 0 || self.difference(all & !enemy, enemy) < self.at_least {
            return Some(false);
        }
        (self.owned & !own == 0 && self.difference(own, all & !own) >= self.at_least).then_some(true)
    }
}

/// The answer of a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchAnswer {
    /// The goal can be forced.
    Yes,
    /// It cannot be forced within the depth; `true`: at no depth.
    No(bool),
}

/// The stored answer for a position.
#[derive(Clone, Copy)]
struct StoredAnswer {
    is_reached: bool,
    /// The depth to which a negative answer holds.
    depth: u8,
    /// The move that decided.
    best: u8,
    /// The settled points of each player, which do not decide the goal.
    settled: [PointSet; 2],
}

/// The error of a search without positions left to search.
struct BudgetExhausted;

/// Searches of one area with a common budget.
pub(super) struct LocalSearch<'a> {
    area: &'a LocalArea,
    known: HashMap<LocalPosition, StoredAnswer, ahash::RandomState>,
    /// Number of positions that may still be searched.
    positions_left: u32,
}

/// A pass, as a point of an area.
const PASS: u8 = u8::MAX - 1;

impl<'a> LocalSearch<'a> {
    /// Creates searches that visit at most `limit` positions in total.
    pub(super) fn new(area: &'a LocalArea, limit: u32) -> LocalSearch<'a> {
        LocalSearch { area, known: HashMap::default(), positions_left: limit }
    }

    /// Returns the area.
    pub(super) fn area(&self) -> &'a LocalArea {
        self.area
    }

    /// Returns the number of positions that may still be searched.
    pub(super) fn positions_left(&self) -> u32 {
        self.positions_left
    }

    /// Returns true if the player of the goal can force it from `start`; false also if a search of `limit` positions ends
    /// after [`SUFFICIENT_DEPTH`] moves without success, `None` if it ends earlier.
    ///
    /// An answer within a given depth depends on the position alone, not on the moves before it, so that positions are
    /// shared even if a ko repeats. A goal is out of reach if a search fails without being cut off by its depth.
    pub(super) fn can_force(&mut self, limit: u32, start: &LocalPosition, goal: &Goal) -> Option<bool> {
        let reserved = self.positions_left.saturating_sub(limit);
        self.positions_left -= reserved;
        let answer = self.deepen(start, goal);
        self.positions_left += reserved;
        answer
    }

    fn deepen(&mut self, start: &LocalPosition, goal: &Goal) -> Option<bool> {
        self.known.clear();
        let mut searched = 0;
        for depth in (4..=MAX_DEPTH).step_by(DEPTH_STEP) {
            match self.search(start, goal, depth) {
                Ok(SearchAnswer::Yes) => return Some(true),
                Ok(SearchAnswer::No(true)) => return Some(false),
                Ok(SearchAnswer::No(false)) => searched = depth,
                Err(BudgetExhausted) => break,
            }
        }
        (searched >= SUFFICIENT_DEPTH).then_some(false)
    }

    fn search(
        &mut self,
        state: &LocalPosition,
        goal: &Goal,
        depth: u8,
    ) -> Result<SearchAnswer, BudgetExhausted> {
        if state.is_over() {
            return Ok(if goal.is_reached(self.area, state) {
                SearchAnswer::Yes
            } else {
                SearchAnswer::No(true)
            });
        }
        let known = self.known.get(state).copied();
        match known {
            Some(StoredAnswer { is_reached: true, .. }) => return Ok(SearchAnswer::Yes),
            Some(known) if known.depth >= depth => return Ok(SearchAnswer::No(known.depth == EXHAUSTIVE)),
            _ => {}
        }
        let settled = known.map_or_else(|| self.area.settled(state), |known| known.settled);
        if known.is_none()
            && let Some(is_reached) = goal.decided(settled, self.area.all)
        {
            return Ok(if is_reached { SearchAnswer::Yes } else { SearchAnswer::No(true) });
        }
        if depth == 0 {
            return Ok(SearchAnswer::No(false));
        }
        self.positions_left = self.positions_left.checked_sub(1).ok_or(BudgetExhausted)?;
        let first = known.map(|known| known.best);
        let (answer, best) = self.search_moves(state, goal, depth, settled, first)?;
        let known = match answer {
            SearchAnswer::Yes => StoredAnswer { is_reached: true, depth: 0, best, settled },
            SearchAnswer::No(is_final) => {
                let depth = if is_final { EXHAUSTIVE } else { depth };
                StoredAnswer { is_reached: false, depth, best, settled }
            }
        };
        self.known.insert(*state, known);
        Ok(answer)
    }

    fn search_moves(
        &mut self,
        state: &LocalPosition,
        goal: &Goal,
        depth: u8,
        settled: [PointSet; 2],
        first: Option<u8>,
    ) -> Result<(SearchAnswer, u8), BudgetExhausted> {
        let attacks = state.to_play == goal.player;
        let mut is_final = true;
        for (mv, next) in self.moves(state, goal, settled, first) {
            let answer = self.search(&next, goal, depth - 1)?;
            match answer {
                SearchAnswer::Yes if attacks => return Ok((answer, mv)),
                SearchAnswer::No(_) if !attacks => return Ok((answer, mv)),
                SearchAnswer::Yes => {}
                SearchAnswer::No(is_final_there) => is_final &= is_final_there,
            }
        }
        Ok((if attacks { SearchAnswer::No(is_final) } else { SearchAnswer::Yes }, PASS))
    }

    /// Returns the moves to search, the most promising first, with the positions after them.
    fn moves(
        &self,
        state: &LocalPosition,
        goal: &Goal,
        settled: [PointSet; 2],
        first: Option<u8>,
    ) -> Vec<(u8, LocalPosition)> {
        let area = self.area;
        let empty = area.empty(state);
        let (own, enemy) = (state.to_play.index(), state.to_play.other().index());
        // Moves on settled points change nothing.
        let mut candidates = empty & !settled[0] & !settled[1];
        let mut equals: Vec<(PointSet, PointSet)> = Vec::new();
        let mut moves: Vec<(i32, u8, LocalPosition)> = Vec::new();
        while candidates != 0 {
            let at = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            let around = area.beside(single(at));
            let chains =
                [own, enemy].map(|side| area.connected(around & state.stones[side], state.stones[side]));
            let walls = area.walls.map(|walls| walls & single(at) != 0);
            if around & empty == 0 && (walls[0] || walls[1]) {
                // Outside liberties of the same chains are equivalent.
                let equal = (chains[0], chains[1]);
                if equals.contains(&equal) && walls[own] != walls[enemy] {
                    continue;
                }
                if walls[own] != walls[enemy] {
                    equals.push(equal);
                }
            }
            let Some(next) = area.play(state, at) else { continue };
            let captured = (state.stones[enemy] & !next.stones[enemy]).count_ones() as i32;
            let own_chain = area.connected(single(at), next.stones[own]);
            let liberties = (area.beside(own_chain) & area.empty(&next)).count_ones() as i32;
            let is_attack = (around & state.stones[enemy]).count_ones() as i32;
            let is_safe = own_chain & (area.walls[own] | next.safe[own]) != 0;
            let danger = if liberties <= 1 && !is_safe { own_chain.count_ones() as i32 } else { 0 };
            let worth = 16 * captured + 4 * is_attack - 8 * danger + liberties.min(4);
            moves.push((worth, at as u8, next));
        }
        let pass_first = {
            let owned = area.owned(state);
            let side = goal.player.index();
            let holds = goal.difference(owned[side], owned[1 - side]) >= goal.at_least
                && goal.owned & !owned[side] == 0;
            holds == (state.to_play == goal.player)
        };
        moves.push((if pass_first { 1000 } else { -1000 }, PASS, state.pass()));
        if let Some(first) = first {
            for mv in moves.iter_mut().filter(|mv| mv.1 == first) {
                mv.0 = 10_000;
            }
        }
        moves.sort_by_key(|&(worth, at, _)| (-worth, at));
        moves.into_iter().map(|(_, at, next)| (at, next)).collect()
    }
}
