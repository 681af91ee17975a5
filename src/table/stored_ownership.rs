//! Ownership of points, stored in pages that follow those of a position's moves in its chain.
//!
//! Reports ask an evaluator in another process for ownership, a question beyond those of the search; here the answer lasts as
//! long as the position. Each owner is one of 63 levels from White's to Black's. A page holds 64 owners, by move number, in
//! six bit planes: bit i of plane b is bit b of the level of the page's owner i.
//!
//! Such a page has the shape of a ranked page without moves, so that everything that reads moves passes over it:
//!
//! | word     | bits   | content of an ownership page                                   |
//! |----------|--------|----------------------------------------------------------------|
//! | 3        | 48..64 | part: the number of the page's first owner / 64, plus 1        |
//! | 4, 5     | 0..64  | planes 0 and 1                                                 |
//! | 6 + i    | 0..16  | all ones: no move                                              |
//! |          | 16..36 | bits 20·(i mod 2) and the following 19 of plane 2 + ⌊i/2⌋      |
//! | 14 and 15 | 24·j.. | bits 40..64 of plane 2 + j (word 14) and 4 + j (word 15), j 0 and 1 |
//! | 15       | 48..57 | best move on no page, as on the page before it                 |

use super::atomic::{AtomicU64, overwrite};
use super::counters::Counters;
use super::edge::{Edge, VALUE_SHIFT};
use super::layout::{PAGE_HEADER_WORDS, RANKED_EDGES, Shape};
use super::page::{Page, REST_MASK};
use super::transposition_table::{ProtectedPath, Table};
use std::sync::atomic::Ordering::Relaxed;

/// Owners on a page.
const PAGE_OWNERS: usize = 64;
const PLANES: usize = 6;
/// The level of a point that is surely Black's; half of it is a point of neither player.
const MAX_LEVEL: f64 = 62.0;
const PART_SHIFT: u32 = 48;
const PART_WORD: usize = 3;
const PLANE_WORDS: [usize; 2] = [4, 5];
/// Bits of a plane in the value of one edge. Two edges hold a plane from plane 2 on but for its last bits.
const EDGE_BITS: usize = 20;
const EDGE_MASK: u64 = (1 << EDGE_BITS) - 1;
/// Last bits of such a plane, in a word of move numbers.
const REST_BITS: usize = 24;
const REST_BITS_MASK: u64 = (1 << REST_BITS) - 1;

/// One part of an ownership: the owners of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OwnershipPart {
    /// Number of the first owner / 64.
    part: usize,
    planes: [u64; PLANES],
}

impl Table {
    /// Returns the stored ownership of the position `key`: means of `points` points by move number, from -1 for White to
    /// 1 for Black. `None` if it is not stored, or not all of it.
    #[must_use]
    pub fn ownership(&self, key: u64, points: usize) -> Option<Vec<f64>> {
        let pages: Vec<Page<'_>> = self.chain(self.page(&self.find(key)?)?).collect();
        let mut owners = Vec::with_capacity(points.next_multiple_of(PAGE_OWNERS));
        for part in 0..points.div_ceil(PAGE_OWNERS) {
            let stored = pages.iter().filter_map(Page::ownership_part).find(|it| it.part == part)?;
            owners.extend(stored.means());
        }
        owners.truncate(points);
        pages.iter().all(Page::is_current).then_some(owners)
    }

    /// Stores the ownership of the position `key`, unless it is stored. Without effect if the position has no page, if its
    /// pages are complete, or if no page may be evicted.
    pub fn store_ownership(&self, key: u64, means: &[f64], counters: &mut Counters) {
        let shape = self.layout.shape;
        let protected = ProtectedPath { keys: &[key] };
        for (part, means) in means.chunks(PAGE_OWNERS).enumerate().filter(|_| shape.ranked) {
            let Some(entry) = self.find(key) else { return };
            let Some(first) = self.page(&entry) else { return };
            let is_stored = |page: &Page<'_>| page.ownership_part().is_some_and(|it| it.part == part);
            if self.chain(first).any(|page| is_stored(&page)) {
                continue;
            }
            let ownership = OwnershipPart::new(part, means);
            let content = |last: &Page<'_>| {
                let rest = last.rest_word();
                Some(move |words: &[AtomicU64]| ownership.fill(words, shape, rest))
            };
            self.append_page(&first, entry.total().visits, content, protected, counters);
        }
    }
}

impl Page<'_> {
    /// Returns the part of the position's ownership on this page; `None` if the page holds moves.
    pub(super) fn ownership_part(&self) -> Option<OwnershipPart> {
        let part = self.words[PART_WORD].load(Relaxed) >> PART_SHIFT;
        let part =
            (self.shape.ranked && self.rank() > 0).then(|| (part as usize).checked_sub(1)).flatten()?;
        Some(OwnershipPart { part, planes: self.planes() })
    }

    /// Returns the bits of the best move on no page.
    pub(super) fn rest_word(&self) -> u64 {
        self.words[self.shape.move_words_start() + 1].load(Relaxed) & REST_MASK
    }

    fn planes(&self) -> [u64; PLANES] {
        let word = |index: usize| self.words[index].load(Relaxed);
        let edge = |index: usize| word(PAGE_HEADER_WORDS + index) >> VALUE_SHIFT & EDGE_MASK;
        std::array::from_fn(|plane| match plane.checked_sub(PLANE_WORDS.len()) {
            None => word(PLANE_WORDS[plane]),
            Some(split) => {
                let pair = word(self.shape.move_words_start() + split / 2);
                let rest = pair >> (REST_BITS * (split % 2)) & REST_BITS_MASK;
                edge(2 * split) | edge(2 * split + 1) << EDGE_BITS | rest << (2 * EDGE_BITS)
            }
        })
    }
}

