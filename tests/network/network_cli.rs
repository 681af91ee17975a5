//! `tewari network` prints a network's properties and evaluations, and prepares games; it refuses unusable input in one
//! line.

use crate::common::program;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;
use tewari::go::Size;
use tewari::network::Network;

const GAME: &str = "(;GM[1]FF[4]SZ[9]KM[6.5];B[ee];W[gc];B[cc];W[gg])";

fn network(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = program();
    command.arg("network").args(arguments).current_dir(folder).output().expect("the program runs")
}

fn output(folder: &Path, arguments: &[&str]) -> String {
    let output = network(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && errors.is_empty(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns the one-line error of a run that must fail.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = network(folder, arguments);
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(!output.status.success() && errors.lines().count() == 1, "{arguments:?}: {errors}");
    errors
}

#[test]
fn info_names_the_networks_in_the_program() {
    let folder = TempDir::new().unwrap();
    let text = output(folder.path(), &["info"]);
    for side in [9, 19] {
        let network = Network::embedded(Size::new(side, side).unwrap());
        let identity = format!("identity: {:016x}", network.identity());
        assert!(text.contains(&identity) && text.contains("trained heads: policy"), "{text}");
    }
}

#[test]
fn eval_draws_the_board_with_chances_of_moves() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("game.sgf"), GAME).unwrap();
    let text = output(folder.path(), &["eval", "game.sgf", "--move", "3"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.iter().position(|line| line.starts_with(" 9 ")), Some(0), "{text}");
    // A second board with the owners of points follows if the network was trained on them.
    let first = text.split("\n\n").next().unwrap_or_default();
    assert_eq!(first.matches('X').count(), 2, "{text}");
    assert!(text.contains("white to play, per cent: "), "{text}");
    // The default is the last position.
    assert!(output(folder.path(), &["eval", "game.sgf"]).contains("black to play, per cent: "));
}

#[test]
fn what_cannot_be_used_is_refused_in_one_line() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("game.sgf"), GAME).unwrap();
    std::fs::write(folder.path().join("foreign"), "GIF89a").unwrap();
    std::fs::write(folder.path().join("large"), vec![0; 600_000]).unwrap();
    std::fs::write(folder.path().join("games"), "2001-01-01 B+R 6.5 qd\n2001-01-02 nobody 6.5 qd\n").unwrap();
    std::fs::write(folder.path().join("packed"), [0x1f, 0x8b, 8, 0]).unwrap();
    std::fs::write(folder.path().join("one"), "2001-01-01 B+R 6.5 qd\n").unwrap();
    for (arguments, words) in [
        (&["info", "--network", "absent"][..], "cannot read absent"),
        (&["info", "--network", "foreign"], "foreign: not a weights file"),
        (&["info", "--network", "large"], "at most 500000 bytes"),
        (&["eval", "game.sgf", "--move", "5"], "no turn 5"),
        (&["eval", "game.sgf", "--game", "2"], "no game 2"),
        (&["eval", "foreign"], "foreign"),
        (&["prepare", "games", "--out", "rows"], "line 2 is no game"),
        (&["prepare", "packed", "--out", "rows"], "packed is compressed"),
        (&["prepare", "one", "--out", "rows", "--validation", "1"], "found 1: set --validation lower"),
        (&["prepare", "one", "--out", "rows", "--validation", "0"], "--validation"),
        (&["info", "--network", "none"], "none: this command needs a network"),
    ] {
        let error = refusal(folder.path(), arguments);
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn rows_that_are_prepared_anew_replace_others_when_they_are_whole() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join("rows").join(name);
    let rows = || ["train.rows", "validation.rows"].map(|name| std::fs::read(path(name)).unwrap());
    std::fs::write(folder.path().join("games"), "2001-01-01 B+R 6.5 qd\n2001-01-02 B+R 6.5 qddd\n").unwrap();
    let prepare = ["prepare", "games", "--out", "rows", "--validation", "1"];
    output(folder.path(), &prepare);
    // A trainer keeps the rows open that it began with, as this test does.
    let (mut held, before) = (std::fs::File::open(path("train.rows")).unwrap(), rows());
    std::fs::write(folder.path().join("games"), "2001-01-01 B+R 6.5 qdddpp\n2001-01-02 B+R 6.5 qd\n")
        .unwrap();
    // A folder takes the place of the second file.
    std::fs::remove_file(path("validation.rows")).unwrap();
    std::fs::create_dir(path("validation.rows")).unwrap();
    refusal(folder.path(), &prepare);
    assert_eq!(std::fs::read(path("train.rows")).unwrap(), before[0]);
    std::fs::remove_dir(path("validation.rows")).unwrap();
    output(folder.path(), &prepare);
    let after = rows();
    assert!(after[0].len() > before[0].len() && after[1].len() < before[1].len());
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut held, &mut bytes).unwrap();
    assert_eq!(bytes, before[0]);
    assert_eq!(std::fs::read_dir(folder.path().join("rows")).unwrap().count(), 2);
}

#[test]
fn games_become_rows_and_the_last_by_date_are_kept_apart() {
    let folder = TempDir::new().unwrap();
    let games = "2015-02-01 B+R 6.5 qddd\n2001-01-01 W+0.50 0.5 qdddpp\n2001-01-02 B+T 6.5 qd\n";
    std::fs::write(folder.path().join("games"), games).unwrap();
    let text = output(folder.path(), &["prepare", "games", "--out", "rows", "--validation", "1"]);
    assert!(text.contains("train.rows: 2 games, 0 of them cut off, 4 positions"), "{text}");
    let rows = |name: &str| std::fs::read(folder.path().join("rows").join(name)).unwrap();
    let (train, validation) = (rows("train.rows"), rows("validation.rows"));
    let row = u32::from_le_bytes(train[16..20].try_into().unwrap()) as usize;
    assert_eq!((train.len(), validation.len()), (128 + 4 * row, 128 + 2 * row));
}
