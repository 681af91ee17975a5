//! An evaluator in another process as the engine uses it.

use super::EngineError;
use crate::base::game::{Game, Player, Prior};
use crate::base::pause::Pause;
use crate::base::value::{Estimate, Value};
use crate::base::zobrist::mix;
use crate::external::{AskError, ExternalEvaluation, ExternalEvaluator, Question};
use crate::go::Position;
use crate::search::policy::Puct;
use crate::table::{PageEvaluation, ScoreMean, Table};
use std::num::NonZeroU64;

/// Number of orientations of the board in evaluations of a root for reports.
const REPORT_SYMMETRIES: u8 = 8;

/// Writes the priors of all moves, `None` for moves that are illegal ignoring history, and returns estimates of value and
/// score. The wait for the answer ends when `stop` returns true.
///
/// # Errors
/// Returns an error as [`ExternalEvaluator::ask`] does.
pub(super) fn evaluate(
    evaluator: &ExternalEvaluator,
    position: &Position,
    priors: &mut [Option<Prior>],
    pause: &dyn Pause,
    stop: &dyn Fn() -> bool,
) -> Result<PageEvaluation, AskError> {
    let evaluation = evaluator.ask(&Question::new(position, false, 1), pause, stop)?;
    position.fill_legal(priors);
    let uniform = 1.0 / priors.len() as f32;
    for (prior, probability) in priors.iter_mut().zip(&evaluation.policy) {
        // Superko may forbid a move on one path to the position and allow it on another: it gets a uniform probability.
        prior
            .as_mut()
            .into_iter()
            .for_each(|prior| *prior = Puct::prior_from_probability(probability.unwrap_or(uniform)));
    }
    let for_black = evaluation.black_win_rate;
    let win_rate = if position.to_play() == Player::Black { for_black } else { 1.0 - for_black };
    let value = Value((win_rate * f64::from(u32::MAX)) as u32);
    let score = Some(score(&evaluation, position));
    Ok(PageEvaluation { estimate: Some(Estimate { value, weight: 1 }), score })
}

/// Returns the error of a search that a failure of the evaluator ended; the root has `visits` from it and earlier searches.
pub(super) fn incomplete(failure: String, visits: u64) -> EngineError {
    let reason = match visits {
        0 => failure,
        _ => format!("{failure}; the search is incomplete: the position has {visits} visits, which are kept"),
    };
    EngineError::Evaluator { reason }
}

/// Returns the error of a search that was over before its first evaluation.
pub(super) fn no_answer(evaluator: &ExternalEvaluator) -> EngineError {
    let reason = match evaluator.progress() {
        Some(progress) if !progress.is_empty() => {
            format!("the evaluator has not answered in time: the search waited for {progress}")
        }
        _ => "the evaluator has not answered in time".to_owned(),
    };
    EngineError::Evaluator { reason }
}

/// Returns the score of an evaluation, Black's points before komi, with the weight of one sample.
fn score(evaluation: &ExternalEvaluation, position: &Position) -> ScoreMean {
    let points = position.size().points() as f64;
    ScoreMean {
        mean: (evaluation.black_lead + position.score_komi().points()).clamp(-points, points),
        deviation: evaluation.score_deviation.min(points),
        weight: 1.0,
    }
}

/// Returns the ownership and the policy for a report; `None` if there is no answer.
pub(super) fn evaluate_for_report(
    evaluator: &ExternalEvaluator,
    position: &Position,
) -> Option<ExternalEvaluation> {
    evaluator.ask_for_report(&root_question(position))
}

/// Returns the question for the policy and the ownership of a root, for reports.
pub(super) fn root_question(position: &Position) -> Question {
    Question::new(position, true, REPORT_SYMMETRIES)
}

/// Returns the question for the ownership of a position after a move of the root, for reports. It has one orientation:
/// there are dozens of such positions, and the search waits for the same evaluator.
pub(super) fn move_question(position: &Position) -> Question {
    Question::new(position, true, 1)
}

/// Returns the probabilities of the moves by their stored priors, which are rounded down, with the sum 1. The other legal
/// moves share the rest, but each has at most the best prior among them. `None` if the position has no page.
pub(super) fn stored_policy(table: &Table, position: &Position) -> Option<Vec<f64>> {
    let first = table.page(&table.find(position.key())?)?;
    let mut legal = vec![None; position.size().points() + 1];
    position.fill_legal(&mut legal);
    let mut stored: Vec<Option<f64>> = vec![None; legal.len()];
    let probability = |prior: Prior| f64::from(Puct::probability(f32::from(prior.wins)));
    let mut best_of_rest = None;
    for page in table.chain(first) {
        for (number, edge) in page.moves() {
            stored[usize::from(number)] = Some(probability(edge.prior()));
        }
        best_of_rest = page.rest().map(probability);
    }
    let others =
        legal.iter().zip(&stored).filter(|(legal, stored)| legal.is_some() && stored.is_none()).count();
    let sum: f64 = stored.iter().flatten().sum();
    let share = ((1.0 - sum).max(0.0) / others.max(1) as f64).min(best_of_rest.unwrap_or(0.0));
    let all = sum + share * others as f64;
    let policy = legal.iter().zip(&stored);
    Some(policy.map(|(legal, stored)| legal.map_or(0.0, |_| stored.unwrap_or(share) / all)).collect())
}

/// Returns the identity of an evaluator's results in table files: a number that depends on the name of its model.
pub(super) fn identity(evaluator: &ExternalEvaluator) -> NonZeroU64 {
    let name = evaluator.name().unwrap_or_else(|| evaluator.command());
    let hash = name.bytes().fold(mix(EXTERNAL), |hash, byte| mix(hash ^ u64::from(byte)));
    NonZeroU64::new(hash).unwrap_or(NonZeroU64::MIN)
}

/// Salt of the identities of evaluators in another process, which sets them apart from those of networks.
const EXTERNAL: u64 = 0x6576_616c_7561_746f;
