//! A search for goals that a player can force in a local game: proof-number search, depth-first with a table (Nagai,
//! "Df-pn algorithm for searching AND/OR trees and its applications", 2002). A position that repeats one on the path counts
//! as a failure of the attacker. A positive answer is exact; a negative one holds for lines up to [`MAX_DEPTH`].

use super::local_game::{LocalArea, LocalPosition, PointSet, single};
use crate::base::game::Player;
use std::collections::HashMap;

/// Largest number of moves in a line.
const MAX_DEPTH: usize = 80;

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

    /// Returns true if the goal is reached in a finished game. Settled points belong to their owners, whatever stands on
    /// them.
    fn is_reached(&self, area: &LocalArea, state: &LocalPosition, settled: [PointSet; 2]) -> bool {
        let owned = area.owned(state);
        let of = |player: Player| {
            owned[player.index()] & !settled[player.other().index()] | settled[player.index()]
        };
        let (own, enemy) = (of(self.player), of(self.player.other()));
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

/// A number of proof or disproof without limit.
const INFINITE: u32 = u32::MAX;

/// Weights of the rank of a move and of the empty points in the numbers of a position not yet searched. Of 17 pairs tried
/// in areas of sekis and races, 2 and 2 left the fewest goals undecided.
const RANK_WEIGHT: u32 = 2;
const EMPTY_WEIGHT: u32 = 2;

/// The numbers of unsolved positions that must still be shown to reach the goal, or to miss it: estimates of the work left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProofNumbers {
    proof: u32,
    disproof: u32,
}

/// [`ProofNumbers`] as the player to move sees them: the player's success is a proof for the attacker, a disproof for the
/// defender.
#[derive(Clone, Copy, Debug)]
struct SeenNumbers {
    success: u32,
    failure: u32,
}

impl ProofNumbers {
    const REACHED: ProofNumbers = ProofNumbers { proof: 0, disproof: INFINITE };
    const MISSED: ProofNumbers = ProofNumbers { proof: INFINITE, disproof: 0 };

    const fn solved(is_reached: bool) -> ProofNumbers {
        if is_reached { ProofNumbers::REACHED } else { ProofNumbers::MISSED }
    }

    /// Returns the numbers of a position not yet searched. The player to move needs one good move; the opponent must
    /// answer all of them, more where more points are `empty`. A move low in the order of its node fails more often.
    fn estimated(attacks: bool, rank: u32, empty: u32) -> ProofNumbers {
        let failure = 1 + RANK_WEIGHT * rank + EMPTY_WEIGHT * empty;
        SeenNumbers { success: 1, failure }.of(attacks)
    }

    const fn seen_by(self, attacks: bool) -> SeenNumbers {
        let ProofNumbers { proof, disproof } = self;
        let (success, failure) = if attacks { (proof, disproof) } else { (disproof, proof) };
        SeenNumbers { success, failure }
    }
}

impl SeenNumbers {
    const fn of(self, attacks: bool) -> ProofNumbers {
        let SeenNumbers { success, failure } = self;
        let (proof, disproof) = if attacks { (success, failure) } else { (failure, success) };
        ProofNumbers { proof, disproof }
    }
}

/// The place on the path of a position that a failure rests on because a line returns to it; [`NOWHERE`]: none.
type PathIndex = usize;
const NOWHERE: PathIndex = usize::MAX;

/// A position of the search.
#[derive(Clone, Copy)]
struct StoredPosition {
    numbers: ProofNumbers,
    /// The points of each player that are settled.
    settled: [PointSet; 2],
    /// The number of the position on the path that a failure rests on; `None`: it holds everywhere.
    rests_on: Option<u32>,
    /// The number of this position.
    number: u32,
}

/// A move and what is known of the position after it.
struct Child {
    position: LocalPosition,
    numbers: ProofNumbers,
    rests_on: PathIndex,
}

/// The numbers of a node by those of its children, as the player to move sees them.
struct ChildSums {
    /// The child with the least work for the player's success, and that work.
    best: usize,
    success: u32,
    /// The least work of another child.
    second: u32,
    /// The work for the player's failure, the sum over all children.
    failure: u32,
}

