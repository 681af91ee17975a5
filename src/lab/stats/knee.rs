//! A saturating curve fitted to measured strengths, and its knee: the x above which strength hardly grows.

use super::Interval;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use statrs::distribution::{ContinuousCDF, Normal};

/// Bootstrap resamplings for the interval of the knee.
const RESAMPLINGS: usize = 1000;
/// Seed of the resamplings, fixed so that the same measurements have the same interval.
const SEED: u64 = 20_260_211;
/// Lowest and highest saturation rate tried, in 1/unit of x: an e-fold approach to the plateau in 20 units, or in a
/// tenth of a unit.
const RATE_RANGE: (f64, f64) = (0.05, 10.0);
/// Steps of the search for the rate, evenly spaced in its logarithm.
const RATE_STEPS: usize = 400;
/// Share outside a 95 % interval on each side.
const TAIL: f64 = 0.025;

/// A strength measured at one x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrengthMeasurement {
    /// The independent variable, for example log2 of a table size.
    pub x: f64,
    /// The strength in Elo.
    pub elo: f64,
    /// The standard error of the strength, in Elo; positive.
    pub standard_error: f64,
}

/// The saturating curve elo(x) = plateau - drop·exp(-rate·(x - start)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saturation {
    /// The limit for large x, in Elo.
    pub plateau: f64,
    /// The distance below the plateau at `start`, in Elo; not negative.
    pub drop: f64,
    /// The rate of approach to the plateau, in 1/unit of x; positive.
    pub rate: f64,
    /// The smallest x measured.
    pub start: f64,
}

impl Saturation {
    /// Returns the strength at `x`, in Elo.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.plateau - self.drop * (-self.rate * (x - self.start)).exp()
    }

    /// Returns the x at which the curve lies `below` Elo under the plateau. It is less than `start` if the whole
    /// fitted range lies nearer, and negative infinity for a flat curve.
    #[must_use]
    pub fn x_below(&self, below: f64) -> f64 {
        if self.drop <= 0.0 { f64::NEG_INFINITY } else { self.start + (self.drop / below).ln() / self.rate }
    }

    /// Fits the curve by least squares, weighted by the standard errors; `None` with fewer than four usable points.
    /// The rate is searched on a grid; plateau and drop follow by linear regression.
    #[must_use]
    pub fn fit(points: &[StrengthMeasurement]) -> Option<Saturation> {
        let points: Vec<StrengthMeasurement> = points.iter().copied().filter(is_usable).collect();
        if points.len() < 4 {
            return None;
        }
        let start = points.iter().map(|point| point.x).fold(f64::INFINITY, f64::min);
        let rates = (0..=RATE_STEPS).map(|step| {
            let (low, high) = (RATE_RANGE.0.ln(), RATE_RANGE.1.ln());
            (low + (high - low) * step as f64 / RATE_STEPS as f64).exp()
        });
        let fits = rates.map(|rate| fit_at(&points, start, rate));
        let (_, best) = fits.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
        Some(best)
    }
}

fn is_usable(point: &StrengthMeasurement) -> bool {
    point.x.is_finite()
        && point.elo.is_finite()
        && point.standard_error.is_finite()
        && point.standard_error > 0.0
}

/// Returns the best curve of one rate and its weighted sum of squares: a linear regression on exp(-rate·(x - start)).
fn fit_at(points: &[StrengthMeasurement], start: f64, rate: f64) -> (f64, Saturation) {
    let weighted = || {
        points.iter().map(|point| {
            let weight = point.standard_error.powi(-2);
            (weight, (-rate * (point.x - start)).exp(), point.elo)
        })
    };
    let total: f64 = weighted().map(|(weight, ..)| weight).sum();
    let mean_decay = weighted().map(|(weight, decay, _)| weight * decay).sum::<f64>() / total;
    let mean_elo = weighted().map(|(weight, _, elo)| weight * elo).sum::<f64>() / total;
    let spread: f64 = weighted().map(|(weight, decay, _)| weight * (decay - mean_decay).powi(2)).sum();
    let together: f64 =
        weighted().map(|(weight, decay, elo)| weight * (decay - mean_decay) * (elo - mean_elo)).sum();
    // Strength does not fall as x grows: at worst the curve is flat.
    let drop = if spread > 0.0 { (-together / spread).max(0.0) } else { 0.0 };
    let curve = Saturation { plateau: mean_elo + drop * mean_decay, drop, rate, start };
    let squares = points.iter().map(|point| ((point.elo - curve.at(point.x)) / point.standard_error).powi(2));
    (squares.sum(), curve)
}

