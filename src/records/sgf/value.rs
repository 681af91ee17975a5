//! Values of properties. The crate `sgf-parse` reads points, lists and text.
//!
//! The crate receives one value at a time, so that a bad value spoils no other and the crate never builds a tree, which
//! it would drop by recursion and overflow the stack. Rules of Go that it lacks are added here: `tt` may be a pass,
//! points may be off the board, rows count from the top.

use super::error::{Location, excerpt};
use super::game_record::{RecordMove, RecordPoint, UnreadableValue};
use crate::base::game::Player;
use sgf_parse::go::{Move, Point, Prop};
use sgf_parse::{SgfProp, SimpleText, Text};

/// Maximum number of columns or rows: a coordinate is one of 52 letters.
const MAX_SIDE: u8 = 52;

/// Maximum side of a board on which `tt` is also a pass; there it is not a point.
const MAX_TT_PASS_SIDE: u8 = 19;

/// The board of a record.
#[derive(Clone, Copy)]
pub(super) struct Board {
    pub(super) columns: u8,
    pub(super) rows: u8,
}

/// A value and its place.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) at: Location,
    pub(super) raw: &'a str,
}

impl Board {
    fn point(self, point: Point) -> Option<RecordPoint> {
        let on_board = point.x < self.columns && point.y < self.rows;
        on_board.then(|| RecordPoint { column: point.x, row: self.rows - 1 - point.y })
    }

    /// Reads a value of `B` or `W`.
    pub(super) fn place(self, property: &str, value: Value) -> RecordMove {
        let off_board = Point { x: MAX_TT_PASS_SIDE, y: MAX_TT_PASS_SIDE };
        let tt_is_pass = self.columns <= MAX_TT_PASS_SIDE && self.rows <= MAX_TT_PASS_SIDE;
        match Prop::new("B".to_owned(), vec![value.raw.trim().to_owned()]) {
            Prop::B(Move::Pass) => RecordMove::Pass,
            Prop::B(Move::Move(point)) if point == off_board && tt_is_pass => RecordMove::Pass,
            Prop::B(Move::Move(point)) => match self.point(point) {
                Some(point) => RecordMove::Point(point),
                None => RecordMove::Unreadable(Box::new(self.unreadable(property, value))),
            },
            _ => RecordMove::Unreadable(Box::new(self.unreadable(property, value))),
        }
    }

    /// Reads one value of a list of points: a point, or a rectangle such as `aa:cc`. Adds the number of points read to
    /// `spent`, those off the board included.
    pub(super) fn points(
        self,
        property: &str,
        value: Value,
        spent: &mut usize,
    ) -> Result<Vec<RecordPoint>, UnreadableValue> {
        // Some programs write an empty list as `[]`.
        if value.raw.trim().is_empty() {
            return Ok(Vec::new());
        }
        let Prop::AE(points) = Prop::new("AE".to_owned(), vec![value.raw.trim().to_owned()]) else {
            return Err(self.unreadable(property, value));
        };
        *spent += points.len();
        let mut points: Vec<RecordPoint> = points
            .into_iter()
            .map(|point| self.point(point))
            .collect::<Option<_>>()
            .ok_or_else(|| self.unreadable(property, value))?;
        // The crate's set has no order; sorting makes equal files give equal records.
        points.sort_unstable();
        Ok(points)
    }

    fn unreadable(self, property: &str, value: Value) -> UnreadableValue {
        UnreadableValue {
            at: value.at,
            property: property.to_owned(),
            value: excerpt(value.raw),
            board: (self.columns, self.rows),
        }
    }
}

/// Reads a value of `SZ`.
pub(super) fn size(raw: &str) -> Option<Board> {
    match Prop::new("SZ".to_owned(), vec![raw.trim().to_owned()]) {
        Prop::SZ((columns, rows)) if (1..=MAX_SIDE).contains(&columns) && (1..=MAX_SIDE).contains(&rows) => {
            Some(Board { columns, rows })
        }
        _ => None,
    }
}

/// Reads a decimal number; a comma is also accepted as its decimal point.
pub(super) fn real(raw: &str) -> Option<f64> {
    raw.trim().replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}

/// Reads a value of `PL`: the letters of FF\[4\], or the words and numbers of older programs.
pub(super) fn player(raw: &str) -> Option<Player> {
    match raw.trim().to_ascii_lowercase().as_str() {
        "b" | "black" | "1" => Some(Player::Black),
        "w" | "white" | "2" => Some(Player::White),
        _ => None,
    }
}

/// Reads one line of text. Control characters, which could command a terminal, become blanks.
pub(super) fn simple_text(raw: &str) -> String {
    let text = SimpleText { text: raw.to_owned() }.to_string();
    text.replace(char::is_control, " ").trim().to_owned()
}

/// Reads text of several lines; control characters other than line ends become blanks.
pub(super) fn text(raw: &str) -> String {
    let text = Text { text: raw.replace("\r\n", "\n").replace('\r', "\n") }.to_string();
    text.replace(|c: char| c.is_control() && c != '\n', " ")
}
