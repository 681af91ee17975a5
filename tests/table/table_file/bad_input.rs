//! Files that are not tables, or not the requested one. The file stays unchanged.

use super::process::{
    Folder, analysis, analyze, assert_refused, info, start_analysis, stderr, table, tewari,
};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

const FEW: &[&str] = &["--simulations", "50"];

/// Overwrites some bytes at `offset`.
fn overwrite(path: &Path, offset: u64, bytes: &[u8]) {
    OpenOptions::new()
        .write(true)
        .open(path)
        .expect("the file")
        .write_all_at(bytes, offset)
        .expect("written");
}

/// Checks that a search and a reading command refuse the file and do not change it.
fn assert_refused_unchanged(path: &Path, parts: &[&str]) {
    let before = fs::read(path).expect("the file");
    assert_refused(&analyze(path, FEW), parts);
    assert_refused(&analyze(path, &["--table-mode", "cow", "--simulations", "50"]), parts);
    assert_refused(&table(&["info"], &[path]), parts);
    assert_eq!(fs::read(path).expect("the file"), before);
}

/// Returns a table file with other bytes at `offset`.
fn damaged(folder: &Folder, offset: u64, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.table("a.tewari", 100);
    overwrite(&path, offset, bytes);
    path
}

#[test]
fn a_file_with_other_content_is_refused() {
    let folder = Folder::new();
    let path = folder.path("text");
    fs::write(&path, "(;FF[4]SZ[9])".repeat(100)).expect("written");
    assert_refused_unchanged(&path, &["not a table file", "tewari table create"]);
}

#[test]
fn a_link_to_nothing_is_named() {
    let folder = Folder::new();
    let link = folder.path("link");
    std::os::unix::fs::symlink(folder.path("nothing"), &link).expect("a link");
    let parts = ["found a link to a file that does not exist", "remove the link"];
    for mode in ["rw", "cow"] {
        assert_refused(&analyze(&link, &["--table-mode", mode, "--simulations", "50"]), &parts);
    }
    assert_refused(&table(&["info"], &[&link]), &parts);
    folder.assert_holds(&["link"]);
}

#[test]
fn an_empty_file_is_refused() {
    let folder = Folder::new();
    let path = folder.path("empty");
    File::create(&path).expect("a file");
    assert_refused_unchanged(&path, &["not a table file"]);
}

#[test]
fn a_wrong_magic_number_is_refused() {
    let folder = Folder::new();
    assert_refused_unchanged(&damaged(&folder, 0, b"X"), &["not a table file"]);
}

#[test]
fn the_other_byte_order_is_refused() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 100);
    let mut bytes = fs::read(&path).expect("the file");
    bytes.chunks_mut(8).for_each(<[u8]>::reverse);
    fs::write(&path, bytes).expect("written");
    assert_refused_unchanged(&path, &["machine of another kind", "byte order", "make a new table"]);
    let folder = Folder::new();
    assert_refused_unchanged(&damaged(&folder, 8, &[8, 7, 6, 5, 4, 3, 2, 1]), &["byte order"]);
}

#[test]
fn another_version_is_refused() {
    for version in [3, 9] {
        let folder = Folder::new();
        let found = format!("found version {version}");
        let expected =
            ["expected format version 5", &found, "use the program that made it, or make a new table"];
        assert_refused_unchanged(&damaged(&folder, 16, &[version]), &expected);
    }
}

#[test]
fn a_damaged_header_is_refused() {
    for offset in [24, 32, 40, 48, 56, 64, 96, 256, 320] {
        let folder = Folder::new();
        assert_refused_unchanged(&damaged(&folder, offset, &[0xa5, 0x5a]), &["header", "damaged", "restore"]);
    }
}

