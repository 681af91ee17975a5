//! Searches in which the value of a new position ends the simulation.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;
use tewari::base::game::{Game, Outcome, Player, Prior};
use tewari::base::pause::Pause;
use tewari::base::value::{Estimate, Value};
use tewari::base::zobrist::mix;
use tewari::go::{Komi, Position, Rules, Size};
use tewari::play::noughts::TicTacToe;
use tewari::search::policy::AlphaZero;
use tewari::search::{CatchUp, Limits, PositionEvaluator, Report, Search, SearchParameters};
use tewari::table::{PageEvaluation, ScoreMean, Shape, Table};

/// A share of moves, as a divisor, that leaves eight of 82: they fit on one page. A further page asks again.
const FEW: u64 = 11;

/// Questions to an evaluator, by key.
type Questions = Mutex<HashMap<u64, u32>>;

/// Returns an evaluator with values and priors that depend on the key, which takes `delay` for an answer. One in
/// `divisor` moves is legal.
fn evaluator<'q, G: Game>(
    questions: &'q Questions,
    divisor: u64,
    delay: Duration,
) -> impl Fn() -> PositionEvaluator<'q, G> + Sync {
    move || {
        Box::new(move |game: &G, priors: &mut [Option<Prior>], _: &dyn Pause| {
            *questions.lock().unwrap().entry(game.key()).or_default() += 1;
            std::thread::sleep(delay);
            game.expand(priors);
            for (number, prior) in (0..).zip(priors.iter_mut()) {
                let wins = (mix(game.key() ^ number) % 100) as u8;
                let is_kept = prior.is_some() && number.wrapping_add(game.key()).is_multiple_of(divisor);
                *prior = is_kept.then_some(Prior { visits: wins, wins });
            }
            let value = Value((mix(game.key()) >> 33) as u32 + (1 << 30));
            let score = Some(ScoreMean { mean: 1.5, deviation: 4.0, weight: 1.0 });
            Some(PageEvaluation { estimate: Some(Estimate { value, weight: 1 }), score })
        })
    }
}

fn parameters(threads: usize) -> SearchParameters {
    SearchParameters {
        evaluates_leaves: true,
        catch_up: CatchUp::Stop,
        threads,
        ..SearchParameters::default()
    }
}

fn search<'q, G: Game>(
    table: &Table,
    root: &G,
    simulations: u64,
    threads: usize,
    evaluator: &(dyn Fn() -> PositionEvaluator<'q, G> + Sync),
) -> Report {
    let limits = Limits { simulations: Some(simulations), ..Limits::default() };
    let search = Search::new(table, AlphaZero::default(), parameters(threads));
    search.run_with_evaluators(root, evaluator, limits, &mut |_| true)
}

fn board(side: usize) -> Position {
    Position::new(Size::new(side, side).expect("a size"), Rules::CHINESE, Komi(13))
}

fn ranked(root: &Position, bytes: usize) -> Table {
    Table::new(Shape::ranked(root.move_count()), bytes).expect("a table")
}

#[test]
fn each_simulation_evaluates_one_position_and_has_no_playout() {
    let (root, questions) = (board(9), Questions::default());
    let table = ranked(&root, 8 << 20);
    let report = search(&table, &root, 300, 1, &evaluator(&questions, FEW, Duration::ZERO));
    let asked = questions.lock().unwrap();
    assert!(asked.values().all(|&times| times == 1));
    let stops = report.counters.transpositions + 300 - asked.len() as u64;
    assert!(asked.len() <= 300 && stops < 60, "{} questions", asked.len());
    assert_eq!((report.simulations, report.root.visits), (300, 300));
    assert!(report.ownership.is_unknown(), "no playout");
    assert_eq!(report.root.sampled_score.map(|score| score.mean), Some(1.5));
}

