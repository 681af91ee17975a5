//! A whole game against GNU Go; each program checks the other's moves.

use crate::common::controller;

use controller::Controller;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// Maximum number of moves, far above the length of a 9x9 game between programs that pass at its end.
const LONGEST: usize = 250;

/// Finds GNU Go, also in `/usr/games`, where Debian installs it and which is often not in `PATH`.
fn gnu_go() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|directory| directory.join("gnugo"))
        .find(|program| program.is_file());
    if found.is_none() {
        println!("skipped: gnugo is not installed");
    }
    found
}

/// Returns the stones of a colour as a set.
fn stones(engine: &mut Controller, colour: &str) -> BTreeSet<String> {
    let list = engine.ask(&format!("list_stones {colour}"));
    list.split_whitespace().map(str::to_ascii_uppercase).collect()
}

/// Returns Black's lead by a final score such as `B+2.5`.
fn lead(score: &str) -> f64 {
    let points = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("no score: {score}"));
    match score.split_once('+') {
        Some(("B", lead)) => points(lead),
        Some(("W", lead)) => -points(lead),
        _ => points(score),
    }
}

#[test]
fn a_whole_game_against_gnu_go_is_legal_for_both() {
    let Some(program) = gnu_go() else { return };
    let rules = ["--chinese-rules", "--positional-superko"];
    let mut command = Command::new(program);
    let theirs =
        Controller::start(command.args(["--mode", "gtp", "--level", "1", "--seed", "1"]).args(rules));
    let ours = Controller::tewari(&[
        "--simulations",
        "200",
        "--seed",
        "1",
        "--table-size",
        "16MiB",
        "--resign",
        "0",
    ]);
    let mut engines = [ours, theirs];
    for engine in &mut engines {
        for line in ["boardsize 9", "clear_board", "komi 6.5"] {
            engine.ask(line);
        }
    }
    let mut passes = 0;
    let mut number = 0;
    while passes < 2 {
        let colour = ["black", "white"][number % 2];
        let [ours, theirs] = &mut engines;
        let (mover, referee) = if number % 2 == 0 { (ours, theirs) } else { (theirs, ours) };
        let played = mover.ask(&format!("genmove {colour}"));
        if played.eq_ignore_ascii_case("resign") {
            break;
        }
        let accepted = referee.try_ask(&format!("play {colour} {played}"));
        assert_eq!(accepted, Ok(String::new()), "move {}, {colour} {played}", number + 1);
        passes = if played.eq_ignore_ascii_case("pass") { passes + 1 } else { 0 };
        for colour in ["black", "white"] {
            let [one, other] = engines.each_mut().map(|engine| stones(engine, colour));
            assert_eq!(one, other, "{colour} after move {}, {played}", number + 1);
        }
        number += 1;
        assert!(number < LONGEST, "the game does not end");
    }
    let [ours, theirs] = engines.each_mut().map(|engine| engine.ask("final_score"));
    println!("{number} moves; final score {ours}, says GNU Go {theirs}");
    // They may disagree on dead stones, but each score must be possible on 9x9.
    for score in [&ours, &theirs] {
        assert!(lead(score).abs() <= 81.0 + 6.5, "{score}");
    }
    engines.into_iter().for_each(Controller::quit);
}
