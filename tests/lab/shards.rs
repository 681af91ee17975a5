//! Shards of an experiment, put together by `tewari join`, are what one run would have written.

use crate::common::program;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;

/// Engines that play fast games on a small board.
const PLAYERS: [&str; 2] =
    ["self:--simulations 20 --table-size 64KiB", "self:--simulations 5 --table-size 64KiB"];

/// Options of all matches: three pairs of games.
const MATCH: [&str; 14] = [
    "match",
    "--size",
    "5",
    "--komi",
    "0.5",
    "--rules",
    "tromp-taylor",
    "--quiet",
    "--black",
    PLAYERS[0],
    "--white",
    PLAYERS[1],
    "--games",
    "6",
];

/// The folder of one test.
struct Laboratory {
    folder: TempDir,
}

impl Laboratory {
    fn new() -> Laboratory {
        Laboratory { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program in the folder; returns its exit code, standard output and standard error.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = program();
        let output = command.current_dir(self.folder.path()).args(arguments).stdin(Stdio::null()).output();
        let output = output.expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    /// Runs the program, which must succeed; returns its standard output.
    fn ok(&self, arguments: &[&str]) -> String {
        let (code, output, errors) = self.run(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {errors}");
        output
    }

    /// Runs the program, which must fail with one line and make no folder `whole`; returns the line.
    fn complaint(&self, arguments: &[&str]) -> String {
        let (code, output, errors) = self.run(arguments);
        assert!(matches!(code, Some(1 | 2)), "{arguments:?}: {code:?} {errors}");
        assert_eq!((output.as_str(), errors.lines().count()), ("", 1), "{arguments:?}: {errors}");
        let names: Vec<_> = std::fs::read_dir(self.folder.path()).expect("the folder").flatten().collect();
        let is_new = |name: &str| name.starts_with("whole");
        assert!(!names.iter().any(|entry| is_new(&entry.file_name().to_string_lossy())), "{names:?}");
        errors
    }

    /// Runs a command whole, as `one`, and in three shards, `1` to `3`.
    fn in_three(&self, command: &[&str]) {
        self.ok(&[command, &["--out", "one"]].concat());
        self.shards(command);
    }

    fn shards(&self, command: &[&str]) {
        for (shard, out) in [("1/3", "1"), ("2/3", "2"), ("3/3", "3")] {
            self.ok(&[command, &["--shard", shard, "--out", out]].concat());
        }
    }

    /// Returns the relative names and the contents of all files below a folder, without times.
    fn files(&self, name: &str) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        add_files(&self.path(name), "", &mut files);
        files
    }
}

fn add_files(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            add_files(&entry.path(), &format!("{name}/"), files);
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("a text");
        let text = match name.as_str() {
            "games.jsonl" => sorted(&text),
            "result.json" | "standings.json" => {
                without_times(serde_json::from_str(&text).expect("JSON")).to_string()
            }
            "sweep.csv" => text.lines().map(columns_without_times).collect(),
            "sweep.svg" | "share.svg" => String::new(),
            _ => text,
        };
        files.insert(name, text);
    }
}

/// Returns the lines in the order of their games: parallel games end in any order.
fn sorted(text: &str) -> String {
    let mut rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a game")).collect();
    rows.sort_by_key(|row| row["game"].as_u64().or(row["number"].as_u64()));
    rows.into_iter().map(|row| format!("{}\n", without_times(row))).collect()
}

fn without_times(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.starts_with("seconds"));
            fields.values_mut().for_each(|field| *field = without_times(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_times(item.take())),
        _ => {}
    }
    value
}

/// Returns a line of `sweep.csv` without simulations per second and resident memory.
fn columns_without_times(line: &str) -> String {
    let columns = line.split(',').enumerate().filter(|(index, _)| !(11..=13).contains(index));
    columns.map(|(_, text)| format!("{text},")).collect::<String>() + "\n"
}

