//! Halving of a position's visits: all counters together, so that its moves keep their order.
//!
//! Halving one counter alone would put the best move behind the second. When one edge has
//! [`EDGE_VISITS_FULL`] visits, or the position has [`TOTAL_VISITS_FULL`], one worker therefore halves the visits of
//! every edge of the chain, the leaf playouts and the visits of the position; values stay. The counters have room above these
//! limits for the visits that other workers add meanwhile; only the halves of odd numbers are lost.
//!
//! | bits   | field | meaning of word 3 of the first page                                               |
//! |--------|-------|-------------------------------------------------------------------------------------|
//! | 0..32  | step  | counters already halved: the edges, the leaf playouts, the position's visits        |
//! | 32..40 | level | fill level of the fullest counter when the halving began, 128 to 255; 0 is none     |
//!
//! The worker that stores the level by compare-and-swap does the halving and counts its steps there; it first tests
//! the level again, since another worker may just have finished. One level is 1/128 of a full counter: 2^20 visits of
//! an edge, or 2^24 of a position. A worker that finds a counter above the stored level assumes that the halving
//! worker was killed, and continues from its step. At most the counter of that step is then halved twice. A selection
//! that reads the edges during the microsecond of a halving may see them half done.

use crate::table::edge::{EDGE_VISITS_FULL, Edge};
use crate::table::entry::{Entry, TOTAL_VISITS_FULL};
use crate::table::page::{ESTIMATE_MASK, Page};
use crate::table::transposition_table::Table;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

const FULL_LEVEL: u64 = 128;
const MAX_LEVEL: u64 = 255;
const LEVEL_SHIFT: u32 = 32;

impl Table {
    /// Halves the visits of `entry`'s position if they are full and no other worker does so.
    #[cold]
    pub(in crate::table) fn halve_visits(&self, entry: &Entry<'_>) {
        let Some(first) = self.page(entry) else { return };
        let chain: Vec<Page<'_>> = self.chain(first).collect();
        if !entry.is_current() || !first.is_current() {
            return;
        }
        let edges =
            chain.iter().flat_map(|page| (0..self.layout.shape.edges()).map(move |index| (page, index)));
        let edges: Vec<(&Page<'_>, usize)> = edges.collect();
        let Some(mut state) = begin_halving(entry, &chain, edges.len()) else { return };
        let steps = edges.len() as u64 + 2;
        let estimate = state & ESTIMATE_MASK;
        for step in state & u64::from(u32::MAX)..steps {
            match edges.get(step as usize) {
                Some((page, index)) if page.is_current() => {
                    page.change_edge(*index, Edge::halved);
                }
                Some(_) => {}
                None if step as usize == edges.len() => entry.halve_leaf_playouts(),
                None => entry.halve_total(),
            }
            let next = if step + 1 == steps { estimate } else { state + 1 };
            // Fails if another worker has taken over, or the page was evicted.
            if first.halving_word().compare_exchange(state, next, Release, Relaxed).is_err() {
                return;
            }
            state = next;
        }
    }
}

/// Claims the halving and returns the word stored; `None` if no counter is full or another worker is halving.
fn begin_halving(entry: &Entry<'_>, chain: &[Page<'_>], edges: usize) -> Option<u64> {
    let word = chain.first()?.halving_word();
    let level = fill_level(entry, chain);
    let found = word.load(Acquire);
    let step = found & u64::from(u32::MAX);
    let (estimate, under_way) = (found & ESTIMATE_MASK, (found & !ESTIMATE_MASK) >> LEVEL_SHIFT);
    // Other values are damage.
    let is_under_way = (FULL_LEVEL..=MAX_LEVEL).contains(&under_way) && step < edges as u64 + 2;
    if level < FULL_LEVEL || (is_under_way && level <= under_way && level < MAX_LEVEL) {
        return None;
    }
    let state = estimate | level << LEVEL_SHIFT | if is_under_way { step } else { 0 };
    word.compare_exchange(found, state, AcqRel, Relaxed).ok()?;
    if !is_under_way && fill_level(entry, chain) < FULL_LEVEL {
        let _ = word.compare_exchange(state, estimate, Release, Relaxed);
        return None;
    }
    Some(state)
}

/// Returns the fill level of the position's fullest counter, in 1/128.
fn fill_level(entry: &Entry<'_>, chain: &[Page<'_>]) -> u64 {
    let edge = chain.iter().flat_map(Page::edges).map(Edge::visits).max().unwrap_or(0);
    let of = |visits: u32, full: u32| u64::from(visits) * FULL_LEVEL / u64::from(full);
    of(edge, EDGE_VISITS_FULL).max(of(entry.total().visits, TOTAL_VISITS_FULL))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::base::game::Prior;
    use crate::base::value::Value;
    use crate::table::{Counters, ProtectedPath, Shape, VisitsAndValue};

    const MOVES: usize = 6;

    /// Calls `test` with a position two visits short of full on every edge.
    fn with_edges(test: impl Fn(&Table, &Entry<'_>, &Page<'_>)) {
        let table = Table::new(Shape::complete(MOVES), 1 << 16).expect("a table");
        let mut counters = Counters::default();
        let entry = table.find_or_claim(77 << 40, ProtectedPath::default(), &mut counters).expect("an entry");
        let priors = [Some(Prior::default()); MOVES];
        let page =
            table.claim_page(&entry, || priors, ProtectedPath::default(), &mut counters).expect("a page");
        for index in 0..MOVES {
            table.add_visits(&entry, &page, index, EDGE_VISITS_FULL - 2, Value::WIN);
        }
        entry.set_total(VisitsAndValue { visits: MOVES as u32 * EDGE_VISITS_FULL, value: Value::DRAW });
        test(&table, &entry, &page);
    }

    #[test]
    fn a_halving_whose_worker_was_killed_is_finished_from_its_step() {
        with_edges(|table, entry, page| {
            for step in 0..4 {
                page.change_edge(step, Edge::halved);
            }
            page.halving_word().store(FULL_LEVEL << LEVEL_SHIFT | 4, Relaxed);
            // Below the next level: the other worker may still be halving.
            assert_eq!(
                table.add_visits(entry, page, 5, 2 + (1 << 19), Value::WIN),
                EDGE_VISITS_FULL + (1 << 19)
            );
            assert!(page.edge(4).visits() == EDGE_VISITS_FULL - 2);
            table.add_visits(entry, page, 5, 1 << 19, Value::WIN);
            let found: Vec<u32> = page.edges().map(Edge::visits).collect();
            let half = EDGE_VISITS_FULL / 2;
            assert_eq!(found, [half - 1, half - 1, half - 1, half - 1, half - 1, half + (1 << 19)]);
            assert_eq!(entry.total().visits, MOVES as u32 * half);
            assert_eq!(page.halving_word().load(Relaxed), 0);
        });
    }

    #[test]
    fn damage_where_halvings_are_noted_does_not_prevent_them() {
        for damage in [u64::MAX, 1, 127 << LEVEL_SHIFT, 200 << LEVEL_SHIFT | 1000, 1 << 63] {
            with_edges(|table, entry, page| {
                page.halving_word().store(damage, Relaxed);
                table.add_visits(entry, page, 0, 2, Value::WIN);
                assert!(page.edges().all(|edge| edge.visits() <= EDGE_VISITS_FULL / 2), "{damage:#x}");
                assert_eq!(page.halving_word().load(Relaxed), damage & ESTIMATE_MASK, "the estimate stays");
            });
        }
    }
}
