//! The outcomes for the chains of a local game when each side moves first.

use super::local_game::{LocalArea, LocalPosition, PointSet, elements};
use super::local_problem::LocalProblem;
use super::local_search::{Goal, LocalSearch};
use crate::base::game::Player;

/// Largest number of positions that the search of one larger gain, or of one lost chain, visits.
const REFINING_POSITIONS: u32 = 5_000;

/// The outcome for the chains if one given player moves first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocalOutcome {
    /// Points with a stone now that the first local player owns in the end, minus those that the second owns.
    pub(super) value: i32,
    /// True for each chain that is lost.
    pub(super) is_lost: Vec<bool>,
}

/// A chain of a local game.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalGroup {
    /// The local player.
    pub(super) player: Player,
    /// The stones.
    pub(super) stones: PointSet,
}

/// The stakes of a local game.
///
/// Only points that have a stone now count: neutral points and the last points of territory change the status of no
/// chain. Captured groups are lost and do not count: otherwise dead stones of both players in one area would cancel out.
/// If neither player can force more than the board shows, everything stays as it is, including a ko that goes in
/// circles. Otherwise the gaining player takes the largest gain, and a chain of the opponent is lost if that gain can be
/// forced together with all points of the chain.
pub(super) struct LocalStakes<'a> {
    pub(super) problem: &'a LocalProblem,
    pub(super) groups: &'a [LocalGroup],
    /// True for each group that is captured whoever moves first.
    pub(super) captured: &'a [bool],
}

impl LocalStakes<'_> {
    /// Returns the outcome if `first` moves first; `None` if the search does not decide it.
    pub(super) fn outcome(&self, search: &mut LocalSearch<'_>, first: Player) -> Option<LocalOutcome> {
        for player in Player::BOTH {
            if self.can_gain(search, u32::MAX, first, player)? {
                return self.outcome_of_gain(search, first, player);
            }
        }
        Some(LocalOutcome { value: self.value(), is_lost: self.captured.to_vec() })
    }

    /// Returns the outcome if `first` moves first and one of the players can force a gain; `None` if the search finds no
    /// gain.
    pub(super) fn forced_outcome(&self, search: &mut LocalSearch<'_>, first: Player) -> Option<LocalOutcome> {
        let limit = search.positions_left() / 2;
        // The player who moves first gains more often.
        let mut players = [first, first.other()].into_iter();
        let player = players.find(|&player| self.can_gain(search, limit, first, player) == Some(true))?;
        self.outcome_of_gain(search, first, player)
    }

    /// Returns the moves after which `first` can still force its gain in `outcome`, the outcome if `first` moves first;
    /// none if that is no gain for `first`.
    pub(super) fn gaining_moves(
        &self,
        search: &mut LocalSearch<'_>,
        first: Player,
        outcome: &LocalOutcome,
    ) -> Vec<usize> {
        let gain = sign(first) * (outcome.value - self.value());
        if gain <= 0 {
            return Vec::new();
        }
        let (area, start) = (search.area(), self.problem.start(first));
        let goal = self.goal(first, gain);
        let mut gains = |at: &usize| {
            let after = area.play(&start, *at);
            after.is_some_and(|after| search.can_force(REFINING_POSITIONS, &after, &goal) == Some(true))
        };
        elements(area.empty(&start)).filter(|at| gains(at)).collect()
    }

    fn can_gain(
        &self,
        search: &mut LocalSearch<'_>,
        limit: u32,
        first: Player,
        player: Player,
    ) -> Option<bool> {
        search.can_force(limit, &self.problem.start(first), &self.goal(player, 1))
    }

    fn counted_of(&self, player: Player) -> PointSet {
        let is_captured = self.groups.iter().zip(self.captured).filter(|(_, is_captured)| **is_captured);
        self.problem.stones[player.index()] & !is_captured.fold(0, |set, (group, _)| set | group.stones)
    }

    /// Returns the present value, as in [`LocalOutcome`].
    fn value(&self) -> i32 {
        let [first, second] = Player::BOTH.map(|player| self.counted_of(player).count_ones() as i32);
        first - second
    }

    fn goal(&self, player: Player, gain: i32) -> Goal {
        let counted = self.counted_of(Player::Black) | self.counted_of(Player::White);
        Goal { player, counted, at_least: sign(player) * self.value() + gain, owned: 0 }
    }

    /// Returns the outcome if `first` moves first and `player` can force a gain; `None` if the search does not decide it.
    fn outcome_of_gain(
        &self,
        search: &mut LocalSearch<'_>,
        first: Player,
        player: Player,
    ) -> Option<LocalOutcome> {
        let start = self.problem.start(first);
        let mut can_force = |goal: &Goal| search.can_force(REFINING_POSITIONS, &start, goal);
        // Each lost enemy stone counts twice.
        let all = 2 * self.counted_of(player.other()).count_ones() as i32;
        let gain = largest_gain(all, |gain| can_force(&self.goal(player, gain)))?;
        let mut is_lost = Vec::new();
        for (group, &is_captured) in self.groups.iter().zip(self.captured) {
            let is_own = group.player == player;
            let with_points = Goal { owned: group.stones, ..self.goal(player, gain) };
            is_lost.push(is_captured || (gain == all || can_force(&with_points)?) != is_own);
        }
        Some(LocalOutcome { value: self.value() + sign(player) * gain, is_lost })
    }
}

