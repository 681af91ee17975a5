//! Selection of a move in three passes: load the edges, probe each child with visits, score the moves. The best move
//! that is legal and not banned is selected.
//!
//! A chain of ranked pages may lack moves. The best of these takes part as the *rest*: an edge without visits, with its
//! prior. If it is selected, the chain needs another page. So a chain selects what one page of all moves would, except among
//! moves with equal scores.

use super::path::SiblingStatistics;
use super::policy::{EdgeColumns, EstimateStatistics, ParentView, Puct, SelectionPolicy};
use super::policy_state;
use super::proof;

use super::value_weight;
use super::virtual_loss::VirtualLoss;
use crate::base::game::{Game, Move, Outcome};
use crate::base::rng::PlayoutRng;
use crate::base::value::{Estimate, Value};
use crate::table::{Edge, Page, Table};

/// The edges of a position as separate arrays, so that scoring them vectorises: those of its pages in the order of their
/// chain, then the rest. Each worker reuses one.
#[derive(Default)]
pub(super) struct EdgeArrays {
    /// The move number of each edge.
    moves: Vec<u16>,
    visits: Vec<f32>,
    value: Vec<f32>,
    amaf_visits: Vec<f32>,
    amaf_wins: Vec<f32>,
    prior_visits: Vec<f32>,
    prior_wins: Vec<f32>,
    /// The policy state of each edge; 0 if the policy has none.
    policy_state: Vec<u64>,
    /// 0, or minus infinity for a move that is illegal, refuted or not allowed, or cannot do better than a proven draw.
    excluded: Vec<f32>,
    scores: Vec<f32>,
    loaded: Vec<Edge>,
    visited: Vec<Visited>,
    /// Weight of a visit of each edge.
    weights: Vec<f32>,
    /// Index of the rest, if the chain lacks moves and may get another page.
    rest: Option<usize>,
    /// Number of edges with visits of moves that are illegal in the position.
    illegal_edges: u64,
}

/// An edge with visits, and the statistics of its child.
#[derive(Clone, Copy)]
struct Visited {
    index: usize,
    key: u64,
    visits: u32,
    value: Value,
    /// Number of the child's first page, 0 if it has none.
    page: u32,
    refuted: bool,
    /// The best outcome for the mover that is not disproven.
    best: Outcome,
}

/// Edges of moves that are proven to win or to draw, and not banned.
#[derive(Default)]
struct ProvenMoves {
    winning: Option<usize>,
    drawing: Option<usize>,
}

/// The position in which a move is selected.
pub(super) struct NodeContext<'n, G> {
    pub(super) game: &'n G,
    /// The pages of the position, in the order of their chain.
    pub(super) chain: &'n [Page<'n>],
    /// True if the chain may get another page.
    pub(super) may_grow: bool,
    pub(super) is_root: bool,
    /// True if the policy reads AMAF samples and the pages have any.
    pub(super) uses_amaf: bool,
    /// The moves that may be selected, indexed by move number; `None` allows all.
    pub(super) allowed: Option<&'n [bool]>,
}

/// The result of a selection.
pub(super) enum Selection {
    /// The selected edge, and the statistics of the others.
    Edge(SelectedEdge, SiblingStatistics),
    /// The best move may be one that is on no page.
    NextPage,
    /// Every move on the chain that is legal on this path is refuted.
    AllRefuted,
    /// A page was reassigned to another position while it was read.
    PageLost,
}

/// A selected edge: its move, the place of its page in the chain, and its index on the page.
#[derive(Clone, Copy)]
pub(super) struct SelectedEdge {
    pub(super) mv: Move,
    pub(super) page: usize,
    pub(super) index: usize,
}

