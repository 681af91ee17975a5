//! The protocol as GNU Go 3.8 implements it: a recorded conversation, and its handicap points.

use crate::common;

use serde_json::Value;
use std::collections::BTreeSet;
use tewari::base::memory::MemoryBudget;
use tewari::engine::{DecisionSettings, Engine, EngineOptions, MoveBudget};
use tewari::go::{Komi, Record, Rules, Size};
use tewari::protocols::gtp::{Session, SessionOptions};
use tewari::records::sgf::{self, ChosenTerms, DefaultTerms};

fn session() -> Session {
    let engine = Engine::new(EngineOptions {
        size: Size::new(19, 19).unwrap(),
        memory: MemoryBudget::Table(1 << 20),
        ..EngineOptions::default()
    });
    let budget = MoveBudget { simulations: Some(10), ..MoveBudget::default() };
    Session::new(
        engine.unwrap(),
        SessionOptions { decisions: DecisionSettings { budget, ..Default::default() }, ..Default::default() },
    )
}

fn recorded(name: &str) -> Option<Value> {
    let text = std::fs::read_to_string(common::testdata()?.join("rules").join(name)).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// Returns the expected answer: GNU Go's, word for word, except for the differences listed with their reasons.
fn expected<'a>(line: &str, gnugo: &'a str) -> Expected<'a> {
    match line {
        // Name and commands of this program.
        "2 name" => Expected::Same("=2 Tewari"),
        "007 name" => Expected::Same("=7 Tewari"),
        "4294967295 name" | "-1 name" => Expected::Same("= Tewari"),
        "list_commands\t" => Expected::Starts("= all_legal\nanalyze\n"),
        // The specification has `syntax error`; GNU Go has its own text.
        "komi x" => Expected::Starts("? syntax error: "),
        "boardsize abc" => Expected::Starts("? syntax error: "),
        // Handicap points are listed in the specification's order.
        "fixed_handicap 2" if gnugo.starts_with('=') => Expected::Same("= D4 Q16"),
        // The answer names the handicaps that the board allows.
        "fixed_handicap 1" | "fixed_handicap 10" | "set_free_handicap D4" => {
            Expected::Starts("? invalid handicap: ")
        }
        // The specification's text.
        "set_free_handicap D4 D4" | "set_free_handicap D4 pass" => Expected::Starts("? bad vertex list: "),
        // GNU Go leaves a stone behind when the previous command fails; this program does not.
        "place_free_handicap 3" => Expected::Same("= D4 Q16 D16"),
        // Only four black stones are on the board. GNU Go estimates territory; this program counts area: 361 minus a
        // komi of 7 and, under Chinese rules, a point for each handicap stone.
        "final_score" => Expected::Same("= B+350.0"),
        _ => Expected::Same(gnugo),
    }
}

enum Expected<'a> {
    Same(&'a str),
    Starts(&'a str),
}

#[test]
fn a_recorded_conversation_with_gnu_go_is_answered_alike() {
    let Some(transcript) = recorded("gtp_transcript_gnugo.json") else { return };
    let mut session = session();
    for exchange in transcript.as_array().unwrap() {
        let line = exchange[0].as_str().unwrap();
        let ours = session.answer(line).map(|response| response.to_string());
        let Some(gnugo) = exchange[1].as_str() else {
            assert_eq!(ours, None, "{line}");
            continue;
        };
        let ours = ours.unwrap_or_else(|| panic!("no answer to {line:?}"));
        let ours = ours.strip_suffix("\n\n").unwrap();
        let same = match expected(line, gnugo) {
            Expected::Same(text) => ours == text,
            Expected::Starts(text) => ours.starts_with(text),
        };
        assert!(same, "{line}: GNU Go says {gnugo:?}, we say {ours:?}");
    }
    assert!(session.has_quit());
}

#[test]
fn fixed_handicap_is_where_gnu_go_puts_it_on_every_board() {
    let Some(sizes) = recorded("gtp_fixed_handicap.json") else { return };
    let mut session = session();
    for (side, counts) in sizes.as_object().unwrap() {
        for (count, points) in counts.as_object().unwrap() {
            assert!(session.answer(&format!("boardsize {side}")).unwrap().outcome.is_ok());
            let ours = session.answer(&format!("fixed_handicap {count}")).unwrap().outcome;
            let ours = ours.ok().map(|text| text.split(' ').map(str::to_owned).collect::<BTreeSet<_>>());
            let gnugo = points.as_array().map(|points| {
                points.iter().map(|point| point.as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
            });
            assert_eq!(ours, gnugo, "{count} stones on {side} lines");
        }
    }
}

/// Returns the first game of a file, read up to any damage, under its own rules.
fn replayed(bytes: &[u8], rules: Rules) -> Option<Record> {
    let collection = sgf::read_damaged(bytes).ok()?;
    let game = collection.games.first()?;
    let terms = game.terms(ChosenTerms::default(), DefaultTerms { rules, komi: Komi(15) }).ok()?;
    let steps = game.steps(terms.rules, terms.komi).ok()?.with_handicap(terms.handicap);
    steps.into_record(None).ok()
}

#[test]
fn every_record_of_the_test_data_is_loaded_as_the_reader_replays_it_or_refused() {
    let Some(testdata) = common::testdata() else { return };
    let (mut loaded, mut refused) = (0, 0);
    for directory in std::fs::read_dir(testdata.join("sgf/files")).unwrap() {
        for file in std::fs::read_dir(directory.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let mut session = session();
            let rules = session.engine().position().rules();
            let replayed = replayed(&std::fs::read(&path).unwrap(), rules);
            let outcome = session.answer(&format!("loadsgf {}", path.display())).unwrap().outcome;
            assert_eq!(outcome.is_ok(), replayed.is_some(), "{}: {outcome:?}", path.display());
            if let Some(replayed) = replayed {
                assert_eq!(session.engine().position().board().key(), replayed.position().board().key());
                loaded += 1;
            } else {
                assert!(outcome.unwrap_err().starts_with("cannot load file: "));
                refused += 1;
            }
        }
    }
    assert!(loaded > 100 && refused > 5, "{loaded} loaded, {refused} refused");
}
