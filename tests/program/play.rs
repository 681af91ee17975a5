//! `tewari play`: a game that answers every input sensibly.

use crate::common::program;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use tewari::search::policy::Preset;

/// Returns the output of a game after `input` is typed and ends.
fn play(arguments: &[&str], input: &[u8]) -> String {
    let mut command = program();
    command.arg("play").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // The program may end before it has read all of its input.
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

/// Plays in a folder; `FOLDER` in the input stands for its name.
fn go_in(folder: &Path, arguments: &[&str], input: &str) -> String {
    let quick = ["go", "--simulations", "50", "--table-size", "1MiB"];
    let input = input.replace("FOLDER", folder.to_str().expect("UTF-8"));
    play(&[&quick, arguments].concat(), input.as_bytes())
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
    assert!(shown.contains("C3 is not allowed: the point is occupied."), "{shown}");
    assert!(shown.contains("\"Z9\" is not a move; moves are points such as D4, or pass."), "{shown}");
    assert_eq!(shown.matches("White (O) plays").count(), 1, "{shown}");
    let shown = tictactoe("1\n0\n10\n4,4\n1,1\nquit\n");
    assert_eq!(shown.matches("is not a move").count(), 3, "{shown}");
    assert!(shown.contains("1 is not allowed: the cell is taken."), "{shown}");
}

#[test]
fn undo_takes_back_to_the_person_and_hints_name_moves() {
    let shown = go("undo\nC3\nundo\nhint\nquit\n");
    assert!(shown.contains("There is no move to take back."), "{shown}");
    assert!(shown.contains("Taken back."), "{shown}");
    assert!(shown.contains("visits"), "{shown}");
    let last_board = shown.rsplit("Taken back.").next().unwrap();
    assert!(last_board.contains("Black (X) to move"), "{shown}");
}

#[test]
fn a_game_ends_with_its_score_and_another_may_follow() {
    let shown = go("pass\npass\npass\nnew\nC3\nquit\n");
    assert!(shown.contains("Both passed: White wins by"), "{shown}");
    assert!(shown.contains("A new game.") && shown.ends_with("Goodbye.\n"), "{shown}");
    let shown = go("resign\nC3\nundo\n");
    assert!(shown.contains("You resign: White (O) wins.") && shown.contains("The game is over"), "{shown}");
}

#[test]
fn the_end_of_the_input_is_a_good_bye() {
    for input in [&b""[..], b"C3", b"\xff\xfe\x00\n", b"quit"] {
        assert!(play(&["go", "--size", "5", "--simulations", "20"], input).ends_with("Goodbye.\n"));
        assert!(play(&["tictactoe", "--simulations", "20"], input).ends_with("Goodbye.\n"));
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
    assert!(shown.contains(" leads by about ") && shown.contains("estimate, score"), "{shown}");
    let shown = tictactoe("estimate\nquit\n");
    assert!(shown.contains("There is no territory in this game."), "{shown}");
}

#[test]
fn a_mistyped_word_is_told_in_one_line_with_what_to_type() {
    let shown = go("undoo\nsave\nload\nhint 3\nhello\nquit\n");
    for line in [
        "> \"undoo\" is neither a move nor a command: type undo if you mean that, or help for all commands.",
        "> save needs the name of a file: type save game.sgf, or save game.sgf --force to overwrite one",
        "> load needs the name of a file: type load game.sgf",
        "> hint takes no argument: type hint",
        "> \"hello\" is not a move; moves are points such as D4, or pass. Type help for all commands.",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }
}

#[test]
fn a_dead_stone_is_captured_where_a_pass_would_lose() {
    let folder = tempfile::tempdir().expect("a folder");
    let wall = |column: char| ('a'..='g').map(|row| format!("[{column}{row}]")).collect::<String>();
    for rules in ["Chinese", "Tromp-Taylor"] {
        let stones = format!("AB{}[fd]AW{}", wall('c'), wall('d'));
        let record = format!("(;SZ[7]KM[7.5]RU[{rules}]PL[W]{stones})");
        std::fs::write(folder.path().join("wall.sgf"), record).expect("a file");
        let shown = go_in(folder.path(), &[], "load FOLDER/wall.sgf\nquit\n");
        assert!(
            shown.contains("White (O) plays ") && !shown.contains("White (O) plays pass"),
            "{rules}: {shown}"
        );
    }
}

#[test]
fn a_game_is_saved_and_loaded_and_no_file_is_overwritten_without_force() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a game.sgf");
    let saved = |input: &str| {
        let shown = go_in(folder.path(), &["--size", "5", "--komi", "0.5"], input);
        (shown, std::fs::read_to_string(&file).expect("a record"))
    };
    let (shown, first) = saved("C3\nsave FOLDER/a game.sgf\nquit\n");
    assert!(shown.contains("a game.sgf: 2 moves."), "{shown}");
    assert!(first.contains("SZ[5]KM[0.5]RU[Chinese]") && first.contains("PB[Person]PW[Tewari]"), "{first}");
    assert!(first.contains(";B[cc];W["), "{first}");
    let (shown, second) = saved("pass\nsave FOLDER/a game.sgf\nquit\n");
    assert!(shown.contains("exists: type save ") && second == first, "{shown}");
    let (shown, _) = saved("load FOLDER/a game.sgf\nundo\nload FOLDER/no.sgf\nquit\n");
    assert!(shown.contains("a game.sgf: 2 moves.") && shown.contains("Taken back."), "{shown}");
    assert!(shown.contains("no.sgf: ") && shown.contains("os error 2"), "{shown}");
    let (shown, third) = saved("save FOLDER/a game.sgf --force\nsave FOLDER/none/x.sgf\nsave FOLDER\nquit\n");
    assert!(!third.contains(";B[") && shown.contains("x.sgf: "), "{shown}");
    assert!(shown.contains("it is a folder"), "{shown}");
}

#[test]
fn a_resignation_is_saved_and_taken_back_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a record");
    let input = "C3\nresign\nsave FOLDER/r.sgf\nundo\nsave FOLDER/u.sgf\nundo\nsave FOLDER/e.sgf\nquit\n";
    let shown = go_in(folder.path(), &["--size", "5"], input);
    assert_eq!(shown.matches("Taken back.").count(), 2, "{shown}");
    assert!(saved("r.sgf").contains("RE[W+R]") && saved("r.sgf").contains(";B[cc];W["), "{}", saved("r.sgf"));
    assert!(!saved("u.sgf").contains("RE[") && saved("u.sgf").contains(";B[cc];W["), "{}", saved("u.sgf"));
    assert!(!saved("e.sgf").contains(";B["), "{}", saved("e.sgf"));
    let shown = go_in(folder.path(), &["--size", "5"], "resign\nundo\nC3\nresign\nnew\nundo\nquit\n");
    assert!(shown.contains("Taken back.") && shown.contains("White (O) plays"), "{shown}");
    assert_eq!(shown.matches("There is no move to take back.").count(), 1, "{shown}");
}

