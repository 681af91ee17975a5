//! One simulation: descend, expand, play out, back up.

use super::amaf::AmafSamples;
use super::parcels::Parcels;
use super::path::{Learnt, Step};
use super::policy::SelectionPolicy;
use super::proof;
use super::select::{Edges, Here, Selection};
use super::virtual_loss::VirtualLoss;
use super::{CatchUp, SearchParameters};
use crate::game::{Bounds, Game, Outcome, Player, Prior, Score, Trace};
use crate::rng::PlayoutRng;
use crate::table::{Block, Counters, DEPTHS, Entry, Own, Protected, Table, Total};
use crate::value::Value;

/// Simulations between two looks whether another process searches in the same table.
const COMPANY_INTERVAL: u64 = 64;

/// What one worker needs; nothing is allocated during a simulation once the buffers have grown.
pub(super) struct Worker<'t, G, P> {
    table: &'t Table,
    policy: P,
    parameters: SearchParameters,
    virtual_loss: Option<&'t VirtualLoss>,
    /// Whether others, in this process or another, write to the table now.
    has_company: bool,
    root: G,
    game: G,
    /// The game again, for looking at a position of the path once more.
    replayed: G,
    range: Bounds,
    rng: PlayoutRng,
    trace: Trace,
    steps: Vec<Step<'t>>,
    path_keys: Vec<u64>,
    path_blocks: Vec<u32>,
    priors: Vec<Option<Prior>>,
    edges: Edges,
    amaf: AmafSamples,
    parcels: Parcels<'t>,
    /// What happened at the table.
    pub(super) counters: Counters,
    /// Sum and number of the playouts' scores (Black's view), by the root's moves.
    pub(super) scores: Vec<(i64, u32)>,
    /// Positions walked through in all simulations.
    pub(super) depth_sum: u64,
    /// Simulations it ran.
    pub(super) simulations: u64,
}

