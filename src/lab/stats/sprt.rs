//! The sequential probability ratio test (SPRT): games are added until one of two Elo differences is accepted.

use super::pairs::PairTally;
use super::{PairCounts, score_at};
use serde::Serialize;

/// Number of pairs added to each kind, so that a kind not yet seen does not have probability 0. Fishtest does the same.
const PSEUDO_COUNT: f64 = 1e-3;
/// Bisections of the interval of the multiplier: more than a double has bits.
const BISECTIONS: usize = 100;

/// A test of the Elo difference `elo1` against `elo0`, on pairs of games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The Elo difference under H0, which counts as no improvement.
    pub elo0: f64,
    /// The Elo difference under H1; greater than `elo0`.
    pub elo1: f64,
    /// The probability of accepting H1 although H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 although H1 is true.
    pub beta: f64,
}

/// The state of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum SprtVerdict {
    /// `elo0` is accepted.
    H0,
    /// `elo1` is accepted.
    H1,
    /// More games are needed.
    #[serde(rename = "undecided")]
    Undecided,
}

impl Sprt {
    /// Returns the log-likelihood ratios at which H0 and H1 are accepted: ln(β/(1-α)) and ln((1-β)/α).
    ///
    /// Source: A. Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16
    /// (1945).
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// Returns the generalised log-likelihood ratio of the complete pairs, in logistic Elo; games without a partner
    /// do not count.
    ///
    /// Under each hypothesis the distribution of a pair's points is the maximum-likelihood one with the mean s: for
    /// counts n_i of shares x_i it is p_i = n_i / (n·(1 + λ(x_i - s))), where λ makes the mean s. The ratio is Σ
    /// n_i·ln(p1_i / p0_i).
    ///
    /// Source: M. Van den Bergh, "The generalized sequential probability ratio test for multinomial
    /// distributions" (2019), proposition 1.1; A. B. Owen, "Empirical Likelihood" (2001), section 2.
    #[must_use]
    pub fn log_likelihood_ratio(&self, counts: &PairCounts) -> f64 {
        let weights = counts.pairs.map(|count| count as f64 + PSEUDO_COUNT);
        let [one, zero] = [self.elo1, self.elo0].map(score_at);
        let [lambda1, lambda0] = [one, zero].map(|score| multiplier(&weights, score));
        let term = |(index, weight): (usize, f64)| {
            let share = index as f64 / 4.0;
            weight * ((1.0 + lambda0 * (share - zero)) / (1.0 + lambda1 * (share - one))).ln()
        };
        weights.into_iter().enumerate().map(term).sum()
    }

    /// Returns the hypothesis accepted at the ratio of `counts`, if any.
    #[must_use]
    pub fn verdict(&self, counts: &PairCounts) -> SprtVerdict {
        let ratio = self.log_likelihood_ratio(counts);
        let [low, high] = self.bounds();
        if ratio <= low {
            SprtVerdict::H0
        } else if ratio >= high {
            SprtVerdict::H1
        } else {
            SprtVerdict::Undecided
        }
    }
}

/// A running test. It is decided once, at the first crossing of a bound in the order in which games end.
#[derive(Clone, Debug)]
pub struct SprtRun {
    /// The test.
    pub test: Sprt,
    tally: PairTally,
    games: usize,
    decision: Option<SprtDecision>,
}

/// The first crossing of a bound. Games that end later do not change it: a test that could become undecided again
/// would not keep its error rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtDecision {
    /// The accepted hypothesis.
    pub verdict: SprtVerdict,
    /// The number of games that had ended by then, those of incomplete pairs included.
    pub games: usize,
    /// The log-likelihood ratio at that moment.
    pub log_likelihood_ratio: f64,
}

impl SprtRun {
    /// Returns a test without games.
    #[must_use]
    pub fn new(test: Sprt) -> SprtRun {
        SprtRun { test, tally: PairTally::default(), games: 0, decision: None }
    }

    /// Adds the next game that ended: the number of its pair and the half-points of the first side.
    pub fn add(&mut self, pair: u64, half_points: u32) {
        self.games += 1;
        if self.tally.add(pair, half_points) && self.decision.is_none() {
            self.decision = self.decide();
        }
    }

    fn decide(&self) -> Option<SprtDecision> {
        let verdict = self.test.verdict(&self.tally.complete);
        let log_likelihood_ratio = self.test.log_likelihood_ratio(&self.tally.complete);
        let decision = SprtDecision { verdict, games: self.games, log_likelihood_ratio };
        (verdict != SprtVerdict::Undecided).then_some(decision)
    }

