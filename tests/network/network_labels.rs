//! `tewari network label` asks each position once, also after a kill, and mixes no labels of different kinds.

use crate::common::{interrupted, program, stand_in};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const POSITIONS: u64 = 300;
/// Number of questions at a time.
const THREADS: u64 = 4;
const GAMES: &str =
    "2001-01-01 W+0.50 6.5 qdddppdpcfjdqjcl\n2001-01-02 B+T 0.5 qddp..pp\n2001-01-03 B+R 6.5 qd\n";
/// Bytes of a record for a board of 19x19.
const RECORD: u64 = 24 + 361 + 362;

fn command(folder: &Path, evaluator: &str, arguments: &[&str]) -> Command {
    let mut command = program();
    command.args(["network", "label", "--out", "labels", "--evaluator", evaluator, "--threads"]);
    command.arg(THREADS.to_string()).args(arguments).current_dir(folder);
    command
}

fn output(mut command: Command) -> Output {
    command.output().expect("the program runs")
}

/// Returns the one-line error of a run that must fail.
fn refusal(command: Command) -> String {
    let output = output(command);
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(!output.status.success() && errors.lines().count() == 1, "{errors}");
    errors
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

#[test]
fn labels_are_made_once_in_spite_of_a_kill_and_become_rows() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("games"), GAMES).expect("games");
    let Some(evaluator) = stand_in(&format!("--delay 5 --count {}", path("answers").display())) else {
        return;
    };
    let positions = POSITIONS.to_string();
    let all = ["games", "--positions", &positions];
    let mut killed = command(folder.path(), &evaluator, &all).spawn().expect("the program starts");
    let started = Instant::now();
    while length(&path("labels/labels.bin")) < 20 * RECORD && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    killed.kill().and_then(|()| killed.wait()).expect("an end");
    let (kept, asked) = (length(&path("labels/labels.bin")) / RECORD, length(&path("answers")));
    assert!((20..POSITIONS).contains(&kept), "{kept}");
    let resumed = output(command(folder.path(), &evaluator, &all));
    assert!(String::from_utf8_lossy(&resumed.stdout).contains("300 labels"), "{resumed:?}");
    assert_eq!(length(&path("labels/labels.bin")), POSITIONS * RECORD);
    // The answers that were under way at the kill are lost.
    let again = length(&path("answers")) - asked;
    assert!((POSITIONS - kept..=POSITIONS - kept + THREADS).contains(&again), "{kept} {again}");
    let before = length(&path("answers"));
    assert!(output(command(folder.path(), &evaluator, &all)).status.success());
    assert_eq!(length(&path("answers")), before);
    for options in [&[][..], &["--played-policy"]] {
        let mut prepare = program();
        prepare.args([
            "network",
            "prepare",
            "games",
            "--labels",
            "labels",
            "--validation",
            "1",
            "--out",
            "rows",
        ]);
        prepare.args(options).current_dir(folder.path());
        let prepared = output(prepare);
        assert!(prepared.status.success(), "{prepared:?}");
        let files = ["train.rows", "validation.rows"]
            .map(|name| std::fs::read(path("rows").join(name)).expect("rows"));
        let row = u32::from_le_bytes([16, 17, 18, 19].map(|at| files[0][at])) as usize;
        assert_eq!(files.map(|file| (file.len() - 128) / row).iter().sum::<usize>(), POSITIONS as usize);
    }
}

#[test]
fn interrupted_labelling_ends_with_the_number_of_positions() {
    let folder = TempDir::new().expect("a folder");
    std::fs::write(folder.path().join("games"), GAMES).expect("games");
    let Some(evaluator) = stand_in("--delay 20") else { return };
    let mut command = command(folder.path(), &evaluator, &["games", "--positions", "100000"]);
    let output = interrupted(command.stderr(Stdio::piped()).spawn().expect("the program starts"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{errors}");
    let done = length(&folder.path().join("labels/labels.bin")) / RECORD;
    let expected = format!("interrupted after {done} of 100000 positions; the same command continues");
    assert!(errors.contains(&expected), "{errors}");
}

#[test]
fn labels_of_another_teacher_board_seed_or_version_are_refused_in_one_line() {
    let folder = TempDir::new().expect("a folder");
    std::fs::write(folder.path().join("games"), GAMES).expect("games");
    let Some(evaluator) = stand_in("") else { return };
    let few = ["games", "--positions", "8"];
    assert!(output(command(folder.path(), &evaluator, &few)).status.success());
    let other = evaluator.replace("small-model", "large-model");
    let error = refusal(command(folder.path(), &other, &few));
    assert!(error.contains(r#"its teacher is "small-model", expected "large-model""#), "{error}");
    let error = refusal(command(folder.path(), &evaluator, &["games", "--seed", "2"]));
    assert!(error.contains(r#"its seed is "1", expected "2""#), "{error}");
    let game = concat!(
        r#"{"number":0,"size":"3x2","komis":[[0,1]],"network":"","opening":0,"moves":[1,4],"values":[500,400],"#,
        r#""searches":[],"owners":"bb.ww."}"#
    );
    std::fs::create_dir(folder.path().join("small")).expect("a folder");
    std::fs::write(folder.path().join("small/games.jsonl"), format!("{game}\n")).expect("games");
    let error = refusal(command(folder.path(), &evaluator, &["small"]));
    assert!(error.contains(r#"its board is "19x19", expected "3x2""#), "{error}");
    let description = folder.path().join("labels/label.json");
    let text = std::fs::read_to_string(&description).expect("a description");
    std::fs::write(&description, text.replace(r#""version":"1""#, r#""version":"0""#))
        .expect("a description");
    let error = refusal(command(folder.path(), &evaluator, &few));
    assert!(error.contains(r#"its version is "0", expected "1""#), "{error}");
    let mut prepare = program();
    prepare.args(["network", "prepare", "games", "--labels", "labels", "--validation", "1", "--out", "rows"]);
    prepare.current_dir(folder.path());
    assert!(refusal(prepare).contains(r#"its version is "0""#));
    let error = refusal(command(folder.path(), "some-engine", &few));
    assert!(error.contains("give --evaluator-name"), "{error}");
}
