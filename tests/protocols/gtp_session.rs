//! Conversations over GTP. Every session runs in this process, on byte slices.

mod board;
mod clients;
mod katago;
mod random;
mod records;
mod text;
mod thinking;

use std::sync::{Arc, Mutex};
use tewari::base::memory::MemoryBudget;
use tewari::engine::{DecisionSettings, Engine, EngineOptions, MoveBudget};
use tewari::go::PlayoutPolicy;
use tewari::go::status::DeadStones;
use tewari::go::{Komi, Rules, Size};
use tewari::network::Networks;
use tewari::protocols::gtp::{Session, SessionOptions};

/// Returns a session on a square board with `side` lines and a small table; it searches thirty simulations a move and
/// never resigns.
fn session(side: usize) -> Session {
    session_with(side, options(30))
}

fn options(simulations: u64) -> SessionOptions {
    let budget = MoveBudget { simulations: Some(simulations), ..MoveBudget::default() };
    decisions(DecisionSettings { budget, resign_below: 0.0, ..DecisionSettings::default() })
}

fn decisions(decisions: DecisionSettings) -> SessionOptions {
    SessionOptions { decisions, ..SessionOptions::default() }
}

fn session_with(side: usize, options: SessionOptions) -> Session {
    session_with_dead(side, None, options)
}

/// Returns a session with a treatment of dead stones; `None`: as the rules define it.
fn session_with_dead(side: usize, dead_stones: Option<DeadStones>, options: SessionOptions) -> Session {
    session_of(EngineOptions { dead_stones, ..engine_options(side) }, options)
}

fn engine_options(side: usize) -> EngineOptions {
    EngineOptions {
        size: Size::new(side, side).unwrap(),
        komi: Komi(15),
        rules: Rules::CHINESE,
        memory: MemoryBudget::Table(1 << 20),
        playouts: PlayoutPolicy::Light,
        ..EngineOptions::default()
    }
}

fn session_of(engine: EngineOptions, options: SessionOptions) -> Session {
    Session::new(Engine::new(engine).unwrap(), options)
}

/// Returns the output of a session for `input`.
fn converse(session: &mut Session, input: &[u8]) -> String {
    let mut output = Vec::new();
    session.run(std::io::Cursor::new(input.to_vec()), &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// Returns the response to one line, without the empty line at its end.
fn ask(session: &mut Session, line: &str) -> String {
    let response = session.answer(line).unwrap_or_else(|| panic!("no response to {line:?}")).to_string();
    response.strip_suffix("\n\n").unwrap().to_owned()
}

/// Sends lines that must succeed.
fn tell(session: &mut Session, lines: &[&str]) {
    for line in lines {
        let response = ask(session, line);
        assert!(response.starts_with('='), "{line}: {response}");
    }
}

fn table(session: &mut Session, key: &str) -> u64 {
    let text = ask(session, "tewari-table");
    let line = text.trim_start_matches("= ").lines().find(|line| line.split(' ').next() == Some(key));
    line.and_then(|line| line.split(' ').nth(1)).unwrap().parse().unwrap()
}

/// Returns the state that a failed command must not change.
fn state(session: &mut Session) -> Vec<String> {
    let mut state = vec![format!("{:?}", session.engine().record().moves())];
    for question in ["showboard", "get_komi", "get_random_seed", "tewari-table", "all_legal b", "all_legal w"]
    {
        state.push(ask(session, question));
    }
    state
}

/// Sends a line that must fail with this response and change nothing.
fn refuse(session: &mut Session, line: &str, expected: &str) {
    let before = state(session);
    let response = ask(session, line);
    assert!(response.starts_with(expected), "{line}: expected {expected:?}, found {response:?}");
    assert_eq!(state(session), before, "{line} changed the state");
}

/// Black has just captured a ko at C2; White would recapture at B2.
const KO: [&str; 8] =
    ["play b A2", "play b B1", "play b B3", "play w C1", "play w C3", "play w D2", "play w B2", "play b C2"];

/// Returns the session and the list of its diagnostic messages from this point on.
fn with_notes(session: Session) -> (Session, Arc<Mutex<Vec<String>>>) {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&notes);
    (session.with_diagnostics(move |line| sink.lock().unwrap().push(line.to_owned())), notes)
}
