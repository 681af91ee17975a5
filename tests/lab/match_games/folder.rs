//! Games in a folder are never lost, repeated or mixed.

use super::{Laboratory, QUICK, command, essence, play, rows, run};
use crate::common::program;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const GAMES: [&str; 8] = ["--black", QUICK, "--white", QUICK, "--games", "12", "--concurrency", "2"];

/// Returns a match long enough to be interrupted.
fn long_match(out: &str) -> Command {
    let player = "self:--simulations 300 --table-size 256KiB";
    command(&["--black", player, "--white", player, "--games", "1000", "--concurrency", "2", "--out", out])
}

fn wait_for_games(folder: &Path, count: usize) {
    let started = Instant::now();
    let games = || std::fs::read_to_string(folder.join("games.jsonl")).map_or(0, |text| text.lines().count());
    while games() < count {
        assert!(started.elapsed() < Duration::from_secs(120), "no games within two minutes");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_killed_match_goes_on_without_losing_or_repeating_a_game() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("out");
    let out = folder.to_str().unwrap();
    let player = "self:--simulations 300 --table-size 256KiB";
    let limit = |games: &'static str| {
        ["--black", player, "--white", player, "--concurrency", "2", "--out", out, "--games", games]
    };
    let mut child = command(&limit("24")).spawn().unwrap();
    wait_for_games(&folder, 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = std::fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let (code, _, errors) = run(&[&limit("24")[..], &["--resume"]].concat());
    assert_eq!(code, Some(0), "{errors}");
    let whole = before.rfind('\n').map_or(0, |end| end + 1);
    let after = std::fs::read_to_string(folder.join("games.jsonl")).unwrap();
    assert!(after.starts_with(&before[..whole]), "games were lost");
    let numbers: Vec<u64> = rows(&folder).iter().map(|row| row["game"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..24).collect::<Vec<u64>>());
    // The interrupted match equals an uninterrupted one.
    let uninterrupted = laboratory.path("again");
    let again = uninterrupted.to_str().unwrap();
    let (code, _, errors) = run(&["--black", player, "--white", player, "--out", again, "--games", "24"]);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(essence(&rows(&folder)), essence(&rows(&uninterrupted)));
}

#[test]
fn interrupting_lets_the_running_games_end() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("out");
    let child = long_match(folder.to_str().unwrap()).stdout(Stdio::piped()).spawn().unwrap();
    wait_for_games(&folder, 2);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("interrupted after") && errors.contains("--resume"), "{errors}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("Elo"), "the score so far is printed");
    assert!(rows(&folder).len() < 1000);
}

/// Puts 72 games into a folder: of the first 40 the first contestant loses three of four, the others it wins.
fn lose_and_win(folder: &Path) {
    let row = rows(folder).remove(0);
    let line = |game: u64| {
        let mut row = row.clone();
        let loses = game < 40 && !game.is_multiple_of(4);
        row["game"] = game.into();
        row["black_is"] = (game % 2).into();
        row["winner"] = u64::from(loses).into();
        format!("{row}\n")
    };
    std::fs::write(folder.join("games.jsonl"), (0..72).map(line).collect::<String>()).unwrap();
}

#[test]
fn a_sequential_test_that_was_decided_stays_so_and_is_not_gone_on_with() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("out");
    play(&folder, &GAMES);
    lose_and_win(&folder);
    let out = folder.to_str().unwrap();
    let report = |sprt: &str| -> serde_json::Value {
        let player = ["--black", QUICK, "--white", QUICK, "--games", "2000", "--sprt", sprt];
        let (code, output, errors) =
            run(&[&player[..], &["--out", out, "--resume", "--format", "json"]].concat());
        assert_eq!(code, Some(0), "{errors}");
        serde_json::from_str(&output).expect("JSON")
    };
    let report = report("0,100");
    let sprt = &report["sprt"];
    assert_eq!((&report["games"], &sprt["verdict"]), (&72.into(), &"H0".into()), "{report}");
    assert!(sprt["decision"]["games"].as_u64().unwrap() <= 40, "{report}");
    // With all games the test is undecided.
    assert!(sprt["log_likelihood_ratio"].as_f64().unwrap() > sprt["bounds"][0].as_f64().unwrap(), "{report}");
    let kept = std::fs::read_to_string(folder.join("result.json")).expect("the result");
    let kept: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(kept[0], report);
}

