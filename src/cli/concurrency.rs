//! Searches that run at the same time: their number, and the memory of their tables.

use crate::base::memory;
use anyhow::{Result, ensure};

/// Maximum share of the available memory for tables, in percent.
const MAX_MEMORY_PERCENT: u64 = 80;

/// Returns the number of searches at a time, by default one for each processor.
pub(super) fn searches_at_a_time(chosen: Option<u16>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    chosen.map_or_else(processors, usize::from)
}

/// Returns an error if `concurrency` times `bytes` of tables exceed [`MAX_MEMORY_PERCENT`] of the available memory.
pub(super) fn check_memory_fits(bytes: u64, concurrency: usize) -> Result<()> {
    let wanted = bytes.saturating_mul(concurrency as u64);
    if let Some(available) = memory::available() {
        let limit = available / 100 * MAX_MEMORY_PERCENT;
        ensure!(
            wanted <= limit,
            "{concurrency} at a time need {} MiB of memory for tables ({} MiB each), and this machine has {} MiB to \
             spare: use a smaller --concurrency or smaller tables",
            wanted / memory::MIB,
            bytes / memory::MIB,
            limit / memory::MIB,
        );
    }
    Ok(())
}
