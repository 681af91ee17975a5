//! Time of a probe of the table, and of one step of a descent, by the size of the table.
//!
//! Every operation accesses a random place and starts after the previous one has ended, as in a descent, so that small
//! tables measure the caches and large ones the memory. After a miss, however, the processor predicts that there is
//! nothing to read and continues without waiting. A step of a descent finds the entry of a 9x9 position, reads the 82
//! edges and AMAF samples of its page and scores them; as in a search, the entries of the children are prefetched
//! meanwhile. The first line of each size states the share of the table in huge pages.

use criterion::{BenchmarkId, Criterion};
use std::hint::black_box;
use std::time::Duration;
use tewari::base::game::Prior;
use tewari::base::zobrist::mix;
use tewari::search::policy::{EdgeColumns, ParentView, Rave, SelectionPolicy};
use tewari::table::{Counters, Layout, ProtectedPath, Shape, Table};

const SHAPE: Shape = Shape::complete(82);
const MIB: usize = 1 << 20;
const SIZES: [usize; 6] = [MIB, 16 * MIB, 64 * MIB, 256 * MIB, 1024 * MIB, 4096 * MIB];

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_millis(1500))
        .sample_size(20)
        .configure_from_args();
    let available = tewari::base::memory::available().unwrap_or(u64::MAX);
    for bytes in SIZES {
        if bytes as u64 > available / 2 {
            println!("skipped: a table of {} MiB is more than half of the memory", bytes / MIB);
            continue;
        }
        measure(&mut criterion, bytes);
    }
    criterion.final_summary();
}

fn measure(criterion: &mut Criterion, bytes: usize) {
    let (table, keys) = filled(bytes);
    let with_page = table.layout().pages as u64;
    let size = format!("{} MiB", bytes / MIB);
    println!("{size}: {} MiB in huge pages", table.huge_page_bytes().unwrap_or(0) / MIB);
    let mut group = criterion.benchmark_group("table");
    let mut walk = Walk(1);
    group.bench_function(BenchmarkId::new("probe, hit", &size), |bencher| {
        bencher.iter(|| {
            let found = table.find(key(walk.next(keys)));
            walk.depends_on(found.map_or(0, |entry| entry.total().visits));
        });
    });
    group.bench_function(BenchmarkId::new("probe, miss", &size), |bencher| {
        bencher.iter(|| {
            let found = table.find(key(keys + walk.next(u64::MAX >> 1)));
            walk.depends_on(u32::from(found.is_some()));
        });
    });
    let (mut here, mut columns) = (key(walk.next(with_page)), Columns::new());
    group.bench_function(BenchmarkId::new("descent step", &size), |bencher| {
        bencher.iter(|| {
            let child = key(walk.next(with_page));
            table.prefetch(child);
            let read = columns.step(&table, here);
            walk.depends_on(read);
            here = child;
        });
    });
    group.finish();
}

/// Returns a table with half of its entries in use and a page for each of the first keys, and the number of keys.
fn filled(bytes: usize) -> (Table, u64) {
    let layout = Layout::fit(SHAPE, bytes).expect("a layout");
    let table = Table::new(SHAPE, bytes).expect("the memory");
    let priors = vec![Some(Prior { visits: 10, wins: 5 }); SHAPE.moves];
    let mut counters = Counters::default();
    let keys = layout.entries() as u64 / 2;
    for number in 0..keys {
        let Some(entry) = table.find_or_claim(key(number), ProtectedPath::default(), &mut counters) else {
            continue;
        };
        // A visit makes the entry more valuable than a newcomer, so that full buckets evict few.
        entry.add_leaf_playout(1);
        if number < layout.pages as u64 {
            black_box(table.claim_page(&entry, || &priors, ProtectedPath::default(), &mut counters));
        }
    }
    (table, keys)
}

/// Returns the key of a position; `mix` is a bijection, so keys are distinct.
fn key(number: u64) -> u64 {
    mix(number)
}

/// The columns that a selection works on, as in the search.
struct Columns {
    columns: [Vec<f32>; 6],
    words: Vec<u64>,
    scores: Vec<f32>,
}

impl Columns {
    fn new() -> Columns {
        let zeros = || vec![0.0; SHAPE.moves];
        Columns { columns: [(); 6].map(|()| zeros()), words: vec![0; SHAPE.moves], scores: zeros() }
    }

    /// Finds a position, reads its edges and AMAF samples, and scores every move; returns the best.
    fn step(&mut self, table: &Table, key: u64) -> u32 {
        let Some(entry) = table.find(key) else { return 0 };
        table.prefetch_page(entry.page_number());
        let Some(page) = table.page(&entry) else { return entry.total().visits };
        let [visits, value, amaf_visits, amaf_wins, prior_visits, prior_wins] = &mut self.columns;
        for (index, edge) in page.edges().enumerate() {
            visits[index] = edge.visits() as f32;
            value[index] = edge.value().as_f32();
            prior_visits[index] = f32::from(edge.prior().visits);
            prior_wins[index] = f32::from(edge.prior().wins);
        }
        for (pair, amaf) in page.amaf_pairs().enumerate() {
            for (index, amaf) in (2 * pair..SHAPE.moves).zip(amaf) {
                amaf_visits[index] = amaf.visits as f32;
                amaf_wins[index] = amaf.half_points as f32 * 0.5;
            }
        }
        let edges = EdgeColumns {
            visits,
            value,
            amaf_visits,
            amaf_wins,
            prior_visits,
            prior_wins,
            state: &self.words,
        };
        Rave::default().score_all(&ParentView::new(entry.total().visits as f32), &edges, &mut self.scores);
        let best = self.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        black_box(best.to_bits())
    }
}

/// Random numbers, each of which depends on the result of the operation before it.
struct Walk(u64);

impl Walk {
    fn next(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }

    /// Adds 0, which the compiler and the processor cannot predict.
    fn depends_on(&mut self, result: u32) {
        self.0 = self.0.wrapping_add(u64::from(result) & black_box(0));
    }
}
