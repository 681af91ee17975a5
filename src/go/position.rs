//! A position of a game: stones, player to move, and the history that superko depends on.

mod area_komi;

use self::area_komi::MAX_TERRITORY_SCORE;
use super::board::Board;
use super::geometry::{Point, Size};
use super::history_hash::{HistoryHash, KeyPolicy};
use super::playout_policy::PlayoutPolicy;
use super::rules::{self, KoRule, Komi, Rules, Scoring};
use super::score::area_score;
use crate::base::game::{Bounds, Game, Move, Outcome, Player, Prior, Score, Trace};
use crate::base::ownership::Ownership;
use crate::base::rng::PlayoutRng;
use crate::base::zobrist::{keys, mix};
use std::collections::HashSet;
use std::sync::Arc;

/// The positions that a superko rule forbids to recreate, by superko key. `ahash` has no stable output, so this must not
/// reach a file.
type Seen = HashSet<u64, ahash::RandomState>;

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
/// The position has two separate keys. The table key ([`Game::key`]) covers stones, side to move, ko point, passes, rules
/// and komi. The superko key covers stones alone (positional) or stones and side to move (situational): a ko point in it
/// would hide repetitions.
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
    removals: bool,
    seen: Arc<Seen>,
    /// Superko keys added since `seen` was sealed.
    path: Vec<u64>,
    /// XOR of the mixed superko keys of all positions seen: the history as a set.
    history_key: u64,
    /// Largest number of stones of each player in any position seen, this one included.
    most_stones: [u16; 2],
}

