//! Searches with an evaluator that answers later: workers that wait share one thread.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::ThreadId;
use std::time::{Duration, Instant};
use tewari::base::game::{Game, Prior};
use tewari::base::pause::Pause;
use tewari::base::value::{Estimate, Value};
use tewari::base::zobrist::mix;
use tewari::go::{Komi, Position, Rules, Size};
use tewari::search::policy::AlphaZero;
use tewari::search::{EvaluatorWait, Limits, PositionEvaluator, Report, Search, SearchParameters};
use tewari::table::{PageEvaluation, Shape, Table};

/// An evaluator that takes `delay` for each answer.
struct SlowEvaluator {
    delay: Duration,
    /// Number of questions after which the next one panics.
    panics_after: usize,
    stop: AtomicBool,
    asked: Mutex<HashMap<u64, usize>>,
    threads: Mutex<HashSet<ThreadId>>,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
}

impl SlowEvaluator {
    fn new(delay: Duration) -> SlowEvaluator {
        SlowEvaluator {
            delay,
            panics_after: usize::MAX,
            stop: AtomicBool::new(false),
            asked: Mutex::default(),
            threads: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            most_in_flight: AtomicUsize::new(0),
        }
    }

    fn evaluate(
        &self,
        game: &Position,
        priors: &mut [Option<Prior>],
        pause: &dyn Pause,
    ) -> Option<PageEvaluation> {
        *self.asked.lock().unwrap().entry(game.key()).or_default() += 1;
        assert!(self.asked.lock().unwrap().len() <= self.panics_after, "no evaluation");
        self.threads.lock().unwrap().insert(std::thread::current().id());
        self.most_in_flight.fetch_max(self.in_flight.fetch_add(1, SeqCst) + 1, SeqCst);
        let due = Instant::now() + self.delay;
        let mut now = Instant::now();
        while now < due {
            if self.stop.load(SeqCst) {
                return None;
            }
            now = pause.wait_for_thread(due - now);
        }
        self.in_flight.fetch_sub(1, SeqCst);
        game.expand(priors);
        for (number, prior) in (0..).zip(priors.iter_mut()) {
            let wins = (mix(game.key() ^ number) % 100) as u8;
            // Few moves fit on one page: a further one would be asked for again.
            let is_kept = number.wrapping_add(game.key()).is_multiple_of(11);
            *prior = prior.filter(|_| is_kept).map(|_| Prior { visits: wins, wins });
        }
        let value = Value((mix(game.key()) >> 33) as u32 + (1 << 30));
        Some(PageEvaluation { estimate: Some(Estimate { value, weight: 1 }), score: None })
    }

    fn search(&self, workers: usize, limits: Limits) -> Report {
        let root = Position::new(Size::new(9, 9).expect("a size"), Rules::CHINESE, Komi(13));
        let table = Table::new(Shape::ranked(root.move_count()), 8 << 20).expect("a table");
        let parameters =
            SearchParameters { evaluates_leaves: true, threads: workers, ..SearchParameters::default() };
        let wait = EvaluatorWait { stop: &self.stop, is_loading: &|| false };
        let evaluator = || -> PositionEvaluator<'_, Position> {
            Box::new(|game, priors, pause| self.evaluate(game, priors, pause))
        };
        Search::new(&table, AlphaZero::default(), parameters)
            .with_evaluator_wait(Some(wait))
            .run_with_evaluators(&root, &evaluator, limits, &mut |_| true)
    }
}

#[test]
fn hundreds_of_workers_wait_on_one_thread() {
    let evaluator = SlowEvaluator::new(Duration::from_millis(50));
    let started = Instant::now();
    let report = evaluator.search(200, Limits { simulations: Some(1_000), ..Limits::default() });
    assert_eq!(report.simulations, 1_000);
    // One after the other they would take 50 seconds.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(evaluator.threads.lock().unwrap().len(), 1);
    assert!(evaluator.most_in_flight.load(SeqCst) > 100, "{:?}", evaluator.most_in_flight);
}

#[test]
fn workers_that_wait_for_the_evaluation_of_another_go_on_after_it() {
    let evaluator = SlowEvaluator::new(Duration::from_millis(20));
    evaluator.search(8, Limits { simulations: Some(100), ..Limits::default() });
    // All wait for the root at first.
    assert_eq!(evaluator.most_in_flight.load(SeqCst), 8);
    assert!(evaluator.asked.lock().unwrap().values().all(|&times| times == 1));
}

#[test]
fn the_end_of_the_time_ends_all_waits() {
    let evaluator = SlowEvaluator::new(Duration::from_secs(600));
    let started = Instant::now();
    evaluator.search(50, Limits { time: Some(Duration::from_millis(100)), ..Limits::default() });
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_panic_of_a_worker_ends_the_search() {
    let evaluator = SlowEvaluator { panics_after: 20, ..SlowEvaluator::new(Duration::from_millis(1)) };
    let search = || evaluator.search(16, Limits::default());
    let panic = catch_unwind(AssertUnwindSafe(search)).expect_err("a panic");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no evaluation"));
}