fn sign(player: Player) -> i32 {
    if player == Player::Black { 1 } else { -1 }
}

/// Returns the largest gain from 1 to `all` that can be forced, given that 1 can; `None` if `can_force` does not decide
/// it. Tries `all` first, the usual result.
fn largest_gain(all: i32, mut can_force: impl FnMut(i32) -> Option<bool>) -> Option<i32> {
    let (mut forced, mut refuted) = (1, all + 1);
    let mut next = all;
    while refuted - forced > 1 {
        if can_force(next)? {
            forced = next
        } else {
            refuted = next
        }
        next = (forced + refuted).div_euclid(2);
    }
    Some(forced)
}

/// Returns true if the opponent can capture `group` although its owner moves first, and owns the stones in `kept`
/// afterwards. Returns false if the search does not decide it.
pub(super) fn is_captured(
    search: &mut LocalSearch<'_>,
    problem: &LocalProblem,
    group: LocalGroup,
    kept: PointSet,
) -> bool {
    let at_least = group.stones.count_ones() as i32;
    let goal = Goal { player: group.player.other(), counted: group.stones, at_least, owned: kept };
    search.can_force(u32::MAX, &problem.start(group.player), &goal) == Some(true)
}

/// Returns true if `group` lives in seki: a search shows that it would be captured if the opponent's chains `enemies`
/// could not be.
pub(super) fn lives_in_seki(
    area: &LocalArea,
    limit: u32,
    stones: [PointSet; 2],
    group: LocalGroup,
    enemies: PointSet,
) -> bool {
    let opponent = group.player.other();
    let mut state = LocalPosition::new(stones, opponent);
    state.safe[opponent.index()] = enemies;
    let at_least = 1 - group.stones.count_ones() as i32;
    let goal = Goal { player: opponent, counted: group.stones, at_least, owned: 0 };
    LocalSearch::new(area, limit).can_force(limit, &state, &goal) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::super::chain_map::ChainMap;
    use super::*;
    use crate::go::Size;
    use crate::go::board::Board;

    /// Two groups that live with a dead stone of the other player in their eye space of four points.
    const ROWS: [&str; 3] = ["OOOOOOXXXXX", "XXXXXXOOOOO", "o...X.O...x"];
    const LIMIT: u32 = 10_000;

    #[test]
    fn dead_stones_of_both_players_in_one_area_are_captured() {
        let size = Size::new(ROWS[0].len(), ROWS.len()).unwrap();
        let mut board = Board::new(size);
        let geometry = board.geometry();
        let symbols: Vec<char> = ROWS.iter().rev().flat_map(|row| row.chars()).collect();
        for (&point, symbol) in geometry.points.iter().zip(&symbols) {
            match symbol.to_ascii_uppercase() {
                'X' => board.place(point, Player::Black),
                'O' => board.place(point, Player::White),
                _ => 0,
            };
        }
        let area: Vec<_> = geometry.points.iter().copied().take(2 * ROWS[0].len()).collect();
        let problem = LocalProblem::new(&board, &area).unwrap();
        let map = ChainMap::of(&board);
        let groups: Vec<LocalGroup> = map
            .chains
            .iter()
            .filter(|chain| area.contains(&chain.stones[0]))
            .map(|chain| LocalGroup {
                player: problem.local(chain.player),
                stones: problem.set_of(|point| chain.stones.contains(&point)),
            })
            .collect();
        let is_small = |group: &LocalGroup| group.stones.count_ones() == 1;
        let captured: Vec<bool> = groups
            .iter()
            .map(|group| {
                let others = groups.iter().filter(|other| other.player != group.player && !is_small(other));
                let kept = others.fold(0, |set, other| set | other.stones);
                is_captured(&mut LocalSearch::new(&problem.area, LIMIT), &problem, *group, kept)
            })
            .collect();
        assert_eq!(captured, groups.iter().map(is_small).collect::<Vec<_>>());
        for first in Player::BOTH {
            let lost_with = |captured: &[bool]| {
                let mut search = LocalSearch::new(&problem.area, LIMIT);
                let stakes = LocalStakes { problem: &problem, groups: &groups, captured };
                stakes.outcome(&mut search, first).unwrap().is_lost
            };
            assert_eq!(
                lost_with(&vec![false; groups.len()]),
                vec![false; groups.len()],
                "they hide each other"
            );
            assert_eq!(lost_with(&captured), captured);
        }
    }
}
