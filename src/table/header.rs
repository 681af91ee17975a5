//! The header of a table: its identity, which makes a file self-contained, and its counters.
//!
//! | word    | content                                                                                 |
//! |---------|-----------------------------------------------------------------------------------------|
//! | 0       | the eight characters `TewariTT`                                                         |
//! | 1       | byte order: bytes 1 to 8, the least significant first                                   |
//! | 2       | version of the format                                                                   |
//! | 3       | number of moves; bit 32: the pages have policy state; bit 33: they are ranked           |
//! | 4, 5    | number of buckets, number of pages                                                     |
//! | 6       | seed of the keys                                                                        |
//! | 7       | checksum of words 0..7, 8..16 and 32..64                                                |
//! | 8..12   | the game, as text padded with zeros: `go 9x9`                                           |
//! | 12..14  | selection policy that owns the policy state, as text; empty if there is none            |
//! | 14      | identity of the network behind the estimates and priors; 0 is none                      |
//! | 16      | generation                                                                              |
//! | 17      | number of times the file was opened for writing                                         |
//! | 18      | random number of the process that was active last                                       |
//! | 19      | epoch, state of use and boot of the machine, see `file/session.rs`                      |
//! | 20      | lineage, a single number, being written to words 40..64 and 7; 0 is none                |
//! | 21      | identity of the file on its machine, see `file/session.rs`; 0 is unknown                |
//! | 24..28  | entries used, pages used, clock hand, claims: written by claims                        |
//! | 28      | claims when the present generation began                                                |
//! | 32..40  | rules, komi and key policy, as text; searches with other rules and komi may share a table |
//! | 40..64  | lineage: random numbers, see [`Lineage`]; 0 is none                                     |
//!
//! Word 0 is written when everything else is on the disk, so a file left incomplete is not taken for a table. A table
//! on the heap uses only words 16 to 31.

use super::atomic::AtomicU64;
use super::layout::{Layout, Shape};
use crate::base::checksum::fnv1a;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::atomic::Ordering::{Relaxed, Release};

/// The present generation, modulo the number of generations.
pub(super) const GENERATION: usize = 16;
pub(super) const OPEN_COUNT: usize = 17;
/// See `Table::is_shared_now`.
pub(super) const SEARCHER: usize = 18;
/// See `file/session.rs`.
pub(super) const USE_STATE: usize = 19;
const PENDING_LINEAGE: usize = 20;
/// See `file/session.rs`.
pub(super) const FILE_IDENTITY: usize = 21;
/// Entries in use. The words from here on are written by claims, and lie in another cache line than those read with
/// every entry.
pub(super) const ENTRIES_USED: usize = 24;
/// Pages in use.
pub(super) const PAGES_USED: usize = 25;
/// Position of the clock hand.
pub(super) const CLOCK: usize = 26;
/// Number of entries claimed.
pub(super) const CLAIMS: usize = 27;
pub(super) const CLAIMS_AT_GENERATION: usize = 28;

/// The counters that [`Table::clear`](super::Table::clear) sets to zero.
pub(super) const CLEARED_WORDS: Range<usize> = ENTRIES_USED..GAME_SETTINGS.start;

const MAGIC: u64 = u64::from_le_bytes(*b"TewariTT");
const BYTE_ORDER: u64 = 0x0807_0605_0403_0201;
/// The version of the format that this program reads and writes.
pub(super) const VERSION: u64 = 5;
/// Bits of word 3.
const HAS_POLICY_STATE: u64 = 1 << 32;
const RANKED: u64 = 1 << 33;
const CHECKSUM: usize = 7;
const GAME: Range<usize> = 8..12;
const POLICY_STATE: Range<usize> = 12..14;
const NETWORK: usize = 14;
const GAME_SETTINGS: Range<usize> = 32..40;
const LINEAGE: Range<usize> = 40..64;

/// The identity of a table in a file. Tables of different identities are never mixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableIdentity {
    /// The game and its board, at most 32 bytes: `go 9x9`.
    pub game: String,
    /// Seed of the position keys.
    pub key_seed: u64,
    /// Name of the selection policy that owns the policy state, at most 16 bytes; empty if the pages have none.
    pub policy_state: String,
    /// Identity of the network that evaluated the positions; `None` if there was none.
    pub network: Option<NonZeroU64>,
    /// Rules, komi and key policy, at most 64 bytes. Not compared here: rules and komi are part of the keys, and the
    /// engine compares the key policy.
    pub game_settings: String,
}

/// The origin of a table's samples: one random number for each table that was begun empty and contributed samples.
/// Two tables with a number in common share samples, and cannot simply be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lineage(Vec<u64>);

