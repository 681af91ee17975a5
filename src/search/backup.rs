//! Backup: updates along the path from the leaf to the root.

use super::evaluate::LeafEvaluation;
use super::journal::Change;
use super::path::{BackupValue, SiblingStatistics, Step};
use super::policy::SelectionPolicy;
use super::proof::{self, ProvenBounds};
use super::score;
use super::update_buffer::UpdateBuffer;
use super::value_bias::BiasSlot;
use super::value_weight;
use super::worker::Worker;
use crate::base::game::{Game, Outcome, Player};
use crate::base::value::{Estimate, Value};
use crate::table::{Edge, LeafPlayouts, ScoreMean};

impl<'t, G: Game, P: SelectionPolicy> Worker<'t, '_, G, P> {
    /// Takes back the virtual losses of a simulation that is not counted.
    pub(super) fn abandon(&mut self) {
        while let Some(step) = self.steps.pop() {
            self.remove_virtual_loss(&step);
        }
    }

    fn remove_virtual_loss(&self, step: &Step<'t>) {
        if let Some(virtual_loss) = self.virtual_loss.filter(|it| it.matters(step.siblings.visits)) {
            virtual_loss.counters(step.entry.key()).decrement(step.mv.index());
        }
    }

    /// Updates the statistics of every position on the path.
    pub(super) fn back_up(&mut self, leaf: &LeafEvaluation) {
        self.prefetch_path();
        if let Some(half_points) = leaf.half_points_for_black {
            if self.uses_amaf {
                self.back_up_amaf(half_points);
            }
            if self.policy.uses_state() {
                self.back_up_policy_state(half_points);
            }
        }
        match (leaf.score, leaf.evaluated_score) {
            (Some(score), _) => self.add_score((score.into(), self.playout_share), None),
            (None, Some(evaluated)) => self.add_score((evaluated, 0.0), Some(evaluated)),
            (None, None) => {}
        }
        self.back_up_value(leaf.value);
    }

    /// Adds the simulation's AMAF samples to every page on the path.
    fn back_up_amaf(&mut self, half_points_for_black: u32) {
        let (root, update_buffer, is_shared_now) = (&self.root, &mut self.update_buffer, self.is_shared_now);
        let counts = |mv| root.counts_for_amaf(mv);
        self.amaf.of_path(&self.steps, &self.trace, half_points_for_black, counts, |step, samples| {
            if is_shared_now && UpdateBuffer::is_buffered(step) {
                update_buffer.add(step, samples);
            } else if step.page.is_current() {
                step.page.add_amaf(samples);
            }
        });
    }

    /// Adds a sample of the expected score to every position on the path: see [`score`]. `playout` is (z, β) and
    /// `following` T of the leaf.
    fn add_score(&self, playout: (f64, f64), mut following: Option<f64>) {
        for step in self.steps.iter().rev() {
            let evaluated = step.first.evaluator_score().map(|it| it.mean);
            let (sample, kept) = score::sample(playout, evaluated, following);
            step.first.add_score_sample(ScoreMean::of_sample(sample, 1.0));
            following = kept;
        }
    }

    fn back_up_policy_state(&self, half_points_for_black: u32) {
        for step in &self.steps {
            let half_points = match step.mover {
                Player::Black => half_points_for_black,
                Player::White => 2 - half_points_for_black,
            };
            if step.page.is_current() {
                self.policy.update(step.page.policy_state(), step.index, half_points);
            }
        }
    }

    /// Counts the visit of every edge and position on the path, the last first, and stores their new values and bounds.
    fn back_up_value(&mut self, mut child: BackupValue) {
        let generation = self.table.generation();
        while let Some(step) = self.steps.pop() {
            self.remove_virtual_loss(&step);
            // The child's value is for the mover's opponent.
            let mover_value = child.value.other();
            // Late updates, to a page or an entry that was reassigned to another position meanwhile, are not written.
            let has_page = step.page.is_current();
            self.counters.late_updates += u64::from(!has_page || !step.entry.is_current());
            let visits = if has_page {
                self.table.visit_edge(&step.entry, &step.page, step.index, mover_value)
            } else {
                step.siblings.chosen + 1
            };
            let bounds = if child.bounds == ProvenBounds::none(self.range) {
                child.bounds
            } else {
                self.store_bounds_from_child(&step, &child)
            };
            let chosen = (!self.is_refuted(&step, &child)).then_some((visits, mover_value));
            let value = self.value_of(&step, bounds, chosen);
            if has_page {
                // A position's visits are those of its edges and its leaf playouts: all are counted, or none.
                step.entry.add_visit(value);
                self.journal.note(step.entry.key(), Change::Edge(step.mv.0));
                let total = u64::from(step.leaf_playouts.visits) + step.siblings.visits + u64::from(visits);
                step.first.mark_used(u32::try_from(total).unwrap_or(u32::MAX), generation);
                if step.page.rank() > 0 {
                    step.page.mark_used(step.page.edges().map(Edge::visits).sum(), generation);
                }
            }
            child = BackupValue { value, bounds };
        }
    }

    /// Returns true if the move of `step` is refuted: the child is proven to be won by the opponent.
    fn is_refuted(&self, step: &Step<'t>, child: &BackupValue) -> bool {
        child.value.other() == Value::LOSS
            && proof::decided(&self.root, child.bounds.path)
                .is_some_and(|for_black| proof::outcome_for(step.mover, for_black) == Outcome::Loss)
    }

    /// Adds the error of the value estimate to those of the position's context, and returns the estimate corrected by
    /// their mean; `chosen` as in [`mean_value`].
    fn correct_by_moves(
        &self,
        step: &Step<'t>,
        estimate: Estimate,
        chosen: Option<(u32, Value)>,
    ) -> Estimate {
        let (Some(bias), Some(slot)) = (self.value_bias, step.bias_slot) else { return estimate };
        let visits = step.siblings.visits + chosen.map_or(0, |(visits, _)| u64::from(visits));
        if visits > 0 {
            let of_moves = mean_value(LeafPlayouts::default(), None, &step.siblings, chosen);
            bias.add(slot, estimate.value, of_moves, visits);
        }
        Estimate { value: self.corrected(step.bias_slot, estimate.value), ..estimate }
    }

    /// Returns an evaluator's value corrected by the mean error of the context's `slot`, or unchanged without one.
    pub(super) fn corrected(&self, slot: Option<BiasSlot>, evaluated: Value) -> Value {
        let bias = self.value_bias.zip(slot);
        bias.map_or(evaluated, |(bias, slot)| bias.corrected(slot, evaluated))
    }

    /// Returns the value of the position of `step`, clamped to its bounds; `chosen` as in [`mean_value`].
    fn value_of(&self, step: &Step<'t>, bounds: ProvenBounds, chosen: Option<(u32, Value)>) -> Value {
        let [worst, best] = proof::outcomes_for(&self.root, step.mover, bounds.path);
        let estimate = step.estimate.map(|estimate| self.correct_by_moves(step, estimate, chosen));
        let mean = mean_value(step.leaf_playouts, estimate, &step.siblings, chosen);
        mean.max(Value::from(worst)).min(Value::from(best))
    }
}