#[test]
fn a_line_that_was_cut_off_is_played_again() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("out");
    let before = play(&folder, &GAMES);
    let path = folder.join("games.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 30]).unwrap();
    let after = play(&folder, &[&GAMES[..], &["--resume"]].concat());
    assert_eq!(essence(&before), essence(&after));
}

#[test]
fn a_cut_off_line_and_zeros_are_told_apart() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("out");
    play(&folder, &GAMES);
    let path = folder.join("games.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let cut = text[..text.len() - 30].to_owned();
    let zeros = text.clone() + "\0\0\0";
    for (content, notice) in [
        (cut, "the last line of games.jsonl was cut off"),
        (zeros, "games.jsonl ended with 3 bytes of value 0, which were removed: no game is lost"),
    ] {
        std::fs::write(&path, content).unwrap();
        let out = folder.to_str().unwrap();
        let (code, _, errors) = run(&[&GAMES[..], &["--out", out, "--resume"]].concat());
        assert!(code == Some(0) && errors.contains(notice), "{errors}");
        assert_eq!(rows(&folder).len(), 12);
    }
}

#[test]
fn a_damaged_file_is_left_alone() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("out");
    play(&folder, &GAMES);
    let path = folder.join("games.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let first = text.lines().next().unwrap();
    let of_no_contestant = text.replacen("\"black_is\":0", "\"black_is\":7", 1);
    let won_by_none = text.replacen("\"winner\":1", "\"winner\":7", 1);
    assert!(of_no_contestant != text && won_by_none != text, "{text}");
    let gone = text.replacen("\"game\"", "\"gone\"", 1);
    for (damaged, told) in [
        (gone, "expected a game, found"),
        (format!("{text}{first}\n"), " occurs twice"),
        (of_no_contestant, "expected a game, found"),
        (won_by_none, "expected a game, found"),
    ] {
        std::fs::write(&path, &damaged).unwrap();
        let out = folder.to_str().unwrap();
        let (code, _, errors) = run(&[&GAMES[..], &["--out", out, "--resume"]].concat());
        assert_eq!(code, Some(1));
        assert!(errors.contains("games.jsonl, line") && errors.contains(told), "{errors}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
    }
}

#[test]
fn a_row_with_other_colours_than_its_game_is_refused() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("out");
    play(&folder, &GAMES);
    let path = folder.join("games.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("\"black_is\":0", "\"black_is\":1", 1)).unwrap();
    let out = folder.to_str().unwrap();
    let (code, _, errors) = run(&[&GAMES[..], &["--out", out, "--resume"]].concat());
    assert_eq!(code, Some(1));
    assert!(errors.contains("other colours") && errors.contains("remove its line"), "{errors}");
}

#[test]
fn another_experiment_is_never_mixed_in() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("out");
    let before = play(&folder, &GAMES);
    let out = folder.to_str().unwrap();
    let (code, _, errors) = run(&[&GAMES[..], &["--out", out]].concat());
    assert_eq!(code, Some(1));
    assert!(errors.contains("already holds 12 games") && errors.contains("--resume"), "{errors}");
    for other in [["--komi", "7.5"], ["--seed", "2"], ["--rules", "chinese"]] {
        let mut arguments: Vec<&str> = GAMES.to_vec();
        arguments.extend(["--out", out, "--resume"]);
        arguments.extend(other.iter().copied().filter(|_| other[0] != "--komi"));
        let output = if other[0] == "--komi" {
            // The arguments contain a komi already, so the other one is given to a new command.
            let mut command = program();
            command.args(["match", "--size", "5", "--quiet"]).args(&arguments).args(other);
            command.output().unwrap()
        } else {
            command(&arguments).output().unwrap()
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{other:?}");
        assert!(errors.contains("another experiment") && errors.contains(&other[0][2..]), "{errors}");
    }
    assert_eq!(essence(&before), essence(&rows(&folder)));
}

