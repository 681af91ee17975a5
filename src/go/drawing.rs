//! Text drawings of positions.

use super::Size;
use super::geometry::column_letter;
use super::handicap::star_points;
use super::position::Position;
use crate::base::game::{Move, Player};
use std::fmt::{self, Write};

impl fmt::Display for Position {
    /// Writes the board as text, the top row first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&board(self.size(), |mv| match stone_on(self, mv) {
            Some(Player::Black) => 'X',
            Some(Player::White) => 'O',
            None => '.',
        }))
    }
}

fn stone_on(position: &Position, mv: Move) -> Option<Player> {
    let board = position.board();
    board.stone_at(board.geometry().points[mv.index()])
}

/// The style of a drawn board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoardStyle {
    /// Letters and dots.
    #[default]
    Plain,
    /// ANSI colours: stones on a wooden background.
    Colours {
        /// True to draw stones as circles, false to draw letters.
        has_circles: bool,
    },
}

/// Returns the board with star points and the last move in parentheses, the top row first, without a final line break.
///
/// `mean_for_black` returns the ownership of a point, from -1 (White) to 1 (Black); only coloured drawings mark it.
#[must_use]
pub fn draw_board(
    position: &Position,
    last: Option<Move>,
    style: BoardStyle,
    mean_for_black: Option<&dyn Fn(Move) -> f64>,
) -> String {
    let size = position.size();
    let stars = star_points(size);
    let mut text = String::new();
    for row in (0..size.rows()).rev() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{:2} ", row + 1);
        let mut brush = RowWriter::new(&mut text, style);
        let mut left = None;
        for column in 0..size.columns() {
            let Some(mv) = size.move_at(column, row) else { continue };
            brush.write_gap(last, left, Some(mv));
            left = Some(mv);
            let owned = mean_for_black.map_or(0.0, |mean| mean(mv));
            brush.write_point(stone_on(position, mv), stars.contains(&mv), owned);
        }
        brush.write_gap(last, left, None);
        text.push_str(if style == BoardStyle::Plain { "\n" } else { "\x1b[0m\n" });
    }
    text.push_str("   ");
    for column in 0..size.columns() {
        let _ = write!(text, " {}", column_letter(column));
    }
    text
}

// Indices in the 256-colour palette of terminals.
const WOOD: u8 = 179;
const BLACK: u8 = 16;
const WHITE: u8 = 231;
const LINE: u8 = 94;
const MARK: u8 = 124;

/// Writer of one row of a board.
struct RowWriter<'t> {
    text: &'t mut String,
    style: BoardStyle,
    /// The current text colour; `None` before the first character.
    colour: Option<u8>,
}

