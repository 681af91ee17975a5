//! Interruption by Ctrl-C.

use super::exit_codes::INTERRUPTED;
use super::print::print_error;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The error of a command that Ctrl-C ended early.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Interrupted(pub(super) String);

/// Returns a flag that Ctrl-C sets, for a game at a terminal: the running search ends, and the game goes on. A second Ctrl-C
/// before that ends the program.
pub(super) fn end_search_on_interrupt() -> &'static AtomicBool {
    static END: AtomicBool = AtomicBool::new(false);
    // Fails only if a handler is already set.
    let _ = ctrlc::set_handler(|| {
        if END.swap(true, Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    });
    &END
}

/// Returns a flag that Ctrl-C sets; a second Ctrl-C ends the program.
pub(super) fn stop_on_interrupt() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    // Fails only if a handler is already set.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        print_error("finishing the running games or searches; press Ctrl-C again to stop at once");
    });
    &STOP
}
