//! The network's evaluation of Go positions: priors and value estimates for the search, policy and ownership for reports.

use crate::base::game::{Game, Move, Outcome, Player, Prior};
use crate::base::value::{Estimate, Value};
use crate::go::board::cell;
use crate::go::prior::has_few_moves;
use crate::go::unconditional::unconditional_owners;
use crate::go::{Point, Position, Scoring, Size};
use crate::network::chances::CERTAIN;
use crate::network::{Evaluation, Evaluator, Network, ScoreEstimate, Situation, Symmetry};
use crate::search::policy::Puct;
use crate::table::{self, ScoreMean};
use std::sync::Arc;

/// Divisor of the spread of the network's score. The network learned from the games of weaker players; the search loses
/// fewer of the games that it should win.
const SHARPENING: i64 = 2;

/// Default weight of a value estimate, in playouts.
pub const VALUE_WEIGHT: u8 = 3;

/// Returns the bytes that a network takes in a process with `threads` workers: the pages of its file, its weights, the
/// working memory of evaluators, and weights for [tiles](Network::make_tile_weights) if `has_tiles`.
#[must_use]
pub fn memory(network: &Arc<Network>, size: Size, threads: usize, has_tiles: bool) -> u64 {
    let evaluator = Evaluator::bytes_for(network, size, has_tiles);
    let tiles = if has_tiles { network.tile_bytes() } else { 0 };
    (network.file_bytes() + network.bytes() + tiles + threads.max(1) * evaluator) as u64
}

/// The evaluator of one worker. It allocates nothing per position.
pub struct Expert {
    evaluator: Evaluator,
    value_weight: u8,
    chances: Vec<u32>,
    /// Key of the root, and the noise mixed into its policy.
    noise: Option<(u64, Arc<[u32]>)>,
}

/// Minimum probability of a pass that does not end the game if few moves are left. The search then tries the pass within
/// some fifty visits if all moves are worse.
const CHANCE_BESIDE_FEW: u32 = CERTAIN / 64;

/// Right shift applied to the probability of moves that fill an own eye (1/16 remains).
const EYE_SHIFT: u32 = 4;
/// Minimum probability of such moves and the pass together at which nothing better may be left.
const LEAST_OF_NOTHING: u32 = CERTAIN / 16;

/// Probability of an owner above which a point is settled.
const SETTLED_OWNER: f64 = 0.9;

/// Right shift that gives the share of noise in a root's policy: a quarter. Source: Wu, arXiv 1902.10565, section 3.1.
const NOISE_SHIFT: u32 = 2;

impl Expert {
    /// Creates an evaluator for boards of the size of `root`. Value estimates have the weight of `value_weight` playouts;
    /// with 0 there are none.
    #[must_use]
    pub fn new(network: Arc<Network>, value_weight: u8, root: &Position) -> Expert {
        let size = root.size();
        let chances = vec![0; size.points() + 1];
        Expert { evaluator: Evaluator::new(network, size), value_weight, chances, noise: None }
    }

    /// Mixes noise into the policy of the position with the key `root`: probabilities by move number, with the sum
    /// [`CERTAIN`].
    #[must_use]
    pub fn with_noise(mut self, root: u64, noise: Arc<[u32]>) -> Expert {
        self.noise = Some((root, noise));
        self
    }

