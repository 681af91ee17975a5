//! `gtp-check` accepts this program and finds the faults of others.

use crate::common::program;

fn check(command: &str) -> (bool, String) {
    let output = program().args(["gtp-check", command]).output();
    let output = output.expect("the program runs");
    (output.status.success(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn we_pass_every_check() {
    let ours = format!("{} gtp -q --simulations 30 --table-size 4MiB", env!("CARGO_BIN_EXE_tewari"));
    let (passes, text) = check(&ours);
    assert!(passes && text.ends_with("all 20 checks passed\n") && !text.contains("skipped"), "{text}");
}

#[test]
fn a_program_that_answers_wrongly_is_told_so_check_by_check() {
    // The program answers every command with success and without its id, and ends only at the end of its input.
    let (passes, text) = check("sh -c \"while read -r line; do printf '= 2\\\\n\\\\n'; done\"");
    assert!(!passes, "{text}");
    for (name, verdict) in [
        ("protocol_version is 2", "passed"),
        ("all required commands exist", "FAILED"),
        ("ids are repeated", "FAILED"),
        ("unknown commands are errors", "FAILED"),
        ("undo takes back", "skipped"),
        ("quit is answered", "FAILED"),
    ] {
        let line = text.lines().find(|line| line.contains(name)).expect("a line");
        assert!(line.starts_with(verdict), "{line}");
    }
}

#[test]
fn what_is_no_program_is_one_line() {
    let output = program().args(["gtp-check", "/no/such/program"]).output();
    let output = output.expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
}
