//! Game records, and the analyses that other programs stored in them.

pub mod analyses;
pub mod sgf;
