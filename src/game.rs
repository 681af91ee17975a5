//! The vocabulary that games and search share: players, moves, scores, and the [`Game`] trait.
//!
//! Search knows no rule of any game. It knows that positions have 64-bit keys, that moves are small
//! numbers, that a finished game has a score, and that scores are better or worse for Black.

use crate::ownership::Ownership;
use crate::rng::PlayoutRng;

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

    /// The opponent.
    #[must_use]
    #[inline]
    pub const fn other(self) -> Player {
        match self {
            Player::Black => Player::White,
            Player::White => Player::Black,
        }
    }

    /// 0 for Black, 1 for White: for arrays with one element a player.
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
/// In Go: `row * columns + column` with row 0 at the bottom, and `columns * rows` for pass. The
/// table stores move numbers only, so that its files do not depend on the board's inner geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(pub u16);

impl Move {
    /// The number as an index into per-move arrays.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A final score: points of Black minus points of White, before komi. In tic-tac-toe -1, 0 or 1.
pub type Score = i16;

/// What a finished game is worth to one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// Lost.
    Loss,
    /// Neither won nor lost.
    Draw,
    /// Won.
    Win,
}

impl Outcome {
    /// Loss 0, draw 1, win 2: the sum over playouts is exact in integers.
    #[must_use]
    #[inline]
    pub const fn half_points(self) -> u32 {
        self as u32
    }

    /// The same outcome seen by the opponent.
    #[must_use]
    #[inline]
    pub const fn other(self) -> Outcome {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }
}

/// A proven interval for the final [`Score`] under best play, Black's view: `lower <= score <= upper`.
///
/// Source: Cazenave & Saffidine, "Score Bounded Monte-Carlo Tree Search", CG 2010.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Black can get at least this.
    pub lower: Score,
    /// White can hold Black to at most this.
    pub upper: Score,
}

impl Bounds {
    /// The bounds of a position whose score is known.
    #[must_use]
    pub const fn exact(score: Score) -> Bounds {
        Bounds { lower: score, upper: score }
    }

    /// Both pieces of knowledge together: the larger lower and the smaller upper bound.
    #[must_use]
    #[inline]
    pub fn intersect(self, other: Bounds) -> Bounds {
        Bounds { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }
}

/// What a selection policy may know of a move before it was ever tried: `wins` of `visits` imagined
/// simulations, for the player who moves. `visits == 0` is no opinion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Prior {
    /// Weight of the opinion in simulations.
    pub visits: u8,
    /// How many of them were won, at most `visits`.
    pub wins: u8,
}

impl Prior {
    /// Adds `won` of `of` imagined simulations, as far as they fit.
    pub fn add(&mut self, won: u8, of: u8) {
        self.visits = self.visits.saturating_add(of).min(Prior::MOST_VISITS);
        self.wins = self.wins.saturating_add(won).min(self.visits);
    }

    /// One less than a byte holds.
    const MOST_VISITS: u8 = 254;
}

/// A finished playout, as the search needs it.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Every move of the simulation in order, from the root on: first those of the descent, then
    /// those of the playout.
    pub moves: Vec<(Player, Move)>,
}

/// All that search may know of a game.
///
/// A value of this type is a position together with the history that its rules look at. Two
/// positions with the same [`key`](Game::key) have the same moves and the same future, except for
/// moves that repeat an earlier position, which [`is_banned`](Game::is_banned) reports.
pub trait Game: Clone + Send + Sync {
    /// Number of different moves, passes included: the length of every per-move array.
    fn move_count(&self) -> usize;

    /// The key of the position in the transposition table.
    ///
    /// It covers everything that decides the future but the history of repeated positions: stones,
    /// side to move, simple ko, passes, rules and komi.
    fn key(&self) -> u64;

    /// The key the position would have after `mv`, which must be legal; nothing is played.
    fn key_after(&self, mv: Move) -> u64;

    /// Gives the position another key, which `salt` decides, until a move is played from it: 0 gives it its own again. The keys
    /// after its moves stay. For a root whose statistics are to be nobody else's.
    fn set_root_salt(&mut self, salt: u64);

    /// Who moves.
    fn to_play(&self) -> Player;

    /// Returns true if the game is over: no move may be played.
    fn is_over(&self) -> bool;

    /// The score of a game that is over; `None` while it goes on, and where only playouts tell the score.
    fn terminal_score(&self) -> Option<Score>;

    /// The smallest and the largest score that can happen at all in this game.
    fn score_range(&self) -> Bounds;

    /// What `score` is worth to Black (in Go: against komi).
    fn outcome_for_black(&self, score: Score) -> Outcome;

    /// Whether `mv` obeys every rule but repetition: a function of the [`key`](Game::key) alone.
    fn is_legal_ignoring_history(&self, mv: Move) -> bool;

    /// Whether `mv`, legal otherwise, would repeat an earlier position of the game or of the moves
    /// played on this value since (superko).
    fn is_banned(&self, mv: Move) -> bool;

    /// Plays `mv`, which must be legal and not banned.
    fn play(&mut self, mv: Move);

    /// Whether a move is worth an AMAF sample: in Go every move but pass, which ends every playout and
    /// so says nothing.
    fn counts_for_amaf(&self, mv: Move) -> bool;

    /// Writes for every move number its prior, or `None` where the move is not legal ignoring
    /// history. `priors.len() == move_count()`; every element is written.
    fn expand(&self, priors: &mut [Option<Prior>]);

    /// Plays the game to its end at random and returns the score; appends every move to `trace`. From a position that is
    /// over without a [`terminal_score`](Game::terminal_score) it plays on, to tell that.
    fn playout(&mut self, rng: &mut PlayoutRng, trace: &mut Trace) -> Score;

    /// Counts whose each point is in the finished position that [`playout`](Game::playout) leaves. Games without
    /// territory count nothing.
    fn add_owners(&self, _ownership: &mut Ownership) {}

    /// Whether `mv` makes Black, and White, lose stones (captured, or by suicide): `[black, white]`.
    fn loses_stones(&self, mv: Move) -> [bool; 2];

    /// Whether the rules forbid repetitions at all beyond what the key covers (superko).
    fn has_repetition_rule(&self) -> bool;

    /// Whether a history-free proof in favour of `winner` holds here, for the history of this value.
    ///
    /// `true` promises that no move of `winner`'s can be banned in a line below this position on which
    /// `winner` loses no stone. Games without repetition always say `true`. See `search::proof`.
    fn permits_proof_for(&self, winner: Player) -> bool;

    /// What [`permits_proof_for`](Game::permits_proof_for) will say after `mv`; nothing is played. May say
    /// `false` where that will say `true`.
    fn permits_proof_after(&self, mv: Move, winner: Player) -> bool;

    /// A key of position and history together: equal only where the same positions are banned.
    fn key_with_history(&self) -> u64;

    /// What [`key_with_history`](Game::key_with_history) will be after `mv`; nothing is played.
    fn key_with_history_after(&self, mv: Move) -> u64;
}
