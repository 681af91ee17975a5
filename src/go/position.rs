//! A position of a game: stones, player to move, and the history that superko depends on.

mod area_komi;
mod game;
mod snapshot;

pub use snapshot::{PositionSnapshot, SnapshotError};

use super::board::Board;
use super::geometry::{Point, Size};
use super::history_hash::{BeforeMove, HistoryHash};
use super::key_policy::KeyPolicy;
use super::playout_policy::PlayoutPolicy;
use super::rules::{self, KoRule, Komi, Rules, Scoring};
use super::score::area_score;
use super::superko::SuperkoHistory;
use crate::base::game::{Game, Move, Outcome, Player, Prior};
use crate::base::zobrist::{keys, mix};

/// Distinguishes keys of area offsets from other mixed numbers.
const AREA_OFFSET_KEY: u64 = 0x7465_7272_6974_6f72;

/// Number of last moves that a position keeps.
pub const RECENT_MOVES: usize = 5;
/// A number that is no move on any board.
const NO_MOVE: Move = Move(u16::MAX);

/// The reason why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// A point outside the board.
    #[error("not on the board")]
    OffBoard,
    /// An occupied point.
    #[error("the point is occupied")]
    Occupied,
    /// A move that would leave its own chain without liberties.
    #[error("suicide")]
    Suicide,
    /// A move that would retake a ko at once.
    #[error("ko")]
    Ko,
    /// A move that would repeat an earlier position.
    #[error("superko")]
    Superko,
}

/// Stones, rules, player to move, and all history that matters.
///
/// The position has two separate keys. The table key ([`Game::key`]) covers stones, side to move, ko point, passes,
/// board size, rules, komi, the area offset under territory scoring, and the history that the key policy includes.
/// The superko key covers stones alone (positional) or stones and side to move (situational): a ko point in it would
/// hide repetitions.
pub struct Position {
    board: Board,
    to_play: Player,
    passes: u8,
    rules: Rules,
    komi: Komi,
    /// White's compensation for a handicap, which is added to komi.
    compensation: Komi,
    playouts: PlayoutPolicy,
    /// See [`Position::set_agreement`].
    has_agreement: bool,
    salt: u64,
    /// See [`Game::set_root_salt`].
    root_salt: u64,
    /// The history that the table key contains.
    history_hash: HistoryHash,
    /// The last two moves, the latest first; [`Point::NONE`] for a pass or no move.
    last: [Point; 2],
    /// The last moves, the latest first; [`NO_MOVE`] where there is none.
    recent: [Move; RECENT_MOVES],
    /// Stones that each player has captured, including suicides of the opponent.
    prisoners: [u32; 2],
    /// True if any stone was ever removed: before that, no play can repeat a position.
    had_removals: bool,
    /// The positions that a superko rule forbids to recreate.
    history: SuperkoHistory,
    /// Largest number of stones of each player in any position seen, this one included.
    most_stones: [u16; 2],
}

impl Clone for Position {
    fn clone(&self) -> Position {
        Position { board: self.board.clone(), history: self.history.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Position) {
        self.board.clone_from(&source.board);
        self.history.clone_from(&source.history);
        self.to_play = source.to_play;
        self.passes = source.passes;
        self.rules = source.rules;
        self.komi = source.komi;
        self.compensation = source.compensation;
        self.playouts = source.playouts;
        self.has_agreement = source.has_agreement;
        self.salt = source.salt;
        self.root_salt = source.root_salt;
        self.history_hash = source.history_hash;
        self.last = source.last;
        self.recent = source.recent;
        self.prisoners = source.prisoners;
        self.had_removals = source.had_removals;
        self.most_stones = source.most_stones;
    }
}

impl Position {
    /// Creates the empty board, Black to move.
    #[must_use]
    pub fn new(size: Size, rules: Rules, komi: Komi) -> Position {
        Position::with_stones(size, rules, komi, &[], Player::Black).expect("an empty board is legal")
    }