#[test]
fn another_board_is_refused_at_the_start_and_has_its_own_file_in_a_session() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 100);
    let refused = tewari().args(["analyze", "--size", "13", "--table"]).arg(&path).output().expect("it runs");
    assert_refused(&refused, &["expected a table for go 13x13", "found one for go 9x9"]);
    let script = folder.path("script");
    fs::write(&script, "boardsize 13\ngenmove b\nboardsize 9\ngenmove w\nquit\n").expect("written");
    let mut command = tewari();
    command
        .args(["gtp", "--size", "9", "-q", "--simulations", "20", "--table-size", "1MiB", "--table"])
        .arg(&path);
    let mut play = || {
        let played = command.stdin(File::open(&script).expect("the script")).output().expect("it runs");
        let answers = String::from_utf8_lossy(&played.stdout).into_owned();
        assert_eq!(answers.matches("= ").count() + answers.matches("=\n").count(), 5, "{answers}");
    };
    play();
    let beside = folder.path("a-13x13.tewari");
    let entries = || {
        let info =
            tewari().args(["table", "info", "--format", "json"]).arg(&beside).output().expect("it runs");
        let info: serde_json::Value = serde_json::from_slice(&info.stdout).expect("an object");
        assert_eq!(info["game"], "go 13x13");
        info["entriesUsed"].as_u64().expect("a number")
    };
    let before = entries();
    play();
    assert!(before > 0 && entries() > before, "the second session goes on in the same file");
    fs::write(&beside, "no table").expect("written");
    let refused = command.stdin(File::open(&script).expect("the script")).output().expect("it runs");
    let answers = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert!(answers.starts_with("? ") && answers.contains("a-13x13.tewari"), "{answers}");
    assert_eq!(answers.matches("= ").count() + answers.matches("=\n").count(), 4, "{answers}");
}

#[test]
fn boards_of_one_area_and_another_shape_are_told_apart() {
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    let search = |size: &str| {
        let mut command = tewari();
        command
            .args(["analyze", "--size", size, "--simulations", "50", "--table-size", "1MiB", "--table"])
            .arg(&path);
        command.output().expect("it runs")
    };
    assert!(search("4x6").status.success());
    assert_refused(&search("6x4"), &["expected a table for go 6x4", "found one for go 4x6"]);
}

#[test]
fn other_rules_and_komi_share_a_file_and_nothing_in_it() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 300);
    for options in [&["--komi", "5.5"][..], &["--rules", "tromp-taylor"], &["--komi", "-3"]] {
        let found = analysis(&path, &[options, &["--simulations", "100"]].concat());
        assert_eq!(found["rootInfo"]["visits"], 100, "{options:?}");
    }
    assert_eq!(analysis(&path, &["--simulations", "100"])["rootInfo"]["visits"], 400);
    let refused = table(&["dump", "--komi", "0.5"], &[&path]);
    assert_refused(
        &refused,
        &["no search of this position", "komi 0.5", "made for rules chinese, komi 7.5", "--komi"],
    );
}

#[test]
fn another_key_seed_is_refused() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 100);
    change_header(&path, 6, |seed| seed ^ 0xff);
    assert_refused(
        &analyze(&path, FEW),
        &["position keys of this program (seed 0x", "another (seed 0x", "make a new table"],
    );
}

#[test]
fn a_file_that_names_one_board_and_has_the_pages_of_another_is_refused() {
    let folder = Folder::new();
    // The text from word 8 on names the game; pages of 81 moves are as long as those of 82.
    for (word, change) in [(3, 82 ^ 81), (3, 1 << 32)] {
        let path = folder.table("a.tewari", 100);
        change_header(&path, word, |value| value ^ change);
        for options in [&["--table-mode", "rw"][..], &["--table-mode", "cow"]] {
            let refused = analyze(&path, &[options, FEW].concat());
            assert_refused(&refused, &["restore a copy"]);
        }
        // Policy state would make the file longer, which is detected first.
        if change < 1 << 32 {
            assert_refused(&table(&["dump"], &[&path]), &["describes a table that cannot exist"]);
            let sound = folder.table("b.tewari", 100);
            let out = folder.path("sum");
            for files in [[&*path, &*sound], [&*sound, &*path]] {
                let refused = table(&["merge", "-o", out.to_str().expect("a name")], &files);
                assert_refused(&refused, &["not have the same structure as", "damaged", "restore"]);
            }
        }
        fs::remove_file(path).expect("removed");
    }
}

