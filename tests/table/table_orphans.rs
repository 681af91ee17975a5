//! Every page in use is reachable through its position's entry, with any number of workers and after evictions.

use tewari::go::{Komi, Position, Rules, Size};
use tewari::search::policy::Rave;
use tewari::search::{Limits, Search, SearchParameters};
use tewari::table::{Replacement, Shape, Table, TableStatistics};

/// Returns the survey of a table of `bytes` after searches for several moves in a row.
fn survey_after(bytes: usize, replacement: Replacement, threads: usize, simulations: u64) -> TableStatistics {
    let size = Size::new(9, 9).expect("a size");
    let shape = Shape::complete(size.points() + 1);
    let table = Table::new(shape, bytes).expect("a table").with_replacement(replacement);
    let mut root = Position::new(size, Rules::CHINESE, Komi(15));
    for seed in 0..3 {
        let parameters = SearchParameters { threads, seed, ..SearchParameters::default() };
        let limits = Limits { simulations: Some(simulations), ..Limits::default() };
        let search = Search::new(&table, Rave::default(), parameters);
        let best = search.run(&root, limits, &mut |_| true).best().expect("a move").mv;
        table.next_search();
        root.try_play(best).expect("legal");
    }
    table.scan(&mut |_| {})
}

#[test]
fn several_workers_leave_no_page_that_no_entry_names() {
    for threads in [1, 2, 4] {
        let survey = survey_after(32 << 20, Replacement::default(), threads, 7_000);
        assert!(survey.pages > 500, "{survey:?}");
        assert_eq!((survey.orphans, survey.faults), (0, 0), "{threads} workers: {survey:?}");
    }
}

#[test]
fn a_table_that_is_replaced_all_the_time_has_no_page_that_no_entry_names() {
    for replacement in Replacement::ALL {
        for threads in [1, 2, 4] {
            let survey = survey_after(64 << 10, replacement, threads, 2_000);
            assert!(survey.pages > 10, "{survey:?}");
            assert_eq!(
                (survey.orphans, survey.faults),
                (0, 0),
                "{replacement}, {threads} workers: {survey:?}"
            );
        }
    }
}
