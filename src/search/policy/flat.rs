//! Flat Monte-Carlo: uniform sampling of the root's moves.

use super::{EdgeView, ParentView, SelectionPolicy};
use crate::base::value::Value;

/// Flat Monte-Carlo: samples the root's moves in turn, searches nothing below them, and plays the move with the highest
/// win rate.
///
/// Source: Sensei's Library, page "UCT": "statistics for all children of the root node".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flat;

impl SelectionPolicy for Flat {
    #[inline]
    fn score(&self, _: &ParentView, edge: &EdgeView) -> f32 {
        -edge.visits
    }

    fn plays_most_visited(&self) -> bool {
        false
    }

    fn final_rank(&self, _: u64, value: Value, _: u64) -> f64 {
        value.as_f64()
    }
}
