//! A search that may try some moves of the root alone leaves nothing behind that a search of all could not mend.

use tewari::game::{Game, Move};
use tewari::search::policy::Rave;
use tewari::search::{Limits, Report, Search, SearchParameters};
use tewari::table::{Shape, Table};
use tewari::tictactoe::TicTacToe;
use tewari::value::Value;

fn limits(simulations: u64) -> Limits {
    Limits { simulations: Some(simulations), ..Limits::default() }
}

fn search(table: &Table, root: &TicTacToe, allowed: Option<&[bool]>, simulations: u64) -> Report {
    let search = Search::new(table, Rave::default(), SearchParameters::default());
    search.with_root_moves(allowed).run(root, limits(simulations), &mut |_| true)
}

#[test]
fn moves_that_are_all_refuted_leave_no_playouts_at_the_root() {
    let table = Table::new(Shape { moves: 9, policy_state: false }, 4 << 20).expect("a table");
    // After a corner every answer but the centre loses.
    let mut root = TicTacToe::default();
    root.play(Move(0));
    let allowed: Vec<bool> = (0..9).map(|mv| mv == 1).collect();
    let restricted = search(&table, &root, Some(&allowed), 20_000);
    assert_eq!((restricted.root.value, restricted.root.proven), (Value::LOSS, None));
    assert!(restricted.root.visits >= 20_000, "{}", restricted.root.visits);
    let entry = table.find(root.key()).expect("the root");
    assert_eq!(entry.leaf_playouts().visits, 0);

    let all = search(&table, &root, None, 20_000);
    assert_eq!(all.best().map(|best| best.mv), Some(Move(4)));
    assert!(all.root.value.as_f64() > 0.4, "{:?}", all.root.value);
}
