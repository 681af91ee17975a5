//! Workers as coroutines of one thread: they run one at a time, each until it waits.

use super::pause::Pause;
use corosensei::stack::DefaultStack;
use corosensei::{CoroutineResult, ScopedCoroutine, ScopedCoroutineRef, Yielder};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a coroutine's stack. A search uses 100 KiB, without optimisation 148 KiB (measured on 9x9 and 19x19); the rest is
/// for messages of a panic. The system provides the pages that are used.
const STACK_BYTES: usize = 512 << 10;

/// Maximum time for which the thread is parked.
const MAX_PARK: Duration = Duration::from_millis(50);

/// A worker before its scope is opened. When it is resumed it gets the present time; when it waits it yields the longest
/// wait.
type Worker<'w, R> = ScopedCoroutine<'w, Instant, Duration, R, DefaultStack>;
type WorkerRef<'s, R> = ScopedCoroutineRef<'s, Instant, Duration, R, DefaultStack>;

/// The waits of a coroutine: they suspend it.
struct CoroutinePause<'y>(&'y Yielder<Instant, Duration>);

impl Pause for CoroutinePause<'_> {
    fn let_others_run(&self) {
        self.0.suspend(Duration::ZERO);
    }

    fn wait_for_thread(&self, limit: Duration) -> Instant {
        self.0.suspend(limit)
    }

    fn wait_for_worker(&self, _limit: Duration) {
        // The thread is parked only if no other worker has gone on.
        self.0.suspend(Duration::MAX);
    }
}

/// Calls `work` once for each of `workers` workers, with its number and its waits, and returns the results in order. All run
/// on the caller's thread, which parks while none can go on.
///
/// # Panics
/// Panics if a worker panics, with its message; the others are unwound.
pub(crate) fn run_workers<R>(workers: usize, work: &dyn Fn(usize, &dyn Pause) -> R) -> Vec<R> {
    let worker = |number| {
        let stack = DefaultStack::new(STACK_BYTES).expect("memory for a stack");
        let body = move |yielder: &Yielder<Instant, Duration>, _| work(number, &CoroutinePause(yielder));
        Worker::with_stack(stack, body)
    };
    let workers: Vec<_> = (0..workers).map(worker).collect();
    run_scoped(workers.into_iter(), Vec::new()).unwrap_or_else(|panic| resume_unwind(panic))
}

/// Opens the scopes of the workers, one inside the other, and runs all.
fn run_scoped<R>(
    mut workers: std::vec::IntoIter<Worker<'_, R>>,
    scoped: Vec<WorkerRef<'_, R>>,
) -> thread::Result<Vec<R>> {
    match workers.next() {
        Some(worker) => worker.scope(|worker| {
            // All references get the lifetime of the innermost scope.
            let mut scoped: Vec<WorkerRef<'_, R>> = scoped;
            scoped.push(worker);
            run_scoped(workers, scoped)
        }),
        None => schedule(scoped),
    }
}

/// Resumes the workers in turn until all have ended. A worker that lets others run is resumed after them; if all others wait,
/// the thread parks until another thread unparks it.
fn schedule<R>(mut workers: Vec<WorkerRef<'_, R>>) -> thread::Result<Vec<R>> {
    let mut results: Vec<Option<R>> = workers.iter().map(|_| None).collect();
    while results.iter().any(Option::is_none) {
        let now = Instant::now();
        let mut limit = MAX_PARK;
        for (worker, result) in workers.iter_mut().zip(&mut results).filter(|(_, result)| result.is_none()) {
            match catch_unwind(AssertUnwindSafe(|| worker.resume(now)))? {
                CoroutineResult::Yield(wait) => limit = limit.min(wait),
                CoroutineResult::Return(value) => {
                    *result = Some(value);
                    limit = Duration::ZERO;
                }
            }
        }
        if !limit.is_zero() {
            thread::park_timeout(limit);
        }
    }
    Ok(results.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};

    #[test]
    fn all_workers_run_until_they_wait_and_the_results_are_in_order() {
        let events = RefCell::new(Vec::new());
        let results = run_workers(3, &|number, pause| {
            events.borrow_mut().push(format!("{number} asks"));
            pause.let_others_run();
            events.borrow_mut().push(format!("{number} waits"));
            number
        });
        assert_eq!(results, [0, 1, 2]);
        assert_eq!(events.into_inner(), ["0 asks", "1 asks", "2 asks", "0 waits", "1 waits", "2 waits"]);
    }

    #[test]
    fn the_thread_is_parked_until_another_unparks_it() {
        let (own, began) = (thread::current(), Instant::now());
        let resumed = Cell::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                own.unpark();
            });
            run_workers(2, &|_, pause| {
                while began.elapsed() < Duration::from_millis(20) {
                    pause.wait_for_thread(Duration::from_secs(60));
                    resumed.set(resumed.get() + 1);
                }
            });
        });
        assert!(resumed.get() < 20, "{resumed:?}");
        assert!(began.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_worker_goes_on_as_soon_as_another_has_gone_on() {
        let (is_done, began) = (Cell::new(false), Instant::now());
        run_workers(2, &|number, pause| {
            if number == 0 {
                while !is_done.get() {
                    pause.wait_for_worker(Duration::from_millis(1));
                }
            } else {
                pause.let_others_run();
                is_done.set(true);
            }
        });
        assert!(began.elapsed() < MAX_PARK);
    }

    #[test]
    fn a_panic_unwinds_the_other_workers() {
        struct Counted<'c>(&'c Cell<u32>);
        impl Drop for Counted<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
            }
        }
        let dropped = Cell::new(0);
        let run = || {
            run_workers(5, &|number, pause| {
                let _counted = Counted(&dropped);
                pause.let_others_run();
                assert!(number != 3, "worker 3");
                pause.wait_for_thread(Duration::from_secs(60));
            })
        };
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
        assert_eq!((panic.downcast_ref::<&str>(), dropped.get()), (Some(&"worker 3"), 5));
    }
}
