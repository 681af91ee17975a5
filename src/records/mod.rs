//! Game records.

pub mod sgf;
