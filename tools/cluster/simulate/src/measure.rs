//! Costs of the parts of a search on this machine, in processor time of this thread.

use crate::{options, positions};
use rustix::time::{ClockId, clock_gettime};
use tewari::base::game::{Game, Trace};
use tewari::base::rng::PlayoutRng;
use tewari::engine::ranks::{Inbox, Outbox, read_increments, write_increments};
use tewari::engine::{DEFAULT_VALUE_WEIGHT, Engine, NetworkEvaluator};
use tewari::go::Position;
use tewari::search::{Change, Journal};

/// Repetitions; the minimum counts, since other work only adds time.
const RUNS: usize = 5;
/// Bytes of a table.
const TABLE_BYTES: u64 = 16 << 20;
/// Rounds of a measured exchange, and simulations in one.
const ROUNDS: usize = 60;
const SIMULATIONS: usize = 30;
/// Rounds that do not count.
const FIRST_ROUNDS: usize = 20;

/// Returns the nanoseconds of processor time that a function takes, and its result.
fn timed<T>(function: impl FnOnce() -> T) -> (f64, T) {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
    };
    let before = now();
    let result = function();
    (now() - before, result)
}

/// Returns the minimum of several runs.
fn least(mut run: impl FnMut() -> f64) -> f64 {
    (0..RUNS).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Returns the costs as arguments.
pub fn costs(side: usize, seed: u64) -> String {
    let engine = Engine::new(options(side, seed, TABLE_BYTES)).expect("an engine");
    let roots: Vec<_> = (0..10).map(|number| positions::position(side, seed, number)).collect();
    let network = engine.network().expect("a network");
    let mut evaluator = NetworkEvaluator::new(network.clone(), DEFAULT_VALUE_WEIGHT, &roots[0]);
    let mut priors = vec![None; roots[0].move_count()];
    let mut evaluate = || {
        for root in &roots {
            evaluator.evaluate(root, &mut priors);
        }
    };
    let evaluation = least(|| timed(&mut evaluate).0) / roots.len() as f64;
    let mut rng = PlayoutRng::new(seed, 1);
    let mut play = || {
        for _ in 0..20 {
            for root in &roots {
                root.clone().playout(&mut rng, &mut Trace::default());
            }
        }
    };
    let playout = least(|| timed(&mut play).0) / (20 * roots.len()) as f64;
    let mut exchanges = Exchanges::default();
    roots.iter().for_each(|root| exchanges.run(side, seed, root, [evaluation, playout]));
    let ([make_position, make_page], [apply_position, apply_page]) =
        (exchanges.making.solve(), exchanges.adding.solve());
    format!(
        "--evaluation {evaluation:.0} --playout {playout:.0} --step {:.0} --make {make_position:.0},{make_page:.0} \
         --apply {apply_position:.0},{apply_page:.0}",
        exchanges.least_step
    )
}

/// Measurements of two ranks in turns.
#[derive(Default)]
struct Exchanges {
    /// Time of a step: the minimum over the searches.
    least_step: f64,
    making: Fit,
    adding: Fit,
}

impl Exchanges {
    /// Adds the measurements of one position.
    fn run(&mut self, side: usize, seed: u64, root: &Position, [evaluation, playout]: [f64; 2]) {
        let engines = [0, 1].map(|_| Engine::new(options(side, seed, TABLE_BYTES)).expect("an engine"));
        let journals = [0, 1].map(|_| Journal::default());
        let mut searches = [0, 1].map(|rank| engines[rank].begin_part(root.clone(), rank, &journals[rank]));
        let mut outboxes = [0, 1].map(|_| Outbox::default());
        let mut inboxes = [0, 1].map(|_| Inbox::default());
        let (mut all, mut steps) = (0.0, 0.0);
        for round in 0..2 * ROUNDS {
            let (from, to) = (round % 2, 1 - round % 2);
            all += timed(|| (0..SIMULATIONS).all(|_| searches[from].simulate())).0;
            let records = journals[from].take();
            for record in &records {
                match record.change {
                    Change::Edge(_) => steps += 1.0,
                    Change::Playout(_) => all -= playout,
                    Change::Page(_) => all -= evaluation,
                    Change::Leaf | Change::Bounds => {}
                }
            }
            let (making, (bytes, counts)) = timed(|| {
                outboxes[from].add(&records);
                let positions = outboxes[from].take(engines[from].table(), root.key());
                let pages: usize = positions.iter().map(|it| it.pages.len()).sum();
                let counts = [positions.len() as f64, pages as f64];
                (write_increments(positions), counts)
            });
            let (adding, ()) = timed(|| {
                inboxes[to].add(engines[to].table(), read_increments(&bytes).expect("increments"));
                inboxes[to].retry(engines[to].table(), false);
            });
            // The first rounds touch fresh memory.
            if round >= FIRST_ROUNDS {
                self.making.add(counts, making);
                self.adding.add(counts, adding);
            }
        }
        let step = all / steps;
        self.least_step = if self.least_step == 0.0 { step } else { step.min(self.least_step) };
    }
}

/// A least-squares fit of times by two counts.
#[derive(Default)]
struct Fit {
    matrix: [f64; 3],
    right: [f64; 2],
}

impl Fit {
    fn add(&mut self, [x, y]: [f64; 2], time: f64) {
        let [xx, xy, yy] = &mut self.matrix;
        *xx += x * x;
        *xy += x * y;
        *yy += y * y;
        self.right[0] += x * time;
        self.right[1] += y * time;
    }

    /// Returns the time for each count; none is negative.
    fn solve(&self) -> [f64; 2] {
        let ([xx, xy, yy], [first, second]) = (self.matrix, self.right);
        let determinant = xx * yy - xy * xy;
        let both = [(first * yy - second * xy) / determinant, (second * xx - first * xy) / determinant];
        match both {
            [of_first, _] if of_first < 0.0 => [0.0, second / yy],
            [_, of_second] if of_second < 0.0 => [first / xx, 0.0],
            both => both,
        }
    }
}
