//! Pipelined writing of a copy: one thread prepares the bytes, a second writes them to the file, a third syncs the
//! file. A copy thus takes as long as the slowest of the three.

use crate::base::platform::files;
use std::fs::File;
use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, ScopedJoinHandle};

/// Buffers in each queue.
const QUEUE_BUFFERS: usize = 3;
/// Bytes written between two syncs.
const SYNC_INTERVAL_BYTES: usize = 64 << 20;

/// The input end of the pipeline.
pub(super) struct WriteBehind {
    full: SyncSender<(u64, Vec<u8>)>,
    empty: Receiver<Vec<u8>>,
}

impl WriteBehind {
    /// Calls `work` with the input end of a pipeline to `target`, and returns when all bytes are written, though not
    /// all of them synced.
    ///
    /// # Errors
    /// Returns the first error of the file system, or that of `work`.
    pub(super) fn run<R>(target: &File, work: impl FnOnce(&WriteBehind) -> io::Result<R>) -> io::Result<R> {
        thread::scope(|scope| {
            let (full, waiting) = sync_channel(QUEUE_BUFFERS);
            let (done, empty) = sync_channel(QUEUE_BUFFERS);
            let (written, to_sync) = sync_channel(1);
            let writer = scope.spawn(move || write(target, &waiting, &done, &written));
            let syncer = scope.spawn(move || to_sync.iter().try_for_each(|()| target.sync_data()));
            let behind = WriteBehind { full, empty };
            let outcome = work(&behind);
            // Closes the queue, which ends the threads.
            drop(behind);
            join(writer)?;
            join(syncer)?;
            outcome
        })
    }

    /// Queues `bytes` to be written at `offset`, and returns an empty buffer in their place.
    ///
    /// # Errors
    /// Returns an error if the writer has failed; [`Self::run`] returns the reason.
    pub(super) fn write(&self, bytes: Vec<u8>, offset: u64) -> io::Result<Vec<u8>> {
        self.full.send((offset, bytes)).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(self.empty.try_recv().unwrap_or_default())
    }
}

fn write(
    target: &File,
    waiting: &Receiver<(u64, Vec<u8>)>,
    done: &SyncSender<Vec<u8>>,
    written: &SyncSender<()>,
) -> io::Result<()> {
    let mut unsynced = 0;
    for (offset, mut bytes) in waiting {
        files::write_all_at(target, &bytes, offset)?;
        unsynced += bytes.len();
        if unsynced >= SYNC_INTERVAL_BYTES && written.try_send(()).is_ok() {
            unsynced = 0;
        }
        bytes.clear();
        // Freed if the queue is full or closed.
        let _ = done.try_send(bytes);
    }
    Ok(())
}

fn join(thread: ScopedJoinHandle<'_, io::Result<()>>) -> io::Result<()> {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
