//! Errors on the command line, and requests beyond the machine's resources.

use super::{GAME, SHORT, analyze_json, directory, file, objects, refuse, run, run_with_input, tewari};
use std::process::{Child, Stdio};

#[test]
fn mistakes_on_the_command_line_are_named_and_exit_with_2() {
    for (arguments, fragment) in [
        (&["--bogus"][..], "--bogus"),
        (&["bogus"], "bogus"),
        (&["analyze", "--bogus"], "--bogus"),
        (&["gtp", "stray"], "stray"),
        (&["bench", "--bogus"], "--bogus"),
        (&["analyze", "--size", "0"], "from 1 to 19"),
        (&["analyze", "--size", "20"], "from 1 to 19"),
        (&["analyze", "--size", "20x3"], "from 1 to 19"),
        (&["analyze", "--size", "9x"], "from 1 to 19"),
        (&["gtp", "--size", "-9"], "-9"),
        (&["analyze", "game.sgf", "--size", "9"], "--size"),
        (&["analyze", "--move", "3"], "FILE"),
        (&["analyze", "game.sgf", "--move", "x"], "x"),
        (&["analyze", "--komi", "much"], "much"),
        (&["analyze", "--komi", "nan"], "nan"),
        (&["analyze", "--komi", "1e9"], "1000"),
        (&["analyze", "--komi", "7.75"], "half points"),
        (&["analyze", "--rules", "lasker"], "chinese"),
        (&["analyze", "--format", "xml"], "json"),
        (&["analyze", "--policy", "magic"], "rave"),
        (&["analyze", "--playout-policy", "magic"], "heavy"),
        (&["analyze", "--seed", "-1"], "-1"),
        (&["analyze", "--threads", "0"], "255"),
        (&["analyze", "--threads", "256"], "255"),
        (&["analyze", "--threads", "-1"], "-1 is not in 1..=255"),
        (&["analyze", "--passes", "0"], "expected at least 1"),
        (&["analyze", "--visits", "0"], "0"),
        (&["analyze", "--simulations", "0"], "0"),
        (&["analyze", "--time", "0"], "more than 0"),
        (&["analyze", "--time", "-1"], "more than 0"),
        (&["analyze", "--time", "soon"], "soon"),
        (&["analyze", "--memory", "lots"], "lots"),
        (&["analyze", "--memory", "0"], "64MiB"),
        (&["analyze", "--memory", "-1"], "-1"),
        (&["analyze", "--table-size", "99999999999999999999999"], "64MiB"),
        (&["gtp", "--resign", "2"], "0 to 1"),
        (&["--quiet", "analyze"], "analyze"),
        (&["play", "go", "--size", "7", "--handicap", "9"], "--handicap: 9 handicap stones are not possible"),
        (&["selfplay", "--out", "zz", "--komi-spread", "-1", "--games", "1"], "--komi-spread"),
        (&["selfplay", "--out", "zz", "--komi", "500"], "--komi from -400 to 400"),
        (&["selfplay", "--out", "zz", "--table", "a.tewari"], "--table cannot be used here"),
        (&["bench", "--evaluator", "program"], "--evaluator cannot be used here"),
        (&["sweep", "--table-size", "1KiB", "--engine", "gnugo"], "expected self or self:OPTIONS"),
    ] {
        refuse(arguments, 2, &[fragment]);
    }
}

#[cfg(not(feature = "mpi"))]
#[test]
fn mpirun_with_a_program_without_mpi_starts_no_independent_engines() {
    for command in ["gtp", "analyze", "analysis"] {
        for variables in [["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"], ["PMI_RANK", "PMI_SIZE"]] {
            let with_ranks = |ranks: &str| {
                let arguments = [command, "--help"];
                let mut program = tewari(if ranks == "1" { &arguments } else { &arguments[..1] });
                program.envs(variables.into_iter().zip(["0", ranks])).stdin(Stdio::null());
                program.output().expect("the program runs")
            };
            let output = with_ranks("2");
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{text}");
            assert!(text.contains("built without MPI") && text.contains("--features mpi"), "{text}");
            assert!(output.stdout.is_empty());
            assert!(with_ranks("1").status.success(), "one rank is as good as none");
        }
    }
}

#[test]
fn mpirun_starts_no_command_once_for_each_rank() {
    let in_job = |arguments: &[&str]| {
        let mut program = tewari(arguments);
        program.env("PMI_RANK", "0").env("PMI_SIZE", "2").stdin(Stdio::null());
        program.output().expect("the program runs")
    };
    for arguments in
        [&["match", "--black", "self", "--white", "self", "--games", "2"][..], &["selfplay", "--out", "x"]]
    {
        let output = in_job(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{text}");
        assert!(text.contains("2 ranks") && text.contains("--shard"), "{text}");
        assert!(output.stdout.is_empty());
    }
    assert!(in_job(&["config", "gtp"]).status.success());
    let folder = directory();
    let out = folder.path().join("out");
    let out = out.to_str().expect("UTF-8");
    let program = format!("{} gtp --simulations 1", env!("CARGO_BIN_EXE_tewari"));
    let shard = ["--size", "2", "--games", "4", "--shard", "1/2", "--out", out];
    let output =
        in_job(&[&["match", "--black", &program, "--white", "self:--simulations 1"][..], &shard].concat());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "programs of a shard do not belong to the job: {text}");
}

