//! Matches, sweeps, test suites and self-play.

#[path = "../common/mod.rs"]
mod common;
mod match_games;
mod selfplay;
mod suite;
mod sweep;
