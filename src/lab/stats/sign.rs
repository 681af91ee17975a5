//! The sign test.

use statrs::distribution::{Binomial, DiscreteCDF};

/// Returns the two-sided p-value of the exact sign test: the probability that `one + other` fair coins split at least
/// as unevenly. This is McNemar's test in its exact form, with `one` and `other` the numbers of cases in which only
/// one of two runs succeeded.
///
/// Source: Q. McNemar, "Note on the sampling error of the difference between correlated proportions or
/// percentages", Psychometrika 12 (1947).
#[must_use]
pub fn sign_test(one: u64, other: u64) -> f64 {
    Binomial::new(0.5, one + other).map_or(1.0, |binomial| (2.0 * binomial.cdf(one.min(other))).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probabilities_are_those_of_coins() {
        assert_eq!(sign_test(0, 0), 1.0);
        assert_eq!(sign_test(3, 3), 1.0);
        // Five of five: 2/32.
        assert!((sign_test(5, 0) - 0.0625).abs() < 1e-12);
        // At most one of ten: 2·(1 + 10)/1024.
        assert!((sign_test(1, 9) - 22.0 / 1024.0).abs() < 1e-12);
    }
}
