//! The expected final score of a position, as stored in two words of its page.
//!
//! | bits   | field     | meaning                                                            |
//! |--------|-----------|--------------------------------------------------------------------|
//! | 0..28  | mean      | Black's points before komi, in units of 2^-17, plus 2^27           |
//! | 28..46 | deviation | standard deviation of the final score, in units of 2^-9            |
//! | 46..64 | weight    | weight of the samples in visits, in units of 2^-6; 0: no score     |

const MEAN_UNITS: f64 = (1 << 17) as f64;
const MEAN_OFFSET: f64 = (1 << 27) as f64;
const MEAN_MASK: u64 = (1 << 28) - 1;
const DEVIATION_UNITS: f64 = (1 << 9) as f64;
const DEVIATION_SHIFT: u32 = 28;
const DEVIATION_MASK: u64 = (1 << 18) - 1;
const WEIGHT_UNITS: f64 = (1 << 6) as f64;
const WEIGHT_SHIFT: u32 = 46;
const WEIGHT_MASK: u64 = (1 << 18) - 1;

/// Weighted mean and standard deviation of the final score over samples, in Black's points before komi.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreMean {
    /// Mean in points.
    pub mean: f64,
    /// Standard deviation of the score, not of its mean, in points.
    pub deviation: f64,
    /// Total weight of the samples, in visits.
    pub weight: f64,
}

impl ScoreMean {
    /// The mean of no samples.
    pub const NONE: ScoreMean = ScoreMean { mean: 0.0, deviation: 0.0, weight: 0.0 };

    /// Returns the mean of one sample, Black's points before komi.
    #[must_use]
    pub fn of_sample(score: f64, weight: f64) -> ScoreMean {
        ScoreMean { mean: score, deviation: 0.0, weight }
    }

    /// Returns the mean over the samples of both. It uses only additions, multiplications, a division and a square
    /// root, which give the same bits on every processor.
    #[must_use]
    pub fn plus_samples(self, other: ScoreMean) -> ScoreMean {
        let weight = self.weight + other.weight;
        if weight <= 0.0 {
            return ScoreMean::NONE;
        }
        let share = other.weight / weight;
        let difference = other.mean - self.mean;
        let within =
            self.deviation * self.deviation * (1.0 - share) + other.deviation * other.deviation * share;
        let between = difference * difference * share * (1.0 - share);
        ScoreMean { mean: self.mean + difference * share, deviation: (within + between).sqrt(), weight }
    }

    /// Returns the score; `None` if its weight is 0.
    #[must_use]
    pub fn if_sampled(self) -> Option<ScoreMean> {
        (self.weight > 0.0).then_some(self)
    }

    /// Packs the score into a word; weights saturate just below 4,096.
    #[must_use]
    pub fn pack(self) -> u64 {
        let field = |value: f64, mask: u64| (value.round().max(0.0) as u64).min(mask);
        // A weight above 0 is never rounded to 0.
        let least = if self.weight > 0.0 { 1.0 } else { 0.0 };
        field(self.mean * MEAN_UNITS + MEAN_OFFSET, MEAN_MASK)
            | field(self.deviation * DEVIATION_UNITS, DEVIATION_MASK) << DEVIATION_SHIFT
            | field((self.weight * WEIGHT_UNITS).max(least), WEIGHT_MASK) << WEIGHT_SHIFT
    }

    /// Unpacks a word; any bits give a finite score.
    #[must_use]
    pub fn unpack(word: u64) -> ScoreMean {
        let field = |shift: u32, mask: u64| (word >> shift & mask) as f64;
        ScoreMean {
            mean: (field(0, MEAN_MASK) - MEAN_OFFSET) / MEAN_UNITS,
            deviation: field(DEVIATION_SHIFT, DEVIATION_MASK) / DEVIATION_UNITS,
            weight: field(WEIGHT_SHIFT, WEIGHT_MASK) / WEIGHT_UNITS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_back_as_they_were_written() {
        for (mean, deviation, weight) in [(-361.0, 0.0, 1.0), (7.25, 31.5, 0.0625), (361.0, 500.0, 4095.0)] {
            let score = ScoreMean { mean, deviation, weight };
            assert_eq!(ScoreMean::unpack(score.pack()), score);
        }
        let heavy = ScoreMean::of_sample(3.0, 1e9);
        assert_eq!(ScoreMean::unpack(heavy.pack()).weight, 4095.984375);
        assert!(ScoreMean::unpack(ScoreMean::of_sample(3.0, 1e-9).pack()).if_sampled().is_some());
        assert_eq!(ScoreMean::unpack(0).if_sampled(), None);
    }

    #[test]
    fn samples_that_are_joined_have_the_mean_and_the_spread_of_all() {
        let sum = [10.0, -2.0, 4.0, 4.0]
            .into_iter()
            .fold(ScoreMean::NONE, |sum, score| sum.plus_samples(ScoreMean::of_sample(score, 0.5)));
        assert!((sum.mean - 4.0).abs() < 1e-12 && (sum.weight - 2.0).abs() < 1e-12);
        assert!((sum.deviation - 18.0_f64.sqrt()).abs() < 1e-12, "{}", sum.deviation);
        assert_eq!(ScoreMean::NONE.plus_samples(ScoreMean::NONE), ScoreMean::NONE);
    }

    #[test]
    fn a_mean_over_many_samples_follows_new_ones() {
        let mut score = ScoreMean::of_sample(20.0, 4000.0);
        for _ in 0..40_000 {
            score = ScoreMean::unpack(score.plus_samples(ScoreMean::of_sample(0.0, 1.0)).pack());
        }
        assert!(score.mean < 0.1, "{}", score.mean);
    }
}