impl ChildSums {
    fn of(children: &[Child], attacks: bool) -> ChildSums {
        let mut sums = ChildSums { best: 0, success: INFINITE, second: INFINITE, failure: 0 };
        for (index, child) in children.iter().enumerate() {
            let seen = child.numbers.seen_by(attacks);
            if seen.success < sums.success {
                (sums.best, sums.second, sums.success) = (index, sums.success, seen.success);
            } else {
                sums.second = sums.second.min(seen.success);
            }
            sums.failure = sums.failure.saturating_add(seen.failure);
        }
        if sums.success == 0 {
            sums.failure = INFINITE;
        }
        sums
    }

    fn numbers(&self, attacks: bool) -> ProofNumbers {
        SeenNumbers { success: self.success, failure: self.failure }.of(attacks)
    }

    /// Returns the limits of the search of the best child: it goes on until another child is better by a quarter, which saves
    /// changes between two equals (Pawlewicz and Lew, "Improving Depth-First PN-Search: 1 + ε Trick", 2007), or the node
    /// reaches its own `limit`.
    fn limit_of_best(&self, best: SeenNumbers, limit: SeenNumbers) -> SeenNumbers {
        SeenNumbers {
            success: limit.success.min(self.second.saturating_add(self.second / 4 + 1)),
            failure: limit.failure.saturating_sub(self.failure - best.failure).max(1),
        }
    }

    /// Returns the place on the path that a failure of the attacker rests on.
    fn rests_on(&self, children: &[Child], attacks: bool) -> PathIndex {
        match attacks {
            true if self.failure == 0 => children.iter().map(|child| child.rests_on).min().unwrap_or(NOWHERE),
            false if self.success == 0 => children[self.best].rests_on,
            _ => NOWHERE,
        }
    }
}

/// The error of a search without positions left to search.
struct BudgetExhausted;

/// Searches of one area with a common budget.
pub(super) struct LocalSearch<'a> {
    area: &'a LocalArea,
    known: HashMap<LocalPosition, StoredPosition, ahash::RandomState>,
    /// Place on the path of each position, by number.
    places: Vec<PathIndex>,
    /// Numbers of the positions on the path.
    path: Vec<u32>,
    /// Number of positions that may still be searched.
    positions_left: u32,
}

/// A pass, as a point of an area.
const PASS: u8 = u8::MAX - 1;

impl<'a> LocalSearch<'a> {
    /// Creates searches that visit at most `limit` positions in total.
    pub(super) fn new(area: &'a LocalArea, limit: u32) -> LocalSearch<'a> {
        LocalSearch {
            area,
            known: HashMap::default(),
            places: Vec::new(),
            path: Vec::new(),
            positions_left: limit,
        }
    }

    /// Returns the area.
    pub(super) fn area(&self) -> &'a LocalArea {
        self.area
    }

    /// Returns the number of positions that may still be searched.
    pub(super) fn positions_left(&self) -> u32 {
        self.positions_left
    }

    /// Returns true if the player of the goal can force it from `start`; `None` if `limit` positions do not suffice to
    /// decide it.
    pub(super) fn can_force(&mut self, limit: u32, start: &LocalPosition, goal: &Goal) -> Option<bool> {
        let reserved = self.positions_left.saturating_sub(limit);
        self.positions_left -= reserved;
        self.known.clear();
        self.places.clear();
        self.path.clear();
        let answer = if start.is_over() {
            Some(goal.is_reached(self.area, start, self.area.settled(start)))
        } else {
            let unlimited = ProofNumbers { proof: INFINITE, disproof: INFINITE };
            self.search(start, goal, unlimited).ok().map(|(numbers, _)| numbers.proof == 0)
        };
        self.positions_left += reserved;
        answer
    }

