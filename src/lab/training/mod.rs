//! Training data of the network: positions of recorded games, of self-play and of evaluators with their labels.

pub mod label_folder;
pub mod label_positions;
pub mod labelled_rows;
pub mod labelling;
pub mod recorded_games;
pub mod sample_files;
pub mod samples;
pub mod selfplay_games;
