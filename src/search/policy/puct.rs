//! PUCT, the formula of RAVE in positions that a network has evaluated.

use super::{EdgeView, EstimateStatistics, ParentView};
use crate::base::game::Prior;

/// PUCT with a first-play value below the parent's.
///
/// score = (n·Q + k·F) / (n + k) + c·P·sqrt(1 + N) / (1 + n)
///
/// N counts the parent's visits, n the edge's; Q is the child's value for the mover, P the network's probability of
/// the move. F, the value of an untried move, is the mean of the tried ones, less `first_play_loss` times the square
/// root of the sum of their probabilities: without this loss every move would be tried once. F counts as k = 2
/// visits, because the first playout's Q is noisy. AMAF beside the mean gained nothing
/// (`tools/experiments/decisions.md`).
///
/// Sources: Silver et al., "Mastering the game of Go with deep neural networks and tree search" (2016), methods; F as
/// in KataGo's and Leela Zero's first-play urgency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Puct {
    /// c, not negative.
    pub exploration: f32,
    /// Factor of the loss in F, `0..=1`.
    pub first_play_loss: f32,
}

/// k: weight of F, in visits.
const FIRST_PLAY_VISITS: f32 = 2.0;
/// Wins of the prior of a move with probability 1.
const PROBABILITY_ONE_WINS: f32 = 200.0;

impl Default for Puct {
    fn default() -> Puct {
        Puct { exploration: 0.8, first_play_loss: 0.1 }
    }
}

impl Puct {
    /// Returns the prior that stores a probability. Its wins are in proportion to the square root of the probability,
    /// so that small ones keep two digits.
    #[must_use]
    pub fn prior_from_probability(probability: f32) -> Prior {
        let wins = (PROBABILITY_ONE_WINS * probability.clamp(0.0, 1.0).sqrt()) as u8;
        Prior { visits: wins, wins }
    }

    /// Returns the probability stored in a prior with `wins`.
    #[inline]
    #[must_use]
    pub fn probability(wins: f32) -> f32 {
        let root = wins * (1.0 / PROBABILITY_ONE_WINS);
        root * root
    }

    /// Returns the score of an edge; vectorises.
    #[inline]
    #[must_use]
    pub fn score(&self, parent: &ParentView, estimates: &EstimateStatistics, edge: &EdgeView) -> f32 {
        let visits = edge.visits;
        let first_play = estimates.mean - self.first_play_loss * estimates.tried_probability.sqrt();
        let mean = (visits * edge.value + FIRST_PLAY_VISITS * first_play) / (visits + FIRST_PLAY_VISITS);
        let exploration =
            self.exploration * Puct::probability(edge.prior_wins) * (1.0 + parent.visits).sqrt();
        mean + exploration / (1.0 + visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ESTIMATES: EstimateStatistics = EstimateStatistics { mean: 0.5, own: 0.5, tried_probability: 0.25 };

    fn with_probability(probability: f32) -> EdgeView {
        let prior = Puct::prior_from_probability(probability);
        EdgeView {
            prior_visits: f32::from(prior.visits),
            prior_wins: f32::from(prior.wins),
            ..EdgeView::default()
        }
    }

    #[test]
    fn an_untried_move_is_worth_less_than_its_parent_and_more_with_its_probability() {
        let parent = ParentView::new(99.0);
        let puct = Puct::default();
        let hopeless = puct.score(&parent, &ESTIMATES, &with_probability(0.0));
        assert!((hopeless - 0.45).abs() < 1e-6);
        let likely = puct.score(&parent, &ESTIMATES, &with_probability(0.5));
        assert!((likely - hopeless - 0.8 * 0.5 * 10.0).abs() < 0.1, "{likely}");
    }

    #[test]
    fn visits_outweigh_everything_in_the_end() {
        let edge = EdgeView { visits: 1e7, value: 0.25, ..with_probability(1.0) };
        let score = Puct::default().score(&ParentView::new(1e7), &ESTIMATES, &edge);
        assert!((score - 0.25).abs() < 1e-3, "{score}");
    }

    #[test]
    fn a_chance_is_kept_in_a_prior_to_a_tenth_where_it_matters() {
        for probability in [0.01, 0.1, 0.5, 1.0] {
            let kept = Puct::probability(f32::from(Puct::prior_from_probability(probability).wins));
            assert!((kept / probability - 1.0).abs() < 0.1, "{probability}: {kept}");
        }
    }
}
