//! A sound header over damaged contents: no search panics, hangs, accesses memory outside of the table or plays an
//! illegal move.

use super::process::{Folder, analyze, assert_refused, info, stderr, table, tewari, verify};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Output;
use tewari::base::rng::PlayoutRng;

const HEADER_BYTES: u64 = 512;

/// Overwrites words after the header with random ones, each with probability 1/`one_in`.
fn scribble(path: &Path, seed: u64, one_in: usize) {
    let mut rng = PlayoutRng::new(seed, 0);
    let file = File::options().read(true).write(true).open(path).expect("the file");
    let length = file.metadata().expect("its size").len();
    for offset in (HEADER_BYTES..length).step_by(8) {
        if rng.below(one_in) == 0 {
            // Small numbers and runs of ones, which test other checks than noise does.
            let word = match rng.below(4) {
                0 => rng.next_u64() >> rng.below(64),
                1 => u64::MAX << rng.below(64),
                _ => rng.next_u64(),
            };
            file.write_all_at(&word.to_le_bytes(), offset).expect("written");
        }
    }
}

/// Plays a game against itself; the engine checks its own moves and reports an illegal one.
fn play(path: &Path, options: &[&str]) -> Output {
    let script = "genmove b\n".to_owned() + &"genmove w\ngenmove b\n".repeat(6) + "tewari-table\nquit\n";
    let input = path.with_extension("script");
    fs::write(&input, script).expect("written");
    let mut command = tewari();
    command
        .args(["gtp", "--size", "9", "--simulations", "150", "--resign", "0", "--table"])
        .arg(path)
        .args(options);
    command.stdin(File::open(input).expect("the script")).output().expect("it runs")
}

#[test]
fn random_bytes_over_the_entries_do_no_harm() {
    for (seed, one_in) in [(1, 1), (2, 2), (3, 7), (4, 50), (5, 400)] {
        let folder = Folder::new();
        let path = folder.table("a.tewari", 2000);
        scribble(&path, seed, one_in);
        let output = analyze(&path, &["--simulations", "2000"]);
        assert!(output.status.success(), "seed {seed}: {}", stderr(&output));
        scribble(&path, seed + 100, one_in);
        let output = play(&path, &[]);
        assert!(output.status.success(), "seed {seed}: {}", stderr(&output));
        let answers = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            answers.lines().filter(|line| line.starts_with("= ")).count(),
            14,
            "seed {seed}: {answers}"
        );
        assert!(!stderr(&output).contains("illegal"), "seed {seed}: {}", stderr(&output));
    }
}

#[test]
fn random_bytes_do_no_harm_to_policies_with_words_of_their_own_and_to_several_threads() {
    for policy in ["lazarus", "ucb1-tuned", "ucb-improved"] {
        let folder = Folder::new();
        let path = folder.path("a.tewari");
        let options = ["--policy", policy, "--threads", "3"];
        let made =
            analyze(&path, &[&options[..], &["--table-size", "256KiB", "--simulations", "1000"]].concat());
        assert!(made.status.success(), "{}", stderr(&made));
        for one_in in [1, 9] {
            scribble(&path, 77, one_in);
            let output = play(&path, &options);
            assert!(output.status.success(), "{policy}: {}", stderr(&output));
            assert!(!stderr(&output).contains("illegal"), "{policy}: {}", stderr(&output));
        }
    }
}

#[test]
fn changing_header_words_that_are_random_do_no_harm() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 1000);
    let file = File::options().write(true).open(&path).expect("the file");
    for word in 16..32 {
        file.write_all_at(&[0xff; 8], 8 * word).expect("written");
    }
    let output = play(&path, &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(info(&path)["faults"], 0);
}