fn games(folder: &Path) -> Vec<u64> {
    let text = std::fs::read_to_string(folder.join("games.jsonl")).expect("games");
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a game"));
    let mut numbers: Vec<u64> = rows.map(|row| row["game"].as_u64().expect("a number")).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn the_shards_of_a_match_together_are_one_run() {
    let laboratory = Laboratory::new();
    let command = [&MATCH[..13], &["14"]].concat();
    laboratory.in_three(&command);
    // Both games of a pair are in one shard.
    let numbers = ["1", "2", "3"].map(|name| games(&laboratory.path(name)));
    assert_eq!(numbers, [vec![0, 1, 6, 7, 12, 13], vec![2, 3, 8, 9], vec![4, 5, 10, 11]]);
    let output = laboratory.ok(&["join", "whole", "3", "1", "2"]);
    assert!(output.contains("14 games"), "{output}");
    assert_eq!(laboratory.files("whole"), laboratory.files("one"));
    assert_eq!(laboratory.files("whole").len(), 14 + 3);
    // The joined folder is an ordinary one and can be continued.
    laboratory.ok(&[&MATCH[..13], &["16", "--out", "whole", "--resume"]].concat());
    assert_eq!(games(&laboratory.path("whole")).len(), 16);
}

#[test]
fn the_shards_of_a_round_robin_together_have_its_ranking() {
    let laboratory = Laboratory::new();
    let players = [1, 5, 10].map(|n| format!("s{n}=self:--simulations {n} --table-size 64KiB"));
    let mut command = MATCH[..8].to_vec();
    command.extend(players.iter().flat_map(|player| ["--player", player]));
    command.extend(["--games", "4"]);
    laboratory.in_three(&command);
    let output = laboratory.ok(&["join", "whole", "1", "2", "3"]);
    assert!(output.contains("crosstable"), "{output}");
    assert_eq!(laboratory.files("whole"), laboratory.files("one"));
    assert!(laboratory.files("whole").contains_key("standings.json"));
}

#[test]
fn the_shards_of_a_sweep_together_have_its_table() {
    let laboratory = Laboratory::new();
    let command = [
        "sweep",
        "--size",
        "5",
        "--rules",
        "tromp-taylor",
        "--quiet",
        "--table-size",
        "16KiB,64KiB",
        "--simulations",
        "10",
        "--engine",
        "self:--network none",
        "--games",
        "6",
    ];
    laboratory.in_three(&command);
    let output = laboratory.ok(&["join", "whole", "1", "2", "3"]);
    assert_eq!(output.lines().count(), 3, "{output}");
    assert_eq!(laboratory.files("whole"), laboratory.files("one"));
    assert!(laboratory.files("whole").contains_key("sweep.svg"));
}

#[test]
fn the_shards_of_self_play_together_are_one_run() {
    let laboratory = Laboratory::new();
    let command = [
        "selfplay",
        "--size",
        "5,4",
        "--games",
        "7",
        "--simulations",
        "8",
        "--short-simulations",
        "4",
        "--network",
        "none",
        "--quiet",
    ];
    laboratory.in_three(&command);
    let output = laboratory.ok(&["join", "whole", "1", "2", "3"]);
    assert!(output.contains("7 games"), "{output}");
    assert_eq!(laboratory.files("whole"), laboratory.files("one"));
}

#[test]
fn the_shards_of_prepared_games_together_are_the_files_of_one_run() {
    let laboratory = Laboratory::new();
    let selfplay =
        ["selfplay", "--size", "5", "--games", "8", "--simulations", "8", "--short-simulations", "4"];
    laboratory.ok(&[&selfplay[..], &["--network", "none", "--quiet", "--out", "played"]].concat());
    let game =
        |day: u32| format!("2020-01-{day:02} B+R 6.5 pdddpp{}\n", ["dp", "cn", "qn"][day as usize % 3]);
    std::fs::write(laboratory.path("recorded"), (1..12).map(game).collect::<String>()).expect("games");
    for games in ["played", "recorded"] {
        let command = ["network", "prepare", games, "--validation", "4"];
        laboratory.in_three(&command);
        std::fs::rename(laboratory.path("3"), laboratory.path("away")).expect("a folder");
        let errors = laboratory.complaint(&["join", "whole", "1", "2"]);
        assert!(errors.contains("missing: shard 3/3"), "{errors}");
        std::fs::rename(laboratory.path("away"), laboratory.path("3")).expect("a folder");
        // As after a kill.
        let description = std::fs::read(laboratory.path("2/prepare.json")).expect("a description");
        std::fs::remove_file(laboratory.path("2/prepare.json")).expect("a description");
        let errors = laboratory.complaint(&["join", "whole", "1", "2", "3"]);
        assert!(
            errors.contains("2: expected the folder of a shard") && errors.contains("interrupted"),
            "{errors}"
        );
        std::fs::write(laboratory.path("2/prepare.json"), description).expect("a description");
        damaged_positions_are_named(&laboratory);
        laboratory.ok(&["join", "whole", "2", "3", "1"]);
        for file in ["train.rows", "validation.rows"] {
            let bytes = |name: &str| std::fs::read(laboratory.path(name).join(file)).expect("positions");
            assert!(bytes("whole") == bytes("one") && bytes("one").len() > 1000, "{games}: {file}");
        }
        for folder in ["whole", "one", "1", "2", "3"] {
            std::fs::remove_dir_all(laboratory.path(folder)).expect("a folder");
        }
    }
}

fn damaged_positions_are_named(laboratory: &Laboratory) {
    let path = laboratory.path("2/train.rows");
    let bytes = std::fs::read(&path).expect("positions");
    let row = u32::from_le_bytes([16, 17, 18, 19].map(|at| bytes[at])) as usize;
    let mut other_header = bytes.clone();
    other_header[12] += 1;
    for (content, found) in [
        (&bytes[..0], "0 bytes, less than a header"),
        (&bytes[..bytes.len() - 3], "bytes of a cut-off row"),
        (&bytes[..bytes.len() - row], "not the"),
        (&[b'x'; 200], "another format"),
        (&other_header, "a header that differs"),
    ] {
        std::fs::write(&path, content).expect("positions");
        let errors = laboratory.complaint(&["join", "whole", "1", "2", "3"]);
        assert!(errors.contains("2/train.rows") && errors.contains("shard 2/3"), "{errors}");
        assert!(errors.contains(found), "{found}: {errors}");
    }
    std::fs::write(&path, bytes).expect("positions");
}

#[test]
fn the_shards_of_a_suite_together_are_the_file_of_one_run() {
    let laboratory = Laboratory::new();
    let test = |id: u32| {
        format!(
            "{{\"id\": \"t{id}\", \"size\": 5, \"colour\": \"b\", \"moves\": [], \"expected\": [\"C3\"], \"tier\": \"easy\"}}\n"
        )
    };
    std::fs::write(laboratory.path("tests.jsonl"), (0..7).map(test).collect::<String>()).expect("tests");
    let command = ["suite", "tests.jsonl", "--simulations", "20", "--network", "none"];
    laboratory.ok(&[&command[..], &["--out", "one"]].concat());
    laboratory.shards(&command);
    let errors = laboratory.complaint(&[&command[..], &["--shard", "1/3", "--out", "1"]].concat());
    assert!(errors.contains("already holds 3 tests: add --resume"), "{errors}");
    let path = laboratory.path("1/tests.jsonl");
    let text = std::fs::read_to_string(&path).expect("tests");
    let resume = [&command[..], &["--shard", "1/3", "--out", "1", "--resume"]].concat();
    std::fs::write(&path, text.replacen("\"id\"", "\"di\"", 1)).expect("tests");
    let errors = laboratory.complaint(&resume);
    assert!(errors.contains("line 1: expected a test, found"), "{errors}");
    std::fs::write(&path, &text[..text.len() - 9]).expect("tests");
    let (code, _, errors) = laboratory.run(&resume);
    assert!(code == Some(0) && errors.contains("the last line of tests.jsonl was cut off"), "{errors}");
    assert_eq!(std::fs::read_to_string(&path).expect("tests"), text);
    let summary = laboratory.ok(&["join", "whole", "2", "3", "1"]);
    assert!(summary.contains("easy             7"), "{summary}");
    let [whole, one] =
        ["whole", "one"].map(|name| std::fs::read_to_string(laboratory.path(name)).expect("a file"));
    assert_eq!(whole, one);
    a_changed_suite_is_another(&laboratory, &command);
    // One that is lost is named.
    std::fs::remove_file(laboratory.path("whole")).expect("the file");
    let path = laboratory.path("2/tests.jsonl");
    let text = std::fs::read_to_string(&path).expect("tests");
    std::fs::write(&path, text.lines().next().expect("a test").to_owned() + "\n").expect("tests");
    let errors = laboratory.complaint(&["join", "whole", "2", "3", "1"]);
    assert!(errors.contains("shard 2/3") && errors.contains("lacks test"), "{errors}");
}

/// Runs a shard of the suite `tests.jsonl` with another answer, which is neither continued nor joined.
fn a_changed_suite_is_another(laboratory: &Laboratory, command: &[&str]) {
    std::fs::rename(laboratory.path("whole"), laboratory.path("joined")).expect("the file");
    let path = laboratory.path("tests.jsonl");
    let text = std::fs::read_to_string(&path).expect("tests");
    std::fs::write(&path, text.replacen("C3", "A1", 1)).expect("tests");
    let errors = laboratory.complaint(&[command, &["--shard", "3/3", "--out", "3", "--resume"]].concat());
    assert!(errors.contains("its tests is"), "{errors}");
    laboratory.ok(&[command, &["--shard", "3/3", "--out", "changed"]].concat());
    let errors = laboratory.complaint(&["join", "whole", "1", "2", "changed"]);
    assert!(errors.contains("expected one value of tests"), "{errors}");
    std::fs::write(&path, text).expect("tests");
    std::fs::rename(laboratory.path("joined"), laboratory.path("whole")).expect("the file");
}

#[test]
fn what_is_missing_or_strange_is_named_and_nothing_is_written() {
    let laboratory = Laboratory::new();
    laboratory.in_three(&MATCH);
    laboratory.ok(&[&MATCH[..], &["--seed", "2", "--shard", "3/3", "--out", "other"]].concat());
    laboratory.ok(&[&MATCH[..], &["--shard", "3/4", "--out", "fourth"]].concat());
    for (folders, expected) in [
        (vec!["1", "3"], vec!["missing: shard 2/3", "all 3 shards"]),
        (vec!["2"], vec!["missing: shard 1/3, 3/3"]),
        (vec!["1", "2", "3", "2"], vec!["shard 2/3 is given twice"]),
        (vec!["1", "2", "other"], vec!["1 and other", "seed", "[\"1\", \"2\"]"]),
        (vec!["1", "2", "fourth"], vec!["number of shards", "[\"3\", \"4\"]"]),
        (vec!["1", "2", "one"], vec!["one: expected the folder of a shard", "a whole experiment"]),
        (vec!["1", "2", "nothing"], vec!["nothing: expected the folder of a shard", "no folder"]),
        (vec!["1", "2", "1/sgf"], vec!["1/sgf: expected the folder of a shard", "without a description"]),
    ] {
        let errors = laboratory.complaint(&[&["join", "whole"][..], &folders].concat());
        for part in expected {
            assert!(errors.contains(part), "{folders:?}: expected {part:?} in {errors}");
        }
    }
    // The name of the new folder is forgotten.
    let errors = laboratory.complaint(&["join", "1", "2", "3"]);
    assert!(errors.contains("1 exists"), "{errors}");
    let record = laboratory.path("2/sgf/000002.sgf");
    let text = std::fs::read(&record).expect("a record");
    std::fs::remove_file(&record).expect("a record");
    let errors = laboratory.complaint(&["join", "whole", "1", "2", "3"]);
    assert!(errors.contains("2/sgf/000002.sgf is missing"), "{errors}");
    std::fs::write(&record, "").expect("a record");
    let errors = laboratory.complaint(&["join", "whole", "1", "2", "3"]);
    assert!(
        errors.contains("2/sgf/000002.sgf: expected the record") && errors.contains("an empty file"),
        "{errors}"
    );
    std::fs::write(&record, text).expect("a record");
    // A game of another shard.
    let rows = laboratory.path("2/games.jsonl");
    let (whole, foreign) = (
        std::fs::read_to_string(&rows).expect("games"),
        std::fs::read_to_string(laboratory.path("3/games.jsonl")).expect("games"),
    );
    std::fs::write(&rows, format!("{whole}{foreign}")).expect("games");
    let errors = laboratory.complaint(&["join", "whole", "1", "2", "3"]);
    assert!(errors.contains("2/games.jsonl, line 3") && errors.contains("shard 2/3"), "{errors}");
}

#[test]
fn an_interrupted_shard_is_named_and_resumed() {
    let laboratory = Laboratory::new();
    laboratory.in_three(&MATCH);
    let rows = laboratory.path("2/games.jsonl");
    let text = std::fs::read_to_string(&rows).expect("games");
    // The last line is cut off, as by a kill. Of two games at a time either may end last.
    std::fs::write(&rows, &text[..text.len() - 30]).expect("games");
    let last: serde_json::Value = serde_json::from_str(text.lines().last().expect("a row")).expect("JSON");
    let errors = laboratory.complaint(&["join", "whole", "1", "2", "3"]);
    assert!(errors.contains(&format!("incomplete: 2 (shard 2/3) lacks game {};", last["game"])), "{errors}");
    let resumed = [&MATCH[..], &["--shard", "2/3", "--resume", "--out", "2"]].concat();
    laboratory.ok(&resumed);
    laboratory.ok(&["join", "whole", "1", "2", "3"]);
    assert_eq!(laboratory.files("whole"), laboratory.files("one"));
    // A folder continues its own shard only.
    std::fs::rename(laboratory.path("whole"), laboratory.path("done")).expect("a folder");
    let errors = laboratory.complaint(&[&MATCH[..], &["--shard", "1/3", "--resume", "--out", "2"]].concat());
    assert!(errors.contains("its shard is \"2/3\", expected \"1/3\""), "{errors}");
    let errors = laboratory.complaint(&[&MATCH[..], &["--resume", "--out", "2"]].concat());
    assert!(errors.contains("shard"), "{errors}");
}

#[test]
fn more_shards_than_pairs_leave_some_empty() {
    let laboratory = Laboratory::new();
    let command = [&MATCH[..13], &["2"]].concat();
    laboratory.in_three(&command);
    laboratory.ok(&["join", "whole", "1", "2", "3"]);
    assert_eq!(laboratory.files("whole"), laboratory.files("one"));
}

#[test]
fn impossible_shards_are_refused_in_one_line() {
    let laboratory = Laboratory::new();
    for (options, expected) in [
        (vec!["--shard", "0/3", "--out", "out"], "0/3"),
        (vec!["--shard", "4/3", "--out", "out"], "4/3"),
        (vec!["--shard", "1", "--out", "out"], "expected I/N"),
        (vec!["--shard", "one/3", "--out", "out"], "expected I/N"),
        (vec!["--shard", "1/3"], "--out"),
        (vec!["--shard", "1/3", "--out", "out", "--sprt", "0,10"], "--sprt"),
        (vec!["--shard", "1/3", "--out", "out", "--keep-table"], "--keep-table"),
    ] {
        let errors = laboratory.complaint(&[&MATCH[..], &options].concat());
        assert!(errors.contains(expected), "{options:?}: {errors}");
        assert!(!laboratory.path("out").exists(), "{options:?}");
    }
    std::fs::write(laboratory.path("games.sgf"), "(;GM[1]SZ[9];B[ee])").expect("a record");
    let sweep =
        ["sweep", "--table-size", "64KiB", "--positions", "games.sgf", "--shard", "1/2", "--out", "out"];
    assert!(laboratory.complaint(&sweep).contains("play no games"));
}
