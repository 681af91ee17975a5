//! The result of a search, read from the table.

use super::main_line::MainLine;
use super::policy::SelectionPolicy;
use super::proof;
use super::ranked_moves::{RankedMove, ranked_moves, split_off_untried, stored_score};
use super::score;
use crate::base::game::{Bounds, Game, Move, Outcome, Player};
use crate::base::ownership::Ownership;
use crate::base::value::Value;
use crate::table::{Census, Counters, ScoreMean, Table};
use std::time::Duration;

/// Search results of the root.
#[derive(Clone, Debug)]
pub struct RootReport {
    /// The player to move.
    pub to_play: Player,
    /// Visits, those of earlier searches included.
    pub visits: u64,
    /// Value for the player to move.
    pub value: Value,
    /// Proven bounds of Black's score.
    pub bounds: Bounds,
    /// The outcome for the player to move, if it is proven.
    pub proven: Option<Outcome>,
    /// Expected final score of the position, Black's points before komi, within the bounds; `None` if no score is known.
    pub black_score: Option<f64>,
    /// Standard deviation of the final score; `None` if no score is known.
    pub score_deviation: Option<f64>,
    /// The mean of the score samples of simulations, without the evaluator's score of the root: X of `score`.
    pub sampled_score: Option<ScoreMean>,
}

impl RootReport {
    /// Returns the expected final score and its standard deviation, Black's points before komi; `None` if no score is
    /// known.
    #[must_use]
    pub fn score(&self) -> Option<(f64, f64)> {
        self.black_score.zip(self.score_deviation)
    }
}

/// Search results of one move of the root.
#[derive(Clone, Debug)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// N(s,a): the number of simulations that chose the move at the root.
    pub edge_visits: u64,
    /// Visits of the position after the move, those by transpositions included; the edge visits if it has no entry.
    pub visits: u64,
    /// Value for the player making the move. It contains the root's value estimate while the position after the move has
    /// none of its own.
    pub value: Value,
    /// The outcome for the player making the move, if it is proven.
    pub proven: Option<Outcome>,
    /// The evaluator's probability of the move; without an evaluator the prior's wins plus one half. Normalised to a
    /// sum of 1 over all legal moves.
    pub prior: f64,
    /// Expected final score of the position after the move, Black's points before komi; `None` if no score is known.
    pub black_score: Option<f64>,
    /// Standard deviation of the final score; `None` if no score is known.
    pub score_deviation: Option<f64>,
    /// The main line, beginning with the move.
    pub pv: Vec<Move>,
    /// Visits of the position after each move of the main line.
    pub pv_visits: Vec<u64>,
    /// Edge visits of each move of the main line.
    pub pv_edge_visits: Vec<u64>,
}

/// Standard deviations from the value to its lower bound: 99 % of a normal distribution, two-sided.
const LOWER_BOUND_DEVIATIONS: f64 = 2.576;

impl MoveReport {
    /// Returns the lower confidence bound of the win rate (99 %, two-sided), visits as Bernoulli trials.
    #[must_use]
    pub fn lower_bound(&self) -> f64 {
        (self.value.as_f64() - self.value_error()).max(0.0)
    }

    /// Returns the expected lead of `player` after the move, in points before komi.
    #[must_use]
    pub fn lead(&self, player: Player) -> Option<f64> {
        self.black_score.map(|score| if player == Player::Black { score } else { -score })
    }

    /// Returns half the width of the 99 % confidence interval of the win rate, visits as Bernoulli trials; 0 if the
    /// outcome is proven.
    #[must_use]
    pub fn value_error(&self) -> f64 {
        let (value, visits) = (self.value.as_f64(), self.visits.max(self.edge_visits).max(1) as f64);
        if self.proven.is_some() {
            return 0.0;
        }
        LOWER_BOUND_DEVIATIONS * (value * (1.0 - value) / visits).sqrt()
    }
}

