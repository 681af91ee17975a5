//! Failing machines: system calls that return errors, and too little address space. The program reports it in one line;
//! the table stays usable, and no other file is left behind.

use super::process::{Folder, info, stderr, tewari, verify};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const EIO: &str = "5";
const ENOSPC: &str = "28";

/// Compiles the library that makes calls fail; `None` without a C compiler.
fn shim(folder: &Folder) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/table/table_file/failing.c");
    let library = folder.path("failing.so");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status();
    if compiled.is_ok_and(|status| status.success()) {
        return Some(library);
    }
    println!("skipped: there is no C compiler");
    None
}

/// Runs the program; from the `at`th on, every call of `call` fails.
fn run_failing(shim: &Path, call: &str, at: u32, error: &str, words: &[&str]) -> Output {
    let mut command = tewari();
    command.args(words).env("LD_PRELOAD", shim);
    command.env("FAIL_CALL", call).env("FAIL_AT", at.to_string()).env("FAIL_ERRNO", error);
    command.output().expect("the program runs")
}

#[test]
fn failing_reads_writes_and_syncs_are_told_and_lose_nothing() {
    let folder = Folder::new();
    let Some(shim) = shim(&folder) else { return };
    let path = folder.table("a.tewari", 500);
    let name = path.to_str().expect("a name").to_owned();
    let copy = folder.path("copy");
    let copy_name = copy.to_str().expect("a name");
    let commands: [&[&str]; 4] = [
        &["table", "snapshot", &name, "-o", copy_name],
        &["table", "create", "--size", "9", "--table-size", "1MiB", copy_name],
        &["table", "resize", "--table-size", "1MiB", &name],
        &[
            "analyze",
            "--size",
            "9",
            "--simulations",
            "50",
            "--sync",
            "0.01",
            "--format",
            "json",
            "--table",
            &name,
        ],
    ];
    let mut failed = 0;
    for words in commands {
        for (call, error) in [
            ("pwrite64", ENOSPC),
            ("pwrite64", EIO),
            ("pread64", EIO),
            ("fsync", EIO),
            ("fdatasync", EIO),
            ("msync", EIO),
        ] {
            for at in 1..=4 {
                let output = run_failing(&shim, call, at, error, words);
                let (told, text) = (format!("{words:?}: {call} {at}"), stderr(&output));
                assert!(output.status.code().is_some(), "{told} was killed");
                assert!(!text.contains("panicked"), "{told}: {text}");
                if !output.status.success() {
                    failed += 1;
                    assert_eq!(text.trim_end().lines().count(), 1, "{told}: {text}");
                    assert!(!copy.exists(), "{told} left a file");
                }
                if copy.exists() {
                    verify(&copy);
                    fs::remove_file(&copy).expect("removed");
                }
                verify(&path);
                folder.assert_holds(&["a.tewari", "failing.so"]);
            }
        }
    }
    assert!(failed > 20, "{failed}");
}

#[test]
fn what_could_not_be_written_once_is_told_and_never_called_written() {
    let folder = Folder::new();
    let Some(shim) = shim(&folder) else { return };
    let not_closed = "the machine stopped or a write failed, possibly before everything was on the disk";
    for (at, found) in [(2, not_closed), (1_000_000, "closed, and all written to the disk")] {
        let path = folder.table(&format!("{at}.tewari"), 100);
        let name = path.to_str().expect("a name");
        let words = ["analyze", "--time", "0.5", "--sync", "0.05", "--table", name];
        let output = run_failing(&shim, "msync", at, EIO, &words);
        assert!(output.status.success(), "{}", stderr(&output));
        let is_told = stderr(&output).contains("cannot write the table file to the disk");
        assert_eq!(is_told, at == 2, "{}", stderr(&output));
        assert_eq!(info(&path)["found"], found);
    }
}

#[test]
fn a_limit_of_file_sizes_is_an_error_not_a_signal() {
    let folder = Folder::new();
    let path = folder.path("limited.tewari");
    let program = env!("CARGO_BIN_EXE_tewari");
    let script = format!("ulimit -f 16; exec {program} table create {} --table-size 1MiB", path.display());
    let output = Command::new("sh").args(["-c", &script]).env("TEWARI_CONFIG", "none").output().expect("sh");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("limited.tewari: "), "{output:?}");
    assert_eq!(std::fs::read_dir(folder.path("")).expect("the folder").count(), 0, "no file is left");
}

#[test]
fn too_little_address_space_is_told_or_enough() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 500);
    let mut refused = 0;
    for kibibytes in [20_000, 60_000, 100_000, 200_000, 400_000] {
        for table_size in ["64MiB", "1MiB"] {
            let script = format!(
                "ulimit -v {kibibytes}; exec {} analyze --size 9 --threads 2 --simulations 200 --table-size \
                 {table_size} --table {}",
                env!("CARGO_BIN_EXE_tewari"),
                folder.path(&format!("{kibibytes}-{table_size}")).display()
            );
            let output =
                Command::new("sh").args(["-c", &script]).env("TEWARI_CONFIG", "none").output().expect("sh");
            refused += u32::from(!output.status.success());
            let new = folder.path(&format!("{kibibytes}-{table_size}"));
            if new.exists() {
                verify(&new);
            }
        }
        let script = format!(
            "ulimit -v {kibibytes}; exec {} table verify {}",
            env!("CARGO_BIN_EXE_tewari"),
            path.display()
        );
        let _ = Command::new("sh").args(["-c", &script]).env("TEWARI_CONFIG", "none").output().expect("sh");
        verify(&path);
    }
    assert!(refused > 0, "20 MB were enough");
}