    /// Writes the priors of all moves, `None` for moves that are illegal ignoring history, and returns estimates of value
    /// and score. The network sees one symmetry of the position, chosen by its key. The value estimate is always present,
    /// with weight 0 if the network has no score or its value does not count.
    pub fn judge(&mut self, position: &Position, priors: &mut [Option<Prior>]) -> table::Evaluation {
        position.fill_legal(priors);
        let situation = Situation::with_moves_in_key(position);
        let evaluation = self.evaluator.evaluate(&situation, symmetry_of(position));
        evaluation.move_chances(|mv| priors[mv.index()].is_some(), &mut self.chances);
        if let Some((_, noise)) = self.noise.as_ref().filter(|(root, _)| *root == position.key()) {
            for (chance, noise) in self.chances.iter_mut().zip(noise.iter()) {
                *chance = *chance - (*chance >> NOISE_SHIFT) + (noise >> NOISE_SHIFT);
            }
        }
        let has_few = has_few_moves(&priors[..position.size().points()]);
        if position.rules().scoring == Scoring::Territory {
            let owner = |mv| evaluation.owner_chance(mv);
            judge_pass_for_territory(position, owner, &mut self.chances);
        } else {
            judge_pass(position, has_few, &mut self.chances);
        }
        for (prior, &chance) in priors.iter_mut().zip(&self.chances) {
            if let Some(prior) = prior {
                *prior = Puct::pack_chance(chance as f32 / CERTAIN as f32);
            }
        }
        let score = evaluation.score.filter(|_| self.value_weight > 0);
        let score = score.map(|score| black_score(score, position));
        table::Evaluation { estimate: Some(estimate(&evaluation, &situation, self.value_weight)), score }
    }
}

/// A network's evaluation of a position for reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion {
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

/// Returns a network's mean evaluation of a position over all symmetries, which is slightly more accurate than that of one
/// and the same for every orientation of the board. [Settled points](unconditional_owners) have their owners, and the score
/// includes them. For reports; [`Expert::judge`] uses one symmetry, and the network alone.
#[must_use]
pub fn ask(network: &Arc<Network>, position: &Position) -> Opinion {
    let size = position.size();
    let mut evaluator = Evaluator::new(Arc::clone(network), size);
    let settled = unconditional_owners(position.board(), position.rules().suicide);
    let mut opinions =
        Symmetry::all(size).map(|symmetry| opinion_under(&mut evaluator, position, symmetry, &settled));
    let first = opinions.next().unwrap_or_else(|| unreachable!("every board has a symmetry"));
    opinions.fold(first, Opinion::plus).times(1.0 / f64::from(Symmetry::count(size)))
}

/// Returns the number of symmetries that [`ask_under`] accepts for boards of `size`.
#[must_use]
pub fn symmetry_count(size: Size) -> u8 {
    Symmetry::count(size)
}

/// Returns a network's evaluation of a position under one symmetry, numbered from 0, without settled points.
#[must_use]
pub fn ask_under(network: &Arc<Network>, position: &Position, symmetry: u8) -> Opinion {
    let symmetry = Symmetry::from_number(symmetry.into(), position.size());
    let mut evaluator = Evaluator::new(Arc::clone(network), position.size());
    let unsettled = vec![None; position.size().points()];
    opinion_under(&mut evaluator, position, symmetry, &unsettled)
}

/// Returns the network's evaluation under one symmetry, with the owners in `settled` in place of the network's.
fn opinion_under(
    evaluator: &mut Evaluator,
    position: &Position,
    symmetry: Symmetry,
    settled: &[Option<Player>],
) -> Opinion {
    let situation = Situation::with_moves_in_key(position);
    let evaluation = evaluator.evaluate(&situation, symmetry);
    let mut chances = vec![0; position.size().points() + 1];
    evaluation.move_chances(|mv| position.check(mv).is_ok(), &mut chances);
    let all = chances.iter().map(|&chance| u64::from(chance)).sum::<u64>().max(1) as f64;
    let sign = sign_of(position.to_play());
    // Black's points on settled points, beyond those that the network gives.
    let mut missed = 0.0;
    let owner = |(point, owner): (usize, &Option<Player>)| {
        let said = sign * (2.0 * evaluation.owner_chance(Move(point as u16))?.as_f64() - 1.0);
        let owned = owner.map_or(said, sign_of);
        missed += owned - said;
        Some(owned)
    };
    let ownership: Option<Vec<f64>> = settled.iter().enumerate().map(owner).collect();
    let estimate = evaluation.score.map(|estimate| estimate.raised(sign * missed));
    let score = estimate.map(|estimate| black_score(estimate, position));
    Opinion {
        policy: chances.iter().map(|&chance| f64::from(chance) / all).collect(),
        black_winrate: estimate
            .map(|estimate| 0.5 + sign * (estimate.winning_chance(situation.own_komi()).as_f64() - 0.5)),
        black_score: score.map(|score| score.mean),
        score_deviation: score.map(|score| score.deviation),
        ownership,
    }
}

