//! Noise in the priors of a root, which makes a search try moves of low policy.

use crate::base::game::Move;
use crate::go::Position;
use crate::network::probabilities::PROBABILITY_ONE;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

/// Sum of the parameters of the Dirichlet distribution. Source: Wu, arXiv 1902.10565, section 3.1.
const TOTAL_ALPHA: f64 = 10.83;

/// Draws a distribution over the legal moves of `position` from a Dirichlet distribution, by move number in units of
/// 1/[`PROBABILITY_ONE`]; `None` if no move is legal.
pub(super) fn draw(position: &Position, random: &mut ChaCha8Rng) -> Option<Vec<u32>> {
    let moves = position.size().points() + 1;
    let is_legal: Vec<bool> = (0..moves as u16).map(|mv| position.check(Move(mv)).is_ok()).collect();
    let legal = is_legal.iter().filter(|&&legal| legal).count();
    let gamma = Gamma::new(TOTAL_ALPHA / legal as f64, 1.0).ok()?;
    let drawn: Vec<f64> =
        is_legal.iter().map(|&legal| if legal { gamma.sample(random) } else { 0.0 }).collect();
    let all = drawn.iter().sum::<f64>();
    (all > 0.0).then(|| drawn.iter().map(|part| (part / all * f64::from(PROBABILITY_ONE)) as u32).collect())
}
