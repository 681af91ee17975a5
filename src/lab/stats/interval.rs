//! Confidence intervals.

use super::{elo, two_sided_95};
use std::fmt;

/// An estimate with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Interval {
    /// The point estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Converts a share of points to Elo differences, infinite where the share is 0 or 1.
    #[must_use]
    pub fn to_elo(self) -> Interval {
        Interval { estimate: elo(self.estimate), low: elo(self.low), high: elo(self.high) }
    }
}

impl fmt::Display for Interval {
    /// Writes the values with a sign and one digit, the format of Elo differences.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.1} [{:+.1}, {:+.1}]", self.estimate, self.low, self.high)
    }
}

/// Returns Wilson's 95 % interval of a share, from `successes` in `trials`, neither necessarily whole. Without trials
/// the interval is 0 to 1.
///
/// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
/// American Statistical Association 22 (1927).
#[must_use]
pub fn wilson(successes: f64, trials: f64) -> Interval {
    if trials <= 0.0 {
        return Interval { estimate: 0.5, low: 0.0, high: 1.0 };
    }
    let z = two_sided_95();
    let share = successes / trials;
    let shrunk = 1.0 + z * z / trials;
    let centre = (share + z * z / (2.0 * trials)) / shrunk;
    let half = z * (share * (1.0 - share) / trials + z * z / (4.0 * trials * trials)).sqrt() / shrunk;
    // Rounding would move these two ends off 0 and 1.
    let low = if successes <= 0.0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if successes >= trials { 1.0 } else { (centre + half).min(1.0) };
    Interval { estimate: share, low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17
    /// (1998), table I, method 3.
    #[test]
    fn wilson_is_the_published_one() {
        for (successes, trials, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
            (29.0, 29.0, 0.8830, 1.0),
        ] {
            let found = wilson(successes, trials);
            assert!((found.low - low).abs() < 5e-5 && (found.high - high).abs() < 5e-5, "{found:?}");
        }
        assert_eq!(wilson(0.0, 0.0), Interval { estimate: 0.5, low: 0.0, high: 1.0 });
    }

    #[test]
    fn elo_intervals_say_infinity_in_a_word() {
        assert_eq!(wilson(10.0, 10.0).to_elo().to_string(), "+inf [+166.2, +inf]");
        assert_eq!(wilson(50.0, 100.0).to_elo().to_string(), "+0.0 [-67.7, +67.7]");
    }
}
