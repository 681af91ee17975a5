//! `table learn`: analyses of other programs in game records, and searches that know them.

#![cfg(unix)]

use crate::common::program;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::Output;

/// Bytes of a table file before its statistics.
const HEADER_BYTES: usize = 512;

/// A folder with a record and a table that does not exist yet.
struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn with(name: &str, record: &str) -> Fixture {
        let fixture = Fixture { folder: tempfile::tempdir().expect("a folder") };
        std::fs::write(fixture.path(name), record).expect("a record");
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn table(&self) -> PathBuf {
        self.path("go.tewari")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        program().current_dir(self.folder.path()).args(arguments).output().expect("the program runs")
    }

    /// Learns from files for a model.
    fn learn(&self, files: &[&str], model: &str) -> Output {
        let options = ["--table", "go.tewari", "--table-size", "1MiB", "--evaluator-name", model];
        self.run(&[&["table", "learn"], files, &options].concat())
    }

    /// Analyses the record with a program that cannot be started.
    fn analyze_output(&self, record: &str, arguments: &[&str]) -> Output {
        let evaluator = "/nowhere/katago analysis -model small-model.bin.gz";
        let options =
            ["--visits", "40", "--format", "json", "--table", "go.tewari", "--evaluator", evaluator];
        self.run(&[&["analyze", record], &options[..], arguments].concat())
    }

    /// Returns the analysis of all positions of the record, none of which is asked for.
    fn analyze(&self, record: &str) -> Vec<Value> {
        let output = self.analyze_output(record, &[]);
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    fn verify(&self) {
        let output = self.run(&["table", "verify", "go.tewari"]);
        assert!(output.status.success() && text(&output.stdout).contains("clean"), "{output:?}");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn packed(data: &[u8]) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).expect("memory");
    STANDARD.encode(encoder.finish().expect("memory"))
}

/// Returns a property of KaTrain with 40 visits, 30 of them through `best`, and Black's win rates of the position and of the
/// other move.
fn katrain(best: &str, other: &str, black_win_rate: f64, of_other: f64) -> String {
    let main = json!({
        "moves": {
            best: {"move": best, "visits": 30, "winrate": black_win_rate, "prior": 0.5, "order": 0, "pv": [best]},
            other: {"move": other, "visits": 9, "winrate": of_other, "prior": 0.001, "order": 1, "pv": [other]},
        },
        "root": {"visits": 40, "winrate": black_win_rate, "scoreLead": 3.5, "scoreStdev": 6.0, "rawLead": 3.5},
        "completed": true,
    });
    let policy: Vec<u8> = [0x2800_u16; 26].iter().flat_map(|it| it.to_le_bytes()).collect();
    format!("KT[{}][{}][{}]", packed(b""), packed(&policy), packed(main.to_string().as_bytes()))
}

const HEAD: &str = "(;GM[1]FF[4]SZ[5]KM[7.5]RU[Chinese]KTV[1.0]";

fn katrain_game() -> String {
    let [start, one, two] =
        [("C3", "A1", 0.75, 0.25), ("D4", "pass", 0.625, 0.95), ("B2", "E5", 0.875, 0.25)]
            .map(|(best, other, win_rate, of_other)| katrain(best, other, win_rate, of_other));
    format!("{HEAD}{start};B[cc]{one};W[dd]{two})")
}

#[test]
fn a_learned_game_is_analysed_without_a_question() {
    let fixture = Fixture::with("game.sgf", &katrain_game());
    let learned = fixture.learn(&["game.sgf"], "small-model");
    assert_eq!(text(&learned.stdout), "game.sgf: 3 positions learned with 120 visits (3 of KaTrain)\n");
    assert_eq!((learned.status.code(), learned.stderr.len()), (Some(0), 0), "{learned:?}");
    fixture.verify();
    let analysed = fixture.analyze("game.sgf");
    let expected = [("C3", 0.75), ("D4", 0.625), ("B2", 0.875)];
    assert_eq!(analysed.len(), expected.len());
    for (found, (best, win_rate)) in analysed.iter().zip(expected) {
        let (root, first) = (&found["rootInfo"], &found["moveInfos"][0]);
        assert_eq!(
            (&root["visits"], &first["move"], &first["edgeVisits"]),
            (&json!(40), &json!(best), &json!(30))
        );
        assert!((root["winrate"].as_f64().expect("a win rate") - win_rate).abs() < 1e-4, "{found}");
        assert!((root["scoreLead"].as_f64().expect("a lead") - 3.5).abs() < 1e-2, "{found}");
        assert_eq!(found["moveInfos"].as_array().map(Vec::len), Some(2), "{found}");
    }
}

#[test]
fn a_review_of_a_learned_game_knows_the_points_lost() {
    let fixture = Fixture::with("game.sgf", &katrain_game());
    fixture.learn(&["game.sgf"], "small-model");
    let evaluator = "/nowhere/katago analysis -model small-model.bin.gz";
    let options = ["--visits", "40", "--format", "csv", "--table", "go.tewari", "--evaluator", evaluator];
    let output = fixture.run(&[&["review", "game.sgf"][..], &options].concat());
    let table = text(&output.stdout);
    let mut rows = table.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let names = rows.next().unwrap_or_else(|| panic!("{output:?}"));
    let column = names.iter().position(|name| *name == "points_lost").expect("a column");
    let lost: Vec<&str> = rows.map(|row| row[column]).collect();
    assert_eq!(lost, ["0.0", "0.0"], "{table}");
}

#[test]
fn learning_again_changes_nothing() {
    let fixture = Fixture::with("game.sgf", &katrain_game());
    fixture.learn(&["game.sgf"], "small-model");
    let before = std::fs::read(fixture.table()).expect("a table");
    let again = fixture.learn(&["game.sgf"], "small-model");
    assert!(text(&again.stdout).contains("3 positions known already"), "{again:?}");
    let after = std::fs::read(fixture.table()).expect("a table");
    assert!(before[HEADER_BYTES..] == after[HEADER_BYTES..], "the statistics changed");
}

#[test]
fn an_unreadable_analysis_is_told_and_the_others_are_learned() {
    let damaged = katrain_game().replacen("B[cc]KT[", "B[cc]KT[x][", 1);
    let fixture = Fixture::with("game.sgf", &damaged);
    let learned = fixture.learn(&["game.sgf"], "small-model");
    assert!(text(&learned.stdout).contains("2 positions learned with 80 visits"), "{learned:?}");
    let error = text(&learned.stderr);
    assert!(error.contains("1 analysis left out as unreadable; the first: line 1, column"), "{error}");
    assert!(error.contains("after move 1: an analysis of KaTrain: expected"), "{error}");
    assert_eq!((error.lines().count(), learned.status.code()), (1, Some(0)), "{error}");
}

#[test]
fn a_table_of_another_evaluator_is_refused() {
    let fixture = Fixture::with("game.sgf", &katrain_game());
    fixture.learn(&["game.sgf"], "small-model");
    let refused = fixture.learn(&["game.sgf"], "large-model");
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0), "{refused:?}");
    assert!(text(&refused.stderr).contains("expected a table made with"), "{refused:?}");
    let nameless = fixture.run(&["table", "learn", "game.sgf", "--table", "go.tewari"]);
    assert!(text(&nameless.stderr).contains("--evaluator-name"), "{nameless:?}");
}

