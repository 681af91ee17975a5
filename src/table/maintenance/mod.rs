//! Maintenance of tables: checks and repairs, halving, copies and merges.

mod chain_sum;
mod halving;
mod merge;
mod scan;
mod snapshot;

pub use merge::{MergeCounts, MergeError, MergeProgress};
pub use scan::TableStatistics;
pub use snapshot::SnapshotCounts;
