//! The content of a page apart from its statistics: moves, priors and evaluation, for a copy in another table.

use super::atomic::AtomicU64;
use super::best_moves::BestMoves;
use super::counters::Counters;
use super::entry::Entry;
use super::layout::Shape;
use super::page::{Page, PageEvaluation};
use super::transposition_table::{ProtectedPath, Table};
use crate::base::game::Prior;

/// Maximum number of attempts to claim a page.
const MAX_CLAIMS: usize = 3;

/// Moves and evaluation of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageContent {
    /// Number of pages with moves before this one in the chain.
    pub order: u8,
    /// Move numbers and priors of the legal moves, in the order of the page.
    pub moves: Vec<(u16, Prior)>,
    /// The prior of the best move on no page so far; `None` if there is none.
    pub rest: Option<Prior>,
    /// The evaluator's result; only a first page has one.
    pub evaluation: PageEvaluation,
}

impl PageContent {
    /// Fills the words of a claimed page; the caller publishes it.
    fn fill(&self, words: &[AtomicU64], shape: Shape) {
        let mut priors = vec![None; if shape.ranked { 0 } else { shape.moves }];
        for &(number, prior) in &self.moves {
            if let Some(place) = priors.get_mut(usize::from(number)) {
                *place = Some(prior);
            }
        }
        let best = BestMoves::from_list(if shape.ranked { &self.moves } else { &[] }, self.rest);
        Page::fill_with(words, shape, &priors, &best, self.evaluation);
    }

    /// Returns true if every move exists and is listed once.
    fn is_possible(&self, shape: Shape) -> bool {
        let exists = |number: u16| usize::from(number) < shape.moves;
        let is_once = |number: u16| self.moves.iter().filter(|(other, _)| *other == number).count() == 1;
        let is_sound = |&(number, prior): &(u16, Prior)| {
            exists(number) && is_once(number) && prior.wins <= prior.visits && prior.visits < u8::MAX
        };
        self.moves.len() <= shape.edges() && self.moves.iter().all(is_sound)
    }
}

impl Page<'_> {
    /// Returns the content of the page with moves that follows `order` others; `None` if it was evicted meanwhile.
    pub(super) fn content(&self, order: u8) -> Option<PageContent> {
        let legal = self.moves().filter(|(_, edge)| edge.is_legal());
        let moves = legal.map(|(number, edge)| (number, edge.prior())).collect();
        let is_first = order == 0;
        let evaluation = PageEvaluation {
            estimate: self.estimate().filter(|_| is_first),
            score: self.evaluator_score().filter(|_| is_first),
        };
        let content = PageContent { order, moves, rest: self.rest(), evaluation };
        self.is_current().then_some(content)
    }
}

impl Table {
    /// Gives the position a page with the content of another table's page, if it has none at this place of its chain. Returns
    /// true if the page is new; false if the position has the page already, if a page before it is missing, if it has one of
    /// the moves on another page, or if no page may be evicted.
    pub(super) fn store_page(
        &self,
        entry: &Entry<'_>,
        content: &PageContent,
        counters: &mut Counters,
    ) -> bool {
        if !content.is_possible(self.layout.shape) {
            return false;
        }
        if content.order == 0 {
            self.store_first(entry, content, counters)
        } else {
            self.store_next(entry, content, counters)
        }
    }

    fn store_first(&self, entry: &Entry<'_>, content: &PageContent, counters: &mut Counters) -> bool {
        let (shape, keys) = (self.layout.shape, [entry.key()]);
        if self.page(entry).is_some() {
            return false;
        }
        // The mean of the lost page contains the estimate, and this page adds it again.
        let had_page = self.replace_lost_page(entry, counters);
        let fill = || |words: &[AtomicU64]| content.fill(words, shape);
        let protected = ProtectedPath { keys: &keys };
        let is_stored =
            (0..MAX_CLAIMS).any(|_| self.claim_first_page(entry, fill, protected, counters).is_some());
        if let Some(estimate) = content.evaluation.estimate.filter(|_| had_page) {
            entry.remove_from_leaf_playouts(estimate);
        }
        is_stored
    }

    fn store_next(&self, entry: &Entry<'_>, content: &PageContent, counters: &mut Counters) -> bool {
        let Some(first) = self.page(entry) else { return false };
        let pages: Vec<Page<'_>> = self.chain(first).collect();
        let with_moves = pages.iter().filter(|page| page.ownership_part().is_none()).count();
        let is_next = with_moves == usize::from(content.order);
        let is_listed = |number: u16| pages.iter().any(|page| page.index_of(number).is_some());
        if !is_next || content.moves.iter().any(|(number, _)| is_listed(*number)) {
            return false;
        }
        let (shape, keys) = (self.layout.shape, [entry.key()]);
        let fill = |last: &Page<'_>| {
            last.rest()?;
            Some(|words: &[AtomicU64]| content.fill(words, shape))
        };
        self.append_page(&first, 1, fill, ProtectedPath { keys: &keys }, counters)
    }
}
