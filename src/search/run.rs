//! One run of a search: workers that share a table, a count of simulations and a stopping rule.

use super::limits::StoppingRule;
use super::policy::SelectionPolicy;
use super::progress::{Progress, SearchSnapshot};
use super::ranked_moves;
use super::report::{Report, Totals};
use super::worker::Worker;
use crate::base::coroutines::run_workers;
use crate::base::game::Game;
use crate::base::pause::Pause;
use crate::table::Table;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Simulations of a worker between checks of the clock. The first worker then also calls the progress function.
const CHECK_INTERVAL: u64 = 16;

/// Time between two checks of the limits of a watched run.
const WATCH_INTERVAL: Duration = Duration::from_millis(10);

/// Maximum number of simulations granted to a worker at once.
const MAX_GRANT: u64 = 16;

/// State shared by the workers of one run.
pub(super) struct Run<'s> {
    /// Number of simulations granted so far.
    simulations: CachePadded<AtomicU64>,
    /// Number of simulations that have begun and not ended, if several workers have a limit of visits.
    under_way: CachePadded<AtomicU64>,
    /// Set by a missing evaluation and, with an [`EvaluatorWait`](super::EvaluatorWait), by time or `progress`:
    /// evaluators stop waiting.
    stop: &'s AtomicBool,
    /// Set by the first worker that ends: the others finish the simulation they are at.
    is_done: AtomicBool,
    stopping_rule: StoppingRule,
    threads: u64,
}

/// A value in a cache line of its own, so that writes to it do not delay readers of its neighbours.
#[repr(align(64))]
struct CachePadded<T>(T);

