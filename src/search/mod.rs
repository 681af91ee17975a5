//! The search: a loop of four verbs over hashes. Descend, expand, play out, back up.
//!
//! [`Search::run`] is the way in. One simulation is `worker`; choosing a move is `select` with
//! a formula from [`policy`]; what is proven, and when a proof may be believed, is `proof`.

mod amaf;
mod parcels;
mod path;
pub mod policy;
mod proof;
mod report;
mod select;
mod virtual_loss;
mod worker;

pub use report::{MoveReport, Report, RootReport};

use crate::game::{Game, Outcome};
use crate::rng::PlayoutRng;
use crate::table::{Counters, Table};
use crate::value::Value;
use policy::SelectionPolicy;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use virtual_loss::VirtualLoss;
use worker::Worker;

/// What a simulation does at a child that has more visits than the edge it came by, because other
/// orders of moves led there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatchUp {
    /// Goes on below it.
    Continue,
    /// Stops and takes over the child's value, until the edge has as many visits.
    Stop,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchParameters {
    /// Playouts of a position before it gets an edge block.
    pub expand_at: u32,
    /// See [`CatchUp`].
    pub catch_up: CatchUp,
    /// Whether a position that was evicted starts again with what its parent's edge remembers.
    pub reseed: bool,
    /// Workers, from 1 to 255.
    pub threads: usize,
    /// Seed of all randomness.
    pub seed: u64,
}

impl Default for SearchParameters {
    fn default() -> SearchParameters {
        SearchParameters { expand_at: 8, catch_up: CatchUp::Continue, reseed: true, threads: 1, seed: 1 }
    }
}

/// When to stop; the first that is reached counts. A proven root stops any search, once a move is known
/// that achieves what is proven.
///
/// A policy that is not settled then ([`SelectionPolicy::is_settled`]) goes on until twice as much is done;
/// but a time is kept when the search may end before it, as on a clock, or when there is another limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Visits of the root, those it had before included.
    pub visits: Option<u64>,
    /// Simulations of this run.
    pub simulations: Option<u64>,
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Stop before `time` once the most visited move cannot be caught in what is left.
    pub early: bool,
    /// Stop when the most visited move has this many visits.
    pub best_visits: Option<u64>,
}

/// Called now and then during a search with the simulations so far; `false` stops it.
pub type Progress<'a> = &'a mut dyn FnMut(u64) -> bool;

/// Simulations between two looks at the clock or at the other workers' state.
const LOOK_INTERVAL: u64 = 16;

/// Simulations granted to a worker at once, at most.
const LARGEST_GRANT: u64 = 16;

/// A table to search on, and how.
pub struct Search<'t, P> {
    /// The memory.
    pub table: &'t Table,
    /// Which moves simulations try.
    pub policy: P,
    /// Everything else.
    pub parameters: SearchParameters,
}

/// What the workers share in one run.
struct Run {
    simulations: OwnLine<AtomicU64>,
    stop: AtomicBool,
    limits: Limits,
    threads: u64,
    started: Instant,
    /// Visits the root had before.
    visits_before: u64,
}

/// Something that shares its cache line with nothing, so that those who write it do not keep those waiting who
/// read its neighbours.
#[repr(align(64))]
struct OwnLine<T>(T);

impl<P: SelectionPolicy> Search<'_, P> {
    /// Searches the position of `root` and reports what the table then knows of it.
    ///
    /// With one thread the result depends on the position, the parameters and the content of the table
    /// alone.
    pub fn run<G: Game>(&self, root: &G, limits: Limits, progress: Progress<'_>) -> Report {
        self.table.next_search();
        self.table.announce();
        let run = Run {
            simulations: OwnLine(AtomicU64::new(0)),
            stop: AtomicBool::new(false),
            limits,
            threads: self.parameters.threads as u64,
            started: Instant::now(),
            visits_before: self.table.find(root.key()).map_or(0, |entry| u64::from(entry.total().visits)),
        };
        let virtual_loss = (self.parameters.threads > 1)
            .then(|| VirtualLoss::new(root.move_count(), self.parameters.threads));
        let worker = |stream: u64| {
            let rng = PlayoutRng::new(self.parameters.seed, stream);
            let policy = self.policy.clone();
            Worker::new(self.table, policy, self.parameters, virtual_loss.as_ref(), root, rng)
        };
        let workers = run.work(self.table, root, worker, progress);
        let mut counters = Counters::default();
        let mut scores = vec![(0_i64, 0_u32); root.move_count()];
        let (mut depth_sum, mut simulations) = (0, 0);
        for worker in &workers {
            counters.add(&worker.counters);
            depth_sum += worker.depth_sum;
            simulations += worker.simulations;
            for (total, part) in scores.iter_mut().zip(&worker.scores) {
                total.0 += part.0;
                total.1 += part.1;
            }
        }
        let elapsed = run.started.elapsed();
        let totals = report::Totals { simulations, elapsed, counters, scores, depth_sum };
        Report::new(self.table, root, &self.policy, totals)
    }
}

