//! Limit of the memory for tables of searches that run at the same time.

use crate::base::memory;
use anyhow::{Result, ensure};

/// Maximum share of the available memory for tables, in percent.
const MAX_MEMORY_PERCENT: u64 = 80;

/// Returns an error if `concurrency` times `bytes` of tables exceed [`MAX_MEMORY_PERCENT`] of the available memory.
pub(super) fn check_memory_fits(bytes: u64, concurrency: usize) -> Result<()> {
    let wanted = bytes.saturating_mul(concurrency as u64);
    if let Some(available) = memory::available() {
        let limit = available / 100 * MAX_MEMORY_PERCENT;
        ensure!(
            wanted <= limit,
            "{concurrency} at a time need {} MiB of memory for tables ({} MiB each), and this machine has {} MiB: use a \
             smaller --concurrency or smaller tables",
            wanted / memory::MIB,
            bytes / memory::MIB,
            limit / memory::MIB,
        );
    }
    Ok(())
}