impl<'s> Run<'s> {
    /// Creates a run that ends when `stop` becomes true.
    pub(super) fn new(stopping_rule: StoppingRule, threads: usize, stop: &'s AtomicBool) -> Run<'s> {
        Run {
            simulations: CachePadded(AtomicU64::new(0)),
            under_way: CachePadded(AtomicU64::new(0)),
            stop,
            is_done: AtomicBool::new(false),
            stopping_rule,
            threads: threads.clamp(1, 255) as u64,
        }
    }

    /// Runs the workers until the search stops, and returns their counts; the caller's thread runs the first one, with
    /// `progress`. Each thread creates its own worker, so that no two workers have buffers in one cache line.
    pub(super) fn work<'t, 'e, G: Game, P: SelectionPolicy>(
        &self,
        table: &Table,
        root: &G,
        worker: impl Fn(u64) -> Worker<'t, 'e, G, P> + Sync,
        progress: Progress<'_>,
    ) -> Totals {
        let worker = &worker;
        let mut totals = Totals::default();
        let mut first = worker(0);
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.threads)
                .map(|stream| {
                    scope.spawn(move || {
                        let mut worker = worker(stream);
                        self.simulate_until_done(table, root, &mut worker, &mut |_| true);
                        worker.totals()
                    })
                })
                .collect();
            self.simulate_until_done(table, root, &mut first, progress);
            totals.add(&first.totals());
            others.into_iter().for_each(|other| totals.add(&joined(other)));
        });
        totals
    }

    /// Runs all workers as coroutines of one thread; the caller's thread watches the limits and calls `progress`
    /// meanwhile. Returns the counts of the workers. Time does not count while `is_loading` returns true.
    pub(super) fn work_watched<'t, 'e, G: Game, P: SelectionPolicy>(
        &self,
        table: &Table,
        root: &G,
        worker: impl Fn(u64) -> Worker<'t, 'e, G, P> + Sync,
        is_loading: &dyn Fn() -> bool,
        progress: Progress<'_>,
    ) -> Totals {
        let worker = &worker;
        let watcher = worker(self.threads);
        if self.is_complete(table, root, &watcher) {
            return Totals::default();
        }
        let work = |stream: usize, pause: &dyn Pause| {
            let mut worker = worker(stream as u64);
            worker.pause = pause;
            self.simulate_until_done(table, root, &mut worker, &mut |_| true);
            worker.totals()
        };
        let caller = &std::thread::current();
        let has_ended = &AtomicBool::new(false);
        std::thread::scope(|scope| {
            let workers = scope.spawn(|| {
                let mut totals = Totals::default();
                run_workers(self.threads as usize, &work).iter().for_each(|worker| totals.add(worker));
                has_ended.store(true, Relaxed);
                caller.unpark();
                totals
            });
            // A panic ends the thread without setting `has_ended`.
            while !has_ended.load(Relaxed) && !workers.is_finished() {
                let began = Instant::now();
                std::thread::park_timeout(WATCH_INTERVAL);
                if is_loading() {
                    self.stopping_rule.pause(began.elapsed());
                }
                let simulations = self.simulations.0.load(Relaxed);
                let report = || self.report_so_far(table, root, &watcher);
                if self.stopping_rule.is_out_of_time(simulations, table, root, &watcher.policy)
                    || !progress(&SearchSnapshot::new(simulations, &report))
                {
                    self.stop.store(true, Relaxed);
                    workers.thread().unpark();
                }
            }
            joined(workers)
        })
    }

    fn simulate_until_done<G: Game, P: SelectionPolicy>(
        &self,
        table: &Table,
        root: &G,
        worker: &mut Worker<'_, '_, G, P>,
        progress: Progress<'_>,
    ) {
        let rule = &self.stopping_rule;
        let counts_under_way = self.threads > 1 && rule.limits_visits();
        let (mut done, mut granted) = (0_u64, 0..0);
        while !self.stop.load(Relaxed) && !self.is_done.load(Relaxed) {
            let is_complete = match done {
                0 => self.is_complete(table, root, worker),
                _ => rule.has_enough_visits_or_proof(table, root, &worker.policy),
            };
            if is_complete {
                break;
            }
            if done > 0 && done.is_multiple_of(CHECK_INTERVAL) {
                let simulations = self.simulations.0.load(Relaxed);
                let report = || self.report_so_far(table, root, worker);
                if rule.is_out_of_time(simulations, table, root, &worker.policy)
                    || !progress(&SearchSnapshot::new(simulations, &report))
                {
                    break;
                }
            }
            let number = granted.next().unwrap_or_else(|| {
                granted = self.grant();
                granted.next().expect("a grant is not empty")
            });
            if rule.has_enough_simulations(number, table, root, &worker.policy) {
                // `is_done` stays unset: the other workers still run the simulations granted to them.
                worker.finish();
                return;
            }
            if counts_under_way {
                let others = self.under_way.0.load(Relaxed);
                if rule.will_have_enough_visits(others, table, root, &worker.policy) {
                    // Whoever ends last looks again: a simulation may end without a visit of the root.
                    worker.finish();
                    return;
                }
                self.under_way.0.fetch_add(1, Relaxed);
            }
            let is_complete = worker.simulate();
            if counts_under_way {
                self.under_way.0.fetch_sub(1, Relaxed);
            }
            if !is_complete {
                self.stop.store(true, Relaxed);
                break;
            }
            done += 1;
        }
        self.is_done.store(true, Relaxed);
        worker.finish();
    }

    /// Returns true if the root has enough visits or a proof before any simulation of `worker`, and a move to choose.
    fn is_complete<G: Game, P: SelectionPolicy>(
        &self,
        table: &Table,
        root: &G,
        worker: &Worker<'_, '_, G, P>,
    ) -> bool {
        ranked_moves::has_visited_move(table, root, worker.root_moves)
            && self.stopping_rule.has_enough_visits_or_proof(table, root, &worker.policy)
    }

    /// Returns a report on the present content of the table, with the counts of one worker.
    fn report_so_far<G: Game, P: SelectionPolicy>(
        &self,
        table: &Table,
        root: &G,
        worker: &Worker<'_, '_, G, P>,
    ) -> Report {
        let mut totals = worker.totals();
        let (own, all) = (totals.simulations.max(1), self.simulations.0.load(Relaxed));
        // The mean depth of one worker stands for all.
        totals.depth_sum = (u128::from(totals.depth_sum) * u128::from(all) / u128::from(own)) as u64;
        totals.simulations = all;
        totals.elapsed = self.elapsed();
        Report::new(table, root, &worker.policy, totals, worker.root_moves)
    }

    /// Grants a worker its next simulations and returns their numbers. With several workers a grant contains several
    /// simulations, since each grant takes a cache line from another processor; towards the end it contains one, so
    /// that all workers end together.
    fn grant(&self) -> std::ops::Range<u64> {
        let size = if self.threads < 2 {
            1
        } else {
            let left = self.stopping_rule.simulations_left(self.simulations.0.load(Relaxed));
            (left / (8 * self.threads)).clamp(1, MAX_GRANT)
        };
        let first = self.simulations.0.fetch_add(size, Relaxed);
        first..first + size
    }

    /// Returns the wall-clock time of the run so far.
    pub(super) fn elapsed(&self) -> std::time::Duration {
        self.stopping_rule.elapsed()
    }
}

/// Waits for the end of a worker's thread and returns its result; a panic goes on in the caller's thread.
fn joined<T>(worker: ScopedJoinHandle<'_, T>) -> T {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
