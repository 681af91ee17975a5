//! One thread and one seed give one result, for every table size, until an entry is replaced.

use tewari::base::game::{Game, Move, Player};
use tewari::base::memory::MemoryBudget;
use tewari::engine::{Engine, EngineOptions};
use tewari::go::{Komi, Position, Record, Rules, Size};
use tewari::search::{Limits, Report};

fn engine(side: usize, table_bytes: u64, seed: u64) -> Engine {
    let mut options = EngineOptions {
        size: Size::new(side, side).unwrap(),
        komi: Komi(13),
        memory: MemoryBudget::Table(table_bytes),
        ..EngineOptions::default()
    };
    options.parameters.seed = seed;
    Engine::new(options).unwrap()
}

fn simulations(number: u64) -> Limits {
    Limits { simulations: Some(number), ..Limits::default() }
}

fn visits(number: u64) -> Limits {
    Limits { visits: Some(number), ..Limits::default() }
}

fn search(engine: &mut Engine, limits: Limits) -> Report {
    let to_play = engine.position().to_play();
    engine.search(to_play, limits, &mut |_| true).expect("a report")
}

/// The values of a move: edge visits, visits, value, main line.
type Known = (Move, u64, u64, u32, Vec<Move>);

/// Returns the parts of a report that depend on the search.
fn essence(report: &Report) -> (u64, u32, Vec<Known>) {
    let moves =
        report.moves.iter().map(|mv| (mv.mv, mv.edge_visits, mv.visits, mv.value.0, mv.pv.clone())).collect();
    (report.root.visits, report.root.value.0, moves)
}

#[test]
fn the_same_seed_gives_the_same_result_bit_for_bit() {
    let run = |seed| essence(&search(&mut engine(9, 16 << 20, seed), simulations(3_000)));
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn the_size_of_the_table_does_not_matter_until_something_is_replaced() {
    let run = |bytes| {
        let report = search(&mut engine(9, bytes, 3), simulations(3_000));
        let replaced = report.counters.evictions + report.counters.page_evictions;
        (replaced, essence(&report))
    };
    let (replaced_in_large, large) = run(64 << 20);
    assert_eq!(replaced_in_large, 0);
    for bytes in [16 << 20, 33_333_333, 100 << 20] {
        let (replaced, other) = run(bytes);
        assert_eq!(replaced, 0, "{bytes} bytes should be ample");
        assert_eq!(other, large, "{bytes} bytes");
    }
    let (replaced, small) = run(100 << 10);
    assert!(replaced > 0);
    assert_ne!(small, large);
}

#[test]
fn visits_count_what_was_carried_over_and_simulations_do_not() {
    let mut engine = engine(9, 16 << 20, 1);
    assert_eq!(search(&mut engine, visits(1_000)).simulations, 1_000);
    let again = search(&mut engine, visits(1_200));
    assert_eq!((again.simulations, again.root.visits), (200, 1_200));
    let new_work = search(&mut engine, simulations(300));
    assert_eq!((new_work.simulations, new_work.root.visits), (300, 1_500));
    let best = engine.chosen_move(&new_work);
    engine.record_mut().play(Player::Black, best).unwrap();
    let reply = search(&mut engine, visits(2_000));
    assert!(reply.simulations < 2_000, "the answer to the best move was searched before");
    assert_eq!(reply.root.visits, 2_000);
}

#[test]
fn knowledge_belongs_to_komi_and_rules() {
    let mut engine = engine(9, 16 << 20, 1);
    search(&mut engine, simulations(500));
    engine.set_komi(Komi(15));
    assert_eq!(search(&mut engine, simulations(10)).root.visits, 10);
    engine.set_komi(Komi(13));
    assert_eq!(search(&mut engine, simulations(10)).root.visits, 510);
    let size = Size::new(9, 9).unwrap();
    engine.set_record(Record::new(size, Rules::TROMP_TAYLOR, Komi(13))).unwrap();
    assert_eq!(search(&mut engine, simulations(10)).root.visits, 10);
    engine.set_record(Record::new(size, Rules::CHINESE, Komi(13))).unwrap();
    assert_eq!(search(&mut engine, simulations(10)).root.visits, 520);
}

#[test]
fn going_back_in_a_game_finds_what_was_known() {
    let mut engine = engine(9, 16 << 20, 1);
    let before = search(&mut engine, simulations(400)).root.visits;
    let report = search(&mut engine, simulations(1));
    let best = engine.chosen_move(&report);
    engine.record_mut().play(Player::Black, best).unwrap();
    search(&mut engine, simulations(400));
    assert!(engine.record_mut().undo());
    assert_eq!(search(&mut engine, simulations(1)).root.visits, before + 2);
}

#[test]
fn a_table_of_a_few_kibibytes_still_searches() {
    for side in [9, 19] {
        let mut engine = engine(side, 16 << 10, 1);
        let report = search(&mut engine, simulations(500));
        assert_eq!(report.simulations, 500);
        let best = engine.chosen_move(&report);
        assert!(engine.position().check(best).is_ok());
        assert!(report.counters.evictions + report.counters.page_evictions > 0, "{side}");
    }
}

/// The case of leela-zero#956: a full table that only adds samples to old leaves drifts to the wrong move.
#[test]
fn a_full_table_still_finds_a_capture_that_decides() {
    let size = Size::new(7, 7).unwrap();
    let at = |vertex| size.parse_vertex(vertex).unwrap();
    // Five white stones, and six black ones beside them, are in atari at the same point.
    let black = ["C1", "C2", "C3", "C4", "C5", "C6", "D7", "E2", "E3", "E4", "E5", "E6"];
    let white = ["B1", "B2", "B3", "B4", "B5", "B6", "B7", "C7", "D2", "D3", "D4", "D5", "D6"];
    let stones: Vec<_> = black
        .iter()
        .map(|vertex| (Player::Black, at(vertex)))
        .chain(white.iter().map(|vertex| (Player::White, at(vertex))))
        .collect();
    for to_play in Player::BOTH {
        let start = Position::with_stones(size, Rules::CHINESE, Komi(13), &stones, to_play).unwrap();
        for (bytes, number) in [(16 << 20, 5_000), (24 << 10, 15_000)] {
            let mut engine = engine(7, bytes, 9);
            engine.set_record(Record::from_position(start.clone())).unwrap();
            let report = search(&mut engine, simulations(number));
            assert_eq!(report.counters.page_evictions > 1_000, bytes < 1 << 20, "{bytes} bytes");
            // D7 also saves White's stones.
            let right: &[&str] = if to_play == Player::Black { &["D1"] } else { &["D1", "E7"] };
            let found = size.vertex(engine.chosen_move(&report));
            assert!(right.contains(&found.as_str()), "{to_play} with {bytes} bytes: {found}\n{start}");
        }
    }
}
