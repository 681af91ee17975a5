//! Vocabulary of all rooms: games, values, keys, checksums, sizes, random numbers, input lines, files, folders, memory,
//! analyses of other programs and the operating system.

pub mod bounded_file;
pub mod byte_size;
pub mod checksum;
pub mod child_process;
pub(crate) mod coroutines;
pub mod folder;
pub mod game;
pub mod input;
pub mod memory;
pub mod ownership;
pub mod parameters;
pub mod pause;
pub(crate) mod platform;
pub mod player;
pub mod recorded_analysis;
pub mod rng;
pub mod shard;
pub mod value;
pub mod zobrist;
