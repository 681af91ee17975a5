//! What a network adds to a search of Go: priors by its policy, and an estimate of a position's value.

use crate::base::game::{Game, Move, Outcome, Player, Prior};
use crate::base::value::{Estimate, Value};
use crate::go::board::cell;
use crate::go::prior::has_few_moves;
use crate::go::unconditional::unconditional_owners;
use crate::go::{Point, Position, Scoring, Size};
use crate::network::probabilities::PROBABILITY_ONE;
use crate::network::{Evaluation, Evaluator, InputPosition, Network, ScoreEstimate, Symmetry};
use crate::search::policy::Puct;
use crate::table::{self, ScoreMean};
use std::sync::Arc;

/// How many times as sure of the result the search is as the network. The network learned how games between weaker
/// players end; a search that is stronger seldom loses what it should win.
const SHARPENING: i64 = 2;

/// Playouts that the estimate of a position's value counts like, unless the user says otherwise.
pub const VALUE_WEIGHT: u8 = 3;

/// Bytes that a network takes in a process with so many workers: its file's pages, its weights, and what it works in, with
/// what is needed for [tiles](Network::make_tile_weights) if there are to be any.
#[must_use]
pub fn memory(network: &Arc<Network>, size: Size, threads: usize, has_tiles: bool) -> u64 {
    let evaluator = Evaluator::bytes_for(network, size, has_tiles);
    let tiles = if has_tiles { network.tile_bytes() } else { 0 };
    (network.file_bytes() + network.bytes() + tiles + threads.max(1) * evaluator) as u64
}

/// Judges positions for one worker; nothing is allocated for a position.
pub struct Expert {
    evaluator: Evaluator,
    value_weight: u8,
    chances: Vec<u32>,
    /// Key of the root, and what is mixed into the policy there.
    noise: Option<(u64, Arc<[u32]>)>,
}

/// The chance of a pass that does not end the game where few moves are left: it is tried in some fifty visits where all of
/// them are worse.
const CHANCE_BESIDE_FEW: u32 = PROBABILITY_ONE / 64;

/// What is left of the chance of a move that fills an own eye: a sixteenth.
const EYE_SHIFT: u32 = 4;
/// The least sum of the chances of such moves, and of the pass, that says that there may be nothing better.
const LEAST_OF_NOTHING: u32 = PROBABILITY_ONE / 16;

/// Chance of an owner above which a point is settled.
const SETTLED_OWNER: f64 = 0.9;

/// The part of a root's policy that is noise, where there is any: a fourth. Source: Wu, arXiv 1902.10565, section 3.1.
const NOISE_SHIFT: u32 = 2;

impl Expert {
    /// For boards of the size of `root`. A value counts like `value_weight` playouts; with 0 it is left out.
    #[must_use]
    pub fn new(network: Arc<Network>, value_weight: u8, root: &Position) -> Expert {
        let size = root.size();
        let chances = vec![0; size.points() + 1];
        Expert { evaluator: Evaluator::new(network, size), value_weight, chances, noise: None }
    }

    /// The same with noise mixed into the policy of the position with the key `root`: chances by move number, which
    /// sum to [`PROBABILITY_ONE`].
    #[must_use]
    pub fn with_noise(mut self, root: u64, noise: Arc<[u32]>) -> Expert {
        self.noise = Some((root, noise));
        self
    }

    /// Writes the priors of all moves, `None` where one is not legal ignoring history, and estimates value and score. The position
    /// is looked at under one symmetry, chosen by its key. There is always an estimate.
    pub fn judge(&mut self, position: &Position, priors: &mut [Option<Prior>]) -> table::BlockEvaluation {
        position.fill_legal(priors);
        let situation = InputPosition::with_moves_in_key(position);
        let evaluation = self.evaluator.evaluate(&situation, symmetry_of(position));
        evaluation.move_probabilities(|mv| priors[mv.index()].is_some(), &mut self.chances);
        if let Some((_, noise)) = self.noise.as_ref().filter(|(root, _)| *root == position.key()) {
            for (chance, noise) in self.chances.iter_mut().zip(noise.iter()) {
                *chance = *chance - (*chance >> NOISE_SHIFT) + (noise >> NOISE_SHIFT);
            }
        }
        let has_few = has_few_moves(&priors[..position.size().points()]);
        if position.rules().scoring == Scoring::Territory {
            let owner = |mv| evaluation.owner_probability(mv);
            judge_pass_for_territory(position, owner, &mut self.chances);
        } else {
            judge_pass(position, has_few, &mut self.chances);
        }
        for (prior, &chance) in priors.iter_mut().zip(&self.chances) {
            if let Some(prior) = prior {
                *prior = Puct::prior_from_probability(chance as f32 / PROBABILITY_ONE as f32);
            }
        }
        let score = evaluation.score.filter(|_| self.value_weight > 0);
        let score = score.map(|score| black_score(score, position));
        table::BlockEvaluation { estimate: Some(estimate(&evaluation, &situation, self.value_weight)), score }
    }
}

