//! An edge page: statistics of moves of one position, as contiguous arrays.
//!
//! A *complete* page holds all moves of its position: edge i is that of move number i. A *ranked* page holds eight moves
//! with their numbers: the first page of a position those with the highest priors, each further page the next eight. The
//! pages of a position are a *chain*: see `chain`.
//!
//! | word          | bits   | field           | meaning                                                    |
//! |---------------|--------|-----------------|------------------------------------------------------------|
//! | 0             | 0..64  | owner           | key of the position, see `Table::owner_of`; 0 is free      |
//! | 1             | 0..26  | sequence        | plus 2 for each claim and each freeing; odd meanwhile      |
//! |               | 26..32 | rank            | place in the chain, 0 is the first                         |
//! |               | 32..64 | next            | number of the next page in the chain; 0 is none            |
//! | 2             | 0..32  | visits          | of the owner, or of a further page's edges, at the last use |
//! |               | 32..38 | generation      | of the last use                                            |
//! |               | 38..64 | suspect         | mark of an unfinished page, see `Table::choose_page`       |
//! | 3             | 0..40  | halving         | in progress, see [`halving`](super::maintenance); 0 is none    |
//! |               | 40..48 | weight          | of the position's [`Estimate`]; 0 and a value of 0: none   |
//! |               | 48..64 | estimate        | value, for the player to move                              |
//! | 4             | 0..64  | sampled score   | mean of the samples of simulations, see [`ScoreMean`]      |
//! | 5             | 0..64  | evaluator score | expected score of the evaluator, see [`ScoreMean`]         |
//! | 6 + i         | 0..8   | prior wins      | see [`Prior`]; 255 of 255: the move is illegal, or the edge is unused |
//! |               | 8..16  | prior visits    |                                                            |
//! |               | 16..36 | edge value      | the child's value at the last backup, for the mover        |
//! |               | 36..64 | edge visits     | N(s,a)                                                     |
//! | ... + i/2     | 0..16  | AMAF points     | complete pages: half-points for the mover; odd edges in the upper half |
//! |               | 16..32 | AMAF visits     |                                                            |
//! | ... + i/4     | 0..48  | move numbers    | ranked pages: of four edges, 12 bits each                  |
//! | ... + 1       | 48..56 | rest            | prior wins of the best move on no page of the chain so far |
//! |               | 56     | has rest        | 0: all legal moves are on the chain                        |
//! | ... + i       | 0..64  | policy state    | only in layouts that have it                               |
//!
//! Words 3 to 5 are used on the first page of a chain. A ranked page has 16 words and lies within one page of memory,
//! so that after a power cut all its words are from one moment.

use super::amaf::{AMAF_FULL, AMAF_VISITS_LIMIT, Amaf, halve_amaf, unpack_amaf};
use super::atomic::{AtomicU64, fence, overwrite};
use super::backing;
use super::best_moves::BestMoves;
use super::claim_word::{NEXT_SHIFT, RANK_SHIFT, STAMP_MASK, after, next_of};
use super::edge::Edge;
use super::layout::{MOVE_BITS, MOVE_WORDS, PAGE_HEADER_WORDS, RANKED_EDGES, Shape};
use super::score_mean::ScoreMean;
use crate::base::game::Prior;
use crate::base::value::{Estimate, Value};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The bits of word 3 that hold the estimate; the others belong to the halving.
pub(super) const ESTIMATE_MASK: u64 = u64::MAX << WEIGHT_SHIFT;
const WEIGHT_SHIFT: u32 = 40;
const MOVE_MASK: u64 = (1 << MOVE_BITS) - 1;
/// Move numbers in a word; the upper bits of the last word hold the rest.
const MOVES_IN_WORD: usize = RANKED_EDGES / MOVE_WORDS;
const REST_SHIFT: usize = MOVE_BITS * MOVES_IN_WORD;
const HAS_REST: u64 = 1 << (REST_SHIFT + 8);
/// The bits of the second word of move numbers that hold the rest.
pub(super) const REST_MASK: u64 = 0x1ff << REST_SHIFT;

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

/// A handle to a page; reads and writes are valid until the page is evicted.
#[derive(Clone, Copy)]
pub struct Page<'t> {
    pub(super) words: &'t [AtomicU64],
    pub(super) shape: Shape,
    number: u32,
    /// Sequence and rank.
    stamp: u64,
    owner: u64,
}

