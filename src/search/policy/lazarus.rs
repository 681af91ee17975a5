//! Lazarus: greedy selection with decaying samples.

use super::{EdgeView, ParentView, SelectionPolicy, loaded};
use crate::base::value::Value;
use crate::table::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Lazarus: always the move with the highest f = (r + N) / (s + N), where r sums its results as ±1 and s counts its
/// samples. After every simulation r and s of all moves of each position on the path are multiplied by a constant just
/// below 1, so that recent results count most, and every move is tried again from time to time.
///
/// A version in the source has no decay (`degrade` 1); its N grows with the samples of the most sampled move (`scale`).
/// The search ends when the best move is also the most sampled; otherwise it continues to twice its budget (a "long
/// timeout" in the source) and plays the most sampled.
///
/// The constants are not given in the source. The policy state of an edge is r and s, both fractional.
///
/// Source: D. Dailey, "Experiments with UCT", computer-go list, 25 July 2006.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lazarus {
    /// N, positive; used where `scale` is 0.
    pub constant: f32,
    /// N as a multiple of the samples of the most sampled move; 0 disables it.
    pub scale: f32,
    /// Factor applied to r and s after each simulation; 1 disables the decay.
    pub degrade: f32,
}

/// The policy state of an edge: r and s.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Samples {
    results: f32,
    count: f32,
}

impl Samples {
    #[inline]
    fn unpack(word: u64) -> Samples {
        let (results, count) = (f32::from_bits(word as u32), f32::from_bits((word >> 32) as u32));
        // A damaged word must not become a NaN, which is not a valid score.
        let count = if count > 0.0 && count < f32::MAX { count } else { 0.0 };
        let results = if results.abs() <= count { results } else { 0.0 };
        Samples { results, count }
    }

    #[inline]
    fn pack(self) -> u64 {
        u64::from(self.results.to_bits()) | u64::from(self.count.to_bits()) << 32
    }
}

impl Lazarus {
    /// Returns N for the samples of the most sampled move. They count as 1 at least, since f needs a positive N.
    fn weight(&self, most_samples: f32) -> f32 {
        if self.scale > 0.0 { self.scale * most_samples.max(1.0) } else { self.constant }
    }

    fn f(&self, samples: Samples, weight: f32) -> f32 {
        (samples.results + weight) / (samples.count + weight)
    }
}

fn most_samples(state: impl Iterator<Item = u64>) -> f32 {
    state.map(|word| Samples::unpack(word).count).fold(0.0, f32::max)
}

