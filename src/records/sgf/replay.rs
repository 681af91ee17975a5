//! Replay of a record on a board.
//!
//! Turn N is the position after N moves and after the setup that follows move N. Setup starts a new history, which
//! begins with the position set up.
//!
//! The player to move is the colour in `PL`; else the colour of the next move; else, in turn 0, White if Black has
//! handicap stones and Black if not, and later the opponent of the last mover. A move of the other colour is accepted.
//!
//! Illegal moves are executed as FF\[4\] defines it: a stone on the point is replaced, captures are made, and a chain
//! without liberties is removed. A replay ends only at a point off the board or at an unreadable value.

use super::game_record::{GameRecord, Node, RecordMove, RecordPoint, UnreadableValue};
use crate::base::game::{Game, Move, Player};
use crate::go::geometry::SizeError;
use crate::go::position::IllegalMove;
use crate::go::{KeyPolicy, Komi, Position, Record, Rules, Size};

/// A reason for which a record cannot be played to a turn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The record is not a game of Go.
    #[error("expected a game of Go (GM[1]), found GM[{game}]; choose another file")]
    NotGo {
        /// The value of `GM`.
        game: u32,
    },
    /// The board is larger than supported.
    #[error("the record's board is too large: {0}")]
    Size(#[from] SizeError),
    /// A setup leaves a chain without liberties.
    #[error("setup after move {turn}: {player} {vertex} cannot stand there ({reason}); correct the setup")]
    IllegalSetup {
        /// Number of moves before the setup.
        turn: usize,
        /// Colour of the stone.
        player: Player,
        /// The stone's point.
        vertex: String,
        /// The rule it breaks.
        reason: IllegalMove,
    },
    /// A move that cannot be executed, since its point is off the board.
    #[error("move {turn}, {player} {vertex}, is illegal: {reason}; the record can be used up to turn {}", turn - 1)]
    IllegalMove {
        /// The number of the move, from 1.
        turn: usize,
        /// The player who moved.
        player: Player,
        /// The move's point.
        vertex: String,
        /// The rule it breaks.
        reason: IllegalMove,
    },
    /// A value before the turn that is not a point of the board.
    #[error("after move {turn}: {unreadable}; correct the record there")]
    Unreadable {
        /// Number of moves before the value.
        turn: usize,
        /// The value and its place.
        unreadable: UnreadableValue,
    },
    /// The record has no such turn.
    #[error("the record has no turn {turn}: expected one from 0 to {last}")]
    NoSuchTurn {
        /// The turn asked for.
        turn: usize,
        /// The last turn of the record.
        last: usize,
    },
}

/// One turn of a record.
#[derive(Clone)]
pub struct RecordTurn {
    /// Number of moves played, passes included.
    pub turn: usize,
    /// The move that led to this turn; `None` in turn 0.
    pub played: Option<(Player, Move)>,
    /// The last node with setup between this move and the next, by its index on the main line.
    pub set_up: Option<usize>,
    /// The position before the next move.
    pub position: Position,
    /// The position before the move that led here, without the stone on its point; `None` if the point was empty.
    pub replaced: Option<Position>,
}

/// The turns of a record in order, ended by the first error. A clone continues from the same turn.
#[derive(Clone)]
pub struct RecordTurns<'r> {
    walk: Option<ReplayCursor<'r>>,
    started: bool,
    /// See [`RecordTurns::with_handicap`].
    handicap: Option<usize>,
}

