//! Selection policies: which move of a position a simulation tries, and which is played in the end.
//!
//! A policy is a function of the statistics of the parent and of one edge. What is legal, proven or banned, and the
//! random choice among equal scores, is the business of `select`. Some policies keep *policy state*, a 64-bit word of
//! their own at every edge, in the table. [`Preset`] has all policies by name.

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

use crate::table::atomic::AtomicU64;
use crate::value::Value;
use std::sync::atomic::Ordering::Relaxed;

/// What a policy may know of a position whose values contain a network's estimates. AMAF samples are of playouts alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimates {
    /// By how much the values of the edges exceed the means of their AMAF samples, weighted by the edges' visits; -1 to 1.
    pub amaf_offset: f32,
    /// Mean value of the visited edges, weighted by their visits, for the player who moves; a half without visits.
    pub mean: f32,
    /// Sum of the chances of the moves that have visits and are not refuted; 0 to 1, and more after a pass.
    pub chance_tried: f32,
}

/// What a policy may know of the position whose move is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParentView {
    /// Visits of all its edges together.
    pub visits: f32,
    /// Natural logarithm of the visits, 0 if there are none. Computed in software: a platform's
    /// logarithm may differ in the last bit, and the search must not.
    pub ln_visits: f32,
    /// Whether it is the position that is searched.
    pub is_root: bool,
    /// What a network's estimates of values change; `None` where all values come from playouts.
    pub estimates: Option<Estimates>,
}

impl ParentView {
    /// The view of a position with `visits`, below the root.
    #[must_use]
    pub fn new(visits: f32) -> ParentView {
        let ln_visits = if visits > 1.0 { libm::logf(visits) } else { 0.0 };
        ParentView { visits, ln_visits, is_root: false, estimates: None }
    }

    /// The same position as the root of the search.
    #[must_use]
    pub fn at_root(self) -> ParentView {
        ParentView { is_root: true, ..self }
    }
}

/// The statistics of one edge; values are for the player who moves.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct EdgeView {
    /// N(s,a).
    pub visits: f32,
    /// 1 - Q(child), or the edge's own value where the child was evicted; meaningless without visits.
    pub value: f32,
    /// AMAF samples.
    pub amaf_visits: f32,
    /// How many of them were won.
    pub amaf_wins: f32,
    /// Weight of the prior in simulations.
    pub prior_visits: f32,
    /// The part of it that counts as won.
    pub prior_wins: f32,
    /// The edge's policy state; 0 where the policy has none.
    pub state: u64,
}

/// The edges of a position as separate arrays of one length, so that scoring them vectorises.
#[derive(Clone, Copy, Debug)]
pub struct EdgeColumns<'a> {
    /// See [`EdgeView`], as all of these.
    pub visits: &'a [f32],
    /// Values for the player who moves.
    pub value: &'a [f32],
    /// AMAF samples.
    pub amaf_visits: &'a [f32],
    /// AMAF samples that were won.
    pub amaf_wins: &'a [f32],
    /// Weights of the priors in simulations.
    pub prior_visits: &'a [f32],
    /// The part of them that counts as won.
    pub prior_wins: &'a [f32],
    /// The policy state of each edge.
    pub state: &'a [u64],
}

/// How moves are chosen in the descent, and which is played in the end.
pub trait SelectionPolicy: Clone + Send + Sync {
    /// The move with the highest score is tried next; infinity for "before all others", never minus infinity or
    /// NaN.
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32;

    /// Writes the score of every edge. Each is computed alone, so vector and scalar code give the same bits.
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

    /// Whether the policy reads AMAF statistics, so that they are worth collecting.
    fn uses_amaf(&self) -> bool {
        false
    }

    /// Whether the policy needs a word of its own at every edge: see [`crate::table::Shape::policy_state`].
    fn uses_state(&self) -> bool {
        false
    }

    /// How many of 256 selections take a uniformly random move instead of the best score.
    fn random_choices(&self) -> u32 {
        0
    }

    /// Updates the policy state after a simulation through edge `chosen`, which was worth `half_points` (0, 1 or 2) to
    /// its mover; `state` is that of all edges of the position.
    fn update(&self, state: &[AtomicU64], chosen: usize, half_points: u32) {
        let _ = (state, chosen, half_points);
    }

    /// Updates the root's policy state before each selection there; `candidates` says which edges are legal, not
    /// refuted and not banned.
    fn update_at_root(&self, state: &[AtomicU64], candidates: &dyn Fn(usize) -> bool) {
        let _ = (state, candidates);
    }

    /// Whether the search may stop, judged by the root's policy state and the edges that `candidates` names. While it
    /// may not, the search goes on, for up to twice its limits.
    fn is_settled(&self, state: &[AtomicU64], candidates: &dyn Fn(usize) -> bool) -> bool {
        let _ = (state, candidates);
        true
    }

    /// Whether [`final_rank`](SelectionPolicy::final_rank) is the number of visits, so that a lead in visits decides.
    fn plays_most_visited(&self) -> bool {
        true
    }

    /// The move with the highest rank is played in the end, among those that are not decided by proofs.
    /// `visits`, which is not 0, and `value` are those of the edge. Default: the most visited, the robust
    /// child of Chaslot et al., "Progressive strategies for Monte-Carlo tree search" (2008), section 2.3.
    fn final_rank(&self, visits: u64, value: Value, state: u64) -> f64 {
        let _ = (value, state);
        visits as f64
    }
}

/// The present policy state of each edge, with the edge's index.
fn loaded(state: &[AtomicU64]) -> impl Iterator<Item = (usize, u64)> + '_ {
    state.iter().map(|word| word.load(Relaxed)).enumerate()
}
