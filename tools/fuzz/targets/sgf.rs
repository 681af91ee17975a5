//! Game records: any bytes are read, played, and written again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tewari::go::{KeyPolicy, Record};
use tewari::records::sgf::{self, ChosenTerms, Collection, DefaultTerms, GameRecord};
use tewari::reports::analysis::positions::positions_of;

/// Maximum number of positions of a game: each is a copy of the board.
const MOST_POSITIONS: usize = 200;

fuzz_target!(|data: &[u8]| {
    let strict = sgf::read(data);
    let (prefix, error) = sgf::read_prefix(data);
    let damaged = sgf::read_damaged(data);
    match (&strict, error, &damaged) {
        (Ok(strict), None, Ok(damaged)) => {
            assert!(*strict == prefix && strict == damaged, "all readers agree on a sound file")
        }
        (Ok(_), ..) => panic!("a sound file was refused"),
        (Err(one), Some(other), _) => assert_eq!(one.to_string(), other.to_string()),
        (Err(_), None, _) => panic!("an unsound file was accepted"),
    }
    for Collection { games, .. } in strict.iter().chain(&damaged) {
        assert!(!games.is_empty(), "no collection without a game");
        games.iter().for_each(play);
    }
});

/// Plays a game under its own terms, writes it, and reads it again.
fn play(game: &GameRecord) {
    let Ok(terms) = game.terms(ChosenTerms::default(), DefaultTerms::default()) else { return };
    let Ok(positions) = positions_of(game, None, &terms, KeyPolicy::Graph) else { return };
    let mut record: Option<Record> = None;
    for step in positions.take(MOST_POSITIONS) {
        let Ok(step) = step else { break };
        let played = record.as_mut().zip(step.played);
        let is_played = played.is_some_and(|(record, (player, mv))| record.play(player, mv).is_ok());
        let key = |record: &Record| record.position().board().key();
        // Stones that were set up in between begin another record.
        if !is_played || record.as_ref().map(key) != Some(step.position.board().key()) {
            record = Some(Record::from_position(step.position));
        }
    }
    let Some(record) = record else { return };
    let again = sgf::read(sgf::write_record(&record).as_bytes()).expect("what is written is read");
    let terms =
        again.games[0].terms(ChosenTerms::default(), DefaultTerms::default()).expect("its komi is usable");
    let end = again.games[0].final_position(terms.rules, terms.komi).expect("its moves are legal");
    assert_eq!(terms.komi, record.start().komi());
    assert_eq!(again.games[0].move_count(), record.moves().len());
    assert_eq!(end.board().key(), record.position().board().key());
}
