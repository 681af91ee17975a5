//! Writing a file in use to the disk, a piece at a time.

use memmap2::MmapOptions;
use std::fs::File;
use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes that are handed to the disk together, at least. The system locks these pages meanwhile, and whoever writes to one
/// waits: asked for all of a file at once, it locks two thousand at a time, and searches stall until the disk has them.
const PIECE: usize = 1 << 20;
/// Pieces of a file, at most: each may end with the disk emptying its cache.
const MOST_PIECES: usize = 1024;

/// A thread that writes a file to the disk while it is used, evenly: each piece once in a period. Searches go on.
pub(super) struct Syncer {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    error: Arc<Mutex<Option<String>>>,
}

impl Syncer {
    /// Begins with the first piece when its part of `period` has passed. A disk that is too slow for that is kept busy.
    pub(super) fn start(file: &File, period: Duration) -> io::Result<Syncer> {
        // Of its own: nothing is read or written through it, the pages are those of all mappings of the file.
        let pages = MmapOptions::new().map_raw(file)?;
        let (stop, stopped) = channel();
        let error = Arc::new(Mutex::new(None));
        let told = Arc::clone(&error);
        let thread = std::thread::spawn(move || {
            let pieces = pieces(pages.len());
            let interval = period / pieces.len().max(1) as u32;
            let mut next = Instant::now() + interval;
            for &(start, length) in pieces.iter().cycle() {
                let wait = next.saturating_duration_since(Instant::now());
                if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
                // What the disk was late is not made up for.
                next = Instant::now().max(next) + interval;
                if let Err(error) = pages.flush_range(start, length) {
                    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                    told.get_or_insert_with(|| error.to_string());
                }
            }
        });
        Ok(Syncer { stop: Some(stop), thread: Some(thread), error })
    }

    /// Why a piece could not be written, if one could not. This stays: the system takes the pages of a write that failed
    /// for written, and tries no more.
    pub(super) fn error(&self) -> Option<String> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the thread, and says whether all that it tried was written.
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

/// First byte and length of each piece.
fn pieces(bytes: usize) -> Vec<(usize, usize)> {
    let piece = PIECE.max(bytes.div_ceil(MOST_PIECES).next_multiple_of(PIECE));
    (0..bytes).step_by(piece).map(|start| (start, piece.min(bytes - start))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_file_once_and_are_not_too_many() {
        for bytes in [1, 4096, PIECE, PIECE + 1, 3 * PIECE - 8, 1 << 30, (8 << 30) + 24] {
            let pieces = pieces(bytes);
            assert!(pieces.len() <= MOST_PIECES, "{} of {bytes}", pieces.len());
            let mut end = 0;
            for (start, length) in pieces {
                assert_eq!(start, end);
                assert!(length > 0 && start % PIECE == 0);
                end += length;
            }
            assert_eq!(end, bytes);
        }
    }
}