#[test]
fn analyses_of_lizzie_are_learned_for_the_player_to_move() {
    let moves = "move D4 visits 30 winrate 7000 prior 4000 scoreMean 2 pv D4 B2 info move B2 visits 9 winrate 6000 prior 100 \
                 scoreMean 1 pv B2";
    let record = format!(
        "{HEAD};B[cc]LZ[0.7.3 30.5 39\n{moves}];W[dd]LZ[KataGo 30.5 39\n{}]LZOP[KataGo 1.12 30,5 40 1.5 8.0\n{}]LZ2[x])",
        moves.replace("D4", "A1"),
        moves.replace("D4", "E1")
    );
    let fixture = Fixture::with("game.sgf", &record);
    let learned = fixture.learn(&["game.sgf"], "small-model");
    let lines = text(&learned.stdout);
    assert!(
        lines.contains("2 positions learned with 80 visits (1 of Lizzie, 1 of LizzieYzy)"),
        "{learned:?}"
    );
    assert!(lines.contains("1 analysis left out: LZ2 and LZOP2 are of a second engine"), "{lines}");
    fixture.verify();
    let [start, white, black] = &fixture_positions(&fixture)[..] else { panic!("three positions") };
    assert_eq!(start["rootInfo"]["visits"], 0, "{start}");
    // Win rates in JSON are Black's.
    assert!((white["rootInfo"]["winrate"].as_f64().expect("a win rate") - 0.305).abs() < 1e-4, "{white}");
    assert_eq!(
        (&white["moveInfos"][0]["move"], &white["moveInfos"][0]["edgeVisits"]),
        (&json!("D4"), &json!(30))
    );
    assert!((black["rootInfo"]["winrate"].as_f64().expect("a win rate") - 0.695).abs() < 1e-4, "{black}");
    assert_eq!(black["moveInfos"][0]["move"], "E1", "{black}");
}

