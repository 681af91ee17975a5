//! The expected final score of a position, averaged up the graph like its value.
//!
//! S(s) = (w0·S0(s) + Σ w(a)·N(s,a)·S(child)) / (w0 + Σ w(a)·N(s,a)) over the moves that are not refuted and lead to a position
//! with a score; S0 is the evaluator's score together with the playouts that no child's block could keep, w(a) the weight
//! of [`value_weight`](super::value_weight). Black's points before komi, whoever is to move.
//!
//! It decides nothing in the search. So it is computed anew at each visit only while a position has few of them, and
//! then 32 times until their number has doubled: to read the scores of all children at every visit would cost a cache
//! miss each.

use super::path::Step;
use super::value_weight;
use crate::game::Bounds;
use crate::table::ScoreMean;
use crate::value::Estimate;

/// Computations of a score while the visits double.
const COMPUTATIONS: u64 = 32;

/// The weight of a playout's score where an evaluator was asked, whose own score counts like the
/// [weight](Estimate::weight) of its value: a playout scatters by far more than the evaluator errs.
const PLAYOUT_WEIGHT: f64 = 1.0 / 16.0;

/// Returns true if the score of a position is computed anew at this number of visits.
#[inline]
pub(super) fn is_due(visits: u64) -> bool {
    visits < 2 * COMPUTATIONS || visits.is_multiple_of((1 << visits.ilog2()) / COMPUTATIONS)
}

/// The weight of one playout's score in the position whose block has the evaluator's `estimate`.
pub(super) fn playout_weight(estimate: Option<Estimate>) -> f64 {
    if estimate.is_some_and(|estimate| estimate.weight > 0) { PLAYOUT_WEIGHT } else { 1.0 }
}

/// The part of a child's score in that of its parent.
pub(super) fn part(score: ScoreMean, visits: u32, weight_of_visit: u32) -> ScoreMean {
    let weight = f64::from(visits) * f64::from(weight_of_visit) * (1.0 / f64::from(value_weight::UNIT));
    score.weighing(weight)
}

/// Computes the score of the position of `step`, if it is due, and returns it as it is then. The chosen move has `visits`
/// now, and leads to a position with the score `chosen`; `None` if that has none, or the move is refuted.
pub(super) fn update(step: &Step<'_>, visits: u32, chosen: Option<ScoreMean>) -> Option<ScoreMean> {
    let Some(siblings) = step.siblings.score else { return step.block.score() };
    let chosen = chosen.map_or(ScoreMean::NONE, |score| part(score, visits, step.siblings.chosen_weight));
    let score = step.block.own_score().and(siblings).and(chosen).known()?;
    step.block.set_score(score);
    Some(score)
}

/// A score within what is proven.
pub(super) fn within(score: Option<ScoreMean>, Bounds { lower, upper }: Bounds) -> Option<ScoreMean> {
    if lower == upper {
        return Some(ScoreMean::of_sample(lower.into(), 1.0));
    }
    score.map(|score| ScoreMean { mean: score.mean.max(lower.into()).min(upper.into()), ..score })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_computed_at_each_of_the_first_visits_and_then_ever_less_often() {
        assert!((0..64).all(is_due));
        for start in [1 << 10, 1 << 14, 1 << 18] {
            assert_eq!((start..2 * start).filter(|&visits| is_due(visits)).count(), 32);
        }
    }

    #[test]
    fn a_proven_score_is_the_score() {
        let score = ScoreMean { mean: 12.0, deviation: 9.0, weight: 30.0 };
        assert_eq!(within(None, Bounds::exact(-4)), Some(ScoreMean::of_sample(-4.0, 1.0)));
        assert_eq!(within(Some(score), Bounds { lower: -4, upper: 7 }).map(|it| it.mean), Some(7.0));
        assert_eq!(within(Some(score), Bounds { lower: -81, upper: 81 }), Some(score));
    }
}
