//! What the values of properties say. Points, lists and text are read by the crate `sgf-parse`.
//!
//! Each value is handed over alone, so that one bad value spoils no other, and the crate never sees a
//! whole tree: it drops trees by recursion, which overflows the stack on deep ones. What it does not
//! know of Go is added here: `tt` may be a pass, points may be off the board, rows count from the top.

use super::error::{Location, excerpt};
use super::game_record::{Place, RecordPoint, Unreadable};
use crate::game::Player;
use sgf_parse::go::{Move, Point, Prop};
use sgf_parse::{SgfProp, SimpleText, Text};

/// The largest size that two letters for a point can describe.
const MAX_SIDE: u8 = 52;

/// Sides up to this one write a pass as `tt` too, which is no point there.
const PASS_SIDE: u8 = 19;

/// The board of a record.
#[derive(Clone, Copy)]
pub(super) struct Board {
    pub(super) columns: u8,
    pub(super) rows: u8,
}

/// A value and where it starts.
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

    /// A value of `B` or `W`.
    pub(super) fn place(self, property: &str, value: Value) -> Place {
        let off_board = Point { x: PASS_SIDE, y: PASS_SIDE };
        let tt_is_pass = self.columns <= PASS_SIDE && self.rows <= PASS_SIDE;
        match Prop::new("B".to_owned(), vec![value.raw.trim().to_owned()]) {
            Prop::B(Move::Pass) => Place::Pass,
            Prop::B(Move::Move(point)) if point == off_board && tt_is_pass => Place::Pass,
            Prop::B(Move::Move(point)) => match self.point(point) {
                Some(point) => Place::Point(point),
                None => Place::Unreadable(Box::new(self.unreadable(property, value))),
            },
            _ => Place::Unreadable(Box::new(self.unreadable(property, value))),
        }
    }

    /// The points of one value of a list: one, or a rectangle such as `aa:cc`. `spent` grows by the
    /// points looked at, on the board or not.
    pub(super) fn points(
        self,
        property: &str,
        value: Value,
        spent: &mut usize,
    ) -> Result<Vec<RecordPoint>, Unreadable> {
        // An empty list, as some programs write it.
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
        // The crate's set has no order, but equal files shall give equal records.
        points.sort_unstable();
        Ok(points)
    }

    fn unreadable(self, property: &str, value: Value) -> Unreadable {
        Unreadable {
            at: value.at,
            property: property.to_owned(),
            value: excerpt(value.raw),
            board: (self.columns, self.rows),
        }
    }
}

/// A value of `SZ`.
pub(super) fn size(raw: &str) -> Option<Board> {
    match Prop::new("SZ".to_owned(), vec![raw.trim().to_owned()]) {
        Prop::SZ((columns, rows)) if (1..=MAX_SIDE).contains(&columns) && (1..=MAX_SIDE).contains(&rows) => {
            Some(Board { columns, rows })
        }
        _ => None,
    }
}

/// A decimal number; the comma serves as decimal point in parts of the world.
pub(super) fn real(raw: &str) -> Option<f64> {
    raw.trim().replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}

/// A value of `PL`: the letters of FF\[4\], or the words and numbers of older programs.
pub(super) fn player(raw: &str) -> Option<Player> {
    match raw.trim().to_ascii_lowercase().as_str() {
        "b" | "black" | "1" => Some(Player::Black),
        "w" | "white" | "2" => Some(Player::White),
        _ => None,
    }
}

/// One line of text. What would command a terminal is blank.
pub(super) fn simple_text(raw: &str) -> String {
    let text = SimpleText { text: raw.to_owned() }.to_string();
    text.replace(char::is_control, " ").trim().to_owned()
}

/// Text of several lines; blank as well where it would command a terminal.
pub(super) fn text(raw: &str) -> String {
    let text = Text { text: raw.replace("\r\n", "\n").replace('\r', "\n") }.to_string();
    text.replace(|c: char| c.is_control() && c != '\n', " ")
}