#[test]
fn a_folder_is_not_gone_on_with_by_another_network() {
    let laboratory = Laboratory::new();
    let (folder, network) = (laboratory.path("out"), laboratory.path("network"));
    let weights = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::copy(weights.join("tests/data/network/weights.bin"), &network).unwrap();
    let player = format!("self:--network {} --simulations 10 --table-size 64KiB", network.display());
    let (out, games) = (folder.to_str().unwrap(), |games| ["--white", QUICK, "--games", games]);
    play(&folder, &[&["--black", &player][..], &games("2")].concat());
    std::fs::copy(weights.join("src/network/weights-19x19.bin"), &network).unwrap();
    let go_on = [&["--black", &player, "--out", out, "--resume"][..], &games("4")].concat();
    let (code, _, errors) = run(&go_on);
    assert_eq!(code, Some(1));
    assert!(errors.contains("another experiment") && errors.contains(&player), "{errors}");
    // A folder of a version that did not record engines.
    let path = folder.join("experiment.json");
    let mut experiment: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).expect("JSON");
    experiment.as_object_mut().unwrap().remove("engines").expect("the engines");
    std::fs::write(&path, experiment.to_string()).unwrap();
    let (code, _, errors) = run(&go_on);
    assert_eq!((code, rows(&folder).len()), (Some(0), 4), "{errors}");
}

#[test]
fn a_folder_with_other_files_is_refused() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("thesis");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("chapter.tex"), "precious").unwrap();
    let (code, _, errors) = run(&[&GAMES[..], &["--out", folder.to_str().unwrap()]].concat());
    assert_eq!(code, Some(1));
    assert!(errors.contains("chapter.tex") && errors.contains("choose another folder"), "{errors}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    // An empty file with the name of the games file does not make the folder one of this program.
    std::fs::write(folder.join("games.jsonl"), "").unwrap();
    let (code, _, errors) = run(&[&GAMES[..], &["--out", folder.to_str().unwrap()]].concat());
    assert!(code == Some(1) && errors.contains("chapter.tex"), "{errors}");
    let file = folder.join("chapter.tex");
    let (code, _, errors) = run(&[&GAMES[..], &["--out", file.to_str().unwrap()]].concat());
    assert_eq!((code, errors.lines().count()), (Some(1), 1), "{errors}");
}

#[test]
fn two_matches_cannot_write_one_folder() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("out");
    let out = folder.to_str().unwrap();
    let mut child = long_match(out).spawn().unwrap();
    wait_for_games(&folder, 1);
    let output = long_match(out).arg("--resume").output().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("another process"), "{errors}");
}

#[test]
fn a_full_disk_leaves_the_games_so_far_intact() {
    let laboratory = Laboratory::new();
    let mount = laboratory.path("disk");
    std::fs::create_dir(&mount).unwrap();
    let path = mount.to_str().unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs", path]).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        println!("skipped: no small file system can be mounted here");
        return;
    }
    let folder = mount.join("out");
    let filler = mount.join("filler");
    let out = folder.to_str().unwrap();
    let mut child = long_match(out).spawn().unwrap();
    wait_for_games(&folder, 2);
    // Fills the rest of the disk.
    let mut file = std::fs::File::create(&filler).unwrap();
    while file.write_all(&[0; 512]).is_ok() {}
    let status = child.wait().unwrap();
    drop(file);
    std::fs::remove_file(&filler).unwrap();
    let kept = rows(&folder);
    let unmounted = || Command::new("umount").arg(path).status();
    let mut errors = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut errors).unwrap();
    assert_eq!(status.code(), Some(1), "{errors}");
    assert!(errors.contains("games are saved") && errors.contains("--resume"), "{errors}");
    assert!(kept.len() >= 2);
    unmounted().unwrap();
}