/// What a network says of a position, in the terms of reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion {
    /// The chance of every move that is legal and not banned by superko, by move number. They sum to 1.
    pub policy: Vec<f64>,
    /// Black's chance to win; `None` if the network was not trained on scores.
    pub black_winrate: Option<f64>,
    /// The final score under the rules in points, Black's view, before komi; `None` if the network was not trained on scores.
    pub black_score: Option<f64>,
    /// Standard deviation of the final score; `None` if the network was not trained on scores.
    pub score_deviation: Option<f64>,
    /// Whose each point will be by move number, from -1 for White to 1 for Black; `None` if the network was not trained on
    /// owners.
    pub ownership: Option<Vec<f64>>,
}

/// Asks a network about a position: the mean of what it says under all symmetries, which knows a little more than each, and
/// does not depend on how the board is turned. Points that are [settled](unconditional_owners) have their owners, and the score
/// has those points. For reports; [`Expert::judge`] asks under one symmetry, and of the network alone.
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

/// Number of symmetries that [`ask_under`] knows for boards of `size`.
#[must_use]
pub fn symmetry_count(size: Size) -> u8 {
    Symmetry::count(size)
}

/// Asks a network about a position under one symmetry, by its number from 0, and of nothing but the network.
#[must_use]
pub fn ask_under(network: &Arc<Network>, position: &Position, symmetry: u8) -> Opinion {
    let symmetry = Symmetry::from_number(symmetry.into(), position.size());
    let mut evaluator = Evaluator::new(Arc::clone(network), position.size());
    let unsettled = vec![None; position.size().points()];
    opinion_under(&mut evaluator, position, symmetry, &unsettled)
}

/// What the network says under one symmetry, where the points of `settled` have their owners.
fn opinion_under(
    evaluator: &mut Evaluator,
    position: &Position,
    symmetry: Symmetry,
    settled: &[Option<Player>],
) -> Opinion {
    let situation = InputPosition::with_moves_in_key(position);
    let evaluation = evaluator.evaluate(&situation, symmetry);
    let mut chances = vec![0; position.size().points() + 1];
    evaluation.move_probabilities(|mv| position.check(mv).is_ok(), &mut chances);
    let all = chances.iter().map(|&chance| u64::from(chance)).sum::<u64>().max(1) as f64;
    let sign = sign_of(position.to_play());
    // What the network said too little of the settled points, for Black.
    let mut missed = 0.0;
    let owner = |(point, owner): (usize, &Option<Player>)| {
        let said = sign * (2.0 * evaluation.owner_probability(Move(point as u16))?.as_f64() - 1.0);
        let owned = owner.map_or(said, sign_of);
        missed += owned - said;
        Some(owned)
    };
    let ownership: Option<Vec<f64>> = settled.iter().enumerate().map(owner).collect();
    let estimate = evaluation.score.map(|estimate| estimate.with_mean_raised(sign * missed));
    let score = estimate.map(|estimate| black_score(estimate, position));
    Opinion {
        policy: chances.iter().map(|&chance| f64::from(chance) / all).collect(),
        black_winrate: estimate
            .map(|estimate| 0.5 + sign * (estimate.win_rate(situation.own_komi()).as_f64() - 0.5)),
        black_score: score.map(|score| score.mean),
        score_deviation: score.map(|score| score.deviation),
        ownership,
    }
}

