//! `tewari analysis` with the queries of KataGo's clients: real processes, started as those clients start them.

mod command_line;
mod limits;

use crate::common::program;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout for one answer, far above its duration on any machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Number of visits that takes hours to search.
const FOR_EVER: u64 = 1_000_000_000;

struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut command = program();
        command.args(["analysis", "--table-size", "8MiB"]).args(arguments);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = pipes.spawn().expect("the program runs");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Server { input: child.stdin.take(), child, lines }
    }

    fn ask(&mut self, query: &Value) {
        self.say(&query.to_string());
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open input");
        writeln!(input, "{line}").expect("a listening engine");
        input.flush().expect("a listening engine");
    }

    fn answer(&self) -> Value {
        serde_json::from_str(&self.lines.recv_timeout(PATIENCE).expect("an answer in time")).expect("JSON")
    }

    /// Returns the next answer that is not a report during a search.
    fn answer_in_the_end(&self) -> Value {
        std::iter::repeat_with(|| self.answer())
            .find(|answer| answer["isDuringSearch"] != true)
            .expect("answers come for ever")
    }

    /// Sends a query without an effective limit and waits for its first report.
    fn begin(&mut self, id: &str) {
        self.ask(&with(query(id, FOR_EVER), "reportDuringSearchEvery", json!(0.02)));
        assert_eq!(self.answer()["isDuringSearch"], true);
    }

    /// Ends the input and returns the remaining answers.
    fn finish(mut self) -> Vec<Value> {
        drop(self.input.take());
        let lines = std::iter::repeat_with(|| self.lines.recv_timeout(PATIENCE).ok()).map_while(|line| line);
        let answers = lines.map(|line| serde_json::from_str(&line).expect("JSON")).collect();
        let begin = Instant::now();
        while self.child.try_wait().expect("a child").is_none() {
            assert!(begin.elapsed() < PATIENCE, "the engine goes on");
            thread::sleep(Duration::from_millis(5));
        }
        answers
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn query(id: &str, visits: u64) -> Value {
    json!({
        "id": id, "boardXSize": 9, "boardYSize": 9, "rules": "chinese", "komi": 7.5, "maxVisits": visits,
        "moves": [["B", "E5"], ["W", "E3"], ["B", "D4"]],
    })
}

fn with(mut query: Value, key: &str, value: Value) -> Value {
    query[key] = value;
    query
}

#[test]
fn a_table_of_any_board_is_used_and_other_boards_have_tables_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("go.tewari");
    let file = file.to_str().expect("UTF-8");
    let created = program().args(["table", "create", file, "--size", "9", "--table-size", "8MiB"]).output();
    assert!(created.expect("the program runs").status.success());
    let visits = || {
        let mut server = Server::start(&["--table", file]);
        server.ask(&query("a", 50));
        let answer = server.answer();
        assert_eq!(answer["id"], "a", "{answer}");
        answer["rootInfo"]["visits"].as_u64().expect("visits")
    };
    assert_eq!(visits(), 50);
    assert!(!folder.path().join("go-9x9.tewari").exists());
}

#[test]
fn katagos_own_command_line_is_understood_and_winrates_are_told_as_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("analysis.cfg");
    std::fs::write(&config, "# ours\nlogDir = logs\n@include visits.cfg\n\nnnMaxBatchSize = 8\n")
        .expect("a file");
    std::fs::write(folder.path().join("visits.cfg"), "maxVisits = 60 # few\n").expect("a file");
    let config = config.to_str().expect("UTF-8");
    let start = ["-model", "/nowhere/g170.bin.gz", "-config", config, "-analysis-threads", "1"];
    // Black owns the whole board.
    let ask = |perspective: &str| {
        let setting = format!("reportAnalysisWinratesAs={perspective},homeDataDir=x");
        let mut server = Server::start(&[&start[..], &["-override-config", &setting]].concat());
        let stones: Vec<Value> =
            "ABCDEFGHJ".chars().map(|column| json!(["B", format!("{column}5")])).collect();
        server.ask(&json!({
            "id": "q", "boardXSize": 9, "boardYSize": 9, "rules": "tromp-taylor", "komi": 0.5, "moves": [],
            "initialStones": stones, "initialPlayer": "W", "includeOwnership": true, "includePolicy": true,
        }));
        server.answer()
    };
    for (perspective, sign) in [("BLACK", 1.0), ("WHITE", -1.0), ("SIDETOMOVE", -1.0)] {
        let answer = ask(perspective);
        let root = &answer["rootInfo"];
        assert!(sign * (root["winrate"].as_f64().expect("a number") - 0.5) > 0.3, "{answer}");
        assert!(sign * root["scoreLead"].as_f64().expect("a number") > 10.0, "{answer}");
        assert!((60..200).contains(&root["visits"].as_u64().expect("a number")), "{answer}");
        assert_eq!(root["currentPlayer"], "W");
        let owners: Vec<f64> =
            answer["ownership"].as_array().expect("owners").iter().filter_map(Value::as_f64).collect();
        assert!(owners.len() == 81 && owners[36..45].iter().all(|owner| sign * owner > 0.8), "{owners:?}");
        let policy = answer["policy"].as_array().expect("a policy");
        assert!(policy.len() == 82 && policy[36..45].iter().all(|chance| chance.as_f64() == Some(-1.0)));
        for info in answer["moveInfos"].as_array().expect("moves") {
            assert!(sign * (info["winrate"].as_f64().expect("a number") - 0.5) > 0.0, "{info}");
            assert_eq!(info["pv"][0], info["move"]);
        }
    }
}

