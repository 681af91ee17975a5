//! An edge block: the statistics of every move of one position, as contiguous arrays.
//!
//! | word          | bits   | field        | meaning                                                    |
//! |---------------|--------|--------------|------------------------------------------------------------|
//! | 0             | 0..64  | owner        | key of the position; 0 is free                             |
//! | 1             | 0..32  | sequence     | of its claims, times 2; odd while it is filled or freed    |
//! | 1             | 32..64 | epoch        | in which it was filled or found whole                      |
//! | 2             | 0..32  | visits       | of the owner when it was last used                         |
//! | 2             | 32..38 | generation   | of the last use                                            |
//! |               | 38..64 | suspect      | found while being filled: see `Table::reserve_block`       |
//! | 3             | 0..40  | halving      | under way, see [`halving`](super::halving); 0 is none      |
//! |               | 40..48 | weight       | of the position's [`Estimate`]; 0 and a value of 0: none   |
//! |               | 48..64 | estimate     | its value, for the player to move                          |
//! | 4             | 0..64  | sampled score | mean of the samples of simulations, see [`ScoreMean`]       |
//! | 5             | 0..64  | evaluator score | the evaluator's expected score                            |
//! | 6 + a         | 0..8   | prior wins   | see [`Prior`]; 255 of 255: the move is not legal           |
//! |               | 8..16  | prior visits |                                                            |
//! |               | 16..36 | edge value   | the child's value when last seen, for the mover            |
//! |               | 36..64 | edge visits  | N(s,a)                                                     |
//! | ... + a/2     | 0..16  | AMAF points  | half-points for the mover; odd moves in the upper half     |
//! |               | 16..32 | AMAF visits  |                                                            |
//! | ... + a       | 0..64  | policy state | only in layouts that have it                               |
//! | ...           | 0..64  | tag          | owner and claim, see [`tag`]: whether all pages are of one |
//!
//! Of the sequence the lower half counts by two each claim and each time it was freed, and the upper half is the table's *epoch* when the block was found to be
//! whole, see [`doubt`](super::doubt). With more than 128 moves a tag ends each array.

use super::atomic::{AtomicU64, fence, overwrite};
use super::backing;
use super::entry::Entry;
use super::halving::TOTAL_VISITS_FULL;
use super::layout::{BLOCK_HEADER_WORDS, Shape};
use super::score_mean::ScoreMean;
use crate::game::Prior;
use crate::value::{Estimate, Value};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// All edges of a block are halved when one has this many visits.
pub const EDGE_VISITS_FULL: u32 = 1 << 27;
/// What an edge can hold: what lies between is for the visits that others count while a worker halves.
pub const EDGE_VISITS_LIMIT: u32 = (1 << 28) - 1;
/// AMAF visits are halved when they reach this many.
pub const AMAF_VISITS_LIMIT: u32 = 1 << 14;
const ILLEGAL: u64 = 0xffff;
const VALUE_SHIFT: u32 = 16;
const VISITS_SHIFT: u32 = 36;
/// The part of the second word that is the epoch.
pub(super) const EPOCH_MASK: u64 = u64::MAX << EPOCH_SHIFT;
pub(super) const EPOCH_SHIFT: u32 = 32;
/// AMAF visits with one of these bits have reached the limit; the second is for damaged words.
const AMAF_FULL: u64 = 0xc000_0000;

/// The statistics of an edge, from one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge(u64);

impl Edge {
    /// An edge never tried.
    #[must_use]
    pub fn fresh(prior: Option<Prior>) -> Edge {
        match prior {
            None => Edge(ILLEGAL),
            Some(prior) => {
                Edge(u64::from(prior.visits.min(254)) << 8 | u64::from(prior.wins.min(prior.visits).min(254)))
            }
        }
    }

    /// Whether the move is legal as far as the position's key tells.
    #[must_use]
    #[inline]
    pub const fn is_legal(self) -> bool {
        self.0 & 0xffff != ILLEGAL
    }

