//! The other end of standard output.
//!
//! Linux tells when the reader of a pipe, socket or terminal closes it. On other systems the program learns that from its
//! next write: macOS reports no hang-up where no event is asked for, and Windows has no such call.

/// Returns true if the reader of standard output has closed it. Always true on Windows, which does not tell: the question is
/// asked after a broken pipe.
pub(crate) fn is_closed() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let output = std::io::stdout();
        let mut watched = [PollFd::new(&output, PollFlags::OUT)];
        let outcome = poll(&mut watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        outcome.is_ok() && watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
    }
    #[cfg(not(unix))]
    {
        true
    }
}

/// Waits until the reader of standard output has closed it, and returns true. Returns false at once on all systems but
/// Linux. A file has no reader, and the wait does not end.
pub(crate) fn wait_until_closed() -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::event::{PollFd, PollFlags, poll};
        let output = std::io::stdout();
        loop {
            // No event is asked for: errors and hang-ups are always told.
            let mut watched = [PollFd::new(&output, PollFlags::empty())];
            match poll(&mut watched, None) {
                Err(rustix::io::Errno::INTR) | Ok(0) => {}
                Err(_) => return false,
                Ok(_) => return watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP),
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        false
    }
}
