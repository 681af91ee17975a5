//! `tewari` and `tewari gtp`: GTP between real processes.

use super::{run, run_with_input, tewari};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

/// Options for short searches in a small table, without messages.
const QUIET: [&str; 7] = ["-q", "--simulations", "20", "--table-size", "256KiB", "--size", "9"];

#[test]
fn without_a_subcommand_it_speaks_gtp_when_standard_input_is_no_terminal() {
    for arguments in [&QUIET[..], &[&QUIET[..], &["--gtp"]].concat(), &[&["gtp"], &QUIET[..]].concat()] {
        let run = run_with_input(arguments, b"1 name\nbogus\n2 genmove b\nquit\n");
        assert_eq!((run.code, run.errors.as_str()), (Some(0), ""), "{arguments:?}");
        let answers: Vec<&str> = run.output.split_terminator("\n\n").collect();
        assert_eq!(answers.len(), 4, "{answers:?}");
        assert_eq!((answers[0], answers[1], answers[3]), ("=1 Tewari", "? unknown command", "="));
        assert!(answers[2].starts_with("=2 "));
    }
}

#[test]
fn the_end_of_the_input_ends_it_as_quit_does() {
    assert_eq!(run_with_input(&QUIET, b"").code, Some(0));
    assert_eq!(run_with_input(&QUIET, b"name\n").output, "= Tewari\n\n");
    assert_eq!(run_with_input(&QUIET, b"quit\nname\n").output, "=\n\n");
    let run = run_with_input(&QUIET, b"name\nquit\n");
    assert_eq!((run.code, run.output.as_str()), (Some(0), "= Tewari\n\n=\n\n"));
}

#[test]
fn an_input_that_ends_within_a_line_is_answered_and_ends_it() {
    let run = run_with_input(&QUIET, b"boardsize 9\n7 protocol_vers");
    assert_eq!((run.code, run.errors.as_str()), (Some(0), ""));
    assert_eq!(run.output, "=\n\n?7 unknown command\n\n");
}

#[test]
fn its_memory_threads_and_seed_are_said_at_the_start_unless_it_is_to_be_quiet() {
    let run = run(&["gtp", "--memory", "16MiB", "--threads", "2", "--seed", "77", "--size", "9"]);
    assert_eq!((run.code, run.output.as_str()), (Some(0), ""));
    assert_eq!(run.errors.lines().count(), 1, "{}", run.errors);
    for fragment in ["MiB", "2 threads", "seed 77", "chinese", "9x9"] {
        assert!(run.errors.contains(fragment), "no {fragment:?} in {}", run.errors);
    }
}

#[test]
fn options_set_up_the_first_game() {
    let options = ["--komi", "-3.5", "--rules", "tromp-taylor", "--seed", "12", "--gtp-version", "0.99"];
    let run = run_with_input(
        &[&QUIET[..], &options].concat(),
        b"get_komi\nshowboard\nget_random_seed\nversion\nboardsize 20\nboardsize 7\nquit\n",
    );
    for fragment in ["= -3.5", "tromp-taylor", "= 12", "= 0.99", "? unacceptable size"] {
        assert!(run.output.contains(fragment), "no {fragment:?} in {}", run.output);
    }
}

#[test]
fn the_default_komi_is_the_customary_one_of_the_rules() {
    for (rules, komi) in [("japanese", "= 6.5"), ("korean", "= 6.5"), ("chinese", "= 7.5"), ("aga", "= 7.5")]
    {
        let run = run_with_input(&[&QUIET[..], &["--rules", rules]].concat(), b"get_komi\nquit\n");
        assert!(run.output.starts_with(komi), "{rules}: {}", run.output);
    }
}

#[test]
fn each_answer_is_there_before_the_next_command() {
    let mut child = tewari(&QUIET).stdin(Stdio::piped()).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for (question, answer) in [("1 boardsize 5", "=1\n"), ("2 play b C3", "=2\n"), ("3 undo", "=3\n")] {
        writeln!(input, "{question}").expect("it listens");
        let mut line = String::new();
        output.read_line(&mut line).expect("it answers");
        assert_eq!(line, answer);
        output.read_line(&mut line).expect("an empty line");
    }
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_game_that_nobody_reads_any_more_ends_with_one_line() {
    let mut child = tewari(&QUIET).stdin(Stdio::piped()).spawn().expect("the program starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    // The program may end before it has read all of its input.
    let _ = input.write_all(b"name\nversion\nquit\n");
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), errors.lines().count()), (Some(1), 1), "{errors}");
    assert!(errors.contains("cannot write output"), "{errors}");
}

#[test]
fn who_says_quit_need_not_wait_for_the_answer() {
    let mut child = tewari(&QUIET).stdin(Stdio::piped()).spawn().expect("the program starts");
    drop(child.stdout.take());
    child.stdin.take().expect("a pipe").write_all(b"quit\n").expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn an_error_output_that_nobody_reads_does_not_end_a_game() {
    let loud = &QUIET[1..];
    let mut child = tewari(loud).stdin(Stdio::piped()).spawn().expect("the program starts");
    drop(child.stderr.take());
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"genmove b\nplay w A1\nplay b A1\nname\n").expect("it listens");
    drop(input);
    let mut output = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut output).expect("UTF-8");
    assert!(output.ends_with("= Tewari\n\n"), "{output}");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