/// Changes a word of the header and corrects the checksum.
fn change_header(path: &Path, word: usize, change: impl Fn(u64) -> u64) {
    let mut words: Vec<u64> =
        fs::read(path).expect("the file").as_chunks().0.iter().map(|&b| u64::from_le_bytes(b)).collect();
    words[word] = change(words[word]);
    let fixed = words[..7].iter().chain(&words[8..16]).chain(&words[32..64]);
    words[7] = fixed
        .flat_map(|word| word.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    fs::write(path, words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>()).expect("written");
}

#[test]
fn another_layout_is_refused() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 100);
    let refused = analyze(&path, &["--policy", "ucb1-tuned", "--simulations", "50"]);
    assert_refused(
        &refused,
        &["expected the state of policy ucb1-tuned", "found that of no policy", "--policy"],
    );
    let path = folder.path("b.tewari");
    assert!(
        analyze(&path, &["--policy", "lazarus", "--table-size", "1MiB", "--simulations", "50"])
            .status
            .success()
    );
    let refused = analyze(&path, &["--policy", "ucb1-tuned", "--simulations", "50"]);
    assert_refused(&refused, &["policy ucb1-tuned", "found that of policy lazarus"]);
}

#[test]
fn a_file_cut_within_its_header_is_refused_by_its_length() {
    let folder = Folder::new();
    let path = folder.table("cut", 100);
    for length in [8, 16, 511] {
        OpenOptions::new().write(true).open(&path).expect("the file").set_len(length).expect("a new length");
        assert_refused_unchanged(&path, &["expected 512 bytes", &format!("found {length}"), "cut short"]);
    }
}

#[test]
fn a_file_that_lost_a_byte_or_gained_one_is_refused() {
    let folder = Folder::new();
    for (name, change) in [("shorter", -1_i64), ("longer", 1), ("page", 4096)] {
        let path = folder.table(name, 100);
        let length = fs::metadata(&path).expect("the file").len();
        let changed = length.checked_add_signed(change).expect("a length");
        OpenOptions::new().write(true).open(&path).expect("the file").set_len(changed).expect("a new length");
        let (expected, found) = (format!("expected {length} bytes"), format!("found {changed}"));
        assert_refused_unchanged(&path, &[&expected, &found, "cut short or extended", "restore a copy"]);
    }
    let path = folder.table("header", 100);
    OpenOptions::new().write(true).open(&path).expect("the file").set_len(300).expect("a new length");
    assert_refused_unchanged(&path, &["bytes", "found 300"]);
}

#[test]
fn a_directory_and_a_pipe_are_refused_at_once() {
    let folder = Folder::new();
    assert_refused(&analyze(&folder.path("."), FEW), &["expected a regular file", "found a directory"]);
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    assert_refused(&analyze(&pipe, FEW), &["expected a regular file", "found a pipe"]);
    assert_refused(&analyze(Path::new("/dev/null"), FEW), &["expected a regular file", "found a device"]);
}

#[test]
fn a_read_only_file_is_refused_for_writing_and_read_as_a_copy() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 100);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("permissions");
    assert_refused(&analyze(&path, FEW), &["expected a file that can be written", "--table-mode cow"]);
    assert_eq!(analysis(&path, &["--table-mode", "cow", "--simulations", "50"])["rootInfo"]["visits"], 150);
    assert_eq!(info(&path)["faults"], 0);
    let before = fs::read(&path).expect("the file");
    for words in [&["resize", "--table-size", "512KiB"][..], &["clear"], &["verify", "--repair"]] {
        assert_refused(&table(words, &[&path]), &["expected a file that can be written"]);
    }
    assert!(fs::read(&path).expect("the file") == before, "the table was changed");
}

#[test]
fn a_folder_that_takes_no_files_is_told() {
    let folder = Folder::new();
    assert_refused(
        &analyze(&folder.path("nothing/here"), FEW),
        &["here: cannot create a file in this folder"],
    );
    assert_refused(
        &analyze(Path::new("/proc/table"), FEW),
        &["/proc/table: cannot create a file in this folder"],
    );
}

#[test]
fn a_copy_of_nothing_is_refused() {
    let folder = Folder::new();
    let refused = analyze(&folder.path("a.tewari"), &["--table-mode", "cow", "--simulations", "50"]);
    assert_refused(
        &refused,
        &["found nothing", "tewari table create", "searches make it with --table-mode rw"],
    );
    assert_refused(
        &table(&["info"], &[&folder.path("a.tewari")]),
        &["found nothing", "give the name of one"],
    );
    folder.assert_holds(&[]);
}

