//! Counts of game pairs and the statistics computed from them.

use super::{Interval, normal_cdf, wilson};
use std::collections::BTreeMap;

/// Numbers of game pairs by points of the *first* side (0, 1/2, 1, 3/2, 2), and of games without a partner.
///
/// A draw is half a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// Numbers of pairs, indexed by the half-points of the first side.
    pub pairs: [u64; 5],
    /// Numbers of games without a played partner, indexed by half-points.
    pub singles: [u64; 3],
}

/// Counts of games that arrive one at a time, partners in any order.
#[derive(Clone, Debug, Default)]
pub(super) struct PairTally {
    /// The pairs with both games known.
    pub(super) complete: PairCounts,
    /// Half-points of games that wait for their partner, by the number of the pair.
    waiting: BTreeMap<u64, u32>,
}

impl PairTally {
    /// Adds a game; returns true if it completes its pair.
    pub(super) fn add(&mut self, pair: u64, half_points: u32) -> bool {
        let half_points = half_points.min(2);
        let partner = self.waiting.remove(&pair);
        match partner {
            None => drop(self.waiting.insert(pair, half_points)),
            Some(other) => self.complete.pairs[(half_points + other) as usize] += 1,
        }
        partner.is_some()
    }
}

impl PairCounts {
    /// Counts games given as (number of the pair, half-points of the first side: 0, 1 or 2).
    #[must_use]
    pub fn from_games(games: impl IntoIterator<Item = (u64, u32)>) -> PairCounts {
        let mut tally = PairTally::default();
        for (pair, half_points) in games {
            tally.add(pair, half_points);
        }
        for half_points in tally.waiting.into_values() {
            tally.complete.singles[half_points as usize] += 1;
        }
        tally.complete
    }

    /// Returns the number of complete pairs.
    #[must_use]
    pub fn pair_count(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// Returns the number of games, those without a partner included.
    #[must_use]
    pub fn games(&self) -> u64 {
        2 * self.pair_count() + self.singles.iter().sum::<u64>()
    }

    /// Returns the points of the first side.
    #[must_use]
    pub fn points(&self) -> f64 {
        let half_points =
            |counts: &[u64]| -> u64 { counts.iter().zip(0..).map(|(count, half)| count * half).sum() };
        (half_points(&self.pairs) + half_points(&self.singles)) as f64 / 2.0
    }

    /// Returns the first side's share of the points, `0..=1`; 1/2 without games.
    #[must_use]
    pub fn score(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.points() / self.games() as f64 }
    }

    /// Returns the sample variance of a pair's share of its two points; `None` with fewer than two pairs.
    #[must_use]
    pub fn pair_variance(&self) -> Option<f64> {
        let count = self.pair_count();
        if count < 2 {
            return None;
        }
        let shares =
            || self.pairs.iter().zip(0..).map(|(&count, step)| (count as f64, f64::from(step) / 4.0));
        let mean = shares().map(|(count, share)| count * share).sum::<f64>() / count as f64;
        let squares: f64 = shares().map(|(count, share)| count * (share - mean).powi(2)).sum();
        Some(squares / (count - 1) as f64)
    }

    /// Returns the number of independent won or lost games with the same uncertainty of the share as these games.
    ///
    /// With p the share of the points, n = p(1 - p) / Var, where the variance of the share comes from pairs. One
    /// imagined pair of independent games is added to the sample, so that the variance of a few equal pairs is not 0.
    #[must_use]
    pub fn effective_games(&self) -> f64 {
        let (games, score, pairs) = (self.games() as f64, self.score(), self.pair_count() as f64);
        let Some(variance) = self.pair_variance() else { return games };
        let of_a_toss = score * (1.0 - score);
        if of_a_toss <= 0.0 {
            return games;
        }
        let steadied = (variance * (pairs - 1.0) + of_a_toss / 2.0) / pairs;
        of_a_toss * pairs / steadied + self.singles.iter().sum::<u64>() as f64
    }

    /// Returns the share of the points with Wilson's 95 % interval at the effective number of games.
    #[must_use]
    pub fn score_interval(&self) -> Interval {
        let effective = self.effective_games();
        wilson(self.score() * effective, effective)
    }

    /// Returns the Elo difference with its 95 % interval.
    #[must_use]
    pub fn elo_interval(&self) -> Interval {
        self.score_interval().to_elo()
    }