#[test]
fn a_loaded_game_brings_its_board_komi_and_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = "(;GM[1]FF[4]SZ[7]KM[2.5]RU[Japanese];B[dd];W[cc];B[ce])";
    std::fs::write(folder.path().join("g.sgf"), record).expect("a record");
    std::fs::write(folder.path().join("bad.sgf"), "no game").expect("a file");
    let shown =
        go_in(folder.path(), &["--size", "5"], "load FOLDER/bad.sgf\nload FOLDER/g.sgf\nscore\nquit\n");
    assert!(shown.contains("bad.sgf: "), "{shown}");
    assert!(shown.contains("g.sgf: 3 moves.") && shown.contains("7x7, japanese rules, komi 2.5."), "{shown}");
    // White is to move and is the engine.
    assert!(shown.contains("White (O) plays") && shown.contains(" 7  . . . . . . .\n"), "{shown}");
    assert!(shown.contains("If the game ended now: "), "{shown}");
}

#[test]
fn a_loaded_game_keeps_its_players_event_and_result_and_says_what_it_loses() {
    let folder = tempfile::tempdir().expect("a folder");
    let information = "GN[The title]EV[Cup]DT[2026-11-01]PB[Ann \\] B]BR[3k]PW[Ben]WR[2d]";
    let record = format!("(;GM[1]FF[4]SZ[7]KM[2.5]RU[Chinese]{information}RE[B+T]C[a comment];B[dd];W[cc])");
    std::fs::write(folder.path().join("g.sgf"), record).expect("a record");
    let saved = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a record");
    let input = "load FOLDER/g.sgf\nsave FOLDER/same.sgf\nC3\nsave FOLDER/longer.sgf\nundo\nsave FOLDER/undone.sgf\n\
                 resign\nsave FOLDER/resigned.sgf\nnew\nsave FOLDER/new.sgf\nquit\n";
    let shown = go_in(folder.path(), &["--size", "5"], input);
    for (name, result) in
        [("same.sgf", "RE[B+T]"), ("longer.sgf", ""), ("undone.sgf", "RE[B+T]"), ("resigned.sgf", "RE[W+R]")]
    {
        let text = saved(name);
        assert!(text.contains(&format!("{information}{result}\n")), "{name}: {text}");
    }
    assert!(
        shown.contains("same.sgf: 2 moves, without comments, variations, marks and further information of "),
        "{shown}"
    );
    let new = saved("new.sgf");
    assert!(new.contains("PB[Person]PW[Tewari]") && !new.contains("Cup"), "{new}");
    assert_eq!(shown.matches("without comments, variations").count(), 4, "{shown}");
}

