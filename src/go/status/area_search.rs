//! Searches of areas: of the chains of a component, of one eye space, and of the moves that gain in an area.

use super::chain_map::{ChainMap, EmptyRegion};
use super::local_game::LocalPosition;
use super::local_outcome::{self, LocalGroup, LocalOutcome, LocalStakes};
use super::local_problem::LocalProblem;
use super::local_search::{Goal, LocalSearch};
use super::searched_area::SearchedArea;
use crate::base::game::Player;
use crate::go::board::{Board, cell};
use crate::go::geometry::Point;

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
/// larger ones [live in any case](super::safe_chains).
const EYE_SPACES: std::ops::RangeInclusive<usize> = 4..=6;

/// Largest number of positions that the search of one eye space visits.
const MAX_EYE_SPACE_POSITIONS: u32 = 5_000;

/// Minimum share of playouts that lose a chain for a search of its capture alone.
const MIN_SHARE_CAPTURED: f64 = 0.3;

/// Largest numbers of positions that the search of one capture visits, and those of one board.
const MAX_CAPTURE_POSITIONS: u32 = 12_000;
const MAX_BOARD_CAPTURE_POSITIONS: u32 = 80_000;

/// The board of a round, without the chains removed as dead.
pub(super) struct RoundBoard {
    pub(super) board: Board,
    pub(super) map: ChainMap,
    /// Number on the whole board of each chain.
    pub(super) numbers: Vec<usize>,
    /// True for each chain that is safe without a search.
    pub(super) safe: Vec<bool>,
}

/// Searches of the areas of one board with a common budget.
pub(super) struct AreaSearch<'a> {
    /// Share of playouts that lose each chain, by number on the whole board.
    lost_share: &'a [f64],
    to_play: Player,
    /// The point that a ko forbids to the player to move, if there is one.
    ko: Point,
    positions_left: u32,
    /// Positions left for searches of captures.
    pub(super) capture_positions_left: u32,
}

impl<'a> AreaSearch<'a> {
    /// Creates the search of a board with the share of playouts that lose each of its chains.
    pub(super) fn new(board: &Board, to_play: Player, lost_share: &'a [f64]) -> AreaSearch<'a> {
        AreaSearch {
            lost_share,
            to_play,
            ko: board.ko(),
            positions_left: MAX_BOARD_POSITIONS,
            capture_positions_left: MAX_BOARD_CAPTURE_POSITIONS,
        }
    }

    /// Returns the share of playouts that lose a chain of a round.
    pub(super) fn share_lost(&self, round: &RoundBoard, chain: usize) -> f64 {
        self.lost_share[round.numbers[chain]]
    }

    /// Returns true if the budget of captures has room for another search.
    pub(super) fn can_search_captures(&self) -> bool {
        self.capture_positions_left >= MAX_CAPTURE_POSITIONS
    }

    /// Returns true if the budget is used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.positions_left == 0
    }

    /// Returns true if the stones around the point of the ko are on the board of a round.
    fn has_ko(&self, board: &Board) -> bool {
        self.ko != Point::NONE
            && board.neighbours4(self.ko).iter().all(|&beside| board.cell(beside) != cell::EMPTY)
    }

    /// Returns true for each chain of `component` that lives in a single eye space, and for all chains outside
    /// `component`.
    pub(super) fn living_alone(&mut self, round: &RoundBoard, component: &[usize]) -> Vec<bool> {
        let (board, map) = (&round.board, &round.map);
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

    /// Searches the area of some chains of a round, visiting at most `max_positions`; `None` if it is too large or the
    /// search does not decide it.
    pub(super) fn search(
        &mut self,
        round: &RoundBoard,
        component: &[usize],
        max_positions: u32,
    ) -> Option<SearchedArea> {
        let (mut problem, groups) = local_problem(&round.board, &round.map, component)?;
        if self.has_ko(&round.board) {
            problem.set_ko(self.to_play, self.ko);
        }
        let may_be_lost: Vec<bool> =
            component.iter().map(|&chain| self.share_lost(round, chain) >= MIN_SHARE_CAPTURED).collect();
        let captured = self.captured_groups(&problem, &groups, &may_be_lost, max_positions);
        let stakes = LocalStakes { problem: &problem, groups: &groups, captured: &captured };
        // Each player's search has its own budget: in a seki of three groups the first would use up both.
        let empty = problem.area.all & !(problem.stones[0] | problem.stones[1]);
        let is_large = empty.count_ones() > MAX_EMPTY_OF_SMALL;
        let limit = if is_large { MAX_LARGE_AREA_POSITIONS } else { MAX_AREA_POSITIONS };
        let limit = self.positions_left.min(limit).min(max_positions) / 2;
        let outcomes = self
            .outcomes(&problem, limit, |search, first| stakes.outcome(search, first))
            .or_else(|| self.forced_outcomes(&problem, &stakes, max_positions))?;
        let chains = component.iter().map(|&chain| round.numbers[chain]).collect();
        Some(SearchedArea { chains, problem, groups, captured, outcomes })
    }

    /// Returns true for each group that may be lost and that the opponent [captures in any case](local_outcome::is_captured)
    /// without losing a chain beside it.
    fn captured_groups(
        &mut self,
        problem: &LocalProblem,
        groups: &[LocalGroup],
        may_be_lost: &[bool],
        max_positions: u32,
    ) -> Vec<bool> {
        let mut captured = vec![false; groups.len()];
        for (index, group) in groups.iter().enumerate().filter(|(index, _)| may_be_lost[*index]) {
            let beside = problem.area.beside(group.stones);
            let captors =
                groups.iter().filter(|other| other.player != group.player && other.stones & beside != 0);
            let kept = captors.fold(0, |set, captor| set | captor.stones);
            let limit = self.capture_positions_left.min(MAX_CAPTURE_POSITIONS).min(max_positions);
            let mut search = LocalSearch::new(&problem.area, limit);
            captured[index] = local_outcome::is_captured(&mut search, problem, *group, kept);
            self.capture_positions_left -= limit - search.positions_left();
        }
        captured
    }

    /// Returns the outcomes of a small area in which one of the players can force a gain whoever moves first.
    fn forced_outcomes(
        &mut self,
        problem: &LocalProblem,
        stakes: &LocalStakes<'_>,
        max_positions: u32,
    ) -> Option<[LocalOutcome; 2]> {
        let stones = problem.stones[0] | problem.stones[1];
        if (problem.area.all & !stones).count_ones() as usize > MAX_EMPTY_OF_GAIN {
            return None;
        }
        let limit = MAX_GAIN_POSITIONS.min(max_positions / 2);
        self.outcomes(problem, limit, |search, first| stakes.forced_outcome(search, first))
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

    /// Returns the moves of `player` in an area, as local numbers, that gain what the outcome with `player` to move first
    /// gives.
    pub(super) fn gaining_moves(&mut self, area: &SearchedArea, player: Player) -> Vec<usize> {
        let SearchedArea { problem, groups, captured, outcomes, .. } = area;
        let stakes = LocalStakes { problem, groups, captured };
        let limit = self.positions_left.min(MAX_AREA_POSITIONS);
        let mut search = LocalSearch::new(&problem.area, limit);
        let moves = stakes.gaining_moves(&mut search, problem.local(player), &outcomes[player.index()]);
        self.positions_left -= limit - search.positions_left();
        moves
    }
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
