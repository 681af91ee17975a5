//! Scores in reports: those stored in the table, and the evaluator's for moves to positions without a page.

use super::evaluation;
use crate::base::game::{Game, Move};
use crate::go::Position;
use crate::network::{Evaluator, Network};
use crate::search::{MoveReport, Report};
use crate::table::ScoreMean;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of scores added to a report; the other moves are reported with the root's score.
const MAX_EVALUATED: usize = 40;

/// Completes the scores in the reports on one search.
pub(super) struct ReportScores<'r> {
    root: &'r Position,
    network: &'r Arc<Network>,
    /// The evaluator's score after each move, for later reports.
    evaluated: HashMap<Move, Option<ScoreMean>>,
}

impl<'r> ReportScores<'r> {
    /// Creates the scores for reports on `root`.
    pub(super) fn new(root: &'r Position, network: &'r Arc<Network>) -> ReportScores<'r> {
        ReportScores { root, network, evaluated: HashMap::new() }
    }

    /// Adds the evaluator's score to moves that have visits but neither a score nor a proof.
    pub(super) fn complete(&mut self, report: &mut Report) {
        let lacks_score = |it: &&mut MoveReport| it.black_score.is_none() && it.proven.is_none();
        let mut evaluator = None;
        for candidate in report.moves.iter_mut().filter(lacks_score).take(MAX_EVALUATED) {
            let score = *self.evaluated.entry(candidate.mv).or_insert_with(|| {
                let network = self.network;
                let evaluator =
                    evaluator.get_or_insert_with(|| Evaluator::new(Arc::clone(network), self.root.size()));
                let mut position = self.root.clone();
                position.play(candidate.mv);
                evaluation::evaluate_score(evaluator, &position)
            });
            candidate.black_score = score.map(|score| score.mean);
            candidate.score_deviation = score.map(|score| score.deviation);
        }
    }
}