    /// Creates a setup position, the first of its history.
    ///
    /// # Errors
    /// Returns the first stone that is off the board, on an occupied point, or in a chain without liberties.
    pub fn with_stones(
        size: Size,
        rules: Rules,
        komi: Komi,
        stones: &[(Player, Move)],
        to_play: Player,
    ) -> Result<Position, (Move, IllegalMove)> {
        let mut board = Board::new(size);
        for &(player, mv) in stones {
            let point = board.geometry().point_of(mv).ok_or((mv, IllegalMove::OffBoard))?;
            if board.stone_at(point).is_some() {
                return Err((mv, IllegalMove::Occupied));
            }
            // Chains without liberties are removed here, and found missing below.
            board.place(point, player);
        }
        for &(player, mv) in stones {
            let point = board.geometry().point_of(mv).ok_or((mv, IllegalMove::OffBoard))?;
            if board.stone_at(point) != Some(player) {
                return Err((mv, IllegalMove::Suicide));
            }
        }
        board.clear_ko();
        let mut position = Position {
            most_stones: board.stones(),
            board,
            to_play,
            passes: 0,
            rules,
            komi,
            compensation: Komi(0),
            playouts: PlayoutPolicy::default(),
            has_agreement: false,
            salt: rules::salt(size, rules, komi),
            root_salt: 0,
            history_hash: HistoryHash::default(),
            last: [Point::NONE; 2],
            recent: [NO_MOVE; RECENT_MOVES],
            prisoners: [0; 2],
            had_removals: false,
            history: SuperkoHistory::default(),
        };
        position.add_to_history();
        Ok(position)
    }

    /// Returns the board.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the board's size.
    #[must_use]
    pub fn size(&self) -> Size {
        self.board.size()
    }

    /// Returns the rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the last moves, the latest first, at most [`RECENT_MOVES`].
    #[must_use]
    pub fn recent_moves(&self) -> &[Move] {
        let known = self.recent.iter().take_while(|&&mv| mv != NO_MOVE).count();
        &self.recent[..known]
    }

    /// Returns the last moves that are part of the key, the latest first: data stored under the key may depend on them.
    #[must_use]
    pub fn moves_in_key(&self) -> &[Move] {
        let recent = self.recent_moves();
        &recent[..recent.len().min(self.history_hash.moves_in_key())]
    }

    /// Returns the number of consecutive passes just made, at most 2.
    #[must_use]
    pub fn passes(&self) -> u8 {
        self.passes
    }

    /// Returns the policy of [`Game::playout`].
    #[must_use]
    pub fn playout_policy(&self) -> PlayoutPolicy {
        self.playouts
    }

    /// Sets the policy of [`Game::playout`].
    pub fn set_playouts(&mut self, playouts: PlayoutPolicy) {
        self.playouts = playouts;
    }

    /// Sets whether the players agree on dead stones at the end of the game. Under territory scoring, playouts then decide
    /// the score after two passes; without agreement all stones are alive. Area scoring is not affected: dead stones can be
    /// captured at no cost.
    pub fn set_agreement(&mut self, has_agreement: bool) {
        self.has_agreement = has_agreement;
    }

    /// Returns true if the stones and the rules do not determine the score after two passes.
    #[inline]
    fn is_scored_by_playouts(&self) -> bool {
        self.has_agreement && self.rules.scoring == Scoring::Territory
    }

    /// Returns the outcome for the player to move of a pass that ends the game, if the stones on the board determine the
    /// score.
    #[must_use]
    pub fn outcome_of_pass(&self) -> Option<Outcome> {
        (self.passes == 1 && !self.is_scored_by_playouts()).then(|| {
            let offset = self.area_offset_on_turn(self.to_play.other(), 2);
            let Komi(komi) = self.komi;
            let for_black = Komi(komi + 2 * offset).outcome_for_black(area_score(&self.board));
            if self.to_play == Player::Black { for_black } else { for_black.other() }
        })
    }

    /// Writes, by move number, an empty prior for each move that is legal ignoring history and `None` for the others.
    pub fn fill_legal(&self, priors: &mut [Option<Prior>]) {
        for (number, prior) in priors.iter_mut().enumerate() {
            *prior = self.is_legal_ignoring_history(Move(number as u16)).then(Prior::default);
        }
    }

    /// Returns the policy of the transpositions that share keys.
    #[must_use]
    pub fn key_policy(&self) -> KeyPolicy {
        self.history_hash.policy()
    }

