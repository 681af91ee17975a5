//! A server for analysis queries, one JSON object a line. The protocol is that of KataGo's analysis engine (KataGo
//! docs/Analysis_Engine.md), so that its clients can use this engine.
//!
//! Positions are searched one at a time, the highest priority first, all in one table, so that each benefits from
//! those before it. Lines are read and answered during a search until waiting queries fill their share of the memory.
//! Then the next line is read after one of them has been answered.
//!
//! `server` searches one position after another. `frontend` reads lines and queues the positions that `reader` parses
//! (`query`) from `fields`, `overrides` and `ignored_fields`; `message` formats results. `memory_limit` bounds the queue,
//! `size_estimate` a single line.

mod defaults;
mod error;
mod fields;
mod frontend;
mod ignored_fields;
mod memory_limit;
mod message;
mod overrides;
mod query;
mod reader;
mod server;
mod size_estimate;

pub use self::defaults::{Perspective, QueryDefaults};
pub use self::server::Server;