#[test]
fn a_record_without_komi_and_rules_has_those_of_the_session_whatever_was_loaded_before() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, record) in [("japanese", "(;SZ[5]KM[2.5]RU[Japanese];B[cc])"), ("plain", "(;SZ[5];B[cc])")] {
        std::fs::write(folder.path().join(format!("{name}.sgf")), record).expect("a record");
    }
    let input = "load FOLDER/japanese.sgf\nload FOLDER/plain.sgf\nquit\n";
    let shown = go_in(folder.path(), &["--size", "5", "--rules", "aga", "--komi", "5.5"], input);
    let after = shown.split("plain.sgf: 1 move.").nth(1).expect("a game");
    assert!(after.contains("komi 5.5") && !after.contains("japanese"), "{shown}");
}

#[test]
fn a_loaded_game_goes_on_with_who_is_named_to_move() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("g.sgf"), "(;SZ[7]KM[2.5]RU[Chinese];B[dd];W[cc];PL[W])")
        .expect("a record");
    let shown = go_in(folder.path(), &["--size", "5"], "load FOLDER/g.sgf\nquit\n");
    let after = shown.split("g.sgf: 2 moves.").nth(1).expect("a game");
    assert!(after.contains("White (O) plays"), "{shown}");
}

#[test]
fn a_handicap_is_placed_as_gtp_has_it_or_where_it_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = go_in(folder.path(), &["--handicap", "4"], "save FOLDER/h.sgf\nquit\n");
    assert!(shown.contains("9x9, chinese rules, komi 0.5, 4 handicap stones, White gets 4 extra points"));
    let record = std::fs::read_to_string(folder.path().join("h.sgf")).expect("a record");
    assert!(record.contains("AB[cg][gg][cc][gc]PL[W]HA[4]") && record.contains("KM[0.5]"), "{record}");
    let shown = go_in(folder.path(), &["--size", "5", "--komi", "1.5"], "load FOLDER/h.sgf\nundo\nquit\n");
    assert!(shown.contains("h.sgf: 1 move.") && shown.contains("White gets 4 extra points"), "{shown}");
    let shown = go_in(folder.path(), &["--rules", "aga", "--handicap", "4"], "save FOLDER/aga.sgf\nquit\n");
    assert!(shown.contains("4 handicap stones, White gets 3 extra points"), "{shown}");
    let shown = go_in(folder.path(), &["--size", "5"], "load FOLDER/aga.sgf\nquit\n");
    assert!(shown.contains("White gets 3 extra points"), "{shown}");
    let free =
        go_in(folder.path(), &["--size", "5", "--handicap", "B2,D4", "--colour", "white"], "undo\nquit\n");
    assert!(free.contains(" 4  . . . X .\n") && free.contains("You are White"), "{free}");
    assert!(free.contains("There is no move to take back."), "{free}");
}

#[test]
fn stones_of_both_that_were_set_up_are_no_handicap() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = "(;GM[1]FF[4]SZ[9]AB[cc][dc]AW[gg][fg]PL[W])";
    std::fs::write(folder.path().join("p.sgf"), record).expect("a record");
    let shown = go_in(folder.path(), &["--size", "5"], "load FOLDER/p.sgf\nquit\n");
    assert!(shown.contains("9x9, chinese rules, komi ") && !shown.contains("handicap stones"), "{shown}");
}

#[test]
fn a_level_is_named_by_number_or_word_and_wins_over_other_limits() {
    for level in ["3", "learner"] {
        let options = ["go", "--size", "5", "--level", level, "--time", "1000", "--table-size", "1MiB"];
        let shown = play(&options, b"C3\nquit\n");
        assert!(shown.contains(", level 3 (learner).") && shown.contains("White (O) plays"), "{shown}");
    }
    let arguments = ["play", "go", "--level", "easy"];
    let output = program().args(arguments).output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), errors.lines().count()), (Some(2), 1), "{errors}");
    assert!(errors.contains("expected a level from 1 to 10, or one of beginner, novice"), "{errors}");
}

