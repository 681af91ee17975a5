//! The files of training positions in a folder.

use crate::base::folder::FolderIdentity;

/// The training positions and the validation positions.
pub const FILES: [&str; 2] = ["train.rows", "validation.rows"];
/// The file that describes a shard; it is written after the positions.
pub const DESCRIPTION: &str = "prepare.json";

/// Adds the length of the file `name`, in bytes, to the description of a shard.
pub fn add_length(description: &mut FolderIdentity, name: &str, bytes: u64) {
    description.insert(length_key(name), bytes.to_string());
}

/// Removes the length of the file `name` from the description of a shard. Older descriptions have none.
pub fn take_length(description: &mut FolderIdentity, name: &str) -> Option<u64> {
    description.remove(&length_key(name))?.parse().ok()
}

fn length_key(name: &str) -> String {
    format!("bytes of {name}")
}
