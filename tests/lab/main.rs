//! Matches, sweeps, test suites and self-play, and their shards.

#[path = "../common/mod.rs"]
mod common;
mod match_games;
mod selfplay;
mod shards;
mod suite;
mod sweep;
