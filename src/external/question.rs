//! Positions as queries of KataGo's analysis protocol.
//!
//! Source of the fields: KataGo, docs/Analysis_Engine.md (version 1.17).

use crate::base::game::{Game, Move, Player};
use crate::go::{Position, Rules, Scoring, Size};

/// A question to an evaluator: one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The fields of the query but for its id, as JSON without braces.
    fields: String,
    pub(super) size: Size,
    /// True if the question is also for the ownership.
    pub(super) has_ownership: bool,
}

impl Question {
    /// Returns the question for policy, value and score of a position, and for its ownership if asked for. The evaluator
    /// takes the mean of `symmetries` orientations of the board, 1 to 8.
    ///
    /// The query sets up the position before the last moves, at most five, since networks evaluate more exactly if they
    /// see these; the answer then stands for all paths to the position, as in KataGo's own cache. A ko needs the capture
    /// that made it. Under territory scoring the komi contains the prisoners, since KataGo counts the stones of a setup
    /// position alone. With `conservativePass` KataGo would not know that a second pass ends the game. Without
    /// `subtreeValueBiasFactor` 0 KataGo clears a table for each query, which takes a fifth of its time. With
    /// `rootPolicyOptimism` 1 newer networks give the probabilities that KataGo uses below the root of a search.
    #[must_use]
    pub fn new(position: &Position, has_ownership: bool, symmetries: u8) -> Question {
        let size = position.size();
        let (stones, moves, player) = set_up(position);
        // No text in it needs an escape.
        let fields = format!(
            "\"boardXSize\":{},\"boardYSize\":{},\"rules\":{},\"komi\":{},\"initialStones\":{},\"initialPlayer\":\"{}\",\
             \"moves\":{},\"maxVisits\":1,\"includePolicy\":true,\"includeOwnership\":{has_ownership},\
             \"overrideSettings\":{{\"ignorePreRootHistory\":false,\"conservativePass\":false,\"reportAnalysisWinratesAs\":\"BLACK\",\
             \"rootNumSymmetriesToSample\":{symmetries},\"subtreeValueBiasFactor\":0,\"rootPolicyOptimism\":1}}",
            size.columns(),
            size.rows(),
            rules(position.rules()),
            komi(position),
            listed(&stones, size),
            player.letter(),
            listed(&moves, size),
        );
        Question { fields, size, has_ownership }
    }

    /// Returns the query, one line.
    pub(super) fn line(&self, id: u64) -> String {
        format!("{{\"id\":\"{id}\",{}}}\n", self.fields)
    }
}

/// Returns stones or moves as a JSON list.
fn listed(moves: &[(Player, Move)], size: Size) -> String {
    let mut text = String::with_capacity(2 + 12 * moves.len());
    text.push('[');
    for (index, &(player, mv)) in moves.iter().enumerate() {
        text.push_str(if index == 0 { "[\"" } else { ",[\"" });
        text.push(player.letter());
        text.push_str("\",\"");
        size.push_vertex(mv, &mut text);
        text.push_str("\"]");
    }
    text.push(']');
    text
}

/// Stones or moves, each with its player.
type Moves = Vec<(Player, Move)>;

/// Returns setup stones, moves, and the player before the moves, that lead to the position.
fn set_up(position: &Position) -> (Moves, Moves, Player) {
    let board = position.board();
    let geometry = board.geometry();
    let mut moves = last_moves(position);
    moves.reverse();
    let stone = |&point: &_| Some((board.stone_at(point)?, geometry.move_of(point)));
    let stones = geometry.points.iter().filter_map(stone);
    let captured = ko_and_capture(position).map(|(ko, _)| (position.to_play(), ko));
    let stones = stones.chain(captured).filter(|stone| !moves.contains(stone)).collect();
    let player = moves.first().map_or(position.to_play(), |&(player, _)| player);
    (stones, moves, player)
}