impl<'t> Page<'t> {
    /// Returns the page if it is published, belongs to `owner` and has this place in the chain.
    #[inline]
    pub(super) fn accept(
        words: &'t [AtomicU64],
        shape: Shape,
        number: u32,
        owner: u64,
        rank: u64,
    ) -> Option<Page<'t>> {
        let stamp = words[1].load(Acquire) & STAMP_MASK;
        let belongs = stamp & 1 == 0 && stamp >> RANK_SHIFT == rank && words[0].load(Acquire) == owner;
        belongs.then_some(Page { words, shape, number, stamp, owner })
    }

    /// Returns the page's number in the pool, from 1.
    #[must_use]
    #[inline]
    pub fn number(&self) -> u32 {
        self.number
    }

    #[inline]
    pub(super) fn owner(&self) -> u64 {
        self.owner
    }

    /// Returns the page's place in the chain, 0 for the first.
    #[must_use]
    #[inline]
    pub fn rank(&self) -> u64 {
        self.stamp >> RANK_SHIFT
    }

    /// Returns the number of the page that follows in the chain; 0 if there is none.
    #[inline]
    pub(super) fn next(&self) -> u32 {
        (self.words[1].load(Acquire) >> NEXT_SHIFT) as u32
    }

    /// Makes page `number` the next in the chain, in place of `found`; returns false if another worker was faster, or if
    /// this page was evicted.
    pub(super) fn link(&self, found: u32, number: u32) -> bool {
        let word = |next: u32| self.stamp | u64::from(next) << NEXT_SHIFT;
        self.words[1].compare_exchange(word(found), word(number), AcqRel, Relaxed).is_ok()
    }

    /// Returns true if both are handles to the same claim of the same page.
    #[must_use]
    #[inline]
    pub fn is_same(&self, other: &Page<'_>) -> bool {
        (self.number, self.stamp, self.owner) == (other.number, other.stamp, other.owner)
    }

    /// Returns true if the page has not been evicted since it was found: earlier reads through this handle are valid.
    #[must_use]
    #[inline]
    pub fn is_current(&self) -> bool {
        // Keeps earlier reads before the comparison.
        fence(Acquire);
        self.words[1].load(Acquire) & STAMP_MASK == self.stamp && self.words[0].load(Relaxed) == self.owner
    }

    /// Returns the edges in their order on the page; unused ones look like illegal moves.
    #[inline]
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.edge_words().iter().map(|word| Edge(word.load(Relaxed)))
    }

    /// Returns the move number of each edge; that of an unused edge has no meaning.
    #[inline]
    pub fn move_numbers(&self) -> impl Iterator<Item = u16> + use<> {
        // A damaged page must not name a move that does not exist.
        let last = (self.shape.moves - 1) as u16;
        self.stored_numbers().map(move |number| number.min(last))
    }

    #[inline]
    fn stored_numbers(&self) -> impl Iterator<Item = u16> + use<> {
        let (is_ranked, words) = (self.shape.ranked, self.move_words());
        (0..self.shape.edges())
            .map(move |index| if is_ranked { number_in(&words, index) } else { index as u16 })
    }

    /// Returns the move number and the edge of each move on the page; those of a complete page may be illegal.
    #[inline]
    pub fn moves(&self) -> impl Iterator<Item = (u16, Edge)> + '_ {
        let is_complete = !self.shape.ranked;
        self.move_numbers().zip(self.edges()).filter(move |(_, edge)| is_complete || edge.is_legal())
    }

    /// Returns the index of a move's edge; `None` if the move is not on the page.
    #[must_use]
    pub fn index_of(&self, number: u16) -> Option<usize> {
        if !self.shape.ranked {
            return Some(number.into()).filter(|&index| index < self.shape.moves);
        }
        let mut edges = self.move_numbers().zip(self.edges());
        edges.position(|(found, edge)| found == number && edge.is_legal())
    }

    /// Returns the prior of the best move that is neither on this page nor on an earlier one of the chain; `None` if all
    /// legal moves are.
    #[must_use]
    #[inline]
    pub fn rest(&self) -> Option<Prior> {
        let word = self.move_words()[MOVE_WORDS - 1];
        let wins = (word >> REST_SHIFT) as u8;
        (word & HAS_REST != 0).then_some(Prior { visits: wins, wins })
    }

    /// Returns the words with the move numbers of a ranked page; zeros for a complete page.
    #[inline]
    fn move_words(&self) -> [u64; MOVE_WORDS] {
        let start = self.shape.move_words_start();
        std::array::from_fn(|word| if self.shape.ranked { self.words[start + word].load(Relaxed) } else { 0 })
    }

    /// Returns the edge at `index`.
    #[must_use]
    #[inline]
    pub fn edge(&self, index: usize) -> Edge {
        Edge(self.edge_words()[index].load(Relaxed))
    }

    /// Returns the edge at `index`, unless the page has been evicted.
    #[must_use]
    #[inline]
    pub fn current_edge(&self, index: usize) -> Option<Edge> {
        let edge = self.edge(index);
        self.is_current().then_some(edge)
    }

    /// Changes an edge atomically; returns the changed edge.
    #[inline]
    pub(super) fn change_edge(&self, index: usize, change: impl Fn(Edge) -> Edge) -> Edge {
        let changed = |word| Some(change(Edge(word)).0);
        let before = self.edge_words()[index].fetch_update(Relaxed, Relaxed, changed);
        change(Edge(before.unwrap_or_else(|word| word)))
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

    /// Adds a sample to the sampled score; drops it if the page was evicted after the read, or if another worker adds one
    /// at this moment.
    #[inline]
    pub fn add_score_sample(&self, sample: ScoreMean) {
        let word = &self.words[SAMPLED_SCORE];
        let found = word.load(Relaxed);
        if self.is_current() {
            let changed = ScoreMean::unpack(found).plus_samples(sample).pack();
            let _ = word.compare_exchange(found, changed, Relaxed, Relaxed);
        }
    }

    /// Returns the AMAF samples of the edge at `index`; none on a ranked page.
    #[must_use]
    #[inline]
    pub fn amaf(&self, index: usize) -> Amaf {
        self.amaf_words()
            .get(index / 2)
            .map_or(Amaf::default(), |word| unpack_amaf(word.load(Relaxed), index))
    }

    /// Returns the AMAF samples in pairs: edges `2i` and `2i + 1`; none on a ranked page.
    #[inline]
    pub fn amaf_pairs(&self) -> impl Iterator<Item = [Amaf; 2]> + '_ {
        self.amaf_words().iter().map(|word| {
            let word = word.load(Relaxed);
            [unpack_amaf(word, 0), unpack_amaf(word, 1)]
        })
    }

    /// Adds samples to a complete page: `samples[i]` goes to moves `2i` and `2i + 1`, see
    /// [`amaf_sample`](super::amaf::amaf_sample). A ranked page has no AMAF samples.
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

    /// Returns the state of the selection policy, one word for each edge; empty if the layout has none.
    #[must_use]
    #[inline]
    pub fn policy_state(&self) -> &'t [AtomicU64] {
        let start = self.shape.policy_start();
        if self.shape.policy_state { &self.words[start..start + self.shape.edges()] } else { &[] }
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
        if !is_noted && self.words[1].load(Relaxed) & STAMP_MASK == self.stamp {
            self.words[2].store(u64::from(visits) | generation << 32, Relaxed);
        }
    }

    #[inline]
    fn edge_words(&self) -> &'t [AtomicU64] {
        &self.words[PAGE_HEADER_WORDS..PAGE_HEADER_WORDS + self.shape.edges()]
    }

    #[inline]
    fn amaf_words(&self) -> &'t [AtomicU64] {
        let start = self.shape.amaf_start();
        &self.words[start..start + self.shape.amaf_words()]
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
        // On a complete page every move has its place.
        let is_ranked = self.shape.ranked;
        let numbered = || self.stored_numbers().zip(self.edges());
        let used = || numbered().filter(move |(_, edge)| is_ranked && edge.is_legal());
        let number = used().map(|(number, _)| number).find(|&number| {
            usize::from(number) >= self.shape.moves || used().filter(|(it, _)| *it == number).count() > 1
        });
        if let Some(number) = number {
            Some(format!("move {number}: does not exist, or is on the page twice"))
        } else if let Some(index) = prior {
            Some(format!("edge {index}: more wins than visits in its prior"))
        } else {
            amaf.map(|pair| {
                format!("AMAF samples of edges {} and {}: impossible values", 2 * pair, 2 * pair + 1)
            })
        }
    }

    /// Frees the page; returns the number of the next page in its chain, or `None` if it was evicted since it was found.
    pub(super) fn free(&self) -> Option<u32> {
        let odd = after(self.stamp, 1);
        let mine = |word| (word & STAMP_MASK == self.stamp).then_some(odd);
        let word = self.words[1].fetch_update(Acquire, Relaxed, mine).ok()?;
        // A worker that sees the owner removed also sees the odd sequence.
        fence(Release);
        self.words[0].store(0, Relaxed);
        // Fails only if another worker has meanwhile reclaimed the page as abandoned.
        let _ = self.words[1].compare_exchange(odd, after(odd, 1), Release, Relaxed);
        Some(next_of(word))
    }

    /// Replaces an edge of a page that no other worker reads.
    pub(super) fn set_edge(&self, index: usize, edge: Edge) {
        self.edge_words()[index].store(edge.0, Relaxed);
    }

    /// Replaces the scores of a page that no other worker reads.
    pub(super) fn set_scores(&self, playouts: Option<ScoreMean>, evaluator: Option<ScoreMean>) {
        let word = |score: Option<ScoreMean>| score.map_or(0, ScoreMean::pack);
        self.words[SAMPLED_SCORE].store(word(playouts), Relaxed);
        self.words[EVALUATOR_SCORE].store(word(evaluator), Relaxed);
    }

    /// Replaces the AMAF samples of an edge of a page that no other worker reads.
    pub(super) fn set_amaf(&self, index: usize, amaf: Amaf) {
        let (Some(word), shift) = (self.amaf_words().get(index / 2), 32 * (index & 1)) else { return };
        let half = u64::from(amaf.visits) << 16 | u64::from(amaf.half_points);
        let others = word.load(Relaxed) & !(u64::from(u32::MAX) << shift);
        word.store(others | half << shift, Relaxed);
    }

    /// Fills the words of a claimed page; the caller publishes it. A complete page has all of `priors`, a ranked one the best
    /// of those that are not listed on earlier pages.
    pub(super) fn fill(
        words: &[AtomicU64],
        shape: Shape,
        priors: &[Option<Prior>],
        is_listed: impl Fn(u16) -> bool,
        evaluation: PageEvaluation,
    ) {
        debug_assert_eq!(priors.len(), shape.moves);
        let best = BestMoves::of(if shape.ranked { priors } else { &[] }, is_listed);
        Page::fill_with(words, shape, priors, &best, evaluation);
    }

    /// Fills the words of a claimed page; the caller publishes it. `best` are the moves of a ranked page; a complete one has
    /// all of `priors`.
    pub(super) fn fill_with(
        words: &[AtomicU64],
        shape: Shape,
        priors: &[Option<Prior>],
        best: &BestMoves,
        evaluation: PageEvaluation,
    ) {
        overwrite(&words[3], pack_estimate(evaluation.estimate));
        overwrite(&words[SAMPLED_SCORE], 0);
        overwrite(&words[EVALUATOR_SCORE], evaluation.score.map_or(0, ScoreMean::pack));
        let (edges, others) = words[PAGE_HEADER_WORDS..].split_at(shape.edges());
        for (index, word) in edges.iter().enumerate() {
            let prior = if shape.ranked { best.prior(index) } else { priors[index] };
            overwrite(word, Edge::fresh(prior).0);
        }
        for word in others {
            overwrite(word, 0);
        }
        if shape.ranked {
            let start = shape.move_words_start();
            words[start..].iter().zip(pack_moves(best)).for_each(|(word, packed)| overwrite(word, packed));
        }
    }
}

/// Returns the number of a ranked page's edge.
#[inline]
fn number_in(words: &[u64; MOVE_WORDS], index: usize) -> u16 {
    (words[index / MOVES_IN_WORD] >> (MOVE_BITS * (index % MOVES_IN_WORD)) & MOVE_MASK) as u16
}

fn pack_estimate(estimate: Option<Estimate>) -> u64 {
    estimate.map_or(0, |Estimate { value, weight }| {
        u64::from(value.0 >> 16) << 48 | u64::from(weight) << WEIGHT_SHIFT
    })
}

fn pack_moves(best: &BestMoves) -> [u64; MOVE_WORDS] {
    let mut words = [0; MOVE_WORDS];
    for index in 0..RANKED_EDGES {
        words[index / MOVES_IN_WORD] |=
            u64::from(best.number(index)) << (MOVE_BITS * (index % MOVES_IN_WORD));
    }
    words[MOVE_WORDS - 1] |= best.rest().map_or(0, |prior| HAS_REST | u64::from(prior.wins) << REST_SHIFT);
    words
}
