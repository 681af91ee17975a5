//! `tewari bench --machine`: measurement of the number of threads and the memory that suit this machine.

use super::options::EngineArguments;
use super::print::print_line;
use crate::base::byte_size::{exact_bytes, rounded_bytes};
use crate::base::game::Player;
use crate::base::memory::{self, MIB, MemoryBudget};
use crate::engine::Engine;
use crate::go::{Komi, Rules, Size};
use crate::search::Limits;
use anyhow::Result;
use std::time::Duration;

/// Sides of the boards on which threads are compared; table sizes are compared on the last one only.
const SIDES: [usize; 2] = [9, 19];
/// Maximum number of processors for which each number of threads is tried; above it only powers of two and all
/// processors.
const MAX_PROCESSORS_TRIED_EACH: usize = 8;
/// Bytes of the smallest table tried, and the factor between two sizes.
const MIN_TABLE_BYTES: u64 = 16 * MIB;
const TABLE_SIZE_FACTOR: u64 = 4;
/// Number of measurements, of which the fastest counts: other load makes a search slower, never faster.
const REPEATS: usize = 2;
/// Fraction of the fastest speed that is enough for the suggested number of threads.
const MIN_SPEED_FRACTION: f64 = 0.95;
/// Seconds of search on the largest board that the suggested table has room for.
const ROOM_SECONDS: f64 = 600.0;
const SEED: u64 = 1;

/// The speed of a search.
#[derive(Clone, Copy, Debug)]
struct Speed {
    /// Simulations a second.
    simulations: f64,
    /// Bytes of the table filled a second.
    bytes: f64,
}

/// A series of measurements on a machine.
struct MachineBenchmark<'a> {
    engine: &'a EngineArguments,
    time: Duration,
    /// Maximum bytes of a table.
    limit: u64,
}

/// Prints measurements that last `time` each, and the suggested options.
pub(super) fn run(engine: &EngineArguments, time: Duration) -> Result<()> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let available = memory::available();
    let memory = available.map_or("unknown".to_owned(), |bytes| rounded_bytes(bytes as f64));
    print_line(format_args!("processors: {processors}, memory: {memory}\n"))?;
    let benchmark =
        MachineBenchmark { engine, time, limit: available.map_or(4 * MIN_TABLE_BYTES, |bytes| bytes / 2) };
    let (threads, speed) = benchmark.threads(processors)?;
    benchmark.tables(threads)?;
    let memory = suggested_memory(speed, benchmark.limit);
    let typed = exact_bytes(memory);
    let room = format_duration(memory as f64 / speed.bytes);
    print_line(format_args!(
        "\nsuggested: {threads} thread{}, the fewest that search at least {:.0} % as fast as the fastest,\nand {} of memory, \
         which has room for {room} of search on 19x19\n\n  tewari gtp --threads {threads} --memory {typed}\n\nor for good, in \
         the settings file (`tewari config` says where it is):\n\n  [default]\n  threads = {threads}\n  memory = \"{typed}\"",
        if threads == 1 { "" } else { "s" },
        100.0 * MIN_SPEED_FRACTION,
        rounded_bytes(memory as f64),
    ))
}

