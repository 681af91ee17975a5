//! `tewari table`.

use super::process::{
    Folder, analysis, analyze, assert_refused, info, object, root_visits, stderr, table, tewari, verify,
};
use std::fs;
use std::path::Path;

/// Returns the ten best moves of the root with the visits of their edges.
fn edges(path: &Path) -> Vec<(String, u64)> {
    let found = analysis(path, &["--table-mode", "cow", "--simulations", "1"]);
    let moves = found["moveInfos"].as_array().expect("moves").iter();
    moves
        .map(|mv| {
            (mv["move"].as_str().expect("a move").to_owned(), mv["edgeVisits"].as_u64().expect("visits"))
        })
        .collect()
}

fn sum(edges: &[(String, u64)], mv: &str) -> u64 {
    edges.iter().filter(|(name, _)| name == mv).map(|(_, visits)| visits).sum()
}

#[test]
fn info_says_what_a_table_was_made_for_and_what_is_in_it() {
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    let made = table(
        &["create", "--size", "9", "--komi", "6.5", "--table-size", "1MiB", "--policy", "lazarus"],
        &[&path],
    );
    assert!(made.status.success(), "{}", stderr(&made));
    assert_refused(&table(&["create"], &[&path]), &["expected a new name, found a name in use"]);
    assert!(
        analyze(&path, &["--komi", "6.5", "--policy", "lazarus", "--simulations", "700"]).status.success()
    );
    let found = info(&path);
    assert_eq!((found["game"].as_str(), found["policyState"].as_str()), (Some("go 9x9"), Some("lazarus")));
    assert_eq!(found["setting"], "rules chinese, komi 6.5, keys plain");
    let count = |key: &str| {
        found[key].as_array().expect("numbers").iter().filter_map(serde_json::Value::as_u64).sum::<u64>()
    };
    let used = found["entriesUsed"].as_u64().expect("a number");
    // Lazarus may use twice its budget; the root and each simulation claim at most one entry.
    assert!((201..=1401).contains(&used), "{used}");
    assert_eq!((count("ages"), count("visits"), found["faults"].as_u64()), (used, used, Some(0)));
    assert!(found["blocksUsed"].as_u64() > Some(20) && found["bounded"] == 0);
    assert_eq!((&found["orphans"], &found["lostBlocks"]), (&0.into(), &0.into()));
    let text = table(&["info"], &[&path]);
    let text = String::from_utf8_lossy(&text.stdout);
    assert!(
        text.contains("made for      go 9x9, rules chinese, komi 6.5")
            && text.contains("0 orphaned, 0 lost")
            && text.contains("clean"),
        "{text}"
    );
}

#[test]
fn tables_that_share_nothing_are_added_up() {
    let folder = Folder::new();
    let one = folder.table("one", 600);
    let other = folder.path("other");
    assert!(
        analyze(&other, &["--table-size", "1MiB", "--simulations", "900", "--seed", "9"]).status.success()
    );
    let out = folder.path("sum");
    let merged = table(&["merge", "-o", out.to_str().expect("a name")], &[&one, &other]);
    assert!(merged.status.success(), "{}", stderr(&merged));
    let (of_one, of_other, of_sum) = (edges(&one), edges(&other), edges(&out));
    assert_eq!(root_visits(&analysis(&out, &["--table-mode", "cow", "--simulations", "1"])), 1501);
    for (mv, visits) in &of_sum {
        // Each of the three analyses adds one simulation.
        assert!(visits.abs_diff(sum(&of_one, mv) + sum(&of_other, mv)) <= 3, "{mv}");
    }
    verify(&out);
    assert_eq!(info(&out)["tables"], 2);
    // The merged table has the history of both.
    let again = table(&["merge", "-o", folder.path("x").to_str().expect("a name")], &[&out, &one]);
    assert_refused(&again, &["copied from the same table", "--base"]);
    assert_refused(
        &table(&["merge", "-o", out.to_str().expect("a name")], &[&one, &other]),
        &["found a name in use"],
    );
    folder.assert_holds(&["one", "other", "sum"]);
}

