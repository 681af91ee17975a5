//! The two players, and moves as numbers.

/// One of the two sides. In Go, Black moves first; in tic-tac-toe, `Black` is X.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Player {
    /// The side that moves first in an even game.
    Black,
    /// The other side.
    White,
}

impl Player {
    /// Both players, Black first.
    pub const BOTH: [Player; 2] = [Player::Black, Player::White];

    /// Returns the opponent.
    #[must_use]
    #[inline]
    pub const fn other(self) -> Player {
        match self {
            Player::Black => Player::White,
            Player::White => Player::Black,
        }
    }

    /// Returns `B` or `W`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Player::Black => 'B',
            Player::White => 'W',
        }
    }

    /// Parses a name or the first letter of one, in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Player> {
        let is = |player: Player| {
            text.eq_ignore_ascii_case(&player.to_string())
                || text.eq_ignore_ascii_case(player.letter().encode_utf8(&mut [0]))
        };
        Player::BOTH.into_iter().find(|&player| is(player))
    }

    /// Returns 0 for Black, 1 for White: the index into arrays with one element per player.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl std::fmt::Display for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Player::Black => "black",
            Player::White => "white",
        })
    }
}

/// A move as its number in the game's fixed list of moves, `0..Game::move_count()`.
///
/// In Go: `row * columns + column` with row 0 at the bottom, and `columns * rows` for pass. The table stores only these
/// numbers, so that its files do not depend on the board's inner geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(pub u16);

impl Move {
    /// Returns the number as an index into per-move arrays.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
