//! Stopping conditions of a search.

use super::policy::SelectionPolicy;
use super::{policy_state, proof, ranked_moves};
use crate::base::game::Game;
use crate::table::Table;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Limits of a search; the first one reached ends it. A proven root also ends it, once a move is proven to achieve the
/// root's outcome.
///
/// For a policy that is not settled ([`SelectionPolicy::is_settled`]) all limits except `best_visits` are doubled. The
/// time limit is not doubled if `early` is set, or if visits or simulations are limited, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Visits of the root, those of earlier searches included.
    pub visits: Option<u64>,
    /// Simulations of this run.
    pub simulations: Option<u64>,
    /// Wall-clock time, checked every 16 simulations of each worker, or every 10 ms with an
    /// [`EvaluatorWait`](super::EvaluatorWait).
    pub time: Option<Duration>,
    /// Ends the search before `time` once no move can overtake the most visited one in the remaining time. Has an
    /// effect only if the policy plays the most visited move.
    pub early: bool,
    /// Visits of the most visited move of the root.
    pub best_visits: Option<u64>,
}

/// The limits of a run in progress.
pub(super) struct StoppingRule {
    limits: Limits,
    started: Instant,
    /// Nanoseconds that do not count, see [`StoppingRule::pause`].
    paused: AtomicU64,
    /// Visits of the root before the run.
    visits_before: u64,
    stops_when_proven: bool,
    /// Number of equally fast searches of the position that add their visits to this table.
    searches: u32,
}

impl StoppingRule {
    /// Starts the clock of a run.
    pub(super) fn new<G: Game>(
        limits: Limits,
        table: &Table,
        root: &G,
        stops_when_proven: bool,
    ) -> StoppingRule {
        let visits_before = root_visits(table, root).unwrap_or(0);
        let paused = AtomicU64::new(0);
        StoppingRule {
            limits,
            started: Instant::now(),
            paused,
            visits_before,
            stops_when_proven,
            searches: 1,
        }
    }

    /// Returns the rule of one of `searches` equally fast searches that share their visits.
    pub(super) fn among(self, searches: u32) -> StoppingRule {
        StoppingRule { searches, ..self }
    }

    /// Returns the wall-clock time since the run began, without pauses.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed().saturating_sub(Duration::from_nanos(self.paused.load(Relaxed)))
    }

    /// Excludes `time` from the time of the run, because an evaluator was loading.
    pub(super) fn pause(&self, time: Duration) {
        self.paused.fetch_add(time.as_nanos() as u64, Relaxed);
    }

    /// Returns the number of simulations before the limit, if `done` have begun.
    pub(super) fn simulations_left(&self, done: u64) -> u64 {
        self.limits.simulations.unwrap_or(u64::MAX).saturating_sub(done)
    }

    /// Returns true if the `done` simulations that have begun reach the limit.
    pub(super) fn has_enough_simulations<G: Game, P: SelectionPolicy>(
        &self,
        done: u64,
        table: &Table,
        root: &G,
        policy: &P,
    ) -> bool {
        let is_settled = || policy_state::is_settled(table, root, policy);
        self.limits
            .simulations
            .is_some_and(|limit| is_reached(done, limit, limit.saturating_mul(2), is_settled))
    }

    /// Returns true if visits are limited.
    pub(super) fn limits_visits(&self) -> bool {
        self.limits.visits.is_some()
    }

    /// Returns true if the root will have enough visits once the simulations of other workers, `under_way`, end.
    pub(super) fn will_have_enough_visits<G: Game, P: SelectionPolicy>(
        &self,
        under_way: u64,
        table: &Table,
        root: &G,
        policy: &P,
    ) -> bool {
        let is_settled = || policy_state::is_settled(table, root, policy);
        let expected = || root_visits(table, root).unwrap_or(0) + under_way;
        under_way > 0
            && self.limits.visits.is_some_and(|limit| {
                is_reached(expected(), limit, doubled_visits(limit, self.visits_before), is_settled)
            })
    }

    /// Returns true if the root or its most visited move has enough visits, or if the root is proven.
    pub(super) fn has_enough_visits_or_proof<G: Game, P: SelectionPolicy>(
        &self,
        table: &Table,
        root: &G,
        policy: &P,
    ) -> bool {
        let is_settled = || policy_state::is_settled(table, root, policy);
        if let Some(limit) = self.limits.visits
            && let Some(visits) = root_visits(table, root)
            && is_reached(visits, limit, doubled_visits(limit, self.visits_before), is_settled)
        {
            return true;
        }
        if let Some(limit) = self.limits.best_visits
            && ranked_moves::leading_visits(table, root)[0] >= limit
        {
            return true;
        }
        let proven = proof::proven_outcome(table, root).filter(|_| self.stops_when_proven);
        proven.is_some_and(|outcome| ranked_moves::best_move_achieves(table, root, policy, outcome))
    }

    /// Returns true if the time is up, or if the most visited move cannot be overtaken in the remaining time at the
    /// speed of the run's `simulations` so far.
    pub(super) fn is_out_of_time<G: Game, P: SelectionPolicy>(
        &self,
        simulations: u64,
        table: &Table,
        root: &G,
        policy: &P,
    ) -> bool {
        let Some(limit) = self.limits.time else { return false };
        let early = self.limits.early;
        let elapsed = self.elapsed();
        if elapsed >= limit {
            let is_hard = early || self.limits.visits.is_some() || self.limits.simulations.is_some();
            let hard_limit = if is_hard { limit } else { 2 * limit };
            return is_reached(elapsed, limit, hard_limit, || policy_state::is_settled(table, root, policy));
        }
        // After a tenth of the time the speed is a sufficient estimate.
        if !early || !policy.plays_most_visited() || elapsed * 10 < limit {
            return false;
        }
        let rate = f64::from(self.searches) * simulations as f64 / elapsed.as_secs_f64().max(1e-6);
        let left = rate * (limit - elapsed).as_secs_f64();
        let [best, second] = ranked_moves::leading_visits(table, root);
        (best - second) as f64 > left
    }
}

/// Returns true if `done` reaches `limit`, or `hard_limit` if the policy is not settled.
fn is_reached<T: PartialOrd>(done: T, limit: T, hard_limit: T, is_settled: impl FnOnce() -> bool) -> bool {
    done >= limit && (done >= hard_limit || is_settled())
}

/// Returns the limit of a policy that is not settled: twice the new visits that `limit` allows a root with `before`
/// visits.
fn doubled_visits(limit: u64, before: u64) -> u64 {
    limit.max(before).saturating_add(limit.saturating_sub(before))
}

fn root_visits<G: Game>(table: &Table, root: &G) -> Option<u64> {
    table.find(root.key()).map(|entry| u64::from(entry.total().visits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsettled_policy_goes_on_to_the_hard_limit() {
        let reached = |done: u64, is_settled: bool| is_reached(done, 10, 20, || is_settled);
        assert_eq!([9, 10, 19, 20].map(|done| reached(done, true)), [false, true, true, true]);
        assert_eq!([9, 10, 19, 20].map(|done| reached(done, false)), [false, false, false, true]);
    }

    #[test]
    fn a_limit_of_visits_may_be_as_large_as_a_number_can_be() {
        assert_eq!(
            [(10, 0), (10, 4), (3, 5)].map(|(limit, before)| doubled_visits(limit, before)),
            [20, 16, 5]
        );
        assert_eq!([0, 5].map(|before| doubled_visits(u64::MAX, before)), [u64::MAX; 2]);
    }
}
