//! The outcomes for the chains of a local game when each side moves first.

use super::local_game::{LocalArea, LocalPosition, PointSet};
use super::local_search::{Goal, LocalSearch};
use crate::base::game::Player;

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

/// Returns the outcome if `first` moves first; `None` if the search does not decide it.
///
/// Only points that have a stone now count: neutral points and the last points of territory change the status of no chain. The
/// groups in `captured` are lost and do not count: dead stones of both players in one area would hide each other, since who takes
/// some loses others.
/// If neither player can force more than the board shows, everything stays as it is, including a ko that goes in circles.
/// Otherwise the gaining player takes the largest gain, and a chain of the opponent is lost if that gain can be forced
/// together with all points of the chain.
pub(super) fn outcome(
    search: &mut LocalSearch<'_>,
    stones: [PointSet; 2],
    groups: &[LocalGroup],
    captured: &[bool],
    first: Player,
) -> Option<LocalOutcome> {
    let start = LocalPosition::new(stones, first);
    let is_captured = groups.iter().zip(captured).filter(|(_, is_captured)| **is_captured);
    let not_counted = is_captured.fold(0, |set: PointSet, (group, _)| set | group.stones);
    let counted_of = |player: Player| stones[player.index()] & !not_counted;
    let counted = counted_of(Player::Black) | counted_of(Player::White);
    let now = counted_of(Player::Black).count_ones() as i32 - counted_of(Player::White).count_ones() as i32;
    for player in Player::BOTH {
        let sign = if player == Player::Black { 1 } else { -1 };
        let goal = |difference: i32| Goal { player, counted, at_least: sign * now + difference, owned: 0 };
        if !search.can_force(&start, &goal(1))? {
            continue;
        }
        // Each lost enemy stone counts twice.
        let (mut forced, mut refuted) = (1, 2 * counted_of(player.other()).count_ones() as i32 + 1);
        while refuted - forced > 1 {
            let middle = (forced + refuted).div_euclid(2);
            if search.can_force(&start, &goal(middle))? { forced = middle } else { refuted = middle }
        }
        let best = goal(forced);
        let mut is_lost = Vec::new();
        for (group, &is_captured) in groups.iter().zip(captured) {
            let with_points = Goal { owned: group.stones, ..best };
            is_lost.push(is_captured || search.can_force(&start, &with_points)? != (group.player == player));
        }
        return Some(LocalOutcome { value: now + sign * forced, is_lost });
    }
    Some(LocalOutcome { value: now, is_lost: captured.to_vec() })
}

/// Returns true if the opponent can capture `group` although its owner moves first, and owns the stones in `kept` afterwards. Returns
/// false if the search does not decide it.
pub(super) fn is_captured(
    search: &mut LocalSearch<'_>,
    stones: [PointSet; 2],
    group: LocalGroup,
    kept: PointSet,
) -> bool {
    let at_least = group.stones.count_ones() as i32;
    let goal = Goal { player: group.player.other(), counted: group.stones, at_least, owned: kept };
    search.can_force(&LocalPosition::new(stones, group.player), &goal) == Some(true)
}

/// Returns true if `group` lives in seki: it would be captured if the opponent's chains `enemies` could not be. Returns
/// `None` if the search does not decide it.
pub(super) fn lives_in_seki(
    area: &LocalArea,
    limit: u32,
    stones: [PointSet; 2],
    group: LocalGroup,
    enemies: PointSet,
) -> Option<bool> {
    let opponent = group.player.other();
    let mut state = LocalPosition::new(stones, opponent);
    state.safe[opponent.index()] = enemies;
    let at_least = 1 - group.stones.count_ones() as i32;
    let goal = Goal { player: opponent, counted: group.stones, at_least, owned: 0 };
    LocalSearch::new(area, limit).can_force(&state, &goal)
}

#[cfg(test)]
mod tests {
    use super::super::chain_map::ChainMap;
    use super::super::local_problem::LocalProblem;
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
                is_captured(&mut LocalSearch::new(&problem.area, LIMIT), problem.stones, *group, kept)
            })
            .collect();
        assert_eq!(captured, groups.iter().map(is_small).collect::<Vec<_>>());
        for first in Player::BOTH {
            let lost_with = |captured: &[bool]| {
                let mut search = LocalSearch::new(&problem.area, LIMIT);
                outcome(&mut search, problem.stones, &groups, captured, first).unwrap().is_lost
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
