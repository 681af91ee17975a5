//! Random numbers that distinguish tables and processes.

use rand::rand_core::TryRng;
use rand::rngs::SysRng;

/// Returns a random number other than 0.
pub(super) fn random() -> u64 {
    // The clock replaces missing system randomness.
    SysRng.try_next_u64().unwrap_or_else(|_| {
        std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64)
    }) | 1
}
