//! The connection of one rank with the others: messages as bytes, in order between any two ranks.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// A message that has arrived, or a call of this rank's own search.
#[derive(Debug)]
pub(super) enum Event {
    /// Sender and content of a message.
    Message(usize, Vec<u8>),
    /// The search of this rank has something to send.
    Wake,
    /// The transport has ended: no message will come.
    Closed,
}

/// The sending half of a transport: the number of the receiving rank, and the message.
pub(super) type SendMessage = Box<dyn Fn(usize, Vec<u8>) + Send>;

/// The connection of one rank with the others.
pub struct Link {
    rank: usize,
    ranks: usize,
    send: SendMessage,
    incoming: Receiver<Event>,
    /// Events that come before those of `incoming`.
    put_back: RefCell<VecDeque<Event>>,
    waker: Sender<Event>,
}

impl Link {
    /// Creates the link of `rank` in a group of `ranks` with a transport. The function `connect` gets the receiver of
    /// everything that arrives and returns the sending half.
    #[cfg(feature = "mpi")]
    pub(super) fn new(rank: usize, ranks: usize, connect: impl FnOnce(Sender<Event>) -> SendMessage) -> Link {
        let (waker, incoming) = channel();
        let send = connect(waker.clone());
        Link { rank, ranks, send, incoming, put_back: RefCell::default(), waker }
    }

    /// Creates the links of `ranks` ranks in one process.
    #[must_use]
    pub fn in_process(ranks: usize) -> Vec<Link> {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
        let link = |(rank, incoming): (usize, Receiver<Event>)| {
            let (peers, waker) = (senders.clone(), senders[rank].clone());
            // A rank that has ended gets no messages.
            let send = move |to: usize, bytes| drop(peers[to].send(Event::Message(rank, bytes)));
            Link { rank, ranks, send: Box::new(send), incoming, put_back: RefCell::default(), waker }
        };
        receivers.into_iter().enumerate().map(link).collect()
    }

    /// Returns the number of this rank, from 0.
    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    pub(super) fn ranks(&self) -> usize {
        self.ranks
    }

    /// Returns the other ranks.
    pub(super) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.rank;
        (0..self.ranks).filter(move |rank| *rank != own)
    }

    /// Returns a sender of events to this rank itself.
    pub(super) fn waker(&self) -> Sender<Event> {
        self.waker.clone()
    }

    /// Sends a message to a rank.
    pub(super) fn send(&self, to: usize, bytes: Vec<u8>) {
        (self.send)(to, bytes);
    }

    /// Sends a message to all other ranks.
    pub(super) fn send_to_others(&self, bytes: &[u8]) {
        self.others().for_each(|to| self.send(to, bytes.to_vec()));
    }

    /// Puts events back, in front of all that have not been received yet.
    pub(super) fn put_back(&self, events: Vec<Event>) {
        let mut waiting = self.put_back.borrow_mut();
        events.into_iter().rev().for_each(|event| waiting.push_front(event));
    }

    /// Waits for an event.
    pub(super) fn receive(&self) -> Event {
        if let Some(event) = self.put_back.borrow_mut().pop_front() {
            return event;
        }
        self.incoming.recv().unwrap_or(Event::Closed)
    }

    /// Waits for an event, at most for `timeout`.
    pub(super) fn receive_within(&self, timeout: Duration) -> Option<Event> {
        if let Some(event) = self.put_back.borrow_mut().pop_front() {
            return Some(event);
        }
        match self.incoming.recv_timeout(timeout) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Event::Closed),
        }
    }
}