#[test]
fn hints_do_not_depend_on_the_level_and_leave_its_strength_alone() {
    let hints = |arguments: &[&str]| {
        let quick = ["go", "--size", "5", "--simulations", "300", "--memory", "32MiB"];
        let shown = play(&[&quick, arguments].concat(), b"hint\nquit\n");
        let hints: Vec<String> =
            shown.lines().filter(|line| line.contains(" visits")).map(str::to_owned).collect();
        assert_eq!(hints.len(), 5, "{arguments:?}: {shown}");
        hints
    };
    let with_network = hints(&[]);
    assert_ne!(hints(&["--network", "none"]), with_network);
    for level in ["1", "6", "7"] {
        assert_eq!(hints(&["--level", level]), with_network, "level {level}");
    }
    assert_eq!(hints(&["--level", "1", "--network", "none"]), hints(&["--network", "none"]));
    let quick = ["go", "--size", "5", "--level", "steady", "--simulations", "2000", "--table-size", "1MiB"];
    let remark = |input: &[u8]| {
        let shown = play(&quick, input);
        let remark = shown.lines().find(|line| line.contains("White (O) plays")).map(str::to_owned);
        remark.expect("a move")
    };
    assert_eq!(remark(b"hint\nestimate\nC3\nquit\n"), remark(b"C3\nquit\n"));
}

#[test]
fn a_low_level_is_told_which_table_file_it_needs() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, network) in [("with", &[][..]), ("without", &["--network", "none"])] {
        let file = folder.path().join(name);
        let file = file.to_str().expect("UTF-8");
        let quick = ["go", "--size", "5", "--table", file];
        let made = [&quick[..], &["--table-size", "1MiB", "--simulations", "20"], network].concat();
        play(&made, b"C3\nquit\n");
        let output = program().arg("play").args(quick).args(["--level", "2"]).stdin(Stdio::null()).output();
        let output = output.expect("the program runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), name == "without", "{name}: {errors}");
        let advice = "a --level below club plays without a network and needs a file made with --network none";
        assert_eq!(errors.contains(advice), name == "with", "{name}: {errors}");
    }
}

#[test]
fn a_level_answers_hints_on_the_board_of_a_loaded_game() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("g.sgf"), "(;GM[1]FF[4]SZ[7]KM[2.5];B[dd];W[cc])").expect("a record");
    let shown = go_in(
        folder.path(),
        &["--size", "5", "--level", "1"],
        "hint\nload FOLDER/g.sgf\nhint\nestimate\nquit\n",
    );
    assert!(shown.contains("7x7, chinese rules") && shown.contains(" leads by about "), "{shown}");
    assert_eq!(shown.matches("Cannot").count(), 0, "{shown}");
}

#[test]
fn a_handicap_that_cannot_be_is_told_in_one_line() {
    for (wrong, told) in [
        ("1", "handicap \"1\": expected a number from 2 on, such as 4, or points, such as D4,Q16"),
        ("many", "handicap \"many\": expected"),
        (
            "8",
            "8 handicap stones are not possible on a 5x5 board: expected no fixed handicap; or name the points, such as A1,E5",
        ),
        ("A1,Z9", "handicap point \"Z9\""),
        ("A1,A1", "expected points of the"),
    ] {
        let arguments = ["play", "go", "--size", "5", "--table-size", "1MiB", "--handicap", wrong];
        let output = program().args(arguments).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), errors.lines().count()), (Some(2), 1), "{wrong}: {errors}");
        assert!(errors.contains(told), "{wrong}: {errors}");
    }
}

#[test]
fn the_estimate_of_a_finished_game_is_its_count() {
    let shown = go("C3\nC2\nC4\nB3\nB4\nestimate\nquit\n");
    assert!(shown.contains("leads by about"), "{shown}");
    let folder = tempfile::tempdir().expect("a folder");
    let wall = ";B[ba];W[ca];B[bb];W[cb];B[bc];W[cc];B[bd];W[cd];B[be];W[ce];B[];W[]";
    let record = format!("(;GM[1]FF[4]SZ[5]KM[0.5]RU[Chinese]{wall})");
    std::fs::write(folder.path().join("ended.sgf"), record).expect("a file");
    let shown = go_in(folder.path(), &[], "load FOLDER/ended.sgf\nestimate\nquit\n");
    let expected = "The game is over: White wins by 5.5 points, all stones alive. X and O: owned; .: neutral";
    assert!(shown.contains(expected) && !shown.contains("leads by about 5"), "{shown}");
    assert!(
        shown.contains("White (O) leads by about 5.5 points, Black wins 0 %")
            || !shown.contains("Black wins 1"),
        "{shown}"
    );
}

#[test]
fn a_pass_without_a_search_leaves_no_estimate_of_an_earlier_position() {
    let shown =
        play(&["go", "--size", "19x1", "--simulations", "20", "--table-size", "1MiB"], b"A1\npass\nquit\n");
    let end = shown.split("the position is settled and the game is won").nth(1).expect("a pass of White");
    assert!(end.contains("White wins by") && !end.contains("leads by about"), "{shown}");
}
