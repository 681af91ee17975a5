//! The network as the evaluator of a search: priors, value estimates and scores.

use super::evaluation::{SPREAD_DIVISOR, black_score, symmetry_of};
use super::pass_probability::{set_pass_probability, set_pass_probability_for_territory};
use crate::base::game::{Game, Prior};
use crate::base::value::{Estimate, Value};
use crate::go::prior::has_few_moves;
use crate::go::{Position, Scoring, Size};
use crate::network::probabilities::PROBABILITY_ONE;
use crate::network::{Evaluation, Evaluator, InputPosition, Network};
use crate::search::policy::Puct;
use crate::table;
use std::sync::Arc;

/// Returns the bytes that a network takes in a process with `threads` workers: the pages of its file, its weights, the
/// working memory of evaluators, and weights in [another order](Network::arrange_weights) if `has_tiles`.
#[must_use]
pub(super) fn network_memory_bytes(
    network: &Arc<Network>,
    size: Size,
    threads: usize,
    has_tiles: bool,
) -> u64 {
    let evaluator = Evaluator::bytes_for(network, size, has_tiles);
    let tiles = if has_tiles { network.arranged_bytes() } else { 0 };
    (network.file_bytes() + network.bytes() + tiles + threads.max(1) * evaluator) as u64
}

/// The evaluator of one worker. It allocates nothing per position.
pub struct NetworkEvaluator {
    evaluator: Evaluator,
    value_weight: u8,
    probabilities: Vec<u32>,
    /// Key of the root, and the noise mixed into its policy.
    noise: Option<(u64, Arc<[u32]>)>,
}

/// Right shift that gives the share of noise in a root's policy: a quarter. Source: Wu, arXiv 1902.10565, section 3.1.
const NOISE_SHIFT: u32 = 2;

impl NetworkEvaluator {
    /// Creates an evaluator for boards of the size of `root`. Value estimates have the weight of `value_weight` playouts;
    /// with 0 there are none.
    #[must_use]
    pub fn new(network: Arc<Network>, value_weight: u8, root: &Position) -> NetworkEvaluator {
        let size = root.size();
        let probabilities = vec![0; size.points() + 1];
        NetworkEvaluator {
            evaluator: Evaluator::new(network, size),
            value_weight,
            probabilities,
            noise: None,
        }
    }

    /// Mixes noise into the policy of the position with the key `root`: probabilities by move number, with the sum
    /// [`PROBABILITY_ONE`].
    #[must_use]
    pub fn with_root_noise(mut self, root: u64, noise: Arc<[u32]>) -> NetworkEvaluator {
        self.noise = Some((root, noise));
        self
    }

    /// Writes the priors of all moves, `None` for moves that are illegal ignoring history, and returns estimates of value
    /// and score. The network sees one symmetry of the position, chosen by its key. The value estimate is always present,
    /// with weight 0 if the network has no score or its value does not count.
    pub fn evaluate(&mut self, position: &Position, priors: &mut [Option<Prior>]) -> table::PageEvaluation {
        position.fill_legal(priors);
        let input = InputPosition::with_moves_in_key(position);
        let evaluation = self.evaluator.evaluate(&input, symmetry_of(position));
        evaluation.move_probabilities(|mv| priors[mv.index()].is_some(), &mut self.probabilities);
        if let Some((_, noise)) = self.noise.as_ref().filter(|(root, _)| *root == position.key()) {
            for (probability, noise) in self.probabilities.iter_mut().zip(noise.iter()) {
                *probability = *probability - (*probability >> NOISE_SHIFT) + (noise >> NOISE_SHIFT);
            }
        }
        let has_few = has_few_moves(&priors[..position.size().points()]);
        if position.rules().scoring == Scoring::Territory {
            let owner = |mv| evaluation.owner_probability(mv);
            set_pass_probability_for_territory(position, owner, &mut self.probabilities);
        } else {
            set_pass_probability(position, has_few, &mut self.probabilities);
        }
        for (prior, &probability) in priors.iter_mut().zip(&self.probabilities) {
            if let Some(prior) = prior {
                *prior = Puct::prior_from_probability(probability as f32 / PROBABILITY_ONE as f32);
            }
        }
        let score = evaluation.score.filter(|_| self.value_weight > 0);
        let score = score.map(|score| black_score(score, position));
        table::PageEvaluation { estimate: Some(estimate(&evaluation, &input, self.value_weight)), score }
    }
}

/// Returns the value estimate of a position. With weight 0 it only marks that the priors are an evaluator's.
fn estimate(evaluation: &Evaluation<'_>, input: &InputPosition<'_>, weight: u8) -> Estimate {
    match evaluation.score.filter(|_| weight > 0) {
        Some(score) => {
            let value = score.with_spread_divided(SPREAD_DIVISOR).win_rate(input.own_komi());
            Estimate { value, weight }
        }
        None => Estimate { value: Value::DRAW, weight: 0 },
    }
}
