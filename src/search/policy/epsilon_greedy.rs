//! The baseline that UCT improves on.

use super::{EdgeView, ParentView, SelectionPolicy};

/// The move with the highest win rate, or now and then any move, all alike; a move never tried counts as lost
/// until chance finds it.
///
/// Source: Sensei's Library, page "UCT", which proposes half of the choices at random before it explains UCT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpsilonGreedy {
    /// How often a move is chosen at random, `0..=1`, in steps of 1/256.
    pub epsilon: f32,
}

impl SelectionPolicy for EpsilonGreedy {
    #[inline]
    fn score(&self, _: &ParentView, edge: &EdgeView) -> f32 {
        if edge.visits > 0.0 { edge.value } else { 0.0 }
    }

    fn random_choices(&self) -> u32 {
        (self.epsilon * 256.0).round() as u32
    }
}
