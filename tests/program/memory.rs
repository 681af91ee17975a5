//! `--memory` covers the whole process: measured on real processes, as Linux counts.
#![cfg(target_os = "linux")]

use crate::common;
use crate::common::controller;

use controller::Controller;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;

const MIB: u64 = 1 << 20;

/// Starts this program with a budget of `mebibytes`. Light playouts and rules without dead stones fill a table sooner; the
/// status of stones is asked for by [`ask_around`].
fn engine(mebibytes: u64, side: u64, simulations: u64, threads: u64) -> Controller {
    engine_with(mebibytes, side, simulations, threads, true)
}

fn engine_with(mebibytes: u64, side: u64, simulations: u64, threads: u64, network: bool) -> Controller {
    let memory = format!("{mebibytes}MiB");
    let numbers = [side, simulations, threads].map(|number| number.to_string());
    let [side, simulations, threads] = numbers.each_ref().map(String::as_str);
    let mut arguments = if network { vec![] } else { vec!["--network", "none"] };
    arguments.extend([
        "--memory",
        &memory,
        "--size",
        side,
        "--simulations",
        simulations,
        "--threads",
        threads,
        "--seed",
        "1",
        "--resign",
        "0",
        "--playout-policy",
        "light",
        "--rules",
        "tromp-taylor",
    ]);
    Controller::tewari(&arguments)
}

/// Plays `moves` moves, with a new game after each end.
fn play(engine: &mut Controller, moves: usize) {
    let mut passes = 0;
    for number in 0..moves {
        let played = engine.ask(["genmove b", "genmove w"][number % 2]);
        passes = if played.eq_ignore_ascii_case("pass") { passes + 1 } else { 0 };
        if passes == 2 {
            engine.ask("clear_board");
            passes = 0;
        }
    }
}

/// Plays until every edge page and most entries of the table have been used: untouched pages take no memory.
fn fill(engine: &mut Controller) {
    while engine.table("blockEvictions") == 0
        || engine.table("evictions") == 0
        || engine.table("bytesUsed") * 100 < engine.table("bytes") * 88
    {
        play(engine, 10);
    }
}

/// Allowance for a test build without link-time optimisation: budgets are for release builds, and their pages take 1.2
/// to 1.9 MiB less.
const TEST_BUILD_BYTES: u64 = if cfg!(debug_assertions) { 3 * MIB / 2 } else { 0 };

/// Checks the peak so far against the budget and prints the rest.
fn assert_within(engine: &Controller, mebibytes: u64, what: &str) {
    let peak = engine.peak_memory();
    let left = (mebibytes * MIB + TEST_BUILD_BYTES) as f64 - peak as f64;
    println!("--memory {mebibytes}MiB, {what}: peak {} KiB, {:.0} KiB left", peak / 1024, left / 1024.0);
    assert!(left > 0.0, "{what}: peak {peak} bytes of {mebibytes} MiB");
}

#[test]
fn a_short_search_in_a_large_table_touches_little_of_it() {
    if tewari::base::memory::available().is_none_or(|bytes| bytes < 2048 * MIB) {
        println!("skipped: a table of 2 GiB is more than the memory of this machine");
        return;
    }
    for side in [9, 19] {
        let mut engine = engine(2048, side, 200, 1);
        engine.ask("name");
        let start = engine.peak_memory();
        engine.ask("genmove b");
        let grown = engine.peak_memory() - start;
        println!("--memory 2GiB, {side}x{side}, 200 simulations: {} KiB more", grown / 1024);
        assert!(grown < 20 * MIB, "{side}x{side}: 200 simulations took {grown} bytes");
        engine.quit();
    }
}

/// Sends the other commands that take memory.
fn ask_around(engine: &mut Controller) {
    for question in ["showboard", "final_score", "final_status_list dead", "list_commands", "all_legal b"] {
        // The position may not allow a score.
        let _ = engine.try_ask(question);
    }
}

/// Returns a record of up to 190 moves on 19x19 with a comment at each.
fn annotated_game(moves: usize) -> String {
    let mut record = String::from("(;GM[1]FF[4]SZ[19]KM[7.5]");
    for number in 0..moves.min(190) {
        let (column, row) = (number % 19, number / 19 * 2);
        let [column, row] = [column, row].map(|line| char::from(b'a' + line as u8));
        let colour = ["B", "W"][number % 2];
        record += &format!(";{colour}[{column}{row}]C[{}]", "What a move, said the master. ".repeat(10));
    }
    record + ")"
}

#[test]
fn sixty_four_mebibytes_are_enough_on_19x19_with_the_table_full() {
    // Complete pages, without a network, fill a table sooner.
    let mut engine = engine_with(64, 19, 4_000, 1, false);
    fill(&mut engine);
    assert_within(&engine, 64, "19x19 with the table full");
    ask_around(&mut engine);
    assert_within(&engine, 64, "after scoring");
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("game.sgf");
    std::fs::write(&path, annotated_game(190)).expect("a file");
    engine.ask(&format!("loadsgf {}", path.display()));
    play(&mut engine, 4);
    ask_around(&mut engine);
    assert_within(&engine, 64, "after an annotated game");
    engine.quit();
}

