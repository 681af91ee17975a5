//! Results of the server, each one line of JSON.

use super::defaults::Perspective;
use super::query::PositionRequest;
use crate::base::game::{Game, Player};
use crate::engine::LineOwnership;
use crate::go::Position;
use crate::search::{MoveReport, Report};
use serde_json::{Value, json};
use std::time::Duration;

/// Returns the warning for a position in which the query allows no legal move.
pub(super) fn nothing_allowed(request: &PositionRequest) -> Value {
    json!({
        "warning": "none of the allowed moves is legal: all moves are searched, and the list of moves is empty; allow at least one legal move",
        "field": request.query.restricting_key(),
        "id": request.query.id,
        "turnNumber": request.turn,
    })
}

/// Returns the answer for a position that was terminated before its search began.
pub(super) fn no_results(request: &PositionRequest) -> Value {
    json!({"id": request.query.id, "turnNumber": request.turn, "isDuringSearch": false, "noResults": true})
}

/// Parts of a result besides the report of the search.
pub(super) struct ResultParts<'e> {
    /// Probabilities of all moves, if requested and a network is loaded.
    pub(super) policy: Option<&'e [f64]>,
    pub(super) ownership: &'e mut LineOwnership,
    /// Time to wait for an evaluator in another process that is asked for ownership.
    pub(super) wait: Duration,
    /// True if the query allows no legal move: the list of moves is empty.
    pub(super) has_no_move: bool,
}

/// Returns the result of a search, intermediate or final.
pub(super) fn result(
    request: &PositionRequest,
    position: &Position,
    report: &Report,
    parts: ResultParts<'_>,
    is_during_search: bool,
) -> Value {
    let ResultParts { policy, ownership, wait, has_no_move } = parts;
    let view = PerspectiveReport { request, position, report };
    let shown = if has_no_move { &[][..] } else { &report.moves[..] };
    if request.query.needs_ownership() {
        let moves_with_ownership = if request.query.has_moves_ownership { shown } else { &[] };
        ownership.begin_report(moves_with_ownership, wait);
    }
    let moves = shown.iter().enumerate().map(|(order, mv)| {
        let mut info = view.move_info(order, mv, selection_value(&report.moves[order..]));
        if request.query.has_moves_ownership {
            info["ownership"] = view.ownership(&ownership.after(mv));
        }
        info
    });
    let mut object = json!({
        "id": request.query.id,
        "turnNumber": request.turn,
        "isDuringSearch": is_during_search,
        "moveInfos": moves.collect::<Vec<_>>(),
        "rootInfo": view.root_info(),
    });
    if request.query.has_ownership {
        object["ownership"] = view.ownership(&ownership.of_root(report));
    }
    if let Some(policy) = policy {
        object["policy"] = view.policy(policy);
    }
    object
}

/// Returns `playSelectionValue` of the first of `moves`. It never rises from a move to the next, so that clients that
/// sort by it keep the engine's order, which is not always that of visits.
fn selection_value(moves: &[MoveReport]) -> u64 {
    moves.iter().map(|mv| mv.edge_visits).max().unwrap_or(0)
}

/// A report from the query's perspective.
struct PerspectiveReport<'r> {
    request: &'r PositionRequest,
    position: &'r Position,
    report: &'r Report,
}

impl PerspectiveReport<'_> {
    /// Returns true if the perspective is that of the opponent of the player to move.
    fn is_inverted(&self) -> bool {
        let to_play = self.position.to_play();
        match self.request.query.perspective {
            Perspective::SideToMove => false,
            Perspective::Of(player) => player != to_play,
        }
    }

    fn value(&self, value: f64) -> f64 {
        if self.is_inverted() { 1.0 - value } else { value }
    }

    /// Converts a signed quantity from Black's view to the perspective.
    fn signed(&self, for_black: f64) -> f64 {
        let is_black = (self.position.to_play() == Player::Black) != self.is_inverted();
        if is_black { for_black } else { -for_black }
    }

    /// Returns the lead in points, komi included, and the standard deviation of the final score; `None` without a
    /// score.
    fn lead(&self, score: Option<(f64, f64)>) -> (Option<f64>, Option<f64>) {
        let lead = score.map(|(mean, _)| self.signed(mean - self.position.score_komi().points()));
        (lead, score.map(|(_, deviation)| deviation))
    }

    fn move_info(&self, order: usize, mv: &MoveReport, selection_value: u64) -> Value {
        let size = self.position.size();
        let winrate = self.value(mv.value.as_f64());
        let (lead, deviation) = self.lead(self.report.score_after(mv));
        let bound = self.value(mv.lower_bound());
        let length = mv.pv.len().min(self.request.query.pv_length);
        let pv: Vec<String> = mv.pv[..length].iter().map(|&mv| size.vertex(mv)).collect();
        let mut object = json!({
            "move": size.vertex(mv.mv),
            "order": order,
            "visits": mv.visits.max(mv.edge_visits),
            "edgeVisits": mv.edge_visits,
            "winrate": winrate,
            "lcb": bound,
            "utility": 2.0 * winrate - 1.0,
            "utilityLcb": 2.0 * bound - 1.0,
            "scoreLead": lead,
            "scoreMean": lead,
            "scoreSelfplay": lead,
            "scoreStdev": deviation,
            "prior": mv.prior,
            "playSelectionValue": selection_value,
            "weight": mv.edge_visits,
            "pv": pv,
        });
        if self.request.query.has_pv_visits {
            object["pvVisits"] = mv.pv_visits[..length].into();
            object["pvEdgeVisits"] = mv.pv_edge_visits[..length].into();
        }
        object
    }

    fn root_info(&self) -> Value {
        let root = &self.report.root;
        let winrate = self.value(root.value.as_f64());
        let (lead, deviation) = self.lead(root.score());
        json!({
            "currentPlayer": if root.to_play == Player::Black { "B" } else { "W" },
            "visits": root.visits,
            "winrate": winrate,
            "utility": 2.0 * winrate - 1.0,
            "scoreLead": lead,
            "scoreSelfplay": lead,
            "scoreStdev": deviation,
            "thisHash": format!("{:016X}", self.position.key()),
            "proven": root.proven.is_some(),
        })
    }

    /// Converts an ownership for Black, by move number, to rows from the top left in the query's perspective.
    fn ownership(&self, for_black: &[f64]) -> Value {
        let points = self.position.size().points_from_top_left();
        let means = points.map(|point| self.signed(for_black[point.index()]));
        // Evaluators are less precise than three digits.
        means.map(|mean| (1000.0 * mean).round() / 1000.0).collect()
    }

    /// Returns probabilities by points from the top left, then pass; -1 for an illegal move.
    fn policy(&self, policy: &[f64]) -> Value {
        let position = self.position;
        let probability = |mv| {
            let is_legal = position.is_legal_ignoring_history(mv) && !position.is_banned(mv);
            if is_legal { policy[mv.index()] } else { -1.0 }
        };
        let size = position.size();
        size.points_from_top_left().chain([size.pass()]).map(probability).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_values_never_rise_from_a_move_to_the_next() {
        let moves = [400, 900, 80, 90, 0].map(|visits| MoveReport::visited(7, 0.5, visits));
        let values: Vec<u64> = (0..moves.len()).map(|order| selection_value(&moves[order..])).collect();
        assert_eq!(values, [900, 900, 90, 90, 0]);
    }
}
