//! The laboratory: [`arena`] plays games between engines and runs experiments with them, [`stats`] evaluates the results.
//! [`selfplay`] plays the games, and [`training`] writes the positions, from which a network learns.

pub mod arena;
pub mod selfplay;
pub mod stats;
pub mod training;