    /// Searches until one of the numbers of `state` reaches its limit. Returns them and what a failure rests on.
    fn search(
        &mut self,
        state: &LocalPosition,
        goal: &Goal,
        limit: ProofNumbers,
    ) -> Result<(ProofNumbers, PathIndex), BudgetExhausted> {
        self.positions_left = self.positions_left.checked_sub(1).ok_or(BudgetExhausted)?;
        let known = self.known.get(state).copied();
        let settled = known.map_or_else(|| self.area.settled(state), |known| known.settled);
        let number = known.map_or(self.places.len() as u32, |known| known.number);
        let place = self.path.len();
        if known.is_none() {
            let decided = goal.decided(settled, self.area.all).map(ProofNumbers::solved);
            let numbers = decided.unwrap_or(ProofNumbers { proof: 1, disproof: 1 });
            self.places.push(NOWHERE);
            self.known.insert(*state, StoredPosition { numbers, settled, rests_on: None, number });
            if decided.is_some() {
                return Ok((numbers, NOWHERE));
            }
        }
        if place >= MAX_DEPTH {
            return Ok((ProofNumbers::MISSED, 0));
        }
        self.places[number as usize] = place;
        self.path.push(number);
        let found = self.search_children(state, goal, limit, settled);
        self.path.pop();
        self.places[number as usize] = NOWHERE;
        let (numbers, rests_on) = found?;
        // A line that returns to this position itself is a failure wherever it comes from.
        let rests_on = if rests_on >= place { NOWHERE } else { rests_on };
        let rests_on_number = (rests_on != NOWHERE).then(|| self.path[rests_on]);
        if let Some(stored) = self.known.get_mut(state) {
            (stored.numbers, stored.rests_on) = (numbers, rests_on_number);
        }
        Ok((numbers, rests_on))
    }

    /// Searches the moves of a position on the path.
    fn search_children(
        &mut self,
        state: &LocalPosition,
        goal: &Goal,
        limit: ProofNumbers,
        settled: [PointSet; 2],
    ) -> Result<(ProofNumbers, PathIndex), BudgetExhausted> {
        let attacks = state.to_play == goal.player;
        let positions = self.moves(state, goal, settled).into_iter().enumerate();
        let mut children: Vec<Child> =
            positions.map(|(rank, position)| self.child(position, rank, goal, settled)).collect();
        let limit = limit.seen_by(attacks);
        loop {
            let sums = ChildSums::of(&children, attacks);
            let is_solved = sums.success == 0 || sums.failure == 0;
            if is_solved || sums.success >= limit.success || sums.failure >= limit.failure {
                return Ok((sums.numbers(attacks), sums.rests_on(&children, attacks)));
            }
            let best = &mut children[sums.best];
            let limit = sums.limit_of_best(best.numbers.seen_by(attacks), limit);
            let position = best.position;
            let (numbers, rests_on) = self.search(&position, goal, limit.of(attacks))?;
            (children[sums.best].numbers, children[sums.best].rests_on) = (numbers, rests_on);
        }
    }

    /// Returns a position after a move with what is known of it. `rank` is the place of the move in the order of
    /// [`moves`](LocalSearch::moves), `settled` are the settled points before it.
    fn child(&self, position: LocalPosition, rank: usize, goal: &Goal, settled: [PointSet; 2]) -> Child {
        let known = |numbers, rests_on| Child { position, numbers, rests_on };
        if position.is_over() {
            return known(ProofNumbers::solved(goal.is_reached(self.area, &position, settled)), NOWHERE);
        }
        let unknown = || {
            let empty = self.area.empty(&position).count_ones();
            known(ProofNumbers::estimated(position.to_play == goal.player, rank as u32, empty), NOWHERE)
        };
        let Some(stored) = self.known.get(&position) else { return unknown() };
        let place = self.places[stored.number as usize];
        if place != NOWHERE {
            return known(ProofNumbers::MISSED, place);
        }
        match stored.rests_on.map(|number| self.places[number as usize]) {
            None => known(stored.numbers, NOWHERE),
            Some(NOWHERE) => unknown(),
            Some(place) => known(stored.numbers, place),
        }
    }