#[test]
fn turns_come_by_priority_and_reports_while_it_searches() {
    let mut server = Server::start(&[]);
    server.begin("first");
    server.ask(&with(query("low", 50), "analyzeTurns", json!([0, 3])));
    let high = with(query("high", 50), "analyzeTurns", json!([2, 1]));
    server.ask(&with(high, "priorities", json!([5, 7])));
    server.ask(&with(query("reports", 20_000), "reportDuringSearchEvery", json!(0.02)));
    server.ask(&json!({"id": "end", "action": "terminate", "terminateId": "first"}));
    assert_eq!(server.answer_in_the_end()["action"], "terminate");
    let first = server.answer_in_the_end();
    assert!(first["id"] == "first" && first["rootInfo"]["visits"].as_u64() > Some(0), "{first}");
    let mut order = Vec::new();
    let mut during = 0;
    loop {
        let answer = server.answer();
        if answer["isDuringSearch"] == true {
            assert_eq!(answer["id"], "reports");
            during += 1;
            continue;
        }
        let id = answer["id"].as_str().expect("an id").to_owned();
        if id == "reports" {
            break;
        }
        order.push((id, answer["turnNumber"].as_u64().expect("a turn")));
    }
    let expected = [("high", 1), ("high", 2), ("low", 0), ("low", 3)];
    assert_eq!(order, expected.map(|(id, turn)| (id.to_owned(), turn)));
    assert!(during > 2);
}

#[test]
fn what_waits_is_finished_at_the_end_of_input_unless_told_otherwise() {
    let mut server = Server::start(&[]);
    for id in ["a", "b", "c"] {
        server.ask(&query(id, 300));
    }
    let ids: Vec<_> = server.finish().iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    let mut server = Server::start(&["-quit-without-waiting"]);
    server.ask(&query("a", FOR_EVER));
    server.ask(&query("b", FOR_EVER));
    thread::sleep(Duration::from_millis(300));
    assert!(server.finish().len() <= 1);
}

#[test]
fn actions_are_answered_at_once() {
    let mut server = Server::start(&[]);
    server.begin("long");
    server.ask(&json!({"id": "v", "action": "query_version"}));
    let version = server.answer_in_the_end();
    assert_eq!((&version["id"], &version["version"]), (&json!("v"), &json!(env!("CARGO_PKG_VERSION"))));
    server.ask(&json!({"id": "m", "action": "query_models"}));
    let models = server.answer_in_the_end()["models"].as_array().expect("networks").clone();
    // One for small boards and one for large boards.
    assert!(models.len() == 2 && models.iter().all(|model| model["name"].is_string()), "{models:?}");
    server.ask(&query("waits", 10));
    server.ask(&json!({"id": "c", "action": "clear_cache"}));
    server.ask(&json!({"id": "t", "action": "terminate_all"}));
    let answers = [
        server.answer_in_the_end(),
        server.answer_in_the_end(),
        server.answer_in_the_end(),
        server.answer_in_the_end(),
    ];
    assert_eq!(answers[0]["action"], "clear_cache");
    assert_eq!(answers[1]["action"], "terminate_all");
    assert!(answers[2]["id"] == "waits" && answers[2]["noResults"] == true, "{answers:?}");
    assert_eq!(answers[3]["id"], "long");
    // The table is empty, so there are no earlier visits.
    server.ask(&query("again", 40));
    assert!(server.answer_in_the_end()["rootInfo"]["visits"].as_u64() < Some(80));
}

