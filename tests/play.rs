//! What `tewari play` promises: a polite game, whatever is typed.

use std::io::Write;
use std::process::{Command, Stdio};
use tewari::search::policy::Preset;

/// What a game against the real program shows, when `input` is typed and then the input ends.
fn play(arguments: &[&str], input: &[u8]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tewari"));
    command.arg("play").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // It may leave before everything is read.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn go(input: &str) -> String {
    play(
        &["go", "--size", "5", "--komi", "0.5", "--simulations", "50", "--table-size", "1MiB"],
        input.as_bytes(),
    )
}

fn tictactoe(input: &str) -> String {
    play(&["tictactoe"], input.as_bytes())
}

#[test]
fn tic_tac_toe_is_never_lost_by_the_engine_and_its_proof_is_announced() {
    for input in ["5\n1\n2\n3\n4\n6\n7\n8\n9\n", "1\n5\n9\n3\n7\n2\n8\n4\n6\n", "2\n4\n6\n8\n1\n3\n5\n7\n9\n"]
    {
        let shown = tictactoe(input);
        assert!(!shown.contains("X wins"), "{shown}");
        assert!(shown.contains("I can force a draw") || shown.contains("I can force a win"), "{shown}");
        assert!(shown.contains("A draw") || shown.contains("O wins"), "{shown}");
    }
    let shown = play(&["tictactoe", "--colour", "white"], b"quit\n");
    assert!(shown.contains("You are O") && shown.contains("X plays"), "{shown}");
}

#[test]
fn mistakes_are_explained_and_change_nothing() {
    let shown = go("C3\nC3\nZ9\nhello\n\n\u{fffd}\n5\nquit\n");
    assert!(shown.contains("C3 is not allowed: there is a stone already."), "{shown}");
    assert!(shown.contains("\"Z9\" is no move: expected points such as D4, or pass."), "{shown}");
    assert_eq!(shown.matches("White (O) plays").count(), 1, "{shown}");
    let shown = tictactoe("1\n0\n10\n4,4\n1,1\nquit\n");
    assert_eq!(shown.matches("is no move").count(), 3, "{shown}");
    assert!(shown.contains("1 is not allowed: the cell is taken."), "{shown}");
}

#[test]
fn undo_takes_back_to_the_person_and_hints_name_moves() {
    let shown = go("undo\nC3\nundo\nhint\nquit\n");
    assert!(shown.contains("There is nothing to take back."), "{shown}");
    assert!(shown.contains("Taken back."), "{shown}");
    assert!(shown.contains("visits"), "{shown}");
    let last_board = shown.rsplit("Taken back.").next().unwrap();
    assert!(last_board.contains("Black (X) to move"), "{shown}");
}

#[test]
fn a_game_ends_with_its_score_and_another_may_follow() {
    let shown = go("pass\npass\npass\nnew\nC3\nquit\n");
    assert!(shown.contains("Both passed: White wins by 0.5 points"), "{shown}");
    assert!(shown.contains("A new game.") && shown.ends_with("Good bye.\n"), "{shown}");
    let shown = go("resign\nC3\nundo\n");
    assert!(shown.contains("You resign: White (O) wins.") && shown.contains("The game is over"), "{shown}");
}

#[test]
fn the_end_of_the_input_is_a_good_bye() {
    for input in [&b""[..], b"C3", b"\xff\xfe\x00\n", b"quit"] {
        assert!(play(&["go", "--size", "5", "--simulations", "20"], input).ends_with("Good bye.\n"));
        assert!(play(&["tictactoe", "--simulations", "20"], input).ends_with("Good bye.\n"));
    }
}

#[test]
fn every_preset_can_be_played_against() {
    for name in Preset::names() {
        let shown = play(&["tictactoe", "--policy", name, "--simulations", "200"], b"5\nquit\n");
        assert!(shown.contains("O plays"), "{name}: {shown}");
        let options = ["go", "--size", "3", "--policy", name, "--simulations", "50", "--table-size", "1MiB"];
        assert!(play(&options, b"B2\nquit\n").contains("White (O) plays"), "{name}");
    }
}

#[test]
fn an_estimate_draws_whose_the_board_becomes() {
    let shown = go("C3\nestimate\nquit\n");
    let rows = shown
        .lines()
        .filter(|line| line.chars().all(|symbol| "12345 XxOo.".contains(symbol)) && line.len() > 4);
    assert!(rows.count() >= 5, "{shown}");
    assert!(shown.contains(" leads by about ") && shown.contains("estimate, resign"), "{shown}");
    let shown = tictactoe("estimate\nquit\n");
    assert!(shown.contains("There is no territory in this game."), "{shown}");
}
