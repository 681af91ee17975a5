//! Positions as queries of KataGo's analysis protocol.
//!
//! Source of the fields: KataGo, docs/Analysis_Engine.md (version 1.17).

use crate::base::game::{Game, Move, Player};
use crate::go::{Position, Rules, Scoring, Size};
use std::fmt::Write;

/// A question to an evaluator: one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The fields of the query but for its id, as JSON without braces.
    fields: String,
    pub(super) size: Size,
}

impl Question {
    /// Returns the question for policy, value and score of a position, and for its ownership if asked for. The evaluator
    /// takes the mean of `symmetries` orientations of the board, 1 to 8.
    ///
    /// The query sets up the stones. A ko and a pass need the move before: the ko is recreated by the capture that made it. Under
    /// territory scoring the komi contains the prisoners, since KataGo counts the stones of a setup position alone. Without
    /// `subtreeValueBiasFactor` 0 KataGo clears a table for each query, which takes a fifth of its time.
    #[must_use]
    pub fn new(position: &Position, has_ownership: bool, symmetries: u8) -> Question {
        let size = position.size();
        let (stones, moves, player) = set_up(position);
        // No text in it needs an escape.
        let fields = format!(
            "\"boardXSize\":{},\"boardYSize\":{},\"rules\":{},\"komi\":{},\"initialStones\":{},\"initialPlayer\":\"{}\",\
             \"moves\":{},\"maxVisits\":1,\"includePolicy\":true,\"includeOwnership\":{has_ownership},\
             \"overrideSettings\":{{\"ignorePreRootHistory\":true,\"reportAnalysisWinratesAs\":\"BLACK\",\
             \"rootNumSymmetriesToSample\":{symmetries},\"subtreeValueBiasFactor\":0}}",
            size.columns(),
            size.rows(),
            rules(position.rules()),
            komi(position),
            listed(&stones, size),
            colour(player),
            listed(&moves, size),
        );
        Question { fields, size }
    }

    /// Returns the query, one line.
    pub(super) fn line(&self, id: &str) -> String {
        format!("{{\"id\":\"{id}\",{}}}\n", self.fields)
    }
}

fn colour(player: Player) -> char {
    if player == Player::Black { 'B' } else { 'W' }
}

/// Returns stones or moves as a JSON list.
fn listed(moves: &[(Player, Move)], size: Size) -> String {
    let mut text = String::with_capacity(2 + 12 * moves.len());
    text.push('[');
    for (index, &(player, mv)) in moves.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}[\"{}\",\"{}\"]", colour(player), size.vertex(mv));
    }
    text.push(']');
    text
}

/// Stones or moves, each with its player.
type Moves = Vec<(Player, Move)>;

/// Returns setup stones, moves, and the player before the moves, that lead to the position.
fn set_up(position: &Position) -> (Moves, Moves, Player) {
    let (board, to_play) = (position.board(), position.to_play());
    let geometry = board.geometry();
    let stone = |&point: &_| Some((board.stone_at(point)?, geometry.move_of(point)));
    let mut stones: Moves = geometry.points.iter().filter_map(stone).collect();
    let mover = to_play.other();
    if position.passes() > 0 {
        return (stones, vec![(mover, position.size().pass())], mover);
    }
    match ko_and_capture(position) {
        Some((ko, capture)) => {
            stones.retain(|&(_, mv)| mv != capture);
            stones.push((to_play, ko));
            (stones, vec![(mover, capture)], mover)
        }
        None => (stones, Vec::new(), to_play),
    }
}

/// Returns the point where a ko forbids the player to move, and the move that captured the stone there.
fn ko_and_capture(position: &Position) -> Option<(Move, Move)> {
    let (board, geometry) = (position.board(), position.board().geometry());
    let &ko = geometry.points.iter().find(|&&point| point == board.ko())?;
    position.recent_moves().first().map(|&capture| (geometry.move_of(ko), capture))
}

