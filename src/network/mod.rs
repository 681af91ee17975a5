//! A small neural network that predicts the next move, the owner of each point, and the final score.
//!
//! It is fully convolutional and accepts every board size. It computes in integers, so that every processor gives the
//! same bits, whatever its instructions. The module depends on boards and positions, not on the table or the search. Start
//! reading with [`planes`], its input, and [`evaluator`], the computation. [`kernels`] has the loops that take the time,
//! `winograd` a way to need fewer products, `matrices` the order of weights for AMX, [`probabilities`] the step from
//! outputs to probabilities, and [`weights`] the file format.
//!
//! ```text
//! planes ─ 3x3 ─ block ─ ... ─ block ─┬─ 1x1 ─┬─ policy of each point
//!                                     │   ↑   └─ owner of each point
//!                                     └ pool ─ hidden ─ pass, score: mean and spread
//!
//! block:  x ─ 3x3 ─ y ─ 3x3 ─ (+ x) ─        pool: mean, mean scaled by the board's side, maximum
//!                   └ pool ─┘
//! ```
//!
//! Activations are 0 to 127, with six of the seven bits behind the binary point: clipping is the only
//! non-linearity. Sources: Wu, "Accelerating Self-Play Learning in Go", arXiv 1902.10565 (planes, pooling,
//! heads); the documentation of Stockfish's NNUE (clipped bytes, powers of two as scales).

mod cells;
pub mod evaluator;
pub mod kernels;
mod layer;
#[cfg(target_arch = "x86_64")]
mod matrices;
mod networks;
pub mod planes;
pub mod probabilities;
pub mod weights;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AVX2 has tiles"))]
mod winograd;

pub use evaluator::{Evaluation, Evaluator, ScoreEstimate};
pub use networks::{MAX_SMALL_SIDE, Network, Networks};
pub use planes::InputPosition;
pub use weights::{Architecture, WeightsError};