#[test]
fn the_first_simulation_has_the_value_of_the_root() {
    let (root, questions) = (board(5), Questions::default());
    let table = ranked(&root, 1 << 20);
    let report = search(&table, &root, 1, 1, &evaluator(&questions, FEW, Duration::ZERO));
    assert_eq!(report.root.value, Value((mix(root.key()) >> 33) as u32 + (1 << 30)));
    assert_eq!(report.root.visits, 1);
}

#[test]
fn workers_never_ask_again_for_a_stored_position() {
    let (root, questions) = (board(5), Questions::default());
    let table = ranked(&root, 8 << 20);
    let report = search(&table, &root, 2_000, 8, &evaluator(&questions, FEW, Duration::from_micros(300)));
    assert_eq!(report.simulations, 2_000);
    let asked = questions.lock().unwrap();
    // Two entries made for a position at the same moment cost one of their evaluations.
    let repeated = asked.values().map(|&times| u64::from(times) - 1).sum::<u64>();
    assert!(repeated <= report.counters.lost_pages, "{repeated} questions were asked again");
    let found = table.scan(&mut |_| {});
    assert_eq!((found.orphans, found.faults), (0, 0));
}

#[test]
fn what_is_in_the_table_is_not_asked_again() {
    let (root, questions) = (board(9), Questions::default());
    let table = ranked(&root, 8 << 20);
    search(&table, &root, 500, 2, &evaluator(&questions, FEW, Duration::ZERO));
    let first = questions.lock().unwrap().len();
    let after = Questions::default();
    search(&table, &root, 100, 2, &evaluator(&after, FEW, Duration::ZERO));
    let after = after.into_inner().unwrap();
    let known = questions.into_inner().unwrap();
    assert!(first > 300 && after.keys().all(|key| !known.contains_key(key)));
}

#[test]
fn a_table_without_room_evaluates_all_the_same() {
    let (root, questions) = (board(9), Questions::default());
    let table = ranked(&root, 1_200);
    let report = search(&table, &root, 400, 3, &evaluator(&questions, FEW, Duration::ZERO));
    assert_eq!(report.simulations, 400);
    assert!(report.ownership.is_unknown(), "no playout");
    assert!(report.moves.iter().any(|it| it.edge_visits > 0));
}

#[test]
fn evictions_do_not_change_the_value() {
    // 0.7 for Black everywhere.
    let for_black = Value((0.7 * f64::from(u32::MAX)) as u32);
    let evaluator = || -> PositionEvaluator<'_, Position> {
        Box::new(move |game: &Position, priors: &mut [Option<Prior>], _: &dyn Pause| {
            game.expand(priors);
            priors.iter_mut().flatten().for_each(|prior| *prior = Prior { visits: 20, wins: 20 });
            let value = if game.to_play() == Player::Black { for_black } else { for_black.other() };
            Some(PageEvaluation { estimate: Some(Estimate { value, weight: 1 }), score: None })
        })
    };
    let root = board(9);
    for bytes in [1_200, 4_000, 16_000, 64_000] {
        let table = ranked(&root, bytes);
        let report = search(&table, &root, 3_000, 1, &evaluator);
        assert!(report.counters.evictions + report.counters.page_evictions > 100, "{:?}", report.counters);
        for mv in report.moves.iter().filter(|it| it.edge_visits > 0) {
            assert!((mv.value.as_f64() - 0.7).abs() < 0.05, "{bytes}: {mv:?}");
        }
        assert!((report.root.value.as_f64() - 0.7).abs() < 0.02, "{bytes}: {:?}", report.root.value);
    }
}

#[test]
fn a_small_game_is_solved_by_values_that_say_nothing() {
    let questions = Questions::default();
    let table = Table::new(Shape::ranked(9), 8 << 20).expect("a table");
    let root = TicTacToe::default();
    let report = search(&table, &root, 150_000, 2, &evaluator(&questions, 1, Duration::ZERO));
    assert_eq!(report.root.proven, Some(Outcome::Draw));
}
