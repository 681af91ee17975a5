//! What is answered: results, errors and warnings, a line of JSON each.

use super::Perspective;
use super::query::Job;
use crate::game::{Game, Player};
use crate::go::Position;
use crate::search::{MoveReport, Report};
use serde_json::{Map, Value, json};

/// A query that cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueryError {
    pub(super) message: String,
    /// The part of the query that is wrong.
    pub(super) field: Option<String>,
    pub(super) id: Option<String>,
}

impl QueryError {
    pub(super) fn object(&self) -> Value {
        let mut object = Map::from_iter([("error".to_owned(), self.message.clone().into())]);
        for (key, value) in [("field", &self.field), ("id", &self.id)] {
            if let Some(value) = value {
                object.insert(key.to_owned(), value.clone().into());
            }
        }
        Value::Object(object)
    }
}

/// What is said of a key that means nothing here; the query is answered all the same.
pub(super) fn warning(field: &str, id: &str) -> Value {
    json!({"warning": "this means nothing to this engine and is ignored", "field": field, "id": id})
}

/// A position that nobody wants to know about any more.
pub(super) fn no_results(job: &Job) -> Value {
    json!({"id": job.query.id, "turnNumber": job.turn, "isDuringSearch": false, "noResults": true})
}

/// What a search found, so far or in the end. `policy`: the chances of all moves, where they were asked for and there is a network.
pub(super) fn result(
    job: &Job,
    position: &Position,
    report: &Report,
    policy: Option<&[f64]>,
    is_during_search: bool,
) -> Value {
    let view = View { job, position, report };
    let moves = report.moves.iter().enumerate();
    let moves = moves.map(|(order, mv)| view.move_info(order, mv, most_visits(&report.moves[order..])));
    let mut object = json!({
        "id": job.query.id,
        "turnNumber": job.turn,
        "isDuringSearch": is_during_search,
        "moveInfos": moves.collect::<Vec<_>>(),
        "rootInfo": view.root_info(),
    });
    if job.query.has_ownership {
        object["ownership"] = view.ownership();
    }
    if let Some(policy) = policy {
        object["policy"] = view.policy(policy);
    }
    object
}

/// What `playSelectionValue` is of the first of `moves`: never less than of one behind it, so that clients that sort by it find
/// the engine's order, which is not always that of visits.
fn most_visits(moves: &[MoveReport]) -> u64 {
    moves.iter().map(|mv| mv.edge_visits).max().unwrap_or(0)
}

/// A report as one of the players sees it.
struct View<'r> {
    job: &'r Job,
    position: &'r Position,
    report: &'r Report,
}

impl View<'_> {
    /// Whether values for the player to move have to be turned round.
    fn is_turned(&self) -> bool {
        let to_play = self.position.to_play();
        match self.job.query.perspective {
            Perspective::SideToMove => false,
            Perspective::Of(player) => player != to_play,
        }
    }

    fn value(&self, value: f64) -> f64 {
        if self.is_turned() { 1.0 - value } else { value }
    }

    /// From Black's view to that of the perspective.
    fn signed(&self, for_black: f64) -> f64 {
        let is_black = (self.position.to_play() == Player::Black) != self.is_turned();
        if is_black { for_black } else { -for_black }
    }

    /// Komi included; `None` where no score is known.
    fn lead(&self, black_score: Option<f64>) -> Option<f64> {
        let score = black_score.or(self.report.root.black_score)?;
        Some(self.signed(score - self.position.score_komi().points()))
    }

    fn move_info(&self, order: usize, mv: &MoveReport, selection_value: u64) -> Value {
        let size = self.position.size();
        let (winrate, lead) = (self.value(mv.value.as_f64()), self.lead(mv.black_score));
        let bound = self.value(mv.lower_bound());
        let length = mv.pv.len().min(self.job.query.pv_length);
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
            "prior": mv.prior,
            "playSelectionValue": selection_value,
            "weight": mv.edge_visits,
            "pv": pv,
        });
        if self.job.query.has_pv_visits {
            object["pvVisits"] = mv.pv_visits[..length].into();
        }
        object
    }

    fn root_info(&self) -> Value {
        let root = &self.report.root;
        let (winrate, lead) = (self.value(root.value.as_f64()), self.lead(root.black_score));
        json!({
            "currentPlayer": if root.to_play == Player::Black { "B" } else { "W" },
            "visits": root.visits,
            "winrate": winrate,
            "utility": 2.0 * winrate - 1.0,
            "scoreLead": lead,
            "scoreSelfplay": lead,
            "thisHash": format!("{:016X}", self.position.key()),
            "proven": root.proven.is_some(),
        })
    }

    fn ownership(&self) -> Value {
        let points = self.position.size().points_from_top_left();
        let means = points.map(|point| self.signed(self.report.ownership.mean_for_black(point)));
        // Three digits are more than playouts know.
        means.map(|mean| (1000.0 * mean).round() / 1000.0).collect()
    }

    /// By points from the top left, then pass; -1 for a move that is not legal.
    fn policy(&self, policy: &[f64]) -> Value {
        let position = self.position;
        let chance = |mv| {
            let is_legal = position.is_legal_ignoring_history(mv) && !position.is_banned(mv);
            if is_legal { policy[mv.index()] } else { -1.0 }
        };
        let size = position.size();
        size.points_from_top_left().chain([size.pass()]).map(chance).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_values_never_rise_from_a_move_to_the_next() {
        let moves = [400, 900, 80, 90, 0].map(|visits| MoveReport::visited(7, 0.5, visits));
        let values: Vec<u64> = (0..moves.len()).map(|order| most_visits(&moves[order..])).collect();
        assert_eq!(values, [900, 900, 90, 90, 0]);
    }
}
