//! Live analysis as GUIs use it: real processes that receive commands during a search.

use crate::common::program;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout for one answer; the searches themselves would take hours.
const PATIENCE: Duration = Duration::from_secs(60);

struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Engine {
    fn start(arguments: &[&str]) -> Engine {
        let mut child = Engine::spawn(arguments);
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Engine { input: child.stdin.take(), child, lines }
    }

    fn spawn(arguments: &[&str]) -> Child {
        let mut command = program();
        command.args(["gtp", "-q", "--size", "9", "--table-size", "8MiB", "--seed", "1"]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program runs")
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open input");
        writeln!(input, "{line}").expect("a listening engine");
        input.flush().expect("a listening engine");
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line in time")
    }

    /// Returns the lines of a response up to the empty line.
    fn response(&self) -> Vec<String> {
        std::iter::repeat_with(|| self.line()).take_while(|line| !line.is_empty()).collect()
    }

    fn ask(&mut self, line: &str) -> String {
        self.say(line);
        self.response().join("\n")
    }

    /// Ends the input and returns the remaining lines.
    fn finish(mut self) -> Vec<String> {
        drop(self.input.take());
        let lines = std::iter::repeat_with(|| self.lines.recv_timeout(PATIENCE).ok()).map_while(|line| line);
        let lines = lines.collect();
        wait(&mut self.child);
        lines
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait(child: &mut Child) {
    let begin = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        assert!(begin.elapsed() < PATIENCE, "the engine goes on");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Keys and values.
type Pairs = Vec<(String, String)>;

/// Returns the moves of an analysis line, each with its main line.
fn moves(line: &str) -> Vec<(Pairs, Vec<String>)> {
    let line = line.split(" rootInfo ").next().expect("a part").split(" ownership ").next().expect("a part");
    line.split("info ")
        .skip(1)
        .map(|part| {
            let (pairs, pv) = part.split_once(" pv ").expect("a principal variation at the end");
            let words: Vec<&str> = pairs.split_whitespace().collect();
            assert!(words.len().is_multiple_of(2), "{part}");
            let pairs = words.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
            (pairs, pv.split_whitespace().map(str::to_owned).collect())
        })
        .collect()
}

fn value(pairs: &[(String, String)], key: &str) -> f64 {
    let (_, value) = pairs.iter().find(|(known, _)| known == key).unwrap_or_else(|| panic!("no {key}"));
    value.parse().unwrap_or_else(|_| panic!("{key} {value}"))
}

#[test]
fn lines_come_while_it_thinks_and_any_line_ends_the_analysis() {
    let mut engine = Engine::start(&[]);
    for (command, ends, largest) in [
        ("7 lz-analyze b 5", "8 name", 10_000.0),
        ("7 lz-analyze 5", "8 name", 10_000.0),
        ("7 kata-analyze b 5", "8 name", 1.0),
        ("7 analyze b interval 5", "8 name", 10_000.0),
    ] {
        engine.say(command);
        assert_eq!(engine.line(), "=7", "{command}");
        let lines = [engine.line(), engine.line(), engine.line()];
        engine.say(ends);
        let rest = engine.response();
        assert_eq!(engine.response(), ["=8 Tewari"]);
        let mut visits = 0.0;
        for line in lines.iter().chain(&rest) {
            let moves = moves(line);
            check_format(command.split(' ').nth(1).expect("a name"), &moves);
            for (order, (pairs, pv)) in moves.iter().enumerate() {
                assert_eq!((pairs[0].0.as_str(), &pairs[0].1), ("move", &pv[0]), "{line}");
                assert_eq!(value(pairs, "order"), order as f64, "{line}");
                for key in ["winrate", "lcb", "prior"] {
                    assert!((0.0..=largest).contains(&value(pairs, key)), "{line}");
                }
                assert!(value(pairs, "lcb") <= value(pairs, "winrate"));
            }
            let now: f64 = moves.iter().map(|(pairs, _)| value(pairs, "visits")).sum();
            assert!(now >= visits, "{line}");
            visits = now;
        }
    }
    // An empty line and a comment also end an analysis.
    for ends in ["", "# well"] {
        engine.say("lz-analyze w 5");
        assert_eq!([engine.line().as_str(), &engine.line()[..5]], ["=", "info "]);
        engine.say(ends);
        engine.response();
    }
    assert_eq!(engine.ask("list_stones b"), "=");
}

/// Checks the format: integer win rates except for commands that begin with `kata`, as Sabaki 0.60 reads them, and
/// scores as KataGo writes them.
fn check_format(command: &str, moves: &[(Pairs, Vec<String>)]) {
    for (pairs, _) in moves {
        let keys: Vec<&str> = pairs.iter().map(|(key, _)| key.as_str()).collect();
        let has_point = |key: &str| pairs.iter().any(|(known, value)| known == key && value.contains('.'));
        assert!(["winrate", "lcb", "prior"].iter().all(|key| has_point(key) == (command == "kata-analyze")));
        let scores = ["scoreMean", "scoreStdev", "scoreLead", "scoreSelfplay"].map(|key| keys.contains(&key));
        let expected = match command {
            "kata-analyze" => [true; 4],
            "analyze" => [false, false, true, false],
            _ => [false; 4],
        };
        assert_eq!(scores, expected, "{command}: {keys:?}");
    }
}

#[test]
fn each_move_has_its_ownership_and_visits_of_its_line_where_they_are_asked_for() {
    for network in [&[][..], &["--network", "none"]] {
        let mut engine = Engine::start(&[network, &["--simulations", "60"]].concat());
        let response = engine.ask(
            "kata-genmove_analyze b 1000 movesOwnership true pvVisits true pvEdgeVisits true ownership true maxmoves 5",
        );
        let line = response.lines().rev().nth(1).expect("a line of analysis");
        let infos: Vec<&str> = line.split("info ").skip(1).collect();
        assert!((2..=5).contains(&infos.len()), "{line}");
        for info in infos {
            let (before, owners) = info.split_once(" movesOwnership ").expect("the owners of a move");
            let owners = owners.split(" ownership ").next().expect("a part").split_whitespace();
            let owners: Vec<f64> = owners.map(|value| value.parse().expect("a number")).collect();
            assert_eq!(owners.len(), 81);
            assert!(owners.iter().all(|value| (-1.0..=1.0).contains(value)), "{owners:?}");
            let (pv, visits) = before.split_once(" pvVisits ").expect("visits of the line");
            let (_, pv) = pv.split_once(" pv ").expect("a line");
            let (visits, edges) = visits.split_once(" pvEdgeVisits ").expect("visits of its edges");
            let lengths = [pv, visits, edges].map(|words| words.split_whitespace().count());
            assert_eq!(lengths, [lengths[0]; 3], "{info}");
        }
    }
}

#[test]
fn a_move_is_searched_for_without_being_played_and_any_line_cancels_it_where_that_is_wanted() {
    let mut engine = Engine::start(&["--simulations", "50"]);
    for command in ["kata-search_analyze b 10", "kata-search_analyze_cancellable w 10", "kata-search b"] {
        let response = engine.ask(command);
        let last = response.lines().last().expect("a move").to_owned();
        let mv = last.strip_prefix("play ").or(last.strip_prefix("= ")).expect("a move");
        assert!(mv.len() == 2, "{command}: {response}");
        assert_eq!(engine.ask("list_stones b"), "=");
    }
    let mut engine = Engine::start(&["--time", "100000"]);
    for (command, answer) in [
        ("kata-search_cancellable b", "= cancelled"),
        ("kata-search_analyze_cancellable b 5", "play cancelled"),
    ] {
        engine.say(command);
        thread::sleep(Duration::from_millis(200));
        engine.say("name");
        assert_eq!(engine.response().last().map(String::as_str), Some(answer), "{command}");
        assert_eq!(engine.response(), ["= Tewari"]);
    }
}

#[test]
fn time_that_is_left_is_obeyed_without_settings() {
    let mut engine = Engine::start(&[]);
    for left in ["0.3 0", "0 0"] {
        engine.ask(&format!("time_left b {left}"));
        let begin = Instant::now();
        assert!(engine.ask("genmove b").starts_with("= "));
        assert!(begin.elapsed() < Duration::from_millis(300), "{left}: {:?}", begin.elapsed());
    }
}

#[test]
fn values_and_owners_are_those_of_the_player_asked_about() {
    let mut engine = Engine::start(&["--komi", "0"]);
    // Black's wall on the third line encloses the two lines below it.
    for column in "ABCDEFGHJ".chars() {
        engine.ask(&format!("play b {column}3"));
    }
    engine.ask("play w J9");
    engine.ask("play w J8");
    for (player, sign) in [("b", 1.0), ("w", -1.0)] {
        engine.say(&format!("kata-analyze {player} 10 ownership true rootInfo true pvVisits true"));
        engine.line();
        engine.line();
        engine.say("");
        let line = engine.response().pop().expect("a line");
        let (before, owners) = line.split_once(" ownership ").expect("owners");
        let owners: Vec<f64> = owners.split(' ').map(|value| value.parse().expect("a number")).collect();
        assert_eq!(owners.len(), 81);
        assert!(owners.iter().all(|value| (-1.0..=1.0).contains(value)));
        // The first line of the board is the last in the list.
        assert!(owners[72..].iter().all(|value| sign * value > 0.7), "{player}: {:?}", &owners[72..]);
        let (before, root) = before.split_once(" rootInfo ").expect("the root");
        let words: Vec<&str> = root.split(' ').collect();
        let root: Vec<_> = words.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
        assert!(sign * (value(&root, "winrate") - 0.5) > 0.2, "{player}: {root:?}");
        assert!(sign * value(&root, "scoreLead") > 10.0, "{player}: {root:?}");
        let visits = before.split(" pvVisits ").nth(1).expect("visits").split(' ');
        let visits: Vec<u64> = visits.map_while(|visits| visits.parse().ok()).collect();
        // The visits are those of positions, which other moves may lead to as well, so they need not decrease.
        assert!(visits.len() > 1 && visits.iter().all(|&visits| visits > 0), "{visits:?}");
    }
}

#[test]
fn moves_to_avoid_or_allow_are_kept_to_and_prove_nothing() {
    let mut engine = Engine::start(&["--komi", "3.5"]);
    engine.ask("boardsize 3");
    let mut analyse = |rest: &str| {
        engine.say(&format!("kata-analyze b 5 {rest}"));
        engine.line();
        // A search that proves its root ends after a single line.
        let first = engine.line();
        engine.say("");
        let last = engine.response().pop().unwrap_or_else(|| first.clone());
        [first, last].map(|line| moves(&line).iter().map(|(pairs, _)| pairs[0].1.clone()).collect::<Vec<_>>())
    };
    for moves in analyse("allow b A1,C3 1") {
        assert!(moves.iter().all(|mv| mv == "A1" || mv == "C3"), "{moves:?}");
    }
    for moves in analyse("avoid b B2,pass 5 maxmoves 2") {
        assert!(moves.len() <= 2 && !moves.contains(&"B2".to_owned()), "{moves:?}");
    }
    for moves in analyse("minmoves 100") {
        let different: BTreeSet<&String> = moves.iter().collect();
        assert_eq!((moves.len(), different.len()), (10, 10), "every legal move once: {moves:?}");
    }
    // The centre is worth nine points and a side three, so only the centre wins, whichever moves earlier searches
    // allowed.
    assert_eq!(engine.ask("genmove b"), "= B2");
}

#[test]
fn moves_are_made_with_analysis() {
    let mut engine = Engine::start(&["--time", "0.3"]);
    for (command, key) in [
        ("lz-genmove_analyze b 5", "info move"),
        ("kata-genmove_analyze w 5 ownership true", "info move"),
        ("genmove_analyze b interval 5", "info move"),
    ] {
        let response = engine.ask(command);
        let lines: Vec<&str> = response.lines().collect();
        assert!(lines.len() > 3 && lines[1].starts_with(key), "{response}");
        let played = lines.last().and_then(|line| line.strip_prefix("play ")).expect("a move");
        let best = &moves(lines[lines.len() - 2])[0].0[0].1;
        assert_eq!(best, played);
    }
    let response = engine.ask("cgos-genmove_analyze w");
    let lines: Vec<&str> = response.lines().collect();
    let json: serde_json::Value = serde_json::from_str(lines[1]).expect("JSON");
    assert!(lines.len() == 3 && lines[2].starts_with("play "), "{response}");
    assert_eq!(json["moves"][0]["move"].as_str(), lines[2].strip_prefix("play "));
    assert_eq!(json["ownership"].as_str().map(str::len), Some(81));
    assert_eq!(engine.ask("list_stones w").split_whitespace().count(), 3);
}

#[test]
fn a_move_comes_at_once_when_interrupted() {
    let mut engine = Engine::start(&["--time", "100000"]);
    engine.say("1 genmove b");
    thread::sleep(Duration::from_millis(300));
    engine.say("# interrupt");
    let response = engine.response();
    assert!(response[0].starts_with("=1 ") && response[0].len() > 3, "{response:?}");
    engine.say("2 genmove w");
    assert!(engine.lines.recv_timeout(Duration::from_millis(700)).is_err(), "an old interrupt is over");
    engine.say("# interrupt");
    assert!(engine.response()[0].starts_with("=2 "));
}

/// Only Linux detects a closed output while nothing is written.
#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_nobody_reads_ends() {
    for command in ["genmove b", "lz-analyze b 100000", "kata-analyze b 5"] {
        let mut child = Engine::spawn(&["--time", "100000"]);
        let mut input = child.stdin.take().expect("a pipe");
        writeln!(input, "{command}").expect("a listening engine");
        thread::sleep(Duration::from_millis(200));
        // The input stays open, as with a client that hangs.
        drop(child.stdout.take());
        wait(&mut child);
    }
}

#[test]
fn a_client_that_dies_ends_the_engine_with_exit_code_1() {
    let lines = [&["gtp", "--size", "9", "--table-size", "8MiB"][..], &["analysis", "--table-size", "8MiB"]];
    for (arguments, said) in lines.iter().flat_map(|line| [(line, ""), (line, "nonsense")]) {
        let mut command = program();
        command.args(*arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        // All pipes are closed at once, standard error included.
        drop((child.stdout.take(), child.stderr.take()));
        let _ = writeln!(child.stdin.as_ref().expect("a pipe"), "{said}");
        drop(child.stdin.take());
        wait(&mut child);
        assert_eq!(child.wait().expect("an end").code(), Some(1), "{arguments:?} {said}");
    }
}

#[test]
fn the_end_of_input_ends_an_analysis_and_not_a_move() {
    let mut engine = Engine::start(&[]);
    engine.say("lz-analyze b 5");
    engine.line();
    engine.line();
    assert!(engine.finish().iter().any(String::is_empty), "the response is ended");
    let mut engine = Engine::start(&["--simulations", "3000"]);
    engine.say("genmove b");
    let lines = engine.finish();
    assert!(lines[0].starts_with("= ") && lines[0] != "= resign", "{lines:?}");
}

#[test]
fn pondering_searches_until_the_next_line() {
    let misses = |arguments: &[&str]| {
        let mut engine = Engine::start(&[&["--simulations", "100"], arguments].concat());
        engine.ask("genmove b");
        thread::sleep(Duration::from_millis(500));
        let table = engine.ask("tewari-table");
        let line = table.lines().find_map(|line| line.strip_prefix("misses ")).expect("a counter");
        let first: u64 = line.parse().expect("a number");
        (first, engine.ask("genmove w"))
    };
    let (without, _) = misses(&[]);
    let (with, answer) = misses(&["--ponder"]);
    assert!(with > 2 * without, "{with} {without}");
    assert!(answer.starts_with("= "), "{answer}");
}
