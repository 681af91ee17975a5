//! The points that a pass costs in a decided game, where the win rate says little about moves.

use super::Engine;
use super::after_pass::{Prospects, SecondSearch, error_factor, lead_of, max_point_loss};
use crate::base::game::Player;
use crate::go::Size;
use crate::search::Report;

/// Minimum points that a pass must cost for a player to play on in a decided game. With a minimum of three points, losers
/// played in own territory (`tools/experiments/decisions.md`).
const MIN_COST: f64 = 6.0;
/// Visits of a pass below which its score may differ by more points, in proportion to the standard error.
const COMPARED_PASS_VISITS: f64 = 16.0;

impl Engine {
    /// Returns true if two searches after a pass find that it costs [too many points](max_cost). They may exceed the
    /// limit of time by the share that other decisions keep for them, as far as a clock allows: the game is as good as lost.
    /// Without a second search, the search of `report` decides.
    pub(super) fn pass_costs_points(
        &mut self,
        player: Player,
        report: &Report,
        second: Option<SecondSearch>,
    ) -> bool {
        let size = self.position().size();
        let second = second.map(SecondSearch::with_more_time);
        let mut costs = || {
            let after = self.search_after_pass(player, report, second)?;
            Some(costs_points(player, report, after, size))
        };
        // The second search goes on from the first.
        match costs() {
            Some(costs_points) => costs_points && costs() != Some(false),
            None => reported_pass_costs_points(player, report, size),
        }
    }
}

/// Returns true if a pass costs [too many points](max_cost), by the prospects after it, compared with the moves of a report.
pub(super) fn costs_points(player: Player, report: &Report, after: Prospects, size: Size) -> bool {
    let leads = lead_of_moves(player, report, size).zip(after.lead);
    leads.is_some_and(|(lead, after)| lead - after > max_cost(size) * error_factor(report.root.visits))
}

/// Returns true if a pass costs points by its visits in a report.
pub(super) fn reported_pass_costs_points(player: Player, report: &Report, size: Size) -> bool {
    let pass = report.moves.iter().find(|it| it.mv == size.pass());
    let Some((pass, lead)) = pass.zip(lead_of_moves(player, report, size)) else { return false };
    let error = (COMPARED_PASS_VISITS / pass.visits.max(1) as f64).sqrt().max(1.0);
    lead_of(player, pass.black_score).is_some_and(|passed| lead - passed > max_cost(size) * error)
}

/// Returns the points that a pass may cost in a decided game.
fn max_cost(size: Size) -> f64 {
    max_point_loss(size).max(MIN_COST)
}

/// Returns the mean expected lead of `player` after the moves other than a pass, by their visits, in points before komi.
fn lead_of_moves(player: Player, report: &Report, size: Size) -> Option<f64> {
    let moves = report.moves.iter().filter(|it| it.mv != size.pass());
    let weighted = moves.filter_map(|it| Some((it.visits as f64, lead_of(player, it.black_score)?)));
    let (visits, sum) =
        weighted.fold((0.0, 0.0), |(all, sum), (visits, lead)| (all + visits, sum + visits * lead));
    (visits > 0.0).then_some(sum / visits)
}
