//! Protocols by which other programs use the engine.

pub mod gtp;
pub mod katago;
