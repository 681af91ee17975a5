//! `tewari bench --machine`: a short table, and the suggested options.

use crate::common::program;

#[test]
fn a_measurement_suggests_what_the_program_and_its_settings_accept() {
    let tewari = |arguments: &[&str]| {
        let mut command = program();
        command.args(arguments).output().expect("the program ends")
    };
    let output = tewari(&["bench", "--machine", "--seconds", "0.02", "--playout-policy", "light"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{text}");
    for fragment in ["processors: ", "9x9 simulations/s", "19x19 simulations/s", "full after", " 16 MiB "] {
        assert!(text.contains(fragment), "no {fragment} in {text}");
    }
    let typed = text.lines().find_map(|line| line.trim().strip_prefix("tewari ")).expect("what to type");
    let words: Vec<&str> = typed.split(' ').collect();
    assert_eq!(tewari(&[&["config"], &words[..]].concat()).status.code(), Some(0), "{typed}");
    let settings = text.split_once("[default]").map(|(_, settings)| format!("[default]{settings}"));
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("config.toml");
    std::fs::write(&path, settings.expect("settings")).expect("a file");
    let output = tewari(&["config", "gtp", "--config", path.to_str().expect("UTF-8")]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("config.toml:")).count(), 2, "{text}");
}

#[test]
fn a_measurement_has_no_use_for_a_table_file_or_playouts_alone() {
    for arguments in [&["--machine", "--playouts"][..], &["--machine", "--table", "x"]] {
        let mut command = program();
        let output = command.arg("bench").args(arguments).output().expect("it ends");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{output:?}");
    }
}
