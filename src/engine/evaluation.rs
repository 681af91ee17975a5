//! The network's evaluation of Go positions for reports: policy, win rate, score and ownership.

use crate::base::game::{Game, Move, Player};
use crate::go::unconditional::unconditional_owners;
use crate::go::{Position, Size, Symmetry};
use crate::network::{Evaluator, InputPosition, Network, ScoreEstimate};
use crate::table::ScoreMean;
use std::sync::Arc;

/// Divisor of the spread of the network's score. The network learned from games of weaker players; the engine loses fewer of
/// the games in which it leads.
pub(super) const SPREAD_DIVISOR: i64 = 2;

/// A network's evaluation of a position for reports.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkEvaluation {
    /// Probability of each move, by move number; 0 for illegal moves, those banned by superko included. The sum is 1.
    pub policy: Vec<f64>,
    /// Black's win rate; `None` if the network was not trained on scores.
    pub black_winrate: Option<f64>,
    /// Expected final score under the rules, Black's points before komi; `None` if the network was not trained on scores.
    pub black_score: Option<f64>,
    /// Standard deviation of the final score; `None` if the network was not trained on scores.
    pub score_deviation: Option<f64>,
    /// Mean owner of each point, by move number, from -1 for White to 1 for Black; `None` if the network was not trained on
    /// owners.
    pub ownership: Option<Vec<f64>>,
}

/// Returns a network's mean evaluation of a position over all symmetries. The mean is slightly more accurate than one
/// symmetry, and equal for every orientation of the board. [Settled points](unconditional_owners) have their owners,
/// and the score includes them. For reports; [`NetworkEvaluator`](super::NetworkEvaluator) uses one symmetry, and the
/// network alone.
#[must_use]
pub fn evaluate(network: &Arc<Network>, position: &Position) -> NetworkEvaluation {
    let size = position.size();
    let mut evaluator = Evaluator::new(Arc::clone(network), size);
    let settled = unconditional_owners(position.board(), position.rules().suicide);
    let mut evaluations = Symmetry::all(size)
        .map(|symmetry| evaluate_with_owners(&mut evaluator, position, symmetry, &settled));
    let first = evaluations.next().unwrap_or_else(|| unreachable!("every board has a symmetry"));
    evaluations.fold(first, NetworkEvaluation::sum).scaled(1.0 / f64::from(Symmetry::count(size)))
}

/// Returns the number of symmetries that [`evaluate_under`] accepts for boards of `size`.
#[must_use]
pub fn symmetry_count(size: Size) -> u8 {
    Symmetry::count(size)
}

/// Returns a network's evaluation of a position under one symmetry, numbered from 0, without settled points.
#[must_use]
pub fn evaluate_under(network: &Arc<Network>, position: &Position, symmetry: u8) -> NetworkEvaluation {
    let symmetry = Symmetry::from_number(symmetry.into(), position.size());
    let mut evaluator = Evaluator::new(Arc::clone(network), position.size());
    let unsettled = vec![None; position.size().points()];
    evaluate_with_owners(&mut evaluator, position, symmetry, &unsettled)
}

/// Returns the network's evaluation under one symmetry, with the owners in `settled` in place of the network's.
fn evaluate_with_owners(
    evaluator: &mut Evaluator,
    position: &Position,
    symmetry: Symmetry,
    settled: &[Option<Player>],
) -> NetworkEvaluation {
    let input = InputPosition::with_moves_in_key(position);
    let evaluation = evaluator.evaluate(&input, symmetry);
    let mut probabilities = vec![0; position.size().points() + 1];
    evaluation.move_probabilities(|mv| position.check(mv).is_ok(), &mut probabilities);
    let all = probabilities.iter().map(|&probability| u64::from(probability)).sum::<u64>().max(1) as f64;
    let sign = sign_of(position.to_play());
    // Black's points on settled points, beyond those that the network gives.
    let mut missed = 0.0;
    let owner = |(point, owner): (usize, &Option<Player>)| {
        let expected = sign * (2.0 * evaluation.owner_probability(Move(point as u16))?.as_f64() - 1.0);
        let owned = owner.map_or(expected, sign_of);
        missed += owned - expected;
        Some(owned)
    };
    let ownership: Option<Vec<f64>> = settled.iter().enumerate().map(owner).collect();
    let estimate = evaluation.score.map(|estimate| estimate.with_mean_raised(sign * missed));
    let score = estimate.map(|estimate| black_score(estimate, position));
    NetworkEvaluation {
        policy: probabilities.iter().map(|&probability| f64::from(probability) / all).collect(),
        black_winrate: estimate
            .map(|estimate| 0.5 + sign * (estimate.win_rate(input.own_komi()).as_f64() - 0.5)),
        black_score: score.map(|score| score.mean),
        score_deviation: score.map(|score| score.deviation),
        ownership,
    }
}