impl SelectionPolicy for Lazarus {
    #[inline]
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        // The other moves' samples are unknown here, so N scales with the parent's visits; `score_all` uses the
        // samples.
        self.f(Samples::unpack(edge.state), self.weight(parent.visits))
    }

    fn score_all(&self, _: &ParentView, edges: &super::EdgeColumns<'_>, scores: &mut [f32]) {
        let state = &edges.state[..scores.len()];
        let weight = self.weight(if self.scale > 0.0 { most_samples(state.iter().copied()) } else { 0.0 });
        for (score, &word) in scores.iter_mut().zip(state) {
            *score = self.f(Samples::unpack(word), weight);
        }
    }

    fn uses_state(&self) -> bool {
        true
    }

    fn update(&self, state: &[AtomicU64], chosen: usize, half_points: u32) {
        let mut samples = Samples::unpack(state[chosen].load(Relaxed));
        // `f32` counts in single steps up to 2^24: at 2^23 the earlier results are halved.
        if samples.count >= (1 << 23) as f32 {
            samples = Samples { results: samples.results / 2.0, count: samples.count / 2.0 };
        }
        samples.results += half_points.min(2) as f32 - 1.0;
        samples.count += 1.0;
        state[chosen].store(samples.pack(), Relaxed);
        if self.degrade < 1.0 {
            for word in state {
                let Samples { results, count } = Samples::unpack(word.load(Relaxed));
                let faded = Samples { results: results * self.degrade, count: count * self.degrade };
                word.store(faded.pack(), Relaxed);
            }
        }
    }

    fn is_settled(&self, state: &[AtomicU64], candidates: &dyn Fn(usize) -> bool) -> bool {
        let weight = self.weight(most_samples(loaded(state).map(|(_, word)| word)));
        let samples = || {
            let in_question = loaded(state).filter(|&(index, _)| candidates(index));
            in_question.map(|(_, word)| Samples::unpack(word)).filter(|samples| samples.count > 0.0)
        };
        let best = samples().map(|samples| self.f(samples, weight)).fold(f32::NEG_INFINITY, f32::max);
        let most = samples().map(|samples| samples.count).fold(0.0, f32::max);
        samples().any(|samples| self.f(samples, weight) >= best && samples.count >= most)
    }

    fn plays_most_visited(&self) -> bool {
        false
    }

    fn final_rank(&self, _: u64, _: Value, state: u64) -> f64 {
        f64::from(Samples::unpack(state).count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(results: f32, count: f32) -> u64 {
        Samples { results, count }.pack()
    }

    fn state(samples: &[(f32, f32)]) -> Vec<AtomicU64> {
        samples.iter().map(|&(results, count)| AtomicU64::new(word(results, count))).collect()
    }

    #[test]
    fn everything_fades_after_each_simulation() {
        let policy = Lazarus { constant: 10.0, scale: 0.0, degrade: 0.5 };
        let state = state(&[(3.0, 9.0), (-2.0, 4.0), (0.0, 0.0)]);
        policy.update(&state, 1, 2);
        let found: Vec<Samples> = loaded(&state).map(|(_, word)| Samples::unpack(word)).collect();
        // (3, 9)/2, (-2 + 1, 4 + 1)/2, and an edge without samples.
        assert_eq!(
            found,
            [(1.5, 4.5), (-0.5, 2.5), (0.0, 0.0)].map(|(results, count)| Samples { results, count })
        );
        Lazarus { degrade: 1.0, ..policy }.update(&state, 0, 0);
        assert_eq!(Samples::unpack(state[0].load(Relaxed)), Samples { results: 0.5, count: 5.5 });
        assert_eq!(Samples::unpack(state[1].load(Relaxed)), Samples { results: -0.5, count: 2.5 });
    }

    #[test]
    fn the_root_is_settled_when_the_best_is_the_most_sampled() {
        let policy = Lazarus { constant: 2.0, scale: 0.0, degrade: 1.0 };
        let everything = |_: usize| true;
        // f: (6+2)/(10+2) = 0.667, (3+2)/(4+2) = 0.833.
        let open = state(&[(6.0, 10.0), (3.0, 4.0)]);
        assert!(!policy.is_settled(&open, &everything));
        assert!(policy.is_settled(&open, &|index| index == 0));
        // f: 0.667, (1+2)/(4+2) = 0.5. An untried move has f = 1 and is ignored.
        assert!(policy.is_settled(&state(&[(6.0, 10.0), (1.0, 4.0), (0.0, 0.0)]), &everything));
    }

    #[test]
    fn n_is_a_constant_or_grows_with_the_most_sampled() {
        let zeros = [0.0; 2];
        let columns = |state| super::super::EdgeColumns {
            visits: &zeros,
            value: &zeros,
            amaf_visits: &zeros,
            amaf_wins: &zeros,
            prior_visits: &zeros,
            prior_wins: &zeros,
            state,
        };
        let state = [word(6.0, 10.0), word(-1.0, 4.0)];
        let mut scores = [0.0; 2];
        let parent = ParentView::new(14.0);
        Lazarus { constant: 2.0, scale: 0.0, degrade: 1.0 }.score_all(&parent, &columns(&state), &mut scores);
        assert_eq!(scores, [8.0 / 12.0, 1.0 / 6.0]);
        // N = 0.5·10.
        Lazarus { constant: 2.0, scale: 0.5, degrade: 1.0 }.score_all(&parent, &columns(&state), &mut scores);
        assert_eq!(scores, [11.0 / 15.0, 4.0 / 9.0]);
    }

    #[test]
    fn damaged_words_give_numbers() {
        let policy = Lazarus { constant: 2.0, scale: 0.0, degrade: 0.99 };
        for bits in [u64::MAX, f64::NAN.to_bits(), 0x7f80_0000_7f80_0000, 0xff80_0000, 1 << 63] {
            let edge = EdgeView { state: bits, ..EdgeView::default() };
            assert!(policy.score(&ParentView::new(1.0), &edge).is_finite(), "{bits:x}");
        }
    }
}
