//! `--rules` and `RU`: the accepted rules, and the consequences of territory scoring.

use super::{analyze, analyze_json, directory, file, refuse, run_with_input};
use tempfile::TempDir;

/// A wall for each player: Black has 15 points of area to 10. White has played one more stone, in White's own
/// territory, while Black passed, so territory is 10 to 4.
const WALLS: &str = ";B[ca];W[da];B[cb];W[db];B[cc];W[dc];B[cd];W[dd];B[ce];W[de];B[];W[ec];B[];W[]";

fn walls(directory: &TempDir, rules: &str) -> String {
    file(directory, "walls.sgf", format!("(;SZ[5]KM[5.5]RU[{rules}]{WALLS})"))
}

#[test]
fn a_finished_game_is_won_as_the_rules_of_the_record_count() {
    let directory = directory();
    for (rules, winner) in [("Chinese", "W"), ("Japanese", "B"), ("korean", "B")] {
        let analysis = &analyze_json(&[&walls(&directory, rules), "--move", "14"])[0];
        assert!(analysis["end"]["result"].as_str().expect("a result").starts_with(winner), "{rules}");
    }
}

#[test]
fn territory_scoring_is_accepted_and_what_is_done_instead_is_said_once() {
    let directory = directory();
    let record = walls(&directory, "Chinese");
    let text = analyze(&[&record, "--rules", "japanese"]);
    assert!(text.contains("komi 5.5 · rules japanese"), "{text}");
    assert_eq!(text.matches("territory is searched as area").count(), 1, "{text}");
    assert!(text.contains("RU[Chinese]: played by japanese rules"), "{text}");
    for analysis in analyze_json(&["--size", "5", "--rules", "jp"]) {
        assert_eq!(analysis["rules"], "japanese");
        assert_eq!(analysis["assumed"].as_array().expect("a list").len(), 1);
    }
}

#[test]
fn the_final_score_in_gtp_is_by_the_rules() {
    let moves = "boardsize 5\nkomi 5.5\nplay b C5\nplay w D5\nplay b C4\nplay w D4\nplay b C3\nplay w D3\nplay b C2\n\
                 play w D2\nplay b C1\nplay w D1\nplay b pass\nplay w E3\nplay b pass\nplay w pass\nfinal_score\n";
    for (rules, score) in [("chinese", "W+0.5"), ("japanese", "B+0.5")] {
        let run = run_with_input(&["gtp", "--rules", rules, "--table-size", "256KiB"], moves.as_bytes());
        assert!(run.output.contains(&format!("= {score}")), "{rules}: {}", run.output);
        assert_eq!(
            run.errors.contains("territory is searched as area"),
            rules == "japanese",
            "{}",
            run.errors
        );
    }
}

#[test]
fn rules_that_change_in_gtp_decide_which_stones_are_dead_unless_the_user_did() {
    let moves = "boardsize 5\nplay b A2\nplay b B2\nplay b C2\nplay b D2\nplay b E2\nplay b B3\nplay b D3\nplay b C4\n\
                 play w A5\n1 final_status_list dead\nkata-set-rules tromp-taylor\n2 final_status_list dead\n\
                 kata-set-rules japanese\n3 final_status_list dead\n";
    for (chosen, dead) in [
        (&[][..], ["=1 A5", "=2", "=3 A5"]),
        (&["--rules", "tromp-taylor"], ["=1", "=2", "=3 A5"]),
        (&["--dead", "none"], ["=1", "=2", "=3"]),
        (&["--dead", "agreement"], ["=1 A5", "=2 A5", "=3 A5"]),
    ] {
        let run = run_with_input(&[&["gtp", "--table-size", "256KiB"], chosen].concat(), moves.as_bytes());
        let answers = run.output.split_terminator("\n\n").filter(|answer| *answer != "=");
        assert_eq!(answers.collect::<Vec<_>>(), dead, "{chosen:?}: {}", run.output);
    }
}

#[test]
fn rules_have_the_names_that_people_use() {
    for (name, rules) in [("AGA", "aga"), ("nz", "new-zealand"), ("cn", "chinese")] {
        assert_eq!(analyze_json(&["--size", "5", "--rules", name])[0]["rules"], rules);
    }
    refuse(&["analyze", "--rules", "lasker"], 2, &["lasker", "japanese"]);
}

#[test]
fn matches_are_played_by_area_alone() {
    refuse(&["match", "--rules", "japanese"], 2, &["count area", "japanese"]);
}
