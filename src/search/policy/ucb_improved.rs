//! UCB-Improved: elimination of the root's moves in rounds.

use super::{EdgeView, ParentView, SelectionPolicy, Ucb1, loaded};
use crate::base::value::Value;
use crate::table::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// UCB-Improved at the root, UCB1 below it.
///
/// With horizon T and Δ_0 = 1, round m samples every remaining move until it has n_m = ⌈2·ln(T·Δ_m²) / Δ_m²⌉ samples.
/// It then eliminates the moves with a mean more than 2·sqrt(ln(T·Δ_m²) / (2·n_m)) below the best one, and Δ_(m+1) =
/// Δ_m / 2. After round ⌊½·log2(T/e)⌋, or when one move is left, the best move gets all further samples.
///
/// With 82 moves the first round alone takes 82·⌈2·ln T⌉ samples: below about 1,500 simulations nothing is eliminated
/// and the search samples its moves in turn.
///
/// The policy state of each root edge contains its round, samples, half-points and elimination, so that it outlives the
/// search and needs no lock. The round of the search is the latest one of the remaining moves.
///
/// Source: Auer & Ortner, "UCB revisited: Improved regret bounds for the stochastic multi-armed bandit problem",
/// Periodica Mathematica Hungarica 61 (2010), figure 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UcbImproved {
    /// T, in simulations, at least e.
    pub horizon: f32,
    /// Policy below the root.
    pub below: Ucb1,
}

/// Score of eliminated moves: below all others, but not excluded, since the others may all be refuted.
const ELIMINATED_SCORE: f32 = -1e30;
/// Score of a move without samples in a round that wants some; each sample lowers it by one. Above every mean; up to here
/// whole numbers are exact in `f32`.
const UNDERSAMPLED_SCORE: f32 = (1 << 24) as f32;

/// The policy state of a root edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arm {
    samples: u64,
    half_points: u64,
    round: u64,
    is_eliminated: bool,
}

const SAMPLE_BITS: u32 = 28;
const MAX_SAMPLES: u64 = (1 << SAMPLE_BITS) - 1;
const ROUND_SHIFT: u32 = 2 * SAMPLE_BITS + 1;
const ELIMINATED_SHIFT: u32 = 63;

impl Arm {
    const fn unpack(word: u64) -> Arm {
        Arm {
            samples: word & MAX_SAMPLES,
            half_points: word >> SAMPLE_BITS & ((1 << (SAMPLE_BITS + 1)) - 1),
            round: word >> ROUND_SHIFT & 0x3f,
            is_eliminated: word >> ELIMINATED_SHIFT != 0,
        }
    }

    const fn pack(self) -> u64 {
        self.samples
            | self.half_points << SAMPLE_BITS
            | self.round << ROUND_SHIFT
            | (self.is_eliminated as u64) << ELIMINATED_SHIFT
    }

    fn mean(self) -> f32 {
        self.half_points as f32 / (2.0 * self.samples.max(1) as f32)
    }
}

impl UcbImproved {
    /// Returns the samples that each remaining move has after `round`, and half the distance below the best mean at which
    /// the round eliminates a move.
    fn round(&self, round: u64) -> (f32, f32) {
        let gap = 0.5_f32.powi(round.min(60) as i32);
        let ln = libm::logf(self.horizon * gap * gap).max(0.0);
        let samples = (2.0 * ln / (gap * gap)).ceil().max(1.0);
        (samples, (ln / (2.0 * samples)).sqrt())
    }

    /// Returns the last round that eliminates moves.
    fn last_round(&self) -> u64 {
        (0.5 * libm::log2f((self.horizon / std::f32::consts::E).max(1.0))).floor() as u64
    }
}

