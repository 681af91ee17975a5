//! The status of all chains: by rules for safe chains, by a search of small areas, and elsewhere by a vote of playouts.

use super::ChainStatus;
use super::chain_map::{ChainMap, EmptyRegion};
use super::local_game::LocalPosition;
use super::local_outcome::{self, LocalGroup, LocalOutcome, LocalStakes};
use super::local_problem::LocalProblem;
use super::local_search::{Goal, LocalSearch};
use super::safe_chains::{self, MAX_SHARE_SAFE};
use super::searched_area::SearchedArea;
use crate::base::game::Player;
use crate::go::board::Board;
use crate::go::geometry::{CELLS, Point};

/// Minimum empty points of an open region: chains beside it that most playouts lose are removed before the search.
const MIN_OPEN_REGION: usize = 10;

/// Largest number of empty points of a search.
const MAX_EMPTY: usize = 16;

/// Largest number of empty points of an area that is small. Larger ones are rarely decided, and get fewer positions.
const MAX_EMPTY_OF_SMALL: u32 = 10;

/// Largest numbers of positions that all searches of one area visit, small or large, and those of one board.
const MAX_AREA_POSITIONS: u32 = 120_000;
const MAX_LARGE_AREA_POSITIONS: u32 = 30_000;
const MAX_BOARD_POSITIONS: u32 = 200_000;

/// Largest number of empty points of an undecided area that is searched again for gains: to find one takes fewer positions
/// than to rule it out.
const MAX_EMPTY_OF_GAIN: usize = 8;

/// Largest number of positions that such a search visits for each first player.
const MAX_GAIN_POSITIONS: u32 = 10_000;

/// Numbers of points of an eye space that is searched alone. A smaller one never lives if the opponent moves first;
/// larger ones [live in any case](safe_chains).
const EYE_SPACES: std::ops::RangeInclusive<usize> = 4..=6;

/// Largest number of positions that the search of one eye space visits.
const MAX_EYE_SPACE_POSITIONS: u32 = 5_000;

/// Minimum share of playouts that lose a chain for it to be removed as dead before its neighbours are searched.
const MIN_SHARE_DEAD: f64 = 0.75;

/// Minimum share of playouts that lose a chain for a search of its capture alone.
const MIN_SHARE_CAPTURED: f64 = 0.3;

/// Largest numbers of positions that the search of one capture visits, and those of one board.
const MAX_CAPTURE_POSITIONS: u32 = 12_000;
const MAX_BOARD_CAPTURE_POSITIONS: u32 = 80_000;

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

