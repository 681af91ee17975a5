//! Flat Monte-Carlo: the root's moves, uniformly.

use super::{EdgeView, ParentView, SelectionPolicy};
use crate::value::Value;

/// Flat Monte-Carlo: the root's moves are sampled in turn, nothing is searched below them, and the one with
/// the highest win rate is played.
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
