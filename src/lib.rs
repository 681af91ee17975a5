//! Tewari: a Go engine whose search keeps no tree.
//!
//! Every position is keyed by its Zobrist hash into one fixed-size transposition table, and the
//! UCT/RAVE descent walks hashes instead of pointers. Start reading
//!
//! * bottom up, with [`go::board`], where stones are placed and captured;
//! * in the middle, with [`table`], the memory and its contract;
//! * top down, with [`search`], a loop of four verbs: descend, expand, play out, back up.
//!
//! Modules may use only modules of the layers above their own (a test keeps it so):
//!
//! 1. [`game`], [`value`], [`zobrist`], [`rng`], [`stats`]: vocabulary
//! 2. [`go`], [`tictactoe`] (games, which know nothing of tables), [`table`] (which knows no game) and
//!    [`memory`] (how much of it there is)
//! 3. [`search`]; [`network`] (which reads a position and knows no table and no search)
//! 4. [`engine`] (one game, one table) and [`sgf`] (game records)
//! 5. [`gtp`], [`analysis`]: protocol and reports
//! 6. [`arena`]: games between engines, and experiments; [`play`]: games against a person
//! 7. [`cli`]: the only layer that prints or reads flags

pub mod analysis;
pub mod arena;
pub mod cli;
pub mod engine;
pub mod game;
pub mod go;
pub mod gtp;
pub mod memory;
pub mod network;
pub mod play;
pub mod rng;
pub mod search;
pub mod sgf;
pub mod stats;
pub mod table;
pub mod tictactoe;
pub mod value;
pub mod zobrist;
