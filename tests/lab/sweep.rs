//! `tewari sweep`: equal conditions at every point, a table, and charts that can be drawn again.

use crate::common::{interrupted, program};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;

/// Runs a sweep on 5x5; returns exit code, output and errors. Tromp-Taylor rules save the time for the status of stones,
/// which is most of a game of few simulations.
fn sweep(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = program();
    command
        .args(["sweep", "--size", "5", "--komi", "0.5", "--rules", "tromp-taylor", "--quiet"])
        .args(arguments);
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn rows(folder: &Path, name: &str) -> Vec<Value> {
    let mut reader = csv::Reader::from_path(folder.join(name)).expect("a table of results");
    reader
        .deserialize::<BTreeMap<String, String>>()
        .map(|row| serde_json::json!(row.expect("a row")))
        .collect()
}

fn number(row: &Value, column: &str) -> f64 {
    row[column].as_str().expect("a column").parse().unwrap_or(f64::NAN)
}

const POINTS: [&str; 10] = [
    "--table-size",
    "2KiB,8KiB,1MiB",
    "--replacement",
    "visits-and-generation,always",
    "--simulations",
    "40",
    "--games",
    "4",
    // With a network, so few simulations expand too few positions to fill a table.
    "--engine",
    "self:--network none",
];

#[test]
fn every_point_plays_the_same_openings_and_ends_in_a_table_and_charts() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let (code, output, errors) = sweep(&[&POINTS[..], &["--out", out.to_str().unwrap()]].concat());
    assert_eq!(code, Some(0), "{errors}");
    let silence = "too few games for a curve: 4 at a point, expected 20 or more";
    assert!(errors.contains(silence), "{errors}");
    let table = rows(&out, "sweep.csv");
    assert_eq!(table.len(), 6);
    assert_eq!(std::fs::read_to_string(out.join("sweep.csv")).unwrap(), output);
    for row in &table {
        assert_eq!(number(row, "games"), 4.0);
        assert!(number(row, "simulations_per_second") > 0.0 && number(row, "resident_kib") > 1000.0, "{row}");
        let is_ample = row["table_size"] == "1048576";
        assert_eq!(number(row, "block_evictions_per_simulation") == 0.0, is_ample, "{row}");
        assert!(
            number(row, "score_low") <= number(row, "score")
                && number(row, "score") <= number(row, "score_high")
        );
        assert!(number(row, "share_of_unbounded") > 0.0, "{row}");
    }
    // A large table evicts nothing, so the replacement policy makes no difference in any game.
    let text = std::fs::read_to_string(out.join("games.jsonl")).unwrap();
    let games: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(games.len(), 24);
    let numbers: BTreeSet<u64> = games.iter().map(|game| game["game"].as_u64().unwrap()).collect();
    assert_eq!(numbers.len(), 24);
    let of = |policy: &str| {
        let label = format!("1MiB {policy} 40 simulations");
        let mut found: Vec<&Value> = games.iter().filter(|game| game["pairing"] == label.as_str()).collect();
        found.sort_by_key(|game| game["game"].as_u64());
        found
            .iter()
            .map(|game| format!("{} {} {}", game["black_is"], game["result"], game["moves"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("visits-and-generation"), of("always"));
    for (chart, expected) in [("sweep.svg", "simulations / s"), ("share.svg", "share of games won")] {
        let svg = std::fs::read_to_string(out.join(chart)).unwrap();
        assert!(svg.contains(expected) && svg.contains("always, 40 simulations: too few games"), "{chart}");
        assert!(svg.contains("the reference, self:--network none with a table of 64MiB"), "{chart}");
    }
    // The charts are drawn again from the table alone.
    let again = folder.path().join("again");
    let csv = out.join("sweep.csv");
    let (code, _, errors) = sweep(&["--rows", csv.to_str().unwrap(), "--out", again.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{errors}");
    for chart in ["sweep.svg", "share.svg"] {
        let [one, other] = [&out, &again].map(|folder| std::fs::read_to_string(folder.join(chart)).unwrap());
        assert_eq!(one, other, "{chart}");
    }
}

#[test]
fn the_charts_in_the_repository_are_drawn_from_its_rows() {
    let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/experiments");
    let folder = tempfile::tempdir().unwrap();
    let mut command = program();
    command.args(["sweep", "--reference", "the same engine with 64MiB", "--out"]).arg(folder.path());
    for rows in ["table-size-1000.csv", "table-size-5000.csv"] {
        command.arg("--rows").arg(experiments.join(rows));
    }
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (drawn, kept) in [("sweep.svg", "table-size.svg"), ("share.svg", "table-share.svg")] {
        let drawn = std::fs::read_to_string(folder.path().join(drawn)).unwrap();
        assert_eq!(drawn, std::fs::read_to_string(experiments.join(kept)).unwrap(), "{kept}");
        assert!(drawn.contains("reference, the same engine with 64MiB"), "{kept}");
        assert!(drawn.contains("prefers-color-scheme: dark"), "{kept}");
    }
    let sizes = std::fs::read_to_string(folder.path().join("sweep.svg")).unwrap();
    assert_eq!(sizes.matches("knee: ").count(), 2);
    assert!(sizes.contains("Knee: from this size on a larger table gains less than 10 Elo"));
}

#[test]
fn a_sweep_goes_on_where_it_was_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let [out, whole] = ["out", "whole"].map(|name| folder.path().join(name));
    let path = |folder: &Path| folder.to_str().unwrap().to_owned();
    let options = ["--table-size", "2KiB,1MiB", "--simulations", "20"];
    let (code, _, errors) = sweep(&[&options[..], &["--games", "2", "--out", &path(&out)]].concat());
    assert_eq!(code, Some(0), "{errors}");
    let (code, _, errors) =
        sweep(&[&options[..], &["--games", "4", "--out", &path(&out), "--resume"]].concat());
    assert_eq!(code, Some(0), "{errors}");
    let (code, _, errors) = sweep(&[&options[..], &["--games", "4", "--out", &path(&whole)]].concat());
    assert_eq!(code, Some(0), "{errors}");
    let wins =
        |folder: &Path| rows(folder, "sweep.csv").iter().map(|row| row["wins"].clone()).collect::<Vec<_>>();
    assert_eq!(wins(&out), wins(&whole));
    let other = ["--table-size", "2KiB,2MiB", "--simulations", "20", "--out", &path(&out), "--resume"];
    let (code, _, errors) = sweep(&other);
    assert_eq!(code, Some(1));
    assert!(errors.contains("another experiment"), "{errors}");
}

#[test]
fn budgets_of_time_and_other_references_have_points_too() {
    let (code, output, errors) = sweep(&[
        "--table-size",
        "16KiB",
        "--time",
        "0.002",
        "--simulations",
        "10",
        "--games",
        "2",
        "--reference",
        "self:--policy ucb1 --table-size 1MiB",
    ]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(output.contains("10 simulations") && output.contains("0.002 s"), "{output}");
    assert_eq!(output.lines().count(), 3, "{output}");
}

#[test]
fn an_engine_that_resigns_has_its_speed_and_memory_measured() {
    let options = ["--table-size", "16KiB", "--simulations", "10", "--games", "2"];
    let (code, output, errors) = sweep(&[&options[..], &["--engine", "self:--resign 0.2"]].concat());
    assert_eq!(code, Some(0), "{errors}");
    let mut reader = csv::Reader::from_reader(output.as_bytes());
    let columns = reader.headers().expect("names").clone();
    let row = reader.records().next().expect("a point").expect("a row");
    for (name, value) in columns.iter().zip(&row) {
        let is_measured = name == "simulations_per_cpu_second" || name == "resident_kib";
        assert!(!is_measured || value.parse::<f64>().is_ok_and(|value| value > 0.0), "{name}: {value:?}");
    }
}

#[test]
fn the_speed_is_that_of_searches_alone() {
    // A game in which the end is judged before moves that are played then.
    let mut command = program();
    command.args(["sweep", "--size", "5", "--komi", "24.5", "--rules", "chinese", "--seed", "2", "--quiet"]);
    command.args(["--table-size", "64KiB", "--simulations", "20", "--games", "2", "--concurrency", "1"]);
    let output = command.output().expect("the program starts").stdout;
    let row = csv::Reader::from_reader(&*output).deserialize::<BTreeMap<String, String>>().next();
    let row = row.expect("a point").expect("a row");
    let [elapsed, processor] = ["simulations_per_second", "simulations_per_cpu_second"]
        .map(|name| row[name].parse::<f64>().expect("a speed"));
    assert!(4.0 * processor > elapsed, "{row:?}");
}

#[test]
fn moves_are_judged_without_games() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.sgf");
    std::fs::write(&games, "(;SZ[5];B[cc];W[bb];B[dd];W[db])(;SZ[5];B[bc];W[cc];B[cb];W[bb])").unwrap();
    let out = folder.path().join("out");
    let (code, output, errors) = sweep(&[
        "--positions",
        games.to_str().unwrap(),
        "--every",
        "2",
        "--repeats",
        "3",
        "--table-size",
        "2KiB,1MiB",
        "--simulations",
        "50",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(code, Some(0), "{errors}");
    let table = rows(&out, "proxy.csv");
    assert_eq!((table.len(), output.lines().count()), (2, 3));
    // Two games of two positions, three searches each.
    assert!(table.iter().all(|row| number(row, "searches") == 12.0), "{table:?}");
    assert!(std::fs::read_to_string(out.join("proxy.svg")).unwrap().contains("win rate given away"));
}

#[test]
fn interrupted_searches_of_positions_end_with_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.sgf");
    std::fs::write(&games, "(;SZ[5];B[cc];W[bb];B[dd];W[db])".repeat(1000)).unwrap();
    let mut command = program();
    command.args(["sweep", "--size", "5", "--quiet", "--table-size", "1MiB", "--every", "2", "--positions"]);
    command.arg(&games).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = interrupted(command.spawn().expect("the program starts"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{errors}");
    assert!(errors.contains("interrupted after ") && errors.contains(" of 2000 positions"), "{errors}");
}

#[test]
fn impossible_rows_are_named_by_file_and_number() {
    let folder = tempfile::tempdir().unwrap();
    let rows = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/experiments/table-size-1000.csv");
    let text = std::fs::read_to_string(rows).unwrap();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let path = folder.path().join("sweep.csv");
    for (column, value) in [
        ("table_size", "0"),
        ("share_of_unbounded", "0"),
        ("share_of_unbounded", "-1"),
        ("simulations_per_second", "inf"),
        ("simulations_per_cpu_second", "inf"),
        ("simulations_per_cpu_second", "NaN"),
        ("wins", "201"),
        ("score_high", "1.5"),
        ("score_low", "0.9"),
        ("score", "NaN"),
        ("elo_high", "-1000"),
        ("elo", "NaN"),
    ] {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let index = names.iter().position(|name| *name == column).unwrap();
        let mut fields: Vec<&str> = lines[2].split(',').collect();
        fields[index] = value;
        lines[2] = fields.join(",");
        std::fs::write(&path, lines.join("\n")).unwrap();
        let (code, _, errors) =
            sweep(&["--rows", path.to_str().unwrap(), "--out", folder.path().to_str().unwrap()]);
        assert_eq!((code, errors.lines().count()), (Some(1), 1), "{column} {value}: {errors}");
        let name = if column == "score_low" { "score" } else { column.trim_end_matches("_high") };
        assert!(errors.contains("sweep.csv, row 2") && errors.contains(name), "{column} {value}: {errors}");
    }
}

#[test]
fn what_cannot_be_swept_is_explained() {
    for (arguments, expected) in [
        (&["--table-size", "100"][..], "too small"),
        (&["--table-size", "16KiB,16KiB"], "given twice"),
        (&["--table-size", "16KiB", "--replacement", "lifo"], "visits, always"),
        (&["--table-size", "16KiB", "--engine", "gnugo"], "expected self"),
        (&["--table-size", "16KiB", "--engine", "self:--table-size 1MiB"], "expected no --table-size"),
        (&["--table-size", "16KiB", "--engine", "self:--level 3"], "expected no --level"),
        (&["--table-size", "16KiB", "--engine", "self:--table F --table-mode cow"], "expected no --table,"),
        (&["--table-size", "16KiB", "--engine", "self:--table=F"], "leave out --table and --table-mode"),
        (&["--table-size", "16KiB", "--reference", "self:--table F"], "or in a match --keep-table"),
        (&["--table-size", "64GiB,1GiB", "--concurrency", "1000"], "memory"),
        (&["--table-size", "16KiB", "--positions", "/no/file"], "/no/file"),
        (&[], "--table-size"),
        (&["--rows", "/no/rows.csv", "--out", "/tmp"], "/no/rows.csv"),
    ] {
        let (code, output, errors) = sweep(arguments);
        assert!(matches!(code, Some(1 | 2)), "{arguments:?}: {errors}");
        assert_eq!((output.as_str(), errors.lines().count()), ("", 1), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    }
}
