//! An edge page: the statistics of every move of one position, as contiguous arrays.
//!
//! | word          | bits   | field           | meaning                                                    |
//! |---------------|--------|-----------------|------------------------------------------------------------|
//! | 0             | 0..64  | owner           | key of the position; 0 is free                             |
//! | 1             | 0..32  | sequence        | plus 2 for each claim and each freeing; odd meanwhile      |
//! | 1             | 32..64 | epoch           | in which it was filled or last verified                    |
//! | 2             | 0..32  | visits          | of the owner at the last use                               |
//! | 2             | 32..38 | generation      | of the last use                                            |
//! |               | 38..64 | suspect         | mark of an unfinished page, see `Table::choose_page`     |
//! | 3             | 0..40  | halving         | in progress, see [`halving`](super::maintenance); 0 is none    |
//! |               | 40..48 | weight          | of the position's [`Estimate`]; 0 and a value of 0: none   |
//! |               | 48..64 | estimate        | value, for the player to move                              |
//! | 4             | 0..64  | sampled score   | mean of the samples of simulations, see [`ScoreMean`]      |
//! | 5             | 0..64  | evaluator score | expected score of the evaluator, see [`ScoreMean`]         |
//! | 6 + a         | 0..8   | prior wins      | see [`Prior`]; 255 of 255: the move is illegal             |
//! |               | 8..16  | prior visits    |                                                            |
//! |               | 16..36 | edge value      | the child's value at the last backup, for the mover        |
//! |               | 36..64 | edge visits     | N(s,a)                                                     |
//! | ... + a/2     | 0..16  | AMAF points     | half-points for the mover; odd moves in the upper half     |
//! |               | 16..32 | AMAF visits     |                                                            |
//! | ... + a       | 0..64  | policy state    | only in layouts that have it                               |
//! | ...           | 0..64  | tag             | owner and claim, see [`tag`]: equal if all pages match     |
//!
//! The epoch is the table's when the page was filled or last verified, see [recovery](super::maintenance). With more than
//! 128 moves a tag ends each array.

use super::amaf::{AMAF_FULL, AMAF_VISITS_LIMIT, Amaf, halve_amaf, unpack_amaf};
use super::atomic::{AtomicU64, fence, overwrite};
use super::backing;
use super::edge::{EDGE_VISITS_FULL, Edge};
use super::entry::{Entry, TOTAL_VISITS_FULL};
use super::epoch::EPOCH_MASK;
use super::layout::{PAGE_HEADER_WORDS, Shape};
use super::score_mean::ScoreMean;
use crate::base::game::Prior;
use crate::base::value::{Estimate, Value};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The bits of word 3 that hold the estimate; the others belong to the halving.
pub(super) const ESTIMATE_MASK: u64 = u64::MAX << WEIGHT_SHIFT;
const WEIGHT_SHIFT: u32 = 40;

fn pack_estimate(estimate: Option<Estimate>) -> u64 {
    estimate.map_or(0, |Estimate { value, weight }| {
        u64::from(value.0 >> 16) << 48 | u64::from(weight) << WEIGHT_SHIFT
    })
}

/// Indices of the words with the scores.
const SAMPLED_SCORE: usize = 4;
const EVALUATOR_SCORE: usize = 5;

/// An evaluator's result for a position that gets a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageEvaluation {
    /// The value estimate; `None` without an evaluator.
    pub estimate: Option<Estimate>,
    /// The expected final score; `None` if the evaluator has none.
    pub score: Option<ScoreMean>,
}

impl PageEvaluation {
    /// The evaluation of a position without an evaluator.
    pub const NONE: PageEvaluation = PageEvaluation { estimate: None, score: None };
}

/// A handle to a position's page; reads and writes are valid until the page is evicted.
#[derive(Clone, Copy)]
pub struct Page<'t> {
    words: &'t [AtomicU64],
    shape: Shape,
    number: u32,
    sequence: u64,
    owner: u64,
}

