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
/// Only points that have a stone now count: neutral points and the last points of territory change the status of no chain.
/// If neither player can force more than the board shows, everything stays as it is, including a ko that goes in circles.
/// Otherwise the gaining player takes the largest gain, and a chain of the opponent is lost if that gain can be forced
/// together with all points of the chain.
pub(super) fn outcome(
    search: &mut LocalSearch<'_>,
    stones: [PointSet; 2],
    groups: &[LocalGroup],
    first: Player,
) -> Option<LocalOutcome> {
    let start = LocalPosition::new(stones, first);
    let counted = stones[0] | stones[1];
    let now = stones[0].count_ones() as i32 - stones[1].count_ones() as i32;
    for player in Player::BOTH {
        let sign = if player == Player::Black { 1 } else { -1 };
        let goal = |difference: i32| Goal { player, counted, at_least: sign * now + difference, owned: 0 };
        if !search.can_force(&start, &goal(1))? {
            continue;
        }
        // Each lost enemy stone counts twice.
        let (mut forced, mut refuted) = (1, 2 * stones[player.other().index()].count_ones() as i32 + 1);
        while refuted - forced > 1 {
            let middle = (forced + refuted).div_euclid(2);
            if search.can_force(&start, &goal(middle))? { forced = middle } else { refuted = middle }
        }
        let best = goal(forced);
        let mut is_lost = Vec::new();
        for group in groups {
            let with_points = Goal { owned: group.stones, ..best };
            is_lost.push(search.can_force(&start, &with_points)? != (group.player == player));
        }
        return Some(LocalOutcome { value: now + sign * forced, is_lost });
    }
    Some(LocalOutcome { value: now, is_lost: vec![false; groups.len()] })
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
