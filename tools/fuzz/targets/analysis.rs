//! The analysis protocol: lines of JSON. The first byte chooses options of engine and server.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tewari::base::game::Player;
use tewari::base::input::LineReader;
use tewari::engine::Engine;
use tewari::go::KeyPolicy;
use tewari::protocols::katago::{Perspective, QueryDefaults, Server};
use tewari_fuzz::{count, small_options};

const MOST_LINES: usize = 12;
const MOST_TURNS: usize = 6;
/// Maximum time of the search of a position, for every query.
const MOST_SECONDS: f64 = 0.002;

fuzz_target!(|data: &[u8]| {
    let Some((&flags, text)) = data.split_first() else { return };
    let lines = text.split(|&byte| byte == b'\n').take(MOST_LINES);
    let lines: Vec<Vec<u8>> = lines.map(|line| confined(line).unwrap_or_else(|| line.to_vec())).collect();
    count("queries", lines.len() as u64);
    let mut options = small_options(flags, 19);
    options.parameters.threads = if flags & 0x20 == 0 { 1 } else { 2 };
    let defaults = QueryDefaults {
        perspective: if flags & 0x40 == 0 { Perspective::SideToMove } else { Perspective::Of(Player::White) },
        visits: Some(8),
        simulations: None,
        time: Some(Duration::from_secs_f64(MOST_SECONDS)),
        keys: KeyPolicy::default(),
        finishes_queue: flags & 0x80 == 0,
    };
    let abandoned = Arc::new(AtomicBool::new(false));
    let input = LineReader::reading(Cursor::new(lines.join(&b'\n')), abandoned, |_| false);
    let mut output = Vec::new();
    let engine = Engine::new(options).expect("an engine");
    Server::new(engine, defaults, input, &mut output).run().expect("a conversation");
    for line in output.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let answer: Value = serde_json::from_slice(line).expect("every answer is JSON");
        let object = answer.as_object().expect("every answer is an object");
        let is_known = ["id", "error", "action"].iter().any(|key| object.contains_key(*key));
        assert!(is_known, "an answer to nothing: {answer}");
    }
});

/// Returns the line with its positions and its search time limited; `None` if it needs no limit.
fn confined(line: &[u8]) -> Option<Vec<u8>> {
    let mut query: Value = serde_json::from_slice(line).ok()?;
    let mut is_changed = false;
    if let Some(turns) = query.get_mut("analyzeTurns").and_then(Value::as_array_mut) {
        is_changed |= turns.len() > MOST_TURNS;
        turns.truncate(MOST_TURNS);
    }
    if let Some(time) = query.get_mut("overrideSettings").and_then(|settings| settings.get_mut("maxTime"))
        && time.as_f64().is_some_and(|seconds| seconds > MOST_SECONDS)
    {
        is_changed = true;
        *time = MOST_SECONDS.into();
    }
    is_changed.then(|| query.to_string().into())
}
