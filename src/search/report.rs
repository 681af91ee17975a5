//! The result of a search, read from the table.

use super::policy::{Puct, SelectionPolicy};
use super::policy_state;
use super::proof;
use super::score;
use crate::base::game::{Bounds, Game, Move, Outcome, Player, Prior};
use crate::base::ownership::Ownership;
use crate::base::value::{Estimate, Value};
use crate::table::{Census, Counters, Edge, ScoreMean, Table};
use std::time::Duration;

/// Maximum number of moves in a main line.
const PV_LENGTH: usize = 20;

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
    /// Value for the player making the move. Beside the playouts of a position without an own estimate, the root's
    /// estimate counts.
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
        let report_on = |candidate: RankedMove, line: PrincipalVariation| MoveReport {
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
                let line = principal_variation(table, root, policy, &candidate);
                report_on(candidate, line)
            })
            .collect();
        let untried = untried
            .into_iter()
            .map(|candidate| {
                let line = PrincipalVariation::first(&candidate);
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

/// A legal move and its statistics in the table.
struct RankedMove {
    mv: Move,
    edge_visits: u64,
    visits: u64,
    value: Value,
    /// True if the position after the move has an edge page, and with it an estimate of its own.
    has_page: bool,
    /// The worst and the best outcome for the mover that are not disproven.
    outcomes: [Outcome; 2],
    prior: f64,
    /// The proven lower bound of the score, in the mover's view.
    guaranteed: i16,
    /// Expected final score of the position after the move, Black's points before komi.
    score: Option<ScoreMean>,
    /// See [`SelectionPolicy::final_rank`].
    final_rank: f64,
}

impl RankedMove {
    /// Returns the value together with `estimate`, the root's, as long as the position after the move has none of its own.
    fn value_beside(&self, estimate: Option<Estimate>) -> Value {
        let visits = self.visits.max(self.edge_visits);
        match estimate {
            Some(estimate) if !self.has_page && visits > 0 => {
                self.within_outcomes(estimate.join(visits, self.value))
            }
            _ => self.value,
        }
    }

    /// Returns the value nearest to `value` that the proven outcomes permit.
    fn within_outcomes(&self, value: Value) -> Value {
        let [worst, best] = self.outcomes;
        value.max(Value::from(worst)).min(Value::from(best))
    }

    fn proven(&self) -> Option<Outcome> {
        let [worst, best] = self.outcomes;
        (worst == best).then_some(best)
    }

    /// Returns the first sort key of the moves, larger is better; `certain` is the best outcome that any move is
    /// proven to achieve. 3: proven wins. 2: the others. 1: moves not proven to achieve `certain` that cannot exceed
    /// it or have a value below a draw. 0: proven losses.
    fn rank(&self, certain: Outcome) -> u8 {
        match self.outcomes {
            [Outcome::Win, _] => 3,
            [_, Outcome::Loss] => 0,
            [worst, best] if worst < certain && (best <= certain || self.value < Value::DRAW) => 1,
            _ => 2,
        }
    }
}

/// Returns true if the best move is proven to achieve `outcome`, the proven outcome of the position. The proof of a
/// position can outlive those of its children, so the best move may lack a proof.
pub(super) fn best_move_achieves<G: Game, P: SelectionPolicy>(
    table: &Table,
    game: &G,
    policy: &P,
    outcome: Outcome,
) -> bool {
    let achieves = |candidate: &RankedMove| candidate.outcomes[0] >= outcome;
    outcome == Outcome::Loss || ranked_moves(table, game, policy).first().is_some_and(achieves)
}

/// Returns the legal moves of a position, best first: proven wins, then by the policy's final rank, then proven losses
/// by their guaranteed score; see [`RankedMove::rank`] for draws.
fn ranked_moves<G: Game, P: SelectionPolicy>(table: &Table, game: &G, policy: &P) -> Vec<RankedMove> {
    let mut edges = vec![None; game.move_count()];
    for (mv, edge, state) in edges_of(table, game.key()) {
        if let Some(place) = edges.get_mut(mv.index()) {
            *place = Some((edge, state));
        }
    }
    let mut candidates: Vec<RankedMove> = (0..game.move_count() as u16)
        .map(Move)
        .filter(|&mv| is_playable(game, mv))
        .map(|mv| candidate(table, game, policy, mv, edges[mv.index()]))
        .collect();
    rank(&mut candidates);
    candidates
}

/// Returns the best move with visits, in the order of [`ranked_moves`], and its visits. Main lines use it since most
/// moves have no visits and need no probe.
fn best_visited_move<G: Game, P: SelectionPolicy>(table: &Table, game: &G, policy: &P) -> Option<RankedMove> {
    let visited = edges_of(table, game.key()).into_iter().filter(|(_, edge, _)| edge.visits() > 0);
    let mut candidates: Vec<RankedMove> = visited
        .filter(|&(mv, ..)| is_playable(game, mv))
        .map(|(mv, edge, state)| candidate(table, game, policy, mv, Some((edge, state))))
        .collect();
    rank(&mut candidates);
    candidates.into_iter().next()
}

/// Returns true if a move with visits may be played and is `allowed`, indexed by move number; `None` allows all.
pub(super) fn has_visited_move<G: Game>(table: &Table, game: &G, allowed: Option<&[bool]>) -> bool {
    let edges = edges_of(table, game.key());
    let mut visited = edges.iter().filter(|(_, edge, _)| edge.visits() > 0).map(|(mv, ..)| *mv);
    let is_allowed = |mv: Move| allowed.is_none_or(|allowed| allowed.get(mv.index()) == Some(&true));
    visited.any(|mv| is_allowed(mv) && is_playable(game, mv))
}

fn is_playable<G: Game>(game: &G, mv: Move) -> bool {
    !game.is_over() && game.is_legal_ignoring_history(mv) && !game.is_banned(mv)
}

/// Sorts the moves, the best first, and normalises their priors to a sum of 1.
fn rank(candidates: &mut [RankedMove]) {
    let prior_sum: f64 = candidates.iter().map(|candidate| candidate.prior).sum();
    for candidate in candidates.iter_mut() {
        candidate.prior /= prior_sum.max(f64::MIN_POSITIVE);
    }
    let certain = candidates.iter().map(|candidate| candidate.outcomes[0]).max().unwrap_or(Outcome::Loss);
    let rank = |candidate: &RankedMove| candidate.rank(certain);
    candidates.sort_by(|one, other| {
        let by_visits =
            other.final_rank.total_cmp(&one.final_rank).then_with(|| other.edge_visits.cmp(&one.edge_visits));
        let by_guarantee = other.guaranteed.cmp(&one.guaranteed);
        let among_losses = rank(one) == 0;
        rank(other)
            .cmp(&rank(one))
            .then(if among_losses { by_guarantee.then(by_visits) } else { by_visits.then(by_guarantee) })
            .then(other.value.cmp(&one.value))
            .then(other.prior.total_cmp(&one.prior))
            .then(one.mv.cmp(&other.mv))
    });
}

/// Removes the moves with neither visits nor a proof and returns them, highest prior first; removes none if the best
/// move is one of them.
fn split_off_untried(candidates: &mut Vec<RankedMove>) -> Vec<RankedMove> {
    let is_tried = |candidate: &RankedMove| candidate.edge_visits > 0 || candidate.proven().is_some();
    if !candidates.first().is_some_and(is_tried) {
        return Vec::new();
    }
    let (tried, mut untried): (Vec<_>, Vec<_>) = candidates.drain(..).partition(is_tried);
    *candidates = tried;
    untried.sort_by(|one, other| other.prior.total_cmp(&one.prior));
    untried
}

/// Returns the expected final score stored in the page of the position with `key`.
fn stored_score(table: &Table, key: u64) -> Option<ScoreMean> {
    let entry = table.find(key)?;
    score::of_page(&table.page(&entry)?)
}

/// Returns the moves on the pages of the position with `key`, with their edges and policy state, 0 if there is none. Pages
/// reassigned while they were read are left out.
fn edges_of(table: &Table, key: u64) -> Vec<(Move, Edge, u64)> {
    let mut edges = Vec::new();
    let first = table.find(key).and_then(|entry| table.page(&entry));
    for page in first.into_iter().flat_map(|first| table.chain(first)) {
        let before = edges.len();
        let moves = page.moves().zip(policy_state::of_edges(&page));
        edges.extend(moves.map(|((number, edge), state)| (Move(number), edge, state)));
        if !page.is_current() {
            edges.truncate(before);
        }
    }
    edges
}

fn candidate<G: Game, P: SelectionPolicy>(
    table: &Table,
    game: &G,
    policy: &P,
    mv: Move,
    edge: Option<(Edge, u64)>,
) -> RankedMove {
    let (edge, state) = edge.map_or((None, 0), |(edge, state)| (Some(edge), state));
    let mover = game.to_play();
    let range = game.score_range();
    let entry = table.find(game.key_after(mv));
    let child = entry.map(|entry| entry.total()).filter(|total| total.visits > 0);
    let bounds = proof::child_bounds(table, game, mv).map_or(range, |bounds| bounds.path);
    let outcomes = proof::outcomes_for(game, mover, bounds);
    let value = match (child, edge) {
        (Some(child), _) => child.value.other(),
        (None, Some(edge)) if edge.visits() > 0 => edge.value(),
        _ => Value::DRAW,
    };
    let prior = edge.map(|edge| edge.prior()).unwrap_or_default();
    let edge_visits = edge.map_or(0, |edge| u64::from(edge.visits()));
    let mut ranked = RankedMove {
        mv,
        edge_visits,
        visits: child.map_or(edge_visits, |child| u64::from(child.visits)),
        value,
        has_page: entry.is_some_and(|entry| table.page(&entry).is_some()),
        outcomes,
        prior: prior_weight(table, prior),
        guaranteed: if mover == Player::Black { bounds.lower } else { -bounds.upper },
        score: score::within(stored_score(table, game.key_after(mv)), bounds),
        final_rank: f64::NEG_INFINITY,
    };
    ranked.value = ranked.within_outcomes(value);
    if edge_visits > 0 {
        ranked.final_rank = policy.final_rank(edge_visits, ranked.value, state);
    }
    ranked
}

/// Returns the weight of a prior among those of the other moves: its probability on ranked pages, else its wins, and half a
/// win more, so that every move has a share.
fn prior_weight(table: &Table, prior: Prior) -> f64 {
    let wins = f32::from(prior.wins);
    f64::from(if table.layout().shape.ranked { Puct::probability(wins) } else { wins + 0.5 })
}

/// A main line and its visits.
struct PrincipalVariation {
    moves: Vec<Move>,
    /// Visits of the position after each move.
    visits: Vec<u64>,
    /// Visits of each move in the position before it.
    edge_visits: Vec<u64>,
}

impl PrincipalVariation {
    /// Creates the line of one move.
    fn first(first: &RankedMove) -> PrincipalVariation {
        let mut line = PrincipalVariation { moves: Vec::new(), visits: Vec::new(), edge_visits: Vec::new() };
        line.push(first);
        line
    }

    fn push(&mut self, next: &RankedMove) {
        self.moves.push(next.mv);
        self.visits.push(next.visits.max(next.edge_visits));
        self.edge_visits.push(next.edge_visits);
    }
}

/// Returns the main line from the root that begins with the move `first`.
fn principal_variation<G: Game, P: SelectionPolicy>(
    table: &Table,
    root: &G,
    policy: &P,
    first: &RankedMove,
) -> PrincipalVariation {
    let mut line = PrincipalVariation::first(first);
    if !first.has_page {
        return line;
    }
    let mut game = root.clone();
    game.play(first.mv);
    while line.moves.len() < PV_LENGTH
        && let Some(best) = best_visited_move(table, &game, policy)
    {
        line.push(&best);
        game.play(best.mv);
    }
    line
}

/// Returns the visits of the most visited and the second most visited move of a position, among playable moves that are
/// not refuted.
pub(super) fn leading_visits<G: Game>(table: &Table, game: &G) -> [u64; 2] {
    let is_refuted = |mv: Move| {
        let bounds = proof::child_bounds(table, game, mv).map(|bounds| bounds.path);
        bounds.is_some_and(|bounds| proof::outcomes_for(game, game.to_play(), bounds)[1] == Outcome::Loss)
    };
    let mut leading = [0; 2];
    for (mv, edge, _) in edges_of(table, game.key()) {
        let visits = u64::from(edge.visits());
        // Last the probe, for the few moves that come this far.
        if visits <= leading[1] || !is_playable(game, mv) || is_refuted(mv) {
            continue;
        }
        leading = if visits > leading[0] { [visits, leading[0]] } else { [leading[0], visits] };
    }
    leading
}
