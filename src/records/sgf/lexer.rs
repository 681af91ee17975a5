//! Text to tokens, each with its place.

use super::error::Location;

/// A token of the grammar, or the text found in its place.
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
    /// The text between `[` and `]`, escapes included.
    Value(&'a str),
    /// A value without its `]`.
    UnendedValue,
    /// A character that starts no token.
    Stray(char),
    /// The end of the text.
    End,
}

/// A cursor in the text that tracks line and column.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    /// Length of the whole text in bytes.
    length: usize,
    here: Location,
    after_return: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { rest: text, length: text.len(), here: Location::START, after_return: false }
    }

    /// Goes to the next `(` that a `;` follows, white space between them allowed; other text may surround games, such
    /// as the headers of a mail. Returns `false` if there is none.
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

    /// Goes behind the next `(` that starts a game, even without its `;`, and returns the place of the `(`. After a
    /// damaged game only a node with properties of a first node counts, since it cannot be a variation of the damaged
    /// game.
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

    /// Returns true if one of the first properties of the next node is one that only the first node of a game has.
    pub(super) fn is_before_first_node(&self) -> bool {
        /// Maximum number of bytes examined: these properties stand first, and without a limit a file of parentheses
        /// takes quadratic time.
        const MAX_LOOKAHEAD_BYTES: usize = 256;
        let end =
            (0..=MAX_LOOKAHEAD_BYTES.min(self.rest.len())).rev().find(|&end| self.rest.is_char_boundary(end));
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

    /// Returns the next token and its place.
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

    /// Returns the current place.
    pub(super) fn here(&self) -> Location {
        self.here
    }

    /// Returns the number of bytes before the current place.
    pub(super) fn offset(&self) -> usize {
        self.length - self.rest.len()
    }

    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at(bytes);
        for c in skipped.chars() {
            match c {
                // The second half of a line end that is already counted.
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

/// Returns true if the text starts with a name in capitals and the `[` of a value.
fn starts_with_property(text: &str) -> bool {
    let value = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    value.len() < text.len() && value.starts_with('[')
}

/// Returns true for white space between tokens, zero bytes included: some programs pad files with them.
fn is_white(c: char) -> bool {
    c.is_whitespace() || c == '\0' || c == '\u{feff}'
}

/// Returns the byte offset of the `]` that ends the value at the start of `text`.
fn end_of_value(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b']' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}