impl SelectionPolicy for UcbImproved {
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        if !parent.is_root {
            return self.below.score(parent, edge);
        }
        let arm = Arm::unpack(edge.state);
        if arm.is_eliminated {
            return ELIMINATED_SCORE;
        }
        let is_wanted = arm.round <= self.last_round() && (arm.samples as f32) < self.round(arm.round).0;
        if is_wanted { (UNDERSAMPLED_SCORE - arm.samples as f32).max(2.0) } else { arm.mean() }
    }

    fn uses_state(&self) -> bool {
        true
    }

    fn update(&self, state: &[AtomicU64], chosen: usize, half_points: u32) {
        let mut arm = Arm::unpack(state[chosen].load(Relaxed));
        if arm.samples == MAX_SAMPLES {
            arm = Arm { samples: arm.samples / 2, half_points: arm.half_points / 2, ..arm };
        }
        arm.samples += 1;
        arm.half_points += u64::from(half_points.min(2));
        state[chosen].store(arm.pack(), Relaxed);
    }

    /// Ends the round when every remaining move has its samples.
    fn update_at_root(&self, state: &[AtomicU64], candidates: &dyn Fn(usize) -> bool) {
        let arms = || {
            let in_question = loaded(state).filter(|&(index, _)| candidates(index));
            in_question.map(|(index, word)| (index, Arm::unpack(word))).filter(|(_, arm)| !arm.is_eliminated)
        };
        let Some(round) = arms().map(|(_, arm)| arm.round).max().filter(|&round| round <= self.last_round())
        else {
            return;
        };
        let (wanted, width) = self.round(round);
        let is_over = arms().count() > 1 && arms().all(|(_, arm)| arm.samples as f32 >= wanted);
        if !is_over {
            return;
        }
        let best = arms().map(|(_, arm)| arm.mean()).fold(f32::NEG_INFINITY, f32::max);
        for (index, arm) in arms() {
            let is_eliminated = arm.mean() + width < best - width;
            state[index].store(Arm { round: round + 1, is_eliminated, ..arm }.pack(), Relaxed);
        }
    }

    fn plays_most_visited(&self) -> bool {
        false
    }

    fn final_rank(&self, _: u64, value: Value, state: u64) -> f64 {
        value.as_f64() - f64::from(u8::from(Arm::unpack(state).is_eliminated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everything(_: usize) -> bool {
        true
    }

    /// Samples one arm like the search: the highest score, the first among equals.
    fn sample(policy: &UcbImproved, state: &[AtomicU64], outcome: impl Fn(usize, u64) -> u32) -> usize {
        policy.update_at_root(state, &everything);
        let root = ParentView::new(1.0).at_root();
        let score = |index: usize| {
            let word = state[index].load(Relaxed);
            policy.score(&root, &EdgeView { state: word, ..EdgeView::default() })
        };
        let best = (0..state.len()).reduce(|one, other| if score(other) > score(one) { other } else { one });
        let chosen = best.expect("an arm");
        let samples = Arm::unpack(state[chosen].load(Relaxed)).samples;
        policy.update(state, chosen, outcome(chosen, samples));
        chosen
    }

    #[test]
    fn rounds_are_those_of_the_paper() {
        let policy = UcbImproved { horizon: 1000.0, below: Ucb1::default() };
        // 2·ln 1000 = 13.8; 2·ln 250 / (1/4) = 44.2; 2·ln 62.5 / (1/16) = 132.3; 2·ln 15.6 / (1/64) = 351.9.
        assert_eq!([0, 1, 2, 3].map(|round| policy.round(round).0), [14.0, 45.0, 133.0, 352.0]);
        // sqrt(6.9078 / 28) and sqrt(5.5215 / 90)
        assert!((policy.round(0).1 - 0.496_7).abs() < 1e-4 && (policy.round(1).1 - 0.247_7).abs() < 1e-4);
        // ½·log2(1000/e) = 4.26
        assert_eq!(policy.last_round(), 4);
    }

    #[test]
    fn bad_arms_are_eliminated_and_the_best_gets_the_rest() {
        let policy = UcbImproved { horizon: 1000.0, below: Ucb1::default() };
        let state: Vec<AtomicU64> = (0..3).map(|_| AtomicU64::new(0)).collect();
        // The first arm always wins, the second every other time, the third never.
        let outcome = |arm: usize, samples: u64| [2, 2 * (samples as u32 % 2), 0][arm];
        let mut counts = [0; 3];
        for _ in 0..42 {
            counts[sample(&policy, &state, outcome)] += 1;
        }
        assert_eq!(counts, [14, 14, 14]);
        // Width 2·0.4967: a mean of 0 is 1 below the best and is eliminated; 1/2 remains until 2·0.2477 < 1/2.
        sample(&policy, &state, outcome);
        let is_eliminated = |arm: usize| Arm::unpack(state[arm].load(Relaxed)).is_eliminated;
        assert_eq!([0, 1, 2].map(is_eliminated), [false, false, true]);
        for _ in 0..1000 {
            sample(&policy, &state, outcome);
        }
        assert_eq!([0, 1, 2].map(is_eliminated), [false, true, true]);
        let samples = [0, 1, 2].map(|arm: usize| Arm::unpack(state[arm].load(Relaxed)).samples);
        assert_eq!(samples, [1043 - 45 - 14, 45, 14]);
    }

    #[test]
    fn nothing_is_eliminated_before_the_first_round_ends() {
        let policy = UcbImproved { horizon: 1000.0, below: Ucb1::default() };
        let state: Vec<AtomicU64> = (0..82).map(|_| AtomicU64::new(0)).collect();
        for _ in 0..1000 {
            sample(&policy, &state, |arm, _| if arm == 0 { 2 } else { 0 });
        }
        assert!(loaded(&state).all(|(_, word)| !Arm::unpack(word).is_eliminated));
    }
}