/// The chains of a board and the evidence on their status.
pub(super) struct StatusSearch<'a> {
    board: &'a Board,
    suicide: bool,
    to_play: Player,
    /// Share of playouts that lose each chain, by chain number.
    lost_share: &'a [f64],
    /// Chain number of each point.
    number_at: [usize; CELLS],
    positions_left: u32,
    capture_positions_left: u32,
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
    let mut search = StatusSearch {
        board,
        suicide,
        to_play,
        lost_share,
        number_at,
        positions_left: MAX_BOARD_POSITIONS,
        capture_positions_left: MAX_BOARD_CAPTURE_POSITIONS,
    };
    let mut removed = search.dead_in_open_regions();
    loop {
        let (results, first_moves, newly_lost) = search.round(&removed);
        if newly_lost.is_empty() {
            return (results, first_moves);
        }
        newly_lost.into_iter().for_each(|number| removed[number] = true);
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

    /// Returns true for each group that may be lost and that the opponent [captures in any case](local_outcome::is_captured)
    /// without losing a chain beside it.
    fn captured_groups(
        &mut self,
        problem: &LocalProblem,
        groups: &[LocalGroup],
        may_be_lost: &[bool],
    ) -> Vec<bool> {
        let mut captured = vec![false; groups.len()];
        for (index, group) in groups.iter().enumerate().filter(|(index, _)| may_be_lost[*index]) {
            let beside = problem.area.beside(group.stones);
            let captors =
                groups.iter().filter(|other| other.player != group.player && other.stones & beside != 0);
            let kept = captors.fold(0, |set, captor| set | captor.stones);
            let limit = self.capture_positions_left.min(MAX_CAPTURE_POSITIONS);
            let mut search = LocalSearch::new(&problem.area, limit);
            captured[index] = local_outcome::is_captured(&mut search, problem.stones, *group, kept);
            self.capture_positions_left -= limit - search.positions_left();
        }
        captured
    }

    /// Returns the number on the whole board of each chain of a part of it.
    fn numbers_of(&self, map: &ChainMap) -> Vec<usize> {
        map.chains.iter().map(|chain| self.number_at[chain.stones[0].index()]).collect()
    }

    /// Returns the status of all chains with those in `removed` dead, first moves, and the chains to remove before the
    /// next round: those of areas too large to search that most playouts lose. In the last round such areas are searched
    /// in parts.
    fn round(&mut self, removed: &[bool]) -> (Vec<StatusResult>, Vec<FirstMove>, Vec<usize>) {
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
        let mut searched = Vec::new();
        let mut unsearched = Vec::new();
        for component in map.components(&safe) {
            if let Some(found) = self.search(&board, &map, &component, &numbers) {
                searched.push(found);
                continue;
            }
            let living = self.living_alone(&board, &map, &component);
            for &chain in component.iter().filter(|&&chain| living[chain]) {
                results[numbers[chain]] = StatusResult { status: ChainStatus::Alive, is_settled: true };
            }
            if component.iter().all(|&chain| !living[chain]) {
                unsearched.push(component);
                continue;
            }
            for part in map.components(&living) {
                match self.search(&board, &map, &part, &numbers) {
                    Some(found) => searched.push(found),
                    None => unsearched.push(part),
                }
            }
        }
        let is_lost = |number: &usize| self.lost_share[*number] >= MIN_SHARE_DEAD && !removed[*number];
        let kept = self.kept_races(&board, &map, &mut unsearched, &numbers, &safe);
        let mut newly_lost: Vec<usize> =
            unsearched.iter().flatten().map(|&chain| numbers[chain]).filter(is_lost).collect();
        searched.extend(kept);
        if self.positions_left == 0 {
            newly_lost.clear();
        }
        if newly_lost.is_empty() {
            for component in unsearched {
                let safe = safe_chains::assumed_safe(&map, &component, &lost);
                let parts = map.components(&safe);
                searched.extend(parts.iter().filter_map(|part| self.search(&board, &map, part, &numbers)));
            }
        }
        let first_players = decide(self.to_play, &mut searched, &mut results);
        let is_last = newly_lost.is_empty();
        let unsettled = searched.iter().zip(first_players).filter(|_| is_last);
        let first_moves =
            unsettled.filter_map(|(area, player)| Some(self.first_move(area, player?))).collect();
        if newly_lost.is_empty() && removed.contains(&true) {
            for area in searched.iter().filter(|area| self.is_unsettled_with_removed(area, removed)) {
                area.chains.iter().for_each(|&number| results[number].is_settled = false);
            }
        }
        (results, first_moves, newly_lost)
    }

    /// Returns the races of chains that most playouts lose, in areas too large to search, in which such a chain lives in
    /// seki. Their chains are removed from `unsearched`.
    fn kept_races(
        &mut self,
        board: &Board,
        map: &ChainMap,
        unsearched: &mut [Vec<usize>],
        numbers: &[usize],
        safe: &[bool],
    ) -> Vec<SearchedArea> {
        let mut kept = Vec::new();
        for component in unsearched {
            let is_lost = |chain: &usize| self.lost_share[numbers[*chain]] >= MIN_SHARE_DEAD;
            let lost: Vec<usize> = component.iter().copied().filter(is_lost).collect();
            for chain in lost {
                // An earlier race may have had the chain in it.
                if !component.contains(&chain) {
                    continue;
                }
                let race = self.race(map, chain, numbers, safe);
                if let Some(area) = self.search(board, map, &race, numbers)
                    && area.settles_seki_of(numbers[chain])
                {
                    component.retain(|chain| !race.contains(chain));
                    kept.push(area);
                }
            }
        }
        kept
    }

    /// Returns a chain and the chains in contact with it on which its status may depend: those that more than a few
    /// playouts lose, and enemy chains with few liberties that the chain does not share.
    fn race(&self, map: &ChainMap, chain: usize, numbers: &[usize], safe: &[bool]) -> Vec<usize> {
        let is_at_risk = |other: &usize| {
            !safe[*other] && self.lost_share[numbers[*other]] >= safe_chains::MAX_SHARE_ASSUMED_SAFE
        };
        let is_short = |enemy: &usize| {
            let free = || safe_chains::liberties_apart_from(map, *enemy, |beside| beside == chain);
            !safe[*enemy] && free() < safe_chains::MIN_FREE_LIBERTIES
        };
        let enemies = safe_chains::contacts(map, chain).into_iter();
        let mut race: Vec<usize> = enemies.filter(|enemy| is_at_risk(enemy) || is_short(enemy)).collect();
        race.extend(safe_chains::companions(map, chain).into_iter().filter(is_at_risk));
        race.push(chain);
        race.sort_unstable();
        race.dedup();
        race
    }

    /// Returns true for each chain of `component` that lives in a single eye space, and for all chains outside
    /// `component`.
    fn living_alone(&mut self, board: &Board, map: &ChainMap, component: &[usize]) -> Vec<bool> {
        let mut living: Vec<bool> = (0..map.chains.len()).map(|chain| !component.contains(&chain)).collect();
        for region in map.regions.iter().filter(|region| EYE_SPACES.contains(&region.points.len())) {
            let is_beside = region.borders.iter().any(|(chain, _)| component.contains(chain));
            if is_beside && self.is_living_space(board, map, region) {
                region.borders.iter().for_each(|&(chain, _)| living[chain] = true);
            }
        }
        living
    }

    /// Returns true if one player's chains alone surround a region, and the opponent, moving first, captures none of them
    /// although they have no other liberties.
    fn is_living_space(&mut self, board: &Board, map: &ChainMap, region: &EmptyRegion) -> bool {
        let Some(owner) = region.owner(&map.chains) else { return false };
        let stones = region.borders.iter().flat_map(|&(chain, _)| &map.chains[chain].stones);
        let points: Vec<Point> = region.points.iter().chain(stones).copied().collect();
        let Some(problem) = LocalProblem::new(board, &points) else { return false };
        let counted = problem.stones[0] | problem.stones[1];
        let attacker = problem.local(owner.other());
        let at_least = 1 - counted.count_ones() as i32;
        let goal = Goal { player: attacker, counted, at_least, owned: 0 };
        let limit = self.positions_left.min(MAX_EYE_SPACE_POSITIONS);
        let mut search = LocalSearch::new(&problem.area, limit);
        let start = LocalPosition::new(problem.stones, attacker);
        let can_capture = search.can_force(u32::MAX, &start, &goal);
        self.positions_left -= limit - search.positions_left();
        can_capture == Some(false)
    }

    /// Searches the area of some chains, given by their numbers on `board`; `None` if it is too large or the search does not
    /// decide it.
    fn search(
        &mut self,
        board: &Board,
        map: &ChainMap,
        component: &[usize],
        numbers: &[usize],
    ) -> Option<SearchedArea> {
        let (problem, groups) = local_problem(board, map, component)?;
        let may_be_lost: Vec<bool> =
            component.iter().map(|&chain| self.lost_share[numbers[chain]] >= MIN_SHARE_CAPTURED).collect();
        let captured = self.captured_groups(&problem, &groups, &may_be_lost);
        let stakes = LocalStakes { stones: problem.stones, groups: &groups, captured: &captured };
        // Each player's search has its own budget: in a seki of three groups the first would use up both.
        let empty = problem.area.all & !(problem.stones[0] | problem.stones[1]);
        let is_large = empty.count_ones() > MAX_EMPTY_OF_SMALL;
        let limit = if is_large { MAX_LARGE_AREA_POSITIONS } else { MAX_AREA_POSITIONS };
        let limit = self.positions_left.min(limit) / 2;
        let outcomes = self
            .outcomes(&problem, limit, |search, first| stakes.outcome(search, first))
            .or_else(|| self.forced_outcomes(&problem, &stakes))?;
        Some(SearchedArea {
            chains: component.iter().map(|&chain| numbers[chain]).collect(),
            problem,
            groups,
            captured,
            outcomes,
        })
    }

    /// Returns true if the first move matters in an area with the stones in it that were removed as dead: such a stone
    /// can leave a chain in atari.
    fn is_unsettled_with_removed(&mut self, area: &SearchedArea, removed: &[bool]) -> bool {
        let map = ChainMap::of(self.board);
        let is_inside = |&number: &usize| {
            removed[number] && map.chains[number].stones.iter().all(|&stone| area.problem.contains(stone))
        };
        let inside: Vec<usize> = (0..removed.len()).filter(is_inside).collect();
        if inside.is_empty() {
            return false;
        }
        let number_at = self.number_at;
        let board = self.board.keeping(|point| {
            let number = number_at[point.index()];
            removed.get(number) == Some(&false) || inside.contains(&number)
        });
        let map = ChainMap::of(&board);
        let numbers = self.numbers_of(&map);
        let is_member = |number: &usize| area.chains.contains(number) || inside.contains(number);
        let component: Vec<usize> = (0..numbers.len()).filter(|&chain| is_member(&numbers[chain])).collect();
        self.search(&board, &map, &component, &numbers).is_some_and(|found| found.swing() > 0)
    }

    /// Returns the outcomes of a small area in which one of the players can force a gain whoever moves first.
    fn forced_outcomes(
        &mut self,
        problem: &LocalProblem,
        stakes: &LocalStakes<'_>,
    ) -> Option<[LocalOutcome; 2]> {
        let stones = problem.stones[0] | problem.stones[1];
        if (problem.area.all & !stones).count_ones() as usize > MAX_EMPTY_OF_GAIN {
            return None;
        }
        self.outcomes(problem, MAX_GAIN_POSITIONS, |search, first| stakes.forced_outcome(search, first))
    }

    /// Returns the outcomes of a local game if Black moves first and if White moves first, by searches of at most `limit`
    /// positions each.
    fn outcomes(
        &mut self,
        problem: &LocalProblem,
        limit: u32,
        outcome: impl Fn(&mut LocalSearch<'_>, Player) -> Option<LocalOutcome>,
    ) -> Option<[LocalOutcome; 2]> {
        let [black_first, white_first] = Player::BOTH.map(|first| {
            let limit = limit.min(self.positions_left);
            let mut search = LocalSearch::new(&problem.area, limit);
            let outcome = outcome(&mut search, problem.local(first));
            self.positions_left -= limit - search.positions_left();
            outcome
        });
        Some([black_first?, white_first?])
    }

    /// Returns the moves of `player` in an area that gain what the outcome with `player` to move first gives.
    fn first_move(&mut self, area: &SearchedArea, player: Player) -> FirstMove {
        let SearchedArea { problem, groups, captured, outcomes, .. } = area;
        let stakes = LocalStakes { stones: problem.stones, groups, captured };
        let limit = self.positions_left.min(MAX_AREA_POSITIONS);
        let mut search = LocalSearch::new(&problem.area, limit);
        let moves = stakes.gaining_moves(&mut search, problem.local(player), &outcomes[player.index()]);
        self.positions_left -= limit - search.positions_left();
        FirstMove { player, points: moves.into_iter().map(|number| problem.point(number)).collect() }
    }
}

/// Writes the results of searches to `results`. In areas where the first move matters the players alternate, beginning with
/// `first`, in the area with the largest difference. Returns the first player of each area, `None` where the first
/// move does not matter.
fn decide(
    mut first: Player,
    searched: &mut [SearchedArea],
    results: &mut [StatusResult],
) -> Vec<Option<Player>> {
    searched.sort_by_key(|area| std::cmp::Reverse(area.swing()));
    let mut first_players = Vec::with_capacity(searched.len());
    for area in searched.iter() {
        let outcome = &area.outcomes[first.index()];
        let is_settled = area.outcomes[0] == area.outcomes[1];
        first_players.push((!is_settled).then_some(first));
        if !is_settled {
            first = first.other();
        }
        for (&number, &is_lost) in area.chains.iter().zip(&outcome.is_lost) {
            let status = if is_lost { ChainStatus::Dead } else { ChainStatus::Alive };
            results[number] = StatusResult { status, is_settled };
        }
        mark_seki(area, outcome, results);
    }
    first_players
}

/// Returns the local game of some chains, given by their numbers on `board`, and the chains in it; `None` if it is too large.
fn local_problem(
    board: &Board,
    map: &ChainMap,
    component: &[usize],
) -> Option<(LocalProblem, Vec<LocalGroup>)> {
    let touches = |region: &&EmptyRegion| region.borders.iter().any(|(chain, _)| component.contains(chain));
    let empty: Vec<Point> =
        map.regions.iter().filter(touches).flat_map(|region| region.points.iter().copied()).collect();
    if empty.len() > MAX_EMPTY {
        return None;
    }
    let mut points = empty;
    component.iter().for_each(|&chain| points.extend(&map.chains[chain].stones));
    let problem = LocalProblem::new(board, &points)?;
    let group = |&chain: &usize| LocalGroup {
        player: problem.local(map.chains[chain].player),
        stones: problem.set_of(|point| map.chains[chain].stones.contains(&point)),
    };
    let groups = component.iter().map(group).collect();
    Some((problem, groups))
}

/// Marks the chains of an area that live in seki.
fn mark_seki(area: &SearchedArea, outcome: &LocalOutcome, results: &mut [StatusResult]) {
    for (&number, in_seki) in area.chains.iter().zip(area.chains_in_seki(outcome)) {
        if in_seki {
            results[number].status = ChainStatus::Seki;
        }
    }
}