impl GameRecord {
    /// Returns all turns, from turn 0 on, under `rules` and `komi`.
    ///
    /// # Errors
    /// Fails if the record is not Go or its board is larger than 19x19.
    pub fn steps(&self, rules: Rules, komi: Komi) -> Result<RecordTurns<'_>, ReplayError> {
        Ok(RecordTurns { walk: Some(ReplayCursor::new(self, rules, komi)?), started: false, handicap: None })
    }

    /// Returns the position after `n` moves.
    ///
    /// # Errors
    /// Fails if the record is shorter, or if a value before the turn cannot be played.
    pub fn position_after(&self, n: usize, rules: Rules, komi: Komi) -> Result<Position, ReplayError> {
        let mut walk = ReplayCursor::new(self, rules, komi)?;
        walk.settle()?;
        for last in 0..n {
            if !walk.play_next()? {
                return Err(ReplayError::NoSuchTurn { turn: n, last });
            }
        }
        Ok(walk.position)
    }

    /// Returns the position at the end of the record.
    ///
    /// # Errors
    /// Fails if any move or setup cannot be played.
    pub fn final_position(&self, rules: Rules, komi: Komi) -> Result<Position, ReplayError> {
        let mut walk = ReplayCursor::new(self, rules, komi)?;
        walk.settle()?;
        while walk.play_next()? {}
        Ok(walk.position)
    }
}

impl GameRecord {
    /// Returns the main-line moves that `rules` forbid, up to the first that cannot be executed: number from 1, player,
    /// move and reason.
    #[must_use]
    pub fn illegal_moves(&self, rules: Rules) -> Vec<(usize, Player, Move, IllegalMove)> {
        let mut found = Vec::new();
        let Ok(mut walk) = ReplayCursor::new(self, rules, Komi(0)) else { return found };
        let mut goes_on = walk.settle().is_ok();
        while goes_on {
            goes_on = walk.play_next().unwrap_or(false);
            if let (true, Some(reason), Some((player, mv))) = (goes_on, walk.forbidden, walk.played) {
                found.push((walk.turn, player, mv, reason));
            }
        }
        found
    }
}

impl RecordTurns<'_> {
    /// Adds White's compensation for a handicap of `stones` to the turns not yet taken.
    #[must_use]
    pub fn with_handicap(mut self, stones: usize) -> Self {
        self.handicap = Some(stones);
        if let Some(walk) = &mut self.walk {
            walk.position.compensate_for(stones);
        }
        self
    }

    /// Sets the table-key policy of the turns not yet taken; their keys cover all moves of the record.
    #[must_use]
    pub fn with_key_policy(mut self, keys: KeyPolicy) -> Self {
        if let Some(walk) = &mut self.walk {
            walk.position.set_key_policy(keys);
        }
        self
    }

    /// Returns the game up to `turn`, or up to its end if that comes first, as a [`Record`], which can undo moves.
    /// Setup between moves begins a new part of it, as does a move on a stone, which that part has no longer.
    ///
    /// # Errors
    /// Fails if a value before the turn cannot be played.
    pub fn into_record(mut self, turn: Option<usize>) -> Result<Record, ReplayError> {
        let Some(first) = self.next().transpose()? else {
            return Err(ReplayError::NoSuchTurn { turn: 0, last: 0 });
        };
        let handicap = self.handicap;
        let mut record = Record::from_position(first.position);
        if let Some(stones) = handicap {
            record.set_handicap(stones);
        }
        for step in self.take(turn.unwrap_or(usize::MAX)) {
            let step = step?;
            if let Some((player, mv)) = step.played {
                let executed = match step.replaced {
                    Some(bare) => record.replace_stone(bare, player, mv),
                    None => record.play_recorded(player, mv).map(drop),
                };
                debug_assert!(executed.is_ok(), "the replay executed the move");
            }
            if step.set_up.is_some() {
                record.set_up(step.position);
            } else {
                record.set_to_play(step.position.to_play());
            }
        }
        Ok(record)
    }
}

impl Iterator for RecordTurns<'_> {
    type Item = Result<RecordTurn, ReplayError>;

    fn next(&mut self) -> Option<Result<RecordTurn, ReplayError>> {
        let walk = self.walk.as_mut()?;
        let moved = if self.started { walk.play_next() } else { walk.settle().map(|()| true) };
        self.started = true;
        match moved {
            Ok(true) => {
                let ReplayCursor { turn, played, set_up, ref position, .. } = *walk;
                let replaced = walk.replaced.take();
                Some(Ok(RecordTurn { turn, played, set_up, position: position.clone(), replaced }))
            }
            Ok(false) => {
                self.walk = None;
                None
            }
            Err(error) => {
                self.walk = None;
                Some(Err(error))
            }
        }
    }
}

