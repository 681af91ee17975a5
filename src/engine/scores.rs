//! Scores of a report: those that the table has, and the evaluator's for moves whose position has no block.

use super::expert;
use crate::base::game::{Game, Move};
use crate::go::Position;
use crate::network::{Evaluator, Network};
use crate::search::{MoveReport, Report};
use crate::table::ScoreMean;
use std::collections::HashMap;
use std::sync::Arc;

/// Moves whose positions the evaluator is asked about in one report; the others have the root's score.
const MAX_ASKED: usize = 40;

/// Completes the scores of the reports of one search.
pub(super) struct ReportScores<'r> {
    root: &'r Position,
    network: &'r Arc<Network>,
    /// The evaluator's score after each move that it was asked about, for the next report.
    asked: HashMap<Move, Option<ScoreMean>>,
}

impl<'r> ReportScores<'r> {
    /// For reports on `root`.
    pub(super) fn new(root: &'r Position, network: &'r Arc<Network>) -> ReportScores<'r> {
        ReportScores { root, network, asked: HashMap::new() }
    }

    /// Gives moves with visits but without a score the evaluator's.
    pub(super) fn complete(&mut self, report: &mut Report) {
        let lacks_score = |it: &&mut MoveReport| it.black_score.is_none() && it.proven.is_none();
        let mut evaluator = None;
        for candidate in report.moves.iter_mut().filter(lacks_score).take(MAX_ASKED) {
            let score = *self.asked.entry(candidate.mv).or_insert_with(|| {
                let network = self.network;
                let evaluator =
                    evaluator.get_or_insert_with(|| Evaluator::new(Arc::clone(network), self.root.size()));
                let mut position = self.root.clone();
                position.play(candidate.mv);
                expert::ask_score(evaluator, &position)
            });
            candidate.black_score = score.map(|score| score.mean);
            candidate.score_deviation = score.map(|score| score.deviation);
        }
    }
}
