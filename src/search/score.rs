//! The expected final score of a position, in Black's points before komi, whoever is to move.
//!
//! A simulation passes positions with pages, s_0 to s_m, and ends with the score z. It gives the page of every s_i the
//! sample
//!
//! x(s_i) = (1 - β)·T(s_i) + β·z, T(s_i) = λ·E(s_i) + (1 - λ)·T(s_{i+1}), T(s_m) = E(s_m),
//!
//! where E is the evaluator's score. The score of a position is (k·E + n·X) / (k + n), with X the mean of its n samples.
//!
//! Playouts count because the evaluator's scores alone spread too far. On 50 middle-game positions on 9x9, at 500 visits,
//! compared with the leads of KataGo's network b10c384, E of the root errs by 5.7 points, a plain mean of E over the
//! search by 4.4, growing to 5.5 at 20,000 visits, and this score by 4.2. λ limits the weight of deep lines, in which a
//! search for the win gives away points that the players of the position would keep. With a larger λ the score falls once
//! the move ranked first is played (by 3 points or more in 14 of 400 moves with 0.4, in 3 of 400 with 0.1); with a larger
//! β the scores of few simulations scatter. Measured with `tools/experiments/scores.py` and
//! `tools/clients/katrain_game.py`.

use crate::base::game::Bounds;
use crate::table::{Page, ScoreMean};

/// λ: the share of a position's own evaluation in T.
const OWN_SHARE: f64 = 0.125;
/// β times the square root of the largest score. By area β falls with the side of the board, since the scatter of playout
/// scores grows: 0.4 on 9x9, 0.19 on 19x19. By territory, where scores are within 511, it is 0.16 on every board.
const PLAYOUT_SHARE_OF_LARGEST_SCORE: f64 = 3.6;
/// Maximum of β.
const MAX_PLAYOUT_SHARE: f64 = 0.5;
/// k: the weight of the evaluator's score in samples.
const EVALUATOR_SAMPLES: f64 = 15.0;

/// Returns β for a game with this range of scores.
pub(super) fn playout_share(range: Bounds) -> f64 {
    let largest = f64::from(range.upper).max(1.0);
    (PLAYOUT_SHARE_OF_LARGEST_SCORE / largest.sqrt()).min(MAX_PLAYOUT_SHARE)
}

/// Returns x(s_i), the sample of one simulation, and T(s_i), which the sample of s_{i-1} needs. `playout` is z and β,
/// `evaluated` E(s_i), `following` T(s_{i+1}). Without E(s_i) the sample is z, and T(s_{i+1}) is passed on.
pub(super) fn sample(
    (playout, share): (f64, f64),
    evaluated: Option<f64>,
    following: Option<f64>,
) -> (f64, Option<f64>) {
    let Some(evaluated) = evaluated else { return (playout, following) };
    let kept = following.map_or(evaluated, |following| following + OWN_SHARE * (evaluated - following));
    (kept + share * (playout - kept), Some(kept))
}

/// Returns the expected final score from the evaluator's score and the mean of the samples; `None` without either. The
/// deviation is the evaluator's, if present, else that of the samples.
#[must_use]
pub fn expected(evaluator: Option<ScoreMean>, samples: Option<ScoreMean>) -> Option<ScoreMean> {
    let (Some(evaluated), Some(sampled)) = (evaluator, samples) else { return evaluator.or(samples) };
    let share = sampled.weight / (sampled.weight + EVALUATOR_SAMPLES);
    Some(ScoreMean { mean: evaluated.mean + share * (sampled.mean - evaluated.mean), ..evaluated })
}

/// Returns the expected final score of the position of a page.
pub(super) fn of_page(page: &Page<'_>) -> Option<ScoreMean> {
    expected(page.evaluator_score(), page.sampled_score())
}

/// Returns the score clamped to the proven bounds: the proven score itself if they are equal.
pub(super) fn within(score: Option<ScoreMean>, Bounds { lower, upper }: Bounds) -> Option<ScoreMean> {
    if lower == upper {
        return Some(ScoreMean::of_sample(lower.into(), 1.0));
    }
    score.map(|score| ScoreMean { mean: score.mean.max(lower.into()).min(upper.into()), ..score })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_mixes_evaluations_along_the_path_with_the_playout() {
        let (leaf, kept) = sample((10.0, 0.4), Some(0.0), None);
        assert!((leaf - 4.0).abs() < 1e-12 && kept == Some(0.0));
        let (above, kept) = sample((10.0, 0.4), Some(8.0), kept);
        assert!((above - (0.6 + 4.0)).abs() < 1e-12 && kept == Some(1.0));
        assert_eq!(sample((10.0, 0.4), None, None), (10.0, None), "playouts alone, without an evaluator");
        let share = |points: i16| playout_share(Bounds { lower: -points, upper: points });
        assert!((share(81) - 0.4).abs() < 1e-12 && share(361) < 0.2 && share(1) <= 0.5);
    }

    #[test]
    fn samples_count_the_more_the_more_there_are() {
        let evaluator = Some(ScoreMean { mean: 10.0, deviation: 8.0, weight: 1.0 });
        let mean = |weight: f64| {
            let sampled = ScoreMean { mean: -10.0, deviation: 15.0, weight };
            expected(evaluator, Some(sampled)).expect("a score").mean
        };
        assert!(mean(15.0).abs() < 1e-9 && mean(1.0) > 8.0 && mean(1e6) < -9.9);
        assert_eq!(expected(evaluator, None), evaluator);
        assert_eq!(expected(None, evaluator), evaluator);
        assert_eq!(expected(None, None), None);
    }

    #[test]
    fn a_proven_score_is_the_score() {
        let score = ScoreMean { mean: 12.0, deviation: 9.0, weight: 30.0 };
        assert_eq!(within(None, Bounds::exact(-4)), Some(ScoreMean::of_sample(-4.0, 1.0)));
        assert_eq!(within(Some(score), Bounds { lower: -4, upper: 7 }).map(|it| it.mean), Some(7.0));
        assert_eq!(within(Some(score), Bounds { lower: -81, upper: 81 }), Some(score));
    }
}
