//! Care of tables: checks and repairs, recovery, halving, copies and merges.

mod chain_sum;
mod halving;
mod merge;
mod recovery;
mod scan;
mod snapshot;
mod write_behind;

pub use merge::{MergeCounts, MergeError, MergeProgress};
pub use scan::TableStatistics;
pub use snapshot::SnapshotCounts;