impl Lineage {
    /// Maximum number of origins.
    const CAPACITY: usize = LINEAGE.end - LINEAGE.start;

    /// Returns the lineage of a table begun empty; `random` is not 0.
    #[must_use]
    pub(super) fn begun(random: u64) -> Lineage {
        Lineage(vec![random.max(1)])
    }

    /// Returns the lineage with the given numbers, without those that a header has no room for.
    #[must_use]
    pub fn of(mut numbers: Vec<u64>) -> Lineage {
        numbers.retain(|number| *number != 0);
        numbers.truncate(Lineage::CAPACITY);
        Lineage(numbers)
    }

    /// Returns the random numbers.
    #[must_use]
    pub fn origins(&self) -> &[u64] {
        &self.0
    }

    /// Returns true if the two tables may share samples.
    #[must_use]
    pub fn overlaps(&self, other: &Lineage) -> bool {
        self.0.iter().any(|number| other.0.contains(number))
    }

    /// Returns the lineage of a table with the samples of both; `None` if it has too many numbers.
    #[must_use]
    pub fn union(&self, other: &Lineage) -> Option<Lineage> {
        let mut numbers = self.0.clone();
        numbers.extend(other.0.iter().filter(|number| !self.0.contains(number)));
        (numbers.len() <= Lineage::CAPACITY).then_some(Lineage(numbers))
    }

    /// Returns the origins in both lineages; `None` if there are none.
    #[must_use]
    pub fn common(&self, other: &Lineage) -> Option<Lineage> {
        let numbers: Vec<u64> = self.0.iter().copied().filter(|number| other.0.contains(number)).collect();
        (!numbers.is_empty()).then_some(Lineage(numbers))
    }

    /// Returns the words of the header, padded with zeros.
    fn words(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied().chain(std::iter::repeat(0)).take(Lineage::CAPACITY)
    }

    /// Returns the number of origins.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.0.len()
    }
}

/// A reason to reject a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HeaderFault {
    Magic,
    ByteOrder,
    Version(u64),
    Checksum,
    Layout,
}

/// The contents of a valid header.
pub(super) struct Header {
    pub(super) layout: Layout,
    pub(super) identity: TableIdentity,
    pub(super) lineage: Lineage,
}

/// Writes all fixed words except word 0; leaves the counters unchanged.
pub(super) fn write(words: &[AtomicU64], layout: &Layout, identity: &TableIdentity, lineage: &Lineage) {
    let Layout { shape, buckets, pages } = *layout;
    let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
    let moves = shape.moves as u64 | flag(shape.policy_state, HAS_POLICY_STATE) | flag(shape.ranked, RANKED);
    let fixed = [BYTE_ORDER, VERSION, moves, buckets as u64, pages as u64, identity.key_seed];
    for (word, value) in words[1..].iter().zip(fixed) {
        word.store(value, Relaxed);
    }
    write_text(&words[GAME], &identity.game);
    write_text(&words[POLICY_STATE], &identity.policy_state);
    words[NETWORK].store(identity.network.map_or(0, NonZeroU64::get), Relaxed);
    write_text(&words[GAME_SETTINGS], &identity.game_settings);
    for (word, number) in words[LINEAGE].iter().zip(lineage.words()) {
        word.store(number, Relaxed);
    }
    words[CHECKSUM].store(checksum(words, lineage), Relaxed);
}

/// Writes word 0, which completes the table.
pub(super) fn complete(words: &[AtomicU64]) {
    words[0].store(MAGIC, Relaxed);
}

/// Replaces the lineage. Even if the process is killed meanwhile, the header stays valid, with the old lineage or the
/// new one.
pub(super) fn begin_lineage(words: &[AtomicU64], lineage: &Lineage) {
    words[PENDING_LINEAGE].store(lineage.0.first().copied().unwrap_or(0), Release);
    words[CHECKSUM].store(checksum(words, lineage), Release);
    for (word, number) in words[LINEAGE].iter().zip(lineage.words()) {
        word.store(number, Release);
    }
    words[PENDING_LINEAGE].store(0, Release);
}

/// Adds an origin to the lineage `before`. Even if the process is killed meanwhile, the header stays valid, with the old
/// lineage or the new one; returns that.
pub(super) fn add_origin(words: &[AtomicU64], before: &Lineage, number: u64) -> Lineage {
    let added = before.union(&Lineage::begun(number)).filter(|lineage| lineage != before);
    let Some(lineage) = added else { return before.clone() };
    words[PENDING_LINEAGE].store(number, Release);
    words[CHECKSUM].store(checksum(words, &lineage), Release);
    for (word, number) in words[LINEAGE].iter().zip(lineage.words()) {
        word.store(number, Release);
    }
    words[PENDING_LINEAGE].store(0, Release);
    lineage
}

