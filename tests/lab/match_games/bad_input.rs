//! Errors in the setup of a match are reported in one line before the first game.

use super::{Laboratory, QUICK, run};

/// Returns the error message of a match that must not begin.
fn complaint(arguments: &[&str]) -> String {
    let (code, output, errors) = run(arguments);
    assert!(matches!(code, Some(1 | 2)), "{arguments:?}: {code:?} {errors}");
    assert_eq!((output.as_str(), errors.lines().count()), ("", 1), "{errors}");
    errors
}

#[test]
fn an_engine_that_cannot_play_is_named_with_its_reason() {
    let laboratory = Laboratory::new();
    for (engine, expected) in [
        (laboratory.engine("dead"), "cannot open the pattern database"),
        (laboratory.engine("poor"), "lacks the GTP command clear_board"),
        (laboratory.engine("noise"), "Segmentation fault"),
        (laboratory.engine("small"), "unacceptable size"),
        ("/no/such/engine".to_owned(), "cannot start"),
        ("gnugo 'unbalanced".to_owned(), "cannot read the command line"),
        ("self:--policy nonsense".to_owned(), "nonsense"),
        ("self:--simulations many".to_owned(), "many"),
        ("self:--no-such-option".to_owned(), "--no-such-option"),
        ("self:--table-size 512B".to_owned(), "too small"),
    ] {
        let folder = laboratory.path("out");
        let out = folder.to_str().unwrap();
        let errors = complaint(&["--black", &engine, "--white", QUICK, "--games", "2", "--out", out]);
        assert!(errors.contains(expected), "{engine}: {errors}");
        let games = std::fs::metadata(folder.join("games.jsonl")).map_or(0, |data| data.len());
        assert_eq!(games, 0, "{engine}: a game was kept");
        let _ = std::fs::remove_dir_all(folder);
    }
}

#[test]
fn a_referee_that_cannot_count_is_named_before_the_first_game() {
    let laboratory = Laboratory::new();
    for (referee, expected) in [
        ("/no/such/referee".to_owned(), "cannot start"),
        (laboratory.engine("dead"), "cannot open the pattern database"),
        (laboratory.engine("blind"), "I see nothing"),
    ] {
        let errors = complaint(&["--black", QUICK, "--white", QUICK, "--referee", &referee]);
        assert!(errors.contains("cannot be the referee") && errors.contains(expected), "{referee}: {errors}");
    }
}

#[test]
fn openings_for_another_board_or_with_illegal_moves_are_refused() {
    let laboratory = Laboratory::new();
    for (text, expected) in [
        ("{\"size\": 9, \"moves\": []}", "expected the board 5x5"),
        ("{\"size\": 5, \"moves\": [[\"b\", \"C3\"], [\"w\", \"C3\"]]}", "occupied"),
        ("five moves", "line 1"),
        ("", "no opening"),
    ] {
        let path = laboratory.path("bad.jsonl");
        std::fs::write(&path, text).unwrap();
        let errors = complaint(&["--black", QUICK, "--white", QUICK, "--openings", path.to_str().unwrap()]);
        assert!(errors.contains(expected) && errors.contains("bad.jsonl"), "{text}: {errors}");
    }
    assert!(complaint(&["--black", QUICK, "--white", QUICK, "--openings", "/no/file"]).contains("/no/file"));
}

#[test]
fn a_program_is_told_no_other_time_than_the_one_that_was_asked_for() {
    let laboratory = Laboratory::new();
    let engine = laboratory.engine("passes");
    for time in ["0.1", "1.5"] {
        let errors = complaint(&["--black", QUICK, "--white", &engine, "--time", time]);
        assert!(errors.contains(&format!("--time {time}: GTP can pass only whole seconds")), "{errors}");
        assert!(errors.contains("in its command line"), "{errors}");
    }
    let (code, _, errors) = run(&["--black", QUICK, "--white", QUICK, "--time", "0.01", "--games", "2"]);
    assert_eq!(code, Some(0), "{errors}");
}

#[test]
fn options_that_make_no_match_are_explained() {
    for (arguments, expected) in [
        (&["--black", QUICK][..], "--white"),
        (&["--player", "a=self"], "at least two"),
        (&["--player", "a=self", "--player", "a=self"], "two players are called a"),
        (&["--player", "self", "--player", "b=self"], "NAME=CMD"),
        (&["--black", QUICK, "--white", QUICK, "--sprt", "5"], "two Elo differences"),
        (&["--black", QUICK, "--white", QUICK, "--sprt", "5,0"], "the lower one first"),
        (&["--black", QUICK, "--white", QUICK, "--resume"], "--out"),
        (&["--black", "self:--nonsense", "--white", "self"], "--nonsense"),
        (&["--black", "self:'", "--white", "self"], "a quotation mark is not closed"),
        (&["--black", "self", "--white", "self", "--shard", "1/2", "--out", "x", "--sprt", "0,10"], "--sprt"),
        (
            &["--black", "self", "--white", "self", "--shard", "1/2", "--out", "x", "--keep-table"],
            "--keep-table",
        ),
        (&["--black", "self", "--white", "gnugo --mode gtp", "--time", "0.5"], "only whole seconds"),
        (&["--black", "self:--table x.tewari --table-mode rw", "--white", "self"], "--table-mode cow"),
    ] {
        let errors = complaint(arguments);
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
        assert_eq!(run(arguments).0, Some(2), "{arguments:?}: a wrong command line");
    }
    let large = ["--black", "self:--table-size 1GiB", "--white", QUICK, "--concurrency", "1024"];
    assert!(complaint(&large).contains("--concurrency"));
}