impl EdgeArrays {
    /// Selects the move with the highest score that is neither refuted nor banned; a proven win comes first. If a draw
    /// is proven, moves that cannot do better are excluded, and the draw is selected if no other move remains.
    pub(super) fn select<G: Game, P: SelectionPolicy>(
        &mut self,
        table: &Table,
        policy: &P,
        node: NodeContext<'_, G>,
        virtual_loss: Option<&VirtualLoss>,
        rng: &mut PlayoutRng,
    ) -> Selection {
        let NodeContext { game, chain, may_grow, is_root, uses_amaf, allowed } = node;
        let [page, ..] = chain else { return Selection::PageLost };
        self.load(table, game, chain, may_grow);
        if uses_amaf {
            self.load_amaf(page);
        }
        // Moves that are not allowed have no visits, since the root's key depends on the allowed moves.
        let ProvenMoves { winning, drawing } = self.load_children(table, game);
        if let Some(allowed) = allowed {
            self.exclude_all_but(allowed);
        }
        if policy.uses_state() {
            let excluded = &self.excluded;
            policy_state::load(
                policy,
                page,
                is_root,
                // Pages with policy state are complete: edge i is that of move number i.
                |index| excluded[index] == 0.0 && !game.is_banned(Move(index as u16)),
                &mut self.policy_state,
            );
        }
        let estimate = page.estimate();
        let has_estimate = estimate.is_some();
        // From here on only copies are read.
        if !chain.iter().all(Page::is_current) {
            self.illegal_edges = 0;
            return Selection::PageLost;
        }
        let edges = self.loaded.len() - usize::from(self.rest.is_some());
        let on_page = edges / chain.len();
        let selected = |arrays: &mut EdgeArrays, at: usize| {
            // The descent reads the child's page next.
            if let Some(child) = arrays.visited.iter().find(|visited| visited.index == at) {
                table.prefetch_page(child.page);
            }
            let edge = SelectedEdge { mv: arrays.move_at(at), page: at / on_page, index: at % on_page };
            Selection::Edge(edge, arrays.siblings(at, has_estimate))
        };
        if let Some(winning) = winning {
            return selected(self, winning);
        }
        if let Some(virtual_loss) = virtual_loss {
            self.add_virtual_loss(virtual_loss, game.key());
        }
        self.score(policy, is_root, estimate);
        let random_probability = policy.random_probability_256();
        if random_probability > 0 && rng.is_true_in_256(random_probability) {
            self.level_scores();
        }
        loop {
            let Some(best) = self.best(rng) else {
                return drawing.map_or(Selection::AllRefuted, |drawing| selected(self, drawing));
            };
            if self.rest == Some(best) {
                return Selection::NextPage;
            }
            let mv = self.move_at(best);
            if !game.is_banned(mv) && game.is_legal_ignoring_history(mv) {
                return selected(self, best);
            }
            self.scores[best] = f32::NEG_INFINITY;
        }
    }

    #[inline]
    fn move_at(&self, index: usize) -> Move {
        Move(self.moves[index])
    }

    /// Returns 1 if the last chain read had visits of illegal moves, because two positions share a key or a page is
    /// damaged; else 0.
    pub(super) fn illegal_edges(&self) -> u64 {
        u64::from(self.illegal_edges > 0)
    }

