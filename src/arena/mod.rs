//! The laboratory: games between engines, and what they say.
//!
//! * [`contestant`]: who plays: another program ([`client`]) or an engine of ours in this process.
//! * [`game`]: one game, under a referee of our own rules; [`scorer`] asks a third program for dead stones.
//! * [`experiment`]: many games, from [`opening`]s that are played twice with colours exchanged.
//! * [`report`]: what the games of a pairing come to.
//! * [`standings`]: what those of a round robin come to.
//! * [`sweep`]: table size against strength, with [`footprint`] (memory and time of a process) and [`chart`].
//! * [`proxy`]: table size against single moves, without games.
//! * [`suite`]: positions with known answers.
//! * [`store`]: the folder where every game is kept the moment it ends.

pub mod chart;
pub mod client;
pub mod contestant;
pub mod experiment;
pub mod footprint;
pub mod game;
pub mod gtp_check;
pub mod opening;
pub mod proxy;
pub mod report;
pub mod scorer;
pub mod standings;
pub mod store;
pub mod suite;
pub mod sweep;