#[test]
fn a_common_past_is_counted_once_or_refused() {
    let folder = Folder::new();
    let base = folder.table("base", 1000);
    let [one, other] = ["one", "other"].map(|name| folder.copy(&base, name));
    assert!(analyze(&one, &["--simulations", "300"]).status.success());
    assert!(analyze(&other, &["--simulations", "500", "--seed", "5"]).status.success());
    let out = folder.path("sum");
    let out_name = out.to_str().expect("a name");
    assert_refused(
        &table(&["merge", "-o", out_name], &[&one, &other]),
        &["copied from the same table", "--base"],
    );
    let stranger = folder.table("stranger", 100);
    let refused =
        table(&["merge", "-o", out_name, "--base", stranger.to_str().expect("a name")], &[&one, &other]);
    assert_refused(&refused, &["is not the table that", "copied from"]);
    let merged = table(&["merge", "-o", out_name, "--base", base.to_str().expect("a name")], &[&one, &other]);
    assert!(merged.status.success(), "{}", stderr(&merged));
    assert_eq!(root_visits(&analysis(&out, &["--table-mode", "cow", "--simulations", "1"])), 1801);
    let (of_base, of_sum) = (edges(&base), edges(&out));
    let added: u64 = of_sum.iter().map(|(_, visits)| visits).sum();
    let before: u64 = of_base.iter().map(|(_, visits)| visits).sum();
    assert!((added - before).abs_diff(800) <= 3, "{added} and {before}");
    verify(&out);
    folder.assert_holds(&["base", "one", "other", "stranger", "sum"]);
}

#[test]
fn a_smaller_table_keeps_the_best() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 5000);
    let before = info(&path);
    let best = edges(&path);
    let resized = table(&["resize", "--table-size", "128KiB"], &[&path]);
    assert!(resized.status.success(), "{}", stderr(&resized));
    let after = info(&path);
    assert!(after["bytes"].as_u64() <= Some(128 << 10) && before["bytes"].as_u64() > Some(900 << 10));
    assert!(after["entriesUsed"].as_u64() < before["entriesUsed"].as_u64());
    assert_eq!(after["blocksUsed"], after["blocks"]);
    // No position with many visits is lost: the counts from 64 visits on are unchanged.
    for bits in 7..20 {
        assert_eq!(after["visits"][bits], before["visits"][bits], "at least 2^{}", bits - 1);
    }
    assert_eq!(edges(&path)[0], best[0]);
    verify(&path);
    // The larger table has room again, and the same contents.
    assert!(table(&["resize", "--table-size", "2MiB"], &[&path]).status.success());
    assert_eq!(info(&path)["entriesUsed"], after["entriesUsed"]);
    assert_eq!(edges(&path)[0], best[0]);
    assert!(analyze(&path, &["--simulations", "2000"]).status.success());
    verify(&path);
    folder.assert_holds(&["a.tewari"]);
}

#[test]
fn resizing_can_leave_the_old_table_alone() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 1000);
    let before = fs::read(&path).expect("the file");
    let out = folder.path("b.tewari");
    let resized = table(&["resize", "--table-size", "512KiB", "-o", out.to_str().expect("a name")], &[&path]);
    assert!(resized.status.success(), "{}", stderr(&resized));
    assert!(fs::read(&path).expect("the file") == before);
    assert_eq!(root_visits(&analysis(&out, &["--simulations", "1"])), 1001);
    let tiny = table(&["resize", "--table-size", "512B"], &[&path]);
    assert_refused(&tiny, &["too small", "expected at least"]);
    assert!(fs::read(&path).expect("the file") == before);
}

#[test]
fn an_interrupted_merge_changes_nothing() {
    let folder = Folder::new();
    let [one, other] = ["one", "other"].map(|name| {
        let path = folder.path(name);
        let seed = if name == "one" { "1" } else { "2" };
        assert!(
            analyze(&path, &["--table-size", "64MiB", "--simulations", "20000", "--seed", seed])
                .status
                .success()
        );
        path
    });
    for delay in [1, 10, 30, 60] {
        let mut command = super::process::tewari();
        command.args(["table", "merge", "-o"]).arg(folder.path("sum")).args([&one, &other]);
        let mut child = command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(interrupted.is_ok());
        let done = child.wait().expect("it ends").success();
        // The process may be interrupted before its handler is installed; then the temporary file is left, and nothing
        // else.
        let sum = folder.path("sum");
        assert_eq!(sum.exists(), done, "after {delay} ms");
        if done {
            verify(&sum);
            fs::remove_file(&sum).expect("removed");
        }
        verify(&one);
        verify(&other);
    }
}