/// Returns the rules as a JSON object.
fn rules(rules: Rules) -> String {
    let [ko, scoring, tax] = rules.katago_names();
    let Rules { suicide, .. } = rules;
    // Rules with the same key get the same question, and dead stones are in no key; with suicide the customary rules have none.
    let removes_dead = !suicide;
    format!(
        "{{\"ko\":\"{ko}\",\"scoring\":\"{scoring}\",\"tax\":\"{tax}\",\"suicide\":{suicide},\"hasButton\":false,\
         \"whiteHandicapBonus\":\"0\",\"friendlyPassOk\":{removes_dead}}}"
    )
}

/// Returns the komi of the query: with the compensation for a handicap, and with the prisoners under territory scoring.
/// KataGo counts a prisoner of the query's own move.
fn komi(position: &Position) -> f64 {
    let mut prisoners = position.prisoners();
    if ko_and_capture(position).is_some() {
        let capturer = &mut prisoners[position.to_play().other().index()];
        *capturer = capturer.saturating_sub(1);
    }
    let [by_black, by_white] = prisoners.map(f64::from);
    let is_territory = position.rules().scoring == Scoring::Territory;
    position.score_komi().points() + if is_territory { by_white - by_black } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Komi;
    use serde_json::{Value, json};

    fn after(size: usize, rules: Rules, moves: &[&str]) -> Position {
        let size = Size::new(size, size).expect("a size");
        let mut position = Position::new(size, rules, Komi(13));
        for vertex in moves {
            position.try_play(size.parse_vertex(vertex).expect("a vertex")).expect("legal");
        }
        position
    }

    fn fields(position: &Position) -> Value {
        serde_json::from_str(&Question::new(position, false, 1).line("7")).expect("JSON")
    }

    #[test]
    fn a_position_is_set_up_with_its_turn_and_komi() {
        let query = fields(&after(5, Rules::CHINESE, &["C3", "pass", "D3", "B2"]));
        assert_eq!(query["id"], "7");
        assert_eq!(query["initialStones"], json!([["W", "B2"], ["B", "C3"], ["B", "D3"]]));
        assert_eq!((&query["moves"], &query["initialPlayer"]), (&json!([]), &json!("B")));
        assert_eq!((&query["komi"], &query["maxVisits"]), (&json!(6.5), &json!(1)));
    }

    #[test]
    fn a_ko_is_recreated_by_its_capture() {
        let moves = ["B3", "C3", "C4", "D4", "C2", "D2", "E5", "E3", "D3"];
        let query = fields(&after(5, Rules::CHINESE, &moves));
        assert_eq!(query["moves"], json!([["B", "D3"]]));
        assert_eq!(query["initialPlayer"], "B");
        let stones = query["initialStones"].as_array().expect("a list");
        assert!(stones.contains(&json!(["W", "C3"])) && !stones.contains(&json!(["B", "D3"])));
    }

    #[test]
    fn a_pass_is_a_move() {
        let query = fields(&after(5, Rules::CHINESE, &["C3", "pass"]));
        assert_eq!((&query["moves"], &query["initialPlayer"]), (&json!([["W", "pass"]]), &json!("W")));
    }

    #[test]
    fn prisoners_are_part_of_the_komi_under_territory_scoring() {
        let moves = ["B1", "A1", "A2"];
        assert_eq!(fields(&after(5, Rules::JAPANESE, &moves))["komi"], 5.5);
        assert_eq!(fields(&after(5, Rules::CHINESE, &moves))["komi"], 6.5);
        let ko = ["B3", "C3", "C4", "D4", "C2", "D2", "E5", "E3", "D3"];
        let before_the_capture = fields(&after(5, Rules::JAPANESE, &ko));
        assert_eq!(
            (&before_the_capture["komi"], &before_the_capture["moves"]),
            (&json!(6.5), &json!([["B", "D3"]]))
        );
    }
}
