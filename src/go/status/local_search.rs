//! An exact search for what a player can force in a local game: depth-first, ever deeper.

use super::local_game::{Area, Set, State, single};
use crate::game::Player;
use std::collections::HashMap;

/// The deepest search, in moves.
const MAX_DEPTH: u8 = 60;

/// Moves by which the depth grows.
const DEPTH_STEP: usize = 2;

/// The depth after which a goal that was not reached counts as out of reach, if the moves to search are spent.
const SUFFICIENT_DEPTH: u8 = 14;

/// The depth of an answer that holds for every depth.
const EXHAUSTIVE: u8 = u8::MAX;

/// A condition on the end of the game that `player` tries to force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    /// The player who attacks. A game that never ends is no success.
    pub(super) player: Player,
    /// The points that count: one for each that the player owns in the end, minus one for each that the opponent owns.
    pub(super) counted: Set,
    /// The least difference.
    pub(super) at_least: i32,
    /// Points that the player must own besides.
    pub(super) owned: Set,
}

impl Goal {
    fn difference(&self, own: Set, enemy: Set) -> i32 {
        (own & self.counted).count_ones() as i32 - (enemy & self.counted).count_ones() as i32
    }

    /// Returns true if the goal is reached in a game that has ended.
    fn is_reached(&self, area: &Area, state: &State) -> bool {
        let owned = area.owned(state);
        let (own, enemy) = (owned[self.player.index()], owned[self.player.other().index()]);
        self.difference(own, enemy) >= self.at_least && self.owned & !own == 0
    }

    /// The answer where points that are settled decide.
    fn decided(&self, settled: [Set; 2], all: Set) -> Option<bool> {
        let (own, enemy) = (settled[self.player.index()], settled[self.player.other().index()]);
        if self.owned & enemy != 0 || self.difference(all & !enemy, enemy) < self.at_least {
            return Some(false);
        }
        (self.owned & !own == 0 && self.difference(own, all & !own) >= self.at_least).then_some(true)
    }
}

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// The goal can be forced.
    Yes,
    /// It cannot within the depth; `true`: at no depth.
    No(bool),
}

/// The stored answer for a position.
#[derive(Clone, Copy)]
struct Known {
    is_reached: bool,
    /// If it is not reached: the depth to which that is true.
    depth: u8,
    /// The move that decided.
    best: u8,
}

/// The moves that searches may look at are spent.
struct Spent;

/// Searches of one area.
pub(super) struct LocalSearch<'a> {
    area: &'a Area,
    known: HashMap<State, Known, ahash::RandomState>,
    /// Positions that may still be looked at.
    left: u32,
}

/// A pass, among points of an area.
const PASS: u8 = u8::MAX - 1;

impl<'a> LocalSearch<'a> {
    /// For searches that look at `limit` positions together.
    pub(super) fn new(area: &'a Area, limit: u32) -> LocalSearch<'a> {
        LocalSearch { area, known: HashMap::default(), left: limit }
    }

    /// Positions that may still be looked at.
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    /// Returns whether the player of the goal can force it from `start`; `None` if that was not found out.
    ///
    /// An answer within a given depth depends on the position alone, not on the moves before it, so that positions may be
    /// shared though a ko may repeat. A goal that is out of reach within every number of moves in which only
    /// repetitions are left is out of reach.
    pub(super) fn can_force(&mut self, start: &State, goal: &Goal) -> Option<bool> {
        self.known.clear();
        let mut searched = 0;
        for depth in (4..=MAX_DEPTH).step_by(DEPTH_STEP) {
            match self.search(start, goal, depth) {
                Ok(Answer::Yes) => return Some(true),
                Ok(Answer::No(true)) => return Some(false),
                Ok(Answer::No(false)) => searched = depth,
                Err(Spent) => break,
            }
        }
        (searched >= SUFFICIENT_DEPTH).then_some(false)
    }

    fn search(&mut self, state: &State, goal: &Goal, depth: u8) -> Result<Answer, Spent> {
        if state.is_over() {
            return Ok(if goal.is_reached(self.area, state) { Answer::Yes } else { Answer::No(true) });
        }
        let known = self.known.get(state).copied();
        match known {
            Some(Known { is_reached: true, .. }) => return Ok(Answer::Yes),
            Some(known) if known.depth >= depth => return Ok(Answer::No(known.depth == EXHAUSTIVE)),
            _ => {}
        }
        let settled = self.area.settled(state);
        if let Some(is_reached) = goal.decided(settled, self.area.all()) {
            return Ok(if is_reached { Answer::Yes } else { Answer::No(true) });
        }
        if depth == 0 {
            return Ok(Answer::No(false));
        }
        self.left = self.left.checked_sub(1).ok_or(Spent)?;
        let first = known.map(|known| known.best);
        let (answer, best) = self.search_moves(state, goal, depth, settled, first)?;
        let known = match answer {
            Answer::Yes => Known { is_reached: true, depth: 0, best },
            Answer::No(is_final) => {
                Known { is_reached: false, depth: if is_final { EXHAUSTIVE } else { depth }, best }
            }
        };
        self.known.insert(*state, known);
        Ok(answer)
    }

    fn search_moves(
        &mut self,
        state: &State,
        goal: &Goal,
        depth: u8,
        settled: [Set; 2],
        first: Option<u8>,
    ) -> Result<(Answer, u8), Spent> {
        let attacks = state.to_play == goal.player;
        let mut is_final = true;
        for (mv, next) in self.moves(state, goal, settled, first) {
            let answer = self.search(&next, goal, depth - 1)?;
            match answer {
                Answer::Yes if attacks => return Ok((answer, mv)),
                Answer::No(_) if !attacks => return Ok((answer, mv)),
                Answer::Yes => {}
                Answer::No(is_final_there) => is_final &= is_final_there,
            }
        }
        Ok((if attacks { Answer::No(is_final) } else { Answer::Yes }, PASS))
    }

    /// The moves to look at, the most promising first, and where they lead.
    fn moves(&self, state: &State, goal: &Goal, settled: [Set; 2], first: Option<u8>) -> Vec<(u8, State)> {
        let area = self.area;
        let empty = area.empty(state);
        let (own, enemy) = (state.to_play.index(), state.to_play.other().index());
        // Nothing played on settled points changes anything.
        let mut candidates = empty & !settled[0] & !settled[1];
        let mut equals: Vec<(Set, Set)> = Vec::new();
        let mut moves: Vec<(i32, u8, State)> = Vec::new();
        while candidates != 0 {
            let at = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            let around = area.neighbours[at];
            let chains =
                [own, enemy].map(|side| area.connected(around & state.stones[side], state.stones[side]));
            let walls = area.walls.map(|walls| walls & single(at) != 0);
            if around & empty == 0 && (walls[0] || walls[1]) {
                // Liberties on the outside of the same chains are worth the same.
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