/// Reads and validates the fixed words of a file.
pub(super) fn read(words: &[AtomicU64]) -> Result<Header, HeaderFault> {
    let word = |index: usize| words[index].load(Relaxed);
    if word(0) == MAGIC.swap_bytes() || (word(0) == MAGIC && word(1) == BYTE_ORDER.swap_bytes()) {
        return Err(HeaderFault::ByteOrder);
    }
    if word(0) != MAGIC {
        return Err(HeaderFault::Magic);
    }
    if word(1) != BYTE_ORDER {
        return Err(HeaderFault::ByteOrder);
    }
    if word(2) != VERSION {
        return Err(HeaderFault::Version(word(2)));
    }
    let written =
        Lineage(words[LINEAGE].iter().map(|word| word.load(Relaxed)).filter(|&id| id != 0).collect());
    let pending = Lineage(vec![word(PENDING_LINEAGE)]);
    let fits = |lineage: &Lineage| word(CHECKSUM) == checksum(words, lineage);
    let zeros_fit = words[LINEAGE].iter().map(|word| word.load(Relaxed)).eq(written.words());
    let extended = written.union(&pending);
    let lineage = if zeros_fit && fits(&written) {
        written
    } else if word(PENDING_LINEAGE) != 0 && fits(&pending) {
        pending
    } else if let Some(extended) = extended.filter(|all| zeros_fit && word(PENDING_LINEAGE) != 0 && fits(all))
    {
        extended
    } else {
        return Err(HeaderFault::Checksum);
    };
    let number = |index: usize| usize::try_from(word(index)).map_err(|_| HeaderFault::Layout);
    let moves = (word(3) as u32) as usize;
    let shape = Shape { moves, ranked: word(3) & RANKED != 0, policy_state: word(3) & HAS_POLICY_STATE != 0 };
    let layout = Layout { shape, buckets: number(4)?, pages: number(5)? };
    if !layout.is_possible() {
        return Err(HeaderFault::Layout);
    }
    let identity = TableIdentity {
        game: read_text(&words[GAME]),
        key_seed: word(6),
        policy_state: read_text(&words[POLICY_STATE]),
        network: NonZeroU64::new(word(NETWORK)),
        game_settings: read_text(&words[GAME_SETTINGS]),
    };
    Ok(Header { layout, identity, lineage })
}

/// Returns the FNV-1a checksum of the fixed words with the given lineage.
fn checksum(words: &[AtomicU64], lineage: &Lineage) -> u64 {
    let fixed = words[1..CHECKSUM].iter().chain(&words[GAME.start..GENERATION]).chain(&words[GAME_SETTINGS]);
    let fixed = fixed.map(|word| word.load(Relaxed));
    fnv1a([MAGIC].into_iter().chain(fixed).chain(lineage.words()).flat_map(u64::to_le_bytes))
}

fn write_text(words: &[AtomicU64], text: &str) {
    let mut bytes = text.bytes().chain(std::iter::repeat(0));
    for word in words {
        word.store(u64::from_le_bytes(std::array::from_fn(|_| bytes.next().unwrap_or(0))), Relaxed);
    }
}

