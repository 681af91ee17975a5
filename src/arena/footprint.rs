//! What an engine with a given table costs, measured in a process of its own, where nothing else counts.

use super::client::Client;
use std::fs;
use std::time::Duration;

/// Moves that are played: enough to fill the tables whose size matters.
const MOVES: usize = 30;
const PATIENCE: Duration = Duration::from_secs(600);

/// The cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footprint {
    /// Peak resident memory of the whole process, in KiB.
    pub resident_kib: u64,
    /// Seconds of processor time for a move.
    pub cpu_seconds_per_move: f64,
}

/// Lets `command`, a GTP engine, play against itself for 30 moves, and looks at its process; `None` where the
/// system does not tell, or the engine fails.
#[must_use]
pub fn measure(command: &str) -> Option<Footprint> {
    let mut client = Client::start(command).ok()?;
    client.ask("clear_board", PATIENCE).ok()?;
    let before = cpu_seconds(client.id())?;
    for number in 0..MOVES {
        let colour = if number % 2 == 0 { 'b' } else { 'w' };
        client.ask(&format!("genmove {colour}"), PATIENCE).ok()?;
    }
    let spent = cpu_seconds(client.id())? - before;
    let status = fs::read_to_string(format!("/proc/{}/status", client.id())).ok()?;
    let resident_kib = peak_resident(&status)?;
    client.close();
    Some(Footprint { resident_kib, cpu_seconds_per_move: spent / MOVES as f64 })
}

fn peak_resident(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Time on a processor of all threads there are: the first number of each `schedstat`, in nanoseconds. The
/// time of a thread that has ended is not in it; engines with one worker search in the main thread.
fn cpu_seconds(id: u32) -> Option<f64> {
    let threads = fs::read_dir(format!("/proc/{id}/task")).ok()?;
    let nanoseconds = threads.flatten().filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Some(nanoseconds.sum::<u64>() as f64 / 1e9).filter(|&seconds| seconds > 0.0)
}
