//! Claiming entries and blocks for positions, and evicting others.

use super::atomic::{AtomicU64, fence};
use super::entry::{Entry, FIRST_KEY, GENERATIONS, busy_since};
use super::layout::{BUCKET_ENTRIES, ENTRY_WORDS};
use super::replacement::{Candidates, age};
use super::{AGES, Block, Counters, Evaluation, Protected, Table, block, header};
use crate::game::Prior;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// Marks a block's third word: the block was found unfinished, with the sequence whose lower bits follow,
/// in the generation that stands there.
const SUSPECT: u64 = 1 << 63;
const SUSPECT_SHIFT: u32 = 38;
/// Generations after which an entry or a block that is still unfinished is taken for abandoned.
const ABANDONED_AGE: u64 = 8;
/// Blocks the clock hand looks at for one that is evicted.
const CLOCK_STEPS: usize = 8;

impl Table {
    pub(super) fn claim(
        &self,
        key: u64,
        protected: Protected<'_>,
        counters: &mut Counters,
    ) -> Option<Entry<'_>> {
        self.count_claim();
        let generation = self.generation();
        // Another worker may be faster, even with the same key.
        for _ in 0..BUCKET_ENTRIES {
            let Some((words, owner)) = self.victim(key, protected) else { break };
            let entry = Entry::new(words, key);
            if let Some(former) = entry.claim(owner, generation) {
                // No entry names it any more.
                self.free_block(former.block, owner);
                if entry.publish(generation) {
                    if owner < FIRST_KEY {
                        self.header(header::ENTRIES_USED).fetch_add(1, Relaxed);
                    } else {
                        counters.evictions += 1;
                        let age = age(former.generation, generation) as usize;
                        counters.evictions_by_age[age.min(AGES - 1)] += 1;
                    }
                    return Some(self.settle(entry));
                }
            }
            counters.contention += 1;
            if let Some(entry) = self.find(key) {
                return Some(entry);
            }
        }
        counters.refused += 1;
        None
    }

    /// Of the entries that several workers made for one position at the same moment, the one that is found. The
    /// blocks of the others are freed: no worker would find them.
    ///
    /// Two workers cannot both miss the other's entry behind the fence. The one that sees both looks at the later
    /// entry's block by an exchange: either it finds the block, or the worker that names one afterwards sees, in
    /// [`name_block`](Table::name_block), the entry that comes first.
    fn settle<'t>(&'t self, made: Entry<'t>) -> Entry<'t> {
        fence(SeqCst);
        let key = made.key();
        let mut found = None;
        for words in self.bucket(key).iter().chain(self.overflow_bucket(key)) {
            if words[0].load(Acquire) != key {
                continue;
            }
            let entry = Entry::new(words, key);
            if found.is_none() {
                found = Some(entry);
            } else {
                self.free_block(entry.block_by_exchange(), key);
            }
        }
        found.unwrap_or(made)
    }

    /// Where generations are counted by claims, begins the next one when it is time.
    #[inline]
    fn count_claim(&self) {
        let count = self.header(header::CLAIMS).fetch_add(1, Relaxed).wrapping_add(1);
        if let Some(claims) = self.replacement.claims_per_generation(self.layout.entries())
            && count.is_multiple_of(claims)
        {
            self.next_generation();
        }
    }

    /// The entry of `key`'s buckets that is the least worth keeping, and its owner (0 if it is empty);
    /// `None` if all are protected.
    fn victim(&self, key: u64, protected: Protected<'_>) -> Option<(&[AtomicU64; ENTRY_WORDS], u64)> {
        let generation = self.generation();
        let mut candidates = Candidates::default();
        let bucket = self.bucket(key);
        // Among equals the first counts.
        let (before, from) = bucket.split_at(self.replacement.first_place(key, BUCKET_ENTRIES));
        for words in from.iter().chain(before).chain(self.overflow_bucket(key)) {
            let owner = words[0].load(Relaxed);
            if owner == 0 {
                return Some((words, 0));
            }
            if let Some(since) = busy_since(owner) {
                if age(since, generation) >= ABANDONED_AGE {
                    return Some((words, owner));
                }
                continue;
            }
            let entry = Entry::new(words, owner);
            if !protected.keys.contains(&owner) {
                candidates.push((words, owner), entry.total().visits, entry.meta().generation);
            }
        }
        candidates.victim(self.replacement, generation).map(|victim| victim.what)
    }

    /// Gives the position a block with `priors` (one for each move, `None` where illegal; asked for only when there
    /// is a block), that of a less valuable position if none is free; `None` if all that could be evicted are
    /// protected, or worth more where the policy compares. One that another worker has given it meanwhile is returned
    /// as it is.
    pub fn claim_block<P: AsRef<[Option<Prior>]>>(
        &self,
        entry: &Entry<'_>,
        priors: impl FnOnce() -> P,
        protected: Protected<'_>,
        counters: &mut Counters,
    ) -> Option<Block<'_>> {
        self.claim_evaluated_block(entry, || (priors(), Evaluation::NONE), protected, counters)
    }

    /// The same with priors and an evaluation of the position.
    pub fn claim_evaluated_block<P: AsRef<[Option<Prior>]>>(
        &self,
        entry: &Entry<'_>,
        judge: impl FnOnce() -> (P, Evaluation),
        protected: Protected<'_>,
        counters: &mut Counters,
    ) -> Option<Block<'_>> {
        // Not the caller's: a block is found through the entry that is found.
        let entry = self.find(entry.key())?;
        let before = entry.block_number();
        if let Some(block) = self.block(&entry) {
            return Some(block);
        }
        let visits = entry.total().visits;
        let Some(candidate) = self.choose_block(visits, protected) else {
            counters.refused += 1;
            return None;
        };
        let (priors, evaluation) = judge();
        debug_assert_eq!(priors.as_ref().len(), self.layout.shape.moves);
        // Priors take so long that another worker often gets here first; no block has gone for them yet.
        if let Some(block) = self.block(&entry) {
            return Some(block);
        }
        let sequence = self.take_block(&candidate, counters)?;
        let BlockCandidate { number, words, .. } = candidate;
        words[0].store(0, Release);
        words[2].store(self.generation() << 32 | u64::from(visits), Relaxed);
        let complete = block::after(sequence, 1);
        let tag = block::tag(entry.key(), complete);
        Block::fill(words, self.layout.shape, priors.as_ref(), evaluation, tag);
        words[0].store(entry.key(), Release);
        // Fails only if this worker was so slow that another took the block for abandoned.
        words[1].compare_exchange(sequence, complete, Release, Relaxed).ok()?;
        if self.name_block(&entry, before, number) {
            // It was lost, but may have come back meanwhile.
            if before != number {
                self.free_block(before, entry.key());
            }
            return Block::accept(words, self.layout.shape, number, entry.key(), self.epoch);
        }
        // Another worker gave the position a block, or evicted its entry.
        self.free_block(number, entry.key());
        self.find(entry.key()).and_then(|entry| self.block(&entry))
    }

    /// Makes the complete block `number` that of the position, if its block is still `before` and its entry still the
    /// one that is found; else no worker finds the block, and the caller frees it.
    ///
    /// The worker that evicts the entry exchanges the word with the block's number: before this exchange, and then finds the
    /// number and frees the block, or after it, and then the other key is seen here.
    fn name_block(&self, entry: &Entry<'_>, before: u32, number: u32) -> bool {
        entry.change_block(before, number)
            && self
                .find(entry.key())
                .is_some_and(|found| found.is_same(entry) && found.block_number() == number)
    }

    /// Frees a block that no entry names, if it is still `owner`'s.
    pub(super) fn free_block(&self, number: u32, owner: u64) {
        let words = self.block_words(number).filter(|_| owner >= FIRST_KEY);
        let block = words.and_then(|words| Block::accept_any(words, self.layout.shape, number, owner));
        if block.is_some_and(|block| block.free()) {
            self.header(header::BLOCKS_USED).fetch_sub(1, Relaxed);
        }
    }

    /// The least valuable of the blocks that the clock hand passes, for a position with `visits`.
    fn choose_block(&self, visits: u32, protected: Protected<'_>) -> Option<BlockCandidate<'_>> {
        let generation = self.generation();
        let blocks = self.layout.blocks as u64;
        let mut candidates = Candidates::default();
        for _ in 0..CLOCK_STEPS.min(self.layout.blocks) {
            let number = (self.header(header::CLOCK).fetch_add(1, Relaxed) % blocks) as u32 + 1;
            let words = self.block_words(number)?;
            let sequence = words[1].load(Acquire);
            let used = words[2].load(Relaxed);
            let used_in = used >> 32 & (GENERATIONS - 1);
            if protected.blocks.contains(&number) {
                continue;
            }
            // Odd: being filled, or left half-way by a worker that died. The latter shows by staying so.
            if sequence & 1 != 0 {
                let suspect = SUSPECT | sequence << SUSPECT_SHIFT & !SUSPECT;
                let is_suspect = used >> SUSPECT_SHIFT == suspect >> SUSPECT_SHIFT;
                if !is_suspect {
                    // Fails if the worker that fills it goes on just now.
                    let _ = words[2].compare_exchange(used, suspect | generation << 32, Relaxed, Relaxed);
                }
                if !is_suspect || age(used_in, generation) < ABANDONED_AGE {
                    continue;
                }
            }
            let candidate = BlockCandidate { number, words, sequence };
            if words[0].load(Relaxed) == 0 {
                return Some(candidate);
            }
            candidates.push(candidate, used as u32, used_in);
        }
        let victim = candidates.victim(self.replacement, generation)?;
        self.replacement.admits(visits, &victim, generation).then_some(victim.what)
    }

    /// Makes the block this worker's to fill, and returns its sequence, odd from now on; `None` if another worker has
    /// taken it since it was chosen.
    fn take_block(&self, candidate: &BlockCandidate<'_>, counters: &mut Counters) -> Option<u64> {
        let BlockCandidate { words, sequence, .. } = *candidate;
        let odd = block::after(sequence, if sequence & 1 == 0 { 1 } else { 2 });
        let odd = odd & !block::EPOCH_MASK | self.epoch;
        if words[1].compare_exchange(sequence, odd, Acquire, Relaxed).is_err() {
            counters.contention += 1;
            return None;
        }
        // A worker that sees what is written from here on also sees the odd number.
        fence(Release);
        if words[0].load(Relaxed) != 0 {
            counters.block_evictions += 1;
        } else if sequence & 1 == 0 {
            self.header(header::BLOCKS_USED).fetch_add(1, Relaxed);
        }
        Some(odd)
    }
}

/// A block that may be taken, as it was when it was looked at.
#[derive(Clone, Copy)]
struct BlockCandidate<'t> {
    number: u32,
    words: &'t [AtomicU64],
    sequence: u64,
}
