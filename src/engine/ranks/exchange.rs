//! The exchange of new visits during a search, in a thread beside the workers.
//!
//! ```text
//!  workers ──journal──► outbox ──increments──► other ranks
//!     ▲                                             │
//!     └──── table ◄──── inbox ◄──increments─────────┘
//! ```
//!
//! A rank ends its part with a last message. Messages between two ranks keep their order, so a rank that has the last messages
//! of all others has everything.

use super::inbox::Inbox;
use super::link::{Event, Link};
use super::message::{Control, Increments, Message, RankCounts};
use super::outbox::Outbox;
use crate::search::Journal;
use crate::table::Table;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Time between the first two rounds of a search. It is short, since the searches of all ranks begin alike.
pub const FIRST_INTERVAL: Duration = Duration::from_millis(5);
/// Time between later rounds.
pub const INTERVAL: Duration = Duration::from_millis(20);

/// The state that the exchange of a search and the search itself share.
#[derive(Debug, Default)]
pub(super) struct SearchState {
    /// Own simulations so far.
    pub(super) own_simulations: AtomicU64,
    /// Simulations of the other ranks so far.
    pub(super) other_simulations: AtomicU64,
    /// True once this rank's search has ended.
    pub(super) has_ended: AtomicBool,
    /// Set by the first rank: the other ranks should end.
    pub(super) stops_others: AtomicBool,
    /// True if this rank's search should end: the first rank has ended, or the transport has.
    pub(super) is_stopped: AtomicBool,
    /// True once all ranks have ended and everything is in the table.
    pub(super) is_complete: AtomicBool,
    /// The last counts of each rank.
    pub(super) counts: Mutex<Vec<RankCounts>>,
}

/// The exchange of one search.
pub(super) struct Exchange<'s> {
    pub(super) number: u64,
    /// Key of the root.
    pub(super) root: u64,
    pub(super) table: &'s Table,
    pub(super) journal: &'s Journal,
    pub(super) link: &'s Link,
    pub(super) outbox: &'s mut Outbox,
    pub(super) inbox: Inbox,
    pub(super) state: &'s SearchState,
    /// The counts of each rank.
    counts: Vec<RankCounts>,
    /// True for each rank that has sent its last message.
    has_ended: Vec<bool>,
    bytes_sent: u64,
    /// Messages for after the search.
    later: Vec<Event>,
}

impl<'s> Exchange<'s> {
    pub(super) fn new(
        (number, root): (u64, u64),
        (table, journal): (&'s Table, &'s Journal),
        link: &'s Link,
        outbox: &'s mut Outbox,
        state: &'s SearchState,
    ) -> Exchange<'s> {
        let ranks = link.ranks();
        Exchange {
            number,
            root,
            table,
            journal,
            link,
            outbox,
            inbox: Inbox::default(),
            state,
            counts: vec![RankCounts::default(); ranks],
            has_ended: vec![false; ranks],
            bytes_sent: 0,
            later: Vec::new(),
        }
    }

    /// Exchanges new visits until all ranks have ended; `early` are messages of the search that came before its request.
    pub(super) fn run(&mut self, early: Vec<(usize, Increments)>) {
        early.into_iter().for_each(|(from, increments)| self.add(from, increments));
        let mut interval = FIRST_INTERVAL;
        let mut next = Instant::now() + interval;
        while !self.is_complete() {
            let event = self.link.receive_within(next.saturating_duration_since(Instant::now()));
            match event {
                Some(Event::Message(from, bytes)) => self.receive(from, bytes),
                Some(Event::Wake) => self.pass_on(),
                Some(Event::Closed) => {
                    self.state.is_stopped.store(true, Relaxed);
                    break;
                }
                None => {}
            }
            if Instant::now() >= next && !self.has_ended[self.link.rank()] {
                self.send(false);
                self.inbox.retry(self.table, false);
                interval = INTERVAL.min(2 * interval);
                next = Instant::now() + interval;
            }
        }
        self.link.put_back(std::mem::take(&mut self.later));
        self.inbox.retry(self.table, true);
        self.counts[self.link.rank()] = self.own_counts();
        self.state.counts.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&self.counts);
        self.state.is_complete.store(true, Relaxed);
    }

    fn is_complete(&self) -> bool {
        self.has_ended.iter().all(|ended| *ended)
    }

    /// Passes on to the other ranks what this rank's search has decided.
    fn pass_on(&mut self) {
        if self.state.stops_others.swap(false, Relaxed) {
            self.link.send_to_others(&Control::Stop { number: self.number }.bytes());
        }
        let own = self.link.rank();
        if self.state.has_ended.load(Relaxed) && !self.has_ended[own] {
            self.send(true);
            self.has_ended[own] = true;
        }
    }

    fn receive(&mut self, from: usize, bytes: Vec<u8>) {
        match Message::read(&bytes) {
            Ok(Message::Increments(increments)) if increments.number == self.number => {
                self.add(from, increments);
            }
            Ok(Message::Control(Control::Stop { number })) if number == self.number => {
                self.state.is_stopped.store(true, Relaxed);
            }
            // Requests and increments of the next search: another rank may have all of this one already.
            Ok(_) => self.later.push(Event::Message(from, bytes)),
            Err(_) => {}
        }
    }

    fn add(&mut self, from: usize, increments: Increments) {
        self.inbox.add(self.table, increments.positions);
        self.counts[from] = increments.counts;
        self.has_ended[from] |= increments.is_last;
        let others = self.link.others().map(|rank| self.counts[rank].simulations).sum();
        self.state.other_simulations.store(others, Relaxed);
    }

    /// Sends the new visits to all other ranks.
    fn send(&mut self, is_last: bool) {
        self.outbox.add(&self.journal.take());
        let positions = self.outbox.take(self.table, self.root);
        if positions.is_empty() && !is_last {
            return;
        }
        let increments = Increments { number: self.number, counts: self.own_counts(), is_last, positions };
        let bytes = increments.bytes();
        self.bytes_sent += bytes.len() as u64;
        self.link.send_to_others(&bytes);
    }

    fn own_counts(&self) -> RankCounts {
        RankCounts {
            simulations: self.state.own_simulations.load(Relaxed),
            bytes: self.bytes_sent,
            new_pages: self.inbox.new_pages,
            known_pages: self.inbox.known_pages,
        }
    }
}