impl<P: SelectionPolicy> Search<'_, P> {
    /// What the table knows of a position, without searching.
    pub fn look_up<G: Game>(&self, root: &G) -> Report {
        let scores = vec![(0, 0); root.move_count()];
        let totals = report::Totals {
            simulations: 0,
            elapsed: Duration::ZERO,
            counters: Counters::default(),
            scores,
            depth_sum: 0,
        };
        Report::new(self.table, root, &self.policy, totals)
    }
}

impl Run {
    /// Runs the workers to their end. Each is made by its own thread, so that no two have buffers in one cache
    /// line.
    fn work<'t, G: Game, P: SelectionPolicy>(
        &self,
        table: &Table,
        root: &G,
        worker: impl Fn(u64) -> Worker<'t, G, P> + Sync,
        progress: Progress<'_>,
    ) -> Vec<Worker<'t, G, P>> {
        let worker = &worker;
        let mut first = worker(0);
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.threads.clamp(1, 255))
                .map(|stream| {
                    scope.spawn(move || {
                        let mut worker = worker(stream);
                        self.simulate_until_done(table, root, &mut worker, &mut |_| true);
                        worker
                    })
                })
                .collect();
            self.simulate_until_done(table, root, &mut first, progress);
            let others = others
                .into_iter()
                .map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            std::iter::once(first).chain(others).collect()
        })
    }

    fn simulate_until_done<G: Game, P: SelectionPolicy>(
        &self,
        table: &Table,
        root: &G,
        worker: &mut Worker<'_, G, P>,
        progress: Progress<'_>,
    ) {
        let (mut done, mut granted) = (0_u64, 0..0);
        while !self.stop.load(Relaxed) {
            if done > 0 && self.reached_visits_or_proof(table, root, worker.policy()) {
                break;
            }
            if done.is_multiple_of(LOOK_INTERVAL)
                && (self.out_of_time(table, root, worker.policy())
                    || !progress(self.simulations.0.load(Relaxed)))
            {
                break;
            }
            let number = granted.next().unwrap_or_else(|| {
                granted = self.grant();
                granted.next().expect("one at least")
            });
            if let Some(limit) = self.limits.simulations
                && number >= limit
                && (number >= limit.saturating_mul(2) || is_settled(table, root, worker.policy()))
            {
                // The others still do what was granted to them.
                worker.finish();
                return;
            }
            worker.simulate();
            done += 1;
        }
        self.stop.store(true, Relaxed);
        worker.finish();
    }

    /// The numbers of the next simulations of a worker. Several at a time where there are several workers, since
    /// each grant takes a cache line from another processor; one by one towards the end, so that all end together.
    fn grant(&self) -> std::ops::Range<u64> {
        let size = if self.threads < 2 {
            1
        } else {
            let left =
                self.limits.simulations.unwrap_or(u64::MAX).saturating_sub(self.simulations.0.load(Relaxed));
            (left / (8 * self.threads)).clamp(1, LARGEST_GRANT)
        };
        let first = self.simulations.0.fetch_add(size, Relaxed);
        first..first + size
    }

    fn reached_visits_or_proof<G: Game, P: SelectionPolicy>(
        &self,
        table: &Table,
        root: &G,
        policy: &P,
    ) -> bool {
        if let Some(limit) = self.limits.visits
            && let Some(visits) = table.find(root.key()).map(|entry| u64::from(entry.total().visits))
            && visits >= limit
            && (visits >= 2 * limit.max(self.visits_before) - self.visits_before
                || is_settled(table, root, policy))
        {
            return true;
        }
        if let Some(limit) = self.limits.best_visits
            && report::leading_visits(table, root)[0] >= limit
        {
            return true;
        }
        proven_outcome(table, root).is_some_and(|outcome| report::knows_how(table, root, policy, outcome))
    }

    fn out_of_time<G: Game, P: SelectionPolicy>(&self, table: &Table, root: &G, policy: &P) -> bool {
        let Limits { visits, simulations, time: Some(limit), early, .. } = self.limits else { return false };
        let elapsed = self.started.elapsed();
        if elapsed >= limit {
            let is_hard = early || visits.is_some() || simulations.is_some();
            return is_hard || elapsed >= 2 * limit || is_settled(table, root, policy);
        }
        // Speed is known well enough after a tenth of the time.
        if !early || elapsed * 10 < limit {
            return false;
        }
        let rate = self.simulations.0.load(Relaxed) as f64 / elapsed.as_secs_f64().max(1e-6);
        let left = rate * (limit - elapsed).as_secs_f64();
        let [best, second] = report::leading_visits(table, root);
        (best - second) as f64 > left
    }
}

/// Whether the policy is content with what it knows of the root's moves that are not refuted.
fn is_settled<G: Game, P: SelectionPolicy>(table: &Table, root: &G, policy: &P) -> bool {
    if !policy.uses_state() {
        return true;
    }
    let Some(block) = table.find(root.key()).and_then(|entry| table.block(&entry)) else { return true };
    policy.is_settled(block.policy_words(), &|index| {
        let edge = block.edge(index);
        edge.is_legal() && edge.visits() > 0 && edge.value() != Value::LOSS
    })
}

/// What is proven for the player to move, if anything: see [`Report`].
fn proven_outcome<G: Game>(table: &Table, game: &G) -> Option<Outcome> {
    let for_black = proof::decided(game, proof::bounds_here(table, game))?;
    Some(proof::outcome_for(game.to_play(), for_black))
}
