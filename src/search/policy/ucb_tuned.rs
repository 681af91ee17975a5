//! UCB1-Tuned: exploration in proportion to the variance of the results.

use super::{EdgeView, ParentView, SelectionPolicy};
use crate::table::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// UCB1-Tuned: value + c·sqrt(ln N / n · min(1/4, V)) with V = mean of the squared results - squared mean result +
/// sqrt(2·ln N / n); an untried move comes first.
///
/// The value is the child's, as in all policies, and n counts the edge's visits. The mean and the squares in V are of
/// the simulations through the edge, which the policy state counts.
///
/// Source: Auer, Cesa-Bianchi & Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", Machine Learning 47
/// (2002), section 4, where c = 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ucb1Tuned {
    /// c, not negative.
    pub exploration: f32,
}

/// The policy state of an edge: simulations through it, their half-points for the mover, and the sum of the squared
/// half-points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moments {
    samples: u64,
    half_points: u64,
    squares: u64,
}

const SAMPLE_BITS: u32 = 20;
const HALF_POINT_BITS: u32 = SAMPLE_BITS + 1;
const MAX_SAMPLES: u64 = (1 << SAMPLE_BITS) - 1;

impl Moments {
    #[inline]
    const fn unpack(word: u64) -> Moments {
        Moments {
            samples: word & MAX_SAMPLES,
            half_points: word >> SAMPLE_BITS & ((1 << HALF_POINT_BITS) - 1),
            squares: word >> (SAMPLE_BITS + HALF_POINT_BITS),
        }
    }

    const fn pack(self) -> u64 {
        self.samples | self.half_points << SAMPLE_BITS | self.squares << (SAMPLE_BITS + HALF_POINT_BITS)
    }

    /// Returns the moments with one more sample. All three are halved before the number of samples would overflow.
    const fn with_sample(self, half_points: u64) -> Moments {
        let shift = if self.samples == MAX_SAMPLES { 1 } else { 0 };
        Moments {
            samples: (self.samples >> shift) + 1,
            half_points: (self.half_points >> shift) + half_points,
            squares: (self.squares >> shift) + half_points * half_points,
        }
    }

    /// Returns the variance of the results in points: 0 to 1/4 for consistent moments.
    #[inline]
    fn variance(self) -> f32 {
        let samples = (self.samples as f32).max(1.0);
        let mean = self.half_points as f32 / (2.0 * samples);
        (self.squares as f32 / (4.0 * samples) - mean * mean).max(0.0)
    }
}

impl SelectionPolicy for Ucb1Tuned {
    #[inline]
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        if edge.visits > 0.0 {
            let share = parent.ln_visits / edge.visits;
            let bound = Moments::unpack(edge.state).variance() + (2.0 * share).sqrt();
            edge.value + self.exploration * (share * bound.min(0.25)).sqrt()
        } else {
            f32::INFINITY
        }
    }

    fn uses_state(&self) -> bool {
        true
    }

    fn update(&self, state: &[AtomicU64], chosen: usize, half_points: u32) {
        let moments = Moments::unpack(state[chosen].load(Relaxed)).with_sample(u64::from(half_points.min(2)));
        state[chosen].store(moments.pack(), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_keeps_moments_and_never_overflows() {
        let state = [AtomicU64::new(0)];
        let policy = Ucb1Tuned { exploration: 1.0 };
        for half_points in [2, 2, 1, 0] {
            policy.update(&state, 0, half_points);
        }
        let moments = Moments::unpack(state[0].load(Relaxed));
        assert_eq!(moments, Moments { samples: 4, half_points: 5, squares: 9 });
        // 9/16 - (5/8)² = 0.5625 - 0.390625
        assert!((moments.variance() - 0.171_875).abs() < 1e-6);
        for _ in 0..3_000_000 {
            policy.update(&state, 0, 2);
        }
        let moments = Moments::unpack(state[0].load(Relaxed));
        assert!(moments.samples > MAX_SAMPLES / 2 && moments.variance() < 1e-3, "{moments:?}");
    }

    #[test]
    fn damaged_words_give_numbers() {
        let policy = Ucb1Tuned { exploration: 1.0 };
        for word in [u64::MAX, 1, u64::MAX << 20, 0x5555_5555_5555_5555] {
            let edge = EdgeView { visits: 1.0, value: 0.5, state: word, ..EdgeView::default() };
            assert!(policy.score(&ParentView::new(10.0), &edge).is_finite());
        }
    }
}
