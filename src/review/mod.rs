//! A whole game judged for people: where it was lost, what was better, and how well each side played.
//!
//! [`Review`] is plain data: the positions of a game and what searches found in each ([`compute`] makes it). It can be
//! kept ([`saved`]) and shown later with other thresholds. [`Judgement`] says what it means: the loss of each move, the
//! costliest ones, the turn of the game. One file a format writes it down: [`text`], [`html`], [`sgf`], [`table`].
//!
//! # Loss of a move
//!
//! Before a move, the search of that position names its best move and the mover's win rate after it; after the move,
//! the search of the next position says what the mover was left with. The difference is the loss of the move, at least
//! 0, and 0 if the best move was played. Passes that end the game are not judged. Points are lost likewise, by the mean
//! scores of the playouts. Both searches use one table and the game is walked from its end, so the search before a
//! move knows what was found after it.

pub mod compute;
pub mod html;
mod judge;
mod model;
pub mod saved;
pub mod sgf;
pub mod table;
pub mod text;
mod verdict;

pub use judge::{Judgement, MoveJudgement, Phase, PlayerSummary, Settings, Severity, Thresholds};
pub use model::{Candidate, End, Finding, Played, Review, Turn, UnusableReview};
pub use verdict::Verdict;