    /// Returns the likelihood of superiority (LOS): the probability, given these games and a uniform prior, that the
    /// first side is stronger. Normal approximation: Φ((score - 1/2) / standard error), with the error of equal sides, as in
    /// Wilson's interval: it is above 97.5 % if that interval is above 1/2.
    ///
    /// Source: R. Coulom, "Whole-History Rating", CG 2008, uses the same quantity; match runners of chess print this
    /// approximation as LOS.
    #[must_use]
    pub fn likelihood_of_superiority(&self) -> f64 {
        let (score, effective) = (self.score(), self.effective_games());
        if effective <= 0.0 {
            return 0.5;
        }
        normal_cdf((score - 0.5) / (0.25 / effective).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_find_their_partners_in_any_order() {
        let counts = PairCounts::from_games([(0, 2), (1, 0), (1, 0), (0, 1), (7, 2)]);
        assert_eq!(counts, PairCounts { pairs: [1, 0, 0, 1, 0], singles: [0, 0, 1] });
        assert_eq!((counts.games(), counts.points()), (5, 2.5));
    }

    /// Published result lines of the match runner fastchess with their counts; the half width is that of a normal
    /// interval in Elo.
    #[test]
    fn elo_and_interval_are_those_of_published_matches() {
        for (pairs, elo, half_width) in
            [([1, 10, 78, 48, 13], 72.85, 22.33), ([352, 579, 1264, 743, 464], 19.83, 6.77)]
        {
            let found = PairCounts { pairs, singles: [0; 3] }.elo_interval();
            assert!((found.estimate - elo).abs() < 0.005, "{found}");
            // The imagined pair widens this interval by up to 3 %.
            assert!(
                ((found.high - found.low) / 2.0 / half_width - 1.0).abs() < 0.03,
                "{found} ± {half_width}"
            );
        }
    }

    #[test]
    fn the_interval_comes_from_pairs() {
        // Half of 100 games won. With all pairs split, the only variance is that of the imagined pair, 0.125/50.
        let split = PairCounts { pairs: [0, 0, 50, 0, 0], singles: [0; 3] };
        let together = PairCounts { pairs: [25, 0, 0, 0, 25], singles: [0; 3] };
        assert!((split.effective_games() - 0.25 * 50.0 / (0.125 / 50.0)).abs() < 1e-6);
        // With both games of a pair alike, 100 games count as about 50: a pair has the variance (50·0.25 + 0.125) /
        // 50.
        assert!((together.effective_games() - 0.25 * 50.0 / (12.625 / 50.0)).abs() < 1e-6);
        let half = |counts: &PairCounts| counts.score_interval().high - 0.5;
        assert!(half(&together) > 5.0 * half(&split));
    }

    #[test]
    fn nothing_and_everything_are_no_certainty() {
        let none = PairCounts::default();
        assert_eq!((none.score(), none.likelihood_of_superiority()), (0.5, 0.5));
        assert_eq!((none.score_interval().low, none.score_interval().high), (0.0, 1.0));
        let all = PairCounts { pairs: [0, 0, 0, 0, 5], singles: [0; 3] };
        let likelihood = all.likelihood_of_superiority();
        assert!(likelihood > 0.99 && likelihood < 1.0, "{likelihood}");
        assert!((all.score_interval().low - 0.7225).abs() < 1e-4);
    }

    #[test]
    fn superiority_is_the_normal_distribution_of_the_score() {
        // 100 pairs distributed as independent games won with probability 0.6: 16, 48 and 36.
        let counts = PairCounts { pairs: [16, 0, 48, 0, 36], singles: [0; 3] };
        // (0.6 - 0.5) / sqrt(0.5·0.5/200) = 2.828, and Φ(2.828) = 0.9977.
        assert!((counts.likelihood_of_superiority() - 0.9977).abs() < 5e-4);
    }

    #[test]
    fn superiority_is_certain_by_95_percent_when_the_interval_is_above_a_half() {
        for (wins, losses) in (0..=12).flat_map(|wins| (0..=12).map(move |losses| (wins, losses))) {
            let counts = PairCounts { pairs: [0; 5], singles: [losses, 0, wins] };
            if counts.games() > 0 {
                let is_above = counts.score_interval().low > 0.5;
                assert_eq!(
                    counts.likelihood_of_superiority() > 0.975,
                    is_above,
                    "{wins} of {}",
                    wins + losses
                );
            }
        }
    }
}
