//! Choosing a move: one pass over the edges, one probe for each child with visits, one pass of scores.

use super::path::Others;
use super::policy::{EdgeColumns, ParentView, SelectionPolicy};
use super::proof;
use super::virtual_loss::VirtualLoss;
use crate::game::{Game, Move, Outcome};
use crate::rng::PlayoutRng;
use crate::table::{Block, Table};
use crate::value::Value;
use std::sync::atomic::Ordering::Relaxed;

/// The edges of a position as separate arrays, so that scoring them vectorises. One worker keeps one
/// and reuses it.
#[derive(Default)]
pub(super) struct Edges {
    visits: Vec<f32>,
    value: Vec<f32>,
    amaf_visits: Vec<f32>,
    amaf_wins: Vec<f32>,
    prior_visits: Vec<f32>,
    prior_wins: Vec<f32>,
    /// The policy state of each edge; zeros where the policy has none.
    policy_state: Vec<u64>,
    /// 0, or minus infinity for a move that is out of the question.
    out: Vec<f32>,
    scores: Vec<f32>,
    /// The moves with visits.
    visited: Vec<Visited>,
    /// Edges with visits whose moves are not legal here.
    impossible: u64,
}

#[derive(Clone, Copy)]
struct Visited {
    index: usize,
    key: u64,
    visits: u32,
    value: Value,
    refuted: bool,
    /// The best it can still bring.
    best: Outcome,
}

/// Moves that are proven to bring something, and not banned.
#[derive(Default)]
struct Certain {
    winning: Option<Move>,
    drawing: Option<Move>,
}

/// Where a move is to be chosen.
pub(super) struct Here<'h, G> {
    pub(super) game: &'h G,
    pub(super) block: &'h Block<'h>,
    pub(super) is_root: bool,
}

/// What the selection found.
pub(super) enum Selection {
    /// This move is next.
    Move(Move, Others),
    /// Every legal move is refuted, as far as this path knows.
    AllRefuted,
    /// The block changed hands while it was read.
    BlockLost,
}

impl Edges {
    pub(super) fn new(moves: usize) -> Edges {
        let zeros = || vec![0.0; moves];
        Edges {
            visits: zeros(),
            value: zeros(),
            amaf_visits: zeros(),
            amaf_wins: zeros(),
            prior_visits: zeros(),
            prior_wins: zeros(),
            policy_state: vec![0; moves],
            out: zeros(),
            scores: zeros(),
            visited: Vec::with_capacity(moves),
            impossible: 0,
        }
    }

    /// Chooses the move with the best score that is neither refuted nor banned; one that wins for
    /// certain comes first. Where a draw is certain, moves that can bring no more than a draw are tried
    /// only when nothing else is left.
    pub(super) fn select<G: Game, P: SelectionPolicy>(
        &mut self,
        table: &Table,
        policy: &P,
        here: Here<'_, G>,
        virtual_loss: Option<&VirtualLoss>,
        rng: &mut PlayoutRng,
    ) -> Selection {
        let Here { game, block, is_root } = here;
        self.load(table, game, block);
        if policy.uses_amaf() {
            self.load_amaf(block);
        }
        let Certain { winning, drawing } = self.load_children(table, game);
        if policy.uses_state() {
            self.load_policy_state(policy, block, is_root);
        }
        // From here on only copies are looked at.
        if !block.is_current() {
            self.impossible = 0;
            return Selection::BlockLost;
        }
        if let Some(winning) = winning {
            return Selection::Move(winning, self.others(winning));
        }
        if let Some(virtual_loss) = virtual_loss {
            self.add_virtual_loss(virtual_loss, game.key());
        }
        self.score(policy, is_root);
        let random_choices = policy.random_choices();
        if random_choices > 0 && rng.chance(random_choices) {
            self.level_scores();
        }
        loop {
            let Some(mv) = self.best(rng) else {
                let all_refuted = Selection::AllRefuted;
                return drawing.map_or(all_refuted, |mv| Selection::Move(mv, self.others(mv)));
            };
            if !game.is_banned(mv) && game.is_legal_ignoring_history(mv) {
                return Selection::Move(mv, self.others(mv));
            }
            self.scores[mv.index()] = f32::NEG_INFINITY;
        }
    }

    /// Whether the last block read can belong to the position: 0, or a sign that two positions have one key.
    pub(super) fn impossible(&self) -> u64 {
        u64::from(self.impossible > 0)
    }

