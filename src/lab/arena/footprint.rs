//! Memory and processor time of an engine, measured in a process of its own.

use super::client::GtpClient;
use crate::base::platform::process;
use std::time::Duration;

/// Number of moves played: enough to fill tables of the sizes of interest.
const MOVES: usize = 30;
const ANSWER_TIMEOUT: Duration = Duration::from_secs(600);

/// The cost of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footprint {
    /// Peak resident memory of the process, in KiB.
    pub resident_kib: u64,
    /// Processor time per move, in seconds.
    pub cpu_seconds_per_move: f64,
}

/// Lets `command`, a GTP engine, play 30 moves against itself and measures its process; `None` if the system reports
/// no figures or the engine fails.
#[must_use]
pub fn measure(command: &str) -> Option<Footprint> {
    let mut client = GtpClient::start(command).ok()?;
    client.ask("clear_board", ANSWER_TIMEOUT).ok()?;
    let before = cpu_seconds(client.id())?;
    for number in 0..MOVES {
        let colour = if number % 2 == 0 { 'b' } else { 'w' };
        client.ask(&format!("genmove {colour}"), ANSWER_TIMEOUT).ok()?;
    }
    let spent = cpu_seconds(client.id())? - before;
    let resident_kib = process::peak_resident_kib(client.id())?;
    client.close();
    Some(Footprint { resident_kib, cpu_seconds_per_move: spent / MOVES as f64 })
}

/// Returns the processor time of the process's live threads; an engine with one worker searches in its main thread,
/// which does not end.
fn cpu_seconds(id: u32) -> Option<f64> {
    process::cpu_time_of_threads(id).map(|time| time.as_secs_f64()).filter(|&seconds| seconds > 0.0)
}