impl NetworkEvaluation {
    /// Returns the final score, Black's points before komi, with the weight of one sample.
    pub(super) fn score(&self) -> Option<ScoreMean> {
        let (mean, deviation) = self.black_score.zip(self.score_deviation)?;
        Some(ScoreMean { mean, deviation, weight: 1.0 })
    }

    /// Returns the sum of two evaluations of the same network, number by number.
    fn sum(mut self, other: NetworkEvaluation) -> NetworkEvaluation {
        let add = |to: &mut [f64], of: &[f64]| to.iter_mut().zip(of).for_each(|(to, of)| *to += of);
        add(&mut self.policy, &other.policy);
        if let (Some(own), Some(others)) = (&mut self.ownership, &other.ownership) {
            add(own, others);
        }
        let sum = |own: Option<f64>, others: Option<f64>| Some(own? + others?);
        NetworkEvaluation {
            black_winrate: sum(self.black_winrate, other.black_winrate),
            black_score: sum(self.black_score, other.black_score),
            score_deviation: sum(self.score_deviation, other.score_deviation),
            ..self
        }
    }

    /// Returns the evaluation with every number multiplied by `factor`.
    fn scaled(self, factor: f64) -> NetworkEvaluation {
        let scaled = |values: Vec<f64>| values.into_iter().map(|value| factor * value).collect();
        NetworkEvaluation {
            policy: scaled(self.policy),
            black_winrate: self.black_winrate.map(|value| factor * value),
            black_score: self.black_score.map(|value| factor * value),
            score_deviation: self.score_deviation.map(|value| factor * value),
            ownership: self.ownership.map(scaled),
        }
    }
}

/// Returns the network's score of `position` under its rules, Black's points before komi, with the weight of one sample. The
/// deviation is that of the spread divided by [`SPREAD_DIVISOR`].
pub(super) fn black_score(score: ScoreEstimate, position: &Position) -> ScoreMean {
    let points = position.size().points() as f64;
    let lead = score.lead(0).clamp(-points, points);
    let area = if position.to_play() == Player::Black { lead } else { -lead };
    ScoreMean {
        mean: area - f64::from(position.area_offset()),
        deviation: score.with_spread_divided(SPREAD_DIVISOR).deviation().min(points),
        weight: 1.0,
    }
}

/// Returns the score that a search stores with the first page of a position; `None` if the network was not trained on scores.
#[must_use]
pub fn evaluate_score(evaluator: &mut Evaluator, position: &Position) -> Option<ScoreMean> {
    let input = InputPosition::with_moves_in_key(position);
    let evaluation = evaluator.evaluate(&input, symmetry_of(position));
    evaluation.score.map(|score| black_score(score, position))
}

/// Returns the ownership of a position under one symmetry, chosen by its key, with the owners of settled points; see
/// [`NetworkEvaluation::ownership`].
#[must_use]
pub fn evaluate_ownership(evaluator: &mut Evaluator, position: &Position) -> Option<Vec<f64>> {
    let settled = unconditional_owners(position.board(), position.rules().suicide);
    evaluate_with_owners(evaluator, position, symmetry_of(position), &settled).ownership
}

/// Returns 1 for Black, -1 for White.
fn sign_of(player: Player) -> f64 {
    if player == Player::Black { 1.0 } else { -1.0 }
}

/// Returns a symmetry that depends on the position alone, so that equal positions get equal evaluations.
pub(super) fn symmetry_of(position: &Position) -> Symmetry {
    Symmetry::from_number(position.key(), position.size())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::value::Value;

    #[test]
    fn the_search_is_twice_as_sure_of_a_result_as_the_network() {
        let unsure = ScoreEstimate { mean: 3 << 12, spread: 8 << 12 };
        let sure = ScoreEstimate { mean: 6 << 12, spread: 8 << 12 };
        assert_eq!(unsure.with_spread_divided(SPREAD_DIVISOR).win_rate(0), sure.win_rate(0));
        assert!(unsure.with_spread_divided(SPREAD_DIVISOR).win_rate(0) > unsure.win_rate(0));
        let even = unsure.with_spread_divided(SPREAD_DIVISOR).win_rate(-6);
        assert!(even.0.abs_diff(Value::DRAW.0) <= 1);
    }
}
