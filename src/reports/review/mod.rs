//! Review of a whole game: where it was lost, which moves were better, and how well each side played.
//!
//! [`Review`] is plain data: the positions of a game and the search results of each. [`compute`] makes it; [`saved`]
//! stores it, so that it can be shown later with other thresholds. [`Judgement`] evaluates it: the loss of each move,
//! the costliest moves, the turning point of the game. Each output format has its module: [`text`], [`html`], [`sgf`],
//! [`table`].
//!
//! # Loss of a move
//!
//! The search of the position before a move gives the best move and the mover's win rate after it; the search of the
//! position after the move gives the mover's win rate with the move that was played. The loss is the difference, at
//! least 0, and 0 if the best move was played. The loss of points is the same difference of leads.
//!
//! The last of the passes that end a game is judged by the count. It is not judged if a pass was the best move of the
//! search before it, if that search gives the mover less than 40 %, or if the count is no worse than that search; then the
//! pass before it is judged by the count or by the search after it, whichever is better for the mover.
//!
//! All searches share one table and the game is walked from its end, so the search before a move contains the results of
//! the search after it.

pub mod compute;
pub mod html;
mod judgement;
mod model;
mod move_judgement;
pub mod saved;
pub mod sgf;
pub mod table;
pub mod text;
mod verdict;

pub use judgement::{Judgement, PlayerSummary, ReportSettings};
pub use model::{FinalCount, PlayedMove, PositionResult, Review, ReviewTurn, ReviewedMove, UnusableReview};
pub use move_judgement::{MoveJudgement, Phase, Severity, Thresholds};
pub use verdict::GameVerdict;