/// Returns the smallest x with a strength not significantly below the best (two-sided, 95 %); `None` without usable
/// points.
#[must_use]
pub fn smallest_indistinguishable(points: &[StrengthMeasurement]) -> Option<f64> {
    let usable = || points.iter().filter(|point| is_usable(point));
    let best = usable().max_by(|one, other| one.elo.total_cmp(&other.elo))?;
    let as_good = usable().filter(|point| {
        let error = best.standard_error.hypot(point.standard_error);
        point.x == best.x || best.elo - point.elo < super::two_sided_95() * error
    });
    as_good.map(|point| point.x).min_by(f64::total_cmp)
}

/// Returns the x at which the fitted curve lies `below` Elo under its plateau, with a 95 % interval from a parametric
/// bootstrap: each strength is resampled within its standard error. `None` with fewer than four usable points.
///
/// Source: B. Efron & R. Tibshirani, "An Introduction to the Bootstrap" (1993), sections 6.5 and 13.3.
#[must_use]
pub fn knee(points: &[StrengthMeasurement], below: f64) -> Option<Interval> {
    let estimate = Saturation::fit(points)?.x_below(below);
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let normal = Normal::standard();
    let mut found: Vec<f64> = (0..RESAMPLINGS)
        .filter_map(|_| {
            let resampled: Vec<StrengthMeasurement> = points
                .iter()
                .map(|point| {
                    let noise = normal.inverse_cdf(uniform(&mut rng));
                    StrengthMeasurement { elo: point.elo + noise * point.standard_error, ..*point }
                })
                .collect();
            Saturation::fit(&resampled).map(|curve| curve.x_below(below))
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found.get((share * (found.len().max(1) - 1) as f64).round() as usize).copied();
    Some(Interval { estimate, low: at(TAIL)?, high: at(1.0 - TAIL)? })
}

/// Returns a uniform random number in the open interval (0, 1).
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns ten points on a known curve, without noise.
    fn on_curve(curve: &Saturation, error: f64) -> Vec<StrengthMeasurement> {
        (0..10)
            .map(|step| curve.start + f64::from(step))
            .map(|x| StrengthMeasurement { x, elo: curve.at(x), standard_error: error })
            .collect()
    }

    #[test]
    fn a_curve_is_found_again() {
        let curve = Saturation { plateau: 5.0, drop: 320.0, rate: std::f64::consts::LN_2, start: 14.0 };
        let found = Saturation::fit(&on_curve(&curve, 10.0)).unwrap();
        assert!((found.plateau - 5.0).abs() < 1.0 && (found.drop - 320.0).abs() < 2.0, "{found:?}");
        // The distance halves with every unit: 320, 160, 80, 40, 20, 10 after five.
        assert!((found.x_below(10.0) - 19.0).abs() < 0.05, "{found:?}");
    }

    #[test]
    fn the_knee_lies_in_its_interval_which_grows_with_the_errors() {
        let curve = Saturation { plateau: 0.0, drop: 320.0, rate: std::f64::consts::LN_2, start: 14.0 };
        let [sharp, vague] = [5.0, 20.0].map(|error| knee(&on_curve(&curve, error), 10.0).unwrap());
        for found in [sharp, vague] {
            assert!(
                found.low < 19.0 && 19.0 < found.high && (found.estimate - 19.0).abs() < 0.05,
                "{found:?}"
            );
        }
        assert!(vague.high - vague.low > 2.0 * (sharp.high - sharp.low));
        assert_eq!(knee(&on_curve(&curve, 5.0), 10.0), Some(sharp), "the same every time");
    }

    #[test]
    fn the_smallest_that_is_as_good_as_the_best() {
        let point = |x, elo| StrengthMeasurement { x, elo, standard_error: 10.0 };
        // 1.96·sqrt(200) = 27.7.
        let points = [
            point(14.0, -100.0),
            point(15.0, -28.0),
            point(16.0, -27.0),
            point(17.0, 0.0),
            point(18.0, -5.0),
        ];
        assert_eq!(smallest_indistinguishable(&points), Some(16.0));
        assert_eq!(smallest_indistinguishable(&[]), None);
        assert_eq!(knee(&points[..3], 10.0), None);
    }

    #[test]
    fn a_flat_line_has_no_knee_and_infinite_points_are_left_out() {
        let flat = Saturation { plateau: 3.0, drop: 0.0, rate: 1.0, start: 10.0 };
        let mut points = on_curve(&flat, 1.0);
        points.push(StrengthMeasurement { x: 9.0, elo: f64::NEG_INFINITY, standard_error: 1.0 });
        let found = Saturation::fit(&points).unwrap();
        assert!((found.at(12.0) - 3.0).abs() < 1e-9 && found.x_below(10.0) < 10.0, "{found:?}");
    }
}