/// Reads text up to the first zero. Replaces control characters, which in a foreign file could break a one-line
/// message or move a terminal's cursor.
fn read_text(words: &[AtomicU64]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect();
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    let shown = |symbol: char| if symbol.is_control() { char::REPLACEMENT_CHARACTER } else { symbol };
    String::from_utf8_lossy(text).chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::layout::HEADER_WORDS;

    fn words() -> Vec<AtomicU64> {
        (0..HEADER_WORDS).map(|_| AtomicU64::new(0)).collect()
    }

    fn written() -> (Vec<AtomicU64>, Layout, TableIdentity) {
        let layout =
            Layout::fit(Shape { policy_state: true, ..Shape::complete(82) }, 1 << 20).expect("a layout");
        let identity = TableIdentity {
            game: "go 9x9".to_owned(),
            key_seed: 7,
            policy_state: "ucb-improved".to_owned(),
            network: NonZeroU64::new(0x1234_5678_9abc_def0),
            game_settings: "rules chinese, komi 7.5".to_owned(),
        };
        let words = words();
        write(&words, &layout, &identity, &Lineage::begun(9));
        complete(&words);
        (words, layout, identity)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let (words, layout, identity) = written();
        words[GENERATION].store(5, Relaxed);
        words[CLAIMS].store(99, Relaxed);
        let header = read(&words).expect("a header");
        assert_eq!((header.layout, header.identity, header.lineage), (layout, identity, Lineage(vec![9])));
    }

    #[test]
    fn texts_of_a_strangers_file_stay_in_one_line() {
        let (words, ..) = written();
        words[GAME_SETTINGS.start].store(u64::from_le_bytes(*b"a\nb\r\x1b[cd"), Relaxed);
        words[GAME_SETTINGS.start + 1].store(0, Relaxed);
        words[CHECKSUM].store(checksum(&words, &Lineage::begun(9)), Relaxed);
        let setting = read(&words).expect("a header").identity.game_settings;
        assert_eq!(setting, "a\u{fffd}b\u{fffd}\u{fffd}[cd");
    }

    #[test]
    fn any_bit_that_is_wrong_is_noticed() {
        for index in (0..16).chain(32..HEADER_WORDS) {
            for bit in [0, 17, 63] {
                let (words, ..) = written();
                words[index].fetch_xor(1 << bit, Relaxed);
                assert!(read(&words).is_err(), "word {index}, bit {bit}");
            }
        }
        let (words, ..) = written();
        words.iter().for_each(|word| word.store(word.load(Relaxed).swap_bytes(), Relaxed));
        assert_eq!(read(&words).err(), Some(HeaderFault::ByteOrder));
    }

    #[test]
    fn a_layout_that_cannot_be_is_refused_whatever_the_checksum_says() {
        for (index, value) in [(4, 0), (5, 1), (5, u64::MAX), (4, u64::MAX), (3, 0), (3, u64::from(u32::MAX))]
        {
            let (words, ..) = written();
            words[index].store(value, Relaxed);
            words[CHECKSUM].store(checksum(&words, &Lineage::begun(9)), Relaxed);
            assert_eq!(read(&words).err(), Some(HeaderFault::Layout), "word {index} is {value}");
        }
    }

    #[test]
    fn a_lineage_that_is_half_written_is_the_one_before_or_the_new_one() {
        let (words, layout, identity) = written();
        let old = Lineage(vec![9, 8, 7]);
        write(&words, &layout, &identity, &old);
        let new = Lineage::begun(5);
        // The stores of `begin_lineage`, in its order.
        let sum = checksum(&words, &new);
        let stores = [(PENDING_LINEAGE, 5), (CHECKSUM, sum), (LINEAGE.start, 5), (LINEAGE.start + 1, 0)];
        for (index, value) in stores {
            words[index].store(value, Relaxed);
            let expected = if index == PENDING_LINEAGE { &old } else { &new };
            assert_eq!(&read(&words).expect("a header").lineage, expected, "word {index}");
        }
        begin_lineage(&words, &new);
        assert_eq!(read(&words).expect("a header").lineage, new);
    }

    #[test]
    fn an_origin_that_is_half_added_is_there_or_not() {
        let (words, layout, identity) = written();
        let old = Lineage(vec![9, 8]);
        write(&words, &layout, &identity, &old);
        let new = Lineage(vec![9, 8, 5]);
        let sum = checksum(&words, &new);
        for (index, value) in [(PENDING_LINEAGE, 5), (CHECKSUM, sum), (LINEAGE.start + 2, 5)] {
            words[index].store(value, Relaxed);
            let expected = if index == PENDING_LINEAGE { &old } else { &new };
            assert_eq!(&read(&words).expect("a header").lineage, expected, "word {index}");
        }
        assert_eq!(add_origin(&words, &new, 5), new, "it is there");
        assert_eq!(read(&words).expect("a header").lineage, new);
        assert_eq!(add_origin(&words, &new, 4), Lineage(vec![9, 8, 5, 4]));
        assert_eq!(read(&words).expect("a header").lineage.tables(), 4);
    }

    #[test]
    fn what_is_not_complete_is_no_table() {
        let (words, ..) = written();
        words[0].store(0, Relaxed);
        assert_eq!(read(&words).err(), Some(HeaderFault::Magic));
    }

    #[test]
    fn lineages_overlap_where_they_share_a_table() {
        let [one, other] = [1, 2].map(Lineage::begun);
        let both = one.union(&other).expect("room");
        assert!(!one.overlaps(&other) && both.overlaps(&one) && both.overlaps(&other));
        assert_eq!((both.tables(), both.union(&one)), (2, Some(both.clone())));
        let many = (3..100).try_fold(both, |all, number| all.union(&Lineage::begun(number)));
        assert_eq!(many, None);
    }
}