/// Returns the last moves, the latest first, as far as the setup can be completed by playing them: the players take turns,
/// no two passes follow each other, and every stone played is still on the board or has just been captured in a ko. Stones
/// captured meanwhile are in no setup, so these moves capture nothing but the stone in the ko.
fn last_moves(position: &Position) -> Moves {
    let (board, pass) = (position.board(), position.size().pass());
    let captured = ko_and_capture(position).map(|(ko, _)| (position.to_play(), ko));
    let mut moves = Moves::new();
    let mut player = position.to_play().other();
    for &mv in position.recent_moves() {
        let played = (player, mv);
        let can_be_played = if mv == pass {
            moves.last().is_none_or(|&(_, later)| later != pass)
        } else {
            let point = board.geometry().point_of(mv);
            let stone = point.and_then(|point| board.stone_at(point)).map(|stone| (stone, mv));
            (stone == Some(played) || captured == Some(played)) && !moves.contains(&played)
        };
        if !can_be_played {
            break;
        }
        moves.push(played);
        player = player.other();
    }
    if moves.is_empty() && position.passes() > 0 {
        moves.push((player, pass));
    }
    moves
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
    // Rules with the same key get the same question, and dead stones are in no key; with suicide the customary rules have
    // none.
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
    use crate::base::rng::PlayoutRng;
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
        serde_json::from_str(&Question::new(position, false, 1).line(7)).expect("JSON")
    }

    /// Replays the query's moves on its setup; returns the position, with the stones of its setup captured by none.
    fn replayed(query: &Value, size: usize) -> Position {
        let size = Size::new(size, size).expect("a size");
        let mut position = Position::new(size, Rules::CHINESE, Komi(13));
        let player = |it: &Value| if it == "B" { Player::Black } else { Player::White };
        let placed = |it: &Value| {
            (player(&it[0]), size.parse_vertex(it[1].as_str().expect("a vertex")).expect("a vertex"))
        };
        let list =
            |name: &str| query[name].as_array().expect("a list").iter().map(placed).collect::<Vec<_>>();
        for (colour, mv) in list("initialStones") {
            position.set_to_play(colour);
            position.try_play(mv).expect("legal");
        }
        position.set_to_play(player(&query["initialPlayer"]));
        for (colour, mv) in list("moves") {
            assert_eq!(position.to_play(), colour, "the players take turns");
            position.try_play(mv).expect("legal");
        }
        position
    }

    #[test]
    fn a_position_is_set_up_with_its_last_moves_its_turn_and_komi() {
        let query = fields(&after(5, Rules::CHINESE, &["C3", "pass", "D3", "B2", "A5", "B4", "E1"]));
        assert_eq!(query["id"], "7");
        assert_eq!(query["initialStones"], json!([["B", "C3"]]));
        let moves = json!([["B", "D3"], ["W", "B2"], ["B", "A5"], ["W", "B4"], ["B", "E1"]]);
        assert_eq!((&query["moves"], &query["initialPlayer"]), (&moves, &json!("B")));
        assert_eq!((&query["komi"], &query["maxVisits"]), (&json!(6.5), &json!(1)));
    }

    #[test]
    fn a_ko_is_recreated_by_its_capture() {
        let moves = ["B3", "C3", "C4", "D4", "C2", "D2", "E5", "E3", "D3"];
        let query = fields(&after(5, Rules::CHINESE, &moves));
        let last = json!([["B", "C2"], ["W", "D2"], ["B", "E5"], ["W", "E3"], ["B", "D3"]]);
        assert_eq!((&query["moves"], &query["initialPlayer"]), (&last, &json!("B")));
        let stones = query["initialStones"].as_array().expect("a list");
        assert!(stones.contains(&json!(["W", "C3"])) && !stones.contains(&json!(["B", "D3"])));
    }

    #[test]
    fn moves_before_a_lost_stone_two_passes_or_a_change_of_turn_are_part_of_the_setup() {
        let count = |position: &Position| fields(position)["moves"].as_array().map_or(0, Vec::len);
        assert_eq!(count(&after(5, Rules::CHINESE, &["A1", "B1", "E5", "A2", "E4"])), 4, "A1 is captured");
        let mut passed = after(5, Rules::CHINESE, &["C3", "pass", "pass"]);
        passed.resume();
        passed.try_play(passed.size().parse_vertex("D3").expect("a vertex")).expect("legal");
        assert_eq!(count(&passed), 2);
        let mut turned = after(5, Rules::CHINESE, &["C3", "D3"]);
        turned.set_to_play(Player::White);
        assert_eq!((count(&turned), &fields(&turned)["initialPlayer"]), (0, &json!("W")));
        assert_eq!(fields(&after(5, Rules::CHINESE, &["C3", "pass"]))["moves"][1], json!(["W", "pass"]));
    }

    #[test]
    fn the_moves_of_a_query_lead_to_its_position() {
        let mut rng = PlayoutRng::new(1, 0);
        for size in [2, 3, 5] {
            let mut position = after(size, Rules::CHINESE, &[]);
            for _ in 0..2000 {
                let moves = (0..=size * size).map(|number| Move(number as u16));
                let legal: Vec<Move> = moves.filter(|&mv| position.check(mv).is_ok()).collect();
                position.try_play(legal[rng.below(legal.len())]).expect("legal");
                if position.is_over() {
                    position = after(size, Rules::CHINESE, &[]);
                }
                let query = fields(&position);
                let found = replayed(&query, size);
                assert_eq!(found.key(), position.key(), "{query}");
            }
        }
    }

    #[test]
    fn prisoners_are_part_of_the_komi_under_territory_scoring() {
        let moves = ["B1", "A1", "A2"];
        assert_eq!(fields(&after(5, Rules::JAPANESE, &moves))["komi"], 5.5);
        assert_eq!(fields(&after(5, Rules::CHINESE, &moves))["komi"], 6.5);
        let ko = ["B3", "C3", "C4", "D4", "C2", "D2", "E5", "E3", "D3"];
        let before_the_capture = fields(&after(5, Rules::JAPANESE, &ko));
        assert_eq!(
            (&before_the_capture["komi"], &before_the_capture["moves"][4]),
            (&json!(6.5), &json!(["B", "D3"]))
        );
    }
}
