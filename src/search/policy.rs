//! Selection policies: which move of a position a simulation tries.
//!
//! A policy is a pure function of the statistics of the parent and of one edge. Everything else (what
//! is legal, proven or banned, the random choice among equals) is the descent's.

/// What a policy may know of the position whose move is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParentView {
    /// Visits of all its edges together.
    pub visits: f32,
    /// Natural logarithm of the visits, 0 if there are none. Computed in software: a platform's
    /// logarithm may differ in the last bit, and the search must not.
    pub ln_visits: f32,
}

impl ParentView {
    /// The view of a position with `visits`.
    #[must_use]
    pub fn new(visits: f32) -> ParentView {
        ParentView { visits, ln_visits: if visits > 1.0 { libm::logf(visits) } else { 0.0 } }
    }
}

/// The statistics of one edge; values are for the player who moves.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct EdgeView {
    /// N(s,a).
    pub visits: f32,
    /// 1 - Q(child), or the edge's own value where the child is gone; meaningless without visits.
    pub value: f32,
    /// AMAF samples.
    pub amaf_visits: f32,
    /// How many of them were won.
    pub amaf_wins: f32,
    /// Weight of the prior in simulations.
    pub prior_visits: f32,
    /// How many of them count as won.
    pub prior_wins: f32,
}

/// How moves are chosen in the descent, and which is played in the end.
pub trait SelectionPolicy: Clone + Send + Sync {
    /// The move with the highest score is tried next; infinity for "before all others".
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32;

    /// Whether the policy reads AMAF statistics, so that they are worth collecting.
    fn uses_amaf(&self) -> bool;
}

/// RAVE with the minimum-MSE schedule, and priors in place of exploration.
///
/// score = β·(amaf wins / amaf visits) + (1-β)·(wins + prior wins) / (visits + prior visits), with
/// β = m / (m + n + 4·n·m·b²), where m counts AMAF samples and n visits and prior visits, and b is the
/// assumed bias of AMAF.
///
/// Source: Gelly & Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go",
/// Artificial Intelligence 175 (2011), section 5, with the variance of a result taken as 1/4. `equivalence` is 1/(4b²): where
/// m = n = equivalence, β is 1/3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rave {
    /// 1/(4b²), in samples; positive.
    pub equivalence: f32,
    /// Factor of a UCB1 term sqrt(ln N / n); 0 is none.
    pub exploration: f32,
}

impl Default for Rave {
    fn default() -> Rave {
        Rave { equivalence: 3500.0, exploration: 0.0 }
    }
}

impl SelectionPolicy for Rave {
    #[inline]
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        let visits = edge.visits + edge.prior_visits;
        let wins = edge.visits * edge.value + edge.prior_wins;
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

    fn uses_amaf(&self) -> bool {
        true
    }
}

/// UCB1: value + c·sqrt(ln N / n); a move never tried comes first.
///
/// Source: Auer, Cesa-Bianchi & Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem",
/// Machine Learning 47 (2002), figure 1, where c = sqrt(2); Kocsis & Szepesvári, "Bandit Based
/// Monte-Carlo Planning", ECML 2006.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ucb1 {
    /// c, not negative.
    pub exploration: f32,
}

impl Default for Ucb1 {
    fn default() -> Ucb1 {
        // Coulom's C_p = 1/sqrt(20), that is c = 2·C_p: see seeds in DESIGN.md.
        Ucb1 { exploration: 0.447_213_6 }
    }
}

impl SelectionPolicy for Ucb1 {
    #[inline]
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        if edge.visits > 0.0 {
            edge.value + self.exploration * (parent.ln_visits / edge.visits).sqrt()
        } else {
            f32::INFINITY
        }
    }

    fn uses_amaf(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ucb1_is_the_formula_of_the_paper() {
        let policy = Ucb1 { exploration: 2.0_f32.sqrt() };
        let parent = ParentView::new(100.0);
        let edge = EdgeView { visits: 10.0, value: 0.6, ..EdgeView::default() };
        // 0.6 + sqrt(2 ln 100 / 10) = 0.6 + sqrt(0.921034)
        assert!((policy.score(&parent, &edge) - 1.559_705).abs() < 1e-5);
        assert_eq!(policy.score(&parent, &EdgeView::default()), f32::INFINITY);
    }

    #[test]
    fn rave_weighs_a_third_at_equivalence_and_vanishes_with_visits() {
        let policy = Rave { equivalence: 1000.0, exploration: 0.0 };
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
        let policy = Rave::default();
        let parent = ParentView::new(10.0);
        let edge =
            EdgeView { visits: 5.0, value: 0.2, prior_visits: 15.0, prior_wins: 15.0, ..EdgeView::default() };
        assert!((policy.score(&parent, &edge) - 0.8).abs() < 1e-6);
        assert!((policy.score(&parent, &EdgeView::default()) - 0.5).abs() < 1e-6);
    }
}
