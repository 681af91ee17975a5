//! What a search found, read back from the table.

use super::policy::SelectionPolicy;
use super::policy_state;
use super::proof;
use super::score;
use crate::game::{Bounds, Game, Move, Outcome, Player};
use crate::ownership::Ownership;
use crate::table::{Census, Counters, Edge, ScoreMean, Table};
use crate::value::Value;
use std::time::Duration;

/// Moves of a principal variation at most.
const PV_LENGTH: usize = 20;

/// What is known of the root.
#[derive(Clone, Debug)]
pub struct RootReport {
    /// Who is to move.
    pub to_play: Player,
    /// Visits, those from before included.
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
    /// The part of the score that simulations sampled.
    pub sampled_score: Option<ScoreMean>,
}

impl RootReport {
    /// Expected final score and its standard deviation, Black's points before komi; `None` if no score is known.
    #[must_use]
    pub fn score(&self) -> Option<(f64, f64)> {
        self.black_score.zip(self.score_deviation)
    }
}

/// What is known of one move of the root.
#[derive(Clone, Debug)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// N(s,a): how often it was chosen in the root.
    pub edge_visits: u64,
    /// Visits of the position it leads to, those through transpositions included.
    pub visits: u64,
    /// Value for the player who moves.
    pub value: Value,
    /// The outcome for the player who moves, if it is proven.
    pub proven: Option<Outcome>,
    /// Share of the prior's expectation, `0..=1`; all moves sum to 1.
    pub prior: f64,
    /// Expected final score of the position it leads to, as the root's.
    pub black_score: Option<f64>,
    /// Standard deviation of the final score; `None` if no score is known.
    pub score_deviation: Option<f64>,
    /// The best line from here, beginning with the move.
    pub pv: Vec<Move>,
    /// How often each move of it was chosen in its position.
    pub pv_visits: Vec<u64>,
}

/// Standard deviations between a value and its lower bound: 99 % of a normal distribution.
const LOWER_BOUND_DEVIATIONS: f64 = 2.576;

impl MoveReport {
    /// What the value is at least, as if the visits were so many games.
    #[must_use]
    pub fn lower_bound(&self) -> f64 {
        (self.value.as_f64() - self.value_error()).max(0.0)
    }

    /// Half the width of the 99 % interval of the value, visits as Bernoulli trials; 0 where the outcome is proven.
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
    /// An unproven move with so many visits, worth `chance` for its player; without a prior and without scores.
    pub(crate) fn visited(number: u16, chance: f64, visits: u64) -> MoveReport {
        MoveReport {
            mv: Move(number),
            edge_visits: visits,
            visits,
            value: Value((chance * f64::from(u32::MAX)) as u32),
            proven: None,
            prior: 0.0,
            black_score: None,
            score_deviation: None,
            pv: vec![Move(number)],
            pv_visits: vec![visits],
        }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The root.
    pub root: RootReport,
    /// Whose each point was at the end of this run's playouts; empty in games without territory.
    pub ownership: Ownership,
    /// The legal moves that have visits or are proven, best first; never empty unless the game is over.
    pub moves: Vec<MoveReport>,
    /// The other legal moves, likeliest first; their value is the root's.
    pub untried: Vec<MoveReport>,
    /// Simulations of this run.
    pub simulations: u64,
    /// Time this run took.
    pub elapsed: Duration,
    /// What happened at the table in this run.
    pub counters: Counters,
    /// How full the table is.
    pub census: Census,
    /// Mean number of moves from the root to the leaf.
    pub mean_depth: f64,
}

/// What the workers of a run counted.
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
        let report_on = |candidate: Candidate, (pv, pv_visits): (Vec<Move>, Vec<u64>)| MoveReport {
            mv: candidate.mv,
            edge_visits: candidate.edge_visits,
            visits: candidate.visits,
            value: candidate.value,
            proven: candidate.proven(),
            prior: candidate.prior,
            black_score: candidate.score.map(|score| score.mean),
            score_deviation: candidate.score.map(|score| score.deviation),
            pv,
            pv_visits,
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
                let line = (vec![candidate.mv], vec![0]);
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
                sampled_score: entry.and_then(|entry| table.block(&entry)?.sampled_score()),
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

    /// Expected final score after a move and its standard deviation, Black's points before komi; the root's where the move has
    /// none of its own.
    #[must_use]
    pub fn score_after(&self, mv: &MoveReport) -> Option<(f64, f64)> {
        mv.black_score.zip(mv.score_deviation).or_else(|| self.root.score())
    }

    /// The move to play; `None` if there is no legal one.
    #[must_use]
    pub fn best(&self) -> Option<&MoveReport> {
        self.moves.first()
    }
}

/// A legal move and what the table knows of it.
struct Candidate {
    mv: Move,
    edge_visits: u64,
    visits: u64,
    value: Value,
    /// The worst and the best outcome for the mover that are not ruled out.
    outcomes: [Outcome; 2],
    prior: f64,
    /// The mover's guaranteed score.
    guaranteed: i16,
    /// Black's score in the position it leads to.
    score: Option<ScoreMean>,
    /// See [`SelectionPolicy::final_rank`].
    final_rank: f64,
}

impl Candidate {
    fn proven(&self) -> Option<Outcome> {
        let [worst, best] = self.outcomes;
        (worst == best).then_some(best)
    }

