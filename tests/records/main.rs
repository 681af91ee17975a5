//! SGF records.

mod sgf;
