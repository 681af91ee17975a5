//! Values of properties: points, rectangles, sizes, numbers and text of FF\[4\], and forms that other programs write.
//!
//! Source: A. Hollosi, "SGF File Format FF\[4\]", <https://www.red-bean.com/sgf/>.

use super::error::{Location, excerpt};
use super::game_record::{RecordMove, RecordPoint, UnreadableValue};
use crate::base::game::Player;

/// Maximum number of columns or rows: a coordinate is one of 52 letters.
const MAX_SIDE: u8 = 52;

/// Maximum side of a board on which `tt` is also a pass; there it is not a point.
const MAX_TT_PASS_SIDE: u8 = 19;

/// The board of a record.
#[derive(Clone, Copy)]
pub(super) struct RecordBoard {
    pub(super) columns: u8,
    pub(super) rows: u8,
}

/// A value and its place.
#[derive(Clone, Copy)]
pub(super) struct PropertyValue<'a> {
    pub(super) at: Location,
    pub(super) raw: &'a str,
}

impl RecordBoard {
    /// Reads a value of `B` or `W`.
    pub(super) fn place(self, property: &str, value: PropertyValue) -> RecordMove {
        let raw = value.raw.trim();
        let tt_is_pass = self.columns <= MAX_TT_PASS_SIDE && self.rows <= MAX_TT_PASS_SIDE;
        if raw.is_empty() || raw == "tt" && tt_is_pass {
            return RecordMove::Pass;
        }
        match self.point(raw) {
            Some(point) => RecordMove::Point(point),
            None => RecordMove::Unreadable(Box::new(self.unreadable(property, value))),
        }
    }

    /// Reads one value of a list of points: a point, or a rectangle such as `aa:cc`. Adds the number of points read to
    /// `spent`, those off the board included.
    pub(super) fn points(
        self,
        property: &str,
        value: PropertyValue,
        spent: &mut usize,
    ) -> Result<Vec<RecordPoint>, UnreadableValue> {
        let raw = value.raw.trim();
        // Some programs write an empty list as `[]`.
        if raw.is_empty() {
            return Ok(Vec::new());
        }
        let corners = match raw.split_once(':') {
            Some((one, other)) => (coordinates(one), coordinates(other)),
            None => (coordinates(raw), coordinates(raw)),
        };
        let (Some(one), Some(other)) = corners else { return Err(self.unreadable(property, value)) };
        let [columns, rows] = [0, 1].map(|axis| one[axis].min(other[axis])..=one[axis].max(other[axis]));
        *spent += columns.len() * rows.len();
        let points = rows.flat_map(|row| columns.clone().map(move |column| [column, row]));
        let mut points: Vec<RecordPoint> = points
            .map(|at| self.on_board(at))
            .collect::<Option<_>>()
            .ok_or_else(|| self.unreadable(property, value))?;
        points.sort_unstable();
        Ok(points)
    }

    fn point(self, raw: &str) -> Option<RecordPoint> {
        self.on_board(coordinates(raw)?)
    }

    /// Returns the point in a column from the left and a row from the top, both from 0; `None` if it is off the board.
    fn on_board(self, [column, row]: [u8; 2]) -> Option<RecordPoint> {
        let on_board = column < self.columns && row < self.rows;
        on_board.then(|| RecordPoint { column, row: self.rows - 1 - row })
    }

    fn unreadable(self, property: &str, value: PropertyValue) -> UnreadableValue {
        UnreadableValue {
            at: value.at,
            property: property.to_owned(),
            value: excerpt(value.raw),
            board: (self.columns, self.rows),
        }
    }
}

/// Reads two letters as column and row, from 0: `a` to `z`, then `A` to `Z`.
fn coordinates(raw: &str) -> Option<[u8; 2]> {
    let number = |letter: u8| match letter {
        b'a'..=b'z' => Some(letter - b'a'),
        b'A'..=b'Z' => Some(letter - b'A' + 26),
        _ => None,
    };
    let &[column, row] = raw.as_bytes() else { return None };
    Some([number(column)?, number(row)?])
}

/// Reads a value of `SZ`.
pub(super) fn size(raw: &str) -> Option<RecordBoard> {
    let (columns, rows) = raw.split_once(':').unwrap_or((raw, raw));
    let side = |text: &str| text.trim().parse().ok().filter(|side| (1..=MAX_SIDE).contains(side));
    Some(RecordBoard { columns: side(columns)?, rows: side(rows)? })
}

/// Reads a decimal number; a comma is also accepted as its decimal point.
pub(super) fn real(raw: &str) -> Option<f64> {
    raw.trim().replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}

/// Reads a komi: a number, which points (also 目, 点) or Chinese stones of two points (子) may follow, and a half (半).
pub(super) fn komi(raw: &str) -> Option<f64> {
    let text = raw.trim().to_ascii_lowercase();
    let (text, half) = text.strip_suffix('半').map_or((text.as_str(), 0.0), |text| (text, 0.5));
    let units =
        [("points", 1.0), ("point", 1.0), ("目", 1.0), ("点", 1.0), ("點", 1.0), ("子", 2.0), ("", 1.0)];
    let (number, unit) = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let number = real(number).or_else(|| mixed_number(number))?;
    Some(unit * (number + half))
}

/// Reads a handicap: a whole number, which stones (also 子) may follow.
pub(super) fn handicap(raw: &str) -> Option<u32> {
    let text = raw.trim().to_ascii_lowercase();
    let units = ["stones", "stone", "子", ""];
    let number = units.iter().find_map(|unit| text.strip_suffix(unit))?;
    number.trim().parse().ok().or_else(|| numeral(number))
}

/// Reads a numeral, and a fraction that may follow it after 又: 3又3/4 is 3.75, as is 三又四分之三.
fn mixed_number(text: &str) -> Option<f64> {
    let (whole, fraction) = text.split_once('又').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let whole_number = |text: &str| text.trim().parse().ok().or_else(|| numeral(text)).map(f64::from);
    let whole = whole_number(whole)?;
    let Some(fraction) = fraction else { return Some(whole) };
    let parts = fraction.split_once('/').or_else(|| fraction.split_once("分之").map(|(of, n)| (n, of)));
    let (numerator, denominator) = parts?;
    let (numerator, denominator) = (whole_number(numerator)?, whole_number(denominator)?);
    (numerator < denominator).then_some(whole + numerator / denominator)
}

/// Reads a numeral from 0 to 99 in Chinese characters.
fn numeral(text: &str) -> Option<u32> {
    let digit = |text: &str| {
        let mut characters = text.chars();
        let (first, rest) = (characters.next()?, characters.next());
        let number = match first {
            '〇' => 0,
            '两' | '兩' => 2,
            _ => "零一二三四五六七八九".chars().position(|numeral| numeral == first)?,
        };
        rest.is_none().then_some(number as u32)
    };
    let text = text.trim();
    let Some((tens, ones)) = text.split_once('十') else { return digit(text) };
    let tens = if tens.is_empty() { 1 } else { digit(tens)? };
    Some(10 * tens + if ones.is_empty() { 0 } else { digit(ones)? })
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
    text(raw).replace('\n', " ").trim().to_owned()
}

/// Reads text of several lines: a backslash keeps the next character, and removes a line end. Control characters other than
/// line ends become blanks.
pub(super) fn text(raw: &str) -> String {
    let raw = raw.replace("\r\n", "\n").replace('\r', "\n");
    let mut text = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        let kept =
            if character == '\\' { characters.next().filter(|&next| next != '\n') } else { Some(character) };
        text.extend(kept.map(|c| if c.is_control() && c != '\n' { ' ' } else { c }));
    }
    text
}