    /// The first key of the order of the moves, larger is better, where `certain` is the best outcome that any move is
    /// proven to achieve: proven wins; then, if a draw is certain, draws and moves of a value above; then the
    /// others; last proven losses.
    fn rank(&self, certain: Outcome) -> u8 {
        match self.outcomes {
            [Outcome::Win, _] => 3,
            [_, Outcome::Loss] => 0,
            [worst, best] if worst < certain && (best <= certain || self.value < Value::DRAW) => 1,
            _ => 2,
        }
    }
}

/// Whether the best move is proven to achieve `outcome`, which is proven for the position. It need not be: the proof of
/// a position can outlive those of its children.
pub(super) fn best_move_achieves<G: Game, P: SelectionPolicy>(
    table: &Table,
    game: &G,
    policy: &P,
    outcome: Outcome,
) -> bool {
    let achieves = |candidate: &Candidate| candidate.outcomes[0] >= outcome;
    outcome == Outcome::Loss || ranked_moves(table, game, policy).first().is_some_and(achieves)
}

/// The legal moves of a position, best first: proven wins, then by the policy's final rank, then proven losses by their
/// guaranteed score; see [`Candidate::rank`] for draws.
fn ranked_moves<G: Game, P: SelectionPolicy>(table: &Table, game: &G, policy: &P) -> Vec<Candidate> {
    let edges = edges_of(table, game.key());
    let edge = |mv: Move| edges.as_ref().map(|edges| edges[mv.index()]);
    let mut candidates: Vec<Candidate> = (0..game.move_count() as u16)
        .map(Move)
        .filter(|&mv| is_playable(game, mv))
        .map(|mv| candidate(table, game, policy, mv, edge(mv)))
        .collect();
    rank(&mut candidates);
    candidates
}

/// The best move with visits, as [`ranked_moves`] has it, and its visits. A line is walked by it: most moves have no visits,
/// and need not be looked up.
fn best_visited_move<G: Game, P: SelectionPolicy>(
    table: &Table,
    game: &G,
    policy: &P,
) -> Option<(Move, u64)> {
    let edges = edges_of(table, game.key())?;
    let visited = (0..).map(Move).zip(edges).filter(|(_, (edge, _))| edge.visits() > 0);
    let mut candidates: Vec<Candidate> = visited
        .filter(|&(mv, _)| is_playable(game, mv))
        .map(|(mv, edge)| candidate(table, game, policy, mv, Some(edge)))
        .collect();
    rank(&mut candidates);
    candidates.first().map(|best| (best.mv, best.edge_visits))
}

/// Returns true if a search has visited a move of the position that may be played and is `allowed`, by move number; `None`: all
/// are.
pub(super) fn has_visited_move<G: Game>(table: &Table, game: &G, allowed: Option<&[bool]>) -> bool {
    let edges = edges_of(table, game.key()).unwrap_or_default();
    let visited = (0..).map(Move).zip(edges).filter(|(_, (edge, _))| edge.visits() > 0);
    visited
        .filter(|(mv, _)| allowed.is_none_or(|allowed| allowed[mv.index()]))
        .any(|(mv, _)| is_playable(game, mv))
}

fn is_playable<G: Game>(game: &G, mv: Move) -> bool {
    !game.is_over() && game.is_legal_ignoring_history(mv) && !game.is_banned(mv)
}

/// Sorts the moves, the best first, and makes their priors sum to 1.
fn rank(candidates: &mut [Candidate]) {
    let prior_sum: f64 = candidates.iter().map(|candidate| candidate.prior).sum();
    for candidate in candidates.iter_mut() {
        candidate.prior /= prior_sum.max(f64::MIN_POSITIVE);
    }
    let certain = candidates.iter().map(|candidate| candidate.outcomes[0]).max().unwrap_or(Outcome::Loss);
    let rank = |candidate: &Candidate| candidate.rank(certain);
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

/// Takes away the moves that have neither visits nor a proof, unless all are so, and returns them, likeliest first.
fn split_off_untried(candidates: &mut Vec<Candidate>) -> Vec<Candidate> {
    let is_tried = |candidate: &Candidate| candidate.edge_visits > 0 || candidate.proven().is_some();
    if !candidates.first().is_some_and(is_tried) {
        return Vec::new();
    }
    let (tried, mut untried): (Vec<_>, Vec<_>) = candidates.drain(..).partition(is_tried);
    *candidates = tried;
    untried.sort_by(|one, other| other.prior.total_cmp(&one.prior));
    untried
}

/// The expected final score by the block of the position with this key.
fn stored_score(table: &Table, key: u64) -> Option<ScoreMean> {
    let entry = table.find(key)?;
    score::of_block(&table.block(&entry)?)
}

/// The edges of the position with this key and their policy state, 0 where there is none; `None` without a block, or if
/// that was taken for another position while it was read.
fn edges_of(table: &Table, key: u64) -> Option<Vec<(Edge, u64)>> {
    let entry = table.find(key)?;
    let block = table.block(&entry)?;
    let edges = block.edges().zip(policy_state::of_edges(&block)).collect();
    block.is_current().then_some(edges)
}

fn candidate<G: Game, P: SelectionPolicy>(
    table: &Table,
    game: &G,
    policy: &P,
    mv: Move,
    edge: Option<(Edge, u64)>,
) -> Candidate {
    let (edge, state) = edge.map_or((None, 0), |(edge, state)| (Some(edge), state));
    let mover = game.to_play();
    let range = game.score_range();
    let child = table.find(game.key_after(mv)).map(|entry| entry.total()).filter(|total| total.visits > 0);
    let bounds = proof::child_bounds(table, game, mv).map_or(range, |bounds| bounds.path);
    let outcomes = proof::outcomes_for(game, mover, bounds);
    let value = match (child, edge) {
        (Some(child), _) => child.value.other(),
        (None, Some(edge)) if edge.visits() > 0 => edge.value(),
        _ => Value::DRAW,
    };
    let value = value.max(Value::from(outcomes[0])).min(Value::from(outcomes[1]));
    let prior = edge.map(|edge| edge.prior()).unwrap_or_default();
    let edge_visits = edge.map_or(0, |edge| u64::from(edge.visits()));
    Candidate {
        mv,
        edge_visits,
        visits: child.map_or(0, |child| u64::from(child.visits)),
        value,
        outcomes,
        // One visit more in the prior, so that every move has a share.
        prior: f64::from(prior.wins) + 0.5,
        guaranteed: if mover == Player::Black { bounds.lower } else { -bounds.upper },
        score: score::within(stored_score(table, game.key_after(mv)), bounds),
        final_rank: if edge_visits > 0 {
            policy.final_rank(edge_visits, value, state)
        } else {
            f64::NEG_INFINITY
        },
    }
}

/// The line of best moves that begins with `first`, as far as the table knows it, and the edge visits of each.
fn principal_variation<G: Game, P: SelectionPolicy>(
    table: &Table,
    root: &G,
    policy: &P,
    first: &Candidate,
) -> (Vec<Move>, Vec<u64>) {
    let mut line = vec![first.mv];
    let mut visits = vec![first.edge_visits];
    // Copying a position costs more than looking whether there is anything to follow.
    if table.find(root.key_after(first.mv)).is_none_or(|entry| table.block(&entry).is_none()) {
        return (line, visits);
    }
    let mut game = root.clone();
    game.play(first.mv);
    while line.len() < PV_LENGTH
        && let Some((mv, its_visits)) = best_visited_move(table, &game, policy)
    {
        line.push(mv);
        visits.push(its_visits);
        game.play(mv);
    }
    (line, visits)
}

/// Visits of the most visited and the second most visited move of a position, among those that may be played and are not
/// refuted.
pub(super) fn leading_visits<G: Game>(table: &Table, game: &G) -> [u64; 2] {
    let Some(block) = table.find(game.key()).and_then(|entry| table.block(&entry)) else { return [0; 2] };
    let is_refuted = |mv: Move| {
        let bounds = proof::child_bounds(table, game, mv).map(|bounds| bounds.path);
        bounds.is_some_and(|bounds| proof::outcomes_for(game, game.to_play(), bounds)[1] == Outcome::Loss)
    };
    let mut leading = [0; 2];
    for (mv, edge) in (0..).map(Move).zip(block.edges()) {
        let visits = u64::from(edge.visits());
        // The few moves that come this far are looked up.
        if visits <= leading[1] || !is_playable(game, mv) || is_refuted(mv) {
            continue;
        }
        leading = if visits > leading[0] { [visits, leading[0]] } else { [leading[0], visits] };
    }
    if block.is_current() { leading } else { [0; 2] }
}
