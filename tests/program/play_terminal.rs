//! `tewari play` at a terminal: a board redrawn in place, colours unless unwanted, and editable lines.

#![cfg(unix)]

use crate::common::program;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// A game at a pseudo-terminal.
struct Sitting {
    child: Child,
    keys: File,
    shown: Receiver<Vec<u8>>,
    /// All output so far.
    text: String,
}

impl Sitting {
    fn begin(arguments: &[&str], variables: &[(&str, &str)], rows: u16) -> Sitting {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("its right");
        unlockpt(&master).expect("its lock");
        tcsetwinsize(&master, Winsize { ws_row: rows, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 })
            .expect("its size");
        let name = ptsname(&master, Vec::new()).expect("its name").into_string().expect("UTF-8");
        let open =
            || Stdio::from(OpenOptions::new().read(true).write(true).open(&name).expect("its other end"));
        let mut command = program();
        command.args(["play", "go", "--size", "5", "--komi", "0.5", "--table-size", "1MiB"]);
        command.args(arguments).env_clear().env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        command.envs(variables.iter().copied()).stdin(open()).stdout(open()).stderr(open());
        let child = command.spawn().expect("the program starts");
        drop(command);
        let (sender, shown) = channel();
        let keys = File::from(master);
        let mut screen = keys.try_clone().expect("a second handle");
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The child's end is reported as an error here.
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Sitting { child, keys, shown, text: String::new() }
    }

    /// Types, then waits for `expected` and the next prompt; returns the output.
    fn see(&mut self, typed: &str, expected: &str) -> String {
        self.wait(typed, expected, PROMPT)
    }

    /// Types, then waits for `expected` and after it for `then`; returns the output.
    fn wait(&mut self, typed: &str, expected: &str, then: &str) -> String {
        let before = self.text.len();
        self.keys.write_all(typed.as_bytes()).expect("it reads");
        loop {
            let shown = &self.text[before..];
            if let Some((_, after)) = shown.split_once(expected)
                && after.contains(then)
            {
                return shown.to_owned();
            }
            let bytes = self.shown.recv_timeout(Duration::from_secs(60));
            let bytes = bytes.unwrap_or_else(|error| panic!("no {expected:?} ({error}): {:?}", self.text));
            self.text.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
}

impl Drop for Sitting {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The prompt.
const PROMPT: &str = "> ";

#[test]
fn the_board_has_colours_and_changes_in_place() {
    let mut sitting = Sitting::begin(&["--simulations", "50"], &[], 40);
    let shown = sitting.see("", "5x5, chinese rules");
    assert!(shown.contains("\x1b[48;5;179m \x1b[38;5;94m· · · · · \x1b[0m"), "{shown:?}");
    let shown = sitting.see("C3\r", "White plays ");
    assert!(shown.contains("White is thinking…") && shown.contains('●'), "{shown:?}");
    // The row of the column letters is not written again.
    assert!(!shown.contains("A B C D E") && !shown.contains("\x1b[2J"), "{shown:?}");
    sitting.wait("quit\r", "Goodbye.", "\n");
    assert!(sitting.child.wait().expect("it ends").success());
}

#[test]
fn lines_are_edited_and_remembered() {
    let mut sitting = Sitting::begin(&["--simulations", "50"], &[], 40);
    sitting.see("", "You are Black");
    // "C4" is typed, and its last character deleted.
    let shown = sitting.see("C4\x7f3\r", "White plays ");
    assert!(shown.contains("Black played C3"), "{shown:?}");
    sitting.see("undo\r", "Taken back.");
    // Two lines up in the history.
    let shown = sitting.see("\x1b[A\x1b[A\r", "White plays ");
    assert!(shown.contains("Black played C3"), "{shown:?}");
    sitting.see("\x03", "Type quit to leave");
    sitting.wait("\x04", "Goodbye.", "\n");
}

#[test]
fn nobody_who_wants_no_colour_gets_any() {
    let mut sitting = Sitting::begin(&["--simulations", "50"], &[("NO_COLOR", "1")], 40);
    let shown = sitting.see("", "You are Black (X)");
    assert!(shown.contains(" 3  . . . . .") && !shown.contains("38;5"), "{shown:?}");
    sitting.see("C3\r", "White (O) plays ");
    assert!(!sitting.text.contains("38;5"), "{:?}", sitting.text);
}

#[test]
fn an_estimate_is_drawn_on_the_board() {
    let mut sitting = Sitting::begin(&["--simulations", "400"], &[], 40);
    sitting.see("", "You are Black");
    sitting.see("C3\r", "White plays ");
    let shown = sitting.see("estimate\r", "Marks show the expected owner");
    assert!(shown.contains('■') || shown.contains('▪'), "{shown:?}");
}

#[test]
fn a_terminal_that_is_too_small_shows_one_board_after_the_other() {
    let mut sitting = Sitting::begin(&["--simulations", "50"], &[], 6);
    sitting.see("", "You are Black");
    let shown = sitting.see("C3\r", "White plays ");
    assert!(shown.contains("A B C D E"), "{shown:?}");
    let mut dumb = Sitting::begin(&["--simulations", "50"], &[("TERM", "dumb")], 40);
    let shown = dumb.see("", "You are Black");
    assert!(!shown.contains('\x1b'), "{shown:?}");
}

#[test]
fn an_interrupt_ends_the_search_and_not_the_game() {
    let mut sitting = Sitting::begin(&["--time", "1000"], &[], 40);
    sitting.see("", "You are Black");
    sitting.wait("C3\r", "White is thinking…", "Ctrl-C ends the search.");
    let child = Pid::from_child(&sitting.child);
    kill_process(child, Signal::INT).expect("it runs");
    let shown = sitting.see("", "White plays ");
    assert!(shown.contains("My win rate is"), "{shown:?}");
    sitting.wait("quit\r", "Goodbye.", "\n");
    assert!(sitting.child.wait().expect("it ends").success());
}