#[cfg(not(unix))]
#[test]
fn a_table_file_is_refused_where_processes_cannot_share_it() {
    let directory = directory();
    let table = directory.path().join("a.tewari");
    let table = table.to_str().expect("UTF-8");
    for arguments in [&["gtp", "--table", table][..], &["table", "create", table], &["table", "info", table]]
    {
        refuse(arguments, 1, &["a.tewari: table files need Linux", "found windows", "leave out --table"]);
    }
    assert!(!std::path::Path::new(table).exists());
}

#[test]
fn help_and_version_are_no_errors() {
    for arguments in [&["--help"][..], &["--version"], &["help", "analyze"], &["gtp", "-h"]] {
        let run = run(arguments);
        assert_eq!((run.code, run.errors.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(!run.output.is_empty());
    }
    let help = run(&["analyze", "--help"]).output.split_whitespace().collect::<Vec<_>>().join(" ");
    let smallest = tewari::base::memory::MIN_ENGINE_MEMORY as f64 / tewari::base::memory::MIB as f64;
    assert!(help.contains(&format!("at least {smallest}MiB")), "the smallest --memory: {help}");
    assert!(help.contains("from a few KiB"), "the smallest --table-size: {help}");
}

#[test]
fn memory_below_the_minimum_is_refused_with_the_minimum() {
    let smallest = tewari::base::memory::MIN_ENGINE_MEMORY;
    for given in [1, smallest - 1] {
        let expected = format!("({smallest} bytes) are needed");
        refuse(
            &["analyze", "--size", "9", "--network", "none", "--memory", &given.to_string()],
            1,
            &[&expected],
        );
    }
    let smallest = smallest.to_string();
    let run =
        run(&["analyze", "--size", "19", "--network", "none", "--simulations", "50", "--memory", &smallest]);
    assert_eq!((run.code, run.errors.as_str()), (Some(0), ""));
}

/// Only Linux reports the size of the memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_beyond_the_machine_is_refused() {
    for flag in ["--memory", "--table-size"] {
        for bytes in ["18446744073709551615", "1PiB"] {
            refuse(
                &["analyze", "--size", "9", flag, bytes],
                1,
                &["more than this machine", "expected at most"],
            );
            refuse(&["gtp", flag, bytes], 1, &["more than this machine", "expected at most"]);
        }
    }
}

#[test]
fn a_table_of_a_few_kibibytes_works_and_a_smaller_one_is_refused_with_the_minimum() {
    for (size, smallest) in [("9", "4KiB"), ("19", "4KiB")] {
        let arguments = ["--size", size, "--simulations", "500", "--table-size", smallest, "--verbose"];
        let run = run(&[&["analyze"], &arguments[..]].concat());
        assert_eq!((run.code, run.errors.as_str()), (Some(0), ""));
        assert!(run.output.contains(" of 3.") || run.output.contains(" of 4 KiB"), "{}", run.output);
    }
    refuse(&["analyze", "--size", "9", "--table-size", "512B"], 1, &["at least 896"]);
}

#[test]
fn the_size_of_the_table_wins_over_the_memory_of_the_engine() {
    let analysis = &analyze_json(&["--size", "9", "--memory", "64MiB"])[0];
    let bytes = analysis["table"]["bytes"].as_u64();
    assert!(bytes <= Some(1 << 20) && bytes > Some(1 << 19), "{bytes:?}");
}

#[test]
fn memory_covers_the_whole_engine() {
    let run = run(&["analyze", "--size", "9", "--simulations", "9", "--memory", "64MiB", "--format", "json"]);
    let bytes = objects(&run.output)[0]["table"]["bytes"].as_u64();
    assert!(bytes < Some(62 << 20) && bytes > Some(48 << 20), "{bytes:?}");
}

/// Closes a program's standard output and waits for its end; returns its exit code and its standard error.
fn end_unread(mut child: Child) -> (Option<i32>, String) {
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn an_output_that_nobody_reads_ends_an_analysis_quietly() {
    let directory = directory();
    let path = file(&directory, "game.sgf", GAME);
    for arguments in [&["analyze", &path][..], &["analyze", &path, "--format", "json"], &["analyze"]] {
        let child = tewari(&[arguments, &SHORT[..]].concat()).spawn().expect("the program starts");
        let (code, errors) = end_unread(child);
        assert_eq!((code, errors.as_str()), (Some(0), ""));
    }
}

#[test]
fn a_level_and_pondering_exclude_each_other() {
    let both = ["gtp", "--level", "3", "--ponder", "--table-size", "256KiB"];
    refuse(&both, 2, &["--level and --ponder cannot be combined", "--ponder=false"]);
    let run =
        run_with_input(&["gtp", "-q", "--level", "3", "--table-size", "256KiB"], b"tewari-param ponder 1\n");
    assert!(run.output.starts_with("? syntax error: expected 0 for ponder"), "{run:?}");
}

#[test]
fn a_command_with_others_below_it_says_what_to_type() {
    refuse(&["play"], 2, &["expected one of go, tictactoe after play", "for example: tewari play go"]);
    refuse(&["table"], 2, &["expected one of create, info, verify", "for example: tewari table create"]);
    refuse(&["network"], 2, &["for example: tewari network info"]);
}

#[test]
fn an_error_output_that_nobody_reads_does_not_end_an_analysis() {
    let directory = directory();
    // An unreadable value of a property causes a warning.
    let path = file(&directory, "game.sgf", "(;SZ[9]KM[lots]CA[nonsense];B[ee];W[cc])");
    let mut command = tewari(&[&["analyze", &path], &SHORT[..]].concat());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    drop(child.stderr.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("to play").count(), 3);
}
