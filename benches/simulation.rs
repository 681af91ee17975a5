//! Time of a whole simulation: descent, expansion, heavy playout, backup. From the empty board, with one thread and a
//! sufficiently large table that is empty at first.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::time::{Duration, Instant};
use tewari::base::game::Player;
use tewari::base::memory::MemoryBudget;
use tewari::engine::{Engine, EngineOptions};
use tewari::go::Size;
use tewari::search::Limits;

const TABLE_BYTES: u64 = 256 << 20;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(5))
        .sample_size(10)
        .configure_from_args();
    let mut group = criterion.benchmark_group("simulation");
    group.throughput(Throughput::Elements(1));
    for side in [9, 13, 19] {
        let size = Size::new(side, side).expect("a size");
        let options =
            EngineOptions { size, memory: MemoryBudget::Table(TABLE_BYTES), ..EngineOptions::default() };
        let mut engine = Engine::new(options).expect("an engine");
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter_custom(|simulations| search(&mut engine, simulations));
        });
    }
    group.finish();
    criterion.final_summary();
}

/// Returns the time of `simulations` simulations, from an empty table on.
fn search(engine: &mut Engine, simulations: u64) -> Duration {
    engine.clear_table();
    let limits = Limits { simulations: Some(simulations), ..Limits::default() };
    let started = Instant::now();
    engine.search(Player::Black, limits, &mut |_| true).expect("a report");
    started.elapsed()
}
