//! The network: messages on their way, with delay, bandwidth at both ends, and order between two ranks.

use crate::cost::Network;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Bytes of a message beside its content: headers of the transport.
const HEADER_BYTES: usize = 64;

/// A message with the increments of a round.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// The sender.
    pub from: usize,
    /// The increments as the program sends them; empty if there are none.
    pub bytes: Rc<[u8]>,
    /// True if the sender sends nothing more on this route.
    pub is_last: bool,
}

/// Messages that arrive at one rank, by time and order of sending.
type Arrivals = BinaryHeap<Reverse<(u64, u64, Message)>>;

/// All messages on their way. Times are in nanoseconds.
pub struct Wire {
    network: Network,
    /// Times from which the link out of each rank and the link into it are free.
    is_free: [Vec<u64>; 2],
    arrivals: Vec<Arrivals>,
    messages: u64,
    bytes: u64,
}

impl Wire {
    /// Creates the network of `ranks` ranks.
    pub fn new(network: Network, ranks: usize) -> Wire {
        let is_free = [vec![0; ranks], vec![0; ranks]];
        Wire { network, is_free, arrivals: vec![Arrivals::new(); ranks], messages: 0, bytes: 0 }
    }

    /// Sends a message at the time `now`.
    pub fn send(&mut self, message: &Message, to: usize, now: u64) {
        let bytes = message.bytes.len() + HEADER_BYTES;
        let transfer = self.network.transfer(bytes);
        let [out, into] = &mut self.is_free;
        out[message.from] = now.max(out[message.from]) + transfer;
        into[to] = (out[message.from] + self.network.delay()).max(into[to] + transfer);
        let arrival = into[to];
        self.messages += 1;
        self.bytes += bytes as u64;
        self.arrivals[to].push(Reverse((arrival, self.messages, message.clone())));
    }

    /// Removes and returns the next message that has arrived at `rank` by the time `now`.
    pub fn receive(&mut self, rank: usize, now: u64) -> Option<Message> {
        let Reverse((at, _, _)) = self.arrivals[rank].peek()?;
        if *at > now {
            return None;
        }
        self.arrivals[rank].pop().map(|Reverse((_, _, message))| message)
    }

    /// Returns the bytes sent by all ranks.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
