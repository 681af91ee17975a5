//! `tewari table snapshot`.

use super::process::{
    Folder, analysis, assert_refused, info, object, root_visits, start_analysis, stderr, table, tewari,
    verify,
};
use crate::common::interrupted;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn snapshot(live: &Path, copy: &Path, options: &[&str]) -> Output {
    table(&[&["snapshot", "-o", copy.to_str().expect("a name")], options].concat(), &[live])
}

#[test]
fn a_copy_made_while_others_search_is_a_table() {
    let folder = Folder::new();
    // A table with room, and one with constant replacement.
    for size in ["16MiB", "64KiB"] {
        let path = folder.path(size);
        let before = root_visits(&analysis(&path, &["--table-size", size, "--simulations", "1000"]));
        let searching = [1, 2].map(|seed| {
            start_analysis(&path, &["--time", "1.5", "--threads", "2", "--seed", &seed.to_string()])
        });
        for number in 0..4 {
            std::thread::sleep(std::time::Duration::from_millis(250));
            let copy = folder.path(&format!("{size}-{number}"));
            let made = snapshot(&path, &copy, &[]);
            assert!(made.status.success(), "{}", stderr(&made));
            verify(&copy);
            let told = info(&copy);
            let left = ["faults", "orphans", "unfinishedEntries", "unfinishedBlocks", "voidBounds"];
            assert!(left.iter().all(|key| told[key] == 0), "{told}");
            assert_eq!(told["found"], "closed, and all written to the disk");
            let visits = root_visits(&analysis(&copy, &["--simulations", "1"]));
            assert!(visits > before + 1, "{visits} after {before}");
        }
        for child in searching {
            object(&child.wait_with_output().expect("it ends"));
        }
        verify(&path);
    }
}

#[test]
fn an_interrupted_copy_leaves_nothing() {
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    assert!(table(&["create", "--size", "9", "--table-size", "256MiB"], &[&path]).status.success());
    let mut command = tewari();
    command.args(["table", "snapshot", "-o"]).arg(folder.path("copy")).arg(&path).stderr(Stdio::piped());
    let output = interrupted(command.spawn().expect("the program starts"));
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("copy: interrupted: no file was made"), "{}", stderr(&output));
    folder.assert_holds(&["a.tewari"]);
}

#[test]
fn a_copy_and_its_table_have_a_common_past() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 1000);
    let [base, friend, both] = ["base", "friend", "both"].map(|name| folder.path(name));
    for copy in [&base, &friend] {
        assert!(snapshot(&path, copy, &[]).status.success());
    }
    for (path, simulations) in [(&path, "300"), (&friend, "500")] {
        analysis(path, &["--simulations", simulations]);
    }
    let name = both.to_str().expect("a name");
    assert_refused(&table(&["merge", "-o", name], &[&path, &friend]), &["copied from the same table"]);
    let base = base.to_str().expect("a name");
    assert!(table(&["merge", "-o", name, "--base", base], &[&path, &friend]).status.success());
    assert_eq!(root_visits(&analysis(&both, &["--simulations", "1"])), 1801);
}

#[test]
fn a_copy_replaces_no_file_unless_told_and_never_the_table() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 300);
    let [link, hard, old] = ["link", "hard", "old"].map(|name| folder.path(name));
    symlink(&path, &link).expect("a link");
    fs::hard_link(&path, &hard).expect("a link");
    let before = fs::read(&path).expect("the file");
    for itself in [&path, &link, &hard, &folder.path("./a.tewari")] {
        for options in [&[][..], &["--force"]] {
            assert_refused(
                &snapshot(&path, itself, options),
                &["overwrite the table itself", "another name"],
            );
        }
    }
    assert_refused(&snapshot(&link, &path, &["--force"]), &["overwrite the table itself"]);
    fs::write(&old, "old").expect("written");
    assert_refused(&snapshot(&path, &old, &[]), &["expected a new name, found a name in use"]);
    assert_eq!(fs::read(&old).expect("the file"), b"old");
    let elsewhere = folder.path("no/such/folder");
    assert_refused(&snapshot(&path, &elsewhere, &[]), &["cannot create a file in this folder"]);
    assert!(fs::read(&path).expect("the file") == before, "the table was changed");
    folder.assert_holds(&["a.tewari", "hard", "link", "old"]);
    assert!(snapshot(&path, &old, &["--force"]).status.success());
    verify(&old);
    // A file in use by another process is not replaced.
    let child = start_analysis(&old, &["--time", "1.2"]);
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_refused(&snapshot(&path, &old, &["--force"]), &["another process uses it"]);
    assert!(child.wait_with_output().expect("it ends").status.success());
}

#[test]
fn a_link_that_was_planted_is_not_followed() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 300);
    let [victim, dangling, planted] = ["victim", "dangling", "planted"].map(|name| folder.path(name));
    fs::write(&victim, "precious").expect("written");
    symlink(&victim, &planted).expect("a link");
    symlink(folder.path("nothing"), &dangling).expect("a link");
    for link in [&planted, &dangling] {
        assert_refused(&snapshot(&path, link, &[]), &["found a name in use"]);
        let create = ["create", "--size", "9", "--table-size", "1MiB"];
        assert_refused(&table(&create, &[link]), &["found a name in use"]);
    }
    assert!(snapshot(&path, &planted, &["--force"]).status.success());
    assert_eq!(fs::read(&victim).expect("the file"), b"precious");
    let copy = fs::symlink_metadata(&planted).expect("the copy");
    assert!(copy.is_file());
    // Only the link was writable for everybody.
    assert_eq!(copy.permissions().mode() & 0o002, 0, "{:o}", copy.permissions().mode());
    assert!(!folder.path("nothing").exists());
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 300);
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    assert_refused(&snapshot(&path, &pipe, &["--force"]), &["expected a regular file", "found a pipe"]);
    folder.assert_holds(&["a.tewari", "pipe"]);
}

