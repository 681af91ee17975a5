//! A small network that reads a position.

pub mod games;
pub mod planes;
pub mod samples;