/// How a descent ended.
enum Leaf<'t> {
    /// A position whose bounds, or whose end of the game, decide it.
    Decided(Option<Entry<'t>>, Bounds),
    /// Every move is refuted.
    AllRefuted(Entry<'t>),
    /// A position that got a playout: Black's result.
    Playout(Option<Entry<'t>>, Outcome),
    /// A child that knows more than the edge to it.
    CatchUp(Entry<'t>),
}

impl<'t, G: Game, P: SelectionPolicy> Worker<'t, G, P> {
    pub(super) fn new(
        table: &'t Table,
        policy: P,
        parameters: SearchParameters,
        virtual_loss: Option<&'t VirtualLoss>,
        root: &G,
        rng: PlayoutRng,
    ) -> Self {
        let moves = root.move_count();
        Worker {
            table,
            policy,
            parameters,
            virtual_loss,
            has_company: virtual_loss.is_some(),
            root: root.clone(),
            game: root.clone(),
            replayed: root.clone(),
            range: root.score_range(),
            rng,
            trace: Trace::default(),
            steps: Vec::with_capacity(64),
            path_keys: Vec::with_capacity(64),
            path_blocks: Vec::with_capacity(64),
            priors: vec![None; moves],
            edges: Edges::new(moves),
            amaf: AmafSamples::new(moves),
            parcels: Parcels::new(moves, table.generation()),
            counters: Counters::default(),
            scores: vec![(0, 0); moves],
            depth_sum: 0,
            simulations: 0,
        }
    }

    /// Its policy.
    pub(super) fn policy(&self) -> &P {
        &self.policy
    }

    /// Runs one simulation from the root.
    pub(super) fn simulate(&mut self) {
        self.game.clone_from(&self.root);
        self.trace.moves.clear();
        self.steps.clear();
        self.path_keys.clear();
        self.path_blocks.clear();
        let leaf = self.descend();
        self.depth_sum += self.steps.len() as u64;
        self.prefetch_path();
        let (learnt, half_points_for_black) = self.evaluate(leaf);
        if let Some(half_points) = half_points_for_black
            && self.policy.uses_amaf()
        {
            self.update_amaf(half_points);
        }
        if let Some(half_points) = half_points_for_black
            && self.policy.uses_words()
        {
            self.update_words(half_points);
        }
        self.back_up(learnt);
        self.simulations += 1;
        if self.simulations.is_multiple_of(COMPANY_INTERVAL) {
            self.has_company |= self.table.has_company();
        }
    }

    /// Walks down from the root, chooses a move in each position that has a block, gives a block to one
    /// that has earned it, and ends where there is none.
    fn descend(&mut self) -> Leaf<'t> {
        loop {
            let key = self.game.key();
            if let Some(score) = self.game.terminal_score() {
                let entry = self.entry(key);
                return Leaf::Decided(entry, Bounds::exact(score));
            }
            if self.path_keys.contains(&key) {
                // Only rules without superko get here: the cycle is left by a playout.
                return self.play_out(None);
            }
            let Some(entry) = self.entry(key) else { return self.play_out(None) };
            if !self.steps.is_empty() {
                let here = self.bounds_here(&entry);
                if proof::decided(&self.game, here).is_some() {
                    return Leaf::Decided(Some(entry), here);
                }
                if self.may_catch_up(&entry) {
                    return Leaf::CatchUp(entry);
                }
            }
            self.path_keys.push(key);
            let Some(block) = self.block(&entry) else { return self.play_out(Some(entry)) };
            if self.has_company {
                block.prefetch_for_visit();
            }
            self.path_blocks.push(block.number());
            let here = Here { game: &self.game, block: &block, is_root: self.steps.is_empty() };
            let selection =
                self.edges.select(self.table, &self.policy, here, self.virtual_loss, &mut self.rng);
            self.counters.collisions += self.edges.impossible();
            let (mv, others) = match selection {
                Selection::Move(mv, others) => (mv, others),
                Selection::AllRefuted => return Leaf::AllRefuted(entry),
                Selection::BlockLost => {
                    self.counters.lost_blocks += 1;
                    return self.play_out(Some(entry));
                }
            };
            let mover = self.game.to_play();
            let has_repetition_rule = self.game.has_repetition_rule();
            self.steps.push(Step {
                entry,
                block,
                mover,
                mv,
                own: entry.own(),
                others,
                loses: if has_repetition_rule { self.game.loses_stones(mv) } else { [false; 2] },
                permits: Player::BOTH.map(|winner| self.game.permits_proof_for(winner)),
                key_with_history: if has_repetition_rule { self.game.key_with_history() } else { key },
            });
            if let Some(virtual_loss) = self.virtual_loss.filter(|it| it.matters(others.visits)) {
                virtual_loss.row(entry.key()).add(mv.index());
            }
            self.trace.moves.push((mover, mv));
            self.game.play(mv);
        }
    }

    /// The entry of the position the descent has reached, made if need be. A new one starts from what the
    /// edge to it remembers.
    fn entry(&mut self, key: u64) -> Option<Entry<'t>> {
        let protected = Protected { keys: &self.path_keys, blocks: &self.path_blocks };
        let misses = self.counters.misses;
        let entry = self.table.find_or_claim(key, protected, &mut self.counters)?;
        let is_new = self.counters.misses != misses;
        if let Some(step) = self.steps.last() {
            // Of a block that went to another position nothing is taken over.
            let Some(edge) = step.block.current_edge(step.mv.index()) else { return Some(entry) };
            if is_new && edge.visits() > 0 && self.parameters.reseed {
                let value = edge.value().other();
                entry.seed(Own::with_mean(edge.visits(), value), Total { visits: edge.visits(), value });
            } else if !is_new && edge.visits() == 0 && entry.total().visits > 0 {
                self.counters.transpositions += 1;
                self.counters.transpositions_by_depth[self.steps.len().min(DEPTHS) - 1] += 1;
            }
        }
        Some(entry)
    }

    fn bounds_here(&self, entry: &Entry<'_>) -> Bounds {
        let base = entry.bounds(self.range);
        let permits = Player::BOTH.map(|winner| self.game.permits_proof_for(winner));
        let here = proof::permitted(base, permits, self.range);
        if entry.has_twin() {
            here.intersect(proof::twin_bounds(self.table, self.game.key_with_history(), self.range))
        } else {
            here
        }
    }

    fn may_catch_up(&self, entry: &Entry<'_>) -> bool {
        self.parameters.catch_up == CatchUp::Stop
            && self.steps.last().is_some_and(|step| {
                step.block
                    .current_edge(step.mv.index())
                    .is_some_and(|edge| entry.total().visits > edge.visits())
            })
    }

    /// The position's block; a new one if it has had enough playouts, or is the root.
    fn block(&mut self, entry: &Entry<'t>) -> Option<Block<'t>> {
        if let Some(block) = self.table.block(entry) {
            return Some(block);
        }
        self.table.mend_lost_block(entry, &mut self.counters);
        if !self.steps.is_empty() && entry.own().visits < self.parameters.expand_at {
            return None;
        }
        let (game, priors) = (&self.game, &mut self.priors);
        let protected = Protected { keys: &self.path_keys, blocks: &self.path_blocks };
        self.table.claim_block(
            entry,
            move || {
                game.expand(priors);
                priors
            },
            protected,
            &mut self.counters,
        )
    }

    /// Begins to fetch what the backup will write: where several workers write it, the lines of a path are
    /// mostly in another processor's cache.
    fn prefetch_path(&self) {
        if self.has_company {
            for step in self.steps.iter().filter(|step| !Parcels::takes(step)) {
                step.entry.prefetch_for_update();
                step.block.prefetch_for_update(step.mv.index());
            }
        }
    }

    fn play_out(&mut self, entry: Option<Entry<'t>>) -> Leaf<'t> {
        self.prefetch_path();
        let score = self.game.playout(&mut self.rng, &mut self.trace);
        self.note_score(score);
        Leaf::Playout(entry, self.root.outcome_for_black(score))
    }

    fn note_score(&mut self, score: Score) {
        if let Some(step) = self.steps.first() {
            let (sum, count) = &mut self.scores[step.mv.index()];
            *sum += i64::from(score);
            *count += 1;
        }
    }

    /// Stores what the leaf is worth; returns it, and Black's half-points for AMAF if there are any.
    fn evaluate(&mut self, leaf: Leaf<'t>) -> (Learnt, Option<u32>) {
        match leaf {
            Leaf::Playout(entry, for_black) => {
                let result = proof::outcome_for(self.leaf_player(), for_black);
                let value = match entry {
                    Some(entry) => {
                        let own = entry.add_own(result.half_points());
                        entry.add_visit(own.mean());
                        own.mean()
                    }
                    None => self.value_without_entry(result),
                };
                (Learnt { value, base: self.range, here: self.range }, Some(for_black.half_points()))
            }
            Leaf::Decided(entry, here) => {
                let for_black = self.root.outcome_for_black(here.lower);
                let value = Value::from(proof::outcome_for(self.leaf_player(), for_black));
                let mut base = here;
                if let Some(entry) = entry {
                    if self.game.terminal_score().is_some() {
                        entry.tighten_bounds(here);
                    } else {
                        base = entry.bounds(self.range);
                    }
                    entry.add_visit(value);
                }
                (Learnt { value, base, here }, Some(for_black.half_points()))
            }
            Leaf::AllRefuted(entry) => self.evaluate_all_refuted(&entry),
            Leaf::CatchUp(entry) => {
                let base = entry.bounds(self.range);
                (Learnt { value: entry.total().value, base, here: self.range }, None)
            }
        }
    }

    /// Who is to move at the leaf. The playout has moved on, so the path is asked.
    fn leaf_player(&self) -> Player {
        self.steps.last().map_or_else(|| self.root.to_play(), |step| step.mover.other())
    }

    /// A position the table had no room for: the edge alone remembers, as a running mean.
    fn value_without_entry(&self, result: Outcome) -> Value {
        let result = Value::from(result);
        let Some(step) = self.steps.last() else { return result };
        let Some(edge) = step.block.current_edge(step.mv.index()) else { return result };
        let visits = u64::from(edge.visits());
        let sum = u64::from(edge.value().other().0) * visits + u64::from(result.0);
        Value((sum / (visits + 1)) as u32)
    }

    fn evaluate_all_refuted(&mut self, entry: &Entry<'t>) -> (Learnt, Option<u32>) {
        let (base, here) = proof::bounds_from_all_moves(self.table, &self.game);
        entry.tighten_bounds(base);
        let permits = Player::BOTH.map(|winner| self.game.permits_proof_for(winner));
        let known = proof::permitted(entry.bounds(self.range), permits, self.range);
        let here = here.intersect(known);
        let protected = Protected { keys: &self.path_keys, blocks: &self.path_blocks };
        if here != known
            && let Some(twin) =
                self.table.find_or_claim(self.game.key_with_history(), protected, &mut self.counters)
        {
            twin.tighten_bounds(here);
            twin.set_total(entry.total());
            entry.mark_twin();
        }
        entry.add_visit(Value::LOSS);
        let for_black = match self.leaf_player() {
            Player::Black => Outcome::Loss,
            Player::White => Outcome::Win,
        };
        (Learnt { value: Value::LOSS, base: entry.bounds(self.range), here }, Some(for_black.half_points()))
    }

    /// Hands what was learnt up the path, from the deepest position to the root.
    fn back_up(&mut self, mut learnt: Learnt) {
        let generation = self.table.generation();
        let has_repetition_rule = self.root.has_repetition_rule();
        while let Some(step) = self.steps.pop() {
            if let Some(virtual_loss) = self.virtual_loss.filter(|it| it.matters(step.others.visits)) {
                virtual_loss.row(step.entry.key()).remove(step.mv.index());
            }
            // The sign flip: the child's value is for the opponent of the mover.
            let mover_value = learnt.value.other();
            // What changed hands on the way down gets nothing.
            let has_block = step.block.is_current();
            self.counters.late_updates += u64::from(!has_block || !step.entry.is_current());
            let is_put_off = has_block && self.has_company && Parcels::takes(&step);
            let visits = if is_put_off {
                self.parcels.visit_edge(&step, mover_value)
            } else if has_block {
                step.block.visit_edge(&step.entry, step.mv.index(), mover_value)
            } else {
                step.others.chosen + 1
            };
            let (base, here) = if learnt.base == self.range && learnt.here == self.range {
                (self.range, self.range)
            } else {
                self.back_up_bounds(&step, &learnt, has_repetition_rule)
            };
            let refuted = mover_value == Value::LOSS
                && proof::decided(&self.root, learnt.here).map(|o| proof::outcome_for(step.mover, o))
                    == Some(Outcome::Loss);
            let chosen = (!refuted).then_some((visits, mover_value));
            let [worst, best] = proof::outcomes_for(&self.root, step.mover, here);
            let mean = proof::mean_value(step.own, &step.others, chosen);
            let value = mean.max(Value::from(worst)).min(Value::from(best));
            let total = u64::from(step.own.visits) + step.others.visits + u64::from(visits);
            let total = u32::try_from(total).unwrap_or(u32::MAX);
            if is_put_off {
                self.parcels.add_visit(&step, value);
            } else if has_block {
                // Visits of a position are those of its edges and its own playouts: all are counted, or none.
                step.entry.add_visit(value);
                step.block.mark_used(total, generation);
            }
            learnt = Learnt { value, base, here };
        }
    }

    /// Stores the bounds that follow for the position of `step`; returns the base bounds and those that
    /// hold here.
    fn back_up_bounds(
        &mut self,
        step: &Step<'t>,
        learnt: &Learnt,
        has_repetition_rule: bool,
    ) -> (Bounds, Bounds) {
        let (table, replayed, root, steps) = (self.table, &mut self.replayed, &self.root, &self.steps);
        let from_all_moves = || {
            replayed.clone_from(root);
            steps.iter().for_each(|earlier| replayed.play(earlier.mv));
            proof::bounds_from_all_moves(table, replayed)
        };
        let (base, here) =
            proof::bounds_from_child(step, learnt, self.range, has_repetition_rule, from_all_moves);
        step.entry.tighten_bounds(base);
        let base = step.entry.bounds(self.range);
        let known = proof::permitted(base, step.permits, self.range);
        let mut here = here.intersect(known);
        if step.entry.has_twin() {
            here = here.intersect(proof::twin_bounds(self.table, step.key_with_history, self.range));
        }
        if has_repetition_rule && here != known {
            let protected = Protected { keys: &self.path_keys, blocks: &self.path_blocks };
            proof::store_twin(self.table, step, here, protected, &mut self.counters);
        }
        (base, here)
    }

    /// Tells the policy what the simulation brought, at every position of the path.
    fn update_words(&self, half_points_for_black: u32) {
        for step in &self.steps {
            let half_points = match step.mover {
                Player::Black => half_points_for_black,
                Player::White => 2 - half_points_for_black,
            };
            if step.block.is_current() {
                self.policy.record(step.block.policy_words(), step.mv.index(), half_points);
            }
        }
    }

    /// Adds the simulation's AMAF samples to every block of the path.
    fn update_amaf(&mut self, half_points_for_black: u32) {
        let (root, parcels, has_company) = (&self.root, &mut self.parcels, self.has_company);
        let counts = |mv| root.counts_for_amaf(mv);
        self.amaf.of_path(&self.steps, &self.trace, half_points_for_black, counts, |step, samples| {
            if has_company && Parcels::takes(step) {
                parcels.add_amaf(step, samples);
            } else if step.block.is_current() {
                step.block.add_amaf(samples);
            }
        });
    }

    /// Writes what was put off. Nothing more is simulated.
    pub(super) fn finish(&mut self) {
        self.parcels.deliver_all();
        self.counters.late_updates += self.parcels.late();
    }
}
