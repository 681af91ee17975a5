//! The files of training positions in a folder.

/// The training positions and the validation positions.
pub const FILES: [&str; 2] = ["train.rows", "validation.rows"];
/// The file that describes a shard; it is written after the positions.
pub const DESCRIPTION: &str = "prepare.json";
