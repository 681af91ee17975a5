//! Background writing of a file in use to the disk, one piece at a time.

use memmap2::MmapOptions;
use std::fs::File;
use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Minimum bytes written to the disk at once. The system locks these pages meanwhile, and searches wait to write to them:
/// in a sync of the whole file it locks two thousand pages at a time, and searches stall until the disk has them.
const MIN_PIECE_BYTES: usize = 1 << 20;
/// Maximum number of pieces of a file: each write may make the disk flush its cache.
const MAX_PIECES: usize = 1024;

/// A thread that writes a file in use to the disk evenly, each piece once per period, while searches continue.
pub(super) struct Syncer {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    error: Arc<Mutex<Option<String>>>,
}

impl Syncer {
    /// Starts the thread; the first piece follows after its share of `period`. A disk too slow for the period is kept busy.
    pub(super) fn start(file: &File, period: Duration) -> io::Result<Syncer> {
        // A mapping used for syncing only: all mappings of a file share its pages.
        let pages = MmapOptions::new().map_raw(file)?;
        let (stop, stopped) = channel();
        let error = Arc::new(Mutex::new(None));
        let first_error = Arc::clone(&error);
        let thread = std::thread::spawn(move || {
            let pieces = pieces(pages.len());
            let interval = period / pieces.len().max(1) as u32;
            let mut next = Instant::now() + interval;
            for &(start, length) in pieces.iter().cycle() {
                let wait = next.saturating_duration_since(Instant::now());
                if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
                // Delays of the disk are not made up for.
                next = Instant::now().max(next) + interval;
                if let Err(error) = pages.flush_range(start, length) {
                    let mut first_error = first_error.lock().unwrap_or_else(PoisonError::into_inner);
                    first_error.get_or_insert_with(|| error.to_string());
                }
            }
        });
        Ok(Syncer { stop: Some(stop), thread: Some(thread), error })
    }

    /// Returns the first error of writing a piece, if any. It stays: after a failed write the system marks the pages
    /// as clean and does not retry.
    pub(super) fn error(&self) -> Option<String> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the thread; returns true if all of its writes succeeded.
    pub(super) fn finish(mut self) -> bool {
        self.end();
        self.error().is_none()
    }

    fn end(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns the first byte and the length of each piece.
fn pieces(bytes: usize) -> Vec<(usize, usize)> {
    let piece = MIN_PIECE_BYTES.max(bytes.div_ceil(MAX_PIECES).next_multiple_of(MIN_PIECE_BYTES));
    (0..bytes).step_by(piece).map(|start| (start, piece.min(bytes - start))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_file_once_and_are_not_too_many() {
        for bytes in
            [1, 4096, MIN_PIECE_BYTES, MIN_PIECE_BYTES + 1, 3 * MIN_PIECE_BYTES - 8, 1 << 30, (8 << 30) + 24]
        {
            let pieces = pieces(bytes);
            assert!(pieces.len() <= MAX_PIECES, "{} of {bytes}", pieces.len());
            let mut end = 0;
            for (start, length) in pieces {
                assert_eq!(start, end);
                assert!(length > 0 && start % MIN_PIECE_BYTES == 0);
                end += length;
            }
            assert_eq!(end, bytes);
        }
    }
}
