//! Waits of a worker that has a thread of its own, or shares one with other workers.

use std::thread;
use std::time::{Duration, Instant};

/// The waits of a worker.
pub trait Pause {
    /// Lets the other workers of the thread go on as far as they can at present. Returns at once if there are none.
    fn let_others_run(&self);

    /// Waits until the thread is unparked, at most for `limit`, and returns the present time. May return earlier.
    fn wait_for_thread(&self, limit: Duration) -> Instant;

    /// Waits for the progress of another worker, at most for `limit`. May return earlier.
    fn wait_for_worker(&self, limit: Duration);
}

/// The waits of a worker with a thread of its own: they block the thread.
#[derive(Clone, Copy, Debug)]
pub struct ThreadPause;

impl Pause for ThreadPause {
    fn let_others_run(&self) {}

    fn wait_for_thread(&self, limit: Duration) -> Instant {
        thread::park_timeout(limit);
        Instant::now()
    }

    fn wait_for_worker(&self, limit: Duration) {
        thread::sleep(limit);
    }
}
