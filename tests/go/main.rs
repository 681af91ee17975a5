//! Rules, playouts, ladders, life and death, and finished games.

mod board_model;
#[path = "../common/mod.rs"]
mod common;
mod finished_games;
mod ladders;
mod playout_conformance;
mod rules_oracle;
mod symmetric_counts;
mod territory;
mod unconditional;
