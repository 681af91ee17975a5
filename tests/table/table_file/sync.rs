//! `--sync`, and the file's record of its last users.

use super::process::{
    Folder, analysis, analyze, assert_refused, info, root_visits, start_analysis, stderr, verify,
};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;
use tewari::table::{CloseState, FileState, Table, TableMode};

/// Marks the file as last used on another run of the machine.
fn restart(path: &Path) {
    let file = File::options().read(true).write(true).open(path).expect("the file");
    let mut byte = [0];
    file.read_exact_at(&mut byte, 8 * 19).expect("read");
    file.write_all_at(&[byte[0] ^ 1], 8 * 19).expect("written");
}

fn found(path: &Path) -> String {
    info(path)["found"].as_str().expect("words").to_owned()
}

#[test]
fn a_synced_table_is_trusted_on_whatever_run_of_the_machine() {
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    let search = ["--table-size", "1MiB", "--sync", "0.05", "--time", "0.5"];
    let before = root_visits(&analysis(&path, &search));
    assert_eq!(found(&path), "closed, and all written to the disk");
    restart(&path);
    assert_eq!(found(&path), "closed, and all written to the disk");
    assert_eq!(root_visits(&analysis(&path, &["--simulations", "10"])), before + 10);
    assert_eq!(found(&path), "closed");
}

#[test]
fn what_may_not_have_been_written_is_found_and_looked_at() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 2000);
    assert_eq!(found(&path), "closed");
    restart(&path);
    assert!(found(&path).contains("the machine stopped"), "{}", found(&path));
    // All contents are there and are used.
    let after = analysis(&path, &["--simulations", "500"]);
    assert_eq!(root_visits(&after), 2500);
    assert_eq!(after["table"]["lostBlocks"], 0);
    assert_eq!(found(&path), "closed");
    let mut killed = start_analysis(&path, &["--time", "60"]);
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(found(&path), "in use");
    killed.kill().expect("killed");
    killed.wait().expect("it ends");
    assert!(found(&path).starts_with("not closed"), "{}", found(&path));
    let visits = root_visits(&analysis(&path, &["--table-mode", "cow", "--simulations", "1"])) - 1;
    assert_eq!(root_visits(&analysis(&path, &["--simulations", "100"])), visits + 100);
    verify(&path);
}

#[test]
fn a_copy_of_a_table_is_looked_at_whoever_has_it_open() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 1000);
    let copy = folder.copy(&path, "copy.tewari");
    // A reader alone does not turn the copy into a file with users of its own.
    let reader = Table::open(&copy, TableMode::ReadOnly, None).expect("a table");
    assert_eq!(reader.close_state(), Some(CloseState::Copied));
    assert!(found(&copy).starts_with("a copy of another file"), "{}", found(&copy));
    let writer = Table::open(&copy, TableMode::ReadWrite, None).expect("a table");
    assert_eq!(writer.close_state(), Some(CloseState::Copied));
    // From here on it is a file of its own.
    assert_eq!(found(&copy), "in use");
    drop(writer);
    drop(reader);
    let after = analysis(&copy, &["--simulations", "100"]);
    assert_eq!((root_visits(&after), &after["table"]["lostBlocks"]), (1100, &0.into()));
    assert_eq!(found(&copy), "closed");
    assert_eq!(found(&path), "closed");
}

#[test]
fn who_waits_for_a_table_opens_the_one_that_took_its_place() {
    let folder = Folder::new();
    let (path, other) = (folder.table("a.tewari", 100), folder.table("b.tewari", 200));
    let held = File::open(&path).expect("the file");
    held.lock().expect("a lock");
    let opened = std::thread::scope(|scope| {
        let opening = scope.spawn(|| Table::open(&path, TableMode::ReadWrite, None).expect("a table"));
        std::thread::sleep(Duration::from_millis(100));
        std::fs::rename(&other, &path).expect("renamed");
        drop(held);
        opening.join().expect("it ends")
    });
    assert_eq!(opened.file_state(), FileState::InPlace);
}

#[test]
fn a_table_is_not_changed_as_a_whole_where_another_took_its_place() {
    let folder = Folder::new();
    let (path, other) = (folder.table("a.tewari", 100), folder.table("b.tewari", 200));
    let table = Table::open(&path, TableMode::ReadOnly, None).expect("a table");
    std::fs::rename(&other, &path).expect("renamed");
    let refused = table.lock_exclusively().expect_err("it has no name any more").to_string();
    assert!(refused.contains("another process has replaced it"), "{refused}");
}

#[test]
fn a_copy_that_is_not_written_cannot_be_synced() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 100);
    let refused = analyze(&path, &["--table-mode", "cow", "--sync", "5", "--simulations", "50"]);
    assert_refused(&refused, &["--sync has no effect with --table-mode cow", "leave out one of the two"]);
    let without_file = super::process::tewari().args(["analyze", "--sync", "5"]).output().expect("it runs");
    assert!(!without_file.status.success() && stderr(&without_file).contains("--table"));
    for period in ["0", "-1", "soon"] {
        assert!(!analyze(&path, &["--sync", period, "--simulations", "50"]).status.success(), "{period}");
    }
}
