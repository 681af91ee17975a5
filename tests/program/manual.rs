//! Manual pages and completions: one command installs them and never overwrites existing files.

use crate::common::program;
use std::path::Path;
use std::process::{Command, Output};

fn tewari(arguments: &[&str]) -> Output {
    let mut command = program();
    command.args(arguments).output().expect("the program ends")
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn one_command_installs_pages_and_completions_below_a_prefix() {
    let prefix = tempfile::tempdir().expect("a directory");
    let place = prefix.path().to_str().expect("UTF-8");
    let output = tewari(&["manual", place]);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{output:?}");
    let page = read(prefix.path(), "share/man/man1/tewari-gtp.1");
    for fragment in [".TH tewari-gtp 1", "ponder", "MEMORY AND TABLE", "EXAMPLES", "1 s a move"] {
        assert!(page.contains(fragment), "no {fragment} in {page}");
    }
    assert!(read(prefix.path(), "share/man/man1/tewari.1").contains("TEWARI_CONFIG"));
    assert!(read(prefix.path(), "share/man/man1/tewari-table-merge.1").contains("base"));
    for file in [
        "share/bash-completion/completions/tewari",
        "share/zsh/site-functions/_tewari",
        "share/fish/vendor_completions.d/tewari.fish",
    ] {
        assert!(read(prefix.path(), file).contains("gtp-check"), "{file}");
    }
}

#[test]
fn files_that_are_there_are_replaced_only_by_force() {
    let prefix = tempfile::tempdir().expect("a directory");
    let place = prefix.path().to_str().expect("UTF-8");
    let folder = prefix.path().join("share/man/man1");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("tewari-play-go.1"), "mine").expect("a file");
    let output = tewari(&["manual", place]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), errors.lines().count()), (Some(1), 1), "{errors}");
    assert!(errors.contains("tewari-play-go.1") && errors.contains("--force"), "{errors}");
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing was written");
    assert_eq!(tewari(&["manual", "--force", place]).status.code(), Some(0));
    assert!(read(&folder, "tewari-play-go.1").contains("colour"));
}

#[test]
fn bash_takes_the_completions_and_knows_commands_options_and_values() {
    let output = tewari(&["completions", "bash"]);
    assert_eq!(output.status.code(), Some(0));
    let script = String::from_utf8(output.stdout).expect("UTF-8");
    let ask = |words: &str, at: usize| {
        let text = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD={at}; _tewari tewari \"${{COMP_WORDS[{at}]}}\" \
             \"${{COMP_WORDS[{}]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            at - 1
        );
        match Command::new("bash").args(["--norc", "-c", &text]).output() {
            Ok(output) => String::from_utf8(output.stdout).expect("UTF-8"),
            Err(error) => panic!("bash: {error}"),
        }
    };
    assert!(ask("tewari an", 1).lines().any(|line| line == "analyze"));
    assert!(ask("tewari gtp --pond", 2).lines().any(|line| line == "--ponder"));
    assert!(ask("tewari gtp --replacement al", 3).lines().any(|line| line == "always"));
}
