//! Ownership in reports: a mean of the evaluator's ownership of a position and of the main line from it. It depends on
//! the position, not on the playouts of one run. An evaluator in another process is asked for the root and the positions
//! after its moves only, without a mean. Without an evaluator the playouts of the search count, or playouts made for the
//! report.
//!
//! O(s_0) = Σ (N_i - N_{i+1})·E(s_i) / N_0 over the positions s_0, s_1, … of the line, where E is the evaluator's ownership
//! and N_i the visits of the line up to s_i. It equals the mean over the graph if no other move changes the ownership.

use super::Engine;
use super::evaluation;
use super::external;
use crate::base::game::{Game, Move};
use crate::base::ownership::Ownership;
use crate::external::{ExternalEvaluator, REPORT_LIMIT, ReportAnswer, ReportQuestion};
use crate::go::{Position, playout_ownership};
use crate::network::{Evaluator, Network};
use crate::search::{MoveReport, Report};
use crate::table::Counters;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of positions after the root in the ownership of the root.
const MAX_ROOT_LINE: usize = 4;
/// Maximum number of positions after a move of the root in the ownership of that move.
const MAX_MOVE_LINE: usize = 2;
/// Number of playouts of a root without an evaluator and without playouts of the search.
const PLAYOUTS: u32 = 400;
/// The same for positions that an evaluator in another process is not asked about.
const PLAYOUTS_WITHOUT_QUESTIONS: u32 = 32;
/// Number of playouts of the position after a move without an evaluator.
const MOVE_PLAYOUTS: u32 = 100;

/// Time that a report waits for an evaluator in another process while the search runs or its time is up: nothing else is
/// looked at meanwhile, neither limits nor input.
pub const LIVE_REPORT_WAIT: Duration = Duration::from_millis(100);
/// Time that a report on a finished search without a limit of time waits.
pub const FINAL_REPORT_WAIT: Duration = REPORT_LIMIT;

/// The ownership of a root and its moves, for the reports on one search: means by move number, from -1 for White to 1 for
/// Black.
pub struct LineOwnership {
    root: Position,
    network: Option<Arc<Network>>,
    external: Option<Arc<ExternalEvaluator>>,
    /// False if the evaluator in another process is not asked for positions of which it has stored no ownership.
    asks: bool,
    /// Created from the network when first used.
    evaluator: Option<Evaluator>,
    seed: u64,
    /// Number of playouts of a root without an evaluator.
    playouts: u32,
    /// The evaluator's ownership by the key of the position; `None` if it has none, such as a network that was not trained on
    /// owners.
    evaluated: HashMap<u64, Option<Vec<f64>>>,
    /// The ownership of the root by playouts made for the reports, once there is one.
    unsearched: Option<Vec<f64>>,
    /// Questions to an evaluator in another process that have no answer yet, by the key of the position.
    sent: HashMap<u64, ReportQuestion>,
    /// The time until which the present report waits for answers.
    until: Instant,
}

impl Engine {
    /// Returns the ownership in a report on `root`, or that of the evaluator in another process, which reports do not
    /// contain.
    #[must_use]
    pub fn known_ownership(&self, root: &Position, report: &Report) -> Ownership {
        let mut ownership = report.ownership.clone();
        if ownership.is_unknown() && self.options.external.is_some() {
            self.evaluated_ownership(root).into_iter().for_each(|owners| ownership.set_estimate(owners));
        }
        ownership
    }

    /// Stores the answers of an evaluator in another process, so that no report asks for them again.
    pub fn store_ownership(&self, line: &LineOwnership) {
        for (key, owners) in line.evaluated.iter().filter(|_| line.external.is_some()) {
            let owners = owners.as_deref().unwrap_or_default();
            self.table.store_ownership(*key, owners, &mut Counters::default());
        }
    }

    /// Returns the stored ownership of a position and of those after its visited moves.
    fn stored_ownership(&self, root: &Position) -> HashMap<u64, Option<Vec<f64>>> {
        let page = self.table.find(root.key()).and_then(|entry| self.table.page(&entry));
        let pages = page.into_iter().flat_map(|first| self.table.chain(first));
        let visited =
            pages.flat_map(|page| page.moves().filter(|(_, edge)| edge.visits() > 0).collect::<Vec<_>>());
        let after = visited.map(|(number, _)| {
            let mut position = root.clone();
            position.play(Move(number));
            position
        });
        let positions = std::iter::once(root.clone()).chain(after);
        let stored = |position: Position| {
            let owners = self.table.ownership(position.key(), position.size().points())?;
            Some((position.key(), Some(owners)))
        };
        positions.filter_map(stored).collect()
    }

