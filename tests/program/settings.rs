//! The settings file, tested on the real program.

use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The result of a run of the program.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    output: String,
    errors: String,
}

/// Creates a home directory with these settings.
fn home(settings: &str) -> TempDir {
    let home = tempfile::tempdir().expect("a directory");
    let folder = home.path().join(".config/tewari");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("config.toml"), settings).expect("a file");
    home
}

/// Returns a command for the program of a user with the home directory `home`.
fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tewari"));
    command.args(arguments).env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("TEWARI_CONFIG");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn finish(command: &mut Command) -> Run {
    let output = command.output().expect("the program ends");
    Run {
        code: output.status.code(),
        output: String::from_utf8(output.stdout).expect("UTF-8"),
        errors: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn run(home: &Path, arguments: &[&str]) -> Run {
    finish(&mut command(home, arguments))
}

/// Returns the line that `tewari config` prints for an option.
fn line(home: &Path, arguments: &[&str], key: &str) -> String {
    let run = run(home, &[&["config"], arguments].concat());
    assert_eq!((run.code, run.errors.as_str()), (Some(0), ""), "{arguments:?}");
    let is_it = |line: &&str| line.trim_start_matches("# ").starts_with(key);
    let line = run.output.lines().find(is_it).unwrap_or_else(|| panic!("no {key} in {}", run.output));
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks that a file is refused in one line with its name, the line number and `fragment`.
fn refuse(settings: &str, arguments: &[&str], line: usize, fragment: &str) {
    let home = home(settings);
    let run = run(home.path(), arguments);
    assert_eq!((run.code, run.errors.lines().count()), (Some(2), 1), "{settings:?}: {run:?}");
    let place = format!("{}:{line}: ", home.path().join(".config/tewari/config.toml").display());
    assert!(run.errors.contains(&place) && run.errors.contains(fragment), "{settings:?}: {run:?}");
}

/// The number of threads where no settings give one.
const BY_DEFAULT: &str = "# threads: by default 1; 16 with --evaluator";

#[test]
fn settings_hold_for_their_command_and_the_common_ones_for_all_that_play() {
    let home = home("[default]\nthreads = 2\nseed = 7\n[gtp]\nthreads = 3\n[play]\ncolour = \"white\"\n");
    let place =
        |line: usize| format!("# {}:{line}", home.path().join(".config/tewari/config.toml").display());
    assert_eq!(line(home.path(), &["gtp"], "threads"), format!("threads = 3 {}", place(5)));
    assert_eq!(line(home.path(), &["analyze"], "threads"), format!("threads = 2 {}", place(2)));
    assert_eq!(line(home.path(), &["play", "go"], "colour"), format!("colour = \"white\" {}", place(7)));
    // Experiments do not depend on a user's settings for play.
    assert_eq!(line(home.path(), &["bench"], "threads"), BY_DEFAULT);
    assert_eq!(line(home.path(), &["match"], "seed"), "seed = 1 # default");
}

#[test]
fn a_program_without_a_command_has_the_settings_of_gtp() {
    let home = home("[gtp]\ngtp-version = \"0.20\"\nsize = 5\ntable-size = \"1MiB\"\n");
    for arguments in [&[][..], &["gtp"]] {
        let mut command = command(home.path(), arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
        let input = child.stdin.as_mut().expect("a pipe");
        std::io::Write::write_all(input, b"version\nquit\n").expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert!(String::from_utf8_lossy(&output.stdout).starts_with("= 0.20\n"), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("on 5x5"), "{output:?}");
    }
}

#[test]
fn the_command_line_wins_over_the_file() {
    let home = home("[gtp]\nthreads = 3\nponder = true\ntime = 5\ntable-size = \"64MiB\"\n");
    let config = |arguments: &[&str], key| line(home.path(), &[&["gtp"], arguments].concat(), key);
    assert_eq!(config(&["--threads", "4"], "threads"), "threads = 4 # command line");
    assert_eq!(config(&["--ponder=false"], "ponder"), "ponder = false # command line");
    assert!(config(&["--seed", "1"], "ponder").starts_with("ponder = true # /"));
    // Options that replace another setting: a limit, and a memory budget.
    assert!(config(&["--playouts", "9"], "time").starts_with("# time: by default 1 s a move"));
    assert!(config(&["--memory", "1GiB"], "table-size").starts_with("# table-size: not set"));
    let run = run(home.path(), &["gtp", "--ponder=false", "--threads=1"]);
    assert_eq!(run.code, Some(0));
    assert!(run.errors.contains(" 1 thread,"), "{run:?}");
}

#[test]
fn an_option_replaces_settings_that_it_cannot_be_combined_with() {
    let home = home("[default]\nlevel = 3\nmemory = \"64MiB\"\n[gtp]\ntable-size = \"1MiB\"\n");
    let config = |arguments: &[&str], key| line(home.path(), &[&["gtp"], arguments].concat(), key);
    // The more specific table replaces the memory of the common one.
    assert_eq!(config(&[], "memory").split(':').next(), Some("# memory"));
    assert!(config(&[], "level").starts_with("level = 3 #"));
    assert_eq!(config(&["--time", "5"], "level"), "# level: not set");
    assert_eq!(config(&["--ponder"], "level"), "# level: not set");
    assert!(config(&["--ponder=false"], "level").starts_with("level = 3 #"));
    // Their combination on the command line alone stays an error.
    let run = run(home.path(), &["gtp", "--level", "3", "--ponder"]);
    assert!(run.code == Some(2) && run.errors.contains("cannot be combined"), "{run:?}");
}

#[test]
fn values_are_read_and_printed_as_toml() {
    let home = home("[gtp]\nthreads = 0x2 # two\nkomi = -7.5\ngtp-name = 'a\"b'\ngtp-version = \"nan\"\n");
    let config = |key| line(home.path(), &["gtp"], key).split(" #").next().map(str::to_owned);
    assert_eq!(config("threads").as_deref(), Some("threads = 2"));
    assert_eq!(config("komi").as_deref(), Some("komi = -7.5"));
    assert_eq!(config("gtp-name").as_deref(), Some("gtp-name = \"a\\\"b\""));
    assert_eq!(config("gtp-version").as_deref(), Some("gtp-version = \"nan\""));
}

#[test]
fn what_an_argument_excludes_does_not_hold() {
    let home = home("[analyze]\nsize = 9\npasses = 2\nsimulations = 20\n[default]\ntable-size = \"1MiB\"");
    let game = home.path().join("game.sgf");
    std::fs::write(&game, "(;SZ[5];B[cc])").expect("a file");
    for arguments in [&["analyze", game.to_str().expect("UTF-8")][..], &["analyze"]] {
        let run = run(home.path(), arguments);
        assert_eq!((run.code, run.errors.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn a_file_may_give_what_must_be_given() {
    let home = home(
        "[sweep]\ntable-size = [\"64KiB\", \"1MiB\"]\ngames = 2\nsimulations = 5\nsize = 5\nquiet = true\nrules = \"tromp-taylor\"\n",
    );
    let run = run(home.path(), &["sweep"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.output.lines().count(), 3, "{run:?}");
}

#[test]
fn the_file_is_chosen_by_an_option_then_a_variable_then_its_place() {
    let home = home("[gtp]\nthreads = 2\n");
    let other = home.path().join("other.toml");
    std::fs::write(&other, "[gtp]\nthreads = 5\n").expect("a file");
    let other = other.to_str().expect("UTF-8");
    assert!(line(home.path(), &["gtp", "--config", other], "threads").starts_with("threads = 5 "));
    assert_eq!(line(home.path(), &["gtp", "--config", "none"], "threads"), BY_DEFAULT);
    let threads = |command: &mut Command| {
        let run = finish(command);
        let line = run.output.lines().find(|line| line.starts_with("threads"));
        line.and_then(|line| line.split_whitespace().nth(2)).map(str::to_owned)
    };
    let with =
        |variable: &str, value: &str| threads(command(home.path(), &["config", "gtp"]).env(variable, value));
    assert_eq!(with("TEWARI_CONFIG", other).as_deref(), Some("5"));
    assert_eq!(with("TEWARI_CONFIG", "none"), None);
    assert_eq!(with("TEWARI_CONFIG", "").as_deref(), Some("2"));
    assert_eq!(with("XDG_CONFIG_HOME", "/nowhere"), None);
    assert_eq!(with("XDG_CONFIG_HOME", "relative").as_deref(), Some("2"));
    assert_eq!(with("HOME", "relative"), None);
    let before = finish(&mut command(home.path(), &["--config", other, "config", "gtp"]));
    assert!(before.output.contains("\nthreads = 5 "), "{before:?}");
    let nothing = run(home.path(), &["gtp", "--config"]);
    assert!(nothing.code == Some(2) && nothing.errors.contains("after --config"), "{nothing:?}");
    // After `analysis` it is KataGo's option.
    let katago = run(home.path(), &["--config", other, "analysis", "--config", "/nowhere/b.cfg"]);
    assert!(katago.code == Some(1) && katago.errors.contains("/nowhere/b.cfg"), "{katago:?}");
    let run = run(home.path(), &["gtp", "--config", "/nowhere/x.toml"]);
    assert_eq!((run.code, run.errors.lines().count()), (Some(2), 1), "{run:?}");
    assert!(run.errors.contains("/nowhere/x.toml"), "{run:?}");
}

#[test]
fn mistakes_in_the_file_are_told_in_one_line_with_the_place() {
    for (settings, line, fragment) in [
        ("[gtp]\nthreds = 2\n", 2, "a similar argument exists: '--threads'"),
        ("[default]\npases = 2\n", 2, "a similar argument exists: '--passes'"),
        ("[gtq]\nthreads = 2\n", 1, "a similar subcommand exists: 'gtp'"),
        ("[play.goo]\nthreads = 2\n", 1, "unknown table [play.goo]"),
        ("[help]\nthreads = 2\n", 1, "unknown table [help]"),
        ("threads = 2\n", 1, "outside a table"),
        ("[gtp]\nponder = \"yes\"\n", 2, "[possible values: true, false]"),
        ("[gtp]\nthreads = true\n", 2, "invalid value 'true' for '--threads"),
        ("[gtp]\nthreads = [1, 2]\n", 2, "cannot be used multiple times"),
        ("[gtp]\nthreads = 0\n", 2, "1..=255"),
        ("[gtp]\n\nmemory = \"lots\"\n", 3, "64MiB"),
        ("[gtp]\npolicy = \"help\"\n", 2, "help is for the command line"),
        ("[default]\nhelp = true\n", 2, "help is for the command line"),
        ("[gtp]\nthreads 2\n", 2, ""),
        ("[gtp]\nthreads = \n", 2, ""),
        ("\n\n[gtp", 3, ""),
        ("[gtp]\nthreads = 1\nthreads = 2\n", 3, "duplicate key"),
        ("[gtp]\nkomi = 1979-05-27\n", 2, "datetime"),
        ("[[gtp]]\nkomi = 1\n", 1, "found table"),
        ("[gtp]\nthreads = []\n", 2, "found an empty list"),
        ("[gtp]\nconfig = \"x\"\n", 2, "'--config'"),
        ("[sweep]\nthreads = 2\n", 2, "'--threads'"),
    ] {
        refuse(settings, &["gtp"], line, fragment);
        refuse(settings, &["config"], line, fragment);
    }
}

#[test]
fn a_file_that_is_no_text_or_too_large_is_refused_in_one_line() {
    let home = home("");
    let file = home.path().join(".config/tewari/config.toml");
    for (content, fragment) in
        [(b"[gtp]\nsize = 9 # \xff\n".to_vec(), "UTF-8"), (b"#".repeat((1 << 20) + 1), "1048576 bytes")]
    {
        std::fs::write(&file, content).expect("a file");
        let run = run(home.path(), &["gtp"]);
        assert_eq!((run.code, run.errors.lines().count()), (Some(2), 1), "{run:?}");
        assert!(run.errors.contains(&*file.to_string_lossy()) && run.errors.contains(fragment), "{run:?}");
    }
}

#[test]
fn what_config_prints_is_a_settings_file() {
    let home = home("[gtp]\nthreads = 3\nponder = true\n[sweep]\nreplacement = [\"visits\", \"always\"]\n");
    let printed = run(home.path(), &["config"]);
    assert_eq!((printed.code, printed.errors.as_str()), (Some(0), ""));
    let copy = home.path().join("copy.toml");
    std::fs::write(&copy, &printed.output).expect("a file");
    let again = run(home.path(), &["config", "--config", copy.to_str().expect("UTF-8")]);
    assert_eq!((again.code, again.errors.as_str()), (Some(0), ""));
    let values = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split(" # ").next().unwrap_or_default().trim().to_owned()).collect()
    };
    assert_eq!(values(&again.output), values(&printed.output));
    assert!(values(&printed.output).contains(&"replacement = [\"visits\", \"always\"]".to_owned()));
}
