//! Tewari: a Go engine with a transposition table in place of a search tree.
//!
//! Every position is stored under its Zobrist key in one transposition table of fixed size, and the UCT/RAVE descent follows
//! keys instead of pointers. Start reading
//!
//! * bottom up, with [`go::board`], where stones are placed and captured;
//! * in the middle, with [`table`], the memory and its contract;
//! * top down, with [`search`]: simulations in four steps, descend, expand, evaluate, back up.
//!
//! # Glossary
//!
//! * *simulation*: one descent from the root to a leaf, the expansion and evaluation of the leaf, and the backup; *playout*:
//!   the random game that evaluates a leaf.
//! * *position*, *edge*: a node of the search graph, and a move from it to a *child*; *transposition*: a position reached by
//!   more than one sequence of moves. All of them share its statistics.
//! * *leaf*: the position where a descent ends; *backup*: the update of all positions and edges of the path with the
//!   evaluation of the leaf; *worker*: a thread, or a coroutine of one, that runs simulations.
//! * *entry*: 32 bytes of the table for one position: visits, value, leaf playouts, bounds; *page*: priors, visits
//!   and values of moves of a position: of all, with AMAF samples, or of eight, then with further pages in a *chain*. A
//!   position gets its first page when it is expanded.
//! * *edge visits*, N(s,a): simulations through an edge, on a page of s; *leaf playouts*, n0: the playouts of a position
//!   as a leaf, before it was expanded. Visits of a position are n0 + Σ N(s,a).
//! * *value*: a win rate in `[0, 1]` for the player to move, unless the name contains `black_`; *prior*: virtual visits and
//!   wins that the network or Go knowledge gives a move before it is tried; *policy state*: a word at each edge that belongs
//!   to the selection policy.
//! * *history hash*: the part of a table key that depends on the moves before the position, under the [`go::KeyPolicy`].
//! * *bounds*: a proven interval of the score. *Base bounds* hold for all histories in which the winner never had more
//!   stones than now, *path bounds* for one history; a *twin* is the entry that stores path bounds. See `search::proof`.
//! * *refuted*: a move proven to lose for its player; *banned*: forbidden by superko.
//! * *update buffer*: AMAF samples of frequently visited positions that a worker has not written yet; *late update*: an
//!   update of an entry or page that another position has taken meanwhile. It is counted, not written.
//! * *eviction*: a full table takes an entry or page for another position; *generation*: a counter that new searches
//!   advance once enough entries were claimed, by which replacement measures age; *reseeding*: an evicted position starts
//!   again from the edge to it.
//!
//! # Rooms
//!
//! A room uses only the rooms in its parentheses, and no two files import each other, directly or in a circle.
//! `tests/house/layering.rs` checks this list, and `circles.rs` the imports of files.
//!
//! - [`base`] (uses nothing): players, moves, scores, values, keys, random numbers, input lines, folders, memory, and
//!   `platform`, which alone names the operating system
//! - [`go`] (uses `base`): board, rules, playouts, ladders, life and death
//! - [`table`] (uses `base`): entries, pages, replacement, files
//! - [`search`] (uses `base`, `table`): simulations, policies, proofs, reports
//! - [`network`] (uses `base`, `go`): planes, layers, kernels, weights
//! - [`external`] (uses `base`, `go`): evaluators in another process, asked by KataGo's analysis protocol
//! - [`records`] (uses `base`, `go`): SGF, and the analyses of other programs in it
//! - [`engine`] (uses `base`, `go`, `table`, `search`, `network`, `external`): one game with one table: evaluation, limits, clock, decisions
//! - [`protocols`] (uses `base`, `go`, `table`, `search`, `external`, `engine`, `records`): GTP and KataGo's analysis protocol
//! - [`reports`] (uses `base`, `go`, `search`, `table`, `engine`, `records`): analysed positions, reviewed games, analyses
//!   learned from records
//! - [`play`] (uses `base`, `go`, `table`, `search`, `engine`, `records`): games against a person
//! - [`lab`] (uses `base`, `go`, `table`, `search`, `network`, `external`, `engine`, `records`, `protocols`): matches, sweeps,
//!   test suites, statistics, self-play, training data
//! - [`cli`] (uses every room): flags, printing, exit codes

pub mod base;
pub mod cli;
pub mod engine;
pub mod external;
pub mod go;
pub mod lab;
pub mod network;
pub mod play;
pub mod protocols;
pub mod records;
pub mod reports;
pub mod search;
pub mod table;
