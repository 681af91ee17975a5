//! Parser of queries. The field names are those of KataGo's analysis engine (KataGo docs/Analysis_Engine.md).

use super::defaults::{DEFAULT_VISITS, QueryDefaults};
use super::error::{IgnoredField, QueryError};
use super::fields::{EXPECTED_ID, EXPECTED_POSITIVE, QueryFields};
use super::memory_limit::Reservation;
use super::query::{MoveRestriction, PositionRequest, Query, QueryGame};
use crate::base::game::{Move, Player};
use crate::go::handicap::stones_given;
use crate::go::{KeyPolicy, Komi, Record, Rules, Scoring, Size};
use crate::records::sgf::rules;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Warning for moves that are executed although the rules forbid them. KataGo executes those that ko or superko forbids.
const FORBIDDEN_MOVE: &str =
    "the rules forbid one of the moves (ko, superko or suicide): executed all the same";
/// The value expected where a player is named.
const EXPECTED_PLAYER: &str = "expected B or W";

/// Parses the position requests of a query and its ignored fields. `reserve` reserves memory for a number of positions.
pub(super) fn read(
    object: &Map<String, Value>,
    defaults: &QueryDefaults,
    reserve: impl FnOnce(usize) -> Reservation,
) -> Result<(Vec<PositionRequest>, Vec<IgnoredField>), QueryError> {
    let fields = QueryFields::new(object);
    let id = fields.text("id", EXPECTED_ID)?.ok_or_else(|| fields.unexpected("id", EXPECTED_ID))?;
    let size = fields.size()?;
    let (rules, komi) = fields.rules()?;
    let komi = fields.komi(rules, komi.as_ref())?;
    let (game, has_forbidden) = fields.game(size, rules, komi, defaults.keys)?;
    let turns = fields.turns(game.moves.len())?;
    let mut is_new = vec![true; game.moves.len() + 1];
    let prioritised = turns.iter().copied().zip(fields.priorities(turns.len())?);
    let requested: Vec<(usize, i64)> =
        prioritised.filter(|&(turn, _)| std::mem::take(&mut is_new[turn])).collect();
    let (overrides, mut ignored) = fields.overrides()?;
    ignored.extend(fields.ignored());
    ignored.extend(has_forbidden.then(|| IgnoredField { field: "moves".to_owned(), reason: FORBIDDEN_MOVE }));
    let simulations = fields.positive("maxPlayouts")?.or(overrides.simulations).or(defaults.simulations);
    let visits = fields.positive("maxVisits")?.or(overrides.visits).or(defaults.visits);
    let query = Arc::new(Query {
        id: id.to_owned(),
        perspective: overrides.perspective.unwrap_or(defaults.perspective),
        visits: visits.or(simulations.is_none().then_some(DEFAULT_VISITS)),
        simulations,
        time: overrides.time.or(defaults.time),
        report_interval: fields.seconds("reportDuringSearchEvery")?,
        first_report: fields.seconds("firstReportDuringSearchAfter")?,
        pv_length: fields
            .positive("analysisPVLen")?
            .map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(usize::MAX).saturating_add(1)),
        has_ownership: fields.flag("includeOwnership")?,
        has_moves_ownership: fields.flag("includeMovesOwnership")?,
        has_policy: fields.flag("includePolicy")?,
        has_pv_visits: fields.flag("includePVVisits")?,
        restrictions: [("avoidMoves", false), ("allowMoves", true)]
            .into_iter()
            .map(|(key, is_allowed)| fields.restrictions(key, is_allowed, size))
            .collect::<Result<Vec<_>, _>>()?
            .concat(),
        game,
        _reservation: reserve(requested.len()),
    });
    let request = |(turn, priority)| PositionRequest { query: Arc::clone(&query), turn, priority };
    Ok((requested.into_iter().map(request).collect(), ignored))
}