/// Returns the value of a position for the mover: the mean of the leaf playouts, the value estimate with the weight of
/// k playouts, the siblings of the chosen edge, and the chosen edge (its visits and value for the mover; `None` if
/// refuted).
///
/// Q(s) = (n0·U(s) + k·V(s) + Σ w(a)·N(s,a)·(1 - Q(child))) / (n0 + k + Σ w(a)·N(s,a))
///
/// The sums are over the moves that are not refuted, since refuted moves will not be played. U is the mean of the n0
/// leaf playouts, V the estimate of weight k; w is the weight of [`value_weight`], and 1 without an estimate.
///
/// Source: D. Wu, "Monte-Carlo Graph Search from First Principles", KataGo docs/GraphSearch.md, 2023; Childs, Brodeur &
/// Kocsis, CIG 2008 (UCT3).
fn mean_value(
    leaf_playouts: LeafPlayouts,
    estimate: Option<Estimate>,
    siblings: &SiblingStatistics,
    chosen: Option<(u32, Value)>,
) -> Value {
    let unit = u64::from(value_weight::WEIGHT_UNIT);
    let weight_of_chosen = |visits: u32| u64::from(visits) * u64::from(siblings.chosen_weight);
    let (chosen_weight, value) = chosen.map_or((0, 0), |(visits, value)| (weight_of_chosen(visits), value.0));
    let playouts_weight = u64::from(leaf_playouts.visits) * unit;
    let weight = playouts_weight + siblings.weight + chosen_weight;
    if weight == 0 {
        let value = chosen.map_or(leaf_playouts.mean(), |(_, value)| value);
        return estimate.map_or(value, |estimate| estimate.join(0, value));
    }
    let playouts_sum = u128::from(leaf_playouts.mean().0) * u128::from(playouts_weight);
    let sum = playouts_sum + siblings.weighted + u128::from(value) * u128::from(chosen_weight);
    let (estimate_weight, estimated) =
        estimate.map_or((0, 0), |estimate| (u64::from(estimate.weight) * unit, estimate.value.0));
    let sum = sum + u128::from(estimated) * u128::from(estimate_weight);
    Value((sum / u128::from(weight + estimate_weight)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_the_mean_of_leaf_playouts_siblings_and_chosen_edge() {
        // 2 playouts of value 0.5, 3 sibling visits of value 1, and 9 visits of refuted siblings, which do not count.
        let leaf_playouts = LeafPlayouts { visits: 2, half_points: 2 };
        let weight = 3 * u64::from(value_weight::WEIGHT_UNIT);
        let weighted = u128::from(weight) * u128::from(Value::WIN.0);
        let siblings = SiblingStatistics { visits: 12, weight, weighted, ..SiblingStatistics::NONE };
        let mean = |chosen| mean_value(leaf_playouts, None, &siblings, chosen).as_f64();
        assert!((mean(Some((1, Value::LOSS))) - 4.0 / 6.0).abs() < 1e-6);
        assert!((mean(Some((5, Value::WIN))) - 9.0 / 10.0).abs() < 1e-6);
        assert!((mean(None) - 4.0 / 5.0).abs() < 1e-6, "a refuted move does not count");
        let halved = SiblingStatistics { chosen_weight: value_weight::WEIGHT_UNIT / 2, ..siblings };
        let with_halved = mean_value(leaf_playouts, None, &halved, Some((2, Value::LOSS)));
        assert!((with_halved.as_f64() - 4.0 / 6.0).abs() < 1e-6, "two visits of half the weight");
        let estimate = Some(Estimate { value: Value::LOSS, weight: 5 });
        let with_estimate = mean_value(leaf_playouts, estimate, &siblings, Some((5, Value::WIN)));
        assert!((with_estimate.as_f64() - 9.0 / 15.0).abs() < 1e-6, "an estimate counts like five playouts");
    }

    #[test]
    fn a_position_without_visits_has_the_value_of_the_chosen_edge() {
        let nothing = SiblingStatistics::NONE;
        assert_eq!(mean_value(LeafPlayouts::default(), None, &nothing, Some((0, Value::WIN))), Value::WIN);
        assert_eq!(mean_value(LeafPlayouts::default(), None, &nothing, None), Value::DRAW);
    }
}
