//! Memory limits of waiting queries.

use super::error::QueryError;
use super::size_estimate::QuerySize;
use crate::base::input::{Line, MAX_LINE_BYTES};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes of a waiting query besides those of its line.
const QUERY_BYTES: usize = 512;
/// Bytes of each position of a query, in a list of doubling capacity.
const POSITION_BYTES: usize = 64;

/// Memory for queries in three equal parts: waiting queries, the line being read, and its parsed values.
pub(super) struct QueryMemory {
    third: usize,
    reserved: Arc<AtomicUsize>,
}

/// A reservation of memory, released when dropped.
#[derive(Debug)]
pub(super) struct Reservation {
    bytes: usize,
    all: Arc<AtomicUsize>,
}

impl QueryMemory {
    /// Creates a memory of `bytes` in total.
    pub(super) fn new(bytes: u64) -> QueryMemory {
        QueryMemory { third: usize::try_from(bytes / 3).unwrap_or(usize::MAX), reserved: Arc::default() }
    }

    /// Returns true if no further line may be read before a waiting query has been answered.
    pub(super) fn is_full(&self) -> bool {
        self.reserved.load(Relaxed) > self.third
    }

    /// Reserves the memory that a query with a line of `line` bytes keeps until its last position is answered.
    pub(super) fn take(&self, line: usize, positions: usize) -> Reservation {
        let bytes = QUERY_BYTES + line + positions * POSITION_BYTES;
        self.reserved.fetch_add(bytes, Relaxed);
        Reservation { bytes, all: Arc::clone(&self.reserved) }
    }

    /// Returns an error for a line that is cut off or takes too much memory when parsed.
    pub(super) fn check(&self, line: &Line) -> Result<(), QueryError> {
        let QuerySize { bytes, id, last, largest } = QuerySize::of(&line.text);
        if line.cut {
            let message = format!("the line is longer than {MAX_LINE_BYTES} bytes: split the query");
            return Err(QueryError { message, field: last, id });
        }
        if bytes <= self.third {
            return Ok(());
        }
        let message = format!(
            "the query takes {} KiB of memory, mostly in this field; at most {} KiB are allowed: ask for less in one query, \
             or start with a larger --memory",
            bytes.div_ceil(1024),
            self.third >> 10,
        );
        Err(QueryError { message, field: largest.map(|(field, _)| field), id })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Relaxed);
    }
}
