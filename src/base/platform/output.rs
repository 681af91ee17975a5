//! Detection of a closed reader of standard output.
//!
//! Linux reports that the reader of a pipe, socket or terminal has closed it. On other systems the program learns it from
//! its next write: macOS reports no hang-up unless an event is requested, and Windows has no such call.

/// Returns true if the reader of standard output has closed it. Always true on Windows, which cannot report it: the function
/// is called after a broken pipe.
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

/// Waits until the reader of standard output has closed it, then returns true. Returns false at once on all systems but
/// Linux. For a file, which has no reader, the wait never ends.
pub(crate) fn wait_until_closed() -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::event::{PollFd, PollFlags, poll};
        let output = std::io::stdout();
        loop {
            // No event is requested: errors and hang-ups are always reported.
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