impl OwnershipPart {
    /// Rounds means from -1 to 1 to levels; the owners beyond `means` are White's.
    fn new(part: usize, means: &[f64]) -> OwnershipPart {
        let mut planes = [0; PLANES];
        for (place, mean) in means.iter().enumerate() {
            let level = ((mean.clamp(-1.0, 1.0) + 1.0) / 2.0 * MAX_LEVEL).round() as u64;
            for (bit, plane) in planes.iter_mut().enumerate() {
                *plane |= (level >> bit & 1) << place;
            }
        }
        OwnershipPart { part, planes }
    }

    fn means(self) -> impl Iterator<Item = f64> {
        let level =
            move |place: usize| (0..PLANES).map(|bit| (self.planes[bit] >> place & 1) << bit).sum::<u64>();
        (0..PAGE_OWNERS).map(move |place| (level(place) as f64 / MAX_LEVEL * 2.0 - 1.0).min(1.0))
    }

    /// Fills the words of a page that no worker reads, except for the first three; `rest` is the [rest
    /// word](Page::rest_word) of the page before it.
    pub(super) fn fill(&self, words: &[AtomicU64], shape: Shape, rest: u64) {
        overwrite(&words[PART_WORD], (self.part as u64 + 1) << PART_SHIFT);
        PLANE_WORDS.iter().zip(self.planes).for_each(|(&index, plane)| overwrite(&words[index], plane));
        let split = &self.planes[PLANE_WORDS.len()..];
        for index in 0..RANKED_EDGES {
            let bits = split[index / 2] >> (EDGE_BITS * (index % 2)) & EDGE_MASK;
            overwrite(&words[PAGE_HEADER_WORDS + index], Edge::fresh(None).0 | bits << VALUE_SHIFT);
        }
        let pair =
            |first: usize| split[first] >> (2 * EDGE_BITS) | split[first + 1] >> (2 * EDGE_BITS) << REST_BITS;
        let moves = shape.move_words_start();
        overwrite(&words[moves], pair(0));
        overwrite(&words[moves + 1], pair(2) | rest);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::base::game::Prior;
    use crate::base::value::Value;

    const MOVES: usize = 362;
    const KEY: u64 = 77 << 40;

    /// Returns a table with one page for the position [`KEY`].
    fn table(shape: Shape) -> Table {
        let (table, mut counters) = (Table::new(shape, 1 << 16).expect("a table"), Counters::default());
        let entry = table.find_or_claim(KEY, ProtectedPath::default(), &mut counters).expect("an entry");
        let priors: Vec<Option<Prior>> =
            (0..MOVES).map(|it| Some(Prior { visits: 9, wins: (it % 9) as u8 })).collect();
        table.claim_page(&entry, || priors, ProtectedPath::default(), &mut counters).expect("a page");
        table
    }

    fn means(points: usize) -> Vec<f64> {
        (0..points).map(|point| (point as f64 * 0.7).sin()).collect()
    }

    #[test]
    fn an_ownership_is_read_as_it_was_stored_to_a_sixtieth() {
        let table = table(Shape::ranked(MOVES));
        assert_eq!(table.ownership(KEY, 361), None);
        let stored = [means(360), vec![1.0]].concat();
        table.store_ownership(KEY, &stored, &mut Counters::default());
        let found = table.ownership(KEY, 361).expect("an ownership");
        assert!(stored.iter().zip(&found).all(|(one, other)| (one - other).abs() < 1.0 / 60.0));
        assert_eq!((found.len(), found[360]), (361, 1.0));
        table.store_ownership(KEY, &means(361), &mut Counters::default());
        assert_eq!(table.ownership(KEY, 361), Some(found), "the first one stays");
        assert_eq!(table.ownership(KEY + 1, 361), None);
    }

    #[test]
    fn moves_are_read_and_added_around_an_ownership_as_without_it() {
        let (table, other) = (table(Shape::ranked(MOVES)), table(Shape::ranked(MOVES)));
        let mut counters = Counters::default();
        table.store_ownership(KEY, &means(361), &mut counters);
        let moves = |table: &Table| {
            let first = table.page(&table.find(KEY).expect("an entry")).expect("a page");
            let priors: Vec<_> =
                (0..MOVES).map(|it| Some(Prior { visits: 9, wins: (it % 9) as u8 })).collect();
            assert!(table.claim_next_page(
                &first,
                || Some(priors),
                ProtectedPath::default(),
                &mut Counters::default()
            ));
            let entry = table.find(KEY).expect("an entry");
            let last = table.chain(first).last().expect("a page");
            table.visit_edge(&entry, &last, 0, Value::WIN);
            let pages: Vec<Page<'_>> = table.chain(first).collect();
            assert!(pages.iter().all(|page| page.fault().is_none()));
            pages.iter().flat_map(|page| page.moves().collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        assert_eq!(moves(&table), moves(&other));
        let found = table.ownership(KEY, 361).expect("an ownership");
        assert!(means(361).iter().zip(&found).all(|(one, other)| (one - other).abs() < 1.0 / 60.0));
    }

    #[test]
    fn complete_pages_store_no_ownership() {
        let table = table(Shape::complete(MOVES));
        table.store_ownership(KEY, &means(361), &mut Counters::default());
        assert_eq!(table.ownership(KEY, 361), None);
    }
}
