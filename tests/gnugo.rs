//! A whole game against GNU Go, each program the other's referee.

mod common;
#[path = "cli/controller.rs"]
mod controller;

use controller::Controller;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// Longer games are stopped: far more moves than a 9x9 game between two who pass when they are done.
const LONGEST: usize = 250;

/// Where Debian puts games is often not in the search path.
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

/// The stones of a colour, whatever order they are listed in.
fn stones(engine: &mut Controller, colour: &str) -> BTreeSet<String> {
    let list = engine.ask(&format!("list_stones {colour}"));
    list.split_whitespace().map(str::to_ascii_uppercase).collect()
}

/// A final score such as `B+2.5` as Black's lead.
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
    // They need not agree on what is dead, but both must find a score that 9x9 can have.
    for score in [&ours, &theirs] {
        assert!(lead(score).abs() <= 81.0 + 6.5, "{score}");
    }
    engines.into_iter().for_each(Controller::quit);
}
