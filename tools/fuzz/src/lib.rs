//! What the targets share: engines that are small and fast, a folder in memory, checksums, and counting.

pub mod damage;
pub mod tables;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tempfile::TempDir;
use tewari::engine::EngineOptions;
use tewari::go::{PlayoutPolicy, Size};
use tewari::memory::Budget;
use tewari::network::Networks;

/// Bytes of every table but those in files.
const TABLE_BYTES: u64 = 1 << 18;

/// Options of an engine that searches a few simulations in a quarter of a mebibyte. `flags` choose among them: with
/// all of its four low bits zero the network is asked, with the fifth bit set playouts are heavy.
#[must_use]
pub fn small_options(flags: u8, side: usize) -> EngineOptions {
    let mut options = EngineOptions {
        size: Size::new(side, side).expect("a size"),
        memory: Budget::Table(TABLE_BYTES),
        networks: (flags & 0xf == 0).then_some(Networks::Embedded),
        ..EngineOptions::default()
    };
    if flags & 0x10 == 0 {
        options.playouts = "light".parse::<PlayoutPolicy>().expect("a playout policy");
    }
    options.parameters.expand_at = 1;
    options
}

/// A new folder that is removed with the value, in memory where the system has such a place.
#[must_use]
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("tewari-fuzz-").tempdir_in(place).expect("a folder")
}

/// Counts what an input has several of, and says now and then how many there were in this process.
pub fn count(what: &str, more: u64) {
    const INTERVAL: u64 = 50_000;
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let before = COUNT.fetch_add(more, Relaxed);
    if before / INTERVAL != (before + more) / INTERVAL {
        eprintln!("{} {what}", before + more);
    }
}

/// FNV-1a, which headers of table files and weights files carry.
#[must_use]
pub fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
