//! Finished games have the recorded winner: dead stones are removed, and no value is called proven.

use crate::common;
mod statuses;

use crate::common::program;
use tewari::base::game::Outcome;
use tewari::go::status::DeadStones;
use tewari::go::{Komi, PlayoutPolicy, Rules};
use tewari::records::sgf::{self, ChosenTerms, DefaultTerms, GameRecord};

/// Returns the winner by the record's result, if this is a count.
fn recorded_winner(record: &GameRecord) -> Option<Outcome> {
    let (winner, how) = record.result.as_deref()?.trim().split_once('+')?;
    let is_counted = how.parse::<f64>().is_ok();
    match winner {
        "B" if is_counted => Some(Outcome::Win),
        "W" if is_counted => Some(Outcome::Loss),
        _ => None,
    }
}

#[test]
fn the_winner_of_a_finished_record_is_the_one_it_names() {
    let Some(folder) = common::testdata() else { return };
    let (mut games, mut wrong) = (0, Vec::new());
    let manifest = std::fs::read_to_string(folder.join("sgf/manifest.csv")).expect("a manifest");
    for name in manifest.lines().skip(1).filter_map(|line| line.split(',').next()) {
        let Ok(bytes) = std::fs::read(folder.join("sgf").join(name)) else { continue };
        let Ok(collection) = sgf::read_damaged(&bytes) else { continue };
        for record in &collection.games {
            let Some(winner) = recorded_winner(record) else { continue };
            let Ok(terms) = record.terms(ChosenTerms::default(), DefaultTerms::default()) else { continue };
            let Ok(steps) = record.steps(terms.rules, terms.komi) else { continue };
            let Some(Ok(last)) = steps.last() else { continue };
            if last.position.passes() < 2 {
                continue;
            }
            let mut position = last.position;
            position.set_compensation(terms.compensation());
            let statuses =
                DeadStones::of_rules(position.rules()).statuses(&position, PlayoutPolicy::default());
            let komi = position.final_area_komi();
            games += 1;
            if komi.outcome_for_black(statuses.area_score()) != winner {
                wrong.push(format!("{name}: RE {:?}, found {}", record.result, statuses.result(komi)));
            }
        }
    }
    assert!(games >= 7 && wrong.is_empty(), "{games} games, wrong:\n{}", wrong.join("\n"));
}

fn analyze(sgf: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.sgf");
    std::fs::write(&path, sgf).expect("a file");
    let mut command = program();
    command.args(["analyze", "--simulations", "50", "--table-size", "1MiB"]).arg(&path).args(arguments);
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// White's two stones in Black's area are dead: 15 points to 10; if they are alive, the left side is neutral.
const WITH_DEAD_STONES: &str = "(;SZ[5]KM[0.5]RU[Chinese]\
    AB[ca][cb][cc][cd][ce][ba][bc]AW[da][db][dc][dd][de][ab]PL[B];B[];W[])";

#[test]
fn dead_stones_leave_the_board_and_are_named() {
    let text = analyze(WITH_DEAD_STONES, &[]);
    assert!(text.contains("the game is over: B+4.5, if these stones are dead: A4\n"), "{text}");
    let json = analyze(WITH_DEAD_STONES, &["--format", "json"]);
    let last: serde_json::Value = serde_json::from_str(json.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["end"]["result"], &last["end"]["dead"][0]), (&"B+4.5".into(), &"A4".into()));
    assert!(last["rootInfo"]["proven"].is_null() && last["rootInfo"]["winrate"] == 1.0, "{last}");
    assert_eq!(last["rootInfo"]["scoreLead"], 4.5);
}

#[test]
fn a_game_goes_on_after_the_first_of_two_passes_and_nothing_is_proven() {
    // The dead stones, if alive, would win the game for White at once.
    let json = analyze(WITH_DEAD_STONES, &["--move", "1", "--format", "json"]);
    let between: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(between["end"].is_null() && between["rootInfo"]["proven"].is_null(), "{between}");
    assert!(between["rootInfo"]["winrate"].as_f64() > Some(0.5), "{between}");
    assert!(!between["moveInfos"].as_array().expect("moves").is_empty(), "{between}");
    for end in [";W[])", ";W[ea])", ";W[];B[ea];W[];B[])"] {
        let game = WITH_DEAD_STONES.replace(";W[])", end);
        let text = analyze(&game, &["--move", "1"]);
        assert!(text.contains("Move 1, Black pass · White to play · "), "{text}");
        assert!(!text.contains("the game is over"), "{text}");
    }
    let resumed = WITH_DEAD_STONES.replace(";W[])", ";W[];B[ea];W[];B[])");
    assert!(analyze(&resumed, &["--move", "4"]).contains("Move 4, White pass · Black to play · "));
    assert!(analyze(&resumed, &["--move", "5"]).contains("Move 5, Black pass · the game is over"));
}

#[test]
fn all_stones_count_where_the_rules_or_the_user_say_so() {
    let tromp_taylor = WITH_DEAD_STONES.replace("Chinese", "Tromp-Taylor");
    for (sgf, arguments) in [(WITH_DEAD_STONES, &["--dead", "none"][..]), (&tromp_taylor, &[])] {
        let text = analyze(sgf, arguments);
        assert!(text.contains("the game is over: W+") && text.contains("with all stones alive"), "{text}");
    }
}

/// Black has four prisoners and five points of territory, White ten points; the setup removes a black stone.
const WITH_PRISONERS: &str = "(;SZ[5]KM[0]RU[Japanese]AB[ba][bb][bc][bd][be]AW[ca][cb][cc][cd][ce]\
    ;W[aa];B[];W[ab];B[];W[ac];B[];W[ad];B[ae];AE[ae];W[];B[])";

#[test]
fn stones_that_are_set_up_in_the_middle_of_a_game_leave_the_prisoners() {
    let text = analyze(WITH_PRISONERS, &["--move", "-1"]);
    assert!(text.contains("the game is over: W+1.0"), "{text}");
    let record = sgf::read(WITH_PRISONERS.as_bytes()).expect("a record").games.swap_remove(0);
    let game = record.steps(Rules::JAPANESE, Komi(0)).and_then(|steps| steps.into_record(None));
    let same = game.expect("a game").with_rules(Rules::JAPANESE);
    assert_eq!((same.start().prisoners(), same.position().prisoners()), ([4, 0], [4, 0]));
}
