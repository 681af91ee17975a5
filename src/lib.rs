//! Tewari: a Go engine whose search keeps no tree.
//!
//! Every position is keyed by its Zobrist hash into one fixed-size transposition table, and the
//! UCT/RAVE descent walks hashes instead of pointers. Start reading
//!
//! * bottom up, with [`go::board`], where stones are placed and captured;
//! * in the middle, with [`table`], the memory and its contract;
//! * top down, with [`search`], simulations of four verbs: descend, expand, evaluate, back up.
//!
//! # Glossary
//!
//! * *simulation*: one descent from the root to a leaf, the expansion and evaluation of the leaf, and the backup;
//!   *playout*: the random game by which a leaf is evaluated.
//! * *position*, *edge*: a node of the search graph, and a move from it to a *child*; *transposition*: a position
//!   that more than one sequence of moves leads to. Its statistics are shared by all of them.
//! * *leaf*: the position where a descent ends; *backup*: the update of all positions and edges of the path with the
//!   evaluation of the leaf.
//! * *entry*: 32 bytes of the table for one position: visits, value, leaf playouts, bounds; *block*: the edges of a
//!   position, with priors, visits, values and AMAF samples. A position gets one when it is expanded.
//! * *edge visits*, N(s,a): simulations through an edge, in the block of s; *leaf playouts*, n0: the playouts that a
//!   position had as a leaf, before it was expanded. Visits of a position are n0 + Σ N(s,a).
//! * *value*: a win rate in `[0, 1]` for the player to move, unless the name says `black_`; *prior*: what Go knowledge
//!   says of a move, as visits and wins; *policy state*: a word at each edge that belongs to the selection policy.
//! * *history hash*: what a table key contains of the moves before the position, as the [`go::KeyPolicy`] has it.
//! * *bounds*: a proven interval of the score. *Base bounds* hold for all histories in which the winner never had more
//!   stones than now, *path bounds* for one history; a *twin* is the entry that stores path bounds. See `search::proof`.
//! * *refuted*: proven to lose for the player who moves; *banned*: forbidden by superko.
//! * *update buffer*: AMAF samples for much visited positions that a worker has not written yet; *late update*: one
//!   whose entry or block was meanwhile taken for another position. It is counted, not written.
//! * *eviction*: a full table takes an entry or block for another position; *generation*: a counter of
//!   searches, by which evictions judge age; *reseeding*: an evicted position starts again from the edge to it.
//!
//! # Layers
//!
//! Modules may use only modules of the layers above their own (a test keeps it so):
//!
//! 0. `platform`: the operating system
//! 1. [`game`], [`ownership`], [`input`], [`value`], [`zobrist`], [`rng`], [`stats`], [`parameters`],
//!    [`folder`]: vocabulary
//! 2. [`go`], [`tictactoe`] (games, which know nothing of tables), [`table`] (which knows no game) and
//!    [`memory`] (how much of it there is)
//! 3. [`search`]; [`network`] (which reads a position and knows no table and no search)
//! 4. [`engine`] (one game, one table) and [`sgf`] (game records)
//! 5. [`gtp`], [`analysis`]: protocol and reports
//! 6. [`arena`]: games between engines, and experiments; [`selfplay`]: games to learn from; [`play`]: games against a
//!    person; [`review`]: a whole game judged
//! 7. [`cli`]: the only layer that prints or reads flags

pub mod analysis;
pub mod arena;
pub mod cli;
pub mod engine;
pub mod folder;
pub mod game;
pub mod go;
pub mod gtp;
pub mod input;
pub mod memory;
pub mod network;
pub mod ownership;
pub mod parameters;
mod platform;
pub mod play;
pub mod review;
pub mod rng;
pub mod search;
pub mod selfplay;
pub mod sgf;
pub mod stats;
pub mod table;
pub mod tictactoe;
pub mod value;
pub mod zobrist;
