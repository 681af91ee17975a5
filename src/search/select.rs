//! Selection of a move in three passes: load the edges, probe each child with visits, score the moves. The best move
//! that is legal and not banned is selected.

use super::path::SiblingStatistics;
use super::policy::{EdgeColumns, EstimateStatistics, ParentView, Puct, SelectionPolicy};
use super::policy_state;
use super::proof;

use super::value_weight;
use super::virtual_loss::VirtualLoss;
use crate::base::game::{Game, Move, Outcome};
use crate::base::rng::PlayoutRng;
use crate::base::value::Value;
use crate::table::{Page, Edge, Table};

/// The edges of a position as separate arrays, so that scoring them vectorises. Each worker reuses one.
#[derive(Default)]
pub(super) struct EdgeArrays {
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
    /// Number of edges with visits of moves that are illegal in the position.
    illegal_edges: u64,
}

#[derive(Clone, Copy)]
struct Visited {
    index: usize,
    key: u64,
    visits: u32,
    value: Value,
    refuted: bool,
    /// The best outcome for the mover that is not disproven.
    best: Outcome,
}

/// Moves that are proven to win or to draw, and not banned.
#[derive(Default)]
struct ProvenMoves {
    winning: Option<Move>,
    drawing: Option<Move>,
}

/// The position in which a move is selected.
pub(super) struct NodeContext<'n, G> {
    pub(super) game: &'n G,
    pub(super) page: &'n Page<'n>,
    pub(super) is_root: bool,
    /// The moves that may be selected, indexed by move number; `None` allows all.
    pub(super) allowed: Option<&'n [bool]>,
}

/// The result of a selection.
pub(super) enum Selection {
    /// The selected move, and the statistics of the other edges.
    Move(Move, SiblingStatistics),
    /// Every move that is legal on this path is refuted.
    AllRefuted,
    /// The page was reassigned to another position while it was read.
    PageLost,
}

