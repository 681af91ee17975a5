//! Lines, ids, bytes and pipes; errors change nothing.

use super::*;
use std::io::{self, Write};

#[test]
fn ids_are_echoed_on_success_and_on_errors() {
    let output = converse(&mut session(5), b"7 name\n8 nosuch\n9 play b Z9\n2147483647 play\n0 get_komi\n");
    assert_eq!(
        output,
        "=7 Tewari\n\n?8 unknown command\n\n?9 invalid color or coordinate\n\n\
         ?2147483647 invalid color or coordinate\n\n=0 7.5\n\n"
    );
}

#[test]
fn ids_that_do_not_fit_do_not_confuse_us() {
    let output = converse(&mut session(5), b"99999999999999999999 name\n-4 name\n5\n6 name\n");
    assert!(output.starts_with("= Tewari\n\n= Tewari\n\n?5 syntax error: expected a command"), "{output}");
    assert!(output.ends_with("\n\n=6 Tewari\n\n"), "{output}");
}

#[test]
fn empty_lines_and_comments_get_no_response() {
    assert_eq!(converse(&mut session(5), b"\n   \n\t\r\n# 1 name\n\x07\nname # really\n"), "= Tewari\n\n");
}

#[test]
fn quit_is_answered_and_ends_the_session() {
    let mut session = session(5);
    assert_eq!(converse(&mut session, b"1 quit\n2 name\n"), "=1\n\n");
    assert!(session.has_quit());
}

#[test]
fn the_end_of_input_ends_the_session_and_a_last_line_needs_no_line_end() {
    assert_eq!(converse(&mut session(5), b""), "");
    assert_eq!(converse(&mut session(5), b"1 name"), "=1 Tewari\n\n");
}

#[test]
fn bytes_that_are_no_text_get_an_error_and_the_session_goes_on() {
    let output =
        converse(&mut session(5), b"\xff\xfe\x80\n3 na\xc3\nplay b \xf0\n4 name\n\xef\xbb\xbf5 name\n");
    assert_eq!(
        output,
        "? unknown command\n\n?3 unknown command\n\n? invalid color or coordinate\n\n=4 Tewari\n\n=5 Tewari\n\n"
    );
}

#[test]
fn a_line_of_megabytes_gets_one_error_and_the_session_goes_on() {
    let mut input = b"12 play b ".to_vec();
    input.extend(std::iter::repeat_n(b'x', 3 * tewari::base::input::MAX_LINE_BYTES));
    input.extend_from_slice(b"\n13 name\n");
    assert_eq!(
        converse(&mut session(5), &input),
        "?12 line too long: expected at most 131072 bytes\n\n=13 Tewari\n\n"
    );
}

/// A writer that fails after `room` bytes and counts flushes.
struct Pipe {
    room: usize,
    kind: io::ErrorKind,
    flushes: usize,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(self.kind.into());
        }
        let taken = bytes.len().min(self.room);
        self.room -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushes += 1;
        Ok(())
    }
}

#[test]
fn a_closed_output_ends_the_session_in_peace_and_other_failures_are_told() {
    let lines: &[u8] = b"name\nname\nname\n";
    let mut closed = Pipe { room: 12, kind: io::ErrorKind::BrokenPipe, flushes: 0 };
    assert!(session(5).run(lines, &mut closed).is_ok());
    let mut full = Pipe { room: 12, kind: io::ErrorKind::StorageFull, flushes: 0 };
    assert!(session(5).run(lines, &mut full).is_err());
    let mut open = Pipe { room: 1000, kind: io::ErrorKind::Other, flushes: 0 };
    assert!(session(5).run(lines, &mut open).is_ok());
    assert_eq!(open.flushes, 3);
}

#[test]
fn every_listed_command_is_known_and_nothing_else_is() {
    let mut session = session(5);
    let listed = ask(&mut session, "list_commands");
    let names: Vec<&str> = listed.trim_start_matches("= ").lines().collect();
    assert!(names.len() > 30 && names.iter().all(|name| !name.is_empty()));
    for name in names {
        assert_eq!(ask(&mut session, &format!("known_command {name}")), "= true");
        // Without arguments it may fail, but not as an unknown command.
        if name != "genmove" {
            assert_ne!(ask(&mut session, name), "? unknown command", "{name}");
        }
    }
    assert_eq!(ask(&mut session, "known_command analyze_everything"), "= false");
    assert!(ask(&mut session, "known_command").starts_with("? syntax error: expected"));
    assert_eq!(ask(&mut session, "protocol_version"), "= 2");
    assert!(ask(&mut session, "version").starts_with("= "));
}