#[test]
fn terminate_all_ends_the_turns_that_it_names_and_no_others() {
    let mut server = Server::start(&[]);
    server.begin("long");
    server.ask(&with(query("q", 20), "analyzeTurns", json!([0, 1])));
    server.ask(&json!({"id": "bad", "action": "terminate_all", "turnNumbers": "x"}));
    assert_eq!(server.answer_in_the_end()["field"], "turnNumbers");
    server.ask(&json!({"id": "t", "action": "terminate_all", "turnNumbers": [1]}));
    assert_eq!(server.answer_in_the_end()["action"], "terminate_all");
    let ended = server.answer_in_the_end();
    assert!(ended["turnNumber"] == 1 && ended["noResults"] == true, "{ended}");
    server.ask(&json!({"id": "t", "action": "terminate", "terminateId": "long"}));
    let ids = [0, 1, 2].map(|_| server.answer_in_the_end());
    assert_eq!(ids.each_ref().map(|answer| answer["id"].as_str()), [Some("t"), Some("long"), Some("q")]);
    assert_eq!(ids[2]["turnNumber"], 0);
}

#[test]
fn komi_among_the_rules_holds_unless_the_query_has_its_own() {
    let mut server = Server::start(&[]);
    let object = json!({"ko": "SIMPLE", "scoring": "AREA", "tax": "NONE", "suicide": false, "komi": -60});
    let word = "koSIMPLEscoreAREAtaxNONEsui0komi-60";
    let mut win_rate = |rules: Value, komi: Value| {
        let asked = with(with(query("q", 20), "rules", rules), "komi", komi);
        server.ask(&with(with(asked, "moves", json!([])), "analyzeTurns", json!([0])));
        server.answer()["rootInfo"]["winrate"].as_f64().expect("a win rate")
    };
    for rules in [object.clone(), json!(object.to_string()), json!(word)] {
        assert!(win_rate(rules.clone(), Value::Null) > 0.9, "{rules}");
        assert!(win_rate(rules, json!(60)) < 0.1);
    }
}

#[test]
fn queries_are_read_as_katago_reads_them() {
    let mut server = Server::start(&[]);
    server.say(&format!("\u{feff}{}", query("mark", 5)));
    assert_eq!(server.answer()["id"], "mark");
    server.ask(&with(query("null", 5), "action", Value::Null));
    assert_eq!(server.answer()["id"], "null");
    let settings = json!({"maxVisits": "5", "maxTime": "5"});
    let mut asked = with(query("text", 5), "overrideSettings", settings);
    asked.as_object_mut().expect("an object").remove("maxVisits");
    server.ask(&asked);
    assert_eq!(server.answer()["id"], "text");
    let allowed = json!([{"player": "B", "moves": ["A1"], "untilDepth": 0}]);
    server.ask(&with(query("depth", 5), "allowMoves", allowed));
    assert_eq!(server.answer()["field"], "allowMoves");
}

#[test]
fn a_move_that_ko_forbids_is_executed_with_a_warning() {
    let mut server = Server::start(&[]);
    let ko = ["C4", "F4", "D5", "E5", "D3", "E3", "A9", "D4", "E4", "D4"];
    let cycle = ["C4", "F4", "D5", "E5", "D3", "E3", "A9", "D4", "E4", "pass", "pass", "D4"];
    for (moves, rules) in [(&ko[..], "japanese"), (&cycle, "chinese")] {
        let pairs: Vec<Value> =
            moves.iter().zip(["B", "W"].iter().cycle()).map(|(mv, player)| json!([player, mv])).collect();
        let asked = with(with(query("ko", 5), "moves", pairs.into()), "rules", json!(rules));
        server.ask(&with(asked, "analyzeTurns", json!([moves.len()])));
        let warning = server.answer();
        assert!(warning["warning"].as_str().is_some_and(|text| text.contains("ko")), "{warning}");
        assert_eq!(server.answer()["rootInfo"]["visits"], 5);
    }
}

#[test]
fn moves_are_avoided_and_lines_cut_as_asked() {
    let mut server = Server::start(&[]);
    let allow = json!([{"player": "W", "moves": ["C3", "G7", "pass"], "untilDepth": 1}]);
    let asked = with(with(query("q", 400), "allowMoves", allow), "analysisPVLen", json!(2));
    server.ask(&with(asked, "includePVVisits", json!(true)));
    let answer = server.answer();
    let moves = answer["moveInfos"].as_array().expect("moves");
    assert!(!moves.is_empty());
    for info in moves {
        assert!(["C3", "G7", "pass"].contains(&info["move"].as_str().expect("a move")), "{info}");
        let pv = info["pv"].as_array().expect("a line").len();
        assert!(pv <= 3 && info["pvVisits"].as_array().map(Vec::len) == Some(pv), "{info}");
    }
}

