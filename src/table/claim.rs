//! Claims of entries and pages for positions, with the eviction of others.

use super::atomic::{AtomicU64, fence};
use super::claim_word::{self, MAX_CHAIN};
use super::counters::{AGES, Counters};
use super::entry::{Entry, GENERATIONS, MIN_KEY, busy_since};
use super::header;
use super::layout::{BUCKET_ENTRIES, ENTRY_WORDS};
use super::page::{Page, PageEvaluation};
use super::replacement::{age, keep_least};
use super::transposition_table::{ProtectedPath, Table};
use crate::base::game::Prior;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// Mark in a page's word 2: the page was found unfinished in the generation stored there. The bits between
/// [`SUSPECT_SHIFT`] and the mark are the low bits of its sequence.
const SUSPECT: u64 = 1 << 63;
const SUSPECT_SHIFT: u32 = 38;
/// Generations after which an unfinished entry or page is reclaimed as abandoned.
const ABANDONED_AGE: u64 = 8;
/// Number of pages that the clock hand passes for one eviction.
const CLOCK_STEPS: usize = 8;

impl Table {
    /// Claims an entry for the position with `key`, which has none: an empty one, or that of the least valuable
    /// position. Returns `None` if every candidate is protected, or if other workers were faster each time.
    pub(super) fn claim(
        &self,
        key: u64,
        protected: ProtectedPath<'_>,
        counters: &mut Counters,
    ) -> Option<Entry<'_>> {
        let claims = self.header(header::CLAIMS).fetch_add(1, Relaxed);
        self.backing.enlarge_pages(claims);
        let generation = self.generation();
        // Another worker may take the victim first, even for the same key.
        for _ in 0..BUCKET_ENTRIES {
            let Some((words, owner)) = self.victim(key, protected) else { break };
            let entry = Entry::new(words, key);
            if let Some(former) = entry.claim(owner, generation) {
                // No entry names the page any more.
                self.free_chain(former.page, owner);
                if entry.publish(generation) {
                    if owner < MIN_KEY {
                        self.header(header::ENTRIES_USED).fetch_add(1, Relaxed);
                    } else {
                        counters.evictions += 1;
                        let age = age(former.generation, generation) as usize;
                        counters.evictions_by_age[age.min(AGES - 1)] += 1;
                    }
                    return Some(self.first_duplicate(entry, counters));
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

    /// Returns the entry that a probe finds, of those that several workers made for one position at the same moment.
    /// Frees the pages of the others, which no worker would find, and counts them as lost.
    ///
    /// The fence excludes that two workers both miss the other's entry. The worker that sees both reads the later
    /// entry's page by an exchange: either it finds the page, or the worker that names one afterwards sees the
    /// first entry in [`name_page`](Table::name_page).
    fn first_duplicate<'t>(&'t self, made: Entry<'t>, counters: &mut Counters) -> Entry<'t> {
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
                let page = entry.page_by_exchange();
                counters.lost_pages += u64::from(page != 0);
                self.free_chain(page, key);
            }
        }
        found.unwrap_or(made)
    }

    /// Returns the entry of `key`'s buckets to claim, with its word 0: an empty or abandoned one, else the least
    /// valuable; `None` if all are protected.
    fn victim(&self, key: u64, protected: ProtectedPath<'_>) -> Option<(&[AtomicU64; ENTRY_WORDS], u64)> {
        let generation = self.generation();
        let mut least = None;
        let bucket = self.bucket(key);
        // Of equal candidates the first is evicted.
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
                let worth = self.replacement.worth(entry.total().visits, entry.meta().generation, generation);
                keep_least(&mut least, worth, (words, owner));
            }
        }
        least.map(|(_, victim)| victim)
    }

    /// Gives the position its first page with `priors`, evicting a less valuable page if none is free. Returns the present
    /// page if another worker has given it one meanwhile; `None` if all candidates are protected, or if another worker
    /// took the chosen one or the position's entry.
    ///
    /// `priors` has one element for each move, `None` where illegal; it is called only if there is a candidate.
    pub fn claim_page<P: AsRef<[Option<Prior>]>>(
        &self,
        entry: &Entry<'_>,
        priors: impl FnOnce() -> P,
        protected: ProtectedPath<'_>,
        counters: &mut Counters,
    ) -> Option<Page<'_>> {
        self.claim_evaluated_page(entry, || (priors(), PageEvaluation::NONE), protected, counters)
    }

    /// Gives the position its first page with priors and an evaluation; otherwise like [`claim_page`](Table::claim_page).
    pub fn claim_evaluated_page<P: AsRef<[Option<Prior>]>>(
        &self,
        entry: &Entry<'_>,
        evaluate: impl FnOnce() -> (P, PageEvaluation),
        protected: ProtectedPath<'_>,
        counters: &mut Counters,
    ) -> Option<Page<'_>> {
        let shape = self.layout.shape;
        let content = || {
            let (priors, evaluation) = evaluate();
            move |words: &[AtomicU64]| Page::fill(words, shape, priors.as_ref(), |_| false, evaluation)
        };
        self.claim_first_page(entry, content, protected, counters)
    }

    /// Gives the position its first page; `content` returns a function that fills its words. Otherwise like
    /// [`claim_page`](Table::claim_page).
    pub(super) fn claim_first_page<F: FnOnce(&[AtomicU64])>(
        &self,
        entry: &Entry<'_>,
        content: impl FnOnce() -> F,
        protected: ProtectedPath<'_>,
        counters: &mut Counters,
    ) -> Option<Page<'_>> {
        // The caller's entry may be a duplicate: a page is found through the entry that a probe finds.
        let entry = self.find(entry.key())?;
        let before = entry.page_number();
        if let Some(page) = self.page(&entry) {
            return Some(page);
        }
        let Some(candidate) = self.choose_page(protected) else {
            counters.refused += 1;
            return None;
        };
        let fill = content();
        // Priors take so long that another worker is often first; at this point no page has been evicted for them.
        if let Some(page) = self.page(&entry) {
            return Some(page);
        }
        let visits = entry.total().visits;
        let page =
            self.fill_page(&candidate, PagePlace { key: entry.key(), rank: 0, visits }, fill, counters)?;
        if self.name_page(&entry, before, page.number()) {
            // The lost page may have become the position's own again meanwhile.
            if before != page.number() {
                self.free_chain(before, entry.key());
            }
            return page.is_current().then_some(page);
        }
        // Another worker gave the position a page, or evicted its entry.
        self.free_chain(page.number(), entry.key());
        self.find(entry.key()).and_then(|entry| self.page(&entry))
    }

    /// Appends a page with the next moves by prior to the chain that begins with `first`; `priors` as in
    /// [`claim_page`](Table::claim_page), or `None` if there are none. Returns true if the chain has become longer, also by
    /// another worker.
    pub fn claim_next_page<P: AsRef<[Option<Prior>]>>(
        &self,
        first: &Page<'_>,
        priors: impl FnOnce() -> Option<P>,
        protected: ProtectedPath<'_>,
        counters: &mut Counters,
    ) -> bool {
        let shape = self.layout.shape;
        let content = |last: &Page<'_>| {
            last.rest()?;
            let priors = priors()?;
            let listed: Vec<u16> = self
                .chain(*first)
                .flat_map(|page| page.moves().map(|(number, _)| number).collect::<Vec<_>>())
                .collect();
            let is_listed = move |number| listed.contains(&number);
            Some(move |words: &[AtomicU64]| {
                Page::fill(words, shape, priors.as_ref(), is_listed, PageEvaluation::NONE);
            })
        };
        // One visit, the present one: without any, the page would be the first to be evicted.
        self.append_page(first, 1, content, protected, counters)
    }

    /// Appends a page to the chain that begins with `first`. `content` gets the last page of the chain and returns a function
    /// that fills the words of the next one, or `None` if there should be none; `visits` are for the replacement policy.
    /// Returns true if the chain has become longer, also by another worker.
    pub(super) fn append_page<F: FnOnce(&[AtomicU64])>(
        &self,
        first: &Page<'_>,
        visits: u32,
        content: impl FnOnce(&Page<'_>) -> Option<F>,
        protected: ProtectedPath<'_>,
        counters: &mut Counters,
    ) -> bool {
        let Some(last) = self.chain(*first).last().filter(|it| it.rank() + 1 < MAX_CHAIN) else {
            return false;
        };
        let found = last.next();
        let Some(candidate) = self.choose_page(protected) else {
            counters.refused += 1;
            return false;
        };
        let Some(fill) = content(&last) else { return false };
        // As for a first page, another worker may have been faster.
        if self.next_page(&last).is_some() {
            return true;
        }
        let place = PagePlace { key: self.owner_of(first.owner()), rank: last.rank() + 1, visits };
        let Some(page) = self.fill_page(&candidate, place, fill, counters) else { return false };
        if !last.link(found, page.number()) {
            // Another worker appended a page, or evicted the last one.
            self.free_from(page.number(), page.owner(), place.rank);
            return self.next_page(&last).is_some();
        }
        // The page named before may have come back to this place meanwhile.
        if found != page.number() {
            self.free_from(found, page.owner(), place.rank);
        }
        true
    }

    /// Fills the candidate for a position and publishes it, named by no entry and no page yet; `None` if another worker
    /// has taken it.
    fn fill_page<'t>(
        &'t self,
        candidate: &PageCandidate<'t>,
        PagePlace { key, rank, visits }: PagePlace,
        fill: impl FnOnce(&[AtomicU64]),
        counters: &mut Counters,
    ) -> Option<Page<'t>> {
        let sequence = self.take_page(candidate, counters)?;
        let PageCandidate { number, words, .. } = *candidate;
        words[0].store(0, Release);
        words[2].store(self.generation() << 32 | u64::from(visits), Relaxed);
        fill(words);
        words[0].store(self.owner_of(key), Release);
        let published = claim_word::with_rank(claim_word::after(sequence, 1), rank);
        // Fails only if another worker has meanwhile reclaimed the page as abandoned.
        words[1].compare_exchange(sequence, published, Release, Relaxed).ok()?;
        Page::accept(words, self.layout.shape, number, self.owner_of(key), rank)
    }

    /// Stores the published page `number` in the entry, if the entry's page is still `before` and a probe still
    /// finds the entry. Otherwise no worker finds the page, and the caller frees it.
    ///
    /// A worker that evicts the entry exchanges the word with the page's number: if before this exchange, this
    /// worker sees the other key; if after it, that worker finds the number and frees the page.
    fn name_page(&self, entry: &Entry<'_>, before: u32, number: u32) -> bool {
        entry.change_page(before, number)
            && self
                .find(entry.key())
                .is_some_and(|found| found.is_same(entry) && found.page_number() == number)
    }

    /// Frees the chain that begins with page `number`, which no entry names, if it still belongs to the position `key`.
    pub(super) fn free_chain(&self, number: u32, key: u64) {
        if key >= MIN_KEY {
            self.free_from(number, self.owner_of(key), 0);
        }
    }

    /// Returns a free page or else the least valuable of those that the clock hand passes; `None` if all are protected
    /// or being filled. In place of a page of a longer chain the last one of the chain is a candidate.
    fn choose_page(&self, protected: ProtectedPath<'_>) -> Option<PageCandidate<'_>> {
        let generation = self.generation();
        let pages = self.layout.pages as u64;
        let mut least = None;
        for _ in 0..CLOCK_STEPS.min(self.layout.pages) {
            let number = (self.header(header::CLOCK).fetch_add(1, Relaxed) % pages) as u32 + 1;
            let candidate = self.last_of_chain(number)?;
            let PageCandidate { words, word, .. } = candidate;
            let used = words[2].load(Relaxed);
            let used_in = used >> 32 & (GENERATIONS - 1);
            let owner = words[0].load(Relaxed);
            if owner != 0 && protected.keys.contains(&self.owner_of(owner)) {
                continue;
            }
            // Odd: being filled, or abandoned by a killed worker, which shows by staying unchanged for generations.
            if word & 1 != 0 {
                let suspect = SUSPECT | word << SUSPECT_SHIFT & !SUSPECT;
                let is_suspect = used >> SUSPECT_SHIFT == suspect >> SUSPECT_SHIFT;
                if !is_suspect {
                    // Fails if the worker that fills it writes the word at this moment.
                    let _ = words[2].compare_exchange(used, suspect | generation << 32, Relaxed, Relaxed);
                }
                if !is_suspect || age(used_in, generation) < ABANDONED_AGE {
                    continue;
                }
            }
            if owner == 0 || self.is_of_earlier_epoch(owner) {
                return Some(candidate);
            }
            keep_least(&mut least, self.replacement.worth(used as u32, used_in, generation), candidate);
        }
        least.map(|(_, victim)| victim)
    }

    /// Returns true if a page belongs to no position, because its file was in doubt since it was filled.
    fn is_of_earlier_epoch(&self, owner: u64) -> bool {
        self.epoch != 0 && !self.layout.shape.ranked && self.find(self.owner_of(owner)).is_none()
    }

    /// Returns the last page of the chain in which page `number` is; that page itself if it is free or being filled.
    fn last_of_chain(&self, number: u32) -> Option<PageCandidate<'_>> {
        let candidate = |number: u32| {
            let words = self.page_words(number)?;
            Some(PageCandidate { number, words, word: words[1].load(Acquire) })
        };
        let mut last = candidate(number)?;
        while last.word & 1 == 0
            && let Some(next) = candidate(claim_word::next_of(last.word))
            && next.word & 1 == 0
            && claim_word::rank_of(next.word) == claim_word::rank_of(last.word) + 1
            && next.words[0].load(Relaxed) == last.words[0].load(Relaxed)
        {
            last = next;
        }
        Some(last)
    }

    /// Claims the page for this worker and returns its new word 1, with an odd sequence; `None` if another worker has
    /// taken it since it was chosen.
    fn take_page(&self, candidate: &PageCandidate<'_>, counters: &mut Counters) -> Option<u64> {
        let PageCandidate { words, word, .. } = *candidate;
        let odd = claim_word::after(word, if word & 1 == 0 { 1 } else { 2 });
        if words[1].compare_exchange(word, odd, Acquire, Relaxed).is_err() {
            counters.contention += 1;
            return None;
        }
        // A worker that sees writes from here on also sees the odd sequence.
        fence(Release);
        let owner = words[0].load(Relaxed);
        if owner != 0 {
            counters.page_evictions += 1;
            if word & 1 == 0 {
                // The page named as the next may have come back to the chain since this one was chosen as its last.
                self.free_from(claim_word::next_of(word), owner, claim_word::rank_of(word) + 1);
            }
        } else if word & 1 == 0 {
            self.header(header::PAGES_USED).fetch_add(1, Relaxed);
        }
        Some(odd)
    }
}

/// A candidate for eviction, with its word 1 when it was chosen.
#[derive(Clone, Copy)]
struct PageCandidate<'t> {
    number: u32,
    words: &'t [AtomicU64],
    word: u64,
}

/// The position of a new page, its place in the chain and the visits for the replacement policy.
#[derive(Clone, Copy)]
struct PagePlace {
    key: u64,
    rank: u64,
    visits: u32,
}