impl Opinion {
    /// Returns the final score, Black's points before komi, with the weight of one sample.
    pub(super) fn score(&self) -> Option<ScoreMean> {
        let (mean, deviation) = self.black_score.zip(self.score_deviation)?;
        Some(ScoreMean { mean, deviation, weight: 1.0 })
    }

    /// Returns the sum of two evaluations of the same network, number by number.
    fn plus(mut self, other: Opinion) -> Opinion {
        let add = |to: &mut [f64], of: &[f64]| to.iter_mut().zip(of).for_each(|(to, of)| *to += of);
        add(&mut self.policy, &other.policy);
        if let (Some(own), Some(others)) = (&mut self.ownership, &other.ownership) {
            add(own, others);
        }
        let sum = |own: Option<f64>, others: Option<f64>| Some(own? + others?);
        Opinion {
            black_winrate: sum(self.black_winrate, other.black_winrate),
            black_score: sum(self.black_score, other.black_score),
            score_deviation: sum(self.score_deviation, other.score_deviation),
            ..self
        }
    }

    /// Returns the evaluation with every number multiplied by `factor`.
    fn times(self, factor: f64) -> Opinion {
        let scaled = |values: Vec<f64>| values.into_iter().map(|value| factor * value).collect();
        Opinion {
            policy: scaled(self.policy),
            black_winrate: self.black_winrate.map(|value| factor * value),
            black_score: self.black_score.map(|value| factor * value),
            score_deviation: self.score_deviation.map(|value| factor * value),
            ownership: self.ownership.map(scaled),
        }
    }
}

/// Sets the probability of a pass, the last of `chances`; the others are the network's, by move number.
///
/// A pass that ends the game has the probability of its known outcome. Any other pass gets most of the probability of moves
/// that fill an own eye, in addition to its own: a player with nothing better passes. If both together are small, as in the
/// middle of a game, the probability is 0, since the network has hardly seen passes there and its output for them is
/// arbitrary. If few moves are left, it is at least [`CHANCE_BESIDE_FEW`].
fn judge_pass(position: &Position, has_few_moves: bool, chances: &mut [u32]) {
    let (moves, pass) = chances.split_at_mut(position.size().points());
    let [pass] = pass else { return };
    match position.outcome_of_pass() {
        Some(outcome) => *pass = chance_of_ending_pass(outcome),
        None => {
            let of_eyes = of_own_eyes(position, moves).map(|chance| *chance).sum::<u32>();
            if of_eyes + *pass < LEAST_OF_NOTHING {
                *pass = 0;
            } else {
                of_own_eyes(position, moves).for_each(|chance| *chance >>= EYE_SHIFT);
                *pass += of_eyes - (of_eyes >> EYE_SHIFT);
            }
            if has_few_moves {
                *pass = (*pass).max(CHANCE_BESIDE_FEW);
            }
        }
    }
}

/// Sets the probability of a pass under territory scoring, where moves inside own territory cost a point. `owner` returns
/// the probability that a point becomes the player's.
///
/// Once two thirds of the points have an owner, the pass gets half of the probability of moves inside own territory, and at
/// least [`CHANCE_BESIDE_FEW`]; before, 0.
fn judge_pass_for_territory(position: &Position, owner: impl Fn(Move) -> Option<Value>, chances: &mut [u32]) {
    let (board, player) = (position.board(), position.to_play());
    let points = &board.geometry().points;
    let (moves, pass) = chances.split_at_mut(points.len());
    let [pass] = pass else { return };
    if let Some(outcome) = position.outcome_of_pass() {
        *pass = chance_of_ending_pass(outcome);
        return;
    }
    let owned = |number: usize| owner(Move(number as u16)).map_or(0.5, |value| value.as_f64());
    let settled =
        (0..points.len()).filter(|&number| (owned(number) - 0.5).abs() > SETTLED_OWNER - 0.5).count();
    if 3 * settled < 2 * points.len() {
        *pass = 0;
        return;
    }
    for (number, (&point, chance)) in points.iter().zip(moves).enumerate() {
        let is_empty = board.cell(point) == cell::EMPTY;
        if is_empty && (owned(number) > SETTLED_OWNER || board.is_eye(point, player)) {
            *pass += *chance - *chance / 2;
            *chance /= 2;
        }
    }
    *pass = (*pass).max(CHANCE_BESIDE_FEW);
}

