//! Sums of the chains that several tables have for one position.

use crate::base::game::Prior;
use crate::base::value::{Estimate, Value};
use crate::table::amaf::{AMAF_VISITS_LIMIT, Amaf};
use crate::table::best_moves::BestMoves;
use crate::table::claim_word;
use crate::table::edge::Edge;
use crate::table::page::{Page, PageEvaluation};
use crate::table::transposition_table::Table;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;

/// The pages of one position in one table.
pub(super) type Chain<'t> = Vec<Page<'t>>;

/// The chains of one position in several tables.
pub(super) struct ChainSum<'t> {
    /// One chain from each table that has one.
    pub(super) parts: Vec<Chain<'t>>,
    /// The common ancestor's chain: contained in all parts, and counted once.
    pub(super) base: Option<Chain<'t>>,
}

/// The statistics of a move, summed over the parts.
pub(super) struct MoveSum {
    number: u16,
    prior: Option<Prior>,
    visits: u64,
    value: Value,
    amaf: Amaf,
}

impl ChainSum<'_> {
    /// Returns true if there are parts and none of the pages has been evicted: all reads so far are valid.
    pub(super) fn is_current(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().chain(&self.base).flatten().all(Page::is_current)
    }

    /// Returns the visits of the most visited edge, not yet cut.
    pub(super) fn most_visits(&self) -> u64 {
        self.moves().iter().map(|it| it.visits).max().unwrap_or(0)
    }

    /// Returns the sums of all moves of the parts, in the order of the part that lists most of them.
    pub(super) fn moves(&self) -> Vec<MoveSum> {
        let mut moves: Vec<MoveSum> = Vec::new();
        let mut listed = BTreeSet::new();
        let fullest = self.parts.iter().max_by_key(|part| part.iter().flat_map(Page::moves).count());
        for page in fullest.into_iter().chain(&self.parts).flatten() {
            for (number, edge) in page.moves() {
                if listed.insert(number) {
                    let (visits, value) = self.edge(number);
                    let prior = edge.is_legal().then(|| edge.prior());
                    moves.push(MoveSum { number, prior, visits, value, amaf: self.amaf(number) });
                }
            }
        }
        moves
    }

    /// Stores `moves` as the chain of the position `key` in free pages of `target`, which no other worker reads, from page
    /// `first` on and as far as the pool reaches. Edge visits are shifted right by `shift`; `used` is word 2 of the pages.
    /// Returns the number of pages and the sum of the visits stored.
    ///
    /// Scores and policy state are taken from the most visited part: policy state cannot be added, and the parts may share
    /// samples of the scores.
    pub(super) fn store(
        &self,
        (target, key): (&Table, u64),
        first: u32,
        used: u64,
        moves: &[MoveSum],
        shift: u32,
    ) -> (u32, u64) {
        let shape = target.layout.shape;
        let chunks = moves.chunks(shape.edges());
        let (mut number, mut visits, mut last): (u32, u64, Option<Page<'_>>) = (first, 0, None);
        for (rank, chunk) in chunks.enumerate() {
            let Some(words) = target.page_words(number) else { break };
            let rest = match moves.get((rank + 1) * shape.edges()) {
                Some(next) => next.prior,
                None => self.rest(),
            };
            let listed: Vec<_> = chunk.iter().filter_map(|it| Some((it.number, it.prior?))).collect();
            let priors: Vec<_> = chunk.iter().map(|it| it.prior).collect();
            let evaluation = PageEvaluation { estimate: self.estimate().filter(|_| rank == 0), score: None };
            Page::fill_with(words, shape, &priors, &BestMoves::from_list(&listed, rest), evaluation);
            let of_page: u64 = chunk.iter().map(|it| it.visits >> shift).sum();
            let of_page = used >> 32 << 32 | of_page.min(u32::MAX.into());
            words[2].store(if rank == 0 { used } else { of_page }, Relaxed);
            claim_word::assign(words, target.owner_of(key), rank as u64);
            let Some(page) = target.page_of(number, key, rank as u64) else { break };
            for (index, it) in chunk.iter().enumerate() {
                page.set_edge(index, page.edge(index).with_statistics(it.visits >> shift, it.value));
                page.set_amaf(index, it.amaf);
                visits += it.visits >> shift;
            }
            last.replace(page).inspect(|last| assert!(last.link(0, number), "no other worker links it"));
            if rank == 0 {
                self.copy_scores(&page);
            }
            number += 1;
        }
        if let Some(last) = last {
            number += self.store_ownership(target, last, used);
        }
        (number - first, visits)
    }

    /// Copies the ownership pages of the part that has most of them behind page `last` of `target`, as far as the pool
    /// reaches. Returns their number.
    fn store_ownership<'t>(&self, target: &'t Table, mut last: Page<'t>, used: u64) -> u32 {
        let of_part = |part: &Chain<'_>| part.iter().filter(|page| page.ownership_part().is_some()).count();
        let Some(part) = self.parts.iter().max_by_key(|part| of_part(part)) else { return 0 };
        let before = last.number();
        for page in part {
            let (Some(ownership), number) = (page.ownership_part(), last.number() + 1) else { continue };
            let Some(words) = target.page_words(number) else { break };
            ownership.fill(words, target.layout.shape, last.rest_word());
            words[2].store(used, Relaxed);
            claim_word::assign(words, last.owner(), last.rank() + 1);
            let Some(page) = target.next_page_numbered(&last, number) else { break };
            assert!(last.link(0, number), "no other worker links it");
            last = page;
        }
        last.number() - before
    }

    /// Copies the scores and the policy state of the most visited part.
    fn copy_scores(&self, target: &Page<'_>) {
        let visits = |part: &&Chain<'_>| {
            let edges = part.iter().flat_map(Page::moves);
            edges.map(|(_, edge)| u64::from(edge.visits())).sum::<u64>()
        };
        let Some(first) = self.parts.iter().max_by_key(visits).and_then(|part| part.first()) else { return };
        target.set_scores(first.sampled_score(), first.evaluator_score());
        for (word, stored) in target.policy_state().iter().zip(first.policy_state()) {
            word.store(stored.load(Relaxed), Relaxed);
        }
    }

    /// Returns the prior of the best move in no part; `None` if a part lists all legal moves.
    ///
    /// A move in no part is in the rest of each, so the lowest is the closest bound; a part that lists every move of the
    /// others has it exactly. Pages of ownership repeat the rest of the page before them.
    fn rest(&self) -> Option<Prior> {
        let rests = self.parts.iter().filter_map(|part| part.last()).map(Page::rest);
        rests.min_by_key(|rest| rest.map(|prior| prior.wins)).flatten()
    }

    /// Returns the value estimate of the first part that has one. It is the same in all tables and no sample, so it
    /// is not added up.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        self.parts.iter().find_map(|part| part.first()?.estimate())
    }

    /// Returns the page and the index of a move in each chain that has it, with signed factors: 1 for each part, and for the
    /// base 1 minus the number of parts that have the move, since a part may have lost the page.
    fn terms(&self, number: u16) -> Vec<(&Page<'_>, usize, i128)> {
        let mut terms = Vec::new();
        for part in &self.parts {
            terms.extend(place_of(part, number).map(|(page, index)| (page, index, 1)));
        }
        let once_too_often = 1 - terms.len() as i128;
        let base = self.base.as_ref().and_then(|base| place_of(base, number));
        terms.extend(base.map(|(page, index)| (page, index, once_too_often)));
        terms
    }

    /// Returns the visits of a move, and their mean value.
    fn edge(&self, number: u16) -> (u64, Value) {
        let terms = self.terms(number).into_iter().map(|(page, index, factor)| (page.edge(index), factor));
        weighted_mean(terms.map(|(edge, factor): (Edge, i128)| (edge.visits(), edge.value(), factor)))
    }

    /// Returns the AMAF samples of a move, halved until they fit.
    fn amaf(&self, number: u16) -> Amaf {
        let (mut visits, mut half_points) = (0_i128, 0_i128);
        for (page, index, factor) in self.terms(number) {
            let amaf = page.amaf(index);
            visits += factor * i128::from(amaf.visits);
            half_points += factor * i128::from(amaf.half_points);
        }
        let (mut visits, mut half_points) = (visits.max(0), half_points.max(0));
        while visits >= i128::from(AMAF_VISITS_LIMIT) {
            (visits, half_points) = (visits / 2, half_points / 2);
        }
        Amaf { visits: visits as u32, half_points: half_points.min(2 * visits) as u32 }
    }
}

