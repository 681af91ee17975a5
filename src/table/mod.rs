//! The memory of the search: one transposition table of fixed size.
//!
//! A table has two tiers in one allocation. The *directory* holds a 32-byte [`Entry`] for every position: visits,
//! value, leaf playouts, proven bounds. The *pool* holds edge [`Page`]s: visits and value of moves. The pages
//! of an expanded position form a chain. The module handles 64-bit keys and move numbers only, no boards.
//!
//! ```text
//!  key ──► entry ──► page 0 ──────────► page 1 ──────────► ...
//!                    header, scores     header
//!                    8 best moves       8 next moves        (ranked: with an evaluator)
//!                    all moves                              (complete: without one)
//! ```
//!
//! Read `entry`, `page` and `edge` for the words and their meaning, `transposition_table` for probes, `chain` for the pages
//! of a position, `claim` and `replacement` for evictions, and `layout` for the place of each part. `file` and `maintenance`
//! are about tables in files. FORMAT.md describes the bytes of a file.
//!
//! # The contract
//!
//! Any number of threads, and of processes that map the same file, read and write at the same time without locks,
//! through atomics only. An entry or a page is *evicted* when it is given to another position.
//!
//! **Guaranteed**, whatever bits the table contains:
//! - The search does not read outside the table, loop forever or panic.
//! - Bounds are applied only to the position for which they were proven: the whole key was compared, and the bounds
//!   carry 44 bits of it.
//! - A page is never read as another position's: owner and sequence are compared before and after.
//! - Visits are never read without the value or the points that belong to them: they share a word.
//!
//! **Possible losses:**
//! - The backup to a position that lost its entry or page since the descent. The worker compares the owner before it
//!   writes, and then writes nothing: at most one simulation for each worker and eviction, counted as `late_updates`. The
//!   AMAF samples in the worker's update buffer for the position are lost with it, those of at most sixteen simulations.
//! - The unwritten results of a killed process: one simulation and the update buffer of each worker.
//! - Writes to an entry when two workers insert one key at the same time: only the first of the two entries is found
//!   again. Of two pages made for one place at the same time one is freed at once, as is the chain of an evicted
//!   entry. A killed worker, or a power cut, may leave pages in no chain until they are evicted.
//! - The visits of the moves on a further page that was evicted. The position goes on with the pages before it, and the same
//!   moves come back, without visits, when the search needs them.
//! - One of two AMAF samples added to one word at the same time ([`Page::add_amaf`]), and one of two values stored for a
//!   position at the same time; the next backup computes the value anew. One of two score samples added at the same time
//!   ([`Page::add_score_sample`]): its exchange is tried once, so that no score reaches another position's page.
//! - Half a visit of each counter when all visits of a position are halved, once in 2^26 visits of an edge. A
//!   selection that reads the edges in that microsecond may see some halved and others not. A worker killed in it
//!   leaves at most one counter halved twice.
//!
//! **Possible errors:** a write between the last comparison of the owner and an eviction. The next owner then has one
//! playout or one edge visit of another position, or the AMAF samples of one word (two moves): at most one for
//! each worker and eviction. A visit of an illegal move is noticed and counted as a collision. The same holds for a
//! worker that resumes after its entry or page was unfinished for eight generations and reclaimed. No error breaks a
//! rule or makes a false proof: bounds carry their key, and moves are checked again.
//!
//! **After a power cut** a file holds memory pages of different moments, and so does a copy that `cp` makes of a file in
//! use. An entry lies within a memory page, together with its bounds, so no proof is false; so does a ranked page. Both may
//! be older than what names them, or newer: a chain ends before a page that does not fit, and a position may have fewer
//! visits than its edges, which `verify` raises. A complete page may lie on several memory pages: all complete pages of such
//! a file are given up, and their positions go on as leaves (`Table::owner_of`). Results not yet written are lost, and ages
//! may be wrong for a while. Where a halving was in progress (once in 2^26 visits), some moves may have twice the visits.
//! Test: tests/table/power_cut.rs. [`Table::snapshot`] copies a file in use.
//!
//! **Memory orderings:** a key, a page's sequence and its number in an entry or in another page are published with
//! `Release` after the data they guard, and read with `Acquire` before it. All other accesses are `Relaxed`: words are
//! independent, and each is valid alone. Tests: tests/table_loom.rs in all interleavings, tests/table/table_stress.rs and
//! tests/table/table_file/crowd.rs with many threads and processes.
//!
//! **A full table** is the normal state. A new position evicts the least valuable entry of its bucket and of the
//! overflow bucket behind it, a new page the least valuable of a few that a clock hand passes; the [`Replacement`]
//! policy defines the value. The candidate of a chain is always its last page. Entries and pages that the caller
//! protects (the path of its simulation) are never evicted; if no others are left, the caller gets none and continues
//! without.

mod amaf;
pub mod atomic;
#[cfg(not(loom))]
mod backing;
#[cfg(loom)]
#[path = "loom_backing.rs"]
mod backing;
mod best_moves;
mod chain;
mod claim;
mod claim_word;
mod counters;
mod edge;
mod entry;
mod file;
mod header;
mod increment;
mod layout;
mod leaf_playouts;
mod maintenance;
mod page;
mod page_content;
mod replacement;
mod score_mean;
mod stored_ownership;
mod transposition_table;

pub use amaf::{AMAF_VISITS_LIMIT, Amaf, amaf_sample};
pub use counters::{AGES, Count, Counters, DEPTHS};
pub use edge::{EDGE_VISITS_FULL, Edge, MAX_EDGE_VISITS};
pub use entry::{Entry, TOTAL_VISITS_FULL, VisitsAndValue};
pub use file::{CloseState, FileError, FileProblem, FileState, TableMode};
pub use header::{Lineage, TableIdentity};
pub use increment::{Addition, EdgeIncrement, OwnVisits, PositionIncrement};
pub use layout::{Layout, Shape, TableError};
pub use leaf_playouts::LeafPlayouts;
pub use maintenance::{MergeCounts, MergeError, MergeProgress, SnapshotCounts, TableStatistics};
pub use page::{Page, PageEvaluation};
pub use page_content::PageContent;
pub use replacement::Replacement;
pub use score_mean::ScoreMean;
pub use transposition_table::{Census, ProtectedPath, Table};
