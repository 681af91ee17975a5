//! The rules of Go as one would explain them: lists of cells, flood fill, comparison of whole boards.
//!
//! Cells are numbered like moves, `row * columns + column`. No derived data is stored: every answer is computed from
//! the cells.

use std::collections::BTreeSet;
use tewari::base::game::Player;
use tewari::go::position::IllegalMove;
use tewari::go::{KoRule, Rules};

/// Stones on a board.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NaiveBoard {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) cells: Vec<Option<Player>>,
}

/// The result of placing a stone.
pub(crate) struct NaivePlay {
    /// The board after captures.
    pub(crate) board: NaiveBoard,
    /// The captured stones of the opponent, in order.
    pub(crate) captured: Vec<usize>,
    /// The player's own stones removed for lack of liberties, the new one included, in order.
    pub(crate) suicides: Vec<usize>,
    /// The point at which the opponent's recapture would restore the board.
    pub(crate) ko: Option<usize>,
}

impl NaiveBoard {
    pub(crate) fn new(columns: usize, rows: usize) -> NaiveBoard {
        NaiveBoard { columns, rows, cells: vec![None; columns * rows] }
    }

    /// Reads `X`, `O` (or `#`, `o`) and `.`, rows from the top; ignores other characters.
    pub(crate) fn from_drawing(columns: usize, rows: usize, drawing: &str) -> NaiveBoard {
        let mut board = NaiveBoard::new(columns, rows);
        let symbols = drawing.chars().filter(|symbol| "XO#o.".contains(*symbol));
        let mut count = 0;
        for (place, symbol) in symbols.enumerate() {
            let (row, column) = (rows - 1 - place / columns, place % columns);
            board.cells[row * columns + column] = match symbol {
                'X' | '#' => Some(Player::Black),
                'O' | 'o' => Some(Player::White),
                _ => None,
            };
            count += 1;
        }
        assert_eq!(count, columns * rows, "{drawing}");
        board
    }

    /// Returns the cell at a signed distance; `None` off the board.
    fn step(&self, at: usize, right: isize, up: isize) -> Option<usize> {
        let column = (at % self.columns).checked_add_signed(right)?;
        let row = (at / self.columns).checked_add_signed(up)?;
        (column < self.columns && row < self.rows).then_some(row * self.columns + column)
    }

    /// Returns the eight surrounding cells: above, below, right, left, above right, below left, above left, below
    /// right; `None` off the board.
    pub(crate) fn around(&self, at: usize) -> [Option<usize>; 8] {
        [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (-1, 1), (1, -1)]
            .map(|(right, up)| self.step(at, right, up))
    }

    pub(crate) fn neighbours(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        self.around(at).into_iter().take(4).flatten()
    }

    fn diagonals(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        self.around(at).into_iter().skip(4).flatten()
    }

    /// Returns the connected cells with the same contents as `at`, and the cells next to them with other contents.
    fn flood(&self, at: usize) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let (mut inside, mut beside) = (BTreeSet::from([at]), BTreeSet::new());
        let mut open = vec![at];
        while let Some(cell) = open.pop() {
            for neighbour in self.neighbours(cell) {
                if self.cells[neighbour] != self.cells[at] {
                    beside.insert(neighbour);
                } else if inside.insert(neighbour) {
                    open.push(neighbour);
                }
            }
        }
        (inside, beside)
    }

    /// Returns the chain of the stone at `at` and its liberties, both in order.
    pub(crate) fn group(&self, at: usize) -> (Vec<usize>, Vec<usize>) {
        assert!(self.cells[at].is_some(), "no stone there");
        let (stones, beside) = self.flood(at);
        let liberties = beside.into_iter().filter(|&cell| self.cells[cell].is_none());
        (stones.into_iter().collect(), liberties.collect())
    }

    /// Places a stone; returns the board, the captured stones and the player's own removed stones.
    fn place(&self, at: usize, player: Player) -> (NaiveBoard, Vec<usize>, Vec<usize>) {
        assert_eq!(self.cells[at], None, "occupied");
        let mut board = self.clone();
        board.cells[at] = Some(player);
        let mut captured = BTreeSet::new();
        for neighbour in board.neighbours(at) {
            if board.cells[neighbour] == Some(player.other()) {
                let (stones, liberties) = board.group(neighbour);
                if liberties.is_empty() {
                    captured.extend(stones);
                }
            }
        }
        for &stone in &captured {
            board.cells[stone] = None;
        }
        let (stones, liberties) = board.group(at);
        let suicides = if liberties.is_empty() { stones } else { Vec::new() };
        for &stone in &suicides {
            board.cells[stone] = None;
        }
        (board, captured.into_iter().collect(), suicides)
    }

    /// Returns the result of `player`'s move on the empty cell `at`.
    pub(crate) fn play(&self, at: usize, player: Player) -> NaivePlay {
        let (board, captured, suicides) = self.place(at, player);
        let ko = match captured[..] {
            [stone] if board.place(stone, player.other()).0 == *self => Some(stone),
            _ => None,
        };
        NaivePlay { board, captured, suicides, ko }
    }

    /// Returns true for a one-point eye by the definition of light playouts: all neighbours are `player`'s, and the
    /// opponent has at most one diagonal, none at the edge.
    pub(crate) fn is_eye(&self, at: usize, player: Player) -> bool {
        let at_edge = self.neighbours(at).count() < 4;
        let enemies = self.diagonals(at).filter(|&cell| self.cells[cell] == Some(player.other())).count();
        self.neighbours(at).all(|cell| self.cells[cell] == Some(player)) && enemies <= usize::from(!at_edge)
    }

    pub(crate) fn count(&self, player: Player) -> usize {
        self.cells.iter().filter(|&&cell| cell == Some(player)).count()
    }

    /// Returns Black's area minus White's: stones, and empty points that reach only stones of one colour.
    pub(crate) fn area_score(&self) -> i32 {
        let owner = |at: usize| {
            if self.cells[at].is_some() {
                return self.cells[at];
            }
            let reached: BTreeSet<_> = self.flood(at).1.into_iter().map(|cell| self.cells[cell]).collect();
            if reached.len() == 1 { reached.into_iter().next().flatten() } else { None }
        };
        (0..self.cells.len())
            .map(|at| match owner(at) {
                Some(Player::Black) => 1,
                Some(Player::White) => -1,
                None => 0,
            })
            .sum()
    }

    /// Returns the board as `X`, `O` and `.`, rows from the top, without line breaks.
    pub(crate) fn drawing(&self) -> String {
        let symbol = |cell: &Option<Player>| match cell {
            Some(Player::Black) => 'X',
            Some(Player::White) => 'O',
            None => '.',
        };
        self.cells.chunks(self.columns).rev().flatten().map(symbol).collect()
    }
}

