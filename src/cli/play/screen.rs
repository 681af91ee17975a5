//! Lines on a terminal, of which only the changed ones are rewritten.

use std::fmt::Write;

/// The size of a terminal in columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TerminalSize {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// The text above the cursor: the lines written last, and the rows typed by the user below them.
#[derive(Default)]
pub(super) struct Screen {
    /// The size of the terminal and the lines written last; `None` if they did not fit.
    painted: Option<(TerminalSize, Vec<String>)>,
    rows_typed: usize,
}

impl Screen {
    /// Records that `rows` rows were typed below the lines; the cursor is at the beginning of the next row.
    pub(super) fn typed(&mut self, rows: usize) {
        self.rows_typed += rows;
    }

    /// Returns the text that replaces the old lines by `lines` and puts the cursor at the beginning of the row below
    /// them. A line is at most as long as a row.
    pub(super) fn paint(&mut self, lines: Vec<String>, extent: TerminalSize) -> String {
        let rows_typed = std::mem::take(&mut self.rows_typed);
        // One row below the lines to type in, and one for the cursor afterwards.
        let fits = |lines: &[String], typed: usize| lines.len() + typed.max(1) < extent.rows;
        let before = self.painted.take().filter(|(then, old)| *then == extent && fits(old, rows_typed));
        let mut text = String::new();
        let old = before.map_or_else(Vec::new, |(_, old)| old);
        let up = if old.is_empty() { 0 } else { old.len() + rows_typed };
        if up > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "\x1b[{up}A");
        }
        for (row, line) in lines.iter().enumerate() {
            if old.get(row) == Some(line) {
                text.push('\n');
            } else {
                let _ = writeln!(text, "\x1b[2K{line}");
            }
        }
        text.push_str("\x1b[J");
        self.painted = fits(&lines, 1).then_some((extent, lines));
        text
    }
}

/// Breaks text between words into lines of at most `columns` characters; lines with escape sequences are cut off
/// instead.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    text.lines().flat_map(|line| wrapped_line(line, columns.max(1))).collect()
}

fn wrapped_line(line: &str, columns: usize) -> Vec<String> {
    if console::measure_text_width(line) <= columns {
        return vec![line.to_owned()];
    }
    if line.contains('\x1b') {
        return vec![console::truncate_str(line, columns, "\x1b[0m").into_owned()];
    }
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let mut word = word.to_owned();
        loop {
            let here = lines.last_mut().expect("there is a line from the start");
            let gap = usize::from(!here.is_empty());
            if console::measure_text_width(here) + gap + console::measure_text_width(&word) <= columns {
                here.extend(std::iter::repeat_n(' ', gap));
                here.push_str(&word);
                break;
            }
            if here.is_empty() {
                // A word longer than a line.
                let fitting = console::truncate_str(&word, columns, "").into_owned();
                let first = word.chars().next().map_or(0, char::len_utf8);
                let rest = word.split_off(fitting.len().max(first));
                here.push_str(&std::mem::replace(&mut word, rest));
                if word.is_empty() {
                    break;
                }
            }
            lines.push(String::new());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL_TERMINAL: TerminalSize = TerminalSize { columns: 20, rows: 10 };

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn only_lines_that_change_are_written_again() {
        let mut screen = Screen::default();
        assert_eq!(screen.paint(lines("one\ntwo"), SMALL_TERMINAL), "\x1b[2Kone\n\x1b[2Ktwo\n\x1b[J");
        screen.typed(1);
        assert_eq!(screen.paint(lines("one\nthree"), SMALL_TERMINAL), "\x1b[3A\n\x1b[2Kthree\n\x1b[J");
        assert_eq!(screen.paint(lines("one\nthree"), SMALL_TERMINAL), "\x1b[2A\n\n\x1b[J");
    }

    #[test]
    fn a_terminal_that_is_too_small_or_changes_is_written_to_from_here_on() {
        let mut screen = Screen::default();
        let tall = "x\n".repeat(9);
        screen.paint(lines(&tall), SMALL_TERMINAL);
        assert!(!screen.paint(lines(&tall), SMALL_TERMINAL).contains('A'));
        let mut screen = Screen::default();
        screen.paint(lines("one"), SMALL_TERMINAL);
        assert!(!screen.paint(lines("one"), TerminalSize { columns: 30, ..SMALL_TERMINAL }).contains('A'));
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three\n\nfour", 8), ["one two", "three", "", "four"]);
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("手割り", 1), ["手", "割", "り"]);
    }
}
