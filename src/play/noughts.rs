//! Tic-tac-toe: the smallest complete game, on which the search is tested against exact minimax.

use crate::base::game::{Bounds, Game, Move, Outcome, Player, Prior, Score, Trace};
use crate::base::rng::PlayoutRng;
use crate::base::zobrist::{keys, mix};

/// The eight lines, as sets of cells.
const LINES: [u16; 8] =
    [0b111, 0b111 << 3, 0b111 << 6, 0b1001001, 0b1001001 << 1, 0b1001001 << 2, 0b100010001, 0b1010100];
const FULL: u16 = 0b1_1111_1111;

/// A position: cells 0 to 8, row by row; [`Player::Black`] is X and moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TicTacToe {
    marks: [u16; 2],
    to_play: Player,
    /// See [`Game::set_root_salt`].
    root_salt: u64,
}

impl Default for TicTacToe {
    fn default() -> TicTacToe {
        TicTacToe::new()
    }
}

impl TicTacToe {
    /// Creates the empty board, X to move.
    #[must_use]
    pub fn new() -> TicTacToe {
        TicTacToe { marks: [0; 2], to_play: Player::Black, root_salt: 0 }
    }

    /// Returns the legal moves: none once the game is over.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> + '_ {
        (0..9).map(Move).filter(|&mv| self.terminal_score().is_none() && self.is_legal_ignoring_history(mv))
    }

    /// Returns the player with a mark in a cell.
    #[must_use]
    pub fn mark(&self, cell: usize) -> Option<Player> {
        Player::BOTH.into_iter().find(|player| self.marks[player.index()] >> cell & 1 != 0)
    }

    fn has_line(&self, player: Player) -> bool {
        LINES.iter().any(|line| self.marks[player.index()] & line == *line)
    }
}

impl Game for TicTacToe {
    fn move_count(&self) -> usize {
        9
    }

    fn key(&self) -> u64 {
        let marks = u64::from(self.marks[0]) << 9 | u64::from(self.marks[1]);
        mix(marks ^ (keys().white_to_play * self.to_play.index() as u64)) ^ self.root_salt
    }

    fn key_after(&self, mv: Move) -> u64 {
        let mut next = *self;
        next.play(mv);
        next.key()
    }

    fn set_root_salt(&mut self, salt: u64) {
        self.root_salt = salt;
    }

    fn to_play(&self) -> Player {
        self.to_play
    }

    fn is_over(&self) -> bool {
        self.terminal_score().is_some()
    }

    fn terminal_score(&self) -> Option<Score> {
        if self.has_line(Player::Black) {
            Some(1)
        } else if self.has_line(Player::White) {
            Some(-1)
        } else {
            (self.marks[0] | self.marks[1] == FULL).then_some(0)
        }
    }

    fn score_range(&self) -> Bounds {
        Bounds { lower: -1, upper: 1 }
    }

    fn outcome_for_black(&self, score: Score) -> Outcome {
        match score {
            ..=-1 => Outcome::Loss,
            0 => Outcome::Draw,
            1.. => Outcome::Win,
        }
    }

    fn is_legal_ignoring_history(&self, mv: Move) -> bool {
        mv.0 < 9 && (self.marks[0] | self.marks[1]) >> mv.0 & 1 == 0
    }

    fn is_banned(&self, _: Move) -> bool {
        false
    }

    fn play(&mut self, mv: Move) {
        self.marks[self.to_play.index()] |= 1 << mv.0;
        self.to_play = self.to_play.other();
        self.root_salt = 0;
    }

    fn context_after(&self, _: Move) -> u64 {
        0
    }

    fn counts_for_amaf(&self, _: Move) -> bool {
        true
    }

    fn expand(&self, priors: &mut [Option<Prior>]) {
        for (number, prior) in priors.iter_mut().enumerate() {
            *prior = self.is_legal_ignoring_history(Move(number as u16)).then(Prior::default);
        }
    }

    fn playout(&mut self, rng: &mut PlayoutRng, trace: &mut Trace) -> Score {
        loop {
            if let Some(score) = self.terminal_score() {
                return score;
            }
            let free = !(self.marks[0] | self.marks[1]) & FULL;
            let wanted = rng.below(free.count_ones() as usize);
            let cell = (0..9).filter(|cell| free >> cell & 1 != 0).nth(wanted).unwrap_or(0);
            trace.moves.push((self.to_play, Move(cell)));
            self.play(Move(cell));
        }
    }

    fn loses_stones(&self, _: Move) -> [bool; 2] {
        [false; 2]
    }

    fn has_repetition_rule(&self) -> bool {
        false
    }

    fn permits_proof_for(&self, _: Player) -> bool {
        true
    }

    fn permits_proof_after(&self, _: Move, _: Player) -> bool {
        true
    }

    fn key_with_history(&self) -> u64 {
        self.key()
    }

    fn key_with_history_after(&self, mv: Move) -> u64 {
        self.key_after(mv)
    }
}
