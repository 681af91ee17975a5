//! A process's place among the ranks of a search.

use super::link::{Event, Link};
use super::message::{Control, Message, RankCounts, version_difference};
use super::outbox::Outbox;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A failure of a search on several ranks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankError {
    /// A rank that cannot take part.
    #[error("{reason}")]
    Refused {
        /// The reason.
        reason: String,
    },
    /// Tables with more origins than a file can name.
    #[error(
        "the tables of the ranks come from more than 24 original tables: start with new tables, or with copies of one"
    )]
    TooManyOrigins,
    /// A policy with numbers at each edge that cannot be added.
    #[error(
        "the policy {policy} cannot search on several ranks: expected one without a state at each edge, such as rave"
    )]
    PolicyState {
        /// The policy's name.
        policy: &'static str,
    },
    /// The end of the transport.
    #[error("the connection to the other ranks has ended: start all ranks again")]
    Closed,
}

/// The place of this process among the ranks of a search, and its connection with them.
pub struct Ranks {
    rank: usize,
    ranks: usize,
    link: Mutex<Link>,
    /// Own visits that the other ranks do not have yet.
    pub(super) outbox: Mutex<Outbox>,
    /// Number of searches begun.
    searches: AtomicU64,
    notice: Box<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.ranks)
    }
}

impl Ranks {
    /// Creates the place of a process with the given link. `notice` gets lines for the user: after each search the
    /// simulations of each rank.
    #[must_use]
    pub fn new(link: Link, notice: impl Fn(&str) + Send + Sync + 'static) -> Ranks {
        Ranks {
            rank: link.rank(),
            ranks: link.ranks(),
            link: Mutex::new(link),
            outbox: Mutex::default(),
            searches: AtomicU64::new(0),
            notice: Box::new(notice),
        }
    }

    /// Returns the number of this rank, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ranks
    }

    pub(super) fn is_leader(&self) -> bool {
        self.rank == 0
    }

    pub(super) fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the search that begins.
    pub(super) fn next_search(&self) -> u64 {
        self.searches.fetch_add(1, Relaxed) + 1
    }

    pub(super) fn notice(&self, line: &str) {
        (self.notice)(line);
    }

    /// Writes the counts of each rank.
    pub(super) fn note_counts(&self, counts: &[RankCounts]) {
        for (rank, counts) in counts.iter().enumerate() {
            let RankCounts { simulations, bytes, new_pages, known_pages } = counts;
            self.notice(&format!(
                "rank {rank}: {simulations} simulations, {bytes} bytes sent to each rank, {new_pages} evaluations received, {known_pages} made twice",
            ));
        }
    }

    /// Sends a message to all other ranks.
    pub(super) fn tell_others(&self, control: &Control) {
        self.link().send_to_others(&control.bytes());
    }

    /// Sends a request to all other ranks and waits for their answers; returns the origins of the samples in their tables.
    pub(super) fn ask_others(&self, request: &Control) -> Result<Vec<Vec<u64>>, RankError> {
        let link = self.link();
        link.send_to_others(&request.bytes());
        let (mut answers, mut refused) = (Vec::new(), None);
        let mut missing = self.ranks - 1;
        while missing > 0 {
            let Event::Message(from, bytes) = link.receive() else { return Err(RankError::Closed) };
            match Message::read(&bytes) {
                Ok(Message::Control(Control::Ready { lineage })) => answers.push(lineage),
                Ok(Message::Control(Control::Refused { reason })) => {
                    refused.get_or_insert(reason);
                }
                // A late message of an earlier search.
                Ok(_) => continue,
                Err(_) => {
                    refused.get_or_insert(version_difference(from));
                }
            }
            missing -= 1;
        }
        refused.map_or(Ok(answers), |reason| Err(RankError::Refused { reason }))
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        if self.is_leader() {
            self.tell_others(&Control::Quit);
        }
    }
}
