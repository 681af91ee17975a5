//! The contents of a table file over its life, and the processes that use it.

use super::process::{
    Folder, analysis, analyze, info, object, root_visits, start_analysis, table, tewari, verify,
};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::Instant;

/// Returns an analysis without the fields that may differ between equal ones.
fn essence(mut analysis: Value) -> Value {
    for key in ["bytes", "hugePages", "file"] {
        analysis["table"].as_object_mut().expect("the table").remove(key);
    }
    analysis
}

#[test]
fn a_search_in_a_file_is_that_on_the_heap_bit_for_bit() {
    for (size, options) in [("64MiB", &[][..]), ("24KiB", &[]), ("1MiB", &["--policy", "ucb1-tuned"])] {
        let folder = Folder::new();
        let search = ["--table-size", size, "--simulations", "3000"];
        let search = [&search[..], options].concat();
        let in_file = analysis(&folder.path("a.tewari"), &search);
        let heap = object(
            &tewari()
                .args(["analyze", "--size", "9", "--format", "json"])
                .args(&search)
                .output()
                .expect("it runs"),
        );
        assert_eq!(essence(in_file), essence(heap), "{size}");
    }
}

#[test]
fn a_restarted_analysis_begins_with_the_visits_it_had() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 1000);
    for before in [1000, 1500, 2000] {
        let found = analysis(&path, &["--simulations", "500"]);
        assert_eq!(root_visits(&found), before + 500);
        assert_eq!(found["rootInfo"]["simulations"], 500);
    }
    // The visits in the file suffice: the search does only the one simulation that every search does.
    assert!(root_visits(&analysis(&path, &["--visits", "2000"])) <= 2501);
    verify(&path);
    folder.assert_holds(&["a.tewari"]);
}

#[test]
fn a_restarted_analysis_draws_other_random_numbers() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 1000);
    let copies = ["b.tewari", "c.tewari"].map(|name| folder.copy(&path, name));
    let [one, same] = copies.each_ref().map(|copy| essence(analysis(copy, &["--simulations", "500"])));
    assert_eq!(one, same);
    assert!(analyze(&copies[0], &["--simulations", "500", "--komi", "0"]).status.success());
    let fresh = folder.path("d.tewari");
    let first = analysis(&fresh, &["--table-size", "1MiB", "--simulations", "500", "--komi", "0"]);
    let again = analysis(&copies[1], &["--simulations", "500", "--komi", "0"]);
    assert_ne!(first["rootInfo"], again["rootInfo"]);
}

#[test]
fn a_private_copy_leaves_the_file_as_it_is() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 1000);
    let before = fs::read(&path).expect("the file");
    let found = analysis(&path, &["--table-mode", "cow", "--simulations", "2000"]);
    assert_eq!(root_visits(&found), 3000);
    info(&path);
    assert!(table(&["dump"], &[&path]).status.success());
    assert!(fs::read(&path).expect("the file") == before, "the file was changed");
}

#[test]
fn an_engine_that_is_told_to_forget_empties_the_file() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 1000);
    let mut command = tewari();
    command.args(["gtp", "--size", "9", "--simulations", "200", "-q", "--table"]).arg(&path);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let script = "clear_board\nreg_genmove b\ntewari-table\nclear_cache\nreg_genmove b\nquit\n";
    child.stdin.take().expect("its input").write_all(script.as_bytes()).expect("written");
    assert!(child.wait_with_output().expect("it ends").status.success());
    assert_eq!(root_visits(&analysis(&path, &["--simulations", "1"])), 201);
    verify(&path);
}

#[test]
fn several_processes_search_one_position_in_one_file() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 100);
    let children: Vec<_> = (0..3)
        .map(|seed| start_analysis(&path, &["--simulations", "4000", "--seed", &seed.to_string()]))
        .collect();
    for child in children {
        let found = object(&child.wait_with_output().expect("it ends"));
        assert!(root_visits(&found) >= 4100, "{found}");
    }
    let found = analysis(&path, &["--simulations", "1"]);
    let visits = root_visits(&found);
    // The root's entry is never evicted, and its visits are counted by a locked addition. Only the first simulation of
    // a process may be lost, while another process gives the root its page.
    assert!((12_098..=12_101).contains(&visits), "{visits} of 12101");
    verify(&path);
}

#[test]
fn a_process_reads_what_another_has_just_learnt() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 10);
    let mut writer = start_analysis(&path, &["--time", "60"]);
    let visits = |_: u32| {
        std::thread::sleep(std::time::Duration::from_millis(300));
        root_visits(&analysis(&path, &["--table-mode", "cow", "--simulations", "1"]))
    };
    let seen: Vec<u64> = (0..3).map(visits).collect();
    writer.kill().expect("killed");
    writer.wait().expect("it ends");
    assert!(seen.is_sorted() && seen[0] < seen[2], "{seen:?}");
}

