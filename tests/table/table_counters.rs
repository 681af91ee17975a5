//! Counters of a table that is searched for weeks, or merged, keep the order of moves: counters of one position are
//! halved together before one overflows.

use std::path::Path;
use std::sync::Barrier;
use tewari::base::game::Prior;
use tewari::base::value::{Estimate, Value};
use tewari::table::{
    AGES, Count, Counters, EDGE_VISITS_FULL, Entry, LeafPlayouts, MAX_EDGE_VISITS, Page, PageEvaluation,
    ProtectedPath, ScoreMean, Shape, TOTAL_VISITS_FULL, Table, TableIdentity, TableMode, VisitsAndValue,
};

const MOVES: usize = 26;
const SHAPE: Shape = Shape::complete(MOVES);
const KEY: u64 = 0x1234_5678_9abc_def0;
const PRIOR: Prior = Prior { visits: 20, wins: 12 };

/// Returns the position and its page; makes them if necessary.
fn position(table: &Table) -> (Entry<'_>, Page<'_>) {
    let mut counters = Counters::default();
    let entry = table.find_or_claim(KEY, ProtectedPath::default(), &mut counters).expect("an entry");
    let page = table.claim_page(&entry, || [Some(PRIOR); MOVES], ProtectedPath::default(), &mut counters);
    (entry, page.expect("a page"))
}

fn value_of(index: usize) -> Value {
    Value((index as u32 + 1) << 24)
}

/// Adds visits to an edge and to its position, as a backup does.
fn add(table: &Table, entry: &Entry<'_>, page: &Page<'_>, index: usize, count: u32) {
    table.add_visits(entry, page, index, count, value_of(index));
    entry.add_visits(count, Value(77));
}

fn visits(page: &Page<'_>) -> Vec<u64> {
    page.edges().map(|edge| u64::from(edge.visits())).collect()
}

/// Checks that the visits of a position are those of its edges and leaf playouts, except for rounding in halving, and
/// for at most `at_once` visits that were added to an edge before a halving and to the position after it.
fn assert_adds_up(entry: &Entry<'_>, page: &Page<'_>, at_once: u32) {
    let parts = visits(page).iter().sum::<u64>() + u64::from(entry.leaf_playouts().visits);
    let total = u64::from(entry.total().visits);
    assert!(parts.abs_diff(total) <= MOVES as u64 + u64::from(at_once), "{parts} in {total}");
}

#[test]
fn siblings_keep_their_order_and_their_shares_when_an_edge_is_full() {
    let table = Table::new(SHAPE, 1 << 20).expect("a table");
    let (entry, page) = position(&table);
    let played = LeafPlayouts { visits: 1000, half_points: 1000 };
    entry.seed(played, VisitsAndValue { visits: 1000, value: Value::DRAW });
    // The best move has one visit in forty more than the second.
    let shares = [(3, 41), (7, 40), (0, 10), (25, 1)];
    let mut added = 0_u64;
    for _ in 0..400 {
        for (index, share) in shares {
            add(&table, &entry, &page, index, share << 15);
            added += u64::from(share) << 15;
        }
        let visits = visits(&page);
        assert!(visits.iter().all(|&visits| visits < u64::from(EDGE_VISITS_FULL)));
        assert!(visits[3] > visits[7] && visits[7] > visits[0] && visits[0] > visits[25], "{visits:?}");
        let lead = visits[3] as f64 / visits[7] as f64;
        assert!((lead - 41.0 / 40.0).abs() < 0.02, "{lead}");
        assert_adds_up(&entry, &page, 41 << 15);
    }
    assert!(added > 3 * u64::from(EDGE_VISITS_FULL));
    for (index, _) in shares {
        assert!(page.edge(index).value().0.abs_diff(value_of(index).0) < 1 << 12);
        assert_eq!(page.edge(index).prior(), PRIOR);
    }
    assert_eq!(entry.total().value, Value(77));
    let leaf_playouts = entry.leaf_playouts();
    assert!(
        (1..500).contains(&leaf_playouts.visits) && (leaf_playouts.mean().as_f64() - 0.5).abs() < 0.01,
        "{leaf_playouts:?}"
    );
    assert_eq!(table.scan(&mut |_| {}).faults, 0);
}

#[test]
fn a_position_whose_edges_are_full_only_together_is_halved_before_its_visits_overflow() {
    let table = Table::new(SHAPE, 1 << 20).expect("a table");
    let (entry, page) = position(&table);
    for round in 0..600 {
        for index in 0..MOVES {
            add(&table, &entry, &page, index, 1 << 18);
        }
        assert!(u64::from(entry.total().visits) < u64::from(TOTAL_VISITS_FULL) + (1 << 18), "{round}");
        assert_adds_up(&entry, &page, 1 << 18);
    }
    assert_eq!(table.scan(&mut |_| {}).faults, 0);
}

