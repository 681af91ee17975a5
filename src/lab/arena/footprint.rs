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

/// Lets `command`, a GTP engine, play 30 moves against itself, in several games if need be, and measures its process;
/// `None` if the system reports no figures or the engine fails. Passes and resignations are left out, since some need no
/// search.
#[must_use]
pub fn measure(command: &str) -> Option<Footprint> {
    let mut client = GtpClient::start(command).ok()?;
    client.ask("clear_board", ANSWER_TIMEOUT).ok()?;
    let (mut spent, mut moves) = (0.0, 0);
    let mut colours = ['b', 'w'].into_iter().cycle();
    for _ in 0..MOVES {
        let before = cpu_seconds(client.id())?;
        let answer = client.ask(&format!("genmove {}", colours.next()?), ANSWER_TIMEOUT).ok()?;
        if ["pass", "resign"].iter().any(|end| answer.eq_ignore_ascii_case(end)) {
            client.ask("clear_board", ANSWER_TIMEOUT).ok()?;
            colours = ['b', 'w'].into_iter().cycle();
        } else {
            spent += cpu_seconds(client.id())? - before;
            moves += 1;
        }
    }
    let resident_kib = process::peak_resident_kib(client.id())?;
    client.close();
    (moves > 0).then(|| Footprint { resident_kib, cpu_seconds_per_move: spent / f64::from(moves) })
}

/// Returns the processor time of the process's live threads; an engine with one worker searches in its main thread,
/// which does not end.
fn cpu_seconds(id: u32) -> Option<f64> {
    process::cpu_time_of_threads(id).map(|time| time.as_secs_f64()).filter(|&seconds| seconds > 0.0)
}
