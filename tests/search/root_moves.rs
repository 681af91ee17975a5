//! A search restricted to some moves of the root reports their values and leaves nothing behind for an unrestricted
//! search.

use tewari::base::game::{Game, Move, Outcome};
use tewari::base::value::Value;
use tewari::go::{Komi, Position, Rules, Size};
use tewari::play::noughts::TicTacToe;
use tewari::search::policy::Rave;
use tewari::search::{Limits, Report, Search, SearchParameters};
use tewari::table::{Shape, Table};

fn limits(simulations: u64) -> Limits {
    Limits { simulations: Some(simulations), ..Limits::default() }
}

fn search(table: &Table, root: &TicTacToe, allowed: Option<&[bool]>, simulations: u64) -> Report {
    let search = Search::new(table, Rave::default(), SearchParameters::default());
    search.with_root_moves(allowed).run(root, limits(simulations), &mut |_| true)
}

#[test]
fn moves_that_are_all_refuted_leave_no_playouts_at_the_root() {
    let table = Table::new(Shape::complete(9), 4 << 20).expect("a table");
    // After a corner every answer but the centre loses.
    let mut root = TicTacToe::default();
    root.play(Move(0));
    let allowed: Vec<bool> = (0..9).map(|mv| mv == 1).collect();
    let restricted = search(&table, &root, Some(&allowed), 20_000);
    assert_eq!((restricted.root.value, restricted.root.proven), (Value::LOSS, None));
    assert!(restricted.root.visits >= 20_000, "{}", restricted.root.visits);
    assert!(table.find(root.key()).is_none(), "the search of some moves has an entry of its own");

    let all = search(&table, &root, None, 20_000);
    assert_eq!(all.best().map(|best| best.mv), Some(Move(4)));
    assert!(all.root.value.as_f64() > 0.4, "{:?}", all.root.value);
}

#[test]
fn a_search_of_some_moves_is_not_seen_by_a_search_of_all() {
    let searched = |before: u64| {
        let table = Table::new(Shape::complete(26), 4 << 20).expect("a table");
        let root = Position::new(Size::new(5, 5).expect("a size"), Rules::CHINESE, Komi(1));
        let search = Search::new(&table, Rave::default(), SearchParameters::default());
        let corner: Vec<bool> = (0..26).map(|mv| mv == 0).collect();
        let alone = search.with_root_moves(Some(&corner)).run(&root, limits(before), &mut |_| true);
        let search = Search::new(&table, Rave::default(), SearchParameters::default());
        (alone, search.run(&root, limits(1000), &mut |_| true))
    };
    let (corner, all) = searched(3000);
    assert_eq!(corner.best().map(|best| (best.mv, best.edge_visits)), Some((Move(0), 3000)));
    assert!((corner.root.value.as_f64() - corner.moves[0].value.as_f64()).abs() < 0.01);
    assert_eq!(all.root.visits, 1000, "visits of the corner alone are not the root's");
    assert_ne!(all.best().map(|best| best.mv), Some(Move(0)));
    let share = all.moves.iter().find(|it| it.mv == Move(0)).map_or(0, |it| it.edge_visits);
    assert!(share < 100, "{share}");
}

#[test]
fn an_allowed_move_is_searched_where_another_is_a_certain_draw() {
    let table = Table::new(Shape::complete(6), 1 << 20).expect("a table");
    let size = Size::new(5, 1).expect("a size");
    let root = Position::new(size, Rules::CHINESE, Komi(0));
    let search = |allowed: Option<&[bool]>, simulations| {
        let search = Search::new(&table, Rave::default(), SearchParameters::default());
        search.with_root_moves(allowed).run(&root, limits(simulations), &mut |_| true)
    };
    assert_eq!(search(None, 30_000).root.proven, Some(Outcome::Draw));
    for mv in 0..6 {
        let allowed: Vec<bool> = (0..6).map(|other| other == mv).collect();
        let report = search(Some(&allowed), 500);
        let best = report.best().expect("a move");
        assert!(best.edge_visits > 400 || best.proven == Some(Outcome::Loss), "{best:?}");
    }
}
