//! Tewari: a Go engine whose search keeps no tree.
//!
//! Every position is keyed by its Zobrist hash into one fixed-size transposition table, and the
//! UCT/RAVE descent walks hashes instead of pointers. Start reading
//!
//! * bottom up, with [`go::board`], where stones are placed and captured;
//! * in the middle, with [`table`], the memory and its contract;
//! * top down, with [`search`], a loop of four verbs: descend, expand, play out, back up.
//!
//! Modules may use only modules above them in this list (a test keeps it so):
//!
//! 1. [`game`], [`zobrist`], [`rng`]: vocabulary
//! 2. [`go`], [`tictactoe`] (games, which know nothing of tables) and [`table`] (which knows no game)
//! 3. [`search`]
//! 4. [`sgf`], [`engine`], [`gtp`], [`analysis`]: text, protocol, reports
//! 5. [`cli`]: the only layer that prints or reads flags

pub mod analysis;
pub mod cli;
pub mod engine;
pub mod game;
pub mod go;
pub mod gtp;
pub mod memory;
pub mod rng;
pub mod search;
pub mod sgf;
pub mod table;
pub mod tictactoe;
pub mod value;
pub mod zobrist;
