//! The result of the search of one area: the outcomes for its chains, and sekis.

use super::local_game::{self, PointSet};
use super::local_outcome::{self, LocalGroup, LocalOutcome};
use super::local_problem::LocalProblem;
use crate::base::game::Player;

/// Largest number of positions that the search of one seki visits.
const MAX_SEKI_POSITIONS: u32 = 30_000;

/// The result of the search of one area.
pub(super) struct SearchedArea {
    /// Its chains, by number on the whole board.
    pub(super) chains: Vec<usize>,
    pub(super) problem: LocalProblem,
    pub(super) groups: Vec<LocalGroup>,
    /// True for each group that is captured whoever moves first.
    pub(super) captured: Vec<bool>,
    /// The outcomes for the chains if Black moves first and if White moves first.
    pub(super) outcomes: [LocalOutcome; 2],
}

impl SearchedArea {
    /// Returns the difference that the first move makes.
    pub(super) fn swing(&self) -> u32 {
        self.outcomes[0].value.abs_diff(self.outcomes[1].value)
    }

    /// Returns true if the first move does not matter.
    pub(super) fn is_settled(&self) -> bool {
        self.outcomes[0] == self.outcomes[1]
    }

    /// Returns true if a chain, given by its number on the whole board, lives in seki whoever moves first.
    pub(super) fn settles_seki_of(&self, number: usize) -> bool {
        let in_seki = || self.chains_in_seki(&self.outcomes[0], None);
        self.is_settled() && self.chains.iter().zip(in_seki()).any(|it| it == (&number, true))
    }

    /// Returns true for each chain that lives in seki with a chain of the other player once `first_move`, a player and a local
    /// number, is played.
    pub(super) fn chains_in_seki(
        &self,
        outcome: &LocalOutcome,
        first_move: Option<(Player, usize)>,
    ) -> Vec<bool> {
        let kept = |player: Player| {
            let groups = self.groups.iter().zip(&outcome.is_lost);
            groups
                .filter(|(group, is_lost)| group.player == player && !**is_lost)
                .fold(0, |set: PointSet, (group, _)| set | group.stones)
        };
        let mut stones = Player::BOTH.map(kept);
        if let Some((player, at)) = first_move {
            stones[self.problem.local(player).index()] |= local_game::single(at);
        }
        if stones.contains(&0) {
            return vec![false; self.groups.len()];
        }
        let in_seki = |(group, &is_lost): (&LocalGroup, &bool)| {
            let (area, enemies) = (&self.problem.area, stones[group.player.other().index()]);
            !is_lost && local_outcome::lives_in_seki(area, MAX_SEKI_POSITIONS, stones, *group, enemies)
        };
        let found: Vec<bool> = self.groups.iter().zip(&outcome.is_lost).map(in_seki).collect();
        let players = self.groups.iter().zip(&found).filter(|(_, in_seki)| **in_seki);
        let has = |player: Player| players.clone().any(|(group, _)| group.player == player);
        if Player::BOTH.into_iter().all(has) { found } else { vec![false; found.len()] }
    }
}
