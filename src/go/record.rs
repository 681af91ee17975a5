//! A game as it was played: a start, moves, and undo.

use super::geometry::Size;
use super::handicap::stones_given;
use super::history_hash::KeyPolicy;
use super::position::{IllegalMove, Position};
use super::rules::{Komi, Rules};
use crate::game::{Game, Move, Player};

/// The start position of a game, the moves made since, and the position they led to.
#[derive(Clone)]
pub struct Record {
    start: Position,
    moves: Vec<(Player, Move)>,
    /// Whose turn it was before each of them: not always its player's.
    turns: Vec<Player>,
    current: Position,
    /// Handicap stones that White is compensated for, where a record says so; `None`: they are counted.
    given_handicap: Option<usize>,
}

impl Record {
    /// A game from the empty board.
    #[must_use]
    pub fn new(size: Size, rules: Rules, komi: Komi) -> Record {
        Record::from_position(Position::new(size, rules, komi))
    }

    /// A game from a position that was set up.
    #[must_use]
    pub fn from_position(start: Position) -> Record {
        Record { current: start.clone(), start, moves: Vec::new(), turns: Vec::new(), given_handicap: None }
    }

    /// The position before the first move.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.current
    }

    /// The moves so far.
    #[must_use]
    pub fn moves(&self) -> &[(Player, Move)] {
        &self.moves
    }

    /// Plays a move of either player, whoever's turn it is.
    ///
    /// # Errors
    /// The rule it would break; nothing is changed then.
    pub fn play(&mut self, player: Player, mv: Move) -> Result<(), IllegalMove> {
        let turn = self.current.to_play();
        if player == turn {
            self.current.try_play(mv)?;
        } else {
            let mut turned = self.current.clone();
            turned.set_to_play(player);
            turned.try_play(mv)?;
            self.current = turned;
        }
        self.moves.push((player, mv));
        self.turns.push(turn);
        self.compensate();
        Ok(())
    }

    /// Sets the number of handicap stones that White is compensated for, whatever stands on the board: 0 for none.
    pub fn set_handicap(&mut self, stones: usize) {
        self.given_handicap = Some(stones);
        self.start.compensate_for(stones);
        self.compensate();
    }

    /// Returns the number of handicap stones that White is compensated for: as it was set, or those that are counted.
    #[must_use]
    pub fn compensated_stones(&self) -> usize {
        self.given_handicap.unwrap_or_else(|| self.handicap())
    }

    /// Gives White what the rules give for the handicap as it is now.
    fn compensate(&mut self) {
        let stones = self.compensated_stones();
        self.current.compensate_for(stones);
    }

    /// Gives the turn to `player`, until the next move.
    pub fn set_to_play(&mut self, player: Player) {
        self.current.set_to_play(player);
    }

    /// Takes the last move back; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let (Some(_), Some(turn)) = (self.moves.pop(), self.turns.pop()) else { return false };
        self.replay(turn);
        true
    }

    /// Makes the present position, in which it is `to_play`'s turn, anew from the start.
    fn replay(&mut self, to_play: Player) {
        let mut position = self.start.clone();
        for (&(player, mv), &turn) in self.moves.iter().zip(&self.turns) {
            position.set_to_play(turn);
            position.set_to_play(player);
            position.play(mv);
        }
        position.set_to_play(to_play);
        self.current = position;
        if !self.moves.is_empty() {
            self.compensate();
        }
    }

    /// Chooses which transpositions share keys. All moves of the record count; what came before its start position
    /// counts only where that had the policy already.
    pub fn set_key_policy(&mut self, policy: KeyPolicy) {
        self.start.set_key_policy(policy);
        self.replay(self.current.to_play());
    }

    /// Changes the komi; moves and history stay.
    pub fn set_komi(&mut self, komi: Komi) {
        self.start.set_komi(komi);
        self.current.set_komi(komi);
    }

    /// The same game by other rules. What White gets for a handicap changes with them: to what they give for the stones
    /// of the record's handicap or, where that has none, for those that are counted.
    ///
    /// # Errors
    /// The first move that is illegal by them.
    pub fn with_rules(&self, rules: Rules) -> Result<Record, (Move, IllegalMove)> {
        let (start, board) = (&self.start, self.start.board());
        let geometry = board.geometry();
        let stones = geometry.points.iter();
        let stones: Vec<(Player, Move)> =
            stones.filter_map(|&point| Some((board.stone_at(point)?, geometry.move_of(point)))).collect();
        let mut position =
            Position::with_stones(start.size(), rules, start.komi(), &stones, start.to_play())?;
        position.set_prisoners(start.prisoners());
        let is_same = rules == start.rules();
        let given_handicap = self.given_handicap.filter(|&stones| is_same || stones > 0);
        if is_same {
            position.set_compensation(start.compensation());
        } else {
            let counted = || stones_given(board.stones().map(usize::from));
            position.compensate_for(given_handicap.unwrap_or_else(counted));
        }
        let mut record = Record { given_handicap, ..Record::from_position(position) };
        record.set_key_policy(start.key_policy());
        for (&(player, mv), &turn) in self.moves.iter().zip(&self.turns) {
            record.set_to_play(turn);
            record.play(player, mv).map_err(|reason| (mv, reason))?;
        }
        record.set_to_play(self.current.to_play());
        Ok(record)
    }

    /// Returns the number of handicap stones: those that Black has set up and placed before White's first stone, if they are
    /// two or more. A single pass of White between them does not end the handicap; two moves of White in a row after
    /// them mean that a position was made by moves, without a handicap. KataGo counts alike
    /// (`BoardHistory::computeNumHandicapStones`).
    #[must_use]
    pub fn handicap(&self) -> usize {
        let [set_up, white] = self.start.board().stones().map(usize::from);
        let stones = set_up + self.placed_before_white();
        if stones >= 2 && white == 0 { stones } else { 0 }
    }

    fn placed_before_white(&self) -> usize {
        let pass = self.current.size().pass();
        let mut placed = 0;
        for (index, &(player, mv)) in self.moves.iter().enumerate() {
            match player {
                Player::Black => placed += usize::from(mv != pass),
                Player::White if self.moves.get(index + 1).is_some_and(|next| next.0 == Player::White) => {
                    return 0;
                }
                Player::White if mv == pass => {}
                Player::White => break,
            }
        }
        placed
    }
}
