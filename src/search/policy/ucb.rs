//! UCB1 as used in trees, and its forms in Valkyria and Crazy Stone.

use super::{EdgeView, ParentView, SelectionPolicy};
use crate::base::value::Value;

/// UCB1: value + c·sqrt(ln N / n); an untried move comes first.
///
/// Source: Auer, Cesa-Bianchi & Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", Machine Learning 47
/// (2002), figure 1, where c = sqrt(2); Kocsis & Szepesvári, "Bandit Based Monte-Carlo Planning", ECML 2006, where c =
/// 2·C_p. Coulom's Crazy Stone uses v + sqrt(2·ln t / (10·n)), that is C_p = 1/sqrt(20) and c = 0.4472.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ucb1 {
    /// c, not negative.
    pub exploration: f32,
}

impl Default for Ucb1 {
    /// C_p = 1/√2 of the UCT paper.
    fn default() -> Ucb1 {
        Ucb1 { exploration: std::f32::consts::SQRT_2 }
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
}

/// Valkyria: win rate + UCTK·sqrt(ln N / (5·n)); an untried move comes first; the move with the highest win rate is
/// played.
///
/// Source: M. Persson's pseudo code of 22 September 2006, Sensei's Library, page "UCT".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Valkyria {
    /// UCTK, not negative: larger values search uniformly, smaller ones very selectively.
    pub uctk: f32,
}

impl SelectionPolicy for Valkyria {
    #[inline]
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        if edge.visits > 0.0 {
            edge.value + self.uctk * (parent.ln_visits / (5.0 * edge.visits)).sqrt()
        } else {
            f32::INFINITY
        }
    }

    fn plays_most_visited(&self) -> bool {
        false
    }

    fn final_rank(&self, _: u64, value: Value, _: u64) -> f64 {
        value.as_f64()
    }
}
