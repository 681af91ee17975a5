//! RAVE, the default policy.

use super::{EdgeView, ParentView, Puct, SelectionPolicy};

/// RAVE with the minimum-MSE schedule, and priors in place of exploration; [`Puct`] in positions that a network has
/// evaluated.
///
/// score = β·(amaf wins / amaf visits) + (1-β)·(wins + prior wins) / (visits + prior visits), with β = m / (m + n +
/// 4·n·m·b²), where m counts AMAF samples, n visits and prior visits, and b is the assumed bias of AMAF.
///
/// Source: Gelly & Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", Artificial
/// Intelligence 175 (2011), section 5, with the variance of a result taken as 1/4. `equivalence` is 1/(4b²): where m =
/// n = equivalence, β is 1/3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rave {
    /// 1/(4b²), in samples; positive.
    pub equivalence: f32,
    /// Factor of a UCB1 term sqrt(ln N / (n + 1)); 0 disables it.
    pub exploration: f32,
    /// Factor of the prior wins and prior visits, `0..=1`.
    pub priors: f32,
    /// Formula in positions that a network has evaluated.
    pub puct: Puct,
}

impl Default for Rave {
    fn default() -> Rave {
        Rave { equivalence: 1500.0, exploration: 0.0, priors: 0.6, puct: Puct::default() }
    }
}

impl Rave {
    #[inline]
    fn score_by_playouts(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        let visits = edge.visits + self.priors * edge.prior_visits;
        let wins = edge.visits * edge.value + self.priors * edge.prior_wins;
        let mean = if visits > 0.0 { wins / visits } else { 0.5 };
        let amaf_visits = edge.amaf_visits;
        let amaf = if amaf_visits > 0.0 { edge.amaf_wins / amaf_visits } else { 0.5 };
        let denominator = amaf_visits + visits + visits * amaf_visits / self.equivalence;
        let beta = if denominator > 0.0 { amaf_visits / denominator } else { 0.0 };
        let exploration = if self.exploration > 0.0 {
            self.exploration * (parent.ln_visits / (visits + 1.0)).sqrt()
        } else {
            0.0
        };
        beta * amaf + (1.0 - beta) * mean + exploration
    }
}

impl SelectionPolicy for Rave {
    #[inline]
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        match &parent.estimates {
            Some(estimates) => self.puct.score(parent, estimates, edge),
            None => self.score_by_playouts(parent, edge),
        }
    }

    fn uses_amaf(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
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
    fn priors_count_as_visits() {
        let policy = Rave { priors: 1.0, ..Rave::default() };
        let parent = ParentView::new(10.0);
        let edge =
            EdgeView { visits: 5.0, value: 0.2, prior_visits: 15.0, prior_wins: 15.0, ..EdgeView::default() };
        assert!((policy.score(&parent, &edge) - 0.8).abs() < 1e-6);
        assert!((policy.score(&parent, &EdgeView::default()) - 0.5).abs() < 1e-6);
    }
}
