//! Detection of a standard output that its reader has closed.

use crate::base::platform::output;
use anyhow::{Result, ensure};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Returns an error if the client of a conversation has closed standard output without a command to quit.
pub(super) fn check_client() -> Result<()> {
    ensure!(!output::is_closed(), "the client closed the connection without ending the session");
    Ok(())
}

/// Returns a flag that becomes true once the other end of standard output (a pipe, socket or terminal) is closed. For a
/// file it stays false.
pub(super) fn watch_for_closed_output() -> Arc<AtomicBool> {
    let closed_output = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&closed_output);
    std::thread::spawn(move || flag.store(output::wait_until_closed(), Relaxed));
    closed_output
}