    /// N(s,a): how often the move was chosen here.
    #[must_use]
    #[inline]
    pub const fn visits(self) -> u32 {
        (self.0 >> VISITS_SHIFT) as u32
    }

    /// The child's value when it was last seen through this edge, for the mover.
    #[must_use]
    #[inline]
    pub const fn value(self) -> Value {
        let bits = (self.0 >> VALUE_SHIFT) as u32 & 0xf_ffff;
        Value(bits << 12 | bits >> 8)
    }

    /// The opinion it was created with.
    #[must_use]
    #[inline]
    pub const fn prior(self) -> Prior {
        Prior { visits: (self.0 >> 8) as u8, wins: self.0 as u8 }
    }

    /// So many visits more, as far as they fit, with the child's present value for the mover.
    #[must_use]
    #[inline]
    pub fn visited(self, count: u32, value: Value) -> Edge {
        self.with_statistics(u64::from(self.visits()) + u64::from(count), value)
    }

    /// With the legality and the prior of this edge, and such statistics; visits as far as they fit.
    pub(super) fn with_statistics(self, visits: u64, value: Value) -> Edge {
        let visits = visits.min(u64::from(EDGE_VISITS_LIMIT));
        Edge(self.0 & 0xffff | u64::from(value.0 >> 12) << VALUE_SHIFT | visits << VISITS_SHIFT)
    }

    /// Half of the visits, the same value.
    pub(super) const fn halved(self) -> Edge {
        Edge(self.0 & ((1 << VISITS_SHIFT) - 1) | (self.visits() as u64 / 2) << VISITS_SHIFT)
    }
}

/// The bits of word 3 that are not of a halving.
pub(super) const ESTIMATE_MASK: u64 = u64::MAX << WEIGHT_SHIFT;
const WEIGHT_SHIFT: u32 = 40;

fn pack_estimate(estimate: Option<Estimate>) -> u64 {
    estimate.map_or(0, |Estimate { value, weight }| {
        u64::from(value.0 >> 16) << 48 | u64::from(weight) << WEIGHT_SHIFT
    })
}

/// The words of the scores.
const SAMPLED_SCORE: usize = 4;
const EVALUATOR_SCORE: usize = 5;

/// An evaluator's answer for a position that gets a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// Its value; `None` if no evaluator was asked.
    pub estimate: Option<Estimate>,
    /// Its expected final score; `None` if it has none.
    pub score: Option<ScoreMean>,
}

impl Evaluation {
    /// The answer where no evaluator is asked.
    pub const NONE: Evaluation = Evaluation { estimate: None, score: None };
}

/// AMAF samples of a move: how often its mover played it first on that point, here or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Amaf {
    /// Samples.
    pub visits: u32,
    /// Their sum in half-points for the mover.
    pub half_points: u32,
}

/// Adds to one AMAF word: `Amaf { visits: 1, half_points }` of the even and the odd move.
#[must_use]
#[inline]
pub const fn amaf_sample(half_points: u32) -> u64 {
    1 << 16 | half_points as u64
}

/// The block of a position: the right to read and write it until it is evicted.
#[derive(Clone, Copy)]
pub struct Block<'t> {
    words: &'t [AtomicU64],
    shape: Shape,
    number: u32,
    sequence: u64,
    owner: u64,
}

