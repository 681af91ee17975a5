//! Whether anybody still reads standard output.

use crate::platform::output;
use anyhow::{Result, ensure};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Returns an error if the client of a conversation that ended without a farewell cannot read standard output any more.
pub(super) fn check_client() -> Result<()> {
    ensure!(!output::is_closed(), "expected a client that reads the answers, found none: it has ended");
    Ok(())
}

/// A flag that is set as soon as nobody can read standard output any more: the other end of a pipe, socket or terminal
/// was closed. Files are never abandoned.
pub(super) fn watch_standard_output() -> Arc<AtomicBool> {
    let abandoned = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&abandoned);
    std::thread::spawn(move || told.store(output::wait_until_closed(), Relaxed));
    abandoned
}
