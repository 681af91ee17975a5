//! A game record: a start position, moves and undo.
//!
//! Setup between moves begins a new part of the record. The earlier parts are kept for undo and for saved games; moves
//! and positions are those of the last part, unless a summary says otherwise.

use super::geometry::Size;
use super::handicap::stones_given;
use super::key_policy::KeyPolicy;
use super::position::{IllegalMove, Position};
use super::rules::{Komi, Rules};
use crate::base::game::{Game, Move, Player};

/// A game: a start position, moves and the current position, in one part or in several.
#[derive(Clone)]
pub struct Record {
    /// The parts before the last one, oldest first. A list, not a chain of boxes: a record may have any number of parts.
    earlier: Vec<Box<RecordPart>>,
    last: RecordPart,
}

/// The moves of a record from its start, or from a setup between moves, to the next setup.
#[derive(Clone)]
pub struct RecordPart {
    start: Position,
    moves: Vec<(Player, Move)>,
    /// The player to move before each move, which the opponent may have played.
    turns: Vec<Player>,
    current: Position,
    /// Handicap stones that White is compensated for, if set; `None` to count them.
    given_handicap: Option<usize>,
    /// True if `start` lacks the stone that the first move replaces.
    replaces_stone: bool,
}

impl Record {
    /// Creates a game from the empty board.
    #[must_use]
    pub fn new(size: Size, rules: Rules, komi: Komi) -> Record {
        Record::from_position(Position::new(size, rules, komi))
    }

    /// Creates a game from a setup position.
    #[must_use]
    pub fn from_position(start: Position) -> Record {
        Record { earlier: Vec::new(), last: RecordPart::from_position(start) }
    }

    /// Begins a new part of the record with `position`, which setup made of the current one.
    pub fn set_up(&mut self, position: Position) {
        let given_handicap = self.last.given_handicap;
        let next = RecordPart { given_handicap, ..RecordPart::from_position(position) };
        self.earlier.push(Box::new(std::mem::replace(&mut self.last, next)));
    }

    /// Plays a move on an occupied point; `bare` is the position with the stone removed.
    ///
    /// # Errors
    /// Fails if the point is off the board.
    pub fn replace_stone(&mut self, bare: Position, player: Player, mv: Move) -> Result<(), IllegalMove> {
        self.set_up(bare);
        self.last.replaces_stone = true;
        self.play_recorded(player, mv).map(drop)
    }

    /// Returns the parts of the record, oldest first.
    pub fn parts(&self) -> impl Iterator<Item = &RecordPart> {
        self.earlier.iter().map(|part| &**part).chain([&self.last])
    }

    /// Returns the number of moves in all parts.
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.parts().map(|part| part.moves.len()).sum()
    }

    /// Returns the position before the first move of the last part.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.last.start
    }

    /// Returns the current position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.last.current
    }

    /// Returns the moves of the last part.
    #[must_use]
    pub fn moves(&self) -> &[(Player, Move)] {
        &self.last.moves
    }

    /// Plays a move of either player, out of turn too.
    ///
    /// # Errors
    /// Returns the rule that the move breaks; the record is then unchanged.
    pub fn play(&mut self, player: Player, mv: Move) -> Result<(), IllegalMove> {
        self.last.play(player, mv)
    }

    /// Plays a move of a game that has been played: suicide and what ko or superko forbids are executed. Returns true
    /// if the rules forbid the move.
    ///
    /// # Errors
    /// Fails if the point is occupied or off the board.
    pub fn play_recorded(&mut self, player: Player, mv: Move) -> Result<bool, IllegalMove> {
        self.last.play_recorded(player, mv)
    }

    /// Sets the number of handicap stones that White is compensated for, 0 for none, instead of counting them.
    pub fn set_handicap(&mut self, stones: usize) {
        self.last.given_handicap = Some(stones);
        self.last.start.compensate_for(stones);
        self.last.compensate();
    }

    /// Returns the number of handicap stones that White is compensated for, as set or else as counted.
    #[must_use]
    pub fn compensated_stones(&self) -> usize {
        self.last.compensated_stones()
    }

    /// Sets the player to move until the next move.
    pub fn set_to_play(&mut self, player: Player) {
        self.last.current.set_to_play(player);
    }

    /// Undoes the last move and setup after it; returns `false` if there is none.
    pub fn undo(&mut self) -> bool {
        while self.last.moves.len() <= usize::from(self.last.replaces_stone)
            && let Some(before) = self.earlier.pop()
        {
            let undone = std::mem::replace(&mut self.last, *before);
            if undone.replaces_stone {
                return true;
            }
        }
        self.last.undo()
    }

    /// Sets the transpositions that share keys. All moves of the record count; see [`Position::set_key_policy`] for moves
    /// before its start position.
    pub fn set_key_policy(&mut self, policy: KeyPolicy) {
        self.parts_mut().for_each(|part| part.set_key_policy(policy));
    }

    /// Sets the komi; moves and history are unchanged.
    pub fn set_komi(&mut self, komi: Komi) {
        for part in self.parts_mut() {
            part.start.set_komi(komi);
            part.current.set_komi(komi);
        }
    }

    fn parts_mut(&mut self) -> impl Iterator<Item = &mut RecordPart> {
        self.earlier.iter_mut().map(|part| &mut **part).chain([&mut self.last])
    }

    /// Returns the same game under other rules. White's compensation becomes that of the new rules for the handicap of the
    /// record or, if it has none, for the stones that are counted.
    #[must_use]
    pub fn with_rules(&self, rules: Rules) -> Record {
        let earlier = self.earlier.iter().map(|part| Box::new(part.with_rules(rules))).collect();
        Record { earlier, last: self.last.with_rules(rules) }
    }

    /// Returns the number of handicap stones: Black's stones that are set up or placed before White's first stone; 0 if they
    /// are fewer than two or White has stones set up. A single pass of White between them does not end the handicap. Two
    /// moves of White in a row mean a position made by moves, without a handicap. KataGo counts in the same way
    /// (`BoardHistory::computeNumHandicapStones`).
    #[must_use]
    pub fn handicap(&self) -> usize {
        self.last.handicap()
    }
}