#[test]
fn workers_that_fill_the_edges_of_one_position_at_once_halve_once() {
    const WORKERS: usize = 4;
    for round in 0..300 {
        let table = Table::new(SHAPE, 1 << 20).expect("a table");
        let (entry, page) = position(&table);
        // Each edge lacks one visit to a halving, or several.
        for index in 0..MOVES {
            table.add_visits(&entry, &page, index, EDGE_VISITS_FULL - 1 - round % 3, value_of(index));
        }
        // The sum of these edges is full as well.
        entry.set_total(VisitsAndValue { visits: TOTAL_VISITS_FULL - 1000, value: Value::DRAW });
        let barrier = Barrier::new(WORKERS);
        let table = &table;
        std::thread::scope(|scope| {
            for worker in 0..WORKERS {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    for visit in 0..40 {
                        add(table, &entry, &page, (worker + visit * WORKERS / 2) % MOVES, 1);
                    }
                });
            }
        });
        let half = u64::from(EDGE_VISITS_FULL / 2);
        let found = visits(&page);
        assert!(
            found.iter().all(|visits| (half - 2..half + 40).contains(visits)),
            "round {round}: {found:?}"
        );
        let total = entry.total().visits;
        assert!((TOTAL_VISITS_FULL / 2 - 1000..TOTAL_VISITS_FULL / 2 + 200).contains(&total), "{total}");
    }
}

fn identity() -> TableIdentity {
    TableIdentity {
        game: "go 5x5".to_owned(),
        key_seed: 1,
        policy_state: String::new(),
        network: None,
        game_settings: String::new(),
    }
}

/// Creates a file with one position and these visits of its edges.
fn file(path: &Path, edges: &[(usize, u32)]) -> Table {
    let table = Table::create(path, &identity(), SHAPE, 64 << 10).expect("a file");
    let (entry, page) = position(&table);
    entry.seed(
        LeafPlayouts { visits: 8_000, half_points: 4_000 },
        VisitsAndValue { visits: 8_000, value: Value::DRAW },
    );
    for &(index, count) in edges {
        add(&table, &entry, &page, index, count);
    }
    table
}

#[test]
fn a_merge_whose_sums_do_not_fit_keeps_the_order_and_the_shares_of_the_moves() {
    let folder = tempfile::tempdir().expect("a folder");
    let edges = [(3, 130_000_000), (7, 120_000_000), (0, 40_000_000), (25, 5)];
    let sources: Vec<Table> =
        (0..5).map(|number| file(&folder.path().join(number.to_string()), &edges)).collect();
    for count in [2, 3, 5] {
        let sources: Vec<&Table> = sources.iter().take(count).collect();
        let path = folder.path().join(format!("sum of {count}"));
        let (sum, kept) =
            Table::merge(&path, &sources, None, 64 << 10, false, &mut |_, _| true).expect("a merge");
        assert_eq!((kept.positions, kept.positions_kept, kept.expanded_kept), (1, 1, 1));
        let (entry, page) = position(&sum);
        let found = visits(&page);
        let largest = count as u64 * 130_000_000;
        let shift = (0..).find(|shift| largest >> shift < u64::from(EDGE_VISITS_FULL)).expect("one");
        for (index, visits) in edges {
            assert_eq!(found[index], (count as u64 * u64::from(visits)) >> shift, "{found:?}");
            assert!(page.edge(index).value().0.abs_diff(value_of(index).0) < 1 << 13);
        }
        assert_adds_up(&entry, &page, 0);
        let leaf_playouts = entry.leaf_playouts();
        assert!(
            leaf_playouts.visits > 4_000 && (leaf_playouts.mean().as_f64() - 0.25).abs() < 0.01,
            "{leaf_playouts:?}"
        );
        assert_eq!(sum.scan(&mut |_| {}).faults, 0);
    }
}

