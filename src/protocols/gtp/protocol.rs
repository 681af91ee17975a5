//! The text of the protocol: parsing of command lines and formatting of responses, without Go.

use std::fmt;

/// Maximum id by the specification.
const MAX_ID: u32 = i32::MAX as u32;

/// A command line split into id, name and arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The number to repeat in the response.
    pub id: Option<u32>,
    /// The name of the command; empty if the line has only an id.
    pub name: String,
    /// The arguments, without spaces at the ends.
    pub rest: String,
}

impl Command {
    /// Returns the words after the name.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.rest.split_ascii_whitespace()
    }
}

/// Parses a line. Returns `None` if it is empty or a comment.
///
/// A first word that is a whole number is the id. An id outside `0..=2^31-1` is dropped, as by GNU Go: a response
/// without an id is better than one with an id that was never sent.
#[must_use]
pub fn parse_line(line: &str) -> Option<Command> {
    let line = clean(line);
    let line = line.trim_matches(' ');
    let (first, after) = split_word(line);
    if first.is_empty() {
        return None;
    }
    let (id, name, rest) = if is_whole_number(first) {
        let id = first.parse().ok().filter(|&id| id <= MAX_ID);
        let (name, rest) = split_word(after);
        (id, name, rest)
    } else {
        (None, first, after)
    };
    Some(Command { id, name: name.to_owned(), rest: rest.to_owned() })
}

/// Returns true if a line is GoGui's comment that asks for an immediate answer of the running command.
#[must_use]
pub fn is_interrupt(line: &str) -> bool {
    line.trim().strip_prefix('#').is_some_and(|comment| comment.trim() == "interrupt")
}

/// Returns true if a word consists of digits, with or without a sign.
#[must_use]
pub fn is_whole_number(word: &str) -> bool {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Removes the comment, control characters and a byte order mark; tabs become spaces.
fn clean(line: &str) -> String {
    let line = line.trim_start_matches('\u{feff}');
    let line = line.split('#').next().unwrap_or_default();
    let spaced = line.chars().map(|c| if c == '\t' { ' ' } else { c });
    spaced.filter(|c| !c.is_control()).collect()
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    (word, rest.trim_start_matches(' '))
}

/// The response to one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The id of the command.
    pub id: Option<u32>,
    /// The result, of one or more lines, or the error message.
    pub outcome: Result<String, String>,
}

impl fmt::Display for Response {
    /// Writes the response as it is sent, with the empty line at its end. A line end at the beginning of a result
    /// stays, so that the first row of a board is not shifted; other empty lines are dropped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.outcome.is_ok() { "=" } else { "?" })?;
        if let Some(id) = self.id {
            write!(f, "{id}")?;
        }
        match &self.outcome {
            Ok(text) => {
                let mut separator = if text.starts_with('\n') { "\n" } else { " " };
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    write!(f, "{separator}{}", printable(line))?;
                    separator = "\n";
                }
            }
            Err(message) => write!(f, " {}", printable(message).trim())?,
        }
        f.write_str("\n\n")
    }
}

fn printable(line: &str) -> String {
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<(Option<u32>, String, Vec<String>)> {
        let command = parse_line(line)?;
        let arguments = command.arguments().map(str::to_owned).collect();
        Some((command.id, command.name, arguments))
    }

    #[test]
    fn a_line_is_an_optional_id_a_name_and_arguments() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(parsed("name"), Some((None, "name".into(), vec![])));
        assert_eq!(
            parsed(" 12\tplay  b\tD4 # why\r\n"),
            Some((Some(12), "play".into(), words(&["b", "D4"])))
        );
        assert_eq!(parsed("na\u{7}me\u{1}"), Some((None, "name".into(), vec![])));
        assert_eq!(parsed("\u{feff}007 name"), Some((Some(7), "name".into(), vec![])));
    }

    #[test]
    fn ids_that_do_not_fit_are_not_repeated() {
        for line in ["-1 name", "4294967295 name", "2147483648 name", "99999999999999999999999 name"] {
            assert_eq!(parsed(line), Some((None, "name".into(), vec![])), "{line}");
        }
        assert_eq!(parsed("2147483647 name").and_then(|command| command.0), Some(2_147_483_647));
        assert_eq!(parsed("3"), Some((Some(3), String::new(), vec![])));
        assert_eq!(parsed("3x"), Some((None, "3x".into(), vec![])));
    }

    #[test]
    fn lines_without_a_command_are_nothing() {
        for line in ["", " ", "\t", "\r\n", "# 1 name", "  #", "\u{0}\u{1b}"] {
            assert_eq!(parse_line(line), None, "{line:?}");
        }
    }

    #[test]
    fn responses_hold_no_empty_line_but_the_last() {
        let text = |id, outcome: Result<&str, &str>| {
            Response { id, outcome: outcome.map(str::to_owned).map_err(str::to_owned) }.to_string()
        };
        assert_eq!(text(None, Ok("")), "=\n\n");
        assert_eq!(text(Some(4), Ok("a\n\n \nb\n")), "=4 a\nb\n\n");
        assert_eq!(text(None, Ok("\nboard\nrow")), "=\nboard\nrow\n\n");
        assert_eq!(text(Some(0), Err("two\nlines\u{7}")), "?0 two lines\n\n");
    }
}