impl RecordPart {
    fn from_position(start: Position) -> RecordPart {
        RecordPart {
            current: start.clone(),
            start,
            moves: Vec::new(),
            turns: Vec::new(),
            given_handicap: None,
            replaces_stone: false,
        }
    }

    /// Returns the position before the first move.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the position after the last move.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.current
    }

    /// Returns the moves played.
    #[must_use]
    pub fn moves(&self) -> &[(Player, Move)] {
        &self.moves
    }

    fn play(&mut self, player: Player, mv: Move) -> Result<(), IllegalMove> {
        let turn = self.current.to_play();
        if player == turn {
            self.current.try_play(mv)?;
        } else {
            let mut turned = self.current.clone();
            turned.set_to_play(player);
            turned.try_play(mv)?;
            self.current = turned;
        }
        self.add(player, mv, turn);
        Ok(())
    }

    /// Adds a move just played when it was the turn of `turn`.
    fn add(&mut self, player: Player, mv: Move, turn: Player) {
        self.moves.push((player, mv));
        self.turns.push(turn);
        self.compensate();
    }

    fn play_recorded(&mut self, player: Player, mv: Move) -> Result<bool, IllegalMove> {
        match self.play(player, mv) {
            Err(IllegalMove::Ko | IllegalMove::Superko | IllegalMove::Suicide) => {
                let turn = self.current.to_play();
                self.current.set_to_play(player);
                self.current.play(mv);
                self.add(player, mv, turn);
                Ok(true)
            }
            played => played.map(|()| false),
        }
    }

    fn compensated_stones(&self) -> usize {
        self.given_handicap.unwrap_or_else(|| self.handicap())
    }

    /// Gives White the compensation of the rules for the present handicap.
    fn compensate(&mut self) {
        let stones = self.compensated_stones();
        self.current.compensate_for(stones);
    }

    /// Undoes the last move; returns `false` if there is none.
    fn undo(&mut self) -> bool {
        let (Some(_), Some(turn)) = (self.moves.pop(), self.turns.pop()) else { return false };
        self.replay(turn);
        true
    }

    /// Rebuilds the current position from the start, with `to_play` to move.
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

    fn set_key_policy(&mut self, policy: KeyPolicy) {
        self.start.set_key_policy(policy);
        self.replay(self.current.to_play());
    }

    fn with_rules(&self, rules: Rules) -> RecordPart {
        let (start, board) = (&self.start, self.start.board());
        let geometry = board.geometry();
        let stones = geometry.points.iter();
        let stones: Vec<(Player, Move)> =
            stones.filter_map(|&point| Some((board.stone_at(point)?, geometry.move_of(point)))).collect();
        let mut position = Position::with_stones(start.size(), rules, start.komi(), &stones, start.to_play())
            .expect("stones of a position can stand");
        position.set_prisoners(start.prisoners());
        let is_same = rules == start.rules();
        let given_handicap = self.given_handicap.filter(|&stones| is_same || stones > 0);
        if is_same {
            position.set_compensation(start.compensation());
        } else {
            let counted = || stones_given(board.stones().map(usize::from));
            position.compensate_for(given_handicap.unwrap_or_else(counted));
        }
        let replaces_stone = self.replaces_stone;
        let mut part = RecordPart { given_handicap, replaces_stone, ..RecordPart::from_position(position) };
        part.set_key_policy(start.key_policy());
        for (&(player, mv), &turn) in self.moves.iter().zip(&self.turns) {
            part.current.set_to_play(turn);
            part.play_recorded(player, mv).expect("the point is empty, as under the former rules");
        }
        part.current.set_to_play(self.current.to_play());
        part
    }

    fn handicap(&self) -> usize {
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