/// Returns the three positions of a record, of which the first was not learned.
fn fixture_positions(fixture: &Fixture) -> Vec<Value> {
    ["0", "1", "2"]
        .into_iter()
        .map(|turn| {
            let output = fixture.analyze_output("game.sgf", &["--move", turn]);
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| json!({"rootInfo": {"visits": 0}}))
        })
        .collect()
}

#[test]
fn what_cannot_be_stored_is_counted_with_its_reason() {
    let [analysis, of_a_stone] = [katrain("A1", "A2", 0.5, 0.25), katrain("A5", "A2", 0.5, 0.25)];
    let record = format!(
        "{HEAD};B[cc]C[0.57 0.43 0.00 1.2 v=800];W[dd]{analysis};AE[dd]AW[bb]PL[B](;B[aa]{of_a_stone};W[ee]{analysis};W[]\
         ;B[]{analysis})(;B[ee]{analysis}))"
    );
    let fixture = Fixture::with("game.sgf", &record);
    let learned = fixture.learn(&["game.sgf"], "small-model");
    let lines = text(&learned.stdout);
    for expected in [
        "1 analysis left out: KataGo's comments on its own games name no moves",
        "1 analysis left out: stones were set up after the analysed position",
        "1 analysis left out: a move of the analysis is illegal",
        "1 analysis left out: the other player is to move in the record",
        "1 analysis left out: the game has ended by two passes",
        "analyses in variations are not read",
        "0 positions learned with 0 visits",
    ] {
        assert!(lines.contains(expected), "no {expected:?} in {lines}");
    }
}

#[test]
fn files_that_cannot_be_learned_do_not_stop_the_others() {
    let fixture = Fixture::with("game.sgf", &katrain_game());
    std::fs::write(fixture.path("later.sgf"), katrain_game().replace("KTV[1.0]", "KTV[2.0]"))
        .expect("a file");
    std::fs::write(fixture.path("other.sgf"), katrain_game().replace("SZ[5]", "SZ[7]")).expect("a file");
    std::fs::write(fixture.path("plain.sgf"), "(;SZ[5];B[cc])").expect("a file");
    let learned =
        fixture.learn(&["later.sgf", "absent.sgf", "plain.sgf", "game.sgf", "other.sgf"], "small-model");
    let (lines, errors) = (text(&learned.stdout), text(&learned.stderr));
    assert!(
        lines.contains("game.sgf: 3 positions learned") && lines.contains("plain.sgf: no analyses"),
        "{lines}"
    );
    for expected in ["KTV[2.0]: expected at most 1.0", "cannot read absent.sgf", "other.sgf:"] {
        assert!(errors.contains(expected), "no {expected:?} in {errors}");
    }
    assert_eq!(learned.status.code(), Some(1), "{learned:?}");
    let nothing = fixture.learn(&["plain.sgf"], "small-model");
    assert!(text(&nothing.stderr).contains("found none in the main lines"), "{nothing:?}");
}
