//! Giving entries and blocks to positions, and taking them from others.

use super::atomic::{AtomicU64, fence};
use super::entry::{self, Entry, FIRST_KEY, GENERATIONS, busy_since};
use super::layout::{BUCKET_ENTRIES, ENTRY_WORDS};
use super::replacement::{Candidates, age};
use super::{AGES, Block, Counters, Protected, Table, header};
use crate::game::Prior;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

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
            let orphan = (owner >= FIRST_KEY).then(|| self.block(&Entry::new(words, owner))).flatten();
            let used_in = Entry::new(words, owner).meta().generation;
            let entry = Entry::new(words, key);
            if entry.take_over(owner, generation) {
                if owner < FIRST_KEY {
                    self.header(header::ENTRIES_USED).fetch_add(1, Relaxed);
                } else {
                    counters.evictions += 1;
                    counters.evictions_by_age[(age(used_in, generation) as usize).min(AGES - 1)] += 1;
                }
                // The block of a position that lost its entry is the first to go.
                if let Some(orphan) = orphan {
                    orphan.mark_used(0, generation);
                }
                return Some(entry);
            }
            counters.contention += 1;
            if let Some(entry) = self.find(key) {
                return Some(entry);
            }
        }
        counters.refused += 1;
        None
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
    /// is a block), taken over from a less valuable position if none is free; `None` if all that could go are
    /// protected, or worth more where the policy minds. One that another worker has given it meanwhile is returned
    /// as it is.
    pub fn claim_block<P: AsRef<[Option<Prior>]>>(
        &self,
        entry: &Entry<'_>,
        priors: impl FnOnce() -> P,
        protected: Protected<'_>,
        counters: &mut Counters,
    ) -> Option<Block<'_>> {
        let before = entry.meta().block;
        if let Some(block) = self.block(entry) {
            return Some(block);
        }
        let visits = entry.total().visits;
        let Some((number, words, sequence)) = self.reserve_block(visits, protected, counters) else {
            counters.refused += 1;
            return None;
        };
        words[0].store(0, Release);
        words[2].store(self.generation() << 32 | u64::from(visits), Relaxed);
        let priors = priors();
        debug_assert_eq!(priors.as_ref().len(), self.layout.shape.moves);
        Block::fill(words, self.layout.shape, priors.as_ref());
        words[0].store(entry.key(), Release);
        // Fails only if this worker was so slow that another took the block for abandoned.
        words[1].compare_exchange(sequence, sequence.wrapping_add(1), Release, Relaxed).ok()?;
        entry.update_meta(
            |meta| {
                if meta.block == before { entry::Meta { block: number, ..meta } } else { meta }
            },
        );
        let block = Block::accept(words, self.layout.shape, number, entry.key())?;
        if entry.meta().block == number {
            return Some(block);
        }
        // Another worker gave the position a block first: that one counts, this one is the next to go.
        block.mark_used(0, self.generation());
        self.block(entry)
    }

    /// Takes the least valuable of the blocks that the clock hand passes, for a position with `visits`; its sequence is
    /// odd then.
    fn reserve_block(
        &self,
        visits: u32,
        protected: Protected<'_>,
        counters: &mut Counters,
    ) -> Option<(u32, &[AtomicU64], u64)> {
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
            if words[0].load(Relaxed) == 0 {
                candidates = Candidates::default();
                candidates.push((number, words, sequence), 0, used_in);
                break;
            }
            candidates.push((number, words, sequence), used as u32, used_in);
        }
        let victim = candidates.victim(self.replacement, generation)?;
        let (number, words, sequence) = victim.what;
        if words[0].load(Relaxed) != 0 && !self.replacement.admits(visits, &victim, generation) {
            return None;
        }
        let odd = sequence.wrapping_add(if sequence & 1 == 0 { 1 } else { 2 });
        if words[1].compare_exchange(sequence, odd, Acquire, Relaxed).is_err() {
            counters.contention += 1;
            return None;
        }
        // Whoever sees what is written from here on also sees the odd number.
        fence(Release);
        if sequence == 0 {
            self.header(header::BLOCKS_USED).fetch_add(1, Relaxed);
        } else {
            counters.block_evictions += 1;
        }
        Some((number, words, odd))
    }
}
