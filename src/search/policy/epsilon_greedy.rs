//! ε-greedy selection, the baseline that UCT improves on.

use super::{EdgeView, ParentView, SelectionPolicy};

/// ε-greedy: the move with the highest win rate, or with probability ε a uniformly random one. A move without visits
/// counts as lost.
///
/// Source: Sensei's Library, page "UCT", which proposes half of the choices at random before it explains UCT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpsilonGreedy {
    /// ε, `0..=1`, in steps of 1/256.
    pub epsilon: f32,
}

impl SelectionPolicy for EpsilonGreedy {
    #[inline]
    fn score(&self, _: &ParentView, edge: &EdgeView) -> f32 {
        if edge.visits > 0.0 { edge.value } else { 0.0 }
    }

    fn random_probability_256(&self) -> u32 {
        (self.epsilon * 256.0).round() as u32
    }
}
