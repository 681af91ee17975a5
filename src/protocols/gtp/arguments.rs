//! Parsing of the arguments of a command.

use super::error::GtpError;
use super::protocol::is_whole_number;
use crate::base::game::{Move, Player};
use crate::go::Size;
use std::str::{FromStr, SplitAsciiWhitespace};

/// The words after a command's name, read from the left. Surplus words are ignored, as by other engines.
pub(super) struct Arguments<'a> {
    rest: &'a str,
    words: SplitAsciiWhitespace<'a>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(rest: &'a str) -> Arguments<'a> {
        Arguments { rest, words: rest.split_ascii_whitespace() }
    }

    /// Returns all arguments as they were written.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Returns the next word, if there is one.
    pub(super) fn next_word(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    /// Returns the next word, or a syntax error if there is none.
    pub(super) fn word(&mut self, expected: &'static str) -> Result<&'a str, GtpError> {
        self.next_word().ok_or_else(|| GtpError::syntax(expected, None))
    }

    /// Returns the next word as a number.
    pub(super) fn number<T: FromStr>(&mut self, expected: &'static str) -> Result<T, GtpError> {
        let word = self.word(expected)?;
        word.parse().map_err(|_| GtpError::syntax(expected, Some(word)))
    }

    /// Returns the next word as a number, if there is one.
    pub(super) fn optional_number<T: FromStr>(
        &mut self,
        expected: &'static str,
    ) -> Result<Option<T>, GtpError> {
        let Some(word) = self.next_word() else { return Ok(None) };
        word.parse().map(Some).map_err(|_| GtpError::syntax(expected, Some(word)))
    }

    /// Returns the next word as the side of a board. A negative or too large whole number is
    /// [`GtpError::UnacceptableSize`], another word a syntax error.
    pub(super) fn side(&mut self, expected: &'static str) -> Result<usize, GtpError> {
        self.optional_side(expected)?.ok_or_else(|| GtpError::syntax(expected, None))
    }

    /// Returns the next word as the side of a board, if there is one.
    pub(super) fn optional_side(&mut self, expected: &'static str) -> Result<Option<usize>, GtpError> {
        match self.next_word() {
            None => Ok(None),
            Some(word) if !is_whole_number(word) => Err(GtpError::syntax(expected, Some(word))),
            Some(word) => word.parse().map(Some).map_err(|_| GtpError::UnacceptableSize),
        }
    }

    /// Returns the next word as a colour.
    pub(super) fn player(&mut self) -> Result<Player, GtpError> {
        self.optional_player()?.ok_or(GtpError::InvalidColor)
    }

    /// Returns the next word as a colour, if there is one.
    pub(super) fn optional_player(&mut self) -> Result<Option<Player>, GtpError> {
        let Some(word) = self.next_word() else { return Ok(None) };
        Player::parse(word).map(Some).ok_or(GtpError::InvalidColor)
    }

    /// Returns the next two words as a colour and a vertex.
    pub(super) fn player_and_vertex(&mut self, size: Size) -> Result<(Player, Move), GtpError> {
        let player = self.player().map_err(|_| GtpError::InvalidColorOrCoordinate)?;
        let vertex = self.next_word().and_then(|word| size.parse_vertex(word));
        Ok((player, vertex.ok_or(GtpError::InvalidColorOrCoordinate)?))
    }
}
