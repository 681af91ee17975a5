//! The program: commands, settings, memory, games against a person, reviews.

mod cli;
#[path = "../common/mod.rs"]
mod common;
mod evaluator;
mod help;
mod learn;
mod machine;
mod manual;
mod memory;
#[cfg(feature = "mpi")]
mod mpi;
mod play;
mod play_terminal;
mod review;
mod settings;