    /// First pass: unpacks the edges and begins to fetch the children that have visits.
    fn load<G: Game>(&mut self, table: &Table, game: &G, block: &Block<'_>) {
        self.visited.clear();
        self.impossible = 0;
        for (index, edge) in block.edges().enumerate() {
            let (prior, visits) = (edge.prior(), edge.visits());
            self.out[index] = if edge.is_legal() { 0.0 } else { f32::NEG_INFINITY };
            self.prior_visits[index] = f32::from(prior.visits);
            self.prior_wins[index] = f32::from(prior.wins);
            self.visits[index] = visits as f32;
            // Looked at again: a damaged edge must not make the game compute what is not legal.
            if visits > 0 && edge.is_legal() && game.is_legal_ignoring_history(Move(index as u16)) {
                let key = game.key_after(Move(index as u16));
                table.prefetch(key);
                let (value, refuted, best) = (edge.value(), false, Outcome::Win);
                self.visited.push(Visited { index, key, visits, value, refuted, best });
            } else if visits > 0 {
                self.impossible += 1;
            }
        }
    }

    /// Second pass: the children's values; returns the moves that are proven to bring something.
    fn load_children<G: Game>(&mut self, table: &Table, game: &G) -> Certain {
        let range = game.score_range();
        let mover = game.to_play();
        let mut certain = Certain::default();
        for visited in &mut self.visited {
            let mv = Move(visited.index as u16);
            if let Some(entry) = table.find(visited.key) {
                let total = entry.total();
                if total.visits > 0 {
                    visited.value = total.value.other();
                }
                if entry.has_twin() || entry.bounds(range) != range {
                    let here = proof::child_bounds(table, game, mv).map_or(range, |(_, here)| here);
                    let [worst, best] = proof::outcomes_for(game, mover, here);
                    visited.best = best;
                    visited.value = visited.value.max(Value::from(worst)).min(Value::from(best));
                    if best == Outcome::Loss {
                        visited.refuted = true;
                        self.out[visited.index] = f32::NEG_INFINITY;
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
                self.out[visited.index] = f32::NEG_INFINITY;
            }
        }
        certain
    }

    fn load_amaf(&mut self, block: &Block<'_>) {
        let pairs = self.amaf_visits.chunks_mut(2).zip(self.amaf_wins.chunks_mut(2));
        for ((visits, wins), pair) in pairs.zip(block.amaf_pairs()) {
            for (index, amaf) in pair.into_iter().enumerate().take(visits.len()) {
                visits[index] = amaf.visits as f32;
                wins[index] = amaf.half_points as f32 * 0.5;
            }
        }
    }

    fn load_policy_state<P: SelectionPolicy>(&mut self, policy: &P, block: &Block<'_>, is_root: bool) {
        if is_root {
            policy.update_at_root(block.policy_words(), &|index| self.out[index] == 0.0);
        }
        for (state, stored) in self.policy_state.iter_mut().zip(block.policy_words()) {
            *state = stored.load(Relaxed);
        }
    }

    /// Any move will do.
    fn level_scores(&mut self) {
        for score in self.scores.iter_mut().filter(|score| **score > f32::NEG_INFINITY) {
            *score = 0.0;
        }
    }

    /// A simulation under way counts as a visit that loses.
    fn add_virtual_loss(&mut self, virtual_loss: &VirtualLoss, key: u64) {
        let visits = self.visited.iter().map(|visited| u64::from(visited.visits)).sum();
        if !virtual_loss.matters(visits) {
            return;
        }
        virtual_loss.row(key).for_each_busy(|index, under_way| {
            // Another position's row may be longer than this game's list of moves.
            if let (Some(visits), Some(value)) = (self.visits.get_mut(index), self.value.get_mut(index)) {
                let under_way = f32::from(under_way);
                *value *= *visits / (*visits + under_way);
                *visits += under_way;
            }
        });
    }

    /// Third pass: the policy's score of every move that is not out.
    fn score<P: SelectionPolicy>(&mut self, policy: &P, is_root: bool) {
        let visits = self.visited.iter().map(|visited| u64::from(visited.visits)).sum::<u64>();
        let parent = ParentView { is_root, ..ParentView::new(visits as f32) };
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
        for (score, &out) in self.scores.iter_mut().zip(&self.out) {
            // Not a sum: infinity and minus infinity would make a NaN.
            *score = if out == 0.0 { *score } else { f32::NEG_INFINITY };
        }
    }

    /// The best score's move, at random among equals; `None` if nothing is left.
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

    /// The sums over all visited edges but that of `chosen`.
    fn others(&self, chosen: Move) -> Others {
        let mut others = Others::default();
        for visited in &self.visited {
            if visited.index == chosen.index() {
                others.chosen = visited.visits;
                continue;
            }
            others.visits += u64::from(visited.visits);
            if !visited.refuted {
                others.unrefuted += u64::from(visited.visits);
                others.weighted += u128::from(visited.visits) * u128::from(visited.value.0);
            }
        }
        others
    }
}
