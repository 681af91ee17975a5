//! A position as people draw it in text.

use super::Size;
use super::geometry::column_letter;
use super::position::Position;
use crate::game::{Move, Player};
use std::fmt::{self, Write};

impl fmt::Display for Position {
    /// The board as text, rows from the top.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&board(self.size(), |mv| {
            let point = self.board().geometry().points[mv.index()];
            match self.board().stone_at(point) {
                Some(Player::Black) => 'X',
                Some(Player::White) => 'O',
                None => '.',
            }
        }))
    }
}

/// Owned so much, and more, is drawn as owned.
const OWNED: f64 = 0.7;
/// Owned so much is drawn as leaning to a player.
const LEANING: f64 = 0.25;

/// Whose each point becomes, as text, rows from the top: `X` Black's and `O` White's, `x` and `o` rather so, `.` open.
/// `mean_for_black` is from -1 for White to 1 for Black.
#[must_use]
pub fn territory(size: Size, mean_for_black: impl Fn(Move) -> f64) -> String {
    board(size, |mv| match mean_for_black(mv) {
        mean if mean >= OWNED => 'X',
        mean if mean >= LEANING => 'x',
        mean if mean <= -OWNED => 'O',
        mean if mean <= -LEANING => 'o',
        _ => '.',
    })
}

/// A character a point, with coordinates; no line break at the end.
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

    #[test]
    fn territory_has_five_symbols_and_coordinates() {
        let size = Size::new(3, 2).expect("a size");
        let means = [1.0, 0.3, 0.0, -0.2, -0.5, -0.9];
        let text = territory(size, |mv| means[mv.index()]);
        assert_eq!(text, " 2  . o O\n 1  X x .\n    A B C");
    }
}
