//! Training data of the network: positions of recorded games and of self-play with their labels.

pub mod recorded_games;
pub mod sample_files;
pub mod samples;
pub mod selfplay_games;
