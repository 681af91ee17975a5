//! Exponentials and logistic functions in integers, which turn a network's outputs into probabilities.
//!
//! The last bit of a platform's `exp` may differ, and these numbers decide moves.

use super::layer::OUTPUT_PLACES;
use crate::base::value::Value;
use std::sync::OnceLock;

/// The integer that represents probability 1.
pub const PROBABILITY_ONE: u32 = 1 << 24;

/// Number of steps in the table of powers.
const STEPS: usize = 256;
/// Binary places of powers.
const PLACES: u32 = 30;
/// Logarithm of e to base 2, with [`OUTPUT_PLACES`].
const LOG2_E: i64 = 5909;

/// Returns 2^-x for `x >= 0`, both with binary places: `x` with [`OUTPUT_PLACES`], the result with 30.
///
/// Interpolates linearly between the steps of a table: the error is below a millionth.
fn power(x: i64) -> u64 {
    static TABLE: OnceLock<[u32; STEPS + 1]> = OnceLock::new();
    // Computed in software, for the same bits on every processor.
    let entry = |i: usize| (libm::exp2(-(i as f64) / STEPS as f64) * f64::from(1 << PLACES)).round() as u32;
    let table = TABLE.get_or_init(|| std::array::from_fn(entry));
    let (whole, part) = (x >> OUTPUT_PLACES, (x & ((1 << OUTPUT_PLACES) - 1)) as usize);
    if whole > 62 {
        return 0;
    }
    let fine = (1 << OUTPUT_PLACES) / STEPS;
    let (step, between) = (part / fine, (part % fine) as u64);
    let (one, next) = (u64::from(table[step]), u64::from(table[step + 1]));
    (one - (one - next) * between / fine as u64) >> whole
}

/// Returns e^-x for `x >= 0` with [`OUTPUT_PLACES`]; the result has 30 binary places.
fn exponential(x: i64) -> u64 {
    power((x.min(1 << 40) * LOG2_E) >> OUTPUT_PLACES)
}

/// Returns `factor * 2^x`, with [`OUTPUT_PLACES`] as `x`, which is clamped to `least..=5`; `least` is a whole number.
pub(super) fn scaled_power(factor: i64, x: i32, least: i32) -> i64 {
    let one = 1 << OUTPUT_PLACES;
    let x = i64::from(x.clamp(least * one, 5 * one));
    // Computed as 2^5 times a power with an exponent of at most 0.
    let below = power(5 * i64::from(one) - x) as i64;
    (factor * 32 * below) >> (PLACES as i32 - OUTPUT_PLACES)
}

/// Converts logits with 12 binary places into probabilities in units of 1/[`PROBABILITY_ONE`]. Moves that are not
/// legal get 0. The probabilities sum to [`PROBABILITY_ONE`], except for rounding down.
pub fn softmax(logits: &[i32], is_legal: impl Fn(usize) -> bool, probabilities: &mut [u32]) {
    let legal = || logits.iter().enumerate().filter(|&(number, _)| is_legal(number)).map(|(_, &logit)| logit);
    let Some(largest) = legal().max() else {
        probabilities.fill(0);
        return;
    };
    let weight = |logit: i32| exponential(i64::from(largest) - i64::from(logit));
    let sum: u64 = legal().map(weight).sum();
    for (number, (probability, &logit)) in probabilities.iter_mut().zip(logits).enumerate() {
        *probability =
            if is_legal(number) { (weight(logit) * u64::from(PROBABILITY_ONE) / sum) as u32 } else { 0 };
    }
}

/// Returns 1 / (1 + e^-x) for `x` with 12 binary places.
#[must_use]
pub fn logistic(x: i64) -> Value {
    let small = exponential(x.abs());
    let one = 1_u64 << PLACES;
    let winning = (one * u64::from(u32::MAX) / (one + small)) as u32;
    if x < 0 { Value(winning).other() } else { Value(winning) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_right_to_three_parts_in_ten_thousand() {
        for x in (0..60_000).step_by(7) {
            let exact = (-f64::from(x) / 4096.0).exp();
            let error = exponential(i64::from(x)) as f64 / f64::from(1 << PLACES) - exact;
            // The logarithm of e has only 12 places, so the exponent is off by up to 7 parts in 100,000.
            assert!(error.abs() < 3e-4, "{x}: {error}");
        }
        assert_eq!(exponential(i64::MAX), 0);
    }

    #[test]
    fn chances_sum_to_certainty_and_forbidden_moves_have_none() {
        let logits = [4096, 0, -4096, 1 << 30, i32::MIN];
        let mut probabilities = [7; 5];
        softmax(&logits, |number| number != 3, &mut probabilities);
        let exact = [0.6652, 0.2447, 0.0900, 0.0, 0.0];
        for (probability, exact) in probabilities.iter().zip(exact) {
            assert!(
                (f64::from(*probability) / f64::from(PROBABILITY_ONE) - exact).abs() < 1e-3,
                "{probabilities:?}"
            );
        }
        assert!(probabilities.iter().sum::<u32>() <= PROBABILITY_ONE);
        softmax(&logits, |_| false, &mut probabilities);
        assert_eq!(probabilities, [0; 5]);
    }

    #[test]
    fn the_logistic_function_is_symmetric() {
        assert_eq!(logistic(0).0 >> 30, 1);
        for x in [1, 4096, 100_000, i64::from(i32::MAX)] {
            assert_eq!(logistic(x), logistic(-x).other());
        }
        assert!((logistic(4096).as_f64() - 0.7311).abs() < 1e-3);
    }

    #[test]
    fn powers_of_the_spread_are_right() {
        for (x, exact) in [(0, 8.0), (4096, 16.0), (-4096, 4.0), (2048, 11.3137), (1 << 30, 256.0)] {
            let found = scaled_power(8, x, -3) as f64 / 4096.0;
            assert!((found - exact).abs() < 1e-3 * exact, "{x}: {found}");
        }
        assert_eq!(scaled_power(8, -(1 << 30), -3), 1 << OUTPUT_PLACES);
        assert_eq!(scaled_power(8, -(1 << 30), -6), 1 << (OUTPUT_PLACES - 3));
    }
}