#[test]
fn edges_that_an_older_file_filled_further_are_halved_together_at_the_next_visit() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("old");
    drop(file(&path, &[(3, EDGE_VISITS_FULL - 1), (7, EDGE_VISITS_FULL - 2), (0, 1 << 20)]));
    // The visits of an edge are the upper 28 bits of a word; older files allowed twice the present limit.
    let mut bytes = std::fs::read(&path).expect("the file");
    for word in bytes.as_chunks_mut::<8>().0 {
        let value = u64::from_le_bytes(*word);
        if [EDGE_VISITS_FULL - 1, EDGE_VISITS_FULL - 2].contains(&((value >> 36) as u32)) {
            *word = (value + (u64::from(MAX_EDGE_VISITS / 2) << 36)).to_le_bytes();
        }
    }
    std::fs::write(&path, bytes).expect("written");
    let table = Table::open(&path, TableMode::ReadWrite, None).expect("the file");
    let (entry, page) = position(&table);
    assert!(visits(&page)[3] > u64::from(MAX_EDGE_VISITS - 10));
    add(&table, &entry, &page, 0, 1);
    add(&table, &entry, &page, 3, 1);
    add(&table, &entry, &page, 3, 1);
    let found = visits(&page);
    assert!(found.iter().all(|&visits| visits < u64::from(EDGE_VISITS_FULL)), "{found:?}");
    assert!(found[3] > found[7] && found[7] > found[0], "{found:?}");
}

#[test]
fn a_merge_counts_an_estimate_once_however_many_tables_have_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let estimate = Estimate { value: Value::WIN, weight: 30 };
    // Visits of each table, and their mean without the estimate.
    let samples = [(10, Value(1 << 30)), (40, Value(1 << 29)), (30, Value(3 << 29))];
    let sources: Vec<Table> = samples
        .iter()
        .enumerate()
        .map(|(number, &(visits, mean))| {
            let path = folder.path().join(number.to_string());
            let table = Table::create(&path, &identity(), SHAPE, 64 << 10).expect("a file");
            let mut counters = Counters::default();
            let entry = table.find_or_claim(KEY, ProtectedPath::default(), &mut counters).expect("an entry");
            let score = ScoreMean { mean: -7.5, deviation: 12.0, weight: number as f64 + 1.0 };
            let judge =
                || ([Some(PRIOR); MOVES], PageEvaluation { estimate: Some(estimate), score: Some(score) });
            let page = table.claim_evaluated_page(&entry, judge, ProtectedPath::default(), &mut counters);
            assert_eq!(page.expect("a page").estimate(), Some(estimate));
            let value = estimate.join(u64::from(visits), mean);
            let half_points = (u64::from(2 * visits) * u64::from(mean.0)) >> 32;
            let played = LeafPlayouts { visits, half_points: half_points as u32 };
            entry.seed(played, VisitsAndValue { visits, value });
            table
        })
        .collect();
    let path = folder.path().join("sum");
    let sources: Vec<&Table> = sources.iter().collect();
    let (sum, _) = Table::merge(&path, &sources, None, 64 << 10, false, &mut |_, _| true).expect("a merge");
    let (entry, page) = position(&sum);
    assert_eq!(page.estimate(), Some(estimate));
    assert_eq!(page.evaluator_score().map(|score| (score.mean, score.deviation)), Some((-7.5, 12.0)));
    let total = entry.total();
    assert_eq!((total.visits, entry.leaf_playouts().visits), (80, 80));
    let weighted: u64 = samples.iter().map(|&(visits, mean)| u64::from(visits) * u64::from(mean.0)).sum();
    let expected = estimate.join(80, Value((weighted / 80) as u32));
    assert!(total.value.0.abs_diff(expected.0) < 16, "{total:?} {expected:?}");
}

#[test]
fn an_estimate_stays_when_visits_are_halved() {
    let table = Table::new(SHAPE, 1 << 20).expect("a table");
    let mut counters = Counters::default();
    let entry = table.find_or_claim(KEY, ProtectedPath::default(), &mut counters).expect("an entry");
    let estimate = Estimate { value: Value(0xabcd_abcd), weight: 255 };
    let judge = || ([Some(PRIOR); MOVES], PageEvaluation { estimate: Some(estimate), score: None });
    let page = table.claim_evaluated_page(&entry, judge, ProtectedPath::default(), &mut counters);
    let page = page.expect("a page");
    for _ in 0..5 {
        add(&table, &entry, &page, 3, EDGE_VISITS_FULL / 2);
    }
    assert!(visits(&page)[3] < u64::from(EDGE_VISITS_FULL));
    assert_eq!(page.estimate(), Some(estimate));
}

#[test]
fn a_sum_has_every_counter_and_no_name_stands_for_two() {
    let one = Counters { hits: 2, evictions_by_age: [1; AGES], ..Counters::default() };
    let mut sum = one;
    sum.add(&one);
    assert_eq!((sum.hits, sum.misses, sum.evictions_by_age), (4, 0, [2; AGES]));
    let names: std::collections::BTreeSet<&str> = sum.list().map(|(name, _)| name).collect();
    assert_eq!(names.len(), sum.list().count());
    assert!(sum.list().any(|counter| counter == ("hits", Count::Number(4))));
    assert_eq!(Count::Numbers(&[1, 20]).to_string(), "1 20");
}