#[test]
fn what_a_killed_command_left_is_removed_by_the_next() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 300);
    let [left, new, used] = ["left", "new", "used"].map(|name| folder.path(&format!(".tewari-{name}.tmp")));
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let files = [&left, &new, &used].map(|path| fs::File::create(path).expect("a file"));
    for file in [&files[0], &files[2]] {
        file.set_modified(long_ago).expect("an age");
    }
    files[2].lock().expect("a lock");
    assert!(snapshot(&path, &folder.path("copy"), &[]).status.success());
    folder.assert_holds(&[".tewari-new.tmp", ".tewari-used.tmp", "a.tewari", "copy"]);
}

#[test]
fn files_are_made_with_the_user_s_umask_and_keep_their_permissions() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_tewari");
    for (umask, mode) in [("022", 0o644), ("077", 0o600), ("002", 0o664)] {
        let path = folder.path(umask);
        let copy = folder.path(&format!("copy-{umask}"));
        let [path_name, copy_name] = [&path, &copy].map(|path| path.display());
        let script = format!(
            "umask {umask}; {program} table create --size 9 --table-size 1MiB {path_name} && \
             {program} table snapshot {path_name} -o {copy_name}"
        );
        assert!(
            Command::new("sh")
                .args(["-c", &script])
                .env("TEWARI_CONFIG", "none")
                .status()
                .expect("sh")
                .success()
        );
        let mode_of = |path: &Path| fs::metadata(path).expect("the file").permissions().mode() & 0o777;
        assert_eq!((mode_of(&path), mode_of(&copy)), (mode, mode), "umask {umask}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
        let link = folder.path(&format!("link-{umask}"));
        symlink(&path, &link).expect("a link");
        let before = fs::metadata(&path).expect("the file").ino();
        assert!(table(&["resize", "--table-size", "512KiB"], &[&link]).status.success());
        assert_eq!(mode_of(&path), 0o640, "after resize");
        // The file was resized and the link kept.
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        assert_ne!(fs::metadata(&path).expect("the file").ino(), before);
    }
}

#[test]
fn a_full_disk_is_told_before_anything_is_written() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 300);
    let mounted = folder.path("small");
    fs::create_dir(&mounted).expect("a folder");
    let mount =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=512k", "tmpfs"]).arg(&mounted).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        println!("skipped: a tmpfs cannot be mounted here");
        return;
    }
    let refused = snapshot(&path, &mounted.join("copy"), &[]);
    let left = fs::read_dir(&mounted).expect("the folder").count();
    assert!(Command::new("umount").arg(&mounted).status().expect("umount").success());
    assert_refused(&refused, &["expected room for 1048", "free on its file system", "make room"]);
    assert_eq!(left, 0);
}

/// Mounts a file system with shared pages from an image file; `None` if that is impossible here.
fn file_system_with_clones(folder: &Folder) -> Option<std::path::PathBuf> {
    let (image, mounted) = (folder.path("image"), folder.path("mounted"));
    fs::create_dir(&mounted).expect("a folder");
    fs::File::create(&image).and_then(|file| file.set_len(400 << 20)).expect("a file");
    let run = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    let is_made = run(Command::new("mkfs.xfs").arg("-q").arg(&image))
        || run(Command::new("mkfs.btrfs").arg("-q").arg(&image));
    (is_made && run(Command::new("mount").args(["-o", "loop"]).args([&image, &mounted]))).then_some(mounted)
}

#[test]
fn where_the_file_system_can_the_copy_shares_its_pages() {
    let folder = Folder::new();
    let Some(mounted) = file_system_with_clones(&folder) else {
        println!("skipped: no file system with clones can be made and mounted here");
        return;
    };
    let path = mounted.join("a.tewari");
    analysis(&path, &["--table-size", "8MiB", "--simulations", "1000"]);
    let mut searching = start_analysis(&path, &["--time", "60", "--threads", "2"]);
    let outputs: Vec<(Output, Output, serde_json::Value)> = (0..4)
        .map(|number| {
            std::thread::sleep(std::time::Duration::from_millis(200));
            let copy = mounted.join(number.to_string());
            let made = snapshot(&path, &copy, &[]);
            (made, table(&["verify"], &[&copy]), info(&copy))
        })
        .collect();
    searching.kill().expect("killed");
    searching.wait().expect("it ends");
    let unmounted = Command::new("umount").arg(&mounted).status().expect("umount");
    assert!(unmounted.success());
    for (made, verified, told) in outputs {
        assert!(made.status.success(), "{}", stderr(&made));
        assert!(String::from_utf8_lossy(&made.stdout).contains("shared on the disk"), "{made:?}");
        assert!(verified.status.success(), "{}", stderr(&verified));
        let left = ["faults", "orphans", "unfinishedEntries", "unfinishedBlocks", "voidBounds"];
        assert!(left.iter().all(|key| told[key] == 0), "{told}");
    }
}