    /// Returns the positions after the moves to search, the most promising first.
    fn moves(&self, state: &LocalPosition, goal: &Goal, settled: [PointSet; 2]) -> Vec<LocalPosition> {
        let area = self.area;
        let empty = area.empty(state);
        let (own, enemy) = (state.to_play.index(), state.to_play.other().index());
        // Moves on settled points change nothing.
        let mut candidates = empty & !settled[0] & !settled[1];
        let mut equals: Vec<(PointSet, PointSet, bool)> = Vec::new();
        let mut moves: Vec<(i32, u8, LocalPosition)> = Vec::new();
        while candidates != 0 {
            let at = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            let around = area.beside(single(at));
            let chains =
                [own, enemy].map(|side| area.connected(around & state.stones[side], state.stones[side]));
            let walls = area.walls.map(|walls| walls & single(at) != 0);
            if around & empty == 0 && walls[own] != walls[enemy] {
                // Outside liberties of the same chains beside walls of the same player are equivalent.
                let equal = (chains[0], chains[1], walls[own]);
                if equals.contains(&equal) {
                    continue;
                }
                equals.push(equal);
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
        moves.sort_by_key(|&(worth, at, _)| (-worth, at));
        moves.into_iter().map(|(_, _, next)| next).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::local_game::elements;
    use super::super::local_problem::LocalProblem;
    use super::*;
    use crate::go::Size;
    use crate::go::board::Board;
    use rand::{RngExt, SeedableRng};

    /// Returns the answers for all positions that can follow `start`: those from which the attacker forces the goal, found
    /// backwards from the finished games.
    fn forced(area: &LocalArea, start: LocalPosition, goal: &Goal) -> bool {
        let mut numbers = HashMap::from([(start, 0)]);
        let mut positions = vec![start];
        let mut after: Vec<Vec<usize>> = Vec::new();
        while let Some(&position) = positions.get(after.len()) {
            let moves = elements(area.empty(&position)).filter_map(|at| area.play(&position, at));
            let next: Vec<LocalPosition> =
                if position.is_over() { Vec::new() } else { moves.chain([position.pass()]).collect() };
            let number = |position| {
                *numbers.entry(position).or_insert_with(|| {
                    positions.push(position);
                    positions.len() - 1
                })
            };
            let next = next.into_iter().map(number).collect();
            after.push(next);
        }
        let is_over = |position: &LocalPosition| {
            position.is_over() && goal.is_reached(area, position, area.settled(position))
        };
        let mut reached: Vec<bool> = positions.iter().map(is_over).collect();
        loop {
            let mut is_changed = false;
            for (number, position) in positions.iter().enumerate().filter(|(_, it)| !it.is_over()) {
                let reaches = |&next: &usize| reached[next];
                let is_forced = if position.to_play == goal.player {
                    after[number].iter().any(reaches)
                } else {
                    after[number].iter().all(reaches)
                };
                is_changed |= is_forced != reached[number];
                reached[number] = is_forced;
            }
            if !is_changed {
                return reached[0];
            }
        }
    }

    #[test]
    fn the_answers_are_those_of_all_lines_of_play() {
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let mut answers = [0; 2];
        while answers[0] + answers[1] < 300 {
            let size = Size::new(4, 4).expect("a size");
            let mut board = Board::new(size);
            let points: Vec<_> = board.geometry().points.to_vec();
            let area_points: Vec<_> =
                (0..16).filter(|at| at % 4 < 3 && at / 4 < 3).map(|at| points[at]).collect();
            for &point in &points {
                let is_inside = area_points.contains(&point);
                let share = if is_inside { 5 } else { 9 };
                if random.random_range(0..10) < share {
                    board.place(point, Player::BOTH[random.random_range(0..2)]);
                }
            }
            if points
                .iter()
                .any(|&point| board.stone_at(point).is_some() && board.liberties::<1>(point).is_empty())
            {
                continue;
            }
            let Some(problem) = LocalProblem::new(&board, &area_points) else { continue };
            let (area, stones) = (&problem.area, problem.stones);
            let counted = stones[0] | stones[1];
            if counted == 0 {
                continue;
            }
            let difference = stones[0].count_ones() as i32 - stones[1].count_ones() as i32;
            for player in Player::BOTH {
                let sign = if player == Player::Black { 1 } else { -1 };
                let owned = stones[player.index()] * u128::from(random.random::<bool>());
                let at_least = sign * difference + random.random_range(1..4);
                let goal = Goal { player, counted, at_least, owned };
                for first in Player::BOTH {
                    let start = LocalPosition::new(stones, first);
                    let expected = forced(area, start, &goal);
                    let mut search = LocalSearch::new(area, 1_000_000);
                    let answer = search.can_force(u32::MAX, &start, &goal);
                    assert_eq!(answer, Some(expected), "{area:?} {start:?} {goal:?}");
                    answers[usize::from(expected)] += 1;
                }
            }
        }
        assert!(answers.iter().all(|&count| count > 15), "{answers:?}");
    }
}