impl Clone for Position {
    fn clone(&self) -> Position {
        Position { board: self.board.clone(), seen: Arc::clone(&self.seen), path: self.path.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Position) {
        let mut path = std::mem::take(&mut self.path);
        path.clone_from(&source.path);
        self.board.clone_from(&source.board);
        if !Arc::ptr_eq(&self.seen, &source.seen) {
            self.seen = Arc::clone(&source.seen);
        }
        self.path = path;
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
        self.removals = source.removals;
        self.history_key = source.history_key;
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
    /// The first stone that is off the board, on an occupied point, or in a chain without liberties.
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
            removals: false,
            seen: Arc::new(Seen::default()),
            path: Vec::new(),
            history_key: 0,
        };
        position.remember();
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

    /// Sets the transpositions that share keys. Of earlier moves only [`recent_moves`](Position::recent_moves) and prisoners
    /// count, and under [`KeyPolicy::Graph`] none: set the policy where the history begins.
    pub fn set_key_policy(&mut self, policy: KeyPolicy) {
        if policy != self.key_policy() {
            self.history_hash = HistoryHash::at_start(policy, self.prisoners, self.recent_moves());
        }
    }

    /// Sets the player to move, as when a protocol lets one side move twice. A change of turn clears the ko.
    pub fn set_to_play(&mut self, player: Player) {
        if player != self.to_play {
            self.to_play = player;
            self.board.clear_ko();
            self.remember();
        }
    }

    /// Clears the passes, so that a finished game goes on.
    pub fn resume(&mut self) {
        self.passes = 0;
    }

    /// Moves the history into storage that clones share. Call it once before making many clones.
    pub fn seal(&mut self) {
        if !self.path.is_empty() {
            let mut seen = Seen::clone(&self.seen);
            seen.extend(self.path.drain(..));
            self.seen = Arc::new(seen);
        }
    }

    /// Returns true if one of the `allowed` moves, by move number, is legal; a pass always is.
    #[must_use]
    pub fn allows_any(&self, allowed: &[bool]) -> bool {
        (0..).map(Move).zip(allowed).any(|(mv, &is_allowed)| is_allowed && self.check(mv).is_ok())
    }

    /// Checks that `mv` is legal under all rules and with the whole history.
    ///
    /// # Errors
    /// The rule that the move breaks.
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
    /// The rule that the move breaks; the position is then unchanged.
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

    fn was_seen(&self, superko_key: u64) -> bool {
        self.path.contains(&superko_key) || self.seen.contains(&superko_key)
    }

    /// Adds the current position to the history.
    fn remember(&mut self) {
        if self.rules.ko == KoRule::Simple {
            return;
        }
        let key = self.superko_key(self.board.key(), self.to_play);
        if !self.was_seen(key) {
            self.history_key ^= mix(key);
            self.path.push(key);
        }
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

impl Game for Position {
    fn move_count(&self) -> usize {
        self.size().points() + 1
    }

    fn key(&self) -> u64 {
        let now =
            self.table_key(self.board.key(), self.to_play, self.board.ko(), self.passes, self.area_offset());
        now ^ self.history_hash.key() ^ self.root_salt
    }

    fn key_after(&self, mv: Move) -> u64 {
        let key = match self.board.geometry().point_of(mv) {
            None => {
                let (next, passes) = (self.to_play.other(), self.passes + 1);
                let area_offset = self.area_offset_on_turn(next, passes);
                self.table_key(self.board.key(), next, Point::NONE, passes, area_offset)
            }
            Some(point) => {
                let (stones, ko) = self.board.key_and_ko_after(point, self.to_play);
                // A stone leaves the offset unchanged; after two passes the game is over.
                self.table_key(stones, self.to_play.other(), ko, 0, self.area_offset())
            }
        };
        key ^ self.history_hash.after(self, mv).key()
    }

    fn set_root_salt(&mut self, salt: u64) {
        self.root_salt = salt;
    }

    fn to_play(&self) -> Player {
        self.to_play
    }

    fn is_over(&self) -> bool {
        self.passes >= 2
    }

    fn terminal_score(&self) -> Option<Score> {
        (self.is_over() && !self.is_scored_by_playouts())
            .then(|| area_komi::score(area_score(&self.board), self.area_offset()))
    }

    fn score_range(&self) -> Bounds {
        let most = match self.rules.scoring {
            Scoring::Area => self.size().points() as Score,
            Scoring::Territory => MAX_TERRITORY_SCORE,
        };
        Bounds { lower: -most, upper: most }
    }

    fn outcome_for_black(&self, score: Score) -> Outcome {
        self.komi.outcome_for_black(score)
    }

    fn is_legal_ignoring_history(&self, mv: Move) -> bool {
        match self.board.geometry().point_of(mv) {
            None => mv == self.size().pass(),
            Some(point) => {
                self.board.cell(point) == super::board::cell::EMPTY
                    && point != self.board.ko()
                    && (self.rules.suicide || self.board.is_not_suicide(point, self.to_play))
            }
        }
    }

    fn is_banned(&self, mv: Move) -> bool {
        if self.rules.ko == KoRule::Simple {
            return false;
        }
        let Some(point) = self.board.geometry().point_of(mv) else { return false };
        // While no stone was ever removed, every play adds a stone to a colour that never lost one, so that only a play that
        // removes its own chain can repeat a position.
        let removes_itself = self.rules.suicide && !self.board.is_not_suicide(point, self.to_play);
        if !self.removals && !removes_itself {
            return false;
        }
        let (stones, _) = self.board.key_and_ko_after(point, self.to_play);
        self.was_seen(self.superko_key(stones, self.to_play.other()))
    }

    fn play(&mut self, mv: Move) {
        let player = self.to_play;
        self.history_hash = self.history_hash.after(self, mv);
        self.root_salt = 0;
        self.to_play = player.other();
        self.last = [self.board.geometry().point_of(mv).unwrap_or(Point::NONE), self.last[0]];
        self.recent.copy_within(..RECENT_MOVES - 1, 1);
        self.recent[0] = mv;
        let known = self.recent.iter().take_while(|&&mv| mv != NO_MOVE).count();
        self.history_hash.note_recent(&self.recent[..known]);
        match self.board.geometry().point_of(mv) {
            None => {
                self.board.clear_ko();
                self.passes = (self.passes + 1).min(2);
                if self.rules.ko == KoRule::Situational {
                    self.remember();
                }
            }
            Some(point) => {
                let own_before = self.board.stones()[player.index()];
                let captured = self.board.place(point, player);
                let own_lost = own_before + 1 - self.board.stones()[player.index()];
                self.passes = 0;
                self.prisoners[player.index()] += captured as u32;
                self.prisoners[player.other().index()] += u32::from(own_lost);
                self.removals |= captured > 0 || own_lost > 0;
                self.remember();
            }
        }
    }

    fn counts_for_amaf(&self, mv: Move) -> bool {
        mv != self.size().pass()
    }

    fn expand(&self, priors: &mut [Option<Prior>]) {
        self.fill_legal(priors);
        let last = self.moves_in_key().first().and_then(|&mv| self.board.geometry().point_of(mv));
        let last = last.unwrap_or(Point::NONE);
        super::prior::add_knowledge(&self.board, self.to_play, last, self.outcome_of_pass(), priors);
        if self.rules.scoring == Scoring::Territory && self.outcome_of_pass().is_none() {
            super::prior::add_pass_for_territory(&self.board, priors);
        }
    }

    /// Plays to the end with the area offset of the position where the playout begins: under territory scoring the moves
    /// that fill territory in playouts mean nothing. After two passes, playouts decide which stones are dead.
    fn playout(&mut self, rng: &mut PlayoutRng, trace: &mut Trace) -> Score {
        let passes = if self.is_scored_by_playouts() { 0 } else { self.passes };
        let offset = self.area_offset();
        let area = self.playouts.play(&mut self.board, self.to_play, passes, self.last, rng, trace);
        area_komi::score(area, offset)
    }

    fn add_owners(&self, ownership: &mut Ownership) {
        super::ownership::add_owners(&self.board, ownership);
    }

    fn loses_stones(&self, mv: Move) -> [bool; 2] {
        let mut loses = [false; 2];
        if let Some(point) = self.board.geometry().point_of(mv) {
            let captures = !self.board.captures(point, self.to_play).is_empty();
            loses[self.to_play.other().index()] = captures;
            loses[self.to_play.index()] = !self.board.is_not_suicide(point, self.to_play);
        }
        loses
    }

    fn has_repetition_rule(&self) -> bool {
        self.rules.ko != KoRule::Simple
    }

    /// Below here the number of the winner's stones only grows. Each move of the winner makes a position with more of them
    /// than any position seen, which cannot be a repetition. A finished game has no moves.
    fn permits_proof_for(&self, winner: Player) -> bool {
        self.rules.ko == KoRule::Simple
            || self.passes >= 2
            || self.most_stones[winner.index()] == self.board.stones()[winner.index()]
    }

    fn permits_proof_after(&self, mv: Move, winner: Player) -> bool {
        let ends_game = mv == self.size().pass() && self.passes >= 1;
        if self.rules.ko == KoRule::Simple || ends_game {
            return true;
        }
        let loses = self.loses_stones(mv)[winner.index()];
        let gains = winner == self.to_play && mv != self.size().pass();
        let missing = self.most_stones[winner.index()] - self.board.stones()[winner.index()];
        !loses && missing <= u16::from(gains)
    }

    fn key_with_history(&self) -> u64 {
        mix(self.key() ^ mix(self.history_key))
    }

    fn key_with_history_after(&self, mv: Move) -> u64 {
        let next = self.to_play.other();
        let (stones, is_new) = match self.board.geometry().point_of(mv) {
            // A pass leaves the stones and makes a new situation only if the side to move counts.
            None => (self.board.key(), self.rules.ko == KoRule::Situational),
            Some(point) => (self.board.key_and_ko_after(point, self.to_play).0, true),
        };
        let superko_key = self.superko_key(stones, next);
        let is_new = is_new && self.rules.ko != KoRule::Simple && !self.was_seen(superko_key);
        let history = self.history_key ^ if is_new { mix(superko_key) } else { 0 };
        mix(self.key_after(mv) ^ mix(history))
    }
}