impl<'t> Block<'t> {
    /// The block if it is complete, belongs to `owner` and was found whole in `epoch` (which stands in the upper half).
    #[inline]
    pub(super) fn accept(
        words: &'t [AtomicU64],
        shape: Shape,
        number: u32,
        owner: u64,
        epoch: u64,
    ) -> Option<Block<'t>> {
        let sequence = words[1].load(Acquire);
        let belongs = (sequence ^ epoch) & (EPOCH_MASK | 1) == 0 && words[0].load(Acquire) == owner;
        belongs.then_some(Block { words, shape, number, sequence, owner })
    }

    /// The block if it is complete and belongs to `owner`, in whatever epoch that was found; to be looked at, not to be
    /// searched in.
    pub(super) fn accept_any(
        words: &'t [AtomicU64],
        shape: Shape,
        number: u32,
        owner: u64,
    ) -> Option<Block<'t>> {
        let epoch = words[1].load(Acquire) & EPOCH_MASK;
        Block::accept(words, shape, number, owner, epoch)
    }

    /// Whether it was found whole in `epoch`.
    pub(super) fn is_of(&self, epoch: u64) -> bool {
        self.sequence & EPOCH_MASK == epoch
    }

    /// Whether all its tags are those of its owner and claim: else its pages are of different moments.
    pub(super) fn is_whole(&self) -> bool {
        let tag = tag(self.owner, self.sequence);
        self.shape.tags().all(|at| self.words[at].load(Relaxed) == tag)
    }

    /// The same block as one that was found whole in `epoch`; `None` if it is not this one's any more.
    pub(super) fn renewed(self, epoch: u64) -> Option<Block<'t>> {
        let sequence = self.sequence & !EPOCH_MASK | epoch;
        let renewed = self.words[1].compare_exchange(self.sequence, sequence, Release, Relaxed);
        // Another worker may have done it.
        let is_done = renewed.is_ok() || renewed == Err(sequence);
        is_done.then_some(Block { sequence, ..self })
    }

    /// Its number in the pool, from 1.
    #[must_use]
    #[inline]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether both are the same right to the same block.
    #[must_use]
    #[inline]
    pub fn is_same(&self, other: &Block<'_>) -> bool {
        (self.number, self.sequence, self.owner) == (other.number, other.sequence, other.owner)
    }

    /// Whether it has not been evicted since it was found: what was read in between is valid.
    #[must_use]
    #[inline]
    pub fn is_current(&self) -> bool {
        // What was read before is not read later.
        fence(Acquire);
        self.words[1].load(Acquire) == self.sequence && self.words[0].load(Relaxed) == self.owner
    }

    /// The edges, one for each move number.
    #[inline]
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.edge_words().iter().map(|word| Edge(word.load(Relaxed)))
    }

    /// One edge.
    #[must_use]
    #[inline]
    pub fn edge(&self, index: usize) -> Edge {
        Edge(self.edge_words()[index].load(Relaxed))
    }

    /// One edge, unless the block has been evicted.
    #[must_use]
    #[inline]
    pub fn current_edge(&self, index: usize) -> Option<Edge> {
        let edge = self.edge(index);
        self.is_current().then_some(edge)
    }

    /// Counts a visit of an edge of `entry`'s position and notes the child's value for the mover; returns the edge's
    /// visits.
    ///
    /// If that is enough, all visits of the position are halved. The number returned is from before, as are those of
    /// the siblings that the caller has read.
    pub fn visit_edge(&self, entry: &Entry<'_>, index: usize, value: Value) -> u32 {
        self.add_visits(entry, index, 1, value)
    }

    /// The same for several visits at once.
    pub fn add_visits(&self, entry: &Entry<'_>, index: usize, count: u32, value: Value) -> u32 {
        let visits = self.change_edge(index, |edge| edge.visited(count, value)).visits();
        if visits >= EDGE_VISITS_FULL || entry.total().visits >= TOTAL_VISITS_FULL {
            self.halve_visits(entry);
        }
        visits
    }

    /// Changes an edge without losing what others add to it; returns it as it is then.
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

    /// Number of edges.
    pub(super) fn moves(&self) -> usize {
        self.shape.moves
    }

    /// The word that says how far a halving is.
    pub(super) fn halving_word(&self) -> &'t AtomicU64 {
        &self.words[3]
    }

    /// What an expert said of the position's value when it got the block; `None` if none was asked. With a weight of 0 it
    /// judged the moves alone.
    #[must_use]
    #[inline]
    pub fn estimate(&self) -> Option<Estimate> {
        let word = self.words[3].load(Relaxed);
        let (weight, bits) = ((word >> WEIGHT_SHIFT) as u8, (word >> 48) as u32);
        (word & ESTIMATE_MASK != 0).then_some(Estimate { value: Value(bits << 16 | bits), weight })
    }

    /// Mean of the score samples that simulations through the position gave; `None` before the first.
    #[must_use]
    #[inline]
    pub fn sampled_score(&self) -> Option<ScoreMean> {
        ScoreMean::unpack(self.words[SAMPLED_SCORE].load(Relaxed)).known()
    }

    /// The evaluator's expected final score; `None` if none was asked.
    #[must_use]
    #[inline]
    pub fn evaluator_score(&self) -> Option<ScoreMean> {
        ScoreMean::unpack(self.words[EVALUATOR_SCORE].load(Relaxed)).known()
    }

    /// Adds a sample to the sampled score, unless the block has been evicted or another worker adds one at this moment.
    #[inline]
    pub fn add_score_sample(&self, sample: ScoreMean) {
        self.exchange(SAMPLED_SCORE, |score| score.and(sample));
    }

    /// The word is exchanged only if it was this position's when it was read and has not changed since.
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

    /// AMAF samples of a move.
    #[must_use]
    #[inline]
    pub fn amaf(&self, index: usize) -> Amaf {
        unpack_amaf(self.amaf_words()[index / 2].load(Relaxed), index)
    }

    /// The AMAF words: the samples of move `2i` in the lower, of `2i + 1` in the upper half.
    #[inline]
    pub fn amaf_pairs(&self) -> impl Iterator<Item = [Amaf; 2]> + '_ {
        self.amaf_words().iter().map(|word| {
            let word = word.load(Relaxed);
            [unpack_amaf(word, 0), unpack_amaf(word, 1)]
        })
    }

    /// Adds samples: `samples[i]` goes to moves `2i` and `2i + 1`, see [`amaf_sample`].
    ///
    /// A plain load and store: of two workers that add at once, one may be lost. An AMAF sample is one of
    /// thousands, and a locked addition for every move of every position on the path would cost more than
    /// the rest of the backup.
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

    /// The state of the selection policy, a word for each move; none where the layout has none.
    #[must_use]
    #[inline]
    pub fn policy_state(&self) -> &'t [AtomicU64] {
        let start = self.shape.policy_start();
        if self.shape.policy_state { &self.words[start..start + self.shape.moves] } else { &[] }
    }

    /// Begins to fetch what a selection reads.
    #[inline]
    pub fn prefetch_for_visit(&self) {
        for line in self.edge_words().chunks(8).chain(self.amaf_words().chunks(8)) {
            backing::prefetch(&line[0]);
        }
    }

    /// Begins to fetch what a backup through an edge writes, so that the lines come at the same time and not one
    /// after the other: where several processors write them, each takes as long as one from memory.
    #[inline]
    pub fn prefetch_for_update(&self, index: usize) {
        self.prefetch_edge_for_update(index);
        for line in self.amaf_words().chunks(8) {
            backing::prefetch_for_write(&line[0]);
        }
    }

    /// The same for a backup that writes no AMAF samples.
    #[inline]
    pub fn prefetch_edge_for_update(&self, index: usize) {
        backing::prefetch_for_write(&self.edge_words()[index]);
    }

    /// Notes how much the position is worth keeping. A few visits more are not worth a write to a line that all
    /// workers read.
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
        &self.words[BLOCK_HEADER_WORDS..BLOCK_HEADER_WORDS + self.shape.moves]
    }

    #[inline]
    fn amaf_words(&self) -> &'t [AtomicU64] {
        let start = self.shape.amaf_start();
        &self.words[start..start + self.shape.moves.div_ceil(2)]
    }

    /// What cannot be, in words.
    pub(super) fn fault(&self) -> Option<String> {
        let prior = self.edges().position(|edge| edge.is_legal() && edge.prior().wins > edge.prior().visits);
        let amaf = self.amaf_words().iter().position(|word| {
            let word = word.load(Relaxed);
            [word, word >> 32].into_iter().any(|half| {
                let (half_points, visits) = (half & 0xffff, half >> 16 & 0xffff);
                // With more visits than can be, the next one might carry into the neighbour.
                half_points > 2 * visits || visits >= u64::from(AMAF_VISITS_LIMIT)
            })
        });
        match (prior, amaf) {
            (Some(index), _) => Some(format!("edge {index}: more wins than visits in its prior")),
            (None, Some(index)) => Some(format!("AMAF word {index}: impossible samples")),
            (None, None) => None,
        }
    }

    /// Frees it, unless it has been evicted since it was found: `false` then.
    pub(super) fn free(&self) -> bool {
        let odd = after(self.sequence, 1);
        let is_mine = self.words[1].compare_exchange(self.sequence, odd, Acquire, Relaxed).is_ok();
        if is_mine {
            // A worker that sees the owner gone also sees the odd number.
            fence(Release);
            self.words[0].store(0, Relaxed);
            // Fails only if this worker was so slow that another took the block for abandoned.
            let _ = self.words[1].compare_exchange(odd, after(odd, 1), Release, Relaxed);
        }
        is_mine
    }

    /// Replaces an edge of a block that no other worker reads.
    pub(super) fn set_edge(&self, index: usize, edge: Edge) {
        self.edge_words()[index].store(edge.0, Relaxed);
    }

    /// Replaces the estimate of a block that no other worker reads.
    pub(super) fn set_estimate(&self, estimate: Option<Estimate>) {
        self.words[3].store(pack_estimate(estimate), Relaxed);
    }

    /// Replaces the scores of a block that no other worker reads.
    pub(super) fn set_scores(&self, playouts: Option<ScoreMean>, evaluator: Option<ScoreMean>) {
        let word = |score: Option<ScoreMean>| score.map_or(0, ScoreMean::pack);
        self.words[SAMPLED_SCORE].store(word(playouts), Relaxed);
        self.words[EVALUATOR_SCORE].store(word(evaluator), Relaxed);
    }

    /// Replaces the AMAF samples of the moves `2 * pair` and `2 * pair + 1`.
    pub(super) fn set_amaf(&self, pair: usize, samples: [Amaf; 2]) {
        let [even, odd] = samples.map(|amaf| u64::from(amaf.visits) << 16 | u64::from(amaf.half_points));
        self.amaf_words()[pair].store(even | odd << 32, Relaxed);
    }

    /// Fills the words of a claimed block, which `tag` belongs to; the caller publishes it.
    pub(super) fn fill(
        words: &[AtomicU64],
        shape: Shape,
        priors: &[Option<Prior>],
        evaluation: Evaluation,
        tag: u64,
    ) {
        overwrite(&words[3], pack_estimate(evaluation.estimate));
        overwrite(&words[SAMPLED_SCORE], 0);
        overwrite(&words[EVALUATOR_SCORE], evaluation.score.map_or(0, ScoreMean::pack));
        let edges = &words[BLOCK_HEADER_WORDS..];
        for (word, &prior) in edges.iter().zip(priors) {
            overwrite(word, Edge::fresh(prior).0);
        }
        for word in &edges[shape.moves..] {
            overwrite(word, 0);
        }
        shape.tags().for_each(|at| overwrite(&words[at], tag));
    }
}

