//! Whether anybody still reads standard output.

use anyhow::{Result, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether nobody can read standard output any more.
pub(super) fn is_standard_output_closed() -> bool {
    let output = std::io::stdout();
    let mut watched = [PollFd::new(&output, PollFlags::empty())];
    poll(&mut watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
}

/// Returns an error if the client of a conversation that ended without a farewell cannot read standard output any more.
pub(super) fn check_client() -> Result<()> {
    ensure!(
        !is_standard_output_closed(),
        "expected a client that reads the answers, found none: it has ended"
    );
    Ok(())
}

/// A flag that is set as soon as nobody can read standard output any more: the other end of a pipe, socket or terminal
/// was closed. Files are never abandoned.
pub(super) fn watch_standard_output() -> Arc<AtomicBool> {
    let abandoned = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&abandoned);
    std::thread::spawn(move || {
        let output = std::io::stdout();
        loop {
            // No event is asked for: errors and hang-ups are always told.
            let mut watched = [PollFd::new(&output, PollFlags::empty())];
            match poll(&mut watched, None) {
                Err(rustix::io::Errno::INTR) | Ok(0) => {}
                Err(_) => return,
                Ok(_) => {
                    let closed = PollFlags::ERR | PollFlags::HUP;
                    told.store(watched[0].revents().intersects(closed), Relaxed);
                    return;
                }
            }
        }
    });
    abandoned
}
