//! Search compared with exact minimax, in every position of tic-tac-toe.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;
use tewari::base::game::{Game, Move, Outcome, Player};
use tewari::play::noughts::TicTacToe;
use tewari::search::policy::{Rave, SelectionPolicy, Ucb1};
use tewari::search::{CatchUp, Limits, Report, Search, SearchParameters};
use tewari::table::{Shape, Table};

const SHAPE: Shape = Shape::complete(9);
/// Size of a table with room for every position.
const AMPLE: usize = 2 << 20;
/// Size of a table of four buckets of entries and two edge pages.
const TINY: usize = 1200;
/// Number of simulations that proves any position in a large table: the empty board takes 14,000 with RAVE and 19,000
/// with UCB1.
const ENOUGH: u64 = 60_000;

/// Returns Black's outcome of every position that can occur in a game.
fn exact() -> &'static HashMap<TicTacToe, Outcome> {
    fn visit(position: TicTacToe, known: &mut HashMap<TicTacToe, Outcome>) -> Outcome {
        if let Some(&outcome) = known.get(&position) {
            return outcome;
        }
        let next: Vec<_> = position.legal_moves().map(|mv| after(&position, mv)).collect();
        let outcomes = next.into_iter().map(|next| visit(next, known));
        let best = match position.to_play() {
            Player::Black => outcomes.max(),
            Player::White => outcomes.min(),
        };
        let score = position.terminal_score();
        let outcome = score.map(|score| position.outcome_for_black(score)).or(best).expect("over, or moves");
        known.insert(position, outcome);
        outcome
    }
    static EXACT: OnceLock<HashMap<TicTacToe, Outcome>> = OnceLock::new();
    EXACT.get_or_init(|| {
        let mut known = HashMap::new();
        visit(TicTacToe::new(), &mut known);
        known
    })
}

/// Returns all positions in a fixed order, which a `HashMap` lacks.
fn positions() -> Vec<TicTacToe> {
    let by_key: BTreeMap<u64, TicTacToe> =
        exact().keys().map(|position| (position.key(), *position)).collect();
    assert_eq!(by_key.len(), exact().len(), "two positions have one key");
    by_key.into_values().collect()
}

fn after(position: &TicTacToe, mv: Move) -> TicTacToe {
    let mut next = *position;
    next.play(mv);
    next
}

fn for_player(player: Player, for_black: Outcome) -> Outcome {
    if player == Player::Black { for_black } else { for_black.other() }
}

fn table(bytes: usize) -> Table {
    Table::new(SHAPE, bytes).expect("a table")
}

fn search<P: SelectionPolicy>(
    table: &Table,
    policy: P,
    root: &TicTacToe,
    simulations: u64,
    parameters: SearchParameters,
) -> Report {
    let limits = Limits { simulations: Some(simulations), ..Limits::default() };
    Search::new(table, policy, parameters).run(root, limits, &mut |_| true)
}

/// Checks every statement of the report, and that there is a move if one is legal.
fn assert_sound(position: &TicTacToe, report: &Report) {
    let (mover, truth) = (position.to_play(), exact()[position]);
    assert!(
        report.root.proven.is_none_or(|proven| proven == for_player(mover, truth)),
        "{position:?} {report:?}"
    );
    let (bounds, score) = (report.root.bounds, truth.half_points() as i16 - 1);
    assert!((bounds.lower..=bounds.upper).contains(&score), "{position:?} {report:?}");
    for candidate in &report.moves {
        let truth = for_player(mover, exact()[&after(position, candidate.mv)]);
        assert!(candidate.proven.is_none_or(|proven| proven == truth), "{position:?} {report:?}");
    }
    assert_eq!(report.moves.is_empty(), position.terminal_score().is_some(), "{position:?}");
}

/// Checks that the outcome is proven and that the chosen move keeps it.
fn assert_solved(position: &TicTacToe, report: &Report) {
    assert_sound(position, report);
    let truth = exact()[position];
    assert_eq!(report.root.proven, Some(for_player(position.to_play(), truth)), "{position:?} {report:?}");
    if let Some(best) = report.best() {
        assert_eq!(exact()[&after(position, best.mv)], truth, "{position:?} {report:?}");
    }
}

#[test]
fn minimax_knows_all_positions() {
    assert_eq!(exact().len(), 5_478);
    assert_eq!(exact().keys().filter(|position| position.terminal_score().is_some()).count(), 958);
    assert_eq!(exact()[&TicTacToe::new()], Outcome::Draw);
}