/// What stands in the tags of the block of `owner` that was claimed with `sequence`, even.
pub(super) const fn tag(owner: u64, sequence: u64) -> u64 {
    owner ^ (sequence & !EPOCH_MASK)
}

/// The sequence `steps` later, in the same epoch.
pub(super) const fn after(sequence: u64, steps: u32) -> u64 {
    sequence & EPOCH_MASK | (sequence as u32).wrapping_add(steps) as u64
}

/// Makes a block that no worker is using that of `owner`, with the tags that belong to it; the caller fills it.
pub(super) fn own(words: &[AtomicU64], shape: Shape, owner: u64) {
    let sequence = 2;
    shape.tags().for_each(|at| words[at].store(tag(owner, sequence), Relaxed));
    words[0].store(owner, Relaxed);
    words[1].store(sequence, Relaxed);
}

/// Makes a block that no worker is using as in an empty table.
pub(super) fn clear(words: &[AtomicU64]) {
    words.iter().for_each(|word| word.store(0, Relaxed));
}

/// Frees a block that no worker is using.
pub(super) fn free(words: &[AtomicU64]) {
    words[0].store(0, Relaxed);
    words[1].store(after(words[1].load(Relaxed) | 1, 1), Relaxed);
    words[2].store(0, Relaxed);
}

