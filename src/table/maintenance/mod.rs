//! Care of tables: checks and repairs, recovery, halving, copies and merges.

mod block_sum;
mod halving;
mod merge;
mod recovery;
mod snapshot;
mod survey;
mod write_behind;

pub use merge::{Kept, TransferError, TransferProgress};
pub use snapshot::Snapshot;
pub use survey::Survey;
