//! The game searched with a table: the one it was made for, unless options name another.

use super::process::{Folder, analysis, stderr, table, tewari};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

fn made_for_another_game(folder: &Folder) -> PathBuf {
    let path = folder.path("odd.tewari");
    let words = ["create", "--size", "7", "--komi", "6.5", "--rules", "tromp-taylor", "--table-size", "1MiB"];
    assert!(table(&words, &[&path]).status.success());
    path
}

fn gtp(table: &Path, arguments: &[&str]) -> Output {
    let mut command = tewari();
    command.args(["gtp", "--simulations", "50"]).args(arguments).arg("--table").arg(table);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // It may refuse its arguments and end.
    let _ = child.stdin.take().expect("its input").write_all(b"get_komi\nshowboard\nquit\n");
    child.wait_with_output().expect("it ends")
}

#[test]
fn board_komi_and_rules_come_from_the_table() {
    let folder = Folder::new();
    let path = made_for_another_game(&folder);
    let output = gtp(&path, &["--quiet"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("= 6.5") && text.contains("rules tromp-taylor"), "{text}{}", stderr(&output));
    assert!(!text.contains(" 8 ") && text.contains(" 7 "), "{text}");
    let mut command = tewari();
    command.args(["analyze", "--simulations", "50", "--format", "json", "--table"]).arg(&path);
    let output = command.output().expect("it runs");
    assert_eq!(stderr(&output), "");
    let found: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!((&found["komi"], &found["rules"]), (&Value::from(6.5), &Value::from("tromp-taylor")));
    assert_eq!(found["boardXSize"], 7);
}

#[test]
fn another_game_than_the_table_s_is_told_in_one_line() {
    let folder = Folder::new();
    let path = made_for_another_game(&folder);
    for (arguments, parts) in [
        (["--komi", "7.5"], ["komi 6.5", "uses rules tromp-taylor and komi 7.5"]),
        (["--rules", "chinese"], ["rules tromp-taylor", "uses rules chinese and komi 6.5"]),
    ] {
        let text = stderr(&gtp(&path, &arguments));
        let lines: Vec<&str> =
            text.lines().filter(|line| line.contains("odd.tewari: the table was made")).collect();
        assert_eq!(lines.len(), 1, "{text}");
        assert!(parts.iter().all(|part| lines[0].contains(part)), "{text}");
    }
    assert!(!stderr(&gtp(&path, &["--komi", "6.5"])).contains("odd.tewari: the table was made"));
    let text = stderr(&gtp(&path, &["--size", "9"]));
    assert!(text.contains("expected a table for go 9x9") && text.contains("go 7x7"), "{text}");
}

#[test]
fn a_record_without_komi_is_searched_under_the_table_s() {
    let folder = Folder::new();
    let path = made_for_another_game(&folder);
    let game = folder.path("game.sgf");
    std::fs::write(&game, "(;SZ[7])").expect("a file");
    let mut command = tewari();
    command.args(["analyze", "--simulations", "50", "--format", "json", "--table"]).arg(&path).arg(&game);
    let found: Value =
        serde_json::from_slice(&command.output().expect("it runs").stdout).expect("one object");
    assert_eq!((&found["komi"], &found["rules"]), (&Value::from(6.5), &Value::from("tromp-taylor")));
    // A new table has no game yet.
    assert_eq!(
        analysis(&folder.path("new.tewari"), &["--simulations", "50", "--table-size", "1MiB"])["komi"],
        7.5
    );
}