    /// Returns the evaluator's ownership of a position, by move number, from -1 for White to 1 for Black; `None` without an
    /// evaluator of owners.
    pub(super) fn evaluated_ownership(&self, position: &Position) -> Option<Vec<f64>> {
        if let Some(evaluator) = &self.options.external {
            let mut line = self.line_ownership(position);
            let position = line.root.clone();
            line.send(evaluator, &position);
            let owners = line.answer(evaluator, &position);
            self.store_ownership(&line);
            return owners;
        }
        let mut position = position.clone();
        self.prepare(&mut position);
        let network = self.network.as_ref().filter(|_| self.options.estimate_weight() > 0)?;
        evaluation::evaluate(network, &position).ownership
    }

    /// Returns the ownership for reports on searches of `root`.
    #[must_use]
    pub fn line_ownership(&self, root: &Position) -> LineOwnership {
        let mut root = root.clone();
        self.prepare(&mut root);
        let network = self.network.clone().filter(|_| self.options.estimate_weight() > 0);
        let external = self.options.external.clone();
        let evaluated = if external.is_some() { self.stored_ownership(&root) } else { HashMap::new() };
        LineOwnership {
            root,
            network,
            external,
            asks: true,
            evaluator: None,
            seed: self.options.parameters.seed,
            playouts: PLAYOUTS,
            evaluated,
            unsearched: None,
            sent: HashMap::new(),
            until: Instant::now() + FINAL_REPORT_WAIT,
        }
    }
}

impl LineOwnership {
    /// Returns the same without questions to an evaluator in another process that would start for them alone: a review
    /// that is repeated, or of analyses learned from records, asks nothing.
    #[must_use]
    pub fn without_start(self) -> LineOwnership {
        match &self.external {
            Some(external) if !external.is_running() => {
                LineOwnership { asks: false, playouts: PLAYOUTS_WITHOUT_QUESTIONS, ..self }
            }
            _ => self,
        }
    }

