//! A journal of the changes that one search makes in the table, for other searches of the same position.
//!
//! It lists visits, never sums, and so contains nothing that other searches added to the table. Keeping it does not
//! change the search.

use crate::table::Entry;
use std::sync::{Mutex, PoisonError};

/// Records that a worker collects before it writes them to the journal.
const MAX_BUFFERED: usize = 512;

/// One change of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalRecord {
    /// Key of the position.
    pub key: u64,
    /// The change.
    pub change: Change,
}

/// A change of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A visit of the position and of the edge of a move, by number.
    Edge(u16),
    /// A visit as a leaf, with the half-points of its playout for the player to move.
    Playout(u8),
    /// A visit as a leaf without a playout.
    Leaf,
    /// A page at this place of the chain, from 0, filled with an evaluation of this search.
    Page(u8),
    /// Bounds for one history, stored without a visit under the key of position and history.
    Bounds,
}

/// The journal of one search, shared by its workers.
#[derive(Debug, Default)]
pub struct Journal {
    records: Mutex<Vec<JournalRecord>>,
}

impl Journal {
    /// Removes and returns all records.
    #[must_use]
    pub fn take(&self) -> Vec<JournalRecord> {
        std::mem::take(&mut self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn append(&self, records: &mut Vec<JournalRecord>) {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).append(records);
    }
}

/// A worker's part of the journal; does nothing without a journal.
pub(super) struct JournalWriter<'t> {
    journal: Option<&'t Journal>,
    records: Vec<JournalRecord>,
}

impl<'t> JournalWriter<'t> {
    pub(super) fn new(journal: Option<&'t Journal>) -> JournalWriter<'t> {
        JournalWriter { journal, records: Vec::new() }
    }

    /// Records a change of the position with `key`.
    #[inline]
    pub(super) fn note(&mut self, key: u64, change: Change) {
        if self.journal.is_some() {
            self.records.push(JournalRecord { key, change });
        }
    }

    /// Records a change of the position of `entry`, if it has one.
    #[inline]
    pub(super) fn note_at(&mut self, entry: Option<Entry<'_>>, change: Change) {
        entry.into_iter().for_each(|entry| self.note(entry.key(), change));
    }

    /// Writes the collected records at the end of a simulation, if there are many.
    #[inline]
    pub(super) fn flush_if_full(&mut self) {
        if self.records.len() >= MAX_BUFFERED {
            self.flush();
        }
    }

    /// Writes the collected records.
    pub(super) fn flush(&mut self) {
        self.journal.into_iter().for_each(|journal| journal.append(&mut self.records));
    }
}
