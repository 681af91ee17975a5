//! A position as people draw it in text.

use super::geometry::column_letter;
use super::position::Position;
use crate::game::Player;
use std::fmt;

impl fmt::Display for Position {
    /// The board as text, rows from the top.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.size();
        for row in (0..size.rows()).rev() {
            write!(f, "{:2} ", row + 1)?;
            for column in 0..size.columns() {
                let point = self.board().geometry().points[row * size.columns() + column];
                let symbol = match self.board().stone_at(point) {
                    Some(Player::Black) => 'X',
                    Some(Player::White) => 'O',
                    None => '.',
                };
                write!(f, " {symbol}")?;
            }
            writeln!(f)?;
        }
        write!(f, "   ")?;
        for column in 0..size.columns() {
            write!(f, " {}", column_letter(column))?;
        }
        Ok(())
    }
}