#[test]
fn errors_leave_the_state_unchanged() {
    let mut session = session(5);
    tell(&mut session, &["komi 5.5", "genmove b", "play w C1", "set_random_seed 3"]);
    for (line, expected) in [
        ("nosuch", "? unknown command"),
        ("PLAY b A1", "? unknown command"),
        ("boardsize 0", "? unacceptable size"),
        ("boardsize 20", "? unacceptable size"),
        ("boardsize -1", "? unacceptable size"),
        ("boardsize 99999999999999999999999", "? unacceptable size"),
        ("boardsize 9 20", "? unacceptable size"),
        ("boardsize", "? syntax error: expected a board side from 1 to 19, found nothing"),
        ("boardsize nine", "? syntax error: expected a board side from 1 to 19, found \"nine\""),
        ("rectangular_boardsize 5", "? syntax error"),
        ("rectangular_boardsize 5 0", "? unacceptable size"),
        ("komi", "? syntax error"),
        ("komi x", "? syntax error: expected a komi from -1000 to 1000, found \"x\""),
        ("komi nan", "? syntax error"),
        ("komi inf", "? syntax error"),
        ("komi 1e300", "? syntax error"),
        ("play", "? invalid color or coordinate"),
        ("play b", "? invalid color or coordinate"),
        ("play green A1", "? invalid color or coordinate"),
        ("play b F1", "? invalid color or coordinate"),
        ("play b A6", "? invalid color or coordinate"),
        ("play b I1", "? invalid color or coordinate"),
        ("play b resign", "? invalid color or coordinate"),
        ("play b C1", "? illegal move"),
        ("genmove", "? invalid color"),
        ("genmove red", "? invalid color"),
        ("reg_genmove x", "? invalid color"),
        ("gg-undo 3", "? cannot undo"),
        ("gg-undo -1", "? syntax error"),
        ("gg-undo x", "? syntax error"),
        ("fixed_handicap 2", "? invalid handicap"),
        ("fixed_handicap x", "? syntax error"),
        ("place_free_handicap 2", "? board not empty"),
        ("place_free_handicap 1", "? invalid handicap"),
        ("place_free_handicap 25", "? invalid handicap"),
        ("set_free_handicap A1 B2", "? board not empty"),
        ("set_free_handicap A1", "? invalid handicap"),
        ("set_free_handicap A1 A1", "? bad vertex list"),
        ("set_free_handicap A1 pass", "? bad vertex list"),
        ("loadsgf", "? syntax error"),
        ("loadsgf /no/such/file.sgf", "? cannot load file: /no/such/file.sgf: "),
        ("loadsgf /", "? cannot load file: /: "),
        ("final_status_list", "? syntax error: expected alive, dead or seki, found nothing"),
        ("final_status_list asleep", "? syntax error"),
        ("time_settings 1 2", "? syntax error"),
        ("time_settings -1 2 3", "? syntax error"),
        ("time_settings 1 2 x", "? syntax error"),
        ("time_left b", "? syntax error"),
        ("time_left x 1 1", "? invalid color"),
        ("time_left b nan 1", "? syntax error"),
        ("kgs-time_settings", "? syntax error"),
        ("kgs-time_settings fischer 1 1", "? syntax error"),
        ("kgs-time_settings byoyomi 1 1", "? syntax error"),
        ("list_stones", "? invalid color"),
        ("is_legal b", "? invalid color or coordinate"),
        ("all_legal", "? invalid color"),
        ("set_random_seed", "? syntax error"),
        ("set_random_seed -1", "? syntax error"),
    ] {
        refuse(&mut session, line, expected);
    }
}

#[test]
fn a_board_without_memory_is_refused_and_the_game_goes_on() {
    let engine = Engine::new(EngineOptions {
        size: Size::new(3, 3).unwrap(),
        memory: MemoryBudget::Table(2048),
        // Complete pages: a ranked page has the same size on every board.
        networks: None,
        ..EngineOptions::default()
    });
    let mut session = Session::new(engine.unwrap(), options(10));
    tell(&mut session, &["play b A1"]);
    refuse(&mut session, "boardsize 19", "? unacceptable size: ");
}

#[test]
fn processor_time_is_a_number_of_seconds() {
    if cfg!(unix) {
        let answer = ask(&mut session(5), "cputime");
        assert!(answer.strip_prefix("= ").unwrap().parse::<f64>().unwrap() >= 0.0);
    }
}
