//! The help texts, and pipes that are closed before all of it is read.

use crate::common::program;
use std::process::{Command, Output, Stdio};

fn tewari(arguments: &[&str]) -> Command {
    let mut command = program();
    command.args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the standard output of the program, which must succeed and print nothing on standard error.
fn printed(arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = tewari(arguments).output().expect("the program ends");
    assert_eq!((status.code(), String::from_utf8_lossy(&stderr).as_ref()), (Some(0), ""), "{arguments:?}");
    String::from_utf8(stdout).expect("UTF-8")
}

/// Returns the same output in one line.
fn words(arguments: &[&str]) -> String {
    printed(arguments).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn options_are_in_groups_and_examples_follow() {
    for (command, groups) in [
        (
            "gtp",
            &["Position:", "Limits of a search:", "Memory and table:", "Search:", "Playouts and network:"][..],
        ),
        ("analyze", &["Position:", "Limits of a search:", "Memory and table:"]),
        ("match", &["Conditions of the games:", "Running and keeping the games:"]),
    ] {
        let help = printed(&[command, "--help"]);
        for group in groups.iter().chain(&["Examples:"]) {
            assert!(help.lines().any(|line| line == *group), "{command}: no {group} in {help}");
        }
    }
}

#[test]
fn the_help_says_how_long_each_command_thinks() {
    for (arguments, fragment) in [
        (&["gtp", "--help"][..], "Default: 1 s a move"),
        (&["analyze", "--help"], "Default: 10000 a position"),
        (&["analyze", "--help"], "1000000 for an empty board of at most 16 points"),
        (&["review", "--help"], "Default: 1000 a position"),
        (&["match", "--help"], "Default: 1000 a move for self"),
        (&["sweep", "--help"], "Default: 1000, unless --time"),
        (&["suite", "--help"], "Default: 1000 a test"),
        (&["play", "go", "--help"], "Default: 2 s a move"),
        (&["play", "tictactoe", "--help"], "Default: 20000 a move"),
        (&["bench", "--help"], "Default: 64MiB"),
        (&["selfplay", "--help"], "Default: 8MiB"),
        (&["suite", "--help"], "threshold with expect: win rate of the player to move, from 0 to 1"),
    ] {
        assert!(words(arguments).contains(fragment), "{arguments:?}: no {fragment}");
    }
}

#[test]
fn the_help_says_where_the_komi_of_a_record_comes_from() {
    let of_rules = "or 7.5, or 6.5 under territory scoring";
    for (arguments, fragment) in [
        (&["analyze", "--help"][..], "the file's, or 0.5 with a handicap, or the table file's"),
        (&["review", "--help"], "the record's, or 0.5 with a handicap, or the table file's"),
        (&["table", "learn", "--help"], "the record's, or 0.5 with a handicap, or the table file's"),
        (&["network", "eval", "--help"], "the file's, or 0.5 with a handicap"),
    ] {
        let help = words(arguments);
        assert!(help.contains(&format!("{fragment}, {of_rules}")), "{arguments:?}: {help}");
    }
}

#[test]
fn the_help_lists_all_values() {
    let policies = tewari::table::Replacement::ALL.map(tewari::table::Replacement::name);
    for command in ["gtp", "sweep", "bench"] {
        let help = words(&[command, "--help"]);
        for policy in policies {
            assert!(help.contains(policy), "{command}: no {policy}");
        }
    }
    for keys in tewari::go::KeyPolicy::ALL {
        assert!(words(&["gtp", "--help"]).contains(keys.name()));
    }
}

#[test]
fn the_program_lists_its_commands_its_settings_and_its_exit_codes() {
    let help = words(&["--help"]);
    for fragment in
        ["gtp", "review", "config", "TEWARI_CONFIG", "Exit codes: 0 done, 1 failed, 2", "Examples:"]
    {
        assert!(help.contains(fragment), "no {fragment}");
    }
    // Options of `gtp` are not options of other commands.
    assert!(!help.contains("--ponder"), "{help}");
}

#[test]
fn a_pipe_that_nobody_reads_ends_every_command_that_prints_quietly() {
    let folder = tempfile::tempdir().expect("a directory");
    let table = folder.path().join("x.tewari");
    let table = table.to_str().expect("UTF-8");
    printed(&["table", "create", table, "--size", "9", "--table-size", "1MiB"]);
    let game = folder.path().join("game.sgf");
    std::fs::write(&game, "(;SZ[5]KM[2.5];B[cc];W[bb])").expect("a file");
    let game = game.to_str().expect("UTF-8");
    for arguments in [
        &["config"][..],
        &["network", "info"],
        &["network", "eval", game],
        &["bench", "--playouts", "--games", "20"],
        &["table", "info", table],
        &["review", game, "--simulations", "5", "--table-size", "1MiB"],
        &[
            "match",
            "--black",
            "self:--simulations 2",
            "--white",
            "self:--simulations 2",
            "--size",
            "3",
            "--games",
            "2",
        ],
        &["--help"],
    ] {
        let mut child = tewari(arguments).spawn().expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    const PLAYER: &str = "self:--simulations 2 --table-size 64KiB";
    let folder = tempfile::tempdir().expect("a folder");
    let suite = folder.path().join("tests.jsonl");
    std::fs::write(&suite, r#"{"id": "a", "size": 3, "colour": "b", "wrong": ["A1"]}"#).expect("a suite");
    let suite = suite.to_str().expect("UTF-8");
    for arguments in [
        &["network", "info"][..],
        &["config"],
        &["bench", "--playouts", "--games", "20"],
        &["bench"],
        &["match", "--black", PLAYER, "--white", PLAYER, "--size", "2", "--games", "2", "--quiet"],
        &["suite", suite, "--simulations", "20"],
        &["sweep", "--size", "2", "--table-size", "64KiB", "--simulations", "10", "--games", "2", "--quiet"],
        &["--help"],
        &["--version"],
        &["gtp", "--help"],
        &["gtp", "--policy", "help"],
    ] {
        let full = std::fs::File::create("/dev/full").expect("Linux");
        let output = tewari(arguments).stdout(full).output().expect("the program ends");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        let is_placed = errors.starts_with("tewari: cannot write output: ") && errors.lines().count() == 1;
        assert!(is_placed, "{arguments:?}: {errors}");
    }
}