impl MachineBenchmark<'_> {
    /// Compares numbers of threads. Returns the suggested one and its speed on the largest board.
    fn threads(&self, processors: usize) -> Result<(usize, Speed)> {
        print_line(format_args!(
            "threads  {}",
            SIDES.map(|side| format!("{:>28}", format!("{side}x{side} simulations/s"))).concat()
        ))?;
        let mut measured: Vec<(usize, [Speed; SIDES.len()])> = Vec::new();
        for threads in numbers_of_threads(processors) {
            let table = (1024 * MIB).min(self.limit);
            let mut speeds = [Speed { simulations: 0.0, bytes: 0.0 }; SIDES.len()];
            for (speed, side) in speeds.iter_mut().zip(SIDES) {
                *speed = self.measure(side, threads, table)?;
            }
            measured.push((threads, speeds));
            let one = measured[0].1;
            let columns = speeds.iter().zip(one).map(|(speed, one)| {
                format!("{:>14.0} {:>7.2} times", speed.simulations, speed.simulations / one.simulations)
            });
            print_line(format_args!("{threads:7}  {}", columns.collect::<String>()))?;
        }
        let largest = |speeds: &[Speed; SIDES.len()]| speeds[SIDES.len() - 1];
        let fastest = measured.iter().map(|(_, speeds)| largest(speeds).simulations).fold(0.0, f64::max);
        let enough =
            measured.iter().find(|(_, speeds)| largest(speeds).simulations >= MIN_SPEED_FRACTION * fastest);
        let (threads, speeds) = enough.unwrap_or(&measured[0]);
        Ok((*threads, largest(speeds)))
    }

    /// Compares table sizes.
    fn tables(&self, threads: usize) -> Result<()> {
        let side = SIDES[SIDES.len() - 1];
        print_line(format_args!(
            "\n  table  {:>28}{:>16}",
            format!("{side}x{side} simulations/s"),
            "full after"
        ))?;
        for bytes in sizes(self.limit) {
            let speed = self.measure(side, threads, bytes)?;
            let full = format_duration(bytes as f64 / speed.bytes);
            print_line(format_args!(
                "{:>7}  {:>28.0}{full:>16}",
                rounded_bytes(bytes as f64),
                speed.simulations
            ))?;
        }
        Ok(())
    }

    /// Returns the speed from the empty board, after a warm-up of half the time in the same table.
    fn measure(&self, side: usize, threads: usize, table: u64) -> Result<Speed> {
        let mut best = Speed { simulations: 0.0, bytes: 0.0 };
        for _ in 0..REPEATS {
            let mut options =
                self.engine.options(Size::new(side, side)?, Rules::CHINESE, Komi::from_points(7.5)?, SEED);
            options.parameters.threads = threads;
            options.memory = MemoryBudget::Table(table);
            let mut engine = Engine::new(options)?;
            let mut search = |time| {
                let limits = Limits { time: Some(time), simulations: Some(u64::MAX), ..Limits::default() };
                engine.search(Player::Black, limits, &mut |_| true)
            };
            let warm_up = search(self.time / 2)?;
            let report = search(self.time)?;
            let seconds = report.elapsed.as_secs_f64();
            let (simulations, all) =
                (report.simulations as f64, (warm_up.simulations + report.simulations) as f64);
            let bytes = engine.table().census().bytes_used as f64 * simulations / all / seconds;
            if simulations / seconds > best.simulations {
                best = Speed { simulations: simulations / seconds, bytes };
            }
        }
        Ok(best)
    }
}

/// Returns the numbers of threads to try, from 1 to all processors.
fn numbers_of_threads(processors: usize) -> Vec<usize> {
    let processors = processors.clamp(1, 255);
    let mut numbers: Vec<usize> = (1..=processors)
        .filter(|number| processors <= MAX_PROCESSORS_TRIED_EACH || number.is_power_of_two())
        .collect();
    if numbers.last() != Some(&processors) {
        numbers.push(processors);
    }
    numbers
}

/// Returns the table sizes to try, in bytes.
fn sizes(limit: u64) -> Vec<u64> {
    let sizes: Vec<u64> =
        std::iter::successors(Some(MIN_TABLE_BYTES), |bytes| bytes.checked_mul(TABLE_SIZE_FACTOR))
            .take_while(|bytes| *bytes <= limit)
            .collect();
    if sizes.is_empty() { vec![limit] } else { sizes }
}

/// Returns the suggested memory in bytes, a power of two, for an engine with this speed.
fn suggested_memory(speed: Speed, limit: u64) -> u64 {
    let wanted = (speed.bytes * ROOM_SECONDS) as u64;
    let most = 1 << limit.max(MIN_TABLE_BYTES).ilog2();
    wanted.next_power_of_two().clamp(MIN_TABLE_BYTES, most)
}

fn format_duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.0} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_processors_are_tried_and_not_more_than_a_few_numbers_of_them() {
        assert_eq!(numbers_of_threads(1), [1]);
        assert_eq!(numbers_of_threads(3), [1, 2, 3]);
        assert_eq!(numbers_of_threads(12), [1, 2, 4, 8, 12]);
        assert_eq!(numbers_of_threads(1000).last(), Some(&255));
    }

    #[test]
    fn the_suggested_memory_has_room_and_fits_the_machine() {
        let speed = Speed { simulations: 10_000.0, bytes: 2.0 * MIB as f64 };
        assert_eq!(suggested_memory(speed, 64 * 1024 * MIB), 2048 * MIB);
        assert_eq!(suggested_memory(speed, 1500 * MIB), 1024 * MIB);
        assert_eq!(sizes(300 * MIB), [16 * MIB, 64 * MIB, 256 * MIB]);
        assert_eq!(sizes(8 * MIB), [8 * MIB]);
    }

    #[test]
    fn times_have_handy_units() {
        assert_eq!(
            [format_duration(5.2), format_duration(600.0), format_duration(36_000.0)],
            ["5 s", "10 min", "10 h"]
        );
    }
}