/// Returns the page of a chain with a move, and the index of its edge.
fn place_of<'c, 't>(chain: &'c Chain<'t>, number: u16) -> Option<(&'c Page<'t>, usize)> {
    chain.iter().find_map(|page| Some((page, page.index_of(number)?)))
}

/// Returns the sum of the visits and the mean of the values over terms (visits, value, factor); 0 and value 0 if the
/// sum is not positive.
pub(super) fn weighted_mean(terms: impl Iterator<Item = (u32, Value, i128)>) -> (u64, Value) {
    let (mut visits, mut weighted) = (0_i128, 0_i128);
    for (count, value, factor) in terms {
        visits += factor * i128::from(count);
        weighted += factor * i128::from(count) * i128::from(value.0);
    }
    if visits <= 0 {
        return (0, Value(0));
    }
    (visits as u64, Value((weighted / visits).clamp(0, i128::from(u32::MAX)) as u32))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::table::counters::Counters;
    use crate::table::layout::Shape;
    use crate::table::transposition_table::ProtectedPath;

    const MOVES: usize = 82;
    const KEY: u64 = 77 << 40;

    fn priors(legal: usize) -> Vec<Option<Prior>> {
        let prior = |it: usize| Prior { visits: 100, wins: (legal - it) as u8 };
        (0..MOVES).map(|it| (it < legal).then(|| prior(it))).collect()
    }

    /// Returns a table with a position of `legal` moves that has up to `pages` pages of moves, and its ownership if
    /// `has_ownership`.
    fn table(legal: usize, pages: usize, has_ownership: bool) -> Table {
        let (table, path) =
            (Table::new(Shape::ranked(MOVES), 1 << 16).expect("a table"), ProtectedPath::default());
        let mut counters = Counters::default();
        let entry = table.find_or_claim(KEY, path, &mut counters).expect("an entry");
        let first = table.claim_page(&entry, || priors(legal), path, &mut counters).expect("a page").number();
        if has_ownership {
            table.store_ownership(KEY, &[1.0; MOVES - 1], &mut counters);
        }
        for _ in 1..pages {
            let page = table.page(&table.find(KEY).expect("an entry")).filter(|page| page.number() == first);
            table.claim_next_page(&page.expect("the page"), || Some(priors(legal)), path, &mut counters);
        }
        table
    }

    fn chain(table: &Table) -> Chain<'_> {
        table.chain(table.page(&table.find(KEY).expect("an entry")).expect("a page")).collect()
    }

    /// Merges the chains of the position; returns the number of moves stored and the rest of each page stored.
    fn merge(sources: &[&Table]) -> (usize, Vec<Option<u8>>) {
        let target = Table::new(Shape::ranked(MOVES), 1 << 16).expect("a table");
        let entry =
            target.find_or_claim(KEY, ProtectedPath::default(), &mut Counters::default()).expect("an entry");
        let sum = ChainSum { parts: sources.iter().map(|it| chain(it)).collect(), base: None };
        sum.store((&target, KEY), 1, 0, &sum.moves(), 0);
        entry.update_meta(|meta| crate::table::entry::EntryMeta { page: 1, ..meta });
        let stored = chain(&target);
        let rests = stored.iter().map(|page| page.rest().map(|prior| prior.wins));
        (stored.iter().flat_map(Page::moves).count(), rests.collect())
    }

    #[test]
    fn the_rest_of_a_merged_chain_is_that_behind_all_its_moves_whatever_has_an_ownership() {
        for (legal, pages, moves, last) in [(80, 2, 16, Some(64)), (80, 3, 24, Some(56)), (12, 2, 12, None)] {
            let [few, many] = [table(legal, 1, true), table(legal, pages, false)];
            assert_eq!(chain(&few).len(), 3);
            for sources in [[&few, &many], [&many, &few]] {
                let (stored, rests) = merge(&sources);
                assert_eq!(stored, moves);
                // The pages of ownership repeat the rest.
                assert!(rests[pages - 1..].iter().all(|rest| *rest == last), "{legal}, {pages}: {rests:?}");
                assert_eq!(rests[0], Some((legal - 8) as u8));
            }
        }
    }
}
