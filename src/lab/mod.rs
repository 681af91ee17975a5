//! Experiments: games between engines, statistics, self-play and training data.

pub mod arena;
pub mod selfplay;
pub mod stats;
pub mod training;