/// Returns the probability of a pass that ends the game with an outcome for the player.
fn chance_of_ending_pass(outcome: Outcome) -> u32 {
    match outcome {
        Outcome::Win => CERTAIN,
        Outcome::Draw => CERTAIN / 4,
        Outcome::Loss => 0,
    }
}

/// Returns the probabilities of the moves that fill an eye of the player to move.
fn of_own_eyes<'c>(position: &Position, chances: &'c mut [u32]) -> impl Iterator<Item = &'c mut u32> {
    let (board, player) = (position.board(), position.to_play());
    let fills_eye = move |point: Point| board.cell(point) == cell::EMPTY && board.is_eye(point, player);
    let points = &board.geometry().points;
    points.iter().zip(chances).filter(move |(point, _)| fills_eye(**point)).map(|(_, chance)| chance)
}

/// Returns the network's score of `position` under its rules, Black's points before komi, with the sharpened deviation of
/// the search and the weight of one visit.
fn black_score(score: ScoreEstimate, position: &Position) -> ScoreMean {
    let points = position.size().points() as f64;
    let lead = score.lead(0).clamp(-points, points);
    let area = if position.to_play() == Player::Black { lead } else { -lead };
    ScoreMean {
        mean: area - f64::from(position.area_offset()),
        deviation: score.sharpened(SHARPENING).deviation().min(points),
        weight: 1.0,
    }
}

/// Returns the score that a search stores with the block of a position; `None` if the network was not trained on scores.
#[must_use]
pub fn ask_score(evaluator: &mut Evaluator, position: &Position) -> Option<ScoreMean> {
    let situation = Situation::with_moves_in_key(position);
    let evaluation = evaluator.evaluate(&situation, symmetry_of(position));
    evaluation.score.map(|score| black_score(score, position))
}

/// Returns the ownership of a position under one symmetry, chosen by its key, with the owners of settled points; see
/// [`Opinion::ownership`].
#[must_use]
pub fn ask_ownership(evaluator: &mut Evaluator, position: &Position) -> Option<Vec<f64>> {
    let settled = unconditional_owners(position.board(), position.rules().suicide);
    opinion_under(evaluator, position, symmetry_of(position), &settled).ownership
}

/// Returns 1 for Black, -1 for White.
fn sign_of(player: Player) -> f64 {
    if player == Player::Black { 1.0 } else { -1.0 }
}

/// Returns a symmetry that depends on the position alone, so that equal positions get equal evaluations.
fn symmetry_of(position: &Position) -> Symmetry {
    Symmetry::from_number(position.key(), position.size())
}

/// Returns the value estimate of a position. With weight 0 it only marks that the priors are an evaluator's.
fn estimate(evaluation: &Evaluation<'_>, situation: &Situation<'_>, weight: u8) -> Estimate {
    match evaluation.score.filter(|_| weight > 0) {
        Some(score) => {
            let value = score.sharpened(SHARPENING).winning_chance(situation.own_komi());
            Estimate { value, weight }
        }
        None => Estimate { value: Value::DRAW, weight: 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::ScoreEstimate;

    #[test]
    fn the_search_is_twice_as_sure_of_a_result_as_the_network() {
        let unsure = ScoreEstimate { mean: 3 << 12, spread: 8 << 12 };
        let sure = ScoreEstimate { mean: 6 << 12, spread: 8 << 12 };
        assert_eq!(unsure.sharpened(SHARPENING).winning_chance(0), sure.winning_chance(0));
        assert!(unsure.sharpened(SHARPENING).winning_chance(0) > unsure.winning_chance(0));
        let even = unsure.sharpened(SHARPENING).winning_chance(-6);
        assert!(even.0.abs_diff(Value::DRAW.0) <= 1);
    }
}
