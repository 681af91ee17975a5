//! Increments of positions as bytes: numbers of variable length, seven bits a byte, the lowest first; keys and words in full.

use crate::base::game::{Bounds, Prior};
use crate::base::value::{Estimate, Value};
use crate::table::VisitsAndValue;
use crate::table::{EdgeIncrement, LeafPlayouts, PageContent, PageEvaluation, PositionIncrement, ScoreMean};

/// Maximum number of elements in a list of a message: more than a position has moves.
const MAX_LIST: u64 = 1 << 12;

/// Flags of the parts that follow in an increment.
const HAS_BOUNDS: u64 = 1;
const HAS_TWIN: u64 = 2;

/// Bytes being written.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    /// Writes a number of variable length.
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn word(&mut self, word: u64) {
        self.bytes.extend(word.to_le_bytes());
    }

    fn half_word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    fn prior(&mut self, prior: Prior) {
        self.bytes.extend([prior.visits, prior.wins]);
    }

    /// Writes an increment.
    pub(super) fn increment(&mut self, increment: &PositionIncrement) {
        let PositionIncrement { key, visits, leaf_playouts, total, bounds, has_twin, edges, pages } =
            increment;
        self.word(*key);
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        self.number(flag(bounds.is_some(), HAS_BOUNDS) | flag(*has_twin, HAS_TWIN));
        self.number((*visits).into());
        self.number(leaf_playouts.visits.into());
        self.number(leaf_playouts.half_points.into());
        self.number(total.visits.into());
        self.half_word(total.value.0);
        if let Some(Bounds { lower, upper }) = bounds {
            self.bytes.extend(lower.to_le_bytes());
            self.bytes.extend(upper.to_le_bytes());
        }
        self.number(edges.len() as u64);
        for EdgeIncrement { number, visits, value } in edges {
            self.number((*number).into());
            self.number((*visits).into());
            self.half_word(value.0);
        }
        self.number(pages.len() as u64);
        pages.iter().for_each(|page| self.page(page));
    }

    fn page(&mut self, page: &PageContent) {
        let PageContent { order, moves, rest, evaluation: PageEvaluation { estimate, score } } = page;
        self.number((*order).into());
        self.number(moves.len() as u64);
        for (number, prior) in moves {
            self.number((*number).into());
            self.prior(*prior);
        }
        self.option(*rest, Writer::prior);
        self.option(*estimate, |writer, Estimate { value, weight }| {
            writer.half_word(value.0);
            writer.bytes.push(weight);
        });
        self.option(*score, |writer, score| writer.word(score.pack()));
    }

    fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Writer, T)) {
        self.bytes.push(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }
}

