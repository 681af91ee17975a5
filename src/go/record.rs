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
        Record { current: start.clone(), start, moves: Vec::new(), turns: Vec::new() }
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
        Ok(())
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
    /// that were set up.
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
        if rules == start.rules() {
            position.set_compensation(start.compensation());
        } else {
            position.compensate_for(stones_given(board.stones().map(usize::from)));
        }
        let mut record = Record::from_position(position);
        record.set_key_policy(start.key_policy());
        for (&(player, mv), &turn) in self.moves.iter().zip(&self.turns) {
            record.set_to_play(turn);
            record.play(player, mv).map_err(|reason| (mv, reason))?;
        }
        record.set_to_play(self.current.to_play());
        Ok(record)
    }

    /// Number of stones Black placed before White's first move, when there are at least two of them:
    /// what servers and GUIs mean by a handicap, however they placed it.
    #[must_use]
    pub fn handicap(&self) -> usize {
        let pass = self.current.size().pass();
        let set_up = usize::from(self.start.board().stones()[0]);
        let placed =
            self.moves.iter().take_while(|&&(player, mv)| player == Player::Black && mv != pass).count();
        if set_up + placed >= 2 && self.start.board().stones()[1] == 0 { set_up + placed } else { 0 }
    }
}