#[inline]
fn unpack_amaf(word: u64, index: usize) -> Amaf {
    let half = (word >> (32 * (index & 1))) as u32;
    let visits = half >> 16;
    Amaf { visits, half_points: (half & 0xffff).min(2 * visits) }
}

/// Halves the fields of each half that is full.
#[cold]
fn halve_amaf(word: u64) -> u64 {
    let halve = |half: u64| {
        if half & AMAF_FULL == 0 {
            return half;
        }
        let (visits, half_points) = (half >> 17, (half & 0xffff) >> 1);
        // Of an odd number of visits half a visit is lost, and with it a half-point.
        visits << 16 | half_points.min(2 * visits)
    };
    halve(word & 0xffff_ffff) | halve(word >> 32) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_keeps_its_prior_and_forgets_no_visit() {
        let prior = Prior { visits: 40, wins: 33 };
        let mut edge = Edge::fresh(Some(prior));
        assert!(edge.is_legal() && edge.visits() == 0);
        for n in 1..=1000 {
            edge = edge.visited(1, Value(0xabcd_ef01));
            assert_eq!((edge.visits(), edge.prior()), (n, prior));
            assert!((edge.value().as_f64() - Value(0xabcd_ef01).as_f64()).abs() < 1e-5);
        }
        assert!(!Edge::fresh(None).is_legal());
        assert!(Edge::fresh(Some(Prior { visits: 255, wins: 255 })).is_legal());
    }

    #[test]
    fn certain_values_stay_certain_in_twenty_bits() {
        for value in [Value::WIN, Value::LOSS] {
            assert_eq!(Edge::fresh(Some(Prior::default())).visited(1, value).value(), value);
        }
    }

    #[test]
    fn edge_visits_never_carry_into_their_neighbours() {
        let full = Edge(u64::from(EDGE_VISITS_LIMIT - 1) << VISITS_SHIFT | 0x1234);
        for count in [1, 2, u32::MAX] {
            let next = full.visited(count, Value::DRAW);
            assert_eq!((next.visits(), next.prior()), (EDGE_VISITS_LIMIT, full.prior()));
        }
        let half = full.visited(1, Value::WIN).halved();
        assert_eq!((half.visits(), half.prior()), (EDGE_VISITS_LIMIT / 2, full.prior()));
        assert_eq!(half.value(), Value::WIN);
    }

    #[test]
    fn amaf_counts_are_halved_together_and_alone() {
        let shape = Shape { moves: 2, policy_state: false };
        let words: Vec<AtomicU64> = (0..shape.block_words()).map(|_| AtomicU64::new(0)).collect();
        let block = Block::accept(&words, shape, 1, 0, 0).unwrap();
        for _ in 0..100_000 {
            block.add_amaf(&[amaf_sample(2)]);
            let amaf = block.amaf(0);
            assert_eq!(amaf.half_points, 2 * amaf.visits);
            assert!(amaf.visits < AMAF_VISITS_LIMIT);
        }
        assert_eq!(block.amaf(1), Amaf::default());
        block.add_amaf(&[amaf_sample(1) << 32]);
        assert_eq!(block.amaf(1), Amaf { visits: 1, half_points: 1 });
        // Three at a time meet the limit with an odd number, too.
        for _ in 0..100_000 {
            block.add_amaf(&[(3 * amaf_sample(2)) << 32]);
            assert_eq!(block.fault(), None);
            assert!(block.amaf(1).half_points + 1 >= 2 * block.amaf(1).visits);
        }
    }
}
