//! Selection policies: the choice of the move that a simulation tries, and of the move played in the end.
//!
//! A policy is a function of the statistics of the parent and of one edge. `select` handles legality, proofs, superko
//! bans and the random choice among equal scores. Some policies keep *policy state* in the table, a 64-bit word at
//! every edge. [`Preset`] lists all policies by name.

mod alpha_zero;
mod epsilon_greedy;
mod flat;
mod lazarus;
mod preset;
mod puct;
mod rave;
mod stego;
mod ucb;
mod ucb_improved;
mod ucb_tuned;

pub use alpha_zero::AlphaZero;
pub use epsilon_greedy::EpsilonGreedy;
pub use flat::Flat;
pub use lazarus::Lazarus;
pub use preset::{Policy, Preset, help};
pub use puct::Puct;
pub use rave::Rave;
pub use stego::{Stego, StegoMode};
pub use ucb::{Ucb1, Valkyria};
pub use ucb_improved::UcbImproved;
pub use ucb_tuned::Ucb1Tuned;

use crate::base::value::Value;
use crate::table::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Statistics of a position with values that contain a network's estimates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimateStatistics {
    /// Mean value of the visited edges that are not refuted, weighted by their visits, for the player to move; 0.5
    /// without visits.
    pub mean: f32,
    /// The evaluator's own value of the position, for the player to move.
    pub own: f32,
    /// Sum of the probabilities of the moves that have visits and are not refuted: 0 to 1, or up to 2 where the rules
    /// raise the probability of a pass (`engine/pass_probability.rs`).
    pub tried_probability: f32,
}

/// Parent statistics available to a selection policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParentView {
    /// Sum of the visits of all edges.
    pub visits: f32,
    /// Natural logarithm of the visits, 0 without visits. Computed in software, since a platform's logarithm may differ
    /// in the last bit and would change the search.
    pub ln_visits: f32,
    /// True for the root of the search.
    pub is_root: bool,
    /// Statistics of a network's estimates; `None` if all values come from playouts.
    pub estimates: Option<EstimateStatistics>,
}

impl ParentView {
    /// Returns the view of a position with `visits`, below the root.
    #[must_use]
    pub fn new(visits: f32) -> ParentView {
        let ln_visits = if visits > 1.0 { libm::logf(visits) } else { 0.0 };
        ParentView { visits, ln_visits, is_root: false, estimates: None }
    }

    /// Returns the view of the same position as the root.
    #[must_use]
    pub fn at_root(self) -> ParentView {
        ParentView { is_root: true, ..self }
    }
}

/// The statistics of one edge; values are for the player making the move.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct EdgeView {
    /// N(s,a): visits of the edge.
    pub visits: f32,
    /// 1 - Q(child), or the edge's own value if the child was evicted; meaningless without visits.
    pub value: f32,
    /// Number of AMAF samples.
    pub amaf_visits: f32,
    /// Number of AMAF samples that were won; a draw counts half.
    pub amaf_wins: f32,
    /// Weight of the prior, in simulations.
    pub prior_visits: f32,
    /// Part of that weight that counts as won.
    pub prior_wins: f32,
    /// The edge's policy state; 0 if the policy has none.
    pub state: u64,
}

/// The statistics of all edges of a position, as separate arrays of one length, so that scoring them vectorises. The
/// fields are those of [`EdgeView`].
#[derive(Clone, Copy, Debug)]
pub struct EdgeColumns<'a> {
    /// Visits of each edge.
    pub visits: &'a [f32],
    /// Value of each edge, for the player making the move.
    pub value: &'a [f32],
    /// Number of AMAF samples of each edge.
    pub amaf_visits: &'a [f32],
    /// Number of won AMAF samples of each edge.
    pub amaf_wins: &'a [f32],
    /// Weight of each prior, in simulations.
    pub prior_visits: &'a [f32],
    /// Part of each weight that counts as won.
    pub prior_wins: &'a [f32],
    /// Policy state of each edge.
    pub state: &'a [u64],
}

/// The formulas for the move that a simulation tries and for the move played in the end.
pub trait SelectionPolicy: Clone + Send + Sync {
    /// Returns the score of an edge. The move with the highest score is tried next. Infinity: before all others; never
    /// minus infinity or NaN.
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32;

    /// Writes the score of every edge. Each is computed separately, so vector and scalar code give the same bits.
    #[inline]
    fn score_all(&self, parent: &ParentView, edges: &EdgeColumns<'_>, scores: &mut [f32]) {
        let moves = scores.len();
        let (visits, value) = (&edges.visits[..moves], &edges.value[..moves]);
        let (amaf_visits, amaf_wins) = (&edges.amaf_visits[..moves], &edges.amaf_wins[..moves]);
        let (prior_visits, prior_wins) = (&edges.prior_visits[..moves], &edges.prior_wins[..moves]);
        let state = &edges.state[..moves];
        for index in 0..moves {
            let edge = EdgeView {
                visits: visits[index],
                value: value[index],
                amaf_visits: amaf_visits[index],
                amaf_wins: amaf_wins[index],
                prior_visits: prior_visits[index],
                prior_wins: prior_wins[index],
                state: state[index],
            };
            scores[index] = self.score(parent, &edge);
        }
    }

    /// Returns true if the policy reads AMAF statistics; without it they are not collected. Ranked pages have none.
    fn uses_amaf(&self) -> bool {
        false
    }

    /// Returns true if the policy needs policy state: see [`crate::table::Shape::policy_state`].
    fn uses_state(&self) -> bool {
        false
    }

    /// Returns the probability of a uniformly random selection, in 1/256.
    fn random_probability_256(&self) -> u32 {
        0
    }

    /// Updates the policy state after a simulation through edge `chosen` that scored `half_points` (0, 1 or 2) for its
    /// mover; `state` contains the words of all edges of the position.
    fn update(&self, state: &[AtomicU64], chosen: usize, half_points: u32) {
        let _ = (state, chosen, half_points);
    }

    /// Updates the root's policy state before each selection there; `candidates` returns true for the edges that may be
    /// selected: legal, not refuted and not banned.
    fn update_at_root(&self, state: &[AtomicU64], candidates: &dyn Fn(usize) -> bool) {
        let _ = (state, candidates);
    }

    /// Returns true if the search may stop, judged by the root's policy state and the edges that `candidates` selects.
    /// Until then the search continues, up to twice its limits.
    fn is_settled(&self, state: &[AtomicU64], candidates: &dyn Fn(usize) -> bool) -> bool {
        let _ = (state, candidates);
        true
    }

    /// Returns true if [`final_rank`](SelectionPolicy::final_rank) is the number of visits, so that a lead in visits
    /// decides.
    fn plays_most_visited(&self) -> bool {
        true
    }

    /// Returns the rank of a move for the final choice: the highest rank is played, among the moves without a proof.
    /// `visits` is the edge's and not 0, `value` is the move's for its mover. Default: the most visited, the robust
    /// child of Chaslot et al., "Progressive strategies for Monte-Carlo tree search" (2008), section 2.3.
    fn final_rank(&self, visits: u64, value: Value, state: u64) -> f64 {
        let _ = (value, state);
        visits as f64
    }
}

/// Returns the current policy state of each edge, with the edge's index.
fn loaded(state: &[AtomicU64]) -> impl Iterator<Item = (usize, u64)> + '_ {
    state.iter().map(|word| word.load(Relaxed)).enumerate()
}
