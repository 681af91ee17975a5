//! The Go Text Protocol: lines of a session with a small engine. The first byte chooses its options.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use std::path::Path;
use std::time::Duration;
use tewari::base::game::Game;
use tewari::engine::{DecisionSettings, Engine, MoveBudget};
use tewari::protocols::gtp::protocol::parse_line;
use tewari::protocols::gtp::{Session, SessionOptions};
use tewari_fuzz::{count, folder, small_options};

const MOST_LINES: usize = 48;
/// Maximum number of simulations of a move, for all lines.
const SIMULATIONS: u64 = 12;

fuzz_target!(|data: &[u8]| {
    let Some((&flags, text)) = data.split_first() else { return };
    let folder = folder();
    let lines: Vec<Vec<u8>> = text
        .split(|&byte| byte == b'\n')
        .take(MOST_LINES)
        .map(|line| confined(line, folder.path()))
        .collect();
    count("lines", lines.len() as u64);
    let decisions = DecisionSettings {
        budget: MoveBudget { simulations: Some(SIMULATIONS), ..MoveBudget::default() },
        default_time: Duration::from_millis(2),
        ..DecisionSettings::default()
    };
    let session_options = SessionOptions { decisions, ..SessionOptions::default() };
    let engine = Engine::new(small_options(flags, 5)).expect("an engine");
    let mut session = Session::new(engine, session_options);
    if flags & 0x20 == 0 {
        one_by_one(&mut session, &lines);
    } else {
        as_a_conversation(&mut session, &lines);
    }
});

/// Returns the line with its files in the folder and its search limits reduced.
fn confined(line: &[u8], folder: &Path) -> Vec<u8> {
    let Some(command) = parse_line(&String::from_utf8_lossy(line)) else { return line.to_vec() };
    let file = folder.join("game.sgf").display().to_string();
    let id = command.id.map_or_else(String::new, |id| format!("{id} "));
    let words: Vec<&str> = command.arguments().collect();
    match (command.name.as_str(), words.as_slice()) {
        ("loadsgf", [_, .., number]) => format!("{id}loadsgf {file} {number}").into(),
        ("loadsgf", [_]) => format!("{id}loadsgf {file}").into(),
        ("printsgf", [_, ..]) if command.rest != "-" => format!("{id}printsgf {file}").into(),
        ("tewari-param" | "kata-set-param", [name, value, ..]) => {
            format!("{id}{} {name} {}", command.name, confined_value(name, value)).into()
        }
        _ => line.to_vec(),
    }
}

/// Returns the value, limited for numbers of simulations and of threads.
fn confined_value(name: &str, value: &str) -> String {
    let most = match name {
        "simulations" | "maxPlayouts" => SIMULATIONS as f64,
        "threads" | "numSearchThreads" => 4.0,
        _ => return value.to_owned(),
    };
    match value.parse::<f64>() {
        // Larger ones are refused.
        Ok(number) if (0.0..=1e15).contains(&number) => number.clamp(1.0, most).to_string(),
        _ => value.to_owned(),
    }
}

/// Sends each line by itself; a failed one must change nothing.
fn one_by_one(session: &mut Session, lines: &[Vec<u8>]) {
    for line in lines {
        let line = String::from_utf8_lossy(line);
        let before = state(session);
        let Some(response) = session.answer(&line) else {
            assert!(parse_line(&line).is_none(), "a command without an answer: {line:?}");
            continue;
        };
        let text = response.to_string();
        assert!(text.ends_with("\n\n") && !text.trim_end_matches('\n').contains("\n\n"), "{text:?}");
        if response.outcome.is_err() {
            assert!(before == state(session), "{line:?} failed ({text:?}) and changed the state");
        }
        if session.has_quit() {
            return;
        }
    }
}

/// Returns the state that a failed command must not change.
fn state(session: &Session) -> impl PartialEq + use<> {
    let engine = session.engine();
    let (options, position) = (engine.options(), engine.position());
    let game = (engine.record().moves().len(), position.key(), position.size(), position.komi());
    (game, options.rules, options.komi, options.parameters, engine.root_moves().map(<[bool]>::to_vec))
}

/// Sends all lines at once, as from a pipe: live analyses and searches detect further input.
fn as_a_conversation(session: &mut Session, lines: &[Vec<u8>]) {
    let mut output = Vec::new();
    session.run(Cursor::new(lines.join(&b'\n')), &mut output).expect("a conversation");
    let output = String::from_utf8(output).expect("text");
    let commands = lines.iter().filter_map(|line| parse_line(&String::from_utf8_lossy(line)));
    let quit = commands.clone().position(|command| command.name == "quit");
    let expected = quit.map_or_else(|| commands.count(), |quit| quit + 1);
    let answers: Vec<&str> = output.split_terminator("\n\n").collect();
    assert_eq!(answers.len(), expected, "{output:?}");
    assert!(answers.iter().all(|answer| answer.starts_with(['=', '?'])), "{output:?}");
}