#[test]
fn dump_writes_variations_that_are_read_back_and_a_graph() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 3000);
    let sgf = folder.path("lines.sgf");
    let done =
        table(&["dump", "--moves", "3", "--depth", "4", "-o", sgf.to_str().expect("a name")], &[&path]);
    assert!(done.status.success(), "{}", stderr(&done));
    let text = fs::read(&sgf).expect("the file");
    let collection = tewari::records::sgf::read(&text).expect("SGF");
    assert!(collection.warnings.is_empty() && collection.games[0].warnings.is_empty());
    assert_eq!(collection.games[0].komi, Some(7.5));
    let text = String::from_utf8(text).expect("text");
    assert_eq!(text.matches("\n(;B[").count(), 3, "{text}");
    assert!(text.contains("C[3000 visits, Black wins"), "{text}");

    let before = fs::read(&path).expect("the file");
    let refused = table(&["dump", "-o", path.to_str().expect("a name")], &[&path]);
    assert_refused(&refused, &["overwrite the table itself", "another name"]);
    assert!(fs::read(&path).expect("the file") == before, "the table was changed");

    let game = folder.path("game.sgf");
    fs::write(&game, "(;FF[4]GM[1]SZ[9]KM[7.5];B[ee];W[ce])").expect("written");
    let name = game.to_str().expect("a name");
    let start = table(
        &["dump", "--game", name, "--move", "0", "--format", "dot", "--depth", "3", "--moves", "4"],
        &[&path],
    );
    let graph = String::from_utf8_lossy(&start.stdout).into_owned();
    assert!(
        graph.starts_with("digraph table {") && graph.contains("p0 -> p1") && graph.contains("3000 visits"),
        "{graph}"
    );
    let record = fs::read(&game).expect("the record");
    let over = |out: &Path, options: &[&str]| {
        let arguments = [&["dump", "--game", name, "-o", out.to_str().expect("a name")], options].concat();
        table(&arguments, &[&path])
    };
    assert_refused(&over(&sgf, &[]), &["lines.sgf exists", "--force"]);
    assert!(over(&sgf, &["--force"]).status.success());
    assert_refused(&over(&game, &["--force"]), &["game.sgf: ", "overwrite the game", "another name"]);
    assert!(fs::read(&game).expect("the record") == record, "the record was changed");
    let bare = table(&["dump", "--game", name, "--move", "0", "--depth", "0"], &[&path]);
    let bare = String::from_utf8_lossy(&bare.stdout).into_owned();
    assert!(bare.contains("C[3000 visits") && !bare.contains("\n("), "{bare}");
    let unknown = folder.path("unknown.sgf");
    fs::write(&unknown, "(;FF[4]GM[1]SZ[9]KM[7.5];B[aa];W[ba];B[ca];W[da];B[ab])").expect("written");
    let refused = table(&["dump", "--game", unknown.to_str().expect("a name")], &[&path]);
    assert_refused(&refused, &["the table has no search of this position"]);
    assert_refused(&table(&["dump", "--game", name, "--move", "7"], &[&path]), &["from 0 to 2", "found 7"]);
}

#[test]
fn a_table_with_other_keys_is_refused_in_one_line() {
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    let search = |arguments: &[&str]| {
        analyze(&path, &[&["--network", "none", "--simulations", "100"], arguments].concat())
    };
    let made = table(&["create", "--size", "9", "--table-size", "1MiB", "--network", "none"], &[&path]);
    assert!(made.status.success(), "{}", stderr(&made));
    assert!(search(&[]).status.success() && search(&["--key-policy", "last"]).status.success());
    let parts = ["keys of --key-policy recent", "found those of last: use --key-policy last"];
    assert_refused(&search(&["--key-policy", "recent"]), &parts);
    let other = folder.path("b.tewari");
    let create =
        ["create", "--size", "9", "--table-size", "1MiB", "--network", "none", "--key-policy", "recent"];
    assert!(table(&create, &[&other]).status.success());
    assert_refused(&analyze(&other, &["--network", "none"]), &["found those of recent"]);
}

