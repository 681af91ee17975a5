//! Statistics of game results: shares of points with intervals, Elo differences, rankings, sequential tests.
//!
//! With a komi in half points there are no draws, and the unit is the *pair*: two games from one opening with colours
//! exchanged. An opening that favours a colour makes the two games differ, so their sum varies less than that of two
//! independent games. All variances are taken from pairs.

mod interval;
mod knee;
mod pairs;
mod ranking;
mod sign;
mod sprt;

pub use interval::{Interval, wilson};
pub use knee::{Saturation, StrengthMeasurement, knee, smallest_indistinguishable};
pub use pairs::PairCounts;
pub use ranking::{Meeting, Ranking};
pub use sign::sign_test;
pub use sprt::{Sprt, SprtDecision, SprtRun, SprtVerdict};

use statrs::distribution::{ContinuousCDF, Normal};

/// Returns the Elo difference at which `score` is the expected share of points: 400·log10(score / (1 - score)).
/// Infinite at 0 and 1.
///
/// Source: A. Elo, "The Rating of Chessplayers" (1978), with the logistic curve.
#[must_use]
pub fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Returns the expected share of points at an Elo difference: the inverse of [`elo`].
#[must_use]
pub fn score_at(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Returns the standard normal distribution function Φ(x).
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

/// Returns the two-sided 95 % quantile of the standard normal distribution: 1.959964.
#[must_use]
pub fn two_sided_95() -> f64 {
    Normal::standard().inverse_cdf(0.975)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_and_score_are_inverse() {
        assert_eq!(elo(0.5), 0.0);
        // A tenfold advantage is 400 points.
        assert!((elo(10.0 / 11.0) - 400.0).abs() < 1e-9);
        assert!((score_at(elo(0.7)) - 0.7).abs() < 1e-12);
        assert_eq!((elo(0.0), elo(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        assert!((two_sided_95() - 1.959_964).abs() < 1e-6);
        assert!((normal_cdf(1.644_854) - 0.95).abs() < 1e-6);
    }
}
