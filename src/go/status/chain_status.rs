//! The status of all chains: by rules for safe chains, by a search of small areas, and elsewhere by a vote of playouts.

use super::ChainStatus;
use super::area_search::{AreaSearch, RoundBoard};
use super::chain_map::ChainMap;
use super::races::{self, MIN_SHARE_DEAD, RaceRule};
use super::safe_chains::{self, MAX_SHARE_SAFE};
use super::searched_area::SearchedArea;
use crate::base::game::Player;
use crate::go::board::Board;
use crate::go::geometry::{CELLS, Point};

/// Minimum empty points of an open region: chains beside it that most playouts lose are removed before the search.
const MIN_OPEN_REGION: usize = 10;

/// The status of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StatusResult {
    pub(super) status: ChainStatus,
    /// True if the status is the same whoever moves first, by a search, by the shape of the board, or by a clear vote of
    /// playouts.
    pub(super) is_settled: bool,
}

/// A first move on which the status of an area rests: the player plays one of `points` to gain what the count gives the
/// player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FirstMove {
    pub(super) player: Player,
    pub(super) points: Vec<Point>,
}

/// The result of a round.
enum RoundResult {
    /// Chains of areas too large to search that most playouts lose: they are removed before the next round.
    Lost(Vec<usize>),
    /// The status of all chains, and the first moves on which it rests.
    Decided(Vec<StatusResult>, Vec<FirstMove>),
}

/// The chains of a board and the evidence on their status.
struct StatusSearch<'a> {
    board: &'a Board,
    suicide: bool,
    to_play: Player,
    /// Share of playouts that lose each chain, by chain number.
    lost_share: &'a [f64],
    /// Chain number of each point.
    number_at: [usize; CELLS],
    areas: AreaSearch<'a>,
}

/// Returns the status of all chains of a board, in the order of their first stones, and the first moves on which they rest.
pub(super) fn chain_statuses(
    board: &Board,
    suicide: bool,
    to_play: Player,
    lost_share: &[f64],
) -> (Vec<StatusResult>, Vec<FirstMove>) {
    let mut number_at = [usize::MAX; CELLS];
    for (number, chain) in ChainMap::of(board).chains.iter().enumerate() {
        chain.stones.iter().for_each(|stone| number_at[stone.index()] = number);
    }
    let areas = AreaSearch::new(board, to_play, lost_share);
    let mut search = StatusSearch { board, suicide, to_play, lost_share, number_at, areas };
    let mut removed = search.dead_in_open_regions();
    loop {
        match search.round(&removed) {
            RoundResult::Decided(results, first_moves) => return (results, first_moves),
            RoundResult::Lost(chains) => chains.into_iter().for_each(|number| removed[number] = true),
        }
    }
}