impl EdgeArrays {
    pub(super) fn new(moves: usize) -> EdgeArrays {
        let zeros = || vec![0.0; moves];
        EdgeArrays {
            visits: zeros(),
            value: zeros(),
            amaf_visits: zeros(),
            amaf_wins: zeros(),
            prior_visits: zeros(),
            prior_wins: zeros(),
            policy_state: vec![0; moves],
            excluded: zeros(),
            scores: zeros(),
            loaded: Vec::with_capacity(moves),
            visited: Vec::with_capacity(moves),
            illegal_edges: 0,
        }
    }

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
        let NodeContext { game, page, is_root, allowed } = node;
        self.load(table, game, page);
        if policy.uses_amaf() {
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
                |index| excluded[index] == 0.0 && !game.is_banned(Move(index as u16)),
                &mut self.policy_state,
            );
        }
        let has_estimate = page.estimate().is_some();
        // From here on only copies are read.
        if !page.is_current() {
            self.illegal_edges = 0;
            return Selection::PageLost;
        }
        if let Some(winning) = winning {
            return Selection::Move(winning, self.siblings(winning, has_estimate));
        }
        if let Some(virtual_loss) = virtual_loss {
            self.add_virtual_loss(virtual_loss, game.key());
        }
        self.score(policy, is_root, has_estimate);
        let random_probability = policy.random_probability_256();
        if random_probability > 0 && rng.is_true_in_256(random_probability) {
            self.level_scores();
        }
        loop {
            let Some(mv) = self.best(rng) else {
                let all_refuted = Selection::AllRefuted;
                return drawing
                    .map_or(all_refuted, |mv| Selection::Move(mv, self.siblings(mv, has_estimate)));
            };
            if !game.is_banned(mv) && game.is_legal_ignoring_history(mv) {
                return Selection::Move(mv, self.siblings(mv, has_estimate));
            }
            self.scores[mv.index()] = f32::NEG_INFINITY;
        }
    }

    /// Returns 1 if the last page read had visits of illegal moves, else 0. It has if two positions share a key, or if
    /// the page is damaged.
    pub(super) fn illegal_edges(&self) -> u64 {
        u64::from(self.illegal_edges > 0)
    }

    /// First pass: unpacks the edges and prefetches the children with visits.
    fn load<G: Game>(&mut self, table: &Table, game: &G, page: &Page<'_>) {
        self.visited.clear();
        self.illegal_edges = 0;
        // Copied first: loops over atomics are not vectorised.
        self.loaded.clear();
        self.loaded.extend(page.edges());
        let priors = self.prior_visits.iter_mut().zip(&mut self.prior_wins);
        let columns = self.visits.iter_mut().zip(&mut self.excluded).zip(priors);
        for (edge, ((visits, excluded), (prior_visits, prior_wins))) in self.loaded.iter().zip(columns) {
            let prior = edge.prior();
            *visits = edge.visits() as f32;
            *excluded = if edge.is_legal() { 0.0 } else { f32::NEG_INFINITY };
            *prior_visits = f32::from(prior.visits);
            *prior_wins = f32::from(prior.wins);
        }
        for (index, edge) in self.loaded.iter().enumerate() {
            let visits = edge.visits();
            // Legality is checked again: a damaged edge must not make the game play an illegal move.
            if visits > 0 && edge.is_legal() && game.is_legal_ignoring_history(Move(index as u16)) {
                let key = game.key_after(Move(index as u16));
                table.prefetch(key);
                let (value, refuted, best) = (edge.value(), false, Outcome::Win);
                self.visited.push(Visited { index, key, visits, value, refuted, best });
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
            let mv = Move(visited.index as u16);
            if let Some(entry) = table.find(visited.key) {
                let total = entry.total();
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
                        *place = Some(mv);
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
        for (excluded, _) in self.excluded.iter_mut().zip(allowed).filter(|(_, allowed)| !**allowed) {
            *excluded = f32::NEG_INFINITY;
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
        virtual_loss.counters(key).for_each_in_progress(|index, in_progress| {
            // Positions share rows, so there may be a counter for a move that this game does not have.
            if let (Some(visits), Some(value)) = (self.visits.get_mut(index), self.value.get_mut(index)) {
                let in_progress = f32::from(in_progress);
                *value *= *visits / (*visits + in_progress);
                *visits += in_progress;
            }
        });
    }

    /// Third pass: computes the policy's score of every move that is not excluded.
    fn score<P: SelectionPolicy>(&mut self, policy: &P, is_root: bool, has_estimate: bool) {
        let visits = self.visited.iter().map(|visited| u64::from(visited.visits)).sum::<u64>();
        let has_estimate = has_estimate && policy.uses_amaf();
        let estimates = has_estimate.then(|| self.estimates());
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

    fn estimates(&self) -> EstimateStatistics {
        let (mut visits, mut value) = (0.0, 0.0);
        let (mut sampled, mut excess) = (0.0, 0.0);
        let mut tried_probability = 0.0;
        for visited in self.visited.iter().filter(|visited| !visited.refuted) {
            let index = visited.index;
            let weight = visited.visits as f32;
            visits += weight;
            value += weight * self.value[index];
            tried_probability += Puct::probability(self.prior_wins[index]);
            let samples = self.amaf_visits[index];
            if samples > 0.0 {
                sampled += weight;
                excess += weight * (self.value[index] - self.amaf_wins[index] / samples);
            }
        }
        let mean = |sum: f32, weight: f32, default| if weight > 0.0 { sum / weight } else { default };
        EstimateStatistics {
            amaf_offset: mean(excess, sampled, 0.0),
            mean: mean(value, visits, 0.5),
            tried_probability,
        }
    }

    /// Returns the move with the highest score, a random one of equals; `None` if all are excluded.
    fn best(&self, rng: &mut PlayoutRng) -> Option<Move> {
        let best = self.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        if best == f32::NEG_INFINITY {
            return None;
        }
        let equals = self.scores.iter().filter(|&&score| score == best).count();
        let wanted = if equals > 1 { rng.below(equals) } else { 0 };
        let mut ranked = self.scores.iter().enumerate().filter(|&(_, &score)| score == best);
        ranked.nth(wanted).map(|(index, _)| Move(index as u16))
    }

    /// Returns the sums over all visited edges except that of `chosen`, and the chosen edge's visits. Visits have
    /// different weights only in a position with an estimate: see [`value_weight`].
    fn siblings(&self, chosen: Move, has_estimate: bool) -> SiblingStatistics {
        let mean = has_estimate.then(|| self.mean());
        let weight_of_visit = |visited: &Visited| match mean {
            Some(mean) => value_weight::of_visit(visited.value.as_f32(), visited.visits as f32, mean),
            None => value_weight::WEIGHT_UNIT,
        };
        let mut siblings = SiblingStatistics::NONE;
        for visited in &self.visited {
            if visited.index == chosen.index() {
                siblings.chosen = visited.visits;
                siblings.chosen_weight = weight_of_visit(visited);
                continue;
            }
            siblings.visits += u64::from(visited.visits);
            if !visited.refuted {
                let weight = u64::from(visited.visits) * u64::from(weight_of_visit(visited));
                siblings.weight += weight;
                siblings.weighted += u128::from(weight) * u128::from(visited.value.0);
            }
        }
        siblings
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
