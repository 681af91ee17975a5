//! Messages between ranks. Requests and answers are JSON, increments are binary.

use super::wire::{Reader, Writer};
use crate::go::PositionSnapshot;
use crate::table::PositionIncrement;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Version of the messages. Ranks of different versions do not search together.
pub(super) const VERSION: u32 = 1;

const TAG_CONTROL: u8 = b'C';
const TAG_INCREMENTS: u8 = b'I';

/// The options that must be equal on all ranks: pairs of name and value.
pub(super) type Identity = Vec<(String, String)>;

/// Board, rules and komi of the first rank's game, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GameTerms {
    pub(super) size: String,
    pub(super) rules: String,
    pub(super) komi: String,
}

/// A search of all ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SearchRequest {
    /// Number of the search, from 1.
    pub(super) number: u64,
    pub(super) root: PositionSnapshot,
    /// See [`Engine::set_root_moves`](crate::engine::Engine::set_root_moves).
    pub(super) root_moves: Option<Vec<bool>>,
    /// Seed of the session.
    pub(super) seed: u64,
    /// Simulations of all ranks together.
    pub(super) simulations: Option<u64>,
    pub(super) time: Option<Duration>,
}

/// Requests of the first rank and the answers to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Control {
    /// The first rank has an engine for this game; the others make one, too, and answer.
    Open {
        version: u32,
        terms: GameTerms,
        identity: Identity,
    },
    /// The first rank changes its board; the others do so first, and answer.
    Resize {
        size: String,
    },
    /// The rank is ready. The origins of the samples in its table; empty if it has none.
    Ready {
        lineage: Vec<u64>,
    },
    /// The rank cannot take part, for a reason in one line.
    Refused {
        reason: String,
    },
    /// The origins of the samples that the tables will share.
    Share {
        lineage: Vec<u64>,
    },
    Search(Box<SearchRequest>),
    /// The search with this number ends.
    Stop {
        number: u64,
    },
    /// The tables are emptied and get the given origin.
    Clear {
        lineage: Vec<u64>,
    },
    Quit,
}

/// Counts of one rank's part of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RankCounts {
    pub(super) simulations: u64,
    /// Bytes sent to each of the other ranks.
    pub(super) bytes: u64,
    /// Pages received that were new: evaluations saved.
    pub(super) new_pages: u64,
    /// Pages received that the rank had evaluated itself.
    pub(super) known_pages: u64,
}

/// New visits of a rank.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Increments {
    /// Number of the search.
    pub(super) number: u64,
    /// The sender's counts so far.
    pub(super) counts: RankCounts,
    /// True if the sender's part of the search has ended and nothing follows.
    pub(super) is_last: bool,
    pub(super) positions: Vec<PositionIncrement>,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    Control(Control),
    Increments(Increments),
}

/// A message that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message between ranks cannot be read: start the same program on all of them")]
pub(super) struct MessageError;

/// Returns the reason for refusing a program with other messages.
pub(super) fn version_difference(rank: usize) -> String {
    format!("rank {rank} is another version of the program than rank 0: start the same program on all ranks")
}

impl Control {
    /// Returns the message as bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![TAG_CONTROL];
        // Writing to memory cannot fail, and all keys are texts.
        serde_json::to_writer(&mut bytes, self).unwrap_or_default();
        bytes
    }
}

impl Increments {
    /// Returns the message as bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut writer = Writer { bytes: vec![TAG_INCREMENTS] };
        let RankCounts { simulations, bytes, new_pages, known_pages } = self.counts;
        for number in [self.number, u64::from(self.is_last), simulations, bytes, new_pages, known_pages] {
            writer.number(number);
        }
        writer.number(self.positions.len() as u64);
        self.positions.iter().for_each(|position| writer.increment(position));
        writer.bytes
    }

    fn read(bytes: &[u8]) -> Option<Increments> {
        let mut reader = Reader::new(bytes);
        let mut number = || reader.number();
        let (search, is_last) = (number()?, number()? != 0);
        let [simulations, bytes, new_pages, known_pages] = [number()?, number()?, number()?, number()?];
        let counts = RankCounts { simulations, bytes, new_pages, known_pages };
        let length = number()?;
        let positions = (0..length).map(|_| reader.increment()).collect::<Option<Vec<_>>>()?;
        reader.is_at_end().then_some(Increments { number: search, counts, is_last, positions })
    }
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// Returns an error if the bytes are no message of this version.
    pub(super) fn read(bytes: &[u8]) -> Result<Message, MessageError> {
        match bytes {
            [TAG_CONTROL, rest @ ..] => {
                serde_json::from_slice(rest).map(Message::Control).map_err(|_| MessageError)
            }
            [TAG_INCREMENTS, rest @ ..] => {
                Increments::read(rest).map(Message::Increments).ok_or(MessageError)
            }
            _ => Err(MessageError),
        }
    }
}

/// Writes the message with the increments of a round.
#[must_use]
pub fn write_increments(positions: Vec<PositionIncrement>) -> Vec<u8> {
    Increments { number: 1, counts: RankCounts::default(), is_last: false, positions }.bytes()
}

/// Reads the increments in a message; `None` if it is another one.
#[must_use]
pub fn read_increments(bytes: &[u8]) -> Option<Vec<PositionIncrement>> {
    match Message::read(bytes) {
        Ok(Message::Increments(increments)) => Some(increments.positions),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Komi, Position, Rules, Size};

    #[test]
    fn messages_are_read_back_as_they_were_written() {
        let root = Position::new(Size::new(9, 9).expect("a size"), Rules::CHINESE, Komi(15)).snapshot();
        let request = SearchRequest {
            number: 3,
            root,
            root_moves: Some(vec![true, false]),
            seed: u64::MAX,
            simulations: Some(1_000),
            time: Some(Duration::from_millis(300)),
        };
        for control in [Control::Search(Box::new(request)), Control::Quit, Control::Stop { number: 3 }] {
            assert_eq!(Message::read(&control.bytes()), Ok(Message::Control(control)));
        }
        let counts = RankCounts { simulations: 1, bytes: 2, new_pages: 3, known_pages: 4 };
        let increments = Increments { number: 7, counts, is_last: true, positions: Vec::new() };
        assert_eq!(Message::read(&increments.bytes()), Ok(Message::Increments(increments)));
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in [&b""[..], b"C", b"C{}", b"I", b"I\x01", b"X1", b"I\x01\x00\x00\x00\x00\x00\x05"] {
            assert_eq!(Message::read(bytes), Err(MessageError), "{bytes:?}");
        }
    }
}
