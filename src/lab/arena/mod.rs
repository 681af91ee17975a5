//! Experiments with engines: matches, tournaments, and positions with known answers.
//!
//! * [`contestant`]: a player, either another program ([`client`]) or a built-in engine in this process.
//! * [`game`]: one game under a referee with its own board; [`scorer`] asks a third program for dead stones.
//! * [`experiment`]: many games, from [`opening`]s that are played twice with colours exchanged.
//! * [`schedule`]: the pairing and the pair of each game; [`report`]: the result of a pairing.
//! * [`standings`]: the ranking of a round robin.
//! * [`sweep`]: table size against strength, at [`sweep_point`]s, with [`footprint`] (memory and time of a process) and
//!   [`chart`].
//! * [`move_quality`]: table size against the quality of single moves, without games.
//! * [`suite`]: positions with known answers.
//! * [`gtp_check`]: conformance of a program to GTP.
//! * [`store`]: the folder that keeps every game as soon as it ends.

pub mod chart;
pub mod client;
pub mod contestant;
pub mod experiment;
pub mod footprint;
pub mod game;
pub mod gtp_check;
pub mod move_quality;
pub mod opening;
pub mod report;
mod reported_score;
pub mod schedule;
pub mod scorer;
pub mod standings;
pub mod store;
pub mod suite;
pub mod sweep;
pub mod sweep_point;