/// A game with its whole history.
#[derive(Clone)]
pub(crate) struct NaiveGame {
    pub(crate) rules: Rules,
    pub(crate) board: NaiveBoard,
    pub(crate) to_play: Player,
    pub(crate) ko: Option<usize>,
    pub(crate) passes: u8,
    /// Stones captured by Black and by White; a suicide counts for the opponent.
    pub(crate) prisoners: [u32; 2],
    /// Every position so far, the present one included, with the player to move.
    pub(crate) history: Vec<(NaiveBoard, Player)>,
}

impl NaiveGame {
    pub(crate) fn new(board: NaiveBoard, to_play: Player, rules: Rules) -> NaiveGame {
        let history = vec![(board.clone(), to_play)];
        NaiveGame { rules, board, to_play, ko: None, passes: 0, prisoners: [0; 2], history }
    }

    /// Returns true if `board` repeats a position that the superko rule forbids to repeat.
    pub(crate) fn repeats(&self, board: &NaiveBoard) -> bool {
        self.history.iter().any(|(earlier, to_play)| match self.rules.ko {
            KoRule::Simple => false,
            KoRule::Positional => earlier == board,
            KoRule::Situational => earlier == board && *to_play == self.to_play.other(),
        })
    }

    /// Checks that the player to move may place a stone at `at`.
    pub(crate) fn check(&self, at: usize) -> Result<(), IllegalMove> {
        if self.board.cells[at].is_some() {
            return Err(IllegalMove::Occupied);
        }
        let play = self.board.play(at, self.to_play);
        if !play.suicides.is_empty() && !self.rules.suicide {
            Err(IllegalMove::Suicide)
        } else if self.ko == Some(at) {
            Err(IllegalMove::Ko)
        } else if self.repeats(&play.board) {
            Err(IllegalMove::Superko)
        } else {
            Ok(())
        }
    }

    /// Places a stone at `at`, or passes.
    pub(crate) fn play(&mut self, at: Option<usize>) {
        let player = self.to_play;
        self.ko = None;
        self.passes += 1;
        if let Some(at) = at {
            let play = self.board.play(at, player);
            self.prisoners[player.index()] += play.captured.len() as u32;
            self.prisoners[player.other().index()] += play.suicides.len() as u32;
            (self.board, self.ko, self.passes) = (play.board, play.ko, 0);
        }
        self.to_play = player.other();
        self.history.push((self.board.clone(), self.to_play));
    }

    /// Gives the turn to the other player without a move.
    pub(crate) fn turn(&mut self) {
        self.to_play = self.to_play.other();
        self.ko = None;
        if self.passes == 1 {
            self.passes = 0;
        }
        self.history.push((self.board.clone(), self.to_play));
    }

    /// Returns the set of positions that superko compares: boards, for situational superko with the player to move;
    /// empty under the simple ko rule.
    pub(crate) fn forbidden(&self) -> BTreeSet<(NaiveBoard, Option<Player>)> {
        let as_seen = |(board, to_play): &(NaiveBoard, Player)| match self.rules.ko {
            KoRule::Simple => None,
            KoRule::Positional => Some((board.clone(), None)),
            KoRule::Situational => Some((board.clone(), Some(*to_play))),
        };
        self.history.iter().filter_map(as_seen).collect()
    }
}