/// Bytes being read. Every function returns `None` where the bytes end too early or are impossible.
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes }
    }

    /// Returns true if all bytes have been read.
    pub(super) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*taken)
    }

    /// Reads a number of variable length.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let [byte] = self.take()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    fn value(&mut self) -> Option<Value> {
        Some(Value(u32::from_le_bytes(self.take()?)))
    }

    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.number().filter(|length| *length <= MAX_LIST)?;
        (0..length).map(|_| element(self)).collect()
    }

    fn option<T>(&mut self, element: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.take()? {
            [0] => Some(None),
            [1] => Some(Some(element(self)?)),
            _ => None,
        }
    }

    fn prior(&mut self) -> Option<Prior> {
        let [visits, wins] = self.take()?;
        Some(Prior { visits, wins })
    }

    fn bounds(&mut self) -> Option<Bounds> {
        let [lower, upper] = [self.take()?, self.take()?].map(i16::from_le_bytes);
        (lower <= upper).then_some(Bounds { lower, upper })
    }

    /// Reads an increment.
    pub(super) fn increment(&mut self) -> Option<PositionIncrement> {
        let key = u64::from_le_bytes(self.take()?);
        let flags = self.number()?;
        let visits = self.small()?;
        let leaf_playouts = self.leaf_playouts()?;
        let total = VisitsAndValue { visits: self.small()?, value: self.value()? };
        let bounds = if flags & HAS_BOUNDS != 0 { Some(self.bounds()?) } else { None };
        let edges = self.list(|it| {
            Some(EdgeIncrement { number: it.small()?, visits: it.small()?, value: it.value()? })
        })?;
        let pages = self.list(Reader::page)?;
        let has_twin = flags & HAS_TWIN != 0;
        Some(PositionIncrement { key, visits, leaf_playouts, total, bounds, has_twin, edges, pages })
    }

    fn leaf_playouts(&mut self) -> Option<LeafPlayouts> {
        let (visits, half_points) = (self.small()?, self.small()?);
        let is_possible = visits < 1 << 30 && half_points <= 2 * visits;
        is_possible.then_some(LeafPlayouts { visits, half_points })
    }

    fn page(&mut self) -> Option<PageContent> {
        let order = self.small()?;
        let moves = self.list(|it| Some((it.small()?, it.prior()?)))?;
        let rest = self.option(Reader::prior)?;
        let estimate = self.option(|it| {
            let value = it.value()?;
            let [weight] = it.take()?;
            Some(Estimate { value, weight })
        })?;
        let score = self.option(|it| Some(ScoreMean::unpack(u64::from_le_bytes(it.take()?))))?;
        Some(PageContent { order, moves, rest, evaluation: PageEvaluation { estimate, score } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::PlayoutRng;

    /// Returns a random increment.
    fn increment(rng: &mut PlayoutRng) -> PositionIncrement {
        let visits = 1 + rng.below(1 << 20) as u32;
        let prior = Prior { visits: 9, wins: 4 };
        let page = |order: u8| PageContent {
            order,
            moves: (0..8).map(|number| (40 * number, prior)).collect(),
            rest: (order == 0).then_some(prior),
            evaluation: PageEvaluation {
                estimate: (order == 0).then_some(Estimate { value: Value(0x1234_1234), weight: 3 }),
                score: (order == 0).then_some(ScoreMean { mean: 2.5, deviation: 4.0, weight: 1.0 }),
            },
        };
        let edges = rng.below(9) as u16;
        let edge =
            |number| EdgeIncrement { number: number * 30, visits: 77 + u32::from(number), value: Value(9) };
        PositionIncrement {
            key: u64::MAX - rng.below(1 << 30) as u64,
            visits,
            leaf_playouts: LeafPlayouts { visits: 3, half_points: 5 },
            total: VisitsAndValue { visits: u32::MAX, value: Value(0x8765_4321) },
            bounds: (rng.below(2) == 0).then_some(Bounds { lower: -361, upper: 7 }),
            has_twin: rng.below(2) == 0,
            edges: (0..edges).map(edge).collect(),
            pages: (0..rng.below(3) as u8).map(page).collect(),
        }
    }

    #[test]
    fn increments_are_read_back_as_they_were_written() {
        let mut rng = PlayoutRng::new(1, 0);
        let all: Vec<PositionIncrement> = (0..200).map(|_| increment(&mut rng)).collect();
        let mut writer = Writer::default();
        all.iter().for_each(|it| writer.increment(it));
        let mut reader = Reader::new(&writer.bytes);
        let read: Option<Vec<_>> = all.iter().map(|_| reader.increment()).collect();
        assert_eq!(read, Some(all));
        assert!(reader.is_at_end());
    }

    #[test]
    fn bytes_that_are_cut_or_damaged_are_no_reason_to_panic() {
        let mut rng = PlayoutRng::new(2, 0);
        for _ in 0..2_000 {
            let mut writer = Writer::default();
            writer.increment(&increment(&mut rng));
            let mut bytes = writer.bytes;
            assert_eq!(Reader::new(&bytes[..bytes.len() - 1]).increment(), None);
            let at = rng.below(bytes.len());
            bytes[at] ^= 1 << rng.below(8);
            let _ = Reader::new(&bytes).increment();
        }
    }
}