    /// Returns what the history hash after a move depends on.
    #[inline]
    pub(super) fn before_move(&self) -> BeforeMove<'_> {
        BeforeMove { board: &self.board, to_play: self.to_play }
    }

    /// Sets the transpositions that share keys. Of earlier moves only [`recent_moves`](Position::recent_moves) count, and
    /// under [`KeyPolicy::Graph`] none: set the policy where the history begins.
    pub fn set_key_policy(&mut self, policy: KeyPolicy) {
        if policy != self.key_policy() {
            self.history_hash =
                HistoryHash::at_start(policy, self.recent_moves(), self.board.empty_points().len());
        }
    }

    /// Sets the player to move, as when a protocol lets one side move twice. A change of turn clears the ko, and a pass
    /// before it: two passes of one player do not end the game.
    pub fn set_to_play(&mut self, player: Player) {
        if player != self.to_play {
            self.to_play = player;
            self.board.clear_ko();
            if self.passes == 1 {
                self.passes = 0;
            }
            self.add_to_history();
        }
    }

    /// Clears the passes, so that a finished game goes on.
    pub fn resume(&mut self) {
        self.passes = 0;
    }

    /// Moves the history into storage that clones share. Call it once before making many clones.
    pub fn seal(&mut self) {
        self.history.share();
    }

    /// Returns true if one of the `allowed` moves, by move number, is legal; a pass always is.
    #[must_use]
    pub fn allows_any(&self, allowed: &[bool]) -> bool {
        (0..).map(Move).zip(allowed).any(|(mv, &is_allowed)| is_allowed && self.check(mv).is_ok())
    }

    /// Checks that `mv` is legal under all rules and with the whole history.
    ///
    /// # Errors
    /// Returns the rule that the move breaks.
    pub fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        if mv == self.size().pass() {
            return Ok(());
        }
        let point = self.board.geometry().point_of(mv).ok_or(IllegalMove::OffBoard)?;
        if self.board.stone_at(point).is_some() {
            return Err(IllegalMove::Occupied);
        }
        if !self.rules.suicide && !self.board.is_not_suicide(point, self.to_play) {
            return Err(IllegalMove::Suicide);
        }
        if point == self.board.ko() {
            return Err(IllegalMove::Ko);
        }
        if self.is_banned(mv) { Err(IllegalMove::Superko) } else { Ok(()) }
    }

    /// Plays a move if it is legal.
    ///
    /// # Errors
    /// Returns the rule that the move breaks; the position is then unchanged.
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.check(mv)?;
        self.play(mv);
        Ok(())
    }

    /// Returns all legal moves but pass.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> + '_ {
        (0..self.size().points() as u16).map(Move).filter(|&mv| self.check(mv).is_ok())
    }

    fn superko_key(&self, stones: u64, to_play: Player) -> u64 {
        match self.rules.ko {
            KoRule::Situational => stones ^ side_key(to_play),
            KoRule::Simple | KoRule::Positional => stones,
        }
    }

    /// Adds the current position to the history.
    fn add_to_history(&mut self) {
        if self.rules.ko == KoRule::Simple {
            return;
        }
        self.history.add(self.superko_key(self.board.key(), self.to_play));
        let stones = self.board.stones();
        for (most, now) in self.most_stones.iter_mut().zip(stones) {
            *most = now.max(*most);
        }
    }

    fn table_key(&self, stones: u64, to_play: Player, ko: Point, passes: u8, area_offset: i32) -> u64 {
        stones
            ^ area_offset_key(area_offset)
            ^ side_key(to_play)
            ^ self.board.geometry().ko_keys[ko.index()]
            ^ keys().passes[usize::from(passes.min(2))]
            ^ self.salt
    }
}

/// Returns the part of the table key that tells apart equal stones with different scores: 0 for an offset of 0.
#[inline]
fn area_offset_key(area_offset: i32) -> u64 {
    if area_offset == 0 { 0 } else { mix(AREA_OFFSET_KEY ^ u64::from(area_offset as u32)) }
}

#[inline]
fn side_key(to_play: Player) -> u64 {
    match to_play {
        Player::Black => 0,
        Player::White => keys().white_to_play,
    }
}
