//! Text to tokens, each with the place where it starts.

use super::error::Location;

/// A token of the grammar, or what stands where one should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `;`
    Semicolon,
    /// The name of a property, small letters included.
    Name(&'a str),
    /// What stands between `[` and `]`, escapes included.
    Value(&'a str),
    /// A value that no `]` ends.
    UnendedValue,
    /// No token starts with this.
    Stray(char),
    /// The end of the text.
    End,
}

/// A cursor in the text that knows its line and column.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    /// Bytes of the whole text.
    length: usize,
    here: Location,
    after_return: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { rest: text, length: text.len(), here: Location::START, after_return: false }
    }

    /// Goes to the next `(` that only white space separates from a `;`: anything may stand around
    /// games, such as the headers of a mail. `false` when there is none.
    pub(super) fn find_game(&mut self) -> bool {
        while let Some(offset) = self.rest.find('(') {
            self.skip(offset);
            if self.rest[1..].trim_start_matches(is_white).starts_with(';') {
                return true;
            }
            self.skip(1);
        }
        self.skip(self.rest.len());
        false
    }

    /// Goes behind the next `(` that starts a game, though a `;` may be missing, and says where it is. After a damaged
    /// game only a node with properties of a first node tells a game from a variation of the damaged one.
    pub(super) fn find_damaged_game(&mut self, is_after_another: bool) -> Option<Location> {
        loop {
            self.skip(self.rest.find('(').unwrap_or(self.rest.len()));
            let open = self.here;
            if self.rest.is_empty() {
                return None;
            }
            self.skip(1);
            let after = self.rest.trim_start_matches(is_white);
            let starts_node = after.starts_with(';') || starts_with_property(after);
            if starts_node && (!is_after_another || self.is_before_first_node()) {
                return Some(open);
            }
        }
    }

    /// Whether the next node has a property that only the first node of a game has, among its first few.
    pub(super) fn is_before_first_node(&self) -> bool {
        /// Enough for these, which stand first; a limit, so that files of parentheses alone take no time.
        const LOOKED_AT: usize = 256;
        let end = (0..=LOOKED_AT.min(self.rest.len())).rev().find(|&end| self.rest.is_char_boundary(end));
        let mut ahead = Lexer::new(&self.rest[..end.unwrap_or(0)]);
        let mut is_in_node = false;
        loop {
            match ahead.next().0 {
                Token::Semicolon if !is_in_node => is_in_node = true,
                Token::Name("GM" | "FF" | "SZ") => return true,
                Token::Name(_) | Token::Value(_) => is_in_node = true,
                _ => return false,
            }
        }
    }

    /// The next token and where it starts.
    pub(super) fn next(&mut self) -> (Token<'a>, Location) {
        let white = self.rest.len() - self.rest.trim_start_matches(is_white).len();
        self.skip(white);
        let start = self.here;
        let rest = self.rest;
        let (token, length) = match rest.chars().next() {
            None => (Token::End, 0),
            Some('(') => (Token::Open, 1),
            Some(')') => (Token::Close, 1),
            Some(';') => (Token::Semicolon, 1),
            Some('[') => match end_of_value(rest) {
                Some(end) => (Token::Value(&rest[1..end]), end + 1),
                None => (Token::UnendedValue, rest.len()),
            },
            Some(c) if c.is_ascii_alphabetic() => {
                let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                (Token::Name(&rest[..length]), length)
            }
            Some(c) => (Token::Stray(c), c.len_utf8()),
        };
        self.skip(length);
        (token, start)
    }

    /// Where the next token would be looked for.
    pub(super) fn here(&self) -> Location {
        self.here
    }

    /// Bytes of the text before it.
    pub(super) fn offset(&self) -> usize {
        self.length - self.rest.len()
    }

    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at(bytes);
        for c in skipped.chars() {
            match c {
                // The second half of a line end that was counted already.
                '\n' if self.after_return => {}
                '\n' | '\r' => {
                    self.here = Location { line: self.here.line + 1, column: 1 };
                }
                _ => self.here.column += 1,
            }
            self.after_return = c == '\r';
        }
        self.rest = rest;
    }
}

/// Whether this is a name in capitals with a value behind it.
fn starts_with_property(text: &str) -> bool {
    let value = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    value.len() < text.len() && value.starts_with('[')
}

/// White space between tokens. Some programs pad files with zero bytes.
fn is_white(c: char) -> bool {
    c.is_whitespace() || c == '\0' || c == '\u{feff}'
}

/// Where the `]` is that ends the value at the start of `text`.
fn end_of_value(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b']' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}
