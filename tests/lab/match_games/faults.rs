//! An engine that breaks the rules or crashes loses, and the list gives the reason.

use super::{Laboratory, QUICK, play};

/// Plays one pair of games of the shell engine in `mode` against this program; the faulty engine must lose both.
fn loses_both(mode: &str, ending: &str, detail: &str) {
    let laboratory = Laboratory::new();
    let (faulty, openings) = (laboratory.engine(mode), laboratory.openings());
    let arguments = ["--black", &faulty, "--white", QUICK, "--games", "2", "--move-timeout", "1"];
    let games = play(
        &laboratory.path("out"),
        &[&arguments[..], &["--openings", openings.to_str().unwrap()]].concat(),
    );
    for row in &games {
        assert_eq!((&row["winner"], &row["ending"]), (&1.into(), &ending.into()), "{row}");
        assert!(row["detail"].as_str().unwrap().contains(detail), "{row}");
        assert!(row["result"].as_str().unwrap().ends_with("+F"), "{row}");
    }
}

#[test]
fn an_illegal_move_loses() {
    loses_both("occupied", "illegal", "C3: the point is occupied");
}

#[test]
fn a_crash_loses_and_its_last_words_are_quoted() {
    loses_both("crash", "crash", "out of luck");
}

#[test]
fn who_does_not_start_in_mid_match_is_tried_again_and_then_loses_that_game_alone() {
    let laboratory = Laboratory::new();
    // With a seed in its command line it is started for every game.
    let tired = laboratory.engine(&format!("tired {} {{seed}}", laboratory.path("starts").display()));
    // It starts before the match, fails twice for the first game, starts for the second, and fails once for the third.
    let arguments = ["--black", &tired, "--white", QUICK, "--games", "3", "--concurrency", "1"];
    let games = play(&laboratory.path("out"), &[&arguments[..], &["--move-timeout", "1"]].concat());
    assert_eq!((&games[0]["ending"], &games[0]["result"]), (&"crash".into(), &"W+F".into()), "{}", games[0]);
    assert!(games[0]["detail"].as_str().unwrap().contains("no more"), "{}", games[0]);
    for row in &games[1..] {
        assert!(!row["result"].as_str().unwrap().ends_with("+F"), "{row}");
    }
}

#[test]
fn silence_loses() {
    loses_both("hang", "time", "within 1 s");
}

