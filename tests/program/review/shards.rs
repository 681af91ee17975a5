//! Reviews of many records in shards.

use super::{GAME, SHORT, directory, path, run};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the names and contents of the files in a folder.
fn files(folder: &str) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let named = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    named.map(|path| (name(&path), std::fs::read_to_string(&path).expect("a text"))).collect()
}

#[test]
fn the_shards_of_a_folder_together_are_one_run() {
    let directory = directory();
    let at = |name: &str| path(&directory, name);
    let games = at("games");
    std::fs::create_dir_all(at("games/more")).expect("a folder");
    // Two records have one name, and one is no record.
    for name in ["a.sgf", "b.sgf", "c.sgf", "more/a.sgf"] {
        std::fs::write(at(&format!("games/{name}")), GAME).expect("a record");
    }
    std::fs::write(at("games/bad.sgf"), "no record").expect("a file");
    let review =
        |options: &[&str]| run(&[&[games.as_str(), "--format", "csv"], options, &SHORT[..]].concat());
    let [one, whole, first, second] = ["one/", "whole", "1/", "2/"].map(at);
    assert_eq!(review(&["-o", &one]).code, Some(1));
    let join = |folders: &[&str]| {
        let mut command = crate::common::program();
        let output = command.arg("join").arg(&whole).args(folders).output().expect("the program runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    for (shard, out) in [("1/2", &first), ("2/2", &second)] {
        let run = review(&["--shard", shard, "-o", out]);
        assert!(run.code == Some(0) || run.errors.contains("bad.sgf"), "{}", run.errors);
    }
    // As after a kill: a review and the mark of the end are missing.
    std::fs::remove_file(at("1/a.csv")).expect("a review");
    let mut description: serde_json::Value =
        serde_json::from_str(&files(&first)["review.json"]).expect("a description");
    description["files"] = serde_json::Value::Null;
    std::fs::write(at("1/review.json"), description.to_string()).expect("a description");
    let (code, errors) = join(&[&first, &second]);
    assert!(code == Some(1) && errors.contains("incomplete") && errors.contains("shard 1/2"), "{errors}");
    let refused = review(&["--shard", "2/2", "--resume", "-o", &first]);
    assert!(refused.errors.contains("its shard is \"1/2\", expected \"2/2\""), "{}", refused.errors);
    review(&["--shard", "1/2", "--resume", "-o", &first]);
    let (code, errors) = join(&[&second]);
    assert!(code == Some(1) && errors.contains("missing: shard 1/2"), "{errors}");
    assert!(!Path::new(&whole).exists());
    assert_eq!(join(&[&second, &first]), (Some(0), String::new()));
    let sorted_sources = |folder: &str| {
        let mut files = files(folder);
        let sources = files.get_mut("sources.jsonl").expect("the list of records");
        let mut lines: Vec<&str> = sources.lines().collect();
        lines.sort_unstable();
        *sources = lines.join("\n");
        files
    };
    assert_eq!(sorted_sources(&whole), sorted_sources(&one));
    assert_eq!(files(&whole).len(), 5);
}

#[test]
fn a_shard_is_not_continued_with_other_records() {
    let directory = directory();
    let [first, second] = ["a.sgf", "b.sgf"].map(|name| super::file(&directory, name, GAME));
    let [one, two] = ["1/", "2/"].map(|name| path(&directory, name));
    let review = |shard: &str, out: &str| {
        run(&[&[&first, &second, "--shard", shard, "--resume", "--format", "csv", "-o", out], &SHORT[..]]
            .concat())
    };
    assert_eq!(review("1/2", &one).code, Some(0));
    super::file(&directory, "b.sgf", GAME.replace("hc", "hd"));
    let refused = review("1/2", &one);
    assert!(refused.code == Some(1) && refused.errors.contains("its files is"), "{}", refused.errors);
    assert_eq!(review("2/2", &two).code, Some(0));
    let join = crate::common::program().args(["join", &path(&directory, "whole"), &one, &two]).output();
    let errors = String::from_utf8(join.expect("the program runs").stderr).expect("UTF-8");
    assert!(errors.contains("expected one value of files"), "{errors}");
}

#[test]
fn a_shard_of_reviews_needs_a_folder() {
    let directory = directory();
    let (game, page) = (super::file(&directory, "game.sgf", GAME), path(&directory, "page.html"));
    for options in
        [&["--shard", "1/2"][..], &["--shard", "1/2", "-o", &page], &["--shard", "3/2", "-o", &page]]
    {
        let run = run(&[&[game.as_str()], options].concat());
        assert!(
            matches!(run.code, Some(1 | 2)) && run.errors.lines().count() == 1,
            "{options:?}: {}",
            run.errors
        );
        assert!(!Path::new(&page).exists());
    }
}
