//! When a search stops.

use super::policy::SelectionPolicy;
use super::{policy_state, proof, report};
use crate::game::Game;
use crate::table::Table;
use std::time::{Duration, Instant};

/// When to stop; the first that is reached counts. A proven root stops any search, once a move is proven to achieve its
/// outcome.
///
/// A policy that is not settled then ([`SelectionPolicy::is_settled`]) gets as much again; but a time limit is kept
/// where the search may end before it, as on a clock, or where there is another limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Visits of the root, those it had before included.
    pub visits: Option<u64>,
    /// Simulations of this run.
    pub simulations: Option<u64>,
    /// Wall-clock time, however short: a few simulations come first.
    pub time: Option<Duration>,
    /// Stop before `time` once no other move can have as many visits as the most visited by then, where that is what the
    /// policy plays.
    pub early: bool,
    /// Stop when the most visited move has this many visits.
    pub best_visits: Option<u64>,
}

/// The limits of a run that has begun.
pub(super) struct StoppingRule {
    limits: Limits,
    started: Instant,
    /// Visits that the root had before the run.
    visits_before: u64,
    stops_when_proven: bool,
}

impl StoppingRule {
    /// The run begins now.
    pub(super) fn new<G: Game>(
        limits: Limits,
        table: &Table,
        root: &G,
        stops_when_proven: bool,
    ) -> StoppingRule {
        let visits_before = root_visits(table, root).unwrap_or(0);
        StoppingRule { limits, started: Instant::now(), visits_before, stops_when_proven }
    }

    /// Wall-clock time since the run began.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Simulations until the limit, if `done` have begun.
    pub(super) fn simulations_left(&self, done: u64) -> u64 {
        self.limits.simulations.unwrap_or(u64::MAX).saturating_sub(done)
    }

    /// Whether a simulation is one too many, where `done` have begun before it.
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

    /// Whether the root has enough visits, or is proven.
    pub(super) fn has_enough_visits_or_proof<G: Game, P: SelectionPolicy>(
        &self,
        table: &Table,
        root: &G,
        policy: &P,
    ) -> bool {
        let is_settled = || policy_state::is_settled(table, root, policy);
        if let Some(limit) = self.limits.visits
            && let Some(visits) = root_visits(table, root)
            && is_reached(visits, limit, twice_as_much(limit, self.visits_before), is_settled)
        {
            return true;
        }
        if let Some(limit) = self.limits.best_visits
            && report::leading_visits(table, root)[0] >= limit
        {
            return true;
        }
        let proven = proof::proven_outcome(table, root).filter(|_| self.stops_when_proven);
        proven.is_some_and(|outcome| report::best_move_achieves(table, root, policy, outcome))
    }

    /// Whether the time is up, or the most visited move cannot be caught in what is left of it; `simulations` are those
    /// of the run so far.
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
        // Speed is known well enough after a tenth of the time.
        if !early || !policy.plays_most_visited() || elapsed * 10 < limit {
            return false;
        }
        let rate = simulations as f64 / elapsed.as_secs_f64().max(1e-6);
        let left = rate * (limit - elapsed).as_secs_f64();
        let [best, second] = report::leading_visits(table, root);
        (best - second) as f64 > left
    }
}

/// Whether enough is done: `limit`, or `hard_limit` where the policy is not settled.
fn is_reached<T: PartialOrd>(done: T, limit: T, hard_limit: T, is_settled: impl FnOnce() -> bool) -> bool {
    done >= limit && (done >= hard_limit || is_settled())
}

/// Visits of a root that had `before`, after twice as many new ones as `limit` allows.
fn twice_as_much(limit: u64, before: u64) -> u64 {
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
            [(10, 0), (10, 4), (3, 5)].map(|(limit, before)| twice_as_much(limit, before)),
            [20, 16, 5]
        );
        assert_eq!([0, 5].map(|before| twice_as_much(u64::MAX, before)), [u64::MAX; 2]);
    }
}
