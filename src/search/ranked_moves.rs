//! The legal moves of a position with their statistics in the table, the best first.

use super::policy::{Puct, SelectionPolicy};
use super::policy_state;
use super::proof;
use super::score;
use crate::base::game::{Game, Move, Outcome, Player, Prior};
use crate::base::value::{Estimate, Value};
use crate::table::{Edge, ScoreMean, Table};

/// A legal move and its statistics in the table.
pub(super) struct RankedMove {
    pub(super) mv: Move,
    pub(super) edge_visits: u64,
    pub(super) visits: u64,
    pub(super) value: Value,
    /// True if the position after the move has an edge page, and with it an estimate of its own.
    pub(super) has_page: bool,
    /// The worst and the best outcome for the mover that are not disproven.
    outcomes: [Outcome; 2],
    pub(super) prior: f64,
    /// The proven lower bound of the score, in the mover's view.
    guaranteed: i16,
    /// Expected final score of the position after the move, Black's points before komi.
    pub(super) score: Option<ScoreMean>,
    /// See [`SelectionPolicy::final_rank`].
    final_rank: f64,
}

impl RankedMove {
    /// Returns the value joined with `estimate`, the root's, while the position after the move has no estimate of its
    /// own.
    pub(super) fn value_beside(&self, estimate: Option<Estimate>) -> Value {
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

    pub(super) fn proven(&self) -> Option<Outcome> {
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
pub(super) fn ranked_moves<G: Game, P: SelectionPolicy>(
    table: &Table,
    game: &G,
    policy: &P,
) -> Vec<RankedMove> {
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
pub(super) fn best_visited_move<G: Game, P: SelectionPolicy>(
    table: &Table,
    game: &G,
    policy: &P,
) -> Option<RankedMove> {
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
pub(super) fn split_off_untried(candidates: &mut Vec<RankedMove>) -> Vec<RankedMove> {
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
pub(super) fn stored_score(table: &Table, key: u64) -> Option<ScoreMean> {
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

/// Returns the weight of a prior before all are normalised: its probability on ranked pages, else its wins plus one half,
/// so that every move has a share.
fn prior_weight(table: &Table, prior: Prior) -> f64 {
    let wins = f32::from(prior.wins);
    f64::from(if table.layout().shape.ranked { Puct::probability(wins) } else { wins + 0.5 })
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
        // The probe of the child comes last, since few moves get that far.
        if visits <= leading[1] || !is_playable(game, mv) || is_refuted(mv) {
            continue;
        }
        leading = if visits > leading[0] { [visits, leading[0]] } else { [leading[0], visits] };
    }
    leading
}