impl<'t> Page<'t> {
    /// Returns the page if it is complete, belongs to `owner` and was last verified in `epoch` (in the upper 32 bits).
    #[inline]
    pub(super) fn accept(
        words: &'t [AtomicU64],
        shape: Shape,
        number: u32,
        owner: u64,
        epoch: u64,
    ) -> Option<Page<'t>> {
        let sequence = words[1].load(Acquire);
        let belongs = (sequence ^ epoch) & (EPOCH_MASK | 1) == 0 && words[0].load(Acquire) == owner;
        belongs.then_some(Page { words, shape, number, sequence, owner })
    }

    /// Returns the page if it is complete and belongs to `owner`, of whatever epoch; it must be verified before a
    /// search uses it.
    pub(super) fn accept_any(
        words: &'t [AtomicU64],
        shape: Shape,
        number: u32,
        owner: u64,
    ) -> Option<Page<'t>> {
        let epoch = words[1].load(Acquire) & EPOCH_MASK;
        Page::accept(words, shape, number, owner, epoch)
    }

    /// Returns true if the page was last verified in `epoch`.
    pub(super) fn has_epoch(&self, epoch: u64) -> bool {
        self.sequence & EPOCH_MASK == epoch
    }

    /// Returns true if all tags match the owner and claim; otherwise its pages are of different moments.
    pub(super) fn has_matching_tags(&self) -> bool {
        let tag = tag(self.owner, self.sequence);
        self.shape.tags().all(|at| self.words[at].load(Relaxed) == tag)
    }

    /// Marks the page as verified in `epoch`; returns `None` if it was evicted meanwhile.
    pub(super) fn with_epoch(self, epoch: u64) -> Option<Page<'t>> {
        let sequence = self.sequence & !EPOCH_MASK | epoch;
        let renewed = self.words[1].compare_exchange(self.sequence, sequence, Release, Relaxed);
        // Another worker may have done the same.
        let is_done = renewed.is_ok() || renewed == Err(sequence);
        is_done.then_some(Page { sequence, ..self })
    }

    /// Returns the page's number in the pool, from 1.
    #[must_use]
    #[inline]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns true if both are handles to the same claim of the same page.
    #[must_use]
    #[inline]
    pub fn is_same(&self, other: &Page<'_>) -> bool {
        (self.number, self.sequence, self.owner) == (other.number, other.sequence, other.owner)
    }

    /// Returns true if the page has not been evicted since it was found: earlier reads through this handle are valid.
    #[must_use]
    #[inline]
    pub fn is_current(&self) -> bool {
        // Keeps earlier reads before the comparison.
        fence(Acquire);
        self.words[1].load(Acquire) == self.sequence && self.words[0].load(Relaxed) == self.owner
    }

    /// Returns the edges in order of their move numbers.
    #[inline]
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.edge_words().iter().map(|word| Edge(word.load(Relaxed)))
    }

    /// Returns the edge of move number `index`.
    #[must_use]
    #[inline]
    pub fn edge(&self, index: usize) -> Edge {
        Edge(self.edge_words()[index].load(Relaxed))
    }

    /// Returns the edge of move number `index`, unless the page has been evicted.
    #[must_use]
    #[inline]
    pub fn current_edge(&self, index: usize) -> Option<Edge> {
        let edge = self.edge(index);
        self.is_current().then_some(edge)
    }

    /// Adds a visit to an edge of `entry`'s position and stores the child's value for the mover; returns the edge's visits.
    ///
    /// Halves all visits of the position if the edge or the position is full. The returned number is from before the
    /// halving, like the siblings' visits that the caller has read.
    pub fn visit_edge(&self, entry: &Entry<'_>, index: usize, value: Value) -> u32 {
        self.add_visits(entry, index, 1, value)
    }

    /// Adds `count` visits at once; otherwise like [`visit_edge`](Page::visit_edge).
    pub fn add_visits(&self, entry: &Entry<'_>, index: usize, count: u32, value: Value) -> u32 {
        let visits = self.change_edge(index, |edge| edge.visited(count, value)).visits();
        if visits >= EDGE_VISITS_FULL || entry.total().visits >= TOTAL_VISITS_FULL {
            self.halve_visits(entry);
        }
        visits
    }

    /// Changes an edge atomically; returns the changed edge.
    #[inline]
    pub(super) fn change_edge(&self, index: usize, change: impl Fn(Edge) -> Edge) -> Edge {
        let word = &self.edge_words()[index];
        let mut before = word.load(Relaxed);
        loop {
            let after = change(Edge(before));
            match word.compare_exchange_weak(before, after.0, Relaxed, Relaxed) {
                Ok(_) => return after,
                Err(now) => before = now,
            }
        }
    }

    /// Returns the number of edges.
    pub(super) fn moves(&self) -> usize {
        self.shape.moves
    }

    /// Returns the page's word 3, with the progress of a halving.
    pub(super) fn halving_word(&self) -> &'t AtomicU64 {
        &self.words[3]
    }

    /// Returns the evaluator's value estimate stored with the page, if an evaluator was used. A weight of 0 means
    /// that it supplied priors only.
    #[must_use]
    #[inline]
    pub fn estimate(&self) -> Option<Estimate> {
        let word = self.words[3].load(Relaxed);
        let (weight, bits) = ((word >> WEIGHT_SHIFT) as u8, (word >> 48) as u32);
        (word & ESTIMATE_MASK != 0).then_some(Estimate { value: Value(bits << 16 | bits), weight })
    }

    /// Returns the mean of the score samples of simulations through the position; `None` before the first.
    #[must_use]
    #[inline]
    pub fn sampled_score(&self) -> Option<ScoreMean> {
        ScoreMean::unpack(self.words[SAMPLED_SCORE].load(Relaxed)).if_sampled()
    }

    /// Returns the evaluator's expected final score; `None` without an evaluator's score.
    #[must_use]
    #[inline]
    pub fn evaluator_score(&self) -> Option<ScoreMean> {
        ScoreMean::unpack(self.words[EVALUATOR_SCORE].load(Relaxed)).if_sampled()
    }

    /// Adds a sample to the sampled score; drops it if the page was evicted or another worker adds one at this moment.
    #[inline]
    pub fn add_score_sample(&self, sample: ScoreMean) {
        self.exchange(SAMPLED_SCORE, |score| score.plus_samples(sample));
    }

    /// Exchanges the word only if the page was current after the read and the word has not changed since.
    #[inline]
    fn exchange(&self, at: usize, change: impl FnOnce(ScoreMean) -> ScoreMean) {
        let found = self.words[at].load(Relaxed);
        if self.is_current() {
            let changed = change(ScoreMean::unpack(found)).pack();
            if changed != found {
                let _ = self.words[at].compare_exchange(found, changed, Relaxed, Relaxed);
            }
        }
    }

    /// Returns the AMAF samples of a move.
    #[must_use]
    #[inline]
    pub fn amaf(&self, index: usize) -> Amaf {
        unpack_amaf(self.amaf_words()[index / 2].load(Relaxed), index)
    }

    /// Returns the AMAF samples in pairs: moves `2i` and `2i + 1`.
    #[inline]
    pub fn amaf_pairs(&self) -> impl Iterator<Item = [Amaf; 2]> + '_ {
        self.amaf_words().iter().map(|word| {
            let word = word.load(Relaxed);
            [unpack_amaf(word, 0), unpack_amaf(word, 1)]
        })
    }

    /// Adds samples: `samples[i]` goes to moves `2i` and `2i + 1`, see [`amaf_sample`](super::amaf::amaf_sample).
    ///
    /// A plain load and store: of two simultaneous additions one may be lost. An AMAF sample is one of thousands, and
    /// an atomic addition for every move of every position on the path would cost more than the rest of the backup.
    #[inline]
    pub fn add_amaf(&self, samples: &[u64]) {
        for (word, &sample) in self.amaf_words().iter().zip(samples) {
            if sample != 0 {
                let sum = word.load(Relaxed).wrapping_add(sample);
                let full = sum & (AMAF_FULL | AMAF_FULL << 32) != 0;
                word.store(if full { halve_amaf(sum) } else { sum }, Relaxed);
            }
        }
    }

    /// Returns the state of the selection policy, one word for each move; empty if the layout has none.
    #[must_use]
    #[inline]
    pub fn policy_state(&self) -> &'t [AtomicU64] {
        let start = self.shape.policy_start();
        if self.shape.policy_state { &self.words[start..start + self.shape.moves] } else { &[] }
    }

    /// Prefetches the edges and AMAF samples that a selection reads.
    #[inline]
    pub fn prefetch_for_visit(&self) {
        for line in self.edge_words().chunks(8).chain(self.amaf_words().chunks(8)) {
            backing::prefetch(&line[0]);
        }
    }

    /// Prefetches for writing the lines that a backup through edge `index` changes, so that they arrive together: a
    /// line that several processors write takes as long as one from memory.
    #[inline]
    pub fn prefetch_for_update(&self, index: usize) {
        self.prefetch_edge_for_update(index);
        for line in self.amaf_words().chunks(8) {
            backing::prefetch_for_write(&line[0]);
        }
    }

    /// Prefetches for writing the line of edge `index`, for a backup without AMAF samples.
    #[inline]
    pub fn prefetch_edge_for_update(&self, index: usize) {
        backing::prefetch_for_write(&self.edge_words()[index]);
    }

    /// Stores the position's visits and generation for the replacement policy. Skips the write if the generation is the
    /// same and the visits differ by 1/16 or less: all workers read the line.
    #[inline]
    pub fn mark_used(&self, visits: u32, generation: u64) {
        let noted = self.words[2].load(Relaxed);
        let is_noted = noted >> 32 == generation && (noted as u32).abs_diff(visits) <= visits / 16;
        if !is_noted && self.words[1].load(Relaxed) == self.sequence {
            self.words[2].store(u64::from(visits) | generation << 32, Relaxed);
        }
    }

    #[inline]
    fn edge_words(&self) -> &'t [AtomicU64] {
        &self.words[PAGE_HEADER_WORDS..PAGE_HEADER_WORDS + self.shape.moves]
    }

    #[inline]
    fn amaf_words(&self) -> &'t [AtomicU64] {
        let start = self.shape.amaf_start();
        &self.words[start..start + self.shape.moves.div_ceil(2)]
    }

    /// Returns a description of the first impossible value, if any.
    pub(super) fn fault(&self) -> Option<String> {
        let prior = self.edges().position(|edge| edge.is_legal() && edge.prior().wins > edge.prior().visits);
        let amaf = self.amaf_words().iter().position(|word| {
            let word = word.load(Relaxed);
            [word, word >> 32].into_iter().any(|half| {
                let (half_points, visits) = (half & 0xffff, half >> 16 & 0xffff);
                // Visits at the limit or above might carry into the neighbour.
                half_points > 2 * visits || visits >= u64::from(AMAF_VISITS_LIMIT)
            })
        });
        match (prior, amaf) {
            (Some(index), _) => Some(format!("edge {index}: more wins than visits in its prior")),
            (None, Some(index)) => {
                Some(format!("AMAF samples of moves {} and {}: impossible values", 2 * index, 2 * index + 1))
            }
            (None, None) => None,
        }
    }

    /// Frees the page; returns false if it was evicted since it was found.
    pub(super) fn free(&self) -> bool {
        let odd = after(self.sequence, 1);
        let is_mine = self.words[1].compare_exchange(self.sequence, odd, Acquire, Relaxed).is_ok();
        if is_mine {
            // A worker that sees the owner removed also sees the odd sequence.
            fence(Release);
            self.words[0].store(0, Relaxed);
            // Fails only if another worker has meanwhile reclaimed the page as abandoned.
            let _ = self.words[1].compare_exchange(odd, after(odd, 1), Release, Relaxed);
        }
        is_mine
    }

    /// Replaces an edge of a page that no other worker reads.
    pub(super) fn set_edge(&self, index: usize, edge: Edge) {
        self.edge_words()[index].store(edge.0, Relaxed);
    }

    /// Replaces the estimate of a page that no other worker reads.
    pub(super) fn set_estimate(&self, estimate: Option<Estimate>) {
        self.words[3].store(pack_estimate(estimate), Relaxed);
    }

    /// Replaces the scores of a page that no other worker reads.
    pub(super) fn set_scores(&self, playouts: Option<ScoreMean>, evaluator: Option<ScoreMean>) {
        let word = |score: Option<ScoreMean>| score.map_or(0, ScoreMean::pack);
        self.words[SAMPLED_SCORE].store(word(playouts), Relaxed);
        self.words[EVALUATOR_SCORE].store(word(evaluator), Relaxed);
    }

    /// Replaces the AMAF samples of moves `2 * pair` and `2 * pair + 1` in a page that no other worker reads.
    pub(super) fn set_amaf(&self, pair: usize, samples: [Amaf; 2]) {
        let [even, odd] = samples.map(|amaf| u64::from(amaf.visits) << 16 | u64::from(amaf.half_points));
        self.amaf_words()[pair].store(even | odd << 32, Relaxed);
    }

    /// Fills the words of a claimed page and sets its tags to `tag`; the caller publishes the page.
    pub(super) fn fill(
        words: &[AtomicU64],
        shape: Shape,
        priors: &[Option<Prior>],
        evaluation: PageEvaluation,
        tag: u64,
    ) {
        overwrite(&words[3], pack_estimate(evaluation.estimate));
        overwrite(&words[SAMPLED_SCORE], 0);
        overwrite(&words[EVALUATOR_SCORE], evaluation.score.map_or(0, ScoreMean::pack));
        let edges = &words[PAGE_HEADER_WORDS..];
        for (word, &prior) in edges.iter().zip(priors) {
            overwrite(word, Edge::fresh(prior).0);
        }
        for word in &edges[shape.moves..] {
            overwrite(word, 0);
        }
        shape.tags().for_each(|at| overwrite(&words[at], tag));
    }
}

