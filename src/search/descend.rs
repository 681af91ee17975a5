//! Descent: the walk from the root to a leaf by selected moves.

use super::leaf::Leaf;
use super::parameters::CatchUp;
use super::path::{SiblingStatistics, Step};
use super::policy::SelectionPolicy;
use super::proof;
use super::select::{NodeContext, SelectedEdge, Selection};
use super::value_bias::BiasSlot;
use super::worker::Worker;
use crate::base::game::{Bounds, Game};
use crate::table::{DEPTHS, Entry, LeafPlayouts, Page, VisitsAndValue};
use std::ops::ControlFlow::{self, Break, Continue};

impl<'t, G: Game, P: SelectionPolicy> Worker<'t, '_, G, P> {
    /// Walks from the current position, at first the root, through positions with pages to a leaf.
    pub(super) fn descend(&mut self) -> Leaf<'t> {
        loop {
            let (entry, page) = match self.arrive() {
                Continue(expanded) => expanded,
                Break(leaf) => return leaf,
            };
            if let Break(leaf) = self.choose_and_play(entry, page) {
                return leaf;
            }
        }
    }

    /// Continues the descent from a position that has just been expanded.
    pub(super) fn descend_through(&mut self, entry: Entry<'t>, page: Page<'t>) -> Leaf<'t> {
        match self.choose_and_play(entry, page) {
            Continue(()) => self.descend(),
            Break(leaf) => leaf,
        }
    }

    /// Returns the current position as a leaf, or its entry and the page to select from.
    fn arrive(&mut self) -> ControlFlow<Leaf<'t>, (Entry<'t>, Page<'t>)> {
        let key = self.game.key();
        self.is_reseeded = false;
        if let Some(score) = self.game.terminal_score() {
            return Break(Leaf::Decided(self.entry_of_child(key), Bounds::exact(score)));
        }
        if self.game.is_over() {
            return Break(Leaf::Playout(self.entry_of_child(key)));
        }
        if self.path_keys.contains(&key) {
            // Only rules without superko allow a cycle; a playout ends it.
            return Break(Leaf::Playout(None));
        }
        if self.is_first_visit(key) {
            return Break(Leaf::Playout(None));
        }
        let Some(entry) = self.entry_of_child(key) else { return Break(Leaf::Unstored) };
        if !self.steps.is_empty() {
            let bounds = self.path_bounds_at(&entry);
            if proof::decided(&self.game, bounds).is_some() {
                return Break(Leaf::Decided(Some(entry), bounds));
            }
            if self.may_catch_up(&entry) {
                return Break(Leaf::CatchUp(entry));
            }
        }
        self.path_keys.push(key);
        match self.table.page(&entry) {
            Some(page) => Continue((entry, page)),
            None => Break(Leaf::Unexpanded(entry)),
        }
    }

    /// Selects a move of an expanded position and plays it.
    fn choose_and_play(&mut self, entry: Entry<'t>, first: Page<'t>) -> ControlFlow<Leaf<'t>> {
        if self.is_shared_now {
            first.prefetch_for_visit();
        }
        let (edge, siblings) = self.choose(entry, first)?;
        let (mv, page) = (edge.mv, self.chain[edge.page]);
        let mover = self.game.to_play();
        let has_repetition_rule = self.game.has_repetition_rule();
        self.steps.push(Step {
            entry,
            first,
            page,
            index: edge.index,
            mover,
            mv,
            bias_slot: self.bias_slot,
            leaf_playouts: entry.leaf_playouts(),
            estimate: first.estimate(),
            siblings,
            loses_stones: if has_repetition_rule { self.game.loses_stones(mv) } else { [false; 2] },
            permits_proof_for: proof::permits(&self.game),
            key_with_history: if has_repetition_rule { self.game.key_with_history() } else { entry.key() },
        });
        if let Some(virtual_loss) = self.virtual_loss.filter(|it| it.matters(siblings.visits)) {
            virtual_loss.counters(entry.key()).increment(mv.index());
        }
        self.trace.moves.push((mover, mv));
        self.bias_slot = self.value_bias.map(|_| BiasSlot::of(self.game.context_after(mv)));
        self.game.play(mv);
        Continue(())
    }

    /// Selects an edge of a position. Appends pages to its chain while the best move may be on no page.
    fn choose(
        &mut self,
        entry: Entry<'t>,
        first: Page<'t>,
    ) -> ControlFlow<Leaf<'t>, (SelectedEdge, SiblingStatistics)> {
        let is_root = self.steps.is_empty();
        let allowed = self.root_moves.filter(|_| is_root);
        let mut may_grow = true;
        loop {
            self.chain.clear();
            self.chain.extend(self.table.chain(first));
            let node = NodeContext {
                game: &self.game,
                chain: &self.chain,
                may_grow,
                is_root,
                uses_amaf: self.uses_amaf,
                allowed,
            };
            let selection =
                self.edges.select(self.table, &self.policy, node, self.virtual_loss, &mut self.rng);
            match selection {
                Selection::Edge(edge, siblings) => {
                    self.counters.collisions += self.edges.illegal_edges();
                    return Continue((edge, siblings));
                }
                // Each page makes the chain longer, unless another worker evicts it first.
                Selection::NextPage => may_grow = self.claim_next_page(&first),
                // Moves on no page are neither refuted nor tried.
                Selection::AllRefuted if self.chain.last().is_some_and(|last| last.rest().is_some()) => {
                    return Break(Leaf::Playout(Some(entry)));
                }
                Selection::AllRefuted if allowed.is_some() => return Break(Leaf::AllowedRefuted(entry)),
                Selection::AllRefuted => return Break(Leaf::AllRefuted(entry)),
                Selection::PageLost if !first.is_current() => {
                    // `expand` first replaces the statistics of the lost page by leaf playouts with the same mean.
                    return Break(Leaf::Unexpanded(entry));
                }
                // A further page was lost: the chain is shorter now.
                Selection::PageLost => may_grow = false,
            }
        }
    }

    /// Returns the entry of the current position, claiming one if there is none. With `reseed` a new entry starts with
    /// the statistics of the edge to it.
    fn entry_of_child(&mut self, key: u64) -> Option<Entry<'t>> {
        let misses = self.counters.misses;
        let entry = self.find_or_claim_entry(key)?;
        let is_new = self.counters.misses != misses;
        if let Some(step) = self.steps.last() {
            // A page reassigned to another position does not contain this edge.
            let Some(edge) = step.page.current_edge(step.index) else { return Some(entry) };
            if is_new && edge.visits() > 0 && self.parameters.reseed {
                let value = edge.value().other();
                // Each worker may have visited the edge before any made an entry.
                let unseen =
                    if self.parameters.defers_entries { self.parameters.threads as u32 - 1 } else { 0 };
                self.is_reseeded = edge.visits() > self.parameters.expand_at.saturating_add(unseen);
                entry.seed(
                    LeafPlayouts::with_mean(edge.visits(), value),
                    VisitsAndValue { visits: edge.visits(), value },
                );
            } else if !is_new && edge.visits() == 0 && entry.total().visits > 0 {
                self.counters.transpositions += 1;
                self.counters.transpositions_by_depth[self.steps.len().min(DEPTHS) - 1] += 1;
            }
        }
        Some(entry)
    }

    /// Returns true if entries are deferred, this is the first visit through the edge, and the position has no entry. The
    /// edge alone stores this visit; the next one makes an entry from it.
    fn is_first_visit(&self, key: u64) -> bool {
        let Some(step) = self.steps.last().filter(|_| self.parameters.defers_entries) else { return false };
        step.page.current_edge(step.index).is_some_and(|edge| edge.visits() == 0)
            && self.table.find(key).is_none()
    }

    fn may_catch_up(&self, entry: &Entry<'_>) -> bool {
        self.parameters.catch_up == CatchUp::Stop
            && self.steps.last().is_some_and(|step| {
                let edge = step.page.current_edge(step.index);
                edge.is_some_and(|edge| entry.total().visits > edge.visits())
            })
    }
}