#[test]
fn opening_a_large_file_takes_no_time() {
    // `TEWARI_LARGE=8GiB` for the long run.
    let size = std::env::var("TEWARI_LARGE").unwrap_or_else(|_| "1GiB".to_owned());
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    let made = table(&["create", "--size", "9", "--table-size", &size], &[&path]);
    if !made.status.success() {
        println!("skipped: no room for a file of {size}: {}", super::process::stderr(&made));
        return;
    }
    let started = Instant::now();
    assert_eq!(root_visits(&analysis(&path, &["--simulations", "10"])), 10);
    let elapsed = started.elapsed();
    println!("{size} opened and searched in {elapsed:?}");
    // A scan would read a gigabyte; the bound is a hundred times the duration of opening.
    assert!(elapsed.as_secs() < 3, "{elapsed:?}");
}

#[test]
fn a_game_walked_backwards_and_again_finds_what_was_known() {
    let folder = Folder::new();
    let game = folder.path("game.sgf");
    fs::write(&game, "(;FF[4]GM[1]SZ[9]KM[7.5];B[ee];W[ce];B[fc];W[fg];B[cf])").expect("written");
    let analyse = |options: &[&str]| -> Vec<Value> {
        let mut command = tewari();
        command.arg("analyze").arg(&game).args([
            "--format",
            "json",
            "--table-size",
            "16MiB",
            "--simulations",
            "800",
        ]);
        let output = command.args(options).output().expect("it runs");
        assert!(output.status.success());
        let lines = String::from_utf8(output.stdout).expect("text");
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let turns = |found: &[Value]| -> Vec<u64> {
        found.iter().map(|one| one["turnNumber"].as_u64().expect("a turn")).collect()
    };
    let visits = |found: &[Value]| -> Vec<u64> { found.iter().map(root_visits).collect() };

    let back = analyse(&["--direction", "back"]);
    assert_eq!(turns(&back), [5, 4, 3, 2, 1, 0]);
    assert_eq!(visits(&back)[0], 800);

    let twice = analyse(&["--passes", "2", "--direction", "both"]);
    assert_eq!(turns(&twice), [0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0]);
    let (first, second) = (visits(&twice[..6]), visits(&twice[6..]));
    for (turn, &before) in first.iter().enumerate() {
        assert!(second[5 - turn] >= before + 800, "turn {turn}: {first:?}, then {second:?}");
    }

    // With a file, the second pass may be another process, weeks later.
    let path = folder.path("a.tewari");
    let table = ["--table", path.to_str().expect("a name")];
    let first = visits(&analyse(&table));
    let later = visits(&analyse(&[&table[..], &["--direction", "back"]].concat()));
    assert!((0..6).all(|turn| later[5 - turn] >= first[turn] + 800), "{first:?}, then {later:?}");
}

#[test]
fn players_of_a_match_keep_their_files_or_begin_each_game_with_a_copy() {
    let folder = Folder::new();
    let [black, white] = ["black.tewari", "white.tewari"].map(|name| folder.table(name, 100));
    let play = |mode: &str, extra: &[&str]| {
        let player = |path: &std::path::Path| {
            format!("self:--simulations 20 --table {} --table-mode {mode}", path.display())
        };
        let mut command = tewari();
        command.args(["match", "--size", "9", "--games", "2", "--rules", "tromp-taylor"]).args(extra);
        command.args(["--black", &player(&black), "--white", &player(&white)]).output().expect("it runs")
    };
    let before = fs::read(&black).expect("the file");
    let output = play("cow", &[]);
    assert!(output.status.success(), "{}", super::process::stderr(&output));
    assert!(fs::read(&black).expect("the file") == before);
    let output = play("rw", &["--keep-table"]);
    assert!(output.status.success(), "{}", super::process::stderr(&output));
    assert!(info(&black)["entriesUsed"].as_u64() > Some(200));
    verify(&black);
}

#[test]
fn live_numbers_say_what_happens_in_the_table() {
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    let found = analysis(&path, &["--table-size", "64KiB", "--simulations", "4000"]);
    let numbers = |key: &str| -> Vec<u64> {
        found["table"][key].as_array().expect("numbers").iter().filter_map(Value::as_u64).collect()
    };
    let number = |key: &str| found["table"][key].as_u64().expect("a number");
    assert_eq!(numbers("transpositionsByDepth").iter().sum::<u64>(), number("transpositions"));
    // No two first moves lead to the same position.
    assert_eq!(numbers("transpositionsByDepth")[0], 0);
    assert_eq!(numbers("evictionsByAge").iter().sum::<u64>(), number("evictions"));
    assert!(number("evictions") > 100 && number("perMille") > 900, "{found}");
    assert_eq!((number("contention"), number("collisions"), number("hugePages")), (0, 0, 0));

    let mut command = tewari();
    command.args(["gtp", "--size", "9", "--simulations", "200", "--table"]).arg(&path);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let script = "genmove b\ntewari-table\ngogui-analyze_commands\nquit\n";
    child.stdin.take().expect("its input").write_all(script.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in [
        "perMille ",
        "transpositionsByDepth ",
        "evictionsByAge ",
        "contention 0",
        "collisions 0",
        "hugePages ",
    ] {
        assert!(answers.lines().any(|found| found.starts_with(line)), "{line}: {answers}");
    }
    assert!(answers.contains("hstring/Table/tewari-table"), "{answers}");
    assert!(super::process::stderr(&output).contains("huge pages"));
}