    /// First pass: unpacks the edges and prefetches the children with visits.
    fn load<G: Game>(&mut self, table: &Table, game: &G, chain: &[Page<'_>], may_grow: bool) {
        self.visited.clear();
        self.illegal_edges = 0;
        // Copied first: loops over atomics are not vectorised.
        self.loaded.clear();
        self.moves.clear();
        for page in chain {
            self.loaded.extend(page.edges());
            self.moves.extend(page.move_numbers());
        }
        self.rest = None;
        if let Some(rest) = chain.last().and_then(Page::rest).filter(|_| may_grow) {
            self.rest = Some(self.loaded.len());
            self.loaded.push(Edge::fresh(Some(rest)));
            self.moves.push(0);
        }
        self.resize();
        let priors = self.prior_visits.iter_mut().zip(&mut self.prior_wins);
        let columns = self.visits.iter_mut().zip(&mut self.excluded).zip(priors);
        for (edge, ((visits, excluded), (prior_visits, prior_wins))) in self.loaded.iter().zip(columns) {
            let prior = edge.prior();
            *visits = edge.visits() as f32;
            *excluded = if edge.is_legal() { 0.0 } else { f32::NEG_INFINITY };
            *prior_visits = f32::from(prior.visits);
            *prior_wins = f32::from(prior.wins);
        }
        for (index, (edge, &number)) in self.loaded.iter().zip(&self.moves).enumerate() {
            let visits = edge.visits();
            let mv = Move(number);
            // Legality is checked again: a damaged edge must not make the game play an illegal move.
            if visits > 0 && edge.is_legal() && game.is_legal_ignoring_history(mv) {
                let key = game.key_after(mv);
                table.prefetch(key);
                let (value, page, refuted, best) = (edge.value(), 0, false, Outcome::Win);
                self.visited.push(Visited { index, key, visits, value, page, refuted, best });
            } else if visits > 0 {
                self.illegal_edges += 1;
            }
        }
    }

    /// Second pass: reads the children's values and path bounds; returns the moves that are proven to win or to draw.
    fn load_children<G: Game>(&mut self, table: &Table, game: &G) -> ProvenMoves {
        let range = game.score_range();
        let mover = game.to_play();
        let mut certain = ProvenMoves::default();
        for visited in &mut self.visited {
            let mv = Move(self.moves[visited.index]);
            if let Some(entry) = table.find(visited.key) {
                let total = entry.total();
                visited.page = entry.page_number();
                if total.visits > 0 {
                    visited.value = total.value.other();
                }
                if entry.has_twin() || entry.bounds(range) != range {
                    let bounds = proof::child_bounds(table, game, mv).map_or(range, |bounds| bounds.path);
                    let [worst, best] = proof::outcomes_for(game, mover, bounds);
                    visited.best = best;
                    visited.value = visited.value.max(Value::from(worst)).min(Value::from(best));
                    if best == Outcome::Loss {
                        visited.refuted = true;
                        self.excluded[visited.index] = f32::NEG_INFINITY;
                    } else if worst != Outcome::Loss && !game.is_banned(mv) {
                        let place =
                            if worst == Outcome::Win { &mut certain.winning } else { &mut certain.drawing };
                        *place = Some(visited.index);
                    }
                }
            }
            self.value[visited.index] = visited.value.as_f32();
        }
        if certain.drawing.is_some() {
            for visited in self.visited.iter().filter(|visited| visited.best <= Outcome::Draw) {
                self.excluded[visited.index] = f32::NEG_INFINITY;
            }
        }
        certain
    }

    fn exclude_all_but(&mut self, allowed: &[bool]) {
        // The rest of a root is allowed: see `expand`.
        let rest = self.rest.unwrap_or(self.moves.len());
        for (excluded, &number) in self.excluded.iter_mut().zip(&self.moves[..rest]) {
            if !allowed.get(usize::from(number)).is_some_and(|allowed| *allowed) {
                *excluded = f32::NEG_INFINITY;
            }
        }
    }

    fn load_amaf(&mut self, page: &Page<'_>) {
        let pairs = self.amaf_visits.chunks_mut(2).zip(self.amaf_wins.chunks_mut(2));
        for ((visits, wins), pair) in pairs.zip(page.amaf_pairs()) {
            for (index, amaf) in pair.into_iter().enumerate().take(visits.len()) {
                visits[index] = amaf.visits as f32;
                wins[index] = amaf.half_points as f32 * 0.5;
            }
        }
    }

    /// Gives all arrays the length of the loaded edges.
    fn resize(&mut self) {
        let edges = self.loaded.len();
        let columns = [
            &mut self.visits,
            &mut self.value,
            &mut self.amaf_visits,
            &mut self.amaf_wins,
            &mut self.prior_visits,
            &mut self.prior_wins,
            &mut self.excluded,
            &mut self.scores,
        ];
        columns.into_iter().for_each(|column| column.resize(edges, 0.0));
        self.policy_state.resize(edges, 0);
    }

    /// Gives all moves that are not excluded the same score.
    fn level_scores(&mut self) {
        for score in self.scores.iter_mut().filter(|score| **score > f32::NEG_INFINITY) {
            *score = 0.0;
        }
    }

    /// Counts each simulation in progress as a lost visit.
    fn add_virtual_loss(&mut self, virtual_loss: &VirtualLoss, key: u64) {
        let visits = self.visited.iter().map(|visited| u64::from(visited.visits)).sum();
        if !virtual_loss.matters(visits) {
            return;
        }
        let edges = self.rest.unwrap_or(self.moves.len());
        virtual_loss.counters(key).for_each_in_progress(|number, in_progress| {
            // Positions share rows, so there may be a counter for a move that this one does not have. On a complete page
            // the index is the number.
            let is_at = |index: &usize| self.moves.get(*index).is_some_and(|it| usize::from(*it) == number);
            let found = Some(number).filter(|index| *index < edges && is_at(index));
            if let Some(index) = found.or_else(|| (0..edges).find(|index| is_at(index))) {
                let (visits, value) = (&mut self.visits[index], &mut self.value[index]);
                let in_progress = f32::from(in_progress);
                *value *= *visits / (*visits + in_progress);
                *visits += in_progress;
            }
        });
    }

    /// Third pass: computes the policy's score of every move that is not excluded.
    fn score<P: SelectionPolicy>(&mut self, policy: &P, is_root: bool, estimate: Option<Estimate>) {
        let visits = self.visited.iter().map(|visited| u64::from(visited.visits)).sum::<u64>();
        let estimates = estimate.map(|estimate| self.estimates(estimate.value));
        let parent = ParentView { is_root, estimates, ..ParentView::new(visits as f32) };
        let columns = EdgeColumns {
            visits: &self.visits,
            value: &self.value,
            amaf_visits: &self.amaf_visits,
            amaf_wins: &self.amaf_wins,
            prior_visits: &self.prior_visits,
            prior_wins: &self.prior_wins,
            state: &self.policy_state,
        };
        policy.score_all(&parent, &columns, &mut self.scores);
        for (score, &excluded) in self.scores.iter_mut().zip(&self.excluded) {
            // Not a sum: infinity and minus infinity would make a NaN.
            *score = if excluded == 0.0 { *score } else { f32::NEG_INFINITY };
        }
    }

    fn estimates(&self, own: Value) -> EstimateStatistics {
        let (mut visits, mut value) = (0.0, 0.0);
        let mut tried_probability = 0.0;
        for visited in self.visited.iter().filter(|visited| !visited.refuted) {
            let weight = visited.visits as f32;
            visits += weight;
            value += weight * self.value[visited.index];
            tried_probability += Puct::probability(self.prior_wins[visited.index]);
        }
        let mean = if visits > 0.0 { value / visits } else { 0.5 };
        EstimateStatistics { mean, own: own.as_f32(), tried_probability }
    }

    /// Returns the edge with the highest score, a random one of equals; `None` if all are excluded.
    fn best(&self, rng: &mut PlayoutRng) -> Option<usize> {
        let best = self.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        if best == f32::NEG_INFINITY {
            return None;
        }
        let equals = self.scores.iter().filter(|&&score| score == best).count();
        let wanted = if equals > 1 { rng.below(equals) } else { 0 };
        let mut ranked = self.scores.iter().enumerate().filter(|&(_, &score)| score == best);
        ranked.nth(wanted).map(|(index, _)| index)
    }

    /// Returns the sums over all visited edges except that of `chosen`, and the chosen edge's visits. Visits have
    /// different weights only in a position with an estimate: see [`value_weight`].
    fn siblings(&mut self, chosen: usize, has_estimate: bool) -> SiblingStatistics {
        let mut siblings = SiblingStatistics::NONE;
        if has_estimate {
            self.weigh_visits();
        }
        for visited in &self.visited {
            let of_visit =
                if has_estimate { self.weights[visited.index] as u32 } else { value_weight::WEIGHT_UNIT };
            if visited.index == chosen {
                siblings.chosen = visited.visits;
                siblings.chosen_weight = of_visit;
                continue;
            }
            siblings.visits += u64::from(visited.visits);
            if !visited.refuted {
                let weight = u64::from(visited.visits) * u64::from(of_visit);
                siblings.weight += weight;
                siblings.weighted += u128::from(weight) * u128::from(visited.value.0);
            }
        }
        siblings
    }

    /// Computes the weight of a visit of every edge with visits. All at once, since this vectorises.
    fn weigh_visits(&mut self) {
        let mean = self.mean();
        self.weights.clear();
        self.weights.resize(self.loaded.len(), 0.0);
        // The columns contain virtual losses, which are no visits.
        for visited in &self.visited {
            self.value[visited.index] = visited.value.as_f32();
            self.visits[visited.index] = visited.visits as f32;
        }
        let columns = self.value.iter().zip(&self.visits);
        for (weight, (&value, &visits)) in self.weights.iter_mut().zip(columns) {
            *weight = value_weight::of_visit(value, visits, mean);
        }
    }

    /// Returns the mean value of the visited edges that are not refuted, weighted by visits.
    fn mean(&self) -> f32 {
        let (mut visits, mut sum) = (0.0, 0.0);
        for visited in self.visited.iter().filter(|visited| !visited.refuted) {
            visits += visited.visits as f32;
            sum += visited.visits as f32 * visited.value.as_f32();
        }
        sum / f32::max(visits, 1.0)
    }
}