/// Reading of the parts of a query.
impl QueryFields<'_> {
    fn size(&self) -> Result<Size, QueryError> {
        let side = |key| {
            let side = self.get(key).and_then(Value::as_u64).filter(|side| (1..=19).contains(side));
            side.ok_or_else(|| self.unexpected(key, "expected a whole number from 1 to 19"))
        };
        let (columns, rows) = (side("boardXSize")?, side("boardYSize")?);
        Size::new(columns as usize, rows as usize)
            .map_err(|error| self.error("boardXSize", &error.to_string()))
    }

    /// Returns the rules, and the komi that may stand among them.
    fn rules(&self) -> Result<(Rules, Option<Value>), QueryError> {
        const BONUS: &str = "whiteHandicapBonus";
        let missing = || self.unexpected("rules", "expected the name of rules or an object");
        let (rules, komi) = rules::without_komi(self.get("rules").ok_or_else(missing)?);
        let mut rules = rules::from_json(&rules).map_err(|error| self.error("rules", &error.to_string()))?;
        if let Some(bonus) = self.get(BONUS) {
            let bonus = rules::handicap_bonus(BONUS, bonus);
            rules.handicap_bonus = bonus.map_err(|error| self.error(BONUS, &error.to_string()))?;
        }
        Ok((rules, komi))
    }

    /// Returns the komi; without one, that of the rules; without that, half a point above that of an even game: 7.5 for
    /// area, 6.5 for territory scoring.
    fn komi(&self, rules: Rules, of_rules: Option<&Value>) -> Result<Komi, QueryError> {
        const MAX_POINTS: f64 = 400.0;
        let Some(value) = self.get("komi").or(of_rules) else {
            return Ok(Komi(if rules.scoring == Scoring::Area { 15 } else { 13 }));
        };
        let expected = "expected whole or half points from -400 to 400";
        let points = match value {
            // The one-word form of rules contains the komi as text.
            Value::String(text) if self.get("komi").is_none() => text.parse().ok(),
            other => other.as_f64(),
        };
        let points = points.filter(|points| points.abs() <= MAX_POINTS);
        points
            .and_then(|points| Komi::from_points(points).ok())
            .ok_or_else(|| self.unexpected_part("komi", expected, Some(value)))
    }

    /// Parses the game and checks that all its moves can be executed. Returns true with it if the rules forbid one.
    fn game(
        &self,
        size: Size,
        rules: Rules,
        komi: Komi,
        keys: KeyPolicy,
    ) -> Result<(QueryGame, bool), QueryError> {
        let mut stones = self.moves("initialStones", "expected a list of stones", size)?;
        // KataGo accepts a stone that is listed twice, as records list some.
        let mut listed = Vec::new();
        stones.retain(|stone| {
            let is_new = !listed.contains(stone);
            listed.extend(is_new.then_some(*stone));
            is_new
        });
        let expected = "expected a list of moves (it may be empty)";
        let moves = match self.get("moves") {
            None => return Err(self.unexpected("moves", expected)),
            Some(_) => self.moves("moves", expected, size)?,
        };
        let set_up = Player::BOTH.map(|player| stones.iter().filter(|stone| stone.0 == player).count());
        let handicap = stones_given(set_up);
        let first = match self.text("initialPlayer", EXPECTED_PLAYER)? {
            // The rule of KataGo's cpp/command/analysis.cpp.
            None => match moves.first() {
                Some(&(player, _)) => player,
                None if handicap > 0 => Player::White,
                None => Player::Black,
            },
            Some(player) => {
                Player::parse(player).ok_or_else(|| self.unexpected("initialPlayer", EXPECTED_PLAYER))?
            }
        };
        let game = QueryGame { size, rules, komi, stones, first, moves, keys };
        let start = game.start().map_err(|(mv, reason)| {
            self.error("initialStones", &format!("{} cannot stand there: {reason}", size.vertex(mv)))
        })?;
        let mut record = Record::from_position(start);
        let mut has_forbidden = false;
        for (index, &(player, mv)) in game.moves.iter().enumerate() {
            has_forbidden |= record.play_recorded(player, mv).map_err(|reason| {
                // KaTrain looks for the first two words.
                let message = format!("Illegal move {}, {}: {reason}", index + 1, size.vertex(mv));
                self.error("moves", &message)
            })?;
        }
        Ok((game, has_forbidden))
    }

    /// Parses pairs of a player and a vertex.
    fn moves(&self, key: &str, expected: &str, size: Size) -> Result<Vec<(Player, Move)>, QueryError> {
        let read = |pair: &Value| {
            let [player, vertex] = pair.as_array()?.as_slice() else { return None };
            Some((Player::parse(player.as_str()?)?, size.parse_vertex(vertex.as_str()?)?))
        };
        let of_pair =
            || format!("expected pairs of a player and a point of the {size} board, such as [\"B\", \"D4\"]");
        self.array(key, expected)?
            .iter()
            .map(|pair| read(pair).ok_or_else(|| self.unexpected_part(key, &of_pair(), Some(pair))))
            .collect()
    }

    fn turns(&self, last: usize) -> Result<Vec<usize>, QueryError> {
        const KEY: &str = "analyzeTurns";
        if self.get(KEY).is_none() {
            return Ok(vec![last]);
        }
        let expected = format!("expected a list of turns, numbers from 0 to {last}");
        let turns = self.array(KEY, &expected)?;
        // A query without turns would never be answered.
        if turns.is_empty() {
            return Err(self.unexpected(KEY, &expected));
        }
        let read = |turn: &Value| turn.as_u64().map(|turn| turn as usize).filter(|&turn| turn <= last);
        let refusal = |turn| self.unexpected_part(KEY, &expected, Some(turn));
        turns.iter().map(|turn| read(turn).ok_or_else(|| refusal(turn))).collect()
    }

    fn priorities(&self, count: usize) -> Result<Vec<i64>, QueryError> {
        const KEY: &str = "priorities";
        if self.get(KEY).is_some() {
            if self.get("priority").is_some() {
                return Err(self.error(KEY, "expected either priority or priorities, found both"));
            }
            let expected =
                format!("expected a list of whole numbers, one for each of {count} turns analysed");
            let priorities =
                self.array(KEY, &expected)?.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>();
            return priorities.filter(|it| it.len() == count).ok_or_else(|| self.unexpected(KEY, &expected));
        }
        let priority = match self.get("priority") {
            None => 0,
            Some(value) => {
                value.as_i64().ok_or_else(|| self.unexpected("priority", "expected a whole number"))?
            }
        };
        Ok(vec![priority; count])
    }

    fn restrictions(
        &self,
        key: &str,
        is_allowed: bool,
        size: Size,
    ) -> Result<Vec<MoveRestriction>, QueryError> {
        const OBJECTS: &str = "expected a list of objects with player, moves and untilDepth";
        let read = |value: &Value| {
            let refusal = |expected: &str, part| self.unexpected_part(key, expected, part);
            let object = value.as_object().ok_or_else(|| refusal(OBJECTS, Some(value)))?;
            let [player, moves, depth] = ["player", "moves", "untilDepth"].map(|name| object.get(name));
            let named = player.and_then(Value::as_str).and_then(Player::parse);
            let player = named.ok_or_else(|| refusal(&format!("player: {EXPECTED_PLAYER}"), player))?;
            let vertices =
                format!("moves: expected a list of points of the {size} board such as \"A1\", or \"pass\"");
            let listed = moves.and_then(Value::as_array).ok_or_else(|| refusal(&vertices, moves))?;
            let vertex = |mv: &Value| mv.as_str().and_then(|mv| size.parse_vertex(mv));
            let moves = listed.iter().map(|mv| vertex(mv).ok_or_else(|| refusal(&vertices, Some(mv))));
            let moves = moves.collect::<Result<_, _>>()?;
            match depth.and_then(Value::as_u64) {
                None | Some(0) => Err(refusal(&format!("untilDepth: {EXPECTED_POSITIVE}"), depth)),
                Some(_) => Ok(MoveRestriction { player, moves, is_allowed }),
            }
        };
        self.array(key, OBJECTS)?.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::defaults::Perspective;
    use super::super::memory_limit::QueryMemory;
    use super::*;
    use crate::go::KoRule;
    use serde_json::json;

    const DEFAULTS: QueryDefaults = QueryDefaults {
        perspective: Perspective::SideToMove,
        visits: Some(1),
        simulations: None,
        time: None,
        keys: KeyPolicy::Plain,
        finishes_queue: true,
    };

    /// Parses a legal query of few visits into its position requests and ignored fields.
    fn read_query(query: &Value) -> (Vec<PositionRequest>, Vec<IgnoredField>) {
        read(query.as_object().expect("an object"), &DEFAULTS, |count| QueryMemory::new(0).take(0, count))
            .expect("a query")
    }

    /// Returns the message of a query on 9x9 with these fields, and the field that it names.
    fn refusal(fields: &Value) -> (String, String) {
        let mut query =
            json!({"id": "q", "boardXSize": 9, "boardYSize": 9, "rules": "chinese", "moves": [["B", "C3"]]});
        let query = query.as_object_mut().expect("an object");
        query.extend(fields.as_object().expect("an object").clone());
        let error = read(query, &DEFAULTS, |count| QueryMemory::new(0).take(0, count)).err();
        let error = error.unwrap_or_else(|| panic!("{fields} is accepted"));
        assert!(error.id.as_deref() == query["id"].as_str(), "{fields}");
        (error.message, error.field.unwrap_or_default())
    }

    #[test]
    fn a_refusal_names_the_field_the_value_found_and_the_one_expected() {
        const WHOLE: &str = "expected a whole number of at least 1";
        const SIDE: &str = "expected a whole number from 1 to 19";
        const POINTS: &str = "moves: expected a list of points of the 9x9 board such as \"A1\", or \"pass\"";
        const TURNS: &str = "expected a list of turns, numbers from 0 to 1";
        const PRIORITIES: &str = "expected a list of whole numbers, one for each of 1 turns analysed";
        const ID: &str = "expected a text (the id that the answer repeats)";
        const PAIRS: &str =
            "expected pairs of a player and a point of the 9x9 board, such as [\"B\", \"D4\"]";
        let restriction =
            |moves: Value, depth: Value| json!([{"player": "B", "moves": moves, "untilDepth": depth}]);
        for (field, value, expected, found) in [
            ("id", Value::Null, ID, "nothing"),
            ("id", json!(5), ID, "5"),
            ("boardXSize", json!(0), SIDE, "0"),
            ("boardXSize", json!(20), SIDE, "20"),
            ("boardYSize", Value::Null, SIDE, "nothing"),
            ("moves", json!("C3"), "expected a list of moves (it may be empty)", "\"C3\""),
            ("moves", json!([["B", "Z5"]]), PAIRS, "[\"B\",\"Z5\"]"),
            ("initialStones", json!([["B", "K1"]]), PAIRS, "[\"B\",\"K1\"]"),
            ("initialPlayer", json!("X"), "expected B or W", "\"X\""),
            ("initialPlayer", json!(1), "expected B or W", "1"),
            ("maxVisits", json!(0), WHOLE, "0"),
            ("maxVisits", json!(10.5), WHOLE, "10.5"),
            ("maxVisits", json!("10"), WHOLE, "\"10\""),
            ("analysisPVLen", json!(-1), WHOLE, "-1"),
            ("analyzeTurns", json!(1), TURNS, "1"),
            ("analyzeTurns", json!([]), TURNS, "[]"),
            ("analyzeTurns", json!([0, 2]), TURNS, "2"),
            ("priority", json!(0.5), "expected a whole number", "0.5"),
            ("priorities", json!([1, 2]), PRIORITIES, "[1,2]"),
            ("includeOwnership", json!(1), "expected true or false", "1"),
            ("reportDuringSearchEvery", json!(0), "expected a number of seconds above 0", "0"),
            ("firstReportDuringSearchAfter", json!("1"), "expected a number of seconds above 0", "\"1\""),
            ("avoidMoves", restriction(json!(["C3", "Z5"]), json!(1)), POINTS, "\"Z5\""),
            ("allowMoves", restriction(json!("C3"), json!(1)), POINTS, "\"C3\""),
            ("allowMoves", restriction(json!(["C3"]), json!(0)), &format!("untilDepth: {WHOLE}"), "0"),
            (
                "avoidMoves",
                json!([{"player": "B", "moves": ["C3"]}]),
                &format!("untilDepth: {WHOLE}"),
                "nothing",
            ),
            ("avoidMoves", json!([{"moves": ["C3"]}]), "player: expected B or W", "nothing"),
            (
                "avoidMoves",
                json!(["C3"]),
                "expected a list of objects with player, moves and untilDepth",
                "\"C3\"",
            ),
            ("overrideSettings", json!([]), "expected an object", "[]"),
            ("overrideSettings", json!({"maxVisits": 10.5}), &format!("maxVisits: {WHOLE}"), "10.5"),
            ("overrideSettings", json!({"maxPlayouts": 0}), &format!("maxPlayouts: {WHOLE}"), "0"),
            ("overrideSettings", json!({"maxVisits": "0"}), &format!("maxVisits: {WHOLE}"), "\"0\""),
            ("overrideSettings", json!({"maxTime": 0}), "maxTime: expected a number of seconds above 0", "0"),
            (
                "overrideSettings",
                json!({"reportAnalysisWinratesAs": "X"}),
                "reportAnalysisWinratesAs: expected BLACK, WHITE or SIDETOMOVE",
                "\"X\"",
            ),
        ] {
            let refused = refusal(&json!({ field: value }));
            assert_eq!(refused, (format!("{expected}, found {found}"), field.to_owned()));
        }
        let long = refusal(&json!({ "maxVisits": "é".repeat(100_000) })).0;
        assert!(long.chars().count() < 120 && long.ends_with("..."), "{long}");
    }

    #[test]
    fn a_turn_named_twice_is_searched_once() {
        let query = json!({
            "id": "q", "boardXSize": 9, "boardYSize": 9, "rules": "chinese", "moves": [["B", "C3"]],
            "analyzeTurns": [1, 0, 1], "priorities": [5, 6, 7],
        });
        let requests = read_query(&query).0;
        let turns: Vec<(usize, i64)> = requests.iter().map(|it| (it.turn, it.priority)).collect();
        assert_eq!(turns, [(1, 5), (0, 6)]);
        let both = refusal(&json!({"priority": 1, "priorities": [1]}));
        assert_eq!(both, ("expected either priority or priorities, found both".into(), "priorities".into()));
    }

    /// Returns White's compensation for a handicap in a query with these rules, stones set up and
    /// `whiteHandicapBonus`.
    fn compensation(rules: Value, stones: &[&str], bonus: Option<&str>) -> Komi {
        let stones: Vec<Value> =
            stones.iter().map(|stone| json!(stone.split(' ').collect::<Vec<_>>())).collect();
        let query = json!({
            "id": "q", "boardXSize": 9, "boardYSize": 9, "rules": rules, "moves": [], "initialStones": stones,
            "whiteHandicapBonus": bonus,
        });
        let (requests, unknown) = read_query(&query);
        assert!(unknown.is_empty(), "{unknown:?}");
        requests[0].position().expect("a position").compensation()
    }

    #[test]
    fn handicap_compensation_is_the_query_s_or_else_that_of_the_rules() {
        let given = &["B C3", "B G7", "B G3"];
        let by = |rules: &str, bonus| compensation(json!(rules), given, bonus);
        assert_eq!(["chinese", "aga", "nz", "japanese"].map(|rules| by(rules, None).0), [6, 4, 0, 0]);
        assert_eq!(["0", "N", "N-1"].map(|bonus| by("japanese", Some(bonus)).0), [0, 6, 4]);
        let object =
            json!({"ko": "POSITIONAL", "scoring": "AREA", "suicide": false, "whiteHandicapBonus": "N-1"});
        assert_eq!(compensation(object.clone(), given, None), Komi(4));
        assert_eq!(compensation(object, given, Some("0")), Komi(0));
        let silent = json!({"ko": "POSITIONAL", "scoring": "AREA", "suicide": false});
        assert_eq!(compensation(silent, given, None), Komi(0));
        for none in [&[][..], &["B C3"], &["B C3", "B C3"], &["B C3", "B G7", "W G3"]] {
            assert_eq!(compensation(json!("chinese"), none, Some("N")), Komi(0));
        }
    }

    #[test]
    fn rules_are_read_as_names_objects_and_texts_of_objects() {
        let object =
            json!({"ko": "SIMPLE", "scoring": "AREA", "tax": "NONE", "multiStoneSuicideLegal": true});
        let read = |rules: Value| {
            let query = json!({"id": "q", "rules": rules});
            QueryFields::new(query.as_object().expect("an object")).rules().map(|(rules, _)| rules)
        };
        let named = Rules::customary(KoRule::Simple, true, Scoring::Area);
        let expected = Rules { removes_dead: false, ..named };
        for rules in [object.clone(), json!(object.to_string())] {
            assert_eq!(read(rules.clone()), Ok(expected), "{rules}");
        }
        assert_eq!(read(json!("ko=simple,suicide=yes")), Ok(named));
        for (rules, found) in [
            (
                json!("{\"hasButton\":true}"),
                "hasButton: expected false (the button is not supported), found true",
            ),
            (json!({"tax": "ALL"}), "tax: expected NONE with scoring AREA or SEKI with TERRITORY"),
            (json!("stone_scoring"), "a group tax, which is not supported: expected chinese"),
            (json!(5), "rules: expected the name of rules or an object, found 5"),
            (Value::Null, "expected the name of rules or an object"),
        ] {
            let error = read(rules.clone()).expect_err("refused");
            assert_eq!(error.field.as_deref(), Some("rules"));
            assert!(error.message.contains(found), "{rules}: {}", error.message);
        }
    }

    #[test]
    fn black_stones_played_before_white_s_first_are_a_handicap() {
        let moves = json!([
            ["B", "C3"],
            ["B", "G7"],
            ["W", "pass"],
            ["B", "G3"],
            ["W", "C7"],
            ["B", "E5"],
            ["B", "E6"]
        ]);
        let query = json!({
            "id": "q", "boardXSize": 9, "boardYSize": 9, "rules": "chinese", "moves": moves,
            "analyzeTurns": [0, 1, 2, 3, 4, 5, 7],
        });
        let (requests, _) = read_query(&query);
        let points: Vec<f64> = requests
            .iter()
            .map(|request| request.position().expect("a position").compensation().points())
            .collect();
        assert_eq!(points, [0.0, 0.0, 2.0, 2.0, 3.0, 3.0, 3.0]);
    }
}