#[test]
fn tables_with_other_keys_and_a_table_given_twice_are_not_merged() {
    let folder = Folder::new();
    let [plain, path] = ["plain", "path"].map(|keys| {
        let file = folder.path(&format!("{keys}.tewari"));
        let create = ["create", "--size", "9", "--table-size", "1MiB", "--network", "none"];
        assert!(table(&[&create[..], &["--key-policy", keys]].concat(), &[&file]).status.success());
        file
    });
    let out = folder.path("out.tewari");
    let merge = ["merge", "-o", out.to_str().expect("a name")];
    assert_refused(&table(&merge, &[&plain, &path]), &["keys plain", "keys path", "one --key-policy"]);
    assert_refused(&table(&merge, &[&plain, &plain]), &["found one twice"]);
    assert!(!out.exists());
}

#[test]
fn long_rules_keep_komi_and_keys_of_a_table() {
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    let rules = "ko=situational,suicide=yes,scoring=territory,handicap=n-1,dead=agreement";
    let create = ["create", "--size", "9", "--table-size", "1MiB", "--komi", "12.5", "--rules", rules];
    assert!(table(&create, &[&path]).status.success());
    let found = analyze(&path, &["--simulations", "10"]);
    assert!(found.status.success() && stderr(&found).lines().all(|line| !line.contains("made for")));
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(text.contains("\"komi\":12.5") && text.contains("dead=agreement"), "{text}");
    assert_refused(&analyze(&path, &["--key-policy", "path"]), &["keys of --key-policy path"]);
}

#[test]
fn a_record_has_the_keys_of_the_game_whatever_the_key_policy() {
    // The last move captures a ko that can be recaptured at once: under `graph` its key depends on the earlier moves.
    let moves = ["B1", "C1", "A2", "D2", "B3", "C3", "C2", "B2"];
    let sgf = "(;FF[4]GM[1]SZ[9]KM[5.5];B[bi];W[ci];B[ah];W[dh];B[bg];W[cg];B[ch];W[bh])";
    let folder = Folder::new();
    let game = folder.path("game.sgf");
    fs::write(&game, sgf).expect("written");
    let game = game.to_str().expect("a name");
    for policy in ["plain", "last", "graph", "path"] {
        let path = folder.path(policy);
        let table_name = path.to_str().expect("a name");
        let common = ["--table-size", "1MiB", "--key-policy", policy, "--simulations"];
        let mut commands: Vec<String> = ["boardsize 9", "komi 5.5"].map(str::to_owned).into();
        let colours = ["black", "white"].into_iter().cycle();
        commands.extend(colours.zip(moves).map(|(colour, mv)| format!("play {colour} {mv}")));
        commands.extend(["reg_genmove black".to_owned(), "quit".to_owned()]);
        let script = folder.path("script");
        fs::write(&script, commands.join("\n")).expect("written");
        let played = tewari()
            .args(["gtp", "--size", "9", "--quiet", "--table", table_name])
            .args(common)
            .arg("200")
            .stdin(fs::File::open(&script).expect("the script"))
            .output()
            .expect("the program runs");
        assert!(played.status.success(), "{}", stderr(&played));
        let found = tewari()
            .args(["analyze", game, "--move", "8", "--format", "json", "--table", table_name])
            .args(common)
            .arg("1")
            .output()
            .expect("the program runs");
        assert_eq!(root_visits(&object(&found)), 201, "{policy}");
        // The dump takes rules, komi and key policy from the file.
        let dumped = table(&["dump", "--game", game], &[&path]);
        assert!(String::from_utf8_lossy(&dumped.stdout).contains("201 visits"), "{}", stderr(&dumped));
    }
}
