//! Files of format 2, kept in tests/data/tables as version 0.1.0 made them.

use super::process::{Folder, assert_refused, info, stderr, table, tewari, verify};
use std::path::{Path, PathBuf};

fn former(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tables").join(name)
}

/// A file, and what the program that made it had found on the empty board.
struct Made {
    name: &'static str,
    size: &'static str,
    options: &'static [&'static str],
    visits: u64,
    /// The most visited moves, with the visits of their edges.
    moves: &'static [(&'static str, u64)],
}

const FILES: [Made; 3] = [
    Made { name: "3x1.tewari", size: "3x1", options: &["--komi", "2.5"], visits: 17, moves: &[] },
    Made {
        name: "13x3.tewari",
        size: "13x3",
        options: &["--policy", "ucb1-tuned"],
        visits: 300,
        moves: &[("E2", 28), ("J3", 26), ("G2", 15)],
    },
    Made {
        name: "19x19.tewari",
        size: "19x19",
        options: &[],
        visits: 300,
        moves: &[("Q9", 69), ("J15", 28), ("L8", 23)],
    },
];

#[test]
fn a_file_of_format_2_is_refused_and_converted_without_a_loss() {
    for Made { name, size, options, visits, moves } in FILES {
        let folder = Folder::new();
        let path = folder.copy(&former(name), name);
        let refused = table(&["info"], &[&path]);
        assert_refused(&refused, &["expected format version 3", "found version 2", "tewari table upgrade"]);
        let converted = table(&["upgrade"], &[&path]);
        assert!(converted.status.success(), "{}", stderr(&converted));
        verify(&path);
        folder.assert_holds(&[name]);
        // What the program that made it said of it.
        let told = info(&path);
        let expected = std::fs::read_to_string(former(name).with_extension("json")).expect("what it said");
        let expected: serde_json::Value = serde_json::from_str(&expected).expect("JSON");
        for (key, value) in expected.as_object().expect("an object") {
            if !["file", "bytes"].contains(&key.as_str()) {
                assert_eq!(&told[key], value, "{name}: {key}");
            }
        }
        let mut command = tewari();
        command.args([
            "analyze",
            "--size",
            size,
            "--network",
            "none",
            "--format",
            "json",
            "--table-mode",
            "cow",
        ]);
        command.args(["--simulations", "1"]).args(options).arg("--table").arg(&path);
        let found = super::process::object(&command.output().expect("it runs"));
        // A proven root is searched no more than by one simulation.
        assert_eq!(super::process::root_visits(&found), visits + 1, "{name}");
        for (mv, edge_visits) in moves {
            let infos = found["moveInfos"].as_array().expect("moves").iter();
            let edges: Vec<_> = infos.filter(|info| info["move"] == *mv).collect();
            let visits = edges[0]["edgeVisits"].as_u64().expect("visits");
            assert!((*edge_visits..=edge_visits + 1).contains(&visits), "{name}: {mv} {visits}");
        }
        let again = table(&["upgrade"], &[&path]);
        assert!(String::from_utf8_lossy(&again.stdout).contains("unchanged"), "{again:?}");
    }
}

#[test]
fn what_is_no_table_of_format_2_is_not_converted() {
    let folder = Folder::new();
    let path = folder.path("text");
    std::fs::write(&path, "(;FF[4]SZ[9])".repeat(100)).expect("written");
    assert_refused(&table(&["upgrade"], &[&path]), &["expected a table file", "found other content"]);
    let short = folder.copy(&former("3x1.tewari"), "short");
    let file = std::fs::OpenOptions::new().write(true).open(&short).expect("the file");
    file.set_len(17_000).expect("cut");
    assert_refused(&table(&["upgrade"], &[&short]), &["expected 17408 bytes", "found 17000"]);
    assert_refused(&table(&["upgrade"], &[&folder.path("nothing")]), &["found nothing"]);
}