impl Opinion {
    /// The final score, Black's points before komi, with the weight of one sample.
    pub(super) fn score(&self) -> Option<ScoreMean> {
        let (mean, deviation) = self.black_score.zip(self.score_deviation)?;
        Some(ScoreMean { mean, deviation, weight: 1.0 })
    }

    /// The sum with another opinion of the same network, number by number.
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

    /// The opinion with every number multiplied by `factor`.
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

/// The chance of a pass, by move number the last of `chances`, which are the network's. What it leads to where it ends the
/// game is known. Else it has most of the chances of moves that fill an own eye, beside its own: who has nothing better
/// passes. Where they are little, as in the middle of a game, it has none, for a network has hardly seen a pass there and may
/// think anything of it; but where few moves are left it is always tried.
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

/// Judges the pass under territory scoring, where moves inside the own territory cost a point. `owner` is the probability
/// that a point will be the player's. Once most points have an owner the pass has half of the probability of moves inside the
/// own territory, and never less than [`CHANCE_BESIDE_FEW`]; before, none.
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

/// The chance of a pass that ends the game with an outcome for the player.
fn chance_of_ending_pass(outcome: Outcome) -> u32 {
    match outcome {
        Outcome::Win => PROBABILITY_ONE,
        Outcome::Draw => PROBABILITY_ONE / 4,
        Outcome::Loss => 0,
    }
}

/// Those of `chances`, by move number, that are of moves which fill an eye of the player to move.
fn of_own_eyes<'c>(position: &Position, chances: &'c mut [u32]) -> impl Iterator<Item = &'c mut u32> {
    let (board, player) = (position.board(), position.to_play());
    let fills_eye = move |point: Point| board.cell(point) == cell::EMPTY && board.is_eye(point, player);
    let points = &board.geometry().points;
    points.iter().zip(chances).filter(move |(point, _)| fills_eye(**point)).map(|(_, chance)| chance)
}

/// The network's score of `position` under its rules for Black, before komi, with the certainty of the search. It has the
/// weight of one visit.
fn black_score(score: ScoreEstimate, position: &Position) -> ScoreMean {
    let points = position.size().points() as f64;
    let lead = score.lead(0).clamp(-points, points);
    let area = if position.to_play() == Player::Black { lead } else { -lead };
    ScoreMean {
        mean: area - f64::from(position.area_offset()),
        deviation: score.with_spread_divided(SHARPENING).deviation().min(points),
        weight: 1.0,
    }
}

/// The score of a position, as the search would get it with the block; `None` if the network was not trained on scores.
#[must_use]
pub fn ask_score(evaluator: &mut Evaluator, position: &Position) -> Option<ScoreMean> {
    let situation = InputPosition::with_moves_in_key(position);
    let evaluation = evaluator.evaluate(&situation, symmetry_of(position));
    evaluation.score.map(|score| black_score(score, position))
}

/// The ownership of a position under one symmetry, chosen by its key, with settled points as they are; see
/// [`Opinion::ownership`].
#[must_use]
pub fn ask_ownership(evaluator: &mut Evaluator, position: &Position) -> Option<Vec<f64>> {
    let settled = unconditional_owners(position.board(), position.rules().suicide);
    opinion_under(evaluator, position, symmetry_of(position), &settled).ownership
}

/// 1 for Black, -1 for White.
fn sign_of(player: Player) -> f64 {
    if player == Player::Black { 1.0 } else { -1.0 }
}

/// One symmetry for each position, so that the same position always gets the same answer.
fn symmetry_of(position: &Position) -> Symmetry {
    Symmetry::from_number(position.key(), position.size())
}

/// The estimate of a position's value; of no weight where there is none, which says that the moves are judged.
fn estimate(evaluation: &Evaluation<'_>, situation: &InputPosition<'_>, weight: u8) -> Estimate {
    match evaluation.score.filter(|_| weight > 0) {
        Some(score) => {
            let value = score.with_spread_divided(SHARPENING).win_rate(situation.own_komi());
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
        assert_eq!(unsure.with_spread_divided(SHARPENING).win_rate(0), sure.win_rate(0));
        assert!(unsure.with_spread_divided(SHARPENING).win_rate(0) > unsure.win_rate(0));
        let even = unsure.with_spread_divided(SHARPENING).win_rate(-6);
        assert!(even.0.abs_diff(Value::DRAW.0) <= 1);
    }
}