impl StatusSearch<'_> {
    /// Returns the chains that most playouts lose and that have a liberty in an open region.
    fn dead_in_open_regions(&self) -> Vec<bool> {
        let map = ChainMap::of(self.board);
        let mut removed = vec![false; map.chains.len()];
        for region in map.regions.iter().filter(|region| region.points.len() >= MIN_OPEN_REGION) {
            for &(chain, _) in &region.borders {
                removed[chain] |= self.lost_share[chain] >= MIN_SHARE_DEAD;
            }
        }
        removed
    }

    /// Returns the number on the whole board of each chain of a part of it.
    fn numbers_of(&self, map: &ChainMap) -> Vec<usize> {
        map.chains.iter().map(|chain| self.number_at[chain.stones[0].index()]).collect()
    }

    /// Decides the status of all chains with those in `removed` dead.
    fn round(&mut self, removed: &[bool]) -> RoundResult {
        let (round, mut results) = self.round_board(removed);
        let (mut searched, mut unsearched) = self.search_components(&round, &mut results);
        searched.extend(races::kept_races(&mut self.areas, &round, &mut unsearched, RaceRule::Lost));
        let is_lost = |number: &usize| self.lost_share[*number] >= MIN_SHARE_DEAD;
        let lost: Vec<usize> =
            unsearched.iter().flatten().map(|&chain| round.numbers[chain]).filter(is_lost).collect();
        if !lost.is_empty() && !self.areas.is_exhausted() {
            return RoundResult::Lost(lost);
        }
        // The races leave the parts their budget of captures: captured chains taken for living ones change the outcome.
        let capture_positions = self.areas.capture_positions_left;
        searched.extend(races::kept_races(&mut self.areas, &round, &mut unsearched, RaceRule::Doubtful));
        self.areas.capture_positions_left = capture_positions;
        for component in unsearched {
            searched.extend(self.search_parts(&round, &component));
        }
        let first_moves = self.decide(&mut searched, &mut results);
        for area in searched.iter().filter(|area| self.may_change_with_removed(area, removed)) {
            area.chains.iter().for_each(|&number| results[number].is_settled = false);
        }
        RoundResult::Decided(results, first_moves)
    }

    /// Returns the board of a round, and the results without a search.
    fn round_board(&self, removed: &[bool]) -> (RoundBoard, Vec<StatusResult>) {
        let number_at = self.number_at;
        let board = self.board.keeping(|point| removed.get(number_at[point.index()]) == Some(&false));
        let map = ChainMap::of(&board);
        let numbers = self.numbers_of(&map);
        let by_vote = |number: usize| StatusResult {
            status: if removed[number] || self.lost_share[number] > 0.5 {
                ChainStatus::Dead
            } else {
                ChainStatus::Alive
            },
            is_settled: removed[number] || self.lost_share[number] < MAX_SHARE_SAFE,
        };
        let mut results: Vec<StatusResult> = (0..removed.len()).map(by_vote).collect();
        let lost: Vec<f64> = numbers.iter().map(|&number| self.lost_share[number]).collect();
        let (safe, dead) = safe_chains::settled_without_search(&board, &map, self.suicide, &lost);
        for (chain, &number) in numbers.iter().enumerate() {
            if safe[chain] {
                results[number] = StatusResult { status: ChainStatus::Alive, is_settled: true };
            } else if dead[chain] {
                results[number] = StatusResult { status: ChainStatus::Dead, is_settled: true };
            }
        }
        (RoundBoard { board, map, numbers, safe }, results)
    }

    /// Searches the components of the chains that are not safe. Returns the searched areas and the components, or their
    /// parts between chains with a living eye space, that are too large.
    fn search_components(
        &mut self,
        round: &RoundBoard,
        results: &mut [StatusResult],
    ) -> (Vec<SearchedArea>, Vec<Vec<usize>>) {
        let (mut searched, mut unsearched) = (Vec::new(), Vec::new());
        for component in round.map.components(&round.safe) {
            if let Some(found) = self.areas.search(round, &component, u32::MAX) {
                searched.push(found);
                continue;
            }
            let living = self.areas.living_alone(round, &component);
            for &chain in component.iter().filter(|&&chain| living[chain]) {
                results[round.numbers[chain]] = StatusResult { status: ChainStatus::Alive, is_settled: true };
            }
            if component.iter().all(|&chain| !living[chain]) {
                unsearched.push(component);
                continue;
            }
            for part in round.map.components(&living) {
                match self.areas.search(round, &part, u32::MAX) {
                    Some(found) => searched.push(found),
                    None => unsearched.push(part),
                }
            }
        }
        (searched, unsearched)
    }

    /// Searches the parts of a component between chains assumed safe.
    fn search_parts(&mut self, round: &RoundBoard, component: &[usize]) -> Vec<SearchedArea> {
        let lost: Vec<f64> = round.numbers.iter().map(|&number| self.lost_share[number]).collect();
        let safe = safe_chains::assumed_safe(&round.map, component, &lost);
        let parts = round.map.components(&safe);
        parts.iter().filter_map(|part| self.areas.search(round, part, u32::MAX)).collect()
    }

    /// Writes the results of searches to `results`. In areas where the first move matters the players alternate, the player
    /// to move beginning, in the area with the largest difference. Returns those first moves.
    fn decide(&mut self, searched: &mut [SearchedArea], results: &mut [StatusResult]) -> Vec<FirstMove> {
        searched.sort_by_key(|area| std::cmp::Reverse(area.swing()));
        let (mut first, mut first_moves) = (self.to_play, Vec::new());
        for area in searched.iter() {
            let (outcome, is_settled) = (&area.outcomes[first.index()], area.is_settled());
            let moves = if is_settled { Vec::new() } else { self.areas.gaining_moves(area, first) };
            let in_seki = area.chains_in_seki(outcome, moves.first().map(|&at| (first, at)));
            for ((&number, &is_lost), in_seki) in area.chains.iter().zip(&outcome.is_lost).zip(in_seki) {
                let status = match (in_seki, is_lost) {
                    (true, _) => ChainStatus::Seki,
                    (false, true) => ChainStatus::Dead,
                    (false, false) => ChainStatus::Alive,
                };
                results[number] = StatusResult { status, is_settled };
            }
            if !is_settled {
                let points = moves.into_iter().map(|at| area.problem.point(at)).collect();
                first_moves.push(FirstMove { player: first, points });
                first = first.other();
            }
        }
        first_moves
    }

    /// Returns true unless a search shows that the first move does not matter in an area with the stones in it that were
    /// removed as dead: such a stone can leave a chain in atari.
    fn may_change_with_removed(&mut self, area: &SearchedArea, removed: &[bool]) -> bool {
        if !removed.contains(&true) {
            return false;
        }
        let map = ChainMap::of(self.board);
        let is_inside = |&number: &usize| {
            removed[number] && map.chains[number].stones.iter().all(|&stone| area.problem.contains(stone))
        };
        let inside: Vec<usize> = (0..removed.len()).filter(is_inside).collect();
        if inside.is_empty() {
            return false;
        }
        let still_removed: Vec<bool> =
            (0..removed.len()).map(|number| removed[number] && !inside.contains(&number)).collect();
        let (round, _) = self.round_board(&still_removed);
        let is_member = |number: &usize| area.chains.contains(number) || inside.contains(number);
        let component: Vec<usize> =
            (0..round.numbers.len()).filter(|&chain| is_member(&round.numbers[chain])).collect();
        self.areas.search(&round, &component, u32::MAX).is_none_or(|found| found.swing() > 0)
    }
}
