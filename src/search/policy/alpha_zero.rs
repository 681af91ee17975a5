//! PUCT for evaluators with values that end the simulations.

use super::{EdgeView, ParentView, Puct, SelectionPolicy};
use crate::base::value::Value;

/// The formula of AlphaZero with an exploration that grows with the visits, and a first-play value as in KataGo.
///
/// score = Q + c(N)·P·√(N + 0.01) / (1 + n), c(N) = c + g·ln((N + 500) / 500)
///
/// N counts the visits of all edges, n those of the edge; Q is the child's value for the mover, P the evaluator's probability
/// of the move. An untried move has in place of Q
///
/// F = T²·M + (1 - T²)·V - r·√T
///
/// where T is the sum of the probabilities of the tried moves, at most 1, V the evaluator's value of the position, M the mean
/// of the tried moves and V, and r is `first_play_loss`, half of it at the root.
///
/// The move with the highest lower confidence bound is played.
///
/// Sources: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi and Go" (2018); the bound as
/// in Leela Zero and KataGo, with a fixed deviation; KataGo's `cpuctExplorationLog`, `fpuReductionMax`, `rootFpuReductionMax`
/// and `fpuParentWeightByVisitedPolicy`. KataGo's constants are for utilities from -1 to 1 and scaled by their variance;
/// these are for win rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaZero {
    /// c, not negative.
    pub exploration: f32,
    /// g, not negative.
    pub growth: f32,
    /// r, `0..=1`.
    pub first_play_loss: f32,
}

/// Share of the first-play loss at the root, where more moves should be tried.
const ROOT_FIRST_PLAY_SHARE: f32 = 0.5;
/// Radius of the confidence interval of the value of one visit.
const CONFIDENCE_RADIUS: f64 = 0.5;
/// Visits from which the exploration grows.
const GROWTH_VISITS: f32 = 500.0;

impl Default for AlphaZero {
    fn default() -> AlphaZero {
        AlphaZero { exploration: 0.3, growth: 0.15, first_play_loss: 0.1 }
    }
}

impl SelectionPolicy for AlphaZero {
    #[inline]
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        let value = match &parent.estimates {
            _ if edge.visits > 0.0 => edge.value,
            None => 0.5,
            Some(estimates) => {
                let first_play_loss =
                    self.first_play_loss * if parent.is_root { ROOT_FIRST_PLAY_SHARE } else { 1.0 };
                let tried = estimates.tried_probability.min(1.0);
                let mean = (parent.visits * estimates.mean + estimates.own) / (parent.visits + 1.0);
                let weight = tried * tried;
                weight * mean + (1.0 - weight) * estimates.own - first_play_loss * tried.sqrt()
            }
        };
        let factor = self.exploration + self.growth * libm::logf(1.0 + parent.visits * (1.0 / GROWTH_VISITS));
        let probability = Puct::probability(edge.prior_wins);
        value + factor * probability * (parent.visits + 0.01).sqrt() / (1.0 + edge.visits)
    }

    fn plays_most_visited(&self) -> bool {
        false
    }

    /// Returns the lower confidence bound of the value, value - 0.5 / √n.
    fn final_rank(&self, visits: u64, value: Value, _: u64) -> f64 {
        value.as_f64() - CONFIDENCE_RADIUS / (visits as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::super::EstimateStatistics;
    use super::*;

    fn edge(probability: f32, visits: f32, value: f32) -> EdgeView {
        let prior = Puct::prior_from_probability(probability);
        EdgeView { visits, value, prior_wins: f32::from(prior.wins), ..EdgeView::default() }
    }

    fn parent(visits: f32, tried_probability: f32) -> ParentView {
        let estimates = EstimateStatistics { mean: 0.2, own: 0.6, tried_probability };
        ParentView { estimates: Some(estimates), ..ParentView::new(visits) }
    }

    #[test]
    fn an_untried_move_has_the_value_of_the_position_less_the_first_play_loss() {
        let policy = AlphaZero::default();
        assert!((policy.score(&parent(0.0, 0.0), &edge(0.0, 0.0, 0.0)) - 0.6).abs() < 1e-6);
        // T = 0.25: weight 0.0625, and M = (3 · 0.2 + 0.6) / 4 = 0.3.
        let expected = 0.0625 * 0.3 + 0.9375 * 0.6 - 0.1 * 0.5;
        assert!((policy.score(&parent(3.0, 0.25), &edge(0.0, 0.0, 0.0)) - expected).abs() < 1e-6);
    }

    #[test]
    fn exploration_grows_with_the_visits_of_the_position() {
        let policy = AlphaZero::default();
        let bonus = |visits: f32| {
            policy.score(&parent(visits, 1.0), &edge(1.0, 0.0, 0.0))
                - policy.score(&parent(visits, 1.0), &edge(0.0, 0.0, 0.0))
        };
        assert!((bonus(500.0) / 500.01_f32.sqrt() - (0.3 + 0.15 * 2.0_f32.ln())).abs() < 1e-4);
        assert!((policy.score(&parent(1e6, 1.0), &edge(1.0, 1e6, 0.25)) - 0.25).abs() < 2e-3);
    }

    #[test]
    fn the_best_move_has_a_high_value_and_enough_visits_to_trust_it() {
        let rank = |visits, value: f64| {
            AlphaZero::default().final_rank(visits, Value((value * f64::from(u32::MAX)) as u32), 0)
        };
        assert!(rank(60, 0.55) > rank(100, 0.5) && rank(1, 0.8) < rank(100, 0.5));
        assert!((rank(100, 0.5) - 0.45).abs() < 1e-6);
    }
}
