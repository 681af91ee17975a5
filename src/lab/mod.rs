//! The laboratory: [`arena`] plays games between engines and runs experiments with them, [`stats`] evaluates the results.
//! [`join`] puts the shards of an experiment together. [`selfplay`] plays the games, and [`training`] writes the positions,
//! from which a network learns.

pub mod arena;
pub mod join;
pub mod selfplay;
pub mod stats;
pub mod training;