#[test]
fn lines_may_be_as_long_as_a_number_can_say() {
    let mut server = Server::start(&[]);
    server.ask(&with(query("q", 50), "analysisPVLen", json!(u64::MAX)));
    let answer = server.answer();
    let longest = answer["moveInfos"].as_array().expect("moves").iter();
    let longest = longest.filter_map(|info| info["pv"].as_array().map(Vec::len)).max();
    assert!(longest > Some(1), "{answer}");
}

#[test]
fn an_illegal_move_is_called_so_in_the_words_that_clients_look_for() {
    let mut server = Server::start(&[]);
    server.ask(&with(query("q", 10), "moves", json!([["B", "E5"], ["W", "D4"], ["B", "D4"]])));
    let answer = server.answer();
    assert_eq!(answer["error"], "Illegal move 3, D4: the point is occupied");
}

#[test]
fn white_moves_first_after_handicap_stones_alone() {
    let mut server = Server::start(&[]);
    for (stones, first) in [
        (json!([]), "B"),
        (json!([["B", "C3"]]), "B"),
        (json!([["B", "C3"], ["B", "G7"]]), "W"),
        (json!([["B", "C3"], ["B", "G7"], ["W", "E5"]]), "B"),
    ] {
        let asked = with(with(query("q", 10), "moves", json!([])), "initialStones", stones.clone());
        server.ask(&asked);
        assert_eq!(server.answer()["rootInfo"]["currentPlayer"], first, "{stones}");
        server.ask(&with(asked, "initialPlayer", json!("B")));
        assert_eq!(server.answer()["rootInfo"]["currentPlayer"], "B", "{stones}");
    }
}

#[test]
fn what_cannot_be_answered_is_an_error_that_names_the_field() {
    let mut server = Server::start(&[]);
    for (key, value) in [
        ("boardXSize", json!(20)),
        ("boardYSize", json!("nine")),
        ("rules", json!("chess")),
        ("rules", json!({"ko": "SOMETIMES"})),
        ("komi", json!(7.25)),
        ("komi", json!(1000)),
        ("moves", json!([["B", "E5"], ["W", "E5"]])),
        ("moves", json!([["B", "Z99"]])),
        ("moves", Value::Null),
        ("initialStones", json!([["B", "A1"], ["W", "A1"]])),
        ("initialPlayer", json!("green")),
        ("whiteHandicapBonus", json!("2")),
        ("analyzeTurns", json!([4])),
        ("analyzeTurns", json!(-1)),
        ("maxVisits", json!(0)),
        ("priorities", json!([1, 2])),
        ("avoidMoves", json!([{"player": "B"}])),
        ("includeOwnership", json!(1)),
        ("reportDuringSearchEvery", json!(-1)),
        ("overrideSettings", json!({"maxVisits": "many"})),
        ("analysisPVLen", json!(1e300)),
    ] {
        server.ask(&with(query("bad", 10), key, value.clone()));
        let answer = server.answer();
        assert_eq!(
            (&answer["field"], &answer["id"]),
            (&json!(key), &json!("bad")),
            "{key} {value}: {answer}"
        );
        assert!(answer["error"].as_str().is_some_and(|error| error.len() > 10), "{answer}");
    }
    for line in ["{", "[]", "\"text\"", "\u{1}\u{2}", "{\"id\":5}", "{\"id\":\"x\",\"action\":\"dance\"}"] {
        server.say(line);
        assert!(server.answer()["error"].is_string(), "{line}");
    }
    server.say(&"[".repeat(100_000));
    assert!(server.answer()["error"].is_string());
    server.say("");
    let odd = with(
        with(query("odd", 10), "colour", json!("blue")),
        "overrideSettings",
        json!({"wideRootNoise": 0.1}),
    );
    server.ask(&odd);
    let warned = [server.answer(), server.answer()].map(|answer| answer["field"].clone());
    assert_eq!(warned, ["overrideSettings.wideRootNoise", "colour"]);
    assert_eq!(server.answer()["id"], "odd");
}

#[test]
fn a_query_that_allows_no_legal_move_has_the_position_s_own_value_and_a_warning() {
    let mut server = Server::start(&[]);
    let value = |answer: &Value| answer["rootInfo"]["winrate"].as_f64().expect("a number");
    server.ask(&query("free", 60));
    let free = value(&server.answer());
    for (key, moves) in
        [("allowMoves", json!([])), ("allowMoves", json!(["E5"])), ("avoidMoves", json!(every_move()))]
    {
        let restriction = json!([{"player": "W", "moves": moves, "untilDepth": 1}]);
        server.ask(&with(query("none", 60), key, restriction));
        let warning = server.answer();
        assert_eq!((&warning["field"], &warning["turnNumber"]), (&json!(key), &json!(3)), "{warning}");
        assert!(warning["warning"].as_str().is_some_and(|text| text.contains("is legal")), "{warning}");
        let answer = server.answer();
        assert!((value(&answer) - free).abs() < 0.05, "{answer}");
        assert_eq!(answer["moveInfos"], json!([]));
    }
}

