//! Moves into own territory at the end of a game under territory scoring, where each costs a point.
//!
//! A search that finds several moves about equally good does not avoid them. A [search after a pass](super::after_pass) shows
//! whether the move is needed.

use super::Engine;
use super::after_pass::{SecondSearch, is_counted, max_point_loss, without_kept_time};
use super::ending::opening_moves;
use crate::base::game::{Move, Player};
use crate::go::Scoring;
use crate::go::status::DeadStones;
use crate::search::{Limits, Report};

/// Minimum ownership by the mover, `-1..=1`, for a point to be own territory.
const MIN_OWNERSHIP: f64 = 0.8;
/// Maximum win rate that a pass may cost, within the error of 400 visits.
const MAX_WIN_RATE_LOSS: f64 = 0.03;

/// Minimum share of the points that have an owner for time to be kept.
const MIN_OWNED_SHARE: f64 = 2.0 / 3.0;
/// Minimum share of the points that have a stone for time to be kept.
const MIN_STONE_SHARE: f64 = 1.0 / 3.0;

impl Engine {
    /// Returns the limits of a search that may choose a move in own territory: some time is kept if such a move would
    /// cost a point, and most points have an owner by the network. An evaluator in another process is not asked: its
    /// answer takes time itself.
    pub(super) fn limits_before_own_territory(&self, player: Player, limits: Limits) -> Limits {
        let is_slow = self.options.external.is_some();
        if is_counted(limits) || is_slow || !self.may_fill_territory(player) || !self.has_owned_points(player)
        {
            return limits;
        }
        without_kept_time(limits)
    }

    /// Returns true if a move in own territory costs a point and a pass does not end the game.
    fn may_fill_territory(&self, player: Player) -> bool {
        self.position().rules().scoring == Scoring::Territory
            && self.dead_stones() == DeadStones::Agreement
            // With handicap stones alone, all of the board may look like territory.
            && self.record().move_count() >= opening_moves(self.position().size())
            && !self.has_passed(player.other())
    }

    /// Returns true if most points have an owner.
    fn has_owned_points(&self, player: Player) -> bool {
        let position = self.position();
        let points = position.size().points() as f64;
        let owned = |owners: Vec<f64>| owners.iter().filter(|owner| owner.abs() >= MIN_OWNERSHIP).count();
        position.board().stone_count() as f64 >= MIN_STONE_SHARE * points
            && self
                .evaluated_ownership(&self.root_for(player))
                .is_some_and(|owners| owned(owners) as f64 >= MIN_OWNED_SHARE * points)
    }

    /// Returns true if `mv`, chosen by the search of `report`, is in own territory and not needed: under territory
    /// scoring, the point is the player's by the network and by the count, and a search after a pass that does not end
    /// the game finds it no worse.
    pub(super) fn is_pass_as_good(
        &mut self,
        player: Player,
        (mv, report): (Move, &Report),
        second: Option<SecondSearch>,
    ) -> bool {
        let size = self.position().size();
        let sign = if player == Player::Black { 1.0 } else { -1.0 };
        if mv == size.pass()
            || !self.may_fill_territory(player)
            || sign * self.known_ownership(&self.root_for(player), report).mean_for_black(mv) < MIN_OWNERSHIP
        {
            return false;
        }
        // A point beside dead stones and a living one has no owner by the count: there a move is needed.
        if self.statuses_after_pass(self.position(), player).owners().get(mv.index()) != Some(&Some(player)) {
            return false;
        }
        let Some(played) = report.moves.iter().find(|it| it.mv == mv && it.proven.is_none()) else {
            return false;
        };
        let Some(passed) = self.search_after_pass(player, report, second) else { return false };
        let lead = played.black_score.map(|score| sign * score);
        let point_loss = lead.zip(passed.lead).map_or(0.0, |(lead, passed)| lead - passed);
        played.value.as_f64() - passed.win_rate <= MAX_WIN_RATE_LOSS && point_loss <= max_point_loss(size)
    }
}
