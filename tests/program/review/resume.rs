//! Reviews added to those of an earlier run.

use super::{GAME, directory, file, path, read, review, run};
use std::collections::BTreeMap;
use tempfile::TempDir;

/// Makes three records of one name, each with a last move of its own.
fn same_names(directory: &TempDir) -> [String; 3] {
    ["a", "b", "c"].map(|folder| {
        std::fs::create_dir(directory.path().join(folder)).expect("a folder");
        file(directory, &format!("{folder}/same.sgf"), GAME.replace("W[ai]", &format!("W[{folder}h]")))
    })
}

/// Returns the record that each review states as its own, by the names of the reviews.
fn reviewed(folder: &str) -> BTreeMap<String, String> {
    let names = std::fs::read_dir(folder).expect("a folder").flatten();
    let names = names.map(|entry| entry.file_name().into_string().expect("UTF-8"));
    let row = |name: &str| read(&format!("{folder}/{name}")).lines().nth(1).expect("a row").to_owned();
    let record = |name: &str| row(name).split(',').next().expect("a field").to_owned();
    names.filter(|name| name.ends_with(".csv")).map(|name| (name.clone(), record(&name))).collect()
}

#[test]
fn every_record_of_one_name_gets_one_review() {
    let directory = directory();
    let [a, b, c] = same_names(&directory);
    let out = path(&directory, "out/");
    let resume = |files: &[&str]| review(&[files, &["--resume", "--format", "csv", "-o", &out]].concat());
    resume(&[&a]);
    resume(&[&b]);
    let two = [("same.csv".to_owned(), a.clone()), ("same-2.csv".to_owned(), b.clone())];
    assert_eq!(reviewed(&out), BTreeMap::from(two.clone()));
    // In any order, and after the first review is gone.
    resume(&[&b, &a]);
    assert_eq!(reviewed(&out), BTreeMap::from(two));
    std::fs::remove_file(path(&directory, "out/same.csv")).expect("a review");
    resume(&[&c, &b, &a]);
    let all = [("same.csv", &c), ("same-2.csv", &b), ("same-3.csv", &a)];
    assert_eq!(reviewed(&out), all.map(|(name, record)| (name.to_owned(), record.clone())).into());
}

#[test]
fn a_review_of_an_unknown_record_is_named() {
    let directory = directory();
    let [a, b, _] = same_names(&directory);
    let out = path(&directory, "out/");
    review(&[&a, "--format", "csv", "-o", &out]);
    std::fs::remove_file(path(&directory, "out/sources.jsonl")).expect("the list of records");
    let refused = run(&[&b, "--resume", "--format", "csv", "-o", &out]);
    assert_eq!(refused.code, Some(1));
    for part in ["out/same.csv", "b/same.sgf", "sources.jsonl"] {
        assert!(refused.errors.contains(part), "{part}: {}", refused.errors);
    }
    assert_eq!(reviewed(&out), [("same.csv".to_owned(), a)].into());
}

#[test]
fn a_cut_off_list_of_records_loses_one_line() {
    let directory = directory();
    let [a, b, c] = same_names(&directory);
    let out = path(&directory, "out/");
    let list = path(&directory, "out/sources.jsonl");
    review(&[&a, "--format", "csv", "-o", &out]);
    std::fs::write(&list, read(&list) + "{\"review\":\"sa").expect("a list");
    for _ in 0..2 {
        review(&[&a, &b, &c, "--resume", "--format", "csv", "-o", &out]);
    }
    assert_eq!(reviewed(&out).len(), 3);
}