#[test]
fn another_board_size_needs_no_second_table() {
    let mut engine = engine_with(16, 19, 2_000, 1, false);
    fill(&mut engine);
    for side in [9, 13, 19] {
        engine.ask(&format!("boardsize {side}"));
        fill(&mut engine);
        assert_within(&engine, 16, &format!("then {side}x{side}"));
    }
    engine.quit();
}

#[test]
fn sixteen_mebibytes_are_enough_on_9x9_with_the_table_full() {
    for (threads, network) in [(1, true), (4, true), (1, false)] {
        let mut engine = engine_with(16, 9, 3_000, threads, network);
        fill(&mut engine);
        ask_around(&mut engine);
        assert_within(&engine, 16, &format!("9x9, {threads} threads, the table full"));
        engine.quit();
    }
}

/// Returns a JSON object of nearly the maximum line length, mostly repetitions of `part`.
fn query_full_of(start: &str, part: &str, end: &str) -> String {
    let count = (tewari::base::input::MAX_LINE_BYTES - start.len() - end.len()) / part.len();
    format!("{start}{}{end}", part.repeat(count))
}

#[test]
fn queries_of_analysis_that_wait_stay_within_the_budget() {
    let rules = r#""boardXSize":19,"boardYSize":19,"rules":"tromp-taylor","maxVisits":1"#;
    let game = |moves: usize| {
        let moves = vec![r#"["B","pass"]"#; moves].join(",");
        format!(r#"{{"id":"game",{rules},"moves":[{moves}]}}"#)
    };
    let turns = |text: &str| {
        query_full_of(&format!(r#"{{"id":"q",{rules},"moves":[],"analyzeTurns":[0"#), text, "]}")
    };
    let floods = [
        ("a megabyte each", format!(r#"{{"id":"q",{rules},"moves":["{}"]}}"#, "x".repeat(1 << 20)), 400),
        ("long ids", query_full_of(r#"{"id":""#, "a", &format!(r#"",{rules},"moves":[]}}"#)), 600),
        ("long games", game(1500), 600),
        ("turns", turns(",0"), 200),
        (
            "a few turns",
            format!(r#"{{"id":"q",{rules},"moves":[],"analyzeTurns":[0{}]}}"#, ",0".repeat(400)),
            4,
        ),
        ("objects", query_full_of(r#"{"id":"q","x":[0"#, r#",{"":{}}"#, "]}"), 100),
        ("keys", query_full_of(r#"{"id":"q""#, r#","":0"#, "}"), 100),
        ("caches to clear", query_full_of(r#"{"action":"clear_cache","id":""#, "a", "\"}"), 600),
    ];
    for (what, line, count) in floods {
        let mut child = common::program()
            .args(["analysis", "--memory", "64MiB", "--seed", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let mut input = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let (sender, first_answer) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            answers.map_while(Result::ok).inspect(|_| sender.send(()).unwrap_or_default()).count()
        });
        // The search of the first query lasts until all others are sent or wait to be read.
        writeln!(input, r#"{{"id":"first",{},"moves":[]}}"#, rules.replace("Visits\":1", "Visits\":2000"))
            .expect("it listens");
        for _ in 0..count {
            writeln!(input, "{line}").expect("it listens");
        }
        first_answer.recv().expect("an answer");
        let peak = controller::peak_memory(child.id());
        drop(input);
        let answers = reader.join().expect("answers");
        assert!(child.wait().expect("it ends").success(), "{what}");
        println!("--memory 64MiB, {count} queries, {what}: peak {} KiB, {answers} answers", peak / 1024);
        assert!(peak < 64 * MIB, "{what}: peak {peak} bytes");
        assert!(answers > count, "{what}: {answers} answers");
    }
}

#[test]
fn ten_megabytes_of_records_take_less_than_two_hundred() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("large.sgf");
    let nested = |node: &str| {
        let depth = 10_000_000 / (node.len() + 1);
        format!("{}{}", node.repeat(depth), ")".repeat(depth))
    };
    let in_a_row = format!("(;GM[1]SZ[9]{})", ";B[];W[]".repeat(10_000_000 / 8));
    for (what, record) in [("empty", nested("(;")), ("nested", nested("(;B[]")), ("in a row", in_a_row)] {
        std::fs::write(&path, record).expect("a file");
        let mut engine = engine_with(16, 9, 1, 1, false);
        // The longest records are cut off, with an error.
        let _ = engine.try_ask(&format!("loadsgf {}", path.display()));
        let peak = engine.peak_memory() / 1_000_000;
        println!("10 MB of nodes, {what}: peak {peak} MB");
        assert!((20..200).contains(&peak), "{what}: peak {peak} MB");
        engine.quit();
    }
}
