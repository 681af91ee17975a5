//! `tewari suite`: each test is judged by its expected moves, runs can be compared, and errors are named.

use crate::common;

use crate::common::program;
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// Black to move on 5x5: C3 captures the stone in the middle and wins; White is lost already.
const CAPTURE: &str = r#""size": 5, "komi": 0.5, "colour": "black",
    "setup_black": ["C4", "B3", "C2"], "setup_white": ["C3"]"#;

fn line(id: &str, body: &str) -> String {
    format!("{{\"id\": \"{id}\", {body}}}").replace('\n', " ")
}

struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Files {
        Files { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, lines: &[String]) -> String {
        std::fs::write(self.path(name), lines.join("\n")).expect("a file");
        self.path(name).to_str().expect("UTF-8").to_owned()
    }
}

/// Runs the suite with short searches; returns exit code, output and errors.
fn suite(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = program();
    command.arg("suite").args(arguments).args(["--simulations", "300", "--table-size", "2MiB"]);
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn solved(files: &Files, lines: &[String]) -> Vec<bool> {
    let file = files.write("tests.jsonl", lines);
    let out = files.path("out.jsonl");
    let (code, _, errors) = suite(&[&file, "--out", out.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{errors}");
    let text = std::fs::read_to_string(out).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["solved"].as_bool().unwrap())
        .collect()
}

#[test]
fn moves_and_values_are_judged_by_what_is_expected() {
    let files = Files::new();
    let test = |id: &str, goal: &str| line(id, &format!("{CAPTURE}, {goal}"));
    // Any move played is among all points; a value above 0.5 is not below 0.5.
    let all: Vec<String> = (b'A'..=b'E')
        .flat_map(|column| (1..=5).map(move |row| format!("\"{}{row}\"", column as char)))
        .collect();
    let all = format!("[{}, \"pass\"]", all.join(", "));
    let verdicts = solved(
        &files,
        &[
            test("any", &format!("\"expected\": {all}")),
            test("none", "\"expected\": [\"A1\"], \"wrong\": [\"A1\"]"),
            test("not wrong", "\"wrong\": [\"A1\"]"),
            test("all wrong", &format!("\"wrong\": {all}")),
            test("winning", "\"expect\": \"value_above\", \"threshold\": 0.5"),
            test("losing", "\"expect\": \"value_below\", \"threshold\": 0.5"),
        ],
    );
    assert_eq!(verdicts, [true, false, true, false, true, false]);
}

#[test]
fn a_game_that_reaches_the_stones_is_played_with_its_kos() {
    let files = Files::new();
    // White has just captured a ko at B3: Black may not recapture at once in the game, but may if only the stones are
    // given.
    let stones = r#""size": 5, "komi": 0.5, "colour": "black",
        "black": ["B4", "A3", "B2"], "white": ["C4", "B3", "D3", "C2"]"#;
    let moves = r#""moves": [["b", "B4"], ["w", "C4"], ["b", "A3"], ["w", "D3"], ["b", "B2"], ["w", "C2"], ["b", "C3"],
        ["w", "B3"]]"#;
    let goal = r#""expected": ["C3"]"#;
    let played = files.write("played.jsonl", &[line("played", &format!("{stones}, {moves}, {goal}"))]);
    let (code, _, errors) = suite(&[&played]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("expected a move under \"expected\" that can be played, found C3: "), "{errors}");
    let given = line("given", &format!("{stones}, {goal}"));
    assert_eq!(solved(&files, &[given]).len(), 1, "no ko is known");
}

#[test]
fn tiers_are_counted_as_text_and_as_json() {
    let files = Files::new();
    let test =
        |id: &str, tier: &str, goal: &str| line(id, &format!("{CAPTURE}, \"tier\": \"{tier}\", {goal}"));
    let file = files.write(
        "tests.jsonl",
        &[
            test("a", "tiny", "\"wrong\": [\"A1\"]"),
            test("b", "tiny", "\"expected\": [\"A1\"], \"wrong\": [\"A1\"]"),
            test("c", "large", "\"wrong\": [\"A1\"], \"ref_engine_known_fail\": true"),
        ],
    );
    let (code, output, _) = suite(&[&file, "--format", "json"]);
    let rows: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((code, rows.len()), (Some(0), 2));
    assert_eq!(
        (&rows[0]["tier"], &rows[0]["total"], &rows[0]["solved"]),
        (&"large".into(), &1.into(), &1.into())
    );
    assert_eq!(rows[0]["known_fail_solved"], 1);
    assert_eq!(
        (&rows[1]["tier"], &rows[1]["total"], &rows[1]["solved"]),
        (&"tiny".into(), &2.into(), &1.into())
    );
    let (_, output, _) = suite(&[&file, "--tier", "tiny"]);
    assert!(output.contains("tiny") && !output.contains("large"), "{output}");
}

#[test]
fn two_runs_are_compared_test_by_test() {
    let files = Files::new();
    let test = |id: &str| line(id, &format!("{CAPTURE}, \"wrong\": [\"A1\"]"));
    let file = files.write("tests.jsonl", &["a", "b", "c"].map(test));
    let out = files.path("out.jsonl");
    let (code, ..) = suite(&[&file, "--out", out.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    let earlier = std::fs::read_to_string(&out).unwrap().replacen("\"solved\":true", "\"solved\":false", 2);
    std::fs::write(&out, earlier).unwrap();
    let (code, output, errors) = suite(&[&file, "--compare", out.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(output.contains("both solved 1, neither 0, only this one 2, only the earlier one 0"), "{output}");
    // Two coins on one side: 2·(1/2)².
    assert!(output.contains("50.0 %") && output.contains("+ a") && output.contains("+ b"), "{output}");
}

#[test]
fn one_seed_gives_one_result_however_many_tests_run_at_a_time() {
    let files = Files::new();
    let test = |id: String| line(&id, &format!("{CAPTURE}, \"expected\": [\"A1\"]"));
    let lines: Vec<String> = (0..6).map(|number| test(number.to_string())).collect();
    let file = files.write("tests.jsonl", &lines);
    let rows = |name: &str, concurrency: &str| {
        let out = files.path(name);
        let (code, ..) = suite(&[&file, "--out", out.to_str().unwrap(), "--concurrency", concurrency]);
        assert_eq!(code, Some(0));
        std::fs::read_to_string(out).unwrap()
    };
    assert_eq!(rows("one", "1"), rows("three", "3"));
}

#[test]
fn mistakes_are_named_with_their_line() {
    let files = Files::new();
    let good = line("good", &format!("{CAPTURE}, \"wrong\": [\"A1\"]"));
    for (bad, expected) in [
        ("nonsense".to_owned(), "line 2: expected a test"),
        (
            line("x", &format!("{CAPTURE}, \"expected\": [\"D44\"]")),
            "expected points of the board, pass or resign",
        ),
        (
            line(
                "x",
                &format!("{CAPTURE}, \"wrong\": [\"A1\"], \"expect\": \"value_above\", \"threshold\": 0.5"),
            ),
            "either moves or a value",
        ),
        (line("x", CAPTURE), "moves under \"expected\" or \"wrong\""),
        (line("good", &format!("{CAPTURE}, \"wrong\": [\"A1\"]")), "a different id"),
        (line("x", r#""size": 25, "colour": "black", "wrong": ["A1"]"#), "a size from 1 to 19"),
        (line("x", r#""size": 5, "colour": "green", "wrong": ["A1"]"#), "black or white"),
        (
            line("x", r#""size": 5, "colour": "black", "moves": [["b", "Z9"]], "wrong": ["A1"]"#),
            "a point of the board",
        ),
        (
            line(
                "x",
                r#""size": 5, "colour": "black", "moves": [["b", "A1"], ["w", "A1"]], "wrong": ["B1"]"#,
            ),
            "a legal move",
        ),
        // Matching stones do not excuse an illegal move.
        (
            line(
                "ko",
                r#""size": 5, "colour": "black", "moves": [["b", "A1"], ["w", "A1"]], "wrong": ["B1"],
                "black": ["A1"], "white": ["B1"]"#,
            ),
            "test ko: expected a legal move",
        ),
        (
            line("u", r#""size": 5, "colour": "black", "pre": ["undo"], "wrong": ["B1"]"#),
            "test u: expected a move to undo",
        ),
        (
            line("x", r#""size": 5, "colour": "black", "expect": "value_above", "threshold": 7"#),
            "test x: expected a \"threshold\" from 0 to 1, found 7\n",
        ),
        (
            line("y", r#""size": 5, "colour": "black", "expect": "value_above""#),
            "test y: expected a \"threshold\" from 0 to 1, found nothing\n",
        ),
        (
            line("o", &format!("{CAPTURE}, \"expected\": [\"C4\", \"B3\"]")),
            "test o: expected a move under \"expected\" that can be played, found C4: the point is occupied\n",
        ),
        (
            line(
                "s",
                r#""size": 5, "colour": "black", "setup_white": ["C4", "B3", "D3", "C2"], "expected": ["C3"]"#,
            ),
            "test s: expected a move under \"expected\" that can be played, found C3: ",
        ),
    ] {
        let file = files.write("tests.jsonl", &[good.clone(), bad.clone()]);
        let (code, output, errors) = suite(&[&file]);
        assert_eq!((code, output.as_str(), errors.lines().count()), (Some(1), "", 1), "{bad}: {errors}");
        assert!(errors.contains(expected) && errors.contains("line 2"), "{bad}: {errors}");
    }
    let empty = files.write("empty.jsonl", &[]);
    assert!(suite(&[&empty]).2.contains("at least one test"));
    let file = files.write("tests.jsonl", &[good]);
    assert!(suite(&[&file, "--tier", "none"]).2.contains("none of the 1 tests"));
    assert!(suite(&[&file, "--out", &file]).2.contains("another file"));
    let rows = files.write("rows.jsonl", &[]);
    assert!(suite(&[&file, "--out", &rows]).2.contains("overwrite it with --force"));
    assert_eq!(std::fs::read_to_string(&rows).expect("the file"), "");
    assert_eq!(suite(&[&file, "--out", &rows, "--force"]).0, Some(0));
    assert_eq!(std::fs::read_to_string(&rows).expect("the file").lines().count(), 1);
    let greedy = ["suite", &file, "--concurrency", "1000", "--memory", "1GiB"];
    let output = program().args(greedy).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("smaller --concurrency"));
    assert!(suite(&["/no/such/file"]).2.contains("/no/such/file"));
}

#[test]
fn stones_that_are_set_up_because_superko_forbids_a_move_are_told() {
    let files = Files::new();
    let retaken = r#""size": 5, "komi": 0.5, "colour": "black", "wrong": ["A1"],
        "setup_black": ["B3", "C4", "C2"], "setup_white": ["C3", "D4", "D2", "E3"],
        "moves": [["b", "D3"], ["w", "pass"], ["b", "pass"], ["w", "C3"]],
        "black": ["B3", "C4", "C2"], "white": ["C3", "D4", "D2", "E3"]"#;
    let file = files.write("tests.jsonl", &[line("ko", retaken)]);
    let (code, output, errors) = suite(&[&file]);
    assert_eq!((code, output.lines().count()), (Some(0), 2), "{errors}");
    assert!(
        errors.contains("test ko: set up as a position, because its moves cannot be played: C3: "),
        "{errors}"
    );
}

#[test]
fn the_shared_suites_can_be_read_to_their_last_line() {
    let Some(folder) = common::testdata() else { return };
    for (name, count) in [("moves.jsonl", 1149), ("values.jsonl", 89)] {
        let text = std::fs::read_to_string(folder.join("suites").join(name)).expect("a suite");
        let tests =
            tewari::lab::arena::suite::read(&text, &tewari::engine::EngineOptions::default()).expect("tests");
        assert_eq!(tests.len(), count);
    }
    let file = folder.join("suites/moves.jsonl");
    let (code, output, errors) =
        suite(&[file.to_str().unwrap(), "--tier", "tiny,playout", "--format", "json"]);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(output.lines().count(), 2);
}
