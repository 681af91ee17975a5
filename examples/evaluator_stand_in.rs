//! A program that speaks KataGo's analysis protocol, for tests: evaluations depend on the stones alone, and it fails on demand.
//!
//! Usage: `evaluator_stand_in analysis -model FILE [--delay MS] [--count FILE] [--die-after N] [--hang-after N]
//! [--garbage-after N] [--refuse] [--refuse-after N] [--no-model] [--load MS] [--gtp]`. With `--count`, each answer appends a
//! byte to the file, also across restarts; N counts the answers of one run.

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

/// The arguments.
struct Settings(Vec<String>);

impl Settings {
    fn value(&self, name: &str) -> Option<&str> {
        let place = self.0.iter().position(|word| word == name)?;
        self.0.get(place + 1).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.value(name)?.parse().ok()
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|word| word == name)
    }
}

fn main() {
    let settings = Settings(std::env::args().collect());
    if settings.value("-model").is_none_or(|model| model.contains("missing")) {
        eprintln!("cannot load the model");
        std::process::exit(1);
    }
    std::thread::sleep(Duration::from_millis(settings.number("--load").unwrap_or(0)));
    let answered = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            let (settings, answered) = (&settings, &answered);
            scope.spawn(move || answer(&line, settings, answered));
        }
    });
}

fn answer(line: &str, settings: &Settings, answered: &AtomicU64) {
    if settings.has("--gtp") {
        return print("? unknown command\n");
    }
    let Ok(query) = serde_json::from_str::<Value>(line) else { return print(r#"{"error":"no JSON"}"#) };
    if query["action"] == "query_models" {
        // Later than the first evaluations.
        std::thread::sleep(Duration::from_millis(50));
        let model = if settings.has("--no-model") { None } else { settings.value("-model") };
        let models: Vec<Value> = model.into_iter().map(|name| json!({"name": name})).collect();
        return print(&json!({"id": query["id"], "action": "query_models", "models": models}).to_string());
    }
    std::thread::sleep(Duration::from_millis(settings.number("--delay").unwrap_or(0)));
    let number = answered.fetch_add(1, SeqCst);
    let is_after = |name| settings.number(name).is_some_and(|limit| number >= limit);
    if is_after("--hang-after") {
        return;
    }
    if is_after("--die-after") {
        eprintln!("died as asked");
        std::process::exit(3);
    }
    if is_after("--garbage-after") {
        return print(&json!({"id": query["id"], "hello": 1}).to_string());
    }
    if settings.has("--refuse") || is_after("--refuse-after") {
        let refusal = json!({"error": "this board is too large", "field": "boardXSize", "id": query["id"]});
        return print(&refusal.to_string());
    }
    if let Some(path) = settings.value("--count") {
        let mut file =
            std::fs::OpenOptions::new().create(true).append(true).open(path).expect("a file to count in");
        file.write_all(b".").expect("a byte to count");
    }
    print(&evaluation(&query).to_string());
}

/// Returns the evaluation: the more stones of a colour, the better for it; empty points near the first one are preferred.
fn evaluation(query: &Value) -> Value {
    let number = |name: &str| query[name].as_u64().unwrap_or(0) as usize;
    let (columns, rows) = (number("boardXSize"), number("boardYSize"));
    let placed = |name: &str| query[name].as_array().cloned().unwrap_or_default();
    let stones = [placed("initialStones"), placed("moves")].concat();
    let of = |colour: &str| stones.iter().filter(|stone| stone[0] == colour && stone[1] != "pass").count();
    let lead = of("B") as f64 - of("W") as f64 - query["komi"].as_f64().unwrap_or(0.0);
    let hash = stones.iter().fold(7_u64, |hash, stone| {
        let text = stone.to_string();
        hash ^ text.bytes().fold(5, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
    });
    let points = columns * rows;
    let policy: Vec<f64> =
        (0..=points).map(|point| 1.0 / (2.0 + ((point as u64 ^ hash) % 97) as f64).powi(2)).collect();
    let all: f64 = policy.iter().sum();
    json!({
        "id": query["id"],
        "isDuringSearch": false,
        "turnNumber": 0,
        "rootInfo": {
            "winrate": 0.5, "scoreLead": 0.0, "visits": 1,
            "rawWinrate": 1.0 / (1.0 + (-lead / 8.0).exp()),
            "rawLead": lead,
            "rawScoreSelfplayStdev": 12.0,
        },
        "policy": policy.iter().map(|it| it / all).collect::<Vec<f64>>(),
        "ownership": vec![0.25; points],
    })
}

fn print(line: &str) {
    let mut output = std::io::stdout().lock();
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}