    /// Returns the number of games added.
    #[must_use]
    pub fn games(&self) -> usize {
        self.games
    }

    /// Returns the decision, once a bound has been crossed.
    #[must_use]
    pub fn decision(&self) -> Option<SprtDecision> {
        self.decision
    }
}

/// Returns the λ at which the reweighted mean of the shares is `score`: the root of Σ w_i·(x_i - s)/(1 + λ(x_i - s)),
/// which falls with λ between its poles.
fn multiplier(weights: &[f64; 5], score: f64) -> f64 {
    let excess = |lambda: f64| -> f64 {
        let term = |(index, weight): (usize, &f64)| {
            let distance = index as f64 / 4.0 - score;
            weight * distance / (1.0 + lambda * distance)
        };
        weights.iter().enumerate().map(term).sum()
    };
    // Every probability must stay positive: 1 + λ(x - s) > 0 at x = 0 and x = 1.
    let (mut low, mut high) = (-1.0 / (1.0 - score), 1.0 / score);
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::stats::score_at;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    fn sprt(elo0: f64, elo1: f64) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// Two tests of Stockfish (its pull request 3273), published with their counts.
    #[test]
    fn the_ratio_is_that_of_published_tests() {
        for (elo0, elo1, pairs, published) in
            [(-0.25, 1.25, [292, 5905, 28939, 6129, 299], 2.95), (0.25, 1.25, [5, 418, 6043, 506, 12], 2.92)]
        {
            let ratio = sprt(elo0, elo1).log_likelihood_ratio(&PairCounts { pairs, singles: [0; 3] });
            assert!((ratio - published).abs() < 0.015, "{ratio}, published {published}");
        }
    }

    #[test]
    fn bounds_are_walds() {
        let [low, high] = sprt(0.0, 10.0).bounds();
        assert!((low + 2.944_439).abs() < 1e-6 && (high - 2.944_439).abs() < 1e-6);
    }

    #[test]
    fn one_sided_and_empty_counts_are_numbers() {
        for pairs in [[0; 5], [0, 0, 0, 0, 9], [9, 0, 0, 0, 0], [0, 0, 9, 0, 0]] {
            let ratio = sprt(0.0, 50.0).log_likelihood_ratio(&PairCounts { pairs, singles: [0; 3] });
            assert!(ratio.is_finite(), "{pairs:?}");
        }
        let won = PairCounts { pairs: [0, 0, 0, 0, 30], singles: [0; 3] };
        assert_eq!(sprt(0.0, 50.0).verdict(&won), SprtVerdict::H1);
    }

    #[test]
    fn decision_does_not_change_after_later_games() {
        let mut run = SprtRun::new(sprt(0.0, 100.0));
        let mut pair = 0;
        while run.decision().is_none() {
            // Pairs are lost and split in turn.
            for half_points in [0, 2 * (pair % 2) as u32] {
                run.add(pair, half_points);
            }
            pair += 1;
        }
        let decided = run.decision().expect("a decision");
        assert_eq!((decided.verdict, decided.games), (SprtVerdict::H0, run.games()));
        let [low, _] = run.test.bounds();
        assert!(decided.log_likelihood_ratio <= low);
        for pair in pair..pair + 4 {
            run.add(pair, 2);
            run.add(pair, 2);
        }
        assert_eq!(run.test.verdict(&run.tally.complete), SprtVerdict::Undecided);
        assert_eq!(run.decision(), Some(decided));
    }

    /// Returns the share of 300 tests that accept H1 when each pair is two independent games at `elo`.
    fn share_accepted(elo: f64) -> f64 {
        let test = sprt(0.0, 40.0);
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut accepted = 0;
        for _ in 0..300 {
            let mut counts = PairCounts::default();
            let verdict = loop {
                let won = |rng: &mut ChaCha8Rng| {
                    usize::from((rng.next_u32() as f64) < score_at(elo) * 4_294_967_296.0)
                };
                counts.pairs[2 * (won(&mut rng) + won(&mut rng))] += 1;
                match test.verdict(&counts) {
                    SprtVerdict::Undecided => {}
                    verdict => break verdict,
                }
            };
            accepted += u32::from(verdict == SprtVerdict::H1);
        }
        f64::from(accepted) / 300.0
    }

    #[test]
    fn error_rates_are_what_was_asked_for() {
        // 5 % ± 3 standard errors of 300 tests.
        assert!(share_accepted(0.0) < 0.09);
        assert!(share_accepted(40.0) > 0.91);
    }
}
