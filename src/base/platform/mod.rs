//! The operating system: functions that differ between systems.
//!
//! This is the lowest layer, and the only one that names a system: `std::os`, `rustix`, `/proc`, page advice and
//! `cfg(unix)` appear nowhere else (`tests/house/layering.rs`). Each function documents its behaviour on Linux, on other
//! Unix systems (macOS, the BSDs) and on Windows. Where a system lacks a feature, the function returns `None`, `false` or
//! [`Unsupported`](std::io::ErrorKind::Unsupported), and the caller does without.
//!
//! Table files require Unix ([`files::CAN_SHARE`]). Everything else runs on all systems.

#![cfg_attr(loom, allow(dead_code, reason = "under loom the table is in no mapped memory"))]

pub(crate) mod files;
pub(crate) mod job;
pub(crate) mod memory;
pub(crate) mod output;
pub(crate) mod process;

/// Returns the content of a file in which Linux describes the machine and its processes; `None` on other systems.
fn linux_text(path: impl AsRef<std::path::Path>) -> Option<String> {
    // Under Wine a Windows program could read the files of the Linux host.
    if cfg!(target_os = "linux") { std::fs::read_to_string(path).ok() } else { None }
}