#[test]
fn an_existing_file_decides_its_size() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 100);
    let refused = analyze(&path, &[&["--table-size", "512KiB"], FEW].concat());
    assert_refused(&refused, &["at most", "found one of 1048", "tewari table resize"]);
    for limit in [["--table-size", "1MiB"], ["--table-size", "64MiB"], ["--memory", "16MiB"]] {
        let found = analysis(&path, &[&limit[..], FEW].concat());
        assert_eq!(found["table"]["bytes"].as_u64().map(|bytes| bytes >> 10), Some(1024), "{limit:?}");
    }
}

#[test]
fn more_memory_than_the_machine_has_is_refused_and_leaves_no_file() {
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    let refused = analyze(&path, &["--memory", "1000TiB", "--simulations", "50"]);
    assert_refused(&refused, &["bytes of memory are more than this machine has", "expected at most"]);
    folder.assert_holds(&[]);
}

#[test]
fn a_file_system_that_is_too_small_is_told_before_anything_is_written() {
    let folder = Folder::new();
    let mounted = folder.path("small");
    fs::create_dir(&mounted).expect("a folder");
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(&mounted).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        println!("skipped: a tmpfs cannot be mounted here");
        return;
    }
    let refused = analyze(&mounted.join("a"), &["--table-size", "4MiB", "--simulations", "50"]);
    let left = fs::read_dir(&mounted).expect("the folder").count();
    let fits = analyze(&mounted.join("a"), &["--table-size", "1MiB", "--simulations", "500"]);
    let merged = table(&["resize", "--table-size", "1800KiB"], &[&mounted.join("a")]);
    let kept = analyze(&mounted.join("a"), FEW);
    // A sparse copy: the disk has no room left for its holes.
    let sparse = mounted.join("sparse");
    let copied = Command::new("cp").arg("--sparse=always").args([mounted.join("a"), sparse.clone()]).status();
    fs::write(mounted.join("filler"), vec![1; 2 << 20]).expect_err("the file system is full");
    let holes = analyze(&sparse, FEW);
    let unmounted = Command::new("umount").arg(&mounted).status().expect("umount");
    assert!(unmounted.success() && copied.is_ok_and(|status| status.success()));
    assert_refused(&refused, &["expected room for 4194", "free on its file system", "make room"]);
    assert_eq!(left, 0);
    assert!(fits.status.success(), "{}", stderr(&fits));
    assert_refused(&merged, &["expected room for", "free on its file system"]);
    assert_eq!(super::process::root_visits(&super::process::object(&kept)), 550);
    assert_refused(&holes, &["expected room for", "free on its file system"]);
}

#[test]
fn a_file_deleted_or_replaced_while_it_is_used_is_told_and_does_no_harm() {
    for replace in [false, true] {
        let folder = Folder::new();
        let path = folder.table("a.tewari", 100);
        let other = folder.copy(&path, "b.tewari");
        let child = start_analysis(&path, &["--time", "1.5"]);
        std::thread::sleep(std::time::Duration::from_millis(700));
        if replace {
            fs::rename(&other, &path).expect("replaced");
        } else {
            fs::remove_file(&path).expect("removed");
        }
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", stderr(&output));
        let text = stderr(&output);
        let found = if replace { "replaced by another file" } else { "deleted" };
        assert!(
            text.lines().count() == 1 && text.contains(found) && text.contains("lost at the end"),
            "{text}"
        );
    }
}

#[test]
fn what_changes_a_table_as_a_whole_waits_for_nobody_and_disturbs_nobody() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 100);
    let child = start_analysis(&path, &["--time", "1.5"]);
    std::thread::sleep(std::time::Duration::from_millis(700));
    for words in [&["clear"][..], &["resize", "--table-size", "512KiB"], &["verify", "--repair"]] {
        assert_refused(&table(words, &[&path]), &["another process uses it", "try again"]);
    }
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(table(&["clear"], &[&path]).status.success());
    assert_eq!(info(&path)["entriesUsed"], 0);
}

#[test]
fn subcommands_that_start_empty_refuse_a_table_file() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 100);
    let refused = tewari().args(["bench", "--table"]).arg(&path).output().expect("it runs");
    assert_refused(&refused, &["--table cannot be used here", "gtp, analyze, review, match and play go"]);
    let player = format!("self:--simulations 10 --table {}", path.display());
    let refused = tewari()
        .args(["match", "--size", "9", "--games", "2", "--black", &player, "--white", "self"])
        .output();
    assert_refused(&refused.expect("it runs"), &["--keep-table", "--table-mode cow"]);
}