impl<'t> RowWriter<'t> {
    fn new(text: &'t mut String, style: BoardStyle) -> RowWriter<'t> {
        if style != BoardStyle::Plain {
            let _ = write!(text, "\x1b[48;5;{WOOD}m");
        }
        RowWriter { text, style, colour: None }
    }

    fn put(&mut self, colour: u8, symbol: char) {
        if self.style != BoardStyle::Plain && self.colour.replace(colour) != Some(colour) {
            let _ = write!(self.text, "\x1b[38;5;{colour}m");
        }
        self.text.push(symbol);
    }

    /// Writes the character between two points, or at the start or end of a row.
    fn write_gap(&mut self, last: Option<Move>, left: Option<Move>, right: Option<Move>) {
        if last.is_some() && last == right {
            self.put(MARK, '(');
        } else if last.is_some() && last == left {
            self.put(MARK, ')');
        } else if right.is_some() || self.style != BoardStyle::Plain {
            // Plain rows have no trailing space.
            self.text.push(' ');
        }
    }

    /// Writes a point; `owned` is its ownership, from -1 (White) to 1 (Black).
    fn write_point(&mut self, stone: Option<Player>, is_star: bool, owned: f64) {
        let BoardStyle::Colours { has_circles } = self.style else {
            return self.text.push(letter(stone, is_star));
        };
        let colour = |is_black: bool| if is_black { BLACK } else { WHITE };
        let either = |circle: char, letter: char| if has_circles { circle } else { letter };
        match stone {
            Some(player) => {
                let is_black = player == Player::Black;
                let is_lost = if is_black { owned <= -MIN_OWNED } else { owned >= MIN_OWNED };
                let letter = letter(stone, is_star);
                let symbol =
                    if is_lost { either('×', letter.to_ascii_lowercase()) } else { either('●', letter) };
                self.put(colour(is_black), symbol);
            }
            None if owned.abs() >= MIN_OWNED => self.put(colour(owned > 0.0), either('■', '#')),
            None if owned.abs() >= MIN_LEANING => self.put(colour(owned > 0.0), either('▪', '-')),
            None => self.put(LINE, if is_star { '+' } else { either('·', '.') }),
        }
    }
}

fn letter(stone: Option<Player>, is_star: bool) -> char {
    match stone {
        Some(Player::Black) => 'X',
        Some(Player::White) => 'O',
        None if is_star => '+',
        None => '.',
    }
}

/// Minimum absolute ownership of a point drawn as owned.
const MIN_OWNED: f64 = 0.7;
/// Minimum absolute ownership of a point drawn as leaning to a player.
const MIN_LEANING: f64 = 0.25;

/// Returns the ownership of each point as text, the top row first: `X` Black, `O` White, `x` leaning to Black, `o` leaning
/// to White, `.` open. `mean_for_black` returns the ownership from -1 (White) to 1 (Black).
#[must_use]
pub fn draw_territory(size: Size, mean_for_black: impl Fn(Move) -> f64) -> String {
    board(size, |mv| match mean_for_black(mv) {
        mean if mean >= MIN_OWNED => 'X',
        mean if mean >= MIN_LEANING => 'x',
        mean if mean <= -MIN_OWNED => 'O',
        mean if mean <= -MIN_LEANING => 'o',
        _ => '.',
    })
}

/// Returns one character per point with coordinates, without a final line break.
fn board(size: Size, symbol: impl Fn(Move) -> char) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for row in (0..size.rows()).rev() {
        let _ = write!(text, "{:2} ", row + 1);
        for column in 0..size.columns() {
            let _ = write!(text, " {}", symbol(Move((row * size.columns() + column) as u16)));
        }
        text.push('\n');
    }
    text.push_str("   ");
    for column in 0..size.columns() {
        let _ = write!(text, " {}", column_letter(column));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Komi, Rules};

    #[test]
    fn a_picture_marks_star_points_and_the_last_move() {
        let size = Size::new(7, 7).expect("a size");
        let at = |name| size.parse_vertex(name).expect("a point");
        let stones = [(Player::Black, at("A1")), (Player::White, at("G1")), (Player::Black, at("D4"))];
        let position = Position::with_stones(size, Rules::CHINESE, Komi(15), &stones, Player::White);
        let position = position.expect("a legal position");
        let plain = |last| draw_board(&position, last, BoardStyle::Plain, None);
        assert!(plain(None).contains(" 3  . . + . + . .\n"), "{}", plain(None));
        assert!(plain(Some(at("D4"))).contains(" 4  . . .(X). . .\n"));
        assert!(plain(Some(at("A1"))).contains(" 1 (X). . . . . O\n"));
        assert!(plain(Some(at("G1"))).ends_with(" 1  X . . . . .(O)\n    A B C D E F G"));
        assert!(!plain(Some(size.pass())).contains('('));
    }

    #[test]
    fn colours_draw_the_same_board() {
        let size = Size::new(7, 7).expect("a size");
        let position = Position::new(size, Rules::CHINESE, Komi(15));
        let style = BoardStyle::Colours { has_circles: true };
        let coloured = draw_board(&position, None, style, Some(&|mv| if mv.0 == 0 { 1.0 } else { 0.0 }));
        let mut inside = false;
        let bare: String = coloured
            .chars()
            .filter(|&symbol| {
                let was_inside = inside;
                inside = if inside { symbol != 'm' } else { symbol == '\x1b' };
                !was_inside && !inside
            })
            .collect();
        let lines: Vec<&str> = bare.lines().map(str::trim_end).collect();
        assert_eq!(lines[0], " 7  · · · · · · ·");
        assert_eq!((lines[4], lines[6]), (" 3  · · + · + · ·", " 1  ■ · · · · · ·"));
    }

    #[test]
    fn territory_has_five_symbols_and_coordinates() {
        let size = Size::new(3, 2).expect("a size");
        let means = [1.0, 0.3, 0.0, -0.2, -0.5, -0.9];
        let text = draw_territory(size, |mv| means[mv.index()]);
        assert_eq!(text, " 2  . o O\n 1  X x .\n    A B C");
    }
}