#[cfg(test)]
impl MoveReport {
    /// Returns an unproven move with the given win rate, without a prior and without scores.
    pub(crate) fn visited(number: u16, win_rate: f64, visits: u64) -> MoveReport {
        MoveReport {
            mv: Move(number),
            edge_visits: visits,
            visits,
            value: Value((win_rate * f64::from(u32::MAX)) as u32),
            proven: None,
            prior: 0.0,
            black_score: None,
            score_deviation: None,
            pv: vec![Move(number)],
            pv_visits: vec![visits],
            pv_edge_visits: vec![visits],
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Report {
    /// Results of the root.
    pub root: RootReport,
    /// Owners of the points at the end of this run's playouts; empty without playouts and in games without territory.
    pub ownership: Ownership,
    /// The legal moves with visits or a proof, best first; all legal moves if the best one has neither.
    pub moves: Vec<MoveReport>,
    /// The other legal moves, highest prior first; their value is the root's.
    pub untried: Vec<MoveReport>,
    /// Number of simulations of this run.
    pub simulations: u64,
    /// Wall-clock time of this run.
    pub elapsed: Duration,
    /// Table events of this run.
    pub counters: Counters,
    /// Occupancy of the table.
    pub census: Census,
    /// Mean number of moves from the root to the leaf.
    pub mean_depth: f64,
}

/// Counts of the workers of a run.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) simulations: u64,
    pub(super) elapsed: Duration,
    pub(super) counters: Counters,
    pub(super) ownership: Ownership,
    pub(super) depth_sum: u64,
}

impl Totals {
    /// Adds the counts of a worker.
    pub(super) fn add(&mut self, worker: &Totals) {
        self.counters.add(&worker.counters);
        self.depth_sum += worker.depth_sum;
        self.simulations += worker.simulations;
        self.ownership.add(&worker.ownership);
    }
}

impl Report {
    pub(super) fn new<G: Game, P: SelectionPolicy>(
        table: &Table,
        root: &G,
        policy: &P,
        totals: Totals,
        root_moves: Option<&[bool]>,
    ) -> Report {
        let entry = table.find(root.key());
        let total = entry.map(|entry| entry.total());
        let proven = proof::proven_outcome(table, root);
        let value = match proven {
            Some(outcome) => Value::from(outcome),
            None => total.map_or(Value::DRAW, |total| total.value),
        };
        let bounds = proof::path_bounds(table, root);
        let score = score::within(stored_score(table, root.key()), bounds);
        let estimate = entry.and_then(|entry| table.page(&entry)?.estimate());
        let report_on = |candidate: RankedMove, line: MainLine| MoveReport {
            mv: candidate.mv,
            edge_visits: candidate.edge_visits,
            visits: candidate.visits,
            value: candidate.value_beside(estimate),
            proven: candidate.proven(),
            prior: candidate.prior,
            black_score: candidate.score.map(|score| score.mean),
            score_deviation: candidate.score.map(|score| score.deviation),
            pv: line.moves,
            pv_visits: line.visits,
            pv_edge_visits: line.edge_visits,
        };
        let mut candidates = ranked_moves(table, root, policy);
        candidates.retain(|candidate| root_moves.is_none_or(|allowed| allowed[candidate.mv.index()]));
        let untried = split_off_untried(&mut candidates);
        let moves = candidates
            .into_iter()
            .map(|candidate| {
                let line = MainLine::beginning_with(table, root, policy, &candidate);
                report_on(candidate, line)
            })
            .collect();
        let untried = untried
            .into_iter()
            .map(|candidate| {
                let line = MainLine::first(&candidate);
                MoveReport { value, ..report_on(candidate, line) }
            })
            .collect();
        Report {
            root: RootReport {
                to_play: root.to_play(),
                visits: total.map_or(0, |total| u64::from(total.visits)),
                value,
                bounds,
                proven,
                black_score: score.map(|score| score.mean),
                score_deviation: score.map(|score| score.deviation),
                sampled_score: entry.and_then(|entry| table.page(&entry)?.sampled_score()),
            },
            ownership: totals.ownership,
            moves,
            untried,
            simulations: totals.simulations,
            elapsed: totals.elapsed,
            counters: totals.counters,
            census: table.census(),
            mean_depth: totals.depth_sum as f64 / totals.simulations.max(1) as f64,
        }
    }

    /// Returns the expected final score after a move and its standard deviation, Black's points before komi; the root's
    /// if the move has none.
    #[must_use]
    pub fn score_after(&self, mv: &MoveReport) -> Option<(f64, f64)> {
        mv.black_score.zip(mv.score_deviation).or_else(|| self.root.score())
    }

    /// Returns the move to play; `None` if there is no legal one.
    #[must_use]
    pub fn best(&self) -> Option<&MoveReport> {
        self.moves.first()
    }
}