#[test]
fn the_empty_board_is_proven_a_draw_and_that_ends_the_search() {
    for seed in 0..4 {
        let parameters = SearchParameters { seed, ..SearchParameters::default() };
        let root = TicTacToe::new();
        let reports = [
            search(&table(AMPLE), Rave::default(), &root, ENOUGH, parameters),
            search(&table(AMPLE), Ucb1::default(), &root, ENOUGH, parameters),
        ];
        for report in reports {
            assert_eq!(report.root.proven, Some(Outcome::Draw), "seed {seed}");
            assert!(report.simulations < ENOUGH);
        }
    }
}

#[test]
fn with_rave_every_position_is_solved_on_a_table_of_its_own() {
    let parameters = SearchParameters::default();
    for position in positions() {
        let report = search(&table(AMPLE), Rave::default(), &position, ENOUGH, parameters);
        assert_solved(&position, &report);
    }
}

#[test]
fn with_ucb1_every_position_is_solved_on_a_table_of_its_own() {
    let parameters = SearchParameters { catch_up: CatchUp::Stop, ..SearchParameters::default() };
    for position in positions() {
        let report = search(&table(AMPLE), Ucb1::default(), &position, ENOUGH, parameters);
        assert_solved(&position, &report);
    }
}

#[test]
fn every_position_is_solved_on_one_table_for_all() {
    let table = table(AMPLE);
    for position in positions() {
        assert_solved(
            &position,
            &search(&table, Rave::default(), &position, ENOUGH, SearchParameters::default()),
        );
    }
    // All positions are solved in the table, so few simulations suffice with any seed.
    for position in positions() {
        let parameters = SearchParameters { seed: 99, ..SearchParameters::default() };
        let report = search(&table, Ucb1::default(), &position, 1_000, parameters);
        assert_solved(&position, &report);
    }
}

#[test]
fn no_proof_is_wrong_on_a_table_that_forgets_almost_everything() {
    for reseed in [false, true] {
        let table = table(TINY);
        let mut proven = 0;
        for (number, position) in positions().iter().enumerate() {
            let parameters = SearchParameters { seed: number as u64, reseed, ..SearchParameters::default() };
            let report = search(&table, Rave::default(), position, 300, parameters);
            assert_sound(position, &report);
            proven += usize::from(report.root.proven.is_some());
        }
        assert!(proven > 3_000, "{proven}");
        assert!(table.census().entries_used == table.census().entries);
    }
}

#[test]
fn no_proof_is_wrong_with_several_workers() {
    for (threads, bytes) in [(2, AMPLE), (4, TINY), (3, 20 * TINY)] {
        let table = table(bytes);
        let mut proven = 0;
        // Every fourth position: starting workers takes longer than most of the searches.
        for position in positions().iter().step_by(4) {
            let parameters = SearchParameters { threads, ..SearchParameters::default() };
            let report = search(&table, Rave::default(), position, 400, parameters);
            assert_sound(position, &report);
            proven += usize::from(report.root.proven.is_some());
        }
        assert!(proven > 700, "{threads} {bytes}: {proven}");
    }
}

#[test]
fn several_workers_solve_the_empty_board() {
    let parameters = SearchParameters { threads: 4, ..SearchParameters::default() };
    let report = search(&table(AMPLE), Rave::default(), &TicTacToe::new(), 4 * ENOUGH, parameters);
    assert_solved(&TicTacToe::new(), &report);
}

#[test]
fn a_search_for_visits_of_the_best_move_does_not_end_with_those_of_a_refuted_one() {
    for position in positions().into_iter().filter(|it| it.terminal_score().is_none()) {
        for wanted in [20, 60, 200] {
            let limits = Limits { best_visits: Some(wanted), simulations: Some(ENOUGH), ..Limits::default() };
            let table = table(AMPLE);
            let search = Search::new(&table, Rave::default(), SearchParameters::default());
            let report = search.run(&position, limits, &mut |_| true);
            let best = report.best().expect("a move");
            // A proven draw precedes a move with more visits and a lower value.
            let is_proven = best.proven.is_some() || report.root.proven.is_some();
            assert!(best.edge_visits >= wanted || is_proven, "{position:?}: {best:?}");
        }
    }
}