#[test]
fn who_is_killed_takes_along_what_it_started() {
    let laboratory = Laboratory::new();
    let number = laboratory.path("number");
    let parent = laboratory.engine(&format!("parent {}", number.display()));
    let arguments = ["--black", &parent, "--white", QUICK, "--games", "1", "--move-timeout", "1"];
    let games = play(&laboratory.path("out"), &arguments);
    assert_eq!(games[0]["ending"], "time");
    let child = std::fs::read_to_string(number).expect("the number of the sleeper");
    // A killed process may stay a zombie for a while.
    let state = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[test]
fn a_move_that_is_none_loses() {
    loses_both("garbage", "garbage", "Z99");
}

#[test]
fn refusing_a_legal_move_loses() {
    loses_both("refusing", "garbage", "with an error");
}

#[test]
fn a_bad_answer_about_the_score_costs_no_later_game() {
    let laboratory = Laboratory::new();
    let chatty = laboratory.engine("chatty");
    let players = ["--black", &chatty, "--white", &chatty, "--games", "4", "--concurrency", "1"];
    for (name, options) in
        [("forgets", players.to_vec()), ("keeps", [&players[..], &["--keep-table"]].concat())]
    {
        let games = play(&laboratory.path(name), &options);
        for row in &games {
            assert_eq!((&row["ending"], &row["result"]), (&"score".into(), &"W+0.5".into()), "{row}");
        }
    }
}

#[test]
fn engines_that_differ_about_the_winner_are_overruled_by_the_area() {
    let laboratory = Laboratory::new();
    let (liar, passer) = (laboratory.engine("liar"), "self:--simulations 50 --resign 0");
    let options = ["--games", "2", "--rules", "chinese"];
    let players = ["--black", &liar, "--white", passer];
    let games = play(&laboratory.path("out"), &[&players[..], &options].concat());
    for row in &games {
        // The board is empty or has stones of this program only: its area wins, or the komi of 0.5 does.
        let is_black = row["black_is"] == 0;
        assert_eq!(row["ending"], if is_black { "disagreement" } else { "score" }, "{row}");
    }
}

#[test]
fn white_is_compensated_for_the_handicap_stones_of_an_opening() {
    let laboratory = Laboratory::new();
    let openings = laboratory.path("handicap.jsonl");
    let moves = r#"[["b", "C3"], ["w", "pass"], ["b", "B2"], ["w", "pass"], ["b", "D4"]]"#;
    std::fs::write(&openings, format!(r#"{{"size": 5, "moves": {moves}}}"#)).expect("an opening");
    let (passer, openings) = (laboratory.engine("passer"), openings.to_str().unwrap().to_owned());
    let referee = laboratory.engine("referee");
    let players = ["--black", &passer, "--white", &passer, "--games", "1", "--openings", &openings];
    // All 25 points are Black's, the komi is 0.5; Chinese rules give White a point for each of three stones.
    for (name, scoring, rules, result) in [
        ("chinese", ["--scoring", "area"], "chinese", "B+21.5"),
        ("referee", ["--referee", &referee], "chinese", "B+21.5"),
        ("agreement", ["--scoring", "agreement"], "chinese", "B+21.5"),
        ("aga", ["--scoring", "area"], "aga", "B+22.5"),
        ("tromp-taylor", ["--scoring", "area"], "tromp-taylor", "B+24.5"),
    ] {
        let options = [&players[..], &scoring, &["--rules", rules]].concat();
        let games = play(&laboratory.path(name), &options);
        assert_eq!(games[0]["result"], result, "{name}: {}", games[0]);
    }
    // The engines of this program count in the same way.
    let own = ["--black", QUICK, "--white", QUICK, "--games", "1", "--openings", &openings];
    let games = play(&laboratory.path("own"), &[&own[..], &["--rules", "chinese"]].concat());
    assert_eq!(games[0]["ending"], "score", "{}", games[0]);
}

#[test]
fn results_that_are_none_or_differ_are_named_in_the_detail() {
    let laboratory = Laboratory::new();
    let reporting = |answer: &str| laboratory.engine(&format!("reporting '{answer}'"));
    let unable = laboratory.engine("unable");
    // The board is empty: by area White wins by the komi.
    let other = "scored by area: Black gives no result: unreadable answer to \"final_score\": expected a result such as \
                 B+3.5, W+R or 0, found ";
    let refused = "scored by area: Black reports B+3; White gives no result: it answered \"final_score\" with an error: \
                   cannot score";
    for (number, (black, white, result, ending, detail)) in [
        (reporting("B+3"), reporting("b+3.0"), "B+3", "score", String::new()),
        (reporting("Draw"), reporting("0"), "0", "score", String::new()),
        (
            reporting("B+3"),
            reporting("B+5"),
            "B+3",
            "score",
            "Black reports B+3, White reports B+5".to_owned(),
        ),
        (
            reporting("B+3"),
            reporting("0"),
            "W+0.5",
            "disagreement",
            "Black reports B+3, White reports 0".to_owned(),
        ),
        (reporting("?"), reporting("B+3"), "W+0.5", "score", format!("{other}\"?\"; White reports B+3")),
        (
            reporting("W+3]"),
            reporting("W+3"),
            "W+0.5",
            "score",
            format!("{other}\"W+3]\"; White reports W+3"),
        ),
        (
            reporting("Black wins by 3"),
            reporting("B+3"),
            "W+0.5",
            "score",
            format!("{other}\"Black wins by 3\"; White reports B+3"),
        ),
        (reporting("B+3"), unable, "W+0.5", "score", refused.to_owned()),
    ]
    .into_iter()
    .enumerate()
    {
        let out = laboratory.path(&number.to_string());
        let games = play(&out, &["--black", &black, "--white", &white, "--games", "1"]);
        let [found_result, found_ending, found_detail] =
            ["result", "ending", "detail"].map(|field| games[0][field].as_str().unwrap_or_default());
        assert_eq!((found_result, found_ending, found_detail), (result, ending, &*detail), "{black} {white}");
        let record =
            std::fs::read_dir(out.join("sgf")).expect("records").next().expect("a record").expect("a file");
        let record = std::fs::read_to_string(record.path()).expect("the record");
        assert!(record.contains(&format!("RE[{result}]")), "{record}");
    }
}
