//! The vocabulary shared by games and search: players, moves, scores, and the [`Game`] trait.
//!
//! The search is independent of the rules of any game. It relies on this: positions have 64-bit keys, moves are small
//! numbers, a finished game has a score, and scores are better or worse for Black.

pub use super::player::{Move, Player};

use super::ownership::Ownership;
use super::rng::PlayoutRng;

/// A final score: points of Black minus points of White, before komi. In tic-tac-toe 1 if X has a line, -1 if O has one,
/// else 0.
pub type Score = i16;

/// The result of a finished game for one player.
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
    /// Returns 0 for a loss, 1 for a draw, 2 for a win: sums over playouts are exact in integers.
    #[must_use]
    #[inline]
    pub const fn half_points(self) -> u32 {
        self as u32
    }

    /// Returns the outcome for the opponent.
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
    /// Black can force at least this score.
    pub lower: Score,
    /// White can hold Black to at most this score.
    pub upper: Score,
}

impl Bounds {
    /// Returns the bounds of a position with a known score.
    #[must_use]
    pub const fn exact(score: Score) -> Bounds {
        Bounds { lower: score, upper: score }
    }

    /// Returns the interval where both hold: the larger lower and the smaller upper bound.
    #[must_use]
    #[inline]
    pub fn intersect(self, other: Bounds) -> Bounds {
        Bounds { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }
}

/// Knowledge of a move before it is tried: `wins` of `visits` virtual simulations, for the player of the move. `visits == 0`
/// is no knowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Prior {
    /// Weight in simulations.
    pub visits: u8,
    /// Simulations won, at most `visits`.
    pub wins: u8,
}

impl Prior {
    /// Adds `of` virtual simulations, `won` of them won, up to the maximum.
    pub fn add(&mut self, won: u8, of: u8) {
        self.visits = self.visits.saturating_add(of).min(Prior::MAX_VISITS);
        self.wins = self.wins.saturating_add(won).min(self.visits);
    }

    /// One less than the largest byte.
    const MAX_VISITS: u8 = 254;
}

/// The moves of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// All moves in order from the root: those of the descent, then those of the playout.
    pub moves: Vec<(Player, Move)>,
}

/// The interface of a game to the search.
///
/// A value of this type is a position with the history that its rules depend on. Two positions with the same
/// [`key`](Game::key) have the same moves and the same future, except for moves that repeat an earlier position, which
/// [`is_banned`](Game::is_banned) reports.
pub trait Game: Clone + Send + Sync {
    /// Returns the number of different moves, passes included: the length of every per-move array.
    fn move_count(&self) -> usize;

    /// Returns the key of the position in the transposition table.
    ///
    /// It covers everything that decides the future except the history of repeated positions: stones, side to move, simple
    /// ko, passes, rules and komi.
    fn key(&self) -> u64;

    /// Returns the key of the position after `mv`, which must be legal, without playing it.
    fn key_after(&self, mv: Move) -> u64;

    /// Changes the key as `salt` decides until a move is played; 0 restores it. Keys after moves are unchanged. Used for a
    /// root that shares its statistics with no other search.
    fn set_root_salt(&mut self, salt: u64);

    /// Returns the player to move.
    fn to_play(&self) -> Player;

    /// Returns true if the game is over: no move may be played.
    fn is_over(&self) -> bool;

    /// Returns the score of a finished game; `None` while it goes on, and where only playouts decide the score.
    fn terminal_score(&self) -> Option<Score>;

    /// Returns the smallest and the largest possible score of this game.
    fn score_range(&self) -> Bounds;

    /// Returns the outcome of `score` for Black (in Go: against komi).
    fn outcome_for_black(&self, score: Score) -> Outcome;

    /// Returns true if `mv` is legal but for repetition: a function of the [`key`](Game::key) alone.
    fn is_legal_ignoring_history(&self, mv: Move) -> bool;

    /// Returns true if `mv`, otherwise legal, would repeat an earlier position of the game or of the moves played on this
    /// value since (superko).
    fn is_banned(&self, mv: Move) -> bool;

    /// Plays `mv`, which must be legal and not banned.
    fn play(&mut self, mv: Move);

    /// Returns true if a move is worth an AMAF sample: in Go every move but pass, which ends every playout and so carries no
    /// information.
    fn counts_for_amaf(&self, mv: Move) -> bool;

    /// Returns a hash of what makes positions after `mv` alike for an evaluator: the last two moves and the surroundings of
    /// the last.
    fn context_after(&self, mv: Move) -> u64;

    /// Writes the prior of each move by move number, or `None` for a move that is not legal ignoring history.
    /// `priors.len() == move_count()`; every element is written.
    fn expand(&self, priors: &mut [Option<Prior>]);

    /// Plays random moves to the end of the game and returns the score; appends every move to `trace`. A finished position
    /// without a [`terminal_score`](Game::terminal_score) is played on to determine its score.
    fn playout(&mut self, rng: &mut PlayoutRng, trace: &mut Trace) -> Score;

    /// Adds the owner of each point of the finished position that [`playout`](Game::playout) leaves. Games without territory
    /// add nothing.
    fn add_owners(&self, _ownership: &mut Ownership) {}

    /// Returns true for each player, `[black, white]`, that loses stones by `mv`, through capture or suicide.
    fn loses_stones(&self, mv: Move) -> [bool; 2];

    /// Returns true if the rules forbid repetitions beyond those that the key covers (superko).
    fn has_repetition_rule(&self) -> bool;

    /// Returns true if a history-free proof in favour of `winner` holds here, for the history of this value.
    ///
    /// `true` guarantees that no move of `winner` can be banned in a line below this position in which `winner` loses no
    /// stone. Games without repetition always return `true`. See `search::proof`.
    fn permits_proof_for(&self, winner: Player) -> bool;

    /// Returns the result of [`permits_proof_for`](Game::permits_proof_for) after `mv`, without playing it. May return
    /// `false` in place of `true`.
    fn permits_proof_after(&self, mv: Move, winner: Player) -> bool;

    /// Returns a key of position and history together: equal only where the same positions are banned.
    fn key_with_history(&self) -> u64;

    /// Returns the result of [`key_with_history`](Game::key_with_history) after `mv`, without playing it.
    fn key_with_history_after(&self, mv: Move) -> u64;
}