/// Returns the tag of a page of `owner` claimed with `sequence`, which is even.
pub(super) const fn tag(owner: u64, sequence: u64) -> u64 {
    owner ^ (sequence & !EPOCH_MASK)
}

/// Returns the sequence `steps` later, in the same epoch.
pub(super) const fn after(sequence: u64, steps: u32) -> u64 {
    sequence & EPOCH_MASK | (sequence as u32).wrapping_add(steps) as u64
}

/// Assigns a page that no worker uses to `owner` and writes its tags; the caller fills it.
pub(super) fn assign_owner(words: &[AtomicU64], shape: Shape, owner: u64) {
    let sequence = 2;
    shape.tags().for_each(|at| words[at].store(tag(owner, sequence), Relaxed));
    words[0].store(owner, Relaxed);
    words[1].store(sequence, Relaxed);
}

/// Zeroes a page that no worker uses, as in an empty table.
pub(super) fn clear(words: &[AtomicU64]) {
    words.iter().for_each(|word| word.store(0, Relaxed));
}

/// Frees a page that no worker uses.
pub(super) fn free(words: &[AtomicU64]) {
    words[0].store(0, Relaxed);
    words[1].store(after(words[1].load(Relaxed) | 1, 1), Relaxed);
    words[2].store(0, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::amaf::amaf_sample;

    #[test]
    fn amaf_counts_are_halved_together_and_alone() {
        let shape = Shape { moves: 2, policy_state: false };
        let words: Vec<AtomicU64> = (0..shape.page_words()).map(|_| AtomicU64::new(0)).collect();
        let page = Page::accept(&words, shape, 1, 0, 0).unwrap();
        for _ in 0..100_000 {
            page.add_amaf(&[amaf_sample(2)]);
            let amaf = page.amaf(0);
            assert_eq!(amaf.half_points, 2 * amaf.visits);
            assert!(amaf.visits < AMAF_VISITS_LIMIT);
        }
        assert_eq!(page.amaf(1), Amaf::default());
        page.add_amaf(&[amaf_sample(1) << 32]);
        assert_eq!(page.amaf(1), Amaf { visits: 1, half_points: 1 });
        // Steps of three visits cross the limit at odd numbers, too.
        for _ in 0..100_000 {
            page.add_amaf(&[(3 * amaf_sample(2)) << 32]);
            assert_eq!(page.fault(), None);
            assert!(page.amaf(1).half_points + 1 >= 2 * page.amaf(1).visits);
        }
    }
}