impl std::iter::FusedIterator for RecordTurns<'_> {}

/// Number of moves between calls of [`Position::seal`]; superko compares positions since the last call one by one.
const MOVES_BETWEEN_SEALS: usize = 128;

/// A cursor in the record, with the position there.
#[derive(Clone)]
struct ReplayCursor<'r> {
    record: &'r GameRecord,
    size: Size,
    position: Position,
    turn: usize,
    played: Option<(Player, Move)>,
    /// The rule that the last move broke, if any.
    forbidden: Option<IllegalMove>,
    /// Number of moves that place handicap stones.
    handicap_moves: usize,
    /// See [`RecordTurn::set_up`].
    set_up: Option<usize>,
    /// See [`RecordTurn::replaced`].
    replaced: Option<Position>,
    /// The node of the next move or setup.
    node: usize,
    /// Number of moves of that node already played.
    moves_done: usize,
}

impl<'r> ReplayCursor<'r> {
    fn new(record: &'r GameRecord, rules: Rules, komi: Komi) -> Result<ReplayCursor<'r>, ReplayError> {
        if record.game != 1 {
            return Err(ReplayError::NotGo { game: record.game });
        }
        let size = Size::new(usize::from(record.columns), usize::from(record.rows))?;
        let position = Position::new(size, rules, komi);
        Ok(ReplayCursor {
            record,
            size,
            position,
            turn: 0,
            played: None,
            forbidden: None,
            handicap_moves: record.handicap_moves(),
            set_up: None,
            replaced: None,
            node: 0,
            moves_done: 0,
        })
    }

    /// Plays the next move and the setup after it; returns `false` at the end of the record.
    fn play_next(&mut self) -> Result<bool, ReplayError> {
        let record = self.record;
        let Some((player, place)) =
            record.nodes.get(self.node).and_then(|node| node.moves.get(self.moves_done))
        else {
            return Ok(false);
        };
        let mv = match place {
            RecordMove::Pass => self.size.pass(),
            RecordMove::Point(point) => self.move_on(*player, *point)?,
            RecordMove::Unreadable(unreadable) => return Err(self.unreadable(unreadable)),
        };
        self.turn += 1;
        self.position.set_to_play(*player);
        self.forbidden = self.position.try_play(mv).err();
        match self.forbidden {
            None => {}
            Some(IllegalMove::Occupied) => self.replace_stone(*player, mv)?,
            Some(IllegalMove::Suicide | IllegalMove::Ko | IllegalMove::Superko) => self.position.play(mv),
            Some(reason @ IllegalMove::OffBoard) => return Err(self.illegal(*player, mv, reason)),
        }
        if self.turn <= self.handicap_moves {
            // White's pass between handicap stones must not count towards the two passes that end a game.
            self.position.resume();
        }
        if self.turn.is_multiple_of(MOVES_BETWEEN_SEALS) {
            self.position.seal();
        }
        (self.played, self.set_up) = (Some((*player, mv)), None);
        self.moves_done += 1;
        if self.moves_done == record.nodes[self.node].moves.len() {
            self.node += 1;
            self.moves_done = 0;
            self.settle()?;
        } else {
            self.turn_to(self.next_player(None));
        }
        Ok(true)
    }

    /// Removes the stone on the point and plays there. The history starts anew.
    fn replace_stone(&mut self, player: Player, mv: Move) -> Result<(), ReplayError> {
        let mut stones = self.stones();
        stones[mv.index()] = None;
        self.restart(&stones, player)?;
        self.replaced = Some(self.position.clone());
        self.position.play(mv);
        Ok(())
    }

    fn illegal(&self, player: Player, mv: Move, reason: IllegalMove) -> ReplayError {
        ReplayError::IllegalMove { turn: self.turn, player, vertex: self.size.vertex(mv), reason }
    }

    /// Goes to the next move and applies the setup before it.
    fn settle(&mut self) -> Result<(), ReplayError> {
        let mut stones: Option<Vec<Option<Player>>> = None;
        let mut named = None;
        while let Some(node) = self.record.nodes.get(self.node) {
            if let Some(unreadable) = node.unreadable_setup() {
                return Err(self.unreadable(unreadable));
            }
            if !node.setup().is_empty() {
                self.place(stones.get_or_insert_with(|| self.stones()), node)?;
                self.set_up = Some(self.node);
            }
            named = node.player_to_move().or(named);
            if !node.moves.is_empty() {
                break;
            }
            self.node += 1;
        }
        let handicap = self.turn == 0
            && self.record.handicap.is_some_and(|stones| stones >= 2)
            && stones.as_ref().is_some_and(|stones| stones.contains(&Some(Player::Black)));
        let to_play = named.unwrap_or_else(|| self.next_player(handicap.then_some(Player::White)));
        match stones {
            Some(stones) => self.restart(&stones, to_play),
            None => {
                self.turn_to(to_play);
                Ok(())
            }
        }
    }

    /// Returns the colour of the next move; without one, `otherwise`, or else the player to move.
    fn next_player(&self, otherwise: Option<Player>) -> Player {
        let next = self.record.nodes.get(self.node).and_then(|node| node.moves.get(self.moves_done));
        next.map(|(player, _)| *player).or(otherwise).unwrap_or_else(|| self.position.to_play())
    }

    fn turn_to(&mut self, player: Player) {
        if self.turn == 0 && player != self.position.to_play() {
            // `set_to_play` would add the empty board with Black to move, which the game never had, to the history.
            if let Ok(position) = self.first_position(&[], player) {
                self.position = position;
            }
        } else {
            self.position.set_to_play(player);
        }
    }

    /// Returns the stones on the board, by move number.
    fn stones(&self) -> Vec<Option<Player>> {
        let board = self.position.board();
        board.geometry().points.iter().map(|&point| board.stone_at(point)).collect()
    }

    fn place(&self, stones: &mut [Option<Player>], node: &Node) -> Result<(), ReplayError> {
        for &(player, point) in node.setup() {
            let mv = self.move_on(player.unwrap_or(Player::Black), point)?;
            stones[mv.index()] = player;
        }
        Ok(())
    }

    /// Starts a new history from these stones.
    fn restart(&mut self, stones: &[Option<Player>], to_play: Player) -> Result<(), ReplayError> {
        let list: Vec<(Player, Move)> = (0u16..)
            .zip(stones)
            .filter_map(|(number, stone)| stone.map(|player| (player, Move(number))))
            .collect();
        self.position =
            self.first_position(&list, to_play).map_err(|(mv, reason)| ReplayError::IllegalSetup {
                turn: self.turn,
                player: stones[mv.index()].unwrap_or(Player::Black),
                vertex: self.size.vertex(mv),
                reason,
            })?;
        Ok(())
    }

    /// Returns the first position of a new history; rules, komi, key policy, compensation and prisoners are kept.
    fn first_position(
        &self,
        stones: &[(Player, Move)],
        to_play: Player,
    ) -> Result<Position, (Move, IllegalMove)> {
        let (rules, komi) = (self.position.rules(), self.position.komi());
        let mut position = Position::with_stones(self.size, rules, komi, stones, to_play)?;
        position.set_prisoners(self.position.prisoners());
        position.set_key_policy(self.position.key_policy());
        position.set_compensation(self.position.compensation());
        Ok(position)
    }

    /// Returns the move on a point of the record. The parser accepts only points on the record's board, but a record
    /// may come from elsewhere.
    fn move_on(&self, player: Player, point: RecordPoint) -> Result<Move, ReplayError> {
        let (column, row) = (usize::from(point.column), usize::from(point.row));
        self.size.move_at(column, row).ok_or_else(|| ReplayError::IllegalMove {
            turn: self.turn + 1,
            player,
            vertex: format!("column {} row {}", column + 1, row + 1),
            reason: IllegalMove::OffBoard,
        })
    }

    fn unreadable(&self, unreadable: &UnreadableValue) -> ReplayError {
        ReplayError::Unreadable { turn: self.turn, unreadable: unreadable.clone() }
    }
}
