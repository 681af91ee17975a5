//! Searches on chains of ranked pages, with priors that say nothing: results are those of the game, whatever page a move
//! is on.

use tewari::base::game::{Game, Move, Outcome, Prior};
use tewari::base::pause::Pause;
use tewari::base::value::{Estimate, Value};
use tewari::base::zobrist::mix;
use tewari::go::{Komi, Position, Rules, Size};
use tewari::play::noughts::TicTacToe;
use tewari::search::policy::Rave;
use tewari::search::{Limits, PositionEvaluator, Report, Search, SearchParameters};
use tewari::table::{PageEvaluation, Shape, Table};

/// Returns an evaluator with random priors and the same estimate everywhere.
fn random_priors<G: Game>(seed: u64) -> impl Fn() -> PositionEvaluator<'static, G> + Sync {
    move || {
        Box::new(move |game: &G, priors: &mut [Option<Prior>], _: &dyn Pause| {
            game.expand(priors);
            for (number, prior) in (0..).zip(priors.iter_mut()).filter(|(_, prior)| prior.is_some()) {
                let wins = (mix(seed ^ game.key() ^ mix(number)) % 100) as u8;
                *prior = Some(Prior { visits: wins, wins });
            }
            Some(PageEvaluation { estimate: Some(Estimate { value: Value::DRAW, weight: 1 }), score: None })
        })
    }
}

fn search<G: Game>(table: &Table, root: &G, seed: u64, threads: usize, allowed: Option<&[bool]>) -> Report {
    let parameters =
        SearchParameters { expand_at: 2, defers_entries: true, threads, seed, ..SearchParameters::default() };
    let limits = Limits { simulations: Some(400_000), ..Limits::default() };
    Search::new(table, Rave::default(), parameters).with_root_moves(allowed).run_with_evaluators(
        root,
        &random_priors(seed),
        limits,
        &mut |_| true,
    )
}

/// Returns boards with more moves than a page holds, and the outcome for Black, who begins. Source: van der Werf 2002 and
/// 2009 (3x3: 9 points, 2x4: 8 points).
fn boards() -> Vec<(Position, Outcome)> {
    let board = |columns, rows, half_points| {
        let size = Size::new(columns, rows).expect("a size");
        Position::new(size, Rules::TROMP_TAYLOR, Komi(half_points))
    };
    vec![
        (board(3, 3, 17), Outcome::Win),
        (board(3, 3, 19), Outcome::Loss),
        (board(4, 2, 15), Outcome::Win),
        (board(4, 2, 17), Outcome::Loss),
    ]
}

#[test]
fn small_boards_are_solved_whatever_the_priors() {
    let mut further_pages = 0;
    for (root, outcome) in boards() {
        for seed in 1..4 {
            let table = Table::new(Shape::ranked(root.move_count()), 64 << 20).expect("a table");
            let report = search(&table, &root, seed, 1 + (seed % 2) as usize, None);
            assert_eq!(report.root.proven, Some(outcome), "seed {seed}, {} simulations", report.simulations);
            let found = table.scan(&mut |_| {});
            further_pages += found.pages - found.expanded;
            assert_eq!((found.orphans, found.faults), (0, 0));
        }
    }
    assert!(further_pages > 10, "{further_pages}");
}

#[test]
fn no_false_proof_is_found_in_a_table_that_loses_pages_all_the_time() {
    let (mut proven, mut evictions) = (0, 0);
    for (root, outcome) in boards() {
        for (seed, bytes) in [(1, 1 << 10), (2, 2 << 10), (3, 6 << 10)] {
            let table = Table::new(Shape::ranked(root.move_count()), bytes).expect("a table");
            let report = search(&table, &root, seed, 2, None);
            assert!(report.root.proven.is_none_or(|found| found == outcome), "{report:?}");
            evictions += report.counters.page_evictions;
            proven += u64::from(report.root.proven.is_some());
        }
    }
    println!("{proven} of 12 proven, {evictions} evictions");
    assert!(evictions > 1_000, "{evictions}");
}

#[test]
fn tic_tac_toe_is_a_draw_whatever_the_priors() {
    for seed in 1..6 {
        let table = Table::new(Shape::ranked(9), 8 << 20).expect("a table");
        let report = search(&table, &TicTacToe::default(), seed, 1, None);
        assert_eq!(
            report.root.proven,
            Some(Outcome::Draw),
            "seed {seed}, {} simulations",
            report.simulations
        );
    }
}

#[test]
fn the_root_has_pages_of_allowed_moves_alone() {
    for (root, _) in boards() {
        let allowed: Vec<bool> = (0..root.move_count()).map(|number| number % 3 == 1).collect();
        let table = Table::new(Shape::ranked(root.move_count()), 8 << 20).expect("a table");
        let report = search(&table, &root, 5, 1, Some(&allowed));
        let listed = report.moves.iter().chain(&report.untried).map(|it| it.mv);
        assert!(listed.clone().all(|mv: Move| allowed[mv.index()]), "{report:?}");
        assert!(report.moves.iter().any(|it| it.edge_visits > 0) || report.root.value == Value::LOSS);
    }
}