#[test]
fn damage_is_found_and_repaired() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 3000);
    let sound = info(&path);
    verify(&path);
    scribble(&path, 5, 100);
    let found = info(&path);
    assert!(found["faults"].as_u64() > Some(50), "{found}");
    assert_eq!(table(&["verify"], &[&path]).status.code(), Some(1));
    let text = stderr(&table(&["verify"], &[&path]));
    assert!(
        text.lines()
            .last()
            .is_some_and(|line| line.contains("expected a sound table") && line.contains("--repair")),
        "{text}"
    );
    assert!(table(&["verify", "--repair"], &[&path]).status.success());
    verify(&path);
    let repaired = info(&path);
    assert_eq!((&repaired["unfinishedEntries"], &repaired["unfinishedBlocks"]), (&0.into(), &0.into()));
    // Most entries are kept.
    assert!(
        repaired["entriesUsed"].as_u64() > sound["entriesUsed"].as_u64().map(|used| used / 2),
        "{repaired}"
    );
    assert!(analyze(&path, &["--simulations", "500"]).status.success());
    verify(&path);
}

#[test]
fn damaged_tables_are_merged_and_resized_without_what_is_damaged() {
    let folder = Folder::new();
    let [one, other] = ["one", "other"].map(|name| {
        let path = folder.table(name, 1500);
        scribble(&path, 9, 30);
        path
    });
    let out = folder.path("sum");
    let merged = table(&["merge", "-o", out.to_str().expect("a name")], &[&one, &other]);
    assert!(merged.status.success(), "{}", stderr(&merged));
    verify(&out);
    assert!(table(&["resize", "--table-size", "400KiB"], &[&one]).status.success());
    verify(&one);
    assert_refused(
        &table(&["merge", "-o", out.to_str().expect("a name")], &[&one, &other]),
        &["found a name in use"],
    );
}

/// Returns the words of the directory, and the number of its places outside the overflow.
fn directory(path: &Path) -> (Vec<[u64; 4]>, usize) {
    let bytes = fs::read(path).expect("the file");
    let words: Vec<u64> = bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
    let buckets = words[4] as usize;
    let places = 4 * (buckets + buckets / 8);
    let entries = words[HEADER_BYTES as usize / 8..].as_chunks().0;
    (entries[..places].to_vec(), 4 * buckets)
}

/// Returns the number of overflow entries with a free place in their bucket, which a probe never finds, and the number
/// of all.
fn hidden(path: &Path) -> (usize, usize) {
    let (entries, in_buckets) = directory(path);
    let (buckets, overflow) = entries.split_at(in_buckets);
    let bucket_of = |key: u64| ((u128::from(key) * (in_buckets as u128 / 4)) >> 64) as usize;
    let keys = || overflow.iter().map(|entry| entry[0]).filter(|&key| key != 0);
    let is_hidden = |key: &u64| buckets[4 * bucket_of(*key)..][..4].iter().any(|entry| entry[0] == 0);
    (keys().filter(is_hidden).count(), keys().count())
}

#[test]
fn what_lay_behind_a_damaged_entry_is_found_after_a_repair() {
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    assert!(analyze(&path, &["--table-size", "64KiB", "--simulations", "5000"]).status.success());
    let (before, in_buckets) = directory(&path);
    assert_eq!(hidden(&path).0, 0);
    let file = File::options().write(true).open(&path).expect("the file");
    // The first entry of every second bucket gets more half-points than its playouts allow.
    let damaged = (0..in_buckets).step_by(8).filter(|&index| before[index][0] != 0);
    let count = damaged
        .map(|index| file.write_all_at(&0xffff_u64.to_le_bytes(), HEADER_BYTES + 32 * index as u64 + 16))
        .map(|written| written.expect("written"))
        .count();
    let repaired = table(&["verify", "--repair"], &[&path]);
    assert!(repaired.status.success(), "{}", stderr(&repaired));
    let (hidden, in_overflow) = hidden(&path);
    assert!(count > 10 && in_overflow > 10, "{count} {in_overflow}");
    assert_eq!(hidden, 0);
    verify(&path);
    let kept = directory(&path).0.iter().filter(|entry| entry[0] != 0).count();
    assert_eq!(kept, before.iter().filter(|entry| entry[0] != 0).count() - count);
}
