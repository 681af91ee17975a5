//! RAVE, the default policy.

use super::{EdgeView, ParentView, SelectionPolicy};

/// RAVE with the minimum-MSE schedule, and priors in place of exploration.
///
/// score = β·(amaf wins / amaf visits) + (1-β)·(wins + prior wins) / (visits + prior visits), with
/// β = m / (m + n + 4·n·m·b²), where m counts AMAF samples and n visits and prior visits, and b is the
/// assumed bias of AMAF.
///
/// Source: Gelly & Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go",
/// Artificial Intelligence 175 (2011), section 5, with the variance of a result taken as 1/4. `equivalence`
/// is 1/(4b²): where m = n = equivalence, β is 1/3.
///
/// Where values contain a network's estimates, a visit varies less than a playout, and equivalence is divided by
/// three; and the estimates may think better or worse of a position than playouts do, so that AMAF samples are
/// moved by what visited moves differ from theirs: else it would seem that what was tried is better, or worse, than
/// what was not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rave {
    /// 1/(4b²), in samples; positive.
    pub equivalence: f32,
    /// Factor of a UCB1 term sqrt(ln N / n); 0 is none.
    pub exploration: f32,
    /// What priors count, `0..=1`.
    pub priors: f32,
    /// Factor of an exploration by chances, PUCT; 0 is none.
    pub puct: f32,
}

/// The variance of a playout's result, over that of a value with estimates.
const STEADINESS: f32 = 3.0;

/// A prior of 100 wins is one of a move that is certain.
const CHANCE_SCALE: f32 = 0.01;

impl Default for Rave {
    fn default() -> Rave {
        Rave { equivalence: 1500.0, exploration: 0.0, priors: 0.6, puct: 0.0 }
    }
}

impl SelectionPolicy for Rave {
    #[inline]
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        let visits = edge.visits + self.priors * edge.prior_visits;
        let wins = edge.visits * edge.value + self.priors * edge.prior_wins;
        let mean = if visits > 0.0 { wins / visits } else { 0.5 };
        let amaf_visits = edge.amaf_visits;
        let amaf = if amaf_visits > 0.0 { edge.amaf_wins / amaf_visits } else { 0.5 };
        let (equivalence, offset) = match parent.estimates {
            Some(estimates) => (self.equivalence / STEADINESS, estimates.amaf_offset),
            None => (self.equivalence, 0.0),
        };
        let denominator = amaf_visits + visits + visits * amaf_visits / equivalence;
        let beta = if denominator > 0.0 { amaf_visits / denominator } else { 0.0 };
        let exploration = if self.exploration > 0.0 {
            self.exploration * (parent.ln_visits / (visits + 1.0)).sqrt()
        } else {
            0.0
        };
        let puct = if self.puct > 0.0 {
            let chance = edge.prior_wins * CHANCE_SCALE;
            self.puct * chance * chance * parent.visits.sqrt() / (1.0 + edge.visits)
        } else {
            0.0
        };
        beta * (amaf + offset) + (1.0 - beta) * mean + exploration + puct
    }

    fn uses_amaf(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::Estimates;
    use super::*;

    #[test]
    fn rave_weighs_a_third_at_equivalence_and_vanishes_with_visits() {
        let policy = Rave { equivalence: 1000.0, ..Rave::default() };
        let parent = ParentView::new(1000.0);
        let edge = EdgeView {
            visits: 1000.0,
            value: 0.0,
            amaf_visits: 1000.0,
            amaf_wins: 1000.0,
            ..EdgeView::default()
        };
        assert!((policy.score(&parent, &edge) - 1.0 / 3.0).abs() < 1e-6);
        let settled = EdgeView { visits: 1e7, ..edge };
        assert!(policy.score(&parent, &settled) < 1e-3);
        let fresh = EdgeView { visits: 0.0, prior_visits: 0.0, ..edge };
        assert!((policy.score(&parent, &fresh) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn estimates_move_amaf_to_the_values_and_lessen_its_weight() {
        let policy = Rave { equivalence: 900.0, ..Rave::default() };
        let estimates = Some(Estimates { amaf_offset: 0.25 });
        let parent = ParentView { estimates, ..ParentView::new(1000.0) };
        let untried = EdgeView { amaf_visits: 50.0, amaf_wins: 25.0, ..EdgeView::default() };
        assert!((policy.score(&parent, &untried) - 0.75).abs() < 1e-6);
        // A third of 900 samples weigh a third.
        let tried = EdgeView { visits: 300.0, value: 0.0, amaf_visits: 300.0, amaf_wins: 150.0, ..untried };
        assert!((policy.score(&parent, &tried) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn priors_count_as_visits() {
        let policy = Rave { priors: 1.0, ..Rave::default() };
        let parent = ParentView::new(10.0);
        let edge =
            EdgeView { visits: 5.0, value: 0.2, prior_visits: 15.0, prior_wins: 15.0, ..EdgeView::default() };
        assert!((policy.score(&parent, &edge) - 0.8).abs() < 1e-6);
        assert!((policy.score(&parent, &EdgeView::default()) - 0.5).abs() < 1e-6);
    }
}
