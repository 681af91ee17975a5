//! Speed of light and heavy playouts from the empty board, in time and in cycles of the time-stamp counter a move, the
//! unit in which other programs state theirs.

#![allow(unsafe_code, reason = "the time-stamp counter is read by an intrinsic")]

use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use std::time::{Duration, Instant};
use tewari::base::game::{Player, Score, Trace};
use tewari::base::rng::PlayoutRng;
use tewari::go::geometry::Point;
use tewari::go::heavy::HeavyPlayouts;
use tewari::go::{Board, PlayoutPolicy, Size};

const SIDES: [usize; 3] = [9, 13, 19];
const POLICIES: [(&str, PlayoutPolicy); 3] = [
    ("Light", PlayoutPolicy::Light),
    ("Michi", PlayoutPolicy::MICHI),
    ("Heavy", PlayoutPolicy::Heavy(HeavyPlayouts::DEFAULT)),
];
/// Number of moves played for one count of cycles.
const MOVES: usize = 200_000;
/// Number of counts; the least is taken, since other load of the machine only adds cycles.
const COUNTS: usize = 15;

/// Boards and buffers for playouts from the empty board.
struct Playouts {
    empty: Board,
    board: Board,
    rng: PlayoutRng,
    trace: Trace,
    policy: PlayoutPolicy,
}

impl Playouts {
    fn new(side: usize, policy: PlayoutPolicy) -> Playouts {
        let empty = Board::new(Size::new(side, side).expect("a size"));
        let rng = PlayoutRng::new(9, 0);
        Playouts { board: empty.clone(), empty, rng, trace: Trace::default(), policy }
    }

    fn play(&mut self) -> Score {
        let Playouts { empty, board, rng, trace, policy } = self;
        board.clone_from(empty);
        trace.moves.clear();
        policy.play(board, Player::Black, 0, [Point::NONE; 2], rng, trace)
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .configure_from_args();
    for (name, policy) in POLICIES {
        let mut group = criterion.benchmark_group(format!("{name} playout"));
        for side in SIDES {
            let mut playouts = Playouts::new(side, policy);
            group.throughput(Throughput::Elements(1));
            group.bench_function(BenchmarkId::from_parameter(format!("{side}x{side}")), |bencher| {
                bencher.iter(|| black_box(playouts.play()));
            });
        }
        group.finish();
    }
    criterion.final_summary();
    print_cycles();
}

/// Prints the cost of a move: the least of several counts. Playout policies and boards alternate, so that a change of
/// the processor's clock affects all of them.
fn print_cycles() {
    let mut variants: Vec<(usize, &str, Playouts, f64, f64)> = SIDES
        .into_iter()
        .flat_map(|side| {
            POLICIES.map(|(name, policy)| (side, name, Playouts::new(side, policy), f64::MAX, f64::MAX))
        })
        .collect();
    for _ in 0..COUNTS {
        for (_, _, playouts, cycles, nanoseconds) in &mut variants {
            let mut moves = 0;
            let (before, started) = (time_stamp(), Instant::now());
            while moves < MOVES {
                black_box(playouts.play());
                moves += playouts.trace.moves.len();
            }
            let elapsed = started.elapsed().as_nanos() as f64 / moves as f64;
            *nanoseconds = nanoseconds.min(elapsed);
            *cycles = cycles.min(time_stamp().wrapping_sub(before) as f64 / moves as f64);
        }
    }
    for (side, name, _, cycles, nanoseconds) in variants {
        let cycles = if cycles > 0.0 { format!("{cycles:.0}") } else { "-".to_owned() };
        println!(
            "{side}x{side} {name}: {cycles} time-stamp cycles, {nanoseconds:.1} ns a move (least of {COUNTS})"
        );
    }
}

/// Returns the processor's time-stamp counter; 0 if there is none.
fn time_stamp() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, which has no side effects.
    return unsafe { std::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    0
}