fn every_move() -> Vec<String> {
    let points = "ABCDEFGHJ".chars().flat_map(|column| (1..=9).map(move |row| format!("{column}{row}")));
    points.chain(["pass".to_owned()]).collect()
}

#[test]
fn every_field_is_delivered_or_warned_of() {
    let mut server = Server::start(&[]);
    let fields = [
        "includeOwnership",
        "includeMovesOwnership",
        "includePVVisits",
        "includeOwnershipStdev",
        "includeMovesOwnershipStdev",
        "includeNoResultValue",
    ];
    let asking =
        |is_asked: bool| fields.iter().fold(query("q", 40), |query, key| with(query, key, json!(is_asked)));
    server.ask(&asking(true));
    let mut warned: Vec<Value> =
        std::iter::repeat_with(|| server.answer()["field"].clone()).take(3).collect();
    warned.sort_by_key(|field| fields.iter().position(|known| *known == field));
    assert_eq!(warned, fields[3..]);
    let answer = server.answer();
    assert_eq!(answer["ownership"].as_array().map(Vec::len), Some(81));
    for info in answer["moveInfos"].as_array().expect("moves") {
        let owners = info["ownership"].as_array().expect("owners of the move");
        let in_range = |value: &Value| value.as_f64().is_some_and(|value| (-1.0..=1.0).contains(&value));
        assert!(owners.len() == 81 && owners.iter().all(in_range), "{info}");
        for key in ["scoreLead", "scoreMean", "scoreStdev", "scoreSelfplay"] {
            assert!(info[key].is_number(), "{key}: {info}");
        }
        let length = info["pv"].as_array().map(Vec::len);
        assert_eq!(
            [&info["pvVisits"], &info["pvEdgeVisits"]].map(|it| it.as_array().map(Vec::len)),
            [length; 2]
        );
    }
    assert!(answer["rootInfo"]["scoreStdev"].is_number());
    // A value of `false` requests nothing.
    server.ask(&asking(false));
    let answer = server.answer();
    assert!(answer["moveInfos"].is_array() && answer["ownership"].is_null(), "{answer}");
    server.ask(&with(
        query("deep", 10),
        "avoidMoves",
        json!([{"player": "W", "moves": ["A1"], "untilDepth": 3}]),
    ));
    assert_eq!(server.answer()["field"], "avoidMoves");
    assert_eq!(server.answer()["id"], "deep");
}

#[test]
fn the_same_query_again_has_the_same_answer() {
    let mut server = Server::start(&[]);
    let ask = |server: &mut Server| -> Value {
        server.ask(&with(query("q", 200), "includeOwnership", json!(true)));
        server.answer()
    };
    assert_eq!(ask(&mut server), ask(&mut server), "no simulation is new");
}

#[test]
fn a_first_report_comes_when_it_is_asked_for() {
    let mut server = Server::start(&[]);
    let slow = with(query("q", FOR_EVER), "reportDuringSearchEvery", json!(1000));
    server.ask(&with(slow, "firstReportDuringSearchAfter", json!(0.05)));
    let begin = Instant::now();
    assert_eq!(server.answer()["isDuringSearch"], true);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    server.ask(&json!({"id": "t", "action": "terminate_all"}));
    assert_eq!(server.answer_in_the_end()["id"], "t");
}

#[test]
fn in_a_settled_position_under_territory_rules_the_pass_is_the_first_move() {
    let mut server = Server::start(&[]);
    // A wall of each player divides the board. Black, to move, wins by half a point if he passes, or has lost by 31.5 points.
    let wall = |player: &str, column: &str| -> Vec<Value> {
        (1..=9).map(|row| json!([player, format!("{column}{row}")])).collect()
    };
    let stones = [wall("B", "E"), wall("W", "F")].concat();
    for komi in [8.5, 40.5] {
        server.ask(&json!({
            "id": "q", "boardXSize": 9, "boardYSize": 9, "rules": "japanese", "komi": komi, "maxVisits": 300,
            "moves": [], "initialStones": stones, "initialPlayer": "B",
        }));
        let answer = server.answer();
        let first = &answer["moveInfos"][0];
        assert_eq!((&first["move"], &first["order"]), (&json!("pass"), &json!(0)), "{answer}");
    }
}
