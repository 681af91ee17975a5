//! The points that a pass costs in a lost game, where the win rate says little about moves.

use super::Engine;
use super::after_pass::{SecondSearch, max_point_loss};
use crate::base::game::Player;
use crate::go::Size;
use crate::search::{MoveReport, Report};

/// Visits of a pass below which its score may differ by more points, in proportion to the standard error.
const COMPARED_PASS_VISITS: f64 = 16.0;

impl Engine {
    /// Returns true if a pass costs points by two searches after it, which may take longer than the limits allow by the share of
    /// time that other decisions keep: the game is lost. Without a second search, the search of `report` decides.
    pub(super) fn pass_costs_points(
        &mut self,
        player: Player,
        report: &Report,
        second: Option<SecondSearch>,
    ) -> bool {
        let size = self.position().size();
        let Some(lead) = best_lead(player, report, size) else { return false };
        let max_loss = max_point_loss(size);
        let second = second.map(SecondSearch::with_more_time);
        let mut costs = || {
            let after = self.search_after_pass(player, report, second)?;
            Some(after.lead.is_some_and(|after| lead - after > max_loss))
        };
        // The second search goes on from the first.
        match costs() {
            Some(costs_points) => costs_points && costs() != Some(false),
            None => reported_pass_costs_points(player, report, size),
        }
    }
}

/// Returns true if a pass costs points by its visits in a report.
pub(super) fn reported_pass_costs_points(player: Player, report: &Report, size: Size) -> bool {
    let pass = report.moves.iter().find(|it| it.mv == size.pass());
    let Some((pass, lead)) = pass.zip(best_lead(player, report, size)) else { return false };
    let error = (COMPARED_PASS_VISITS / pass.visits.max(1) as f64).sqrt().max(1.0);
    lead_of(player, pass).is_some_and(|passed| lead - passed > max_point_loss(size) * error)
}

/// Returns the expected lead of `player` after the most visited move other than a pass, in points before komi.
fn best_lead(player: Player, report: &Report, size: Size) -> Option<f64> {
    let is_move = |it: &&MoveReport| it.mv != size.pass();
    lead_of(player, report.moves.iter().filter(is_move).max_by_key(|it| it.visits)?)
}

fn lead_of(player: Player, report: &MoveReport) -> Option<f64> {
    report.black_score.map(|score| if player == Player::Black { score } else { -score })
}