    /// Begins a report: sends an evaluator in another process all questions about the root and the positions after `moves`.
    /// The report waits `wait` at most for all answers together. One that comes later is in a later report; until then the
    /// ownership is that of playouts, and after a move that of the root.
    pub fn begin_report<'m>(&mut self, moves: impl IntoIterator<Item = &'m MoveReport>, wait: Duration) {
        self.until = Instant::now() + wait;
        let Some(external) = self.external.clone() else { return };
        let root = self.root.clone();
        self.send(&external, &root);
        for mv in moves {
            self.send(&external, &after(&root, mv.mv));
        }
    }

    /// Returns the ownership of the root.
    pub fn of_root(&mut self, report: &Report) -> Vec<f64> {
        let root = self.root.clone();
        if let Some(external) = self.external.clone() {
            self.send(&external, &root);
            if let Some(of_root) = self.answer(&external, &root) {
                return of_root;
            }
        }
        if report.ownership.is_unknown() {
            return self.of_unsearched_root();
        }
        let of_root = report.ownership.means_for_black(root.size().points());
        let Some(best) = report.best() else { return of_root };
        let line: Vec<(Move, u64)> = line_of(best).take(MAX_ROOT_LINE).collect();
        self.along_line(of_root, report.root.visits, root, &line)
    }

    /// Returns the ownership of the position after a move of the root.
    pub fn after(&mut self, mv: &MoveReport) -> Vec<f64> {
        let position = after(&self.root, mv.mv);
        if let Some(external) = self.external.clone() {
            let (of_move, root) = (self.answer(&external, &position), self.root.clone());
            let known = of_move.or_else(|| self.answer(&external, &root));
            return known.unwrap_or_else(|| self.of_unsearched_root());
        }
        match self.evaluate(&position) {
            Some(of_position) => {
                let line: Vec<(Move, u64)> = line_of(mv).skip(1).take(MAX_MOVE_LINE).collect();
                self.along_line(of_position, mv.visits.max(mv.edge_visits), position, &line)
            }
            None => {
                let owners = playout_ownership::by_playouts(&position, MOVE_PLAYOUTS, self.seed);
                owners.means_for_black(position.size().points())
            }
        }
    }

    /// Returns the ownership of the root by playouts made for the reports.
    fn of_unsearched_root(&mut self) -> Vec<f64> {
        let (root, playouts, seed) = (&self.root, self.playouts, self.seed);
        let by_playouts =
            || playout_ownership::by_playouts(root, playouts, seed).means_for_black(root.size().points());
        self.unsearched.get_or_insert_with(by_playouts).clone()
    }

    /// Returns the mean of `of_position`, the ownership of a position with `visits`, and of the positions along `line`.
    fn along_line(
        &mut self,
        of_position: Vec<f64>,
        visits: u64,
        mut position: Position,
        line: &[(Move, u64)],
    ) -> Vec<f64> {
        let mut parts = vec![of_position];
        let mut reached = vec![visits];
        for &(mv, edge_visits) in line {
            position.play(mv);
            let Some(owners) = (!position.is_over()).then(|| self.evaluate(&position)).flatten() else {
                break;
            };
            parts.push(owners);
            reached.push(edge_visits.min(*reached.last().unwrap_or(&0)));
        }
        weighted_mean(&parts, &reached)
    }

    /// Sends the question about a position that has no answer and was not sent yet.
    fn send(&mut self, external: &ExternalEvaluator, position: &Position) {
        let key = position.key();
        if self.evaluated.contains_key(&key) || self.sent.contains_key(&key) {
            return;
        }
        let is_root = key == self.root.key();
        let question =
            if is_root { external::root_question(position) } else { external::move_question(position) };
        match external.known_for_report(&question) {
            Some(known) => drop(self.evaluated.insert(key, known.ownership)),
            None => {
                let sent = self.asks.then(|| external.send_for_report(question)).flatten();
                sent.map(|sent| self.sent.insert(key, sent));
            }
        }
    }

    /// Returns the ownership that an evaluator in another process gave the position, now or before; `None` if it has not
    /// answered when the report's time is up.
    fn answer(&mut self, external: &ExternalEvaluator, position: &Position) -> Option<Vec<f64>> {
        let key = position.key();
        if let Some(sent) = self.sent.get(&key) {
            let answer = external.answer_for_report(sent, self.until);
            if !matches!(answer, ReportAnswer::Waiting) {
                // After a failure the next report asks again.
                self.sent.remove(&key);
            }
            if let ReportAnswer::Answered(evaluation) = answer {
                self.evaluated.insert(key, evaluation.ownership);
            }
        }
        self.evaluated.get(&key).cloned().flatten()
    }

    fn evaluate(&mut self, position: &Position) -> Option<Vec<f64>> {
        let network = self.network.as_ref()?;
        let new_evaluator = || Evaluator::new(Arc::clone(network), position.size());
        let evaluator = self.evaluator.get_or_insert_with(new_evaluator);
        let evaluated = self.evaluated.entry(position.key());
        evaluated.or_insert_with(|| evaluation::evaluate_ownership(evaluator, position)).clone()
    }
}

/// Returns the position after a move.
fn after(root: &Position, mv: Move) -> Position {
    let mut position = root.clone();
    position.play(mv);
    position
}

/// Returns the moves of the line that begins with a move, each with its visits.
fn line_of(mv: &MoveReport) -> impl Iterator<Item = (Move, u64)> {
    mv.pv.iter().copied().zip(mv.pv_edge_visits.iter().copied())
}

/// Returns the mean by the formula of this module. `reached`, the visits N_i, never increases and is as long as `parts`.
fn weighted_mean(parts: &[Vec<f64>], reached: &[u64]) -> Vec<f64> {
    let Some(first) = parts.first() else { return Vec::new() };
    let all = reached[0];
    if all == 0 {
        return first.clone();
    }
    let next = reached[1..].iter().chain(&[0]);
    let weights: Vec<f64> =
        reached.iter().zip(next).map(|(here, next)| (here - next) as f64 / all as f64).collect();
    let mean = |point| parts.iter().zip(&weights).map(|(part, weight)| weight * part[point]).sum();
    (0..first.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_a_line_count_by_the_visits_that_end_there() {
        let parts = [vec![1.0, 0.0], vec![0.0, 0.0], vec![-1.0, 1.0]];
        assert_eq!(weighted_mean(&parts, &[10, 5, 2]), [0.3, 0.2]);
        assert_eq!(weighted_mean(&parts[..1], &[10]), [1.0, 0.0]);
        assert_eq!(weighted_mean(&parts, &[0, 0, 0]), [1.0, 0.0], "without visits the position alone counts");
    }
}
