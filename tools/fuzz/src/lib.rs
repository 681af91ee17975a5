//! Shared parts of the targets: small and fast engines, a folder in memory, checksums, and counting.

pub mod damage;
pub mod tables;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tempfile::TempDir;
use tewari::base::memory::MemoryBudget;
use tewari::engine::EngineOptions;
use tewari::go::{PlayoutPolicy, Size};
use tewari::network::Networks;

/// Bytes of every table that is not in a file.
const TABLE_BYTES: u64 = 1 << 18;

/// Returns options of an engine that searches with a table of a quarter of a mebibyte. The network is used if all four
/// low bits of `flags` are zero; playouts are heavy if the fifth bit is set.
#[must_use]
pub fn small_options(flags: u8, side: usize) -> EngineOptions {
    let mut options = EngineOptions {
        size: Size::new(side, side).expect("a size"),
        memory: MemoryBudget::Table(TABLE_BYTES),
        networks: (flags & 0xf == 0).then_some(Networks::Embedded),
        ..EngineOptions::default()
    };
    if flags & 0x10 == 0 {
        options.playouts = "light".parse::<PlayoutPolicy>().expect("a playout policy");
    }
    options.parameters.expand_at = 1;
    options
}

/// Creates a folder, in memory if the system supports it; it is removed with the value.
#[must_use]
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("tewari-fuzz-").tempdir_in(place).expect("a folder")
}

/// Adds to a count over all inputs and prints it at intervals.
pub fn count(what: &str, more: u64) {
    const INTERVAL: u64 = 50_000;
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let before = COUNT.fetch_add(more, Relaxed);
    if before / INTERVAL != (before + more) / INTERVAL {
        eprintln!("{} {what}", before + more);
    }
}

/// Returns FNV-1a, the checksum in the headers of table files and weights files.
#[must_use]
pub fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
