//! The protocol of entries and pages under loom, which tries the possible orders of the threads' operations and the
//! stale values that the memory model lets them read. Run by
//! `RUSTFLAGS="--cfg loom" cargo test --test table_loom --target-dir target/loom`.
#![cfg(loom)]

use loom::sync::Arc;
use loom::thread;
use tewari::base::game::{Bounds, Prior};
use tewari::base::value::Value;
use tewari::table::{Counters, EDGE_VISITS_FULL, Entry, Layout, Page, ProtectedPath, Shape, Table};

const RANGE: Bounds = Bounds { lower: -361, upper: 361 };
const SHAPE: Shape = Shape::complete(2);
/// Permanent positions: they take three of the four places of the only bucket, and one of the two pages.
const OTHERS: [u64; 3] = [1001, 1002, 1003];
/// The position in the fourth place, which may have the other page.
const OLD: u64 = 0xaaaa;
const NEW: u64 = 0xbbbb;
const THIRD: u64 = 0xcccc;

/// Tries all orders with at most `preemptions` preemptions of a thread.
fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// Returns the true score of a key.
fn truth(key: u64) -> Bounds {
    Bounds::exact((key % 300) as i16)
}

fn priors(key: u64) -> [Option<Prior>; 2] {
    [None, Some(Prior { visits: (key % 200) as u8, wins: 1 })]
}

/// Returns a table with one bucket and two pages, and [`OTHERS`] in their places.
fn crowded() -> Table {
    let layout = Layout { shape: SHAPE, buckets: 1, pages: 2 };
    let table = Table::new(SHAPE, layout.bytes()).expect("a table");
    assert_eq!(*table.layout(), layout);
    for key in OTHERS {
        claim(&table, key).expect("a place");
    }
    let page = claim_page(&table, &claim(&table, OTHERS[0]).expect("a place"), &[]).expect("a page");
    assert_eq!(page.number(), 1);
    table
}

fn claim(table: &Table, key: u64) -> Option<Entry<'_>> {
    table.find_or_claim(key, ProtectedPath { keys: &OTHERS }, &mut Counters::default())
}

/// Gives a position a page, but not that of one of `keys`.
fn claim_page<'t>(table: &'t Table, entry: &Entry<'t>, keys: &[u64]) -> Option<Page<'t>> {
    let protected = ProtectedPath { keys };
    table.claim_page(entry, || priors(entry.key()), protected, &mut Counters::default())
}

/// Writes the updates of a simulation to an entry.
fn visit(entry: &Entry<'_>) {
    entry.add_leaf_playout(1);
    entry.add_visit(Value::WIN);
    entry.tighten_bounds(truth(entry.key()));
}

/// Checks that all data read belongs to the entry's position, except for one late playout of another.
fn look_at(entry: &Entry<'_>, playouts: u32) {
    let bounds = entry.bounds(RANGE);
    assert!(bounds == RANGE || bounds == truth(entry.key()), "{bounds:?} of {:#x}", entry.key());
    let leaf_playouts = entry.leaf_playouts();
    assert!(
        leaf_playouts.visits <= playouts + 1 && leaf_playouts.half_points <= 2 * leaf_playouts.visits,
        "{leaf_playouts:?}"
    );
}

/// Checks that a page's data belongs to its position if the page is still current after the read.
fn look_at_page(page: &Page<'_>, key: u64) {
    let read: Vec<_> = page.edges().collect();
    if page.is_current() {
        let [none, some] = priors(key);
        assert!(!read[0].is_legal() && none.is_none(), "{key:#x}: {read:?}");
        assert_eq!(Some(read[1].prior()), some, "{key:#x}");
    }
}

/// Returns the number of pages that an entry names and of those that none names, after all workers have ended.
fn pages_and_orphans(table: &Table) -> [u64; 2] {
    let survey = table.scan(&mut |_| {});
    assert_eq!((survey.unfinished_entries, survey.unfinished_pages, survey.faults), (0, 0, 0), "{survey:?}");
    [survey.pages, survey.orphans]
}

#[test]
fn what_is_written_late_is_no_proof_for_the_next_owner() {
    check(3, || {
        let table = Arc::new(crowded());
        let old = claim(&table, OLD).expect("a place");
        (0..3).for_each(|_| visit(&old));
        let other = table.clone();
        let worker = thread::spawn(move || {
            if let Some(new) = claim(&other, NEW) {
                look_at(&new, 0);
                visit(&new);
                look_at(&new, 1);
            }
        });
        visit(&old);
        if let Some(new) = table.find(NEW) {
            look_at(&new, 1);
        }
        worker.join().expect("no panic");
        let new = table.find(NEW).expect("the new owner");
        look_at(&new, 1);
        assert!(table.find(OLD).is_none());
    });
}

#[test]
fn of_two_that_want_one_place_one_gets_it_whole() {
    check(3, || {
        let table = Arc::new(crowded());
        visit(&claim(&table, OLD).expect("a place"));
        let other = table.clone();
        let take = |table: &Table, key| {
            if let Some(entry) = claim(table, key) {
                visit(&entry);
                look_at(&entry, 1);
            }
        };
        let worker = thread::spawn(move || take(&other, NEW));
        take(&table, THIRD);
        worker.join().expect("no panic");
        let found: Vec<_> = [OLD, NEW, THIRD].into_iter().filter_map(|key| table.find(key)).collect();
        assert_eq!(found.len(), 1);
        found.iter().for_each(|entry| look_at(entry, 1));
        assert_ne!(found[0].key(), OLD);
    });
}

#[test]
fn two_workers_that_make_the_same_position_lose_one_playout_at_most() {
    check(3, || {
        let table = Arc::new(crowded());
        let other = table.clone();
        let worker = thread::spawn(move || {
            claim(&other, NEW).iter().for_each(visit);
        });
        claim(&table, NEW).iter().for_each(visit);
        worker.join().expect("no panic");
        let entry = table.find(NEW).expect("the position");
        assert!((1..=2).contains(&entry.leaf_playouts().visits) && (1..=2).contains(&entry.total().visits));
        assert_eq!(entry.bounds(RANGE), truth(NEW));
    });
}

#[test]
fn a_page_is_never_read_as_another_positions() {
    check(3, || {
        let table = Arc::new(crowded());
        let old = claim(&table, OLD).expect("a place");
        let page = claim_page(&table, &old, &OTHERS).expect("a page");
        let other = table.clone();
        let worker = thread::spawn(move || {
            // The same place of the bucket, and the same page.
            if let Some(new) = claim(&other, NEW)
                && let Some(page) = claim_page(&other, &new, &OTHERS)
            {
                look_at_page(&page, NEW);
                other.visit_edge(&new, &page, 1, Value::WIN);
            }
        });
        look_at_page(&page, OLD);
        table.visit_edge(&old, &page, 1, Value::LOSS);
        page.add_amaf(&[1 << 16]);
        page.mark_used(9, table.generation());
        if let Some(page) = table.find(NEW).and_then(|entry| table.page(&entry)) {
            look_at_page(&page, NEW);
        }
        worker.join().expect("no panic");
        for key in [OLD, NEW] {
            if let Some(page) = table.find(key).and_then(|entry| table.page(&entry)) {
                look_at_page(&page, key);
            }
        }
    });
}

#[test]
fn of_two_pages_made_for_one_position_one_is_kept() {
    check(3, || {
        let layout = Layout { shape: SHAPE, buckets: 1, pages: 2 };
        let table = Arc::new(Table::new(SHAPE, layout.bytes()).expect("a table"));
        let entry = claim(&table, NEW).expect("a place");
        let other = table.clone();
        let worker = thread::spawn(move || {
            let entry = other.find(NEW).expect("the position");
            if let Some(page) = claim_page(&other, &entry, &[]) {
                look_at_page(&page, NEW);
                other.visit_edge(&entry, &page, 1, Value::WIN);
            }
        });
        if let Some(page) = claim_page(&table, &entry, &[]) {
            look_at_page(&page, NEW);
            table.visit_edge(&entry, &page, 1, Value::WIN);
        }
        worker.join().expect("no panic");
        let page = table.page(&entry).expect("a page");
        look_at_page(&page, NEW);
        assert!(page.edge(1).visits() <= 2);
        // The other page is free again.
        assert_eq!((pages_and_orphans(&table), table.census().pages_used), ([1, 0], 1));
    });
}

#[test]
fn two_workers_that_make_an_entry_and_its_page_leave_one_page() {
    check(2, || {
        let layout = Layout { shape: SHAPE, buckets: 1, pages: 2 };
        let table = Arc::new(Table::new(SHAPE, layout.bytes()).expect("a table"));
        let other = table.clone();
        let take = |table: &Table| {
            if let Some(page) = claim(table, NEW).and_then(|entry| claim_page(table, &entry, &[])) {
                look_at_page(&page, NEW);
            }
        };
        let worker = thread::spawn(move || take(&other));
        take(&table);
        worker.join().expect("no panic");
        let [pages, orphans] = pages_and_orphans(&table);
        assert!(pages <= 1 && orphans == 0, "{pages} pages, {orphans} orphans");
        assert_eq!(table.census().pages_used as u64, pages);
    });
}

#[test]
fn a_page_that_is_named_while_its_entry_goes_is_free_again() {
    check(3, || {
        let table = Arc::new(crowded());
        let old = claim(&table, OLD).expect("a place");
        let other = table.clone();
        let worker = thread::spawn(move || claim(&other, NEW).is_some());
        if let Some(page) = claim_page(&table, &old, &OTHERS) {
            look_at_page(&page, OLD);
        }
        assert!(worker.join().expect("no panic"));
        assert!(table.find(OLD).is_none());
        assert_eq!((pages_and_orphans(&table), table.census().pages_used), ([1, 0], 1));
    });
}

#[test]
fn a_lost_page_that_is_given_again_while_another_worker_mends_the_loss_is_no_orphan() {
    check(3, || {
        let table = Arc::new(crowded());
        let entry = claim(&table, OLD).expect("a place");
        claim_page(&table, &entry, &OTHERS).expect("a page");
        // The page goes to another position, and comes back below.
        claim_page(&table, &claim(&table, OTHERS[1]).expect("a place"), &OTHERS).expect("a page");
        let other = table.clone();
        let worker = thread::spawn(move || {
            let entry = other.find(OLD).expect("the position");
            other.replace_lost_page(&entry, &mut Counters::default());
            claim_page(&other, &entry, &OTHERS);
        });
        table.replace_lost_page(&entry, &mut Counters::default());
        worker.join().expect("no panic");
        let [pages, orphans] = pages_and_orphans(&table);
        assert!(pages <= 2 && orphans == 0, "{pages} pages, {orphans} orphans");
        assert_eq!(table.census().pages_used as u64, pages);
    });
}

#[test]
fn a_worker_that_was_taken_for_dead_does_no_harm_when_it_goes_on() {
    check(1, || {
        let table = Arc::new(crowded());
        visit(&claim(&table, OLD).expect("a place"));
        let other = table.clone();
        let slow = thread::spawn(move || {
            if let Some(entry) = claim(&other, NEW) {
                visit(&entry);
                look_at(&entry, 1);
            }
        });
        // After eight generations an unfinished claim may be taken over.
        loom::stop_exploring();
        (0..8).for_each(|_| table.next_search());
        loom::explore();
        if let Some(entry) = claim(&table, THIRD) {
            visit(&entry);
            look_at(&entry, 1);
        }
        slow.join().expect("no panic");
        for entry in [OLD, NEW, THIRD].into_iter().filter_map(|key| table.find(key)) {
            look_at(&entry, 1);
        }
    });
}

#[test]
fn visits_added_at_once_are_all_counted() {
    check(3, || {
        let table = Arc::new(crowded());
        let entry = claim(&table, OLD).expect("a place");
        let page = claim_page(&table, &entry, &OTHERS).expect("a page");
        let other = table.clone();
        let worker = thread::spawn(move || {
            let entry = other.find(OLD).expect("the position");
            visit(&entry);
            let page = other.page(&entry).expect("its page");
            other.visit_edge(&entry, &page, 1, Value::WIN);
        });
        visit(&entry);
        table.visit_edge(&entry, &page, 1, Value::LOSS);
        worker.join().expect("no panic");
        assert_eq!((entry.leaf_playouts().visits, entry.total().visits, page.edge(1).visits()), (2, 2, 2));
    });
}

#[test]
fn two_workers_that_fill_a_position_halve_it_once_and_lose_no_visit() {
    // Both fill one edge, or each its own.
    for edges in [[1, 1], [0, 1]] {
        check(3, move || {
            let table = Arc::new(crowded());
            let entry = claim(&table, OLD).expect("a place");
            let page = claim_page(&table, &entry, &OTHERS).expect("a page");
            for edge in [0, 1] {
                let missing = if edges[0] == edges[1] && edge == 0 { EDGE_VISITS_FULL / 2 } else { 1 };
                table.add_visits(&entry, &page, edge, EDGE_VISITS_FULL - missing, Value::WIN);
                entry.add_visits(EDGE_VISITS_FULL - missing, Value::WIN);
            }
            let before = entry.total().visits;
            let other = table.clone();
            let worker = thread::spawn(move || {
                let entry = other.find(OLD).expect("the position");
                let page = other.page(&entry).expect("its page");
                other.visit_edge(&entry, &page, edges[1], Value::WIN);
            });
            table.visit_edge(&entry, &page, edges[0], Value::WIN);
            worker.join().expect("no panic");
            let half = EDGE_VISITS_FULL / 2;
            for edge in [0, 1] {
                let expected = if edges.contains(&edge) { [half, half + 1] } else { [half / 2; 2] };
                assert!(expected.contains(&page.edge(edge).visits()), "{:?}", page.edge(edge));
            }
            assert_eq!(entry.total().visits, before / 2);
        });
    }
}

/// Moves of a game with chains of two pages.
const MANY: usize = 10;

fn many_priors() -> [Option<Prior>; MANY] {
    std::array::from_fn(|number| Some(Prior { visits: 50 + number as u8, wins: 50 }))
}

/// Returns a table with four ranked pages, [`OTHERS`] in the bucket of all keys here, and the first page of [`OLD`].
fn with_chain() -> Table {
    let layout = Layout { shape: Shape::ranked(MANY), buckets: 2, pages: 4 };
    let table = Table::new(layout.shape, layout.bytes()).expect("a table");
    assert_eq!(*table.layout(), layout);
    for key in OTHERS {
        claim(&table, key).expect("a place");
    }
    let old = claim(&table, OLD).expect("a place");
    table.claim_page(&old, many_priors, ProtectedPath::default(), &mut Counters::default()).expect("a page");
    table
}

fn grow(table: &Table, first: &Page<'_>) -> bool {
    let protected = ProtectedPath { keys: &[OLD] };
    table.claim_next_page(first, || Some(many_priors()), protected, &mut Counters::default())
}

#[test]
fn a_chain_that_two_workers_make_longer_gets_one_page_and_no_orphan_remains() {
    check(4, || {
        let table = Arc::new(with_chain());
        let other = table.clone();
        let worker = thread::spawn(move || {
            let first = other.find(OLD).and_then(|entry| other.page(&entry)).expect("a page");
            grow(&other, &first);
        });
        let first = table.find(OLD).and_then(|entry| table.page(&entry)).expect("a page");
        grow(&table, &first);
        worker.join().expect("no panic");
        let moves: Vec<u16> = table.chain(first).flat_map(|page| page.move_numbers()).collect();
        assert_eq!((table.chain(first).count(), &moves[..10]), (2, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9][..]));
        assert_eq!(pages_and_orphans(&table), [2, 0]);
    });
}

#[test]
fn a_chain_that_becomes_longer_while_its_position_is_evicted_leaves_no_page_behind() {
    check(4, || {
        let table = Arc::new(with_chain());
        let other = table.clone();
        let worker = thread::spawn(move || {
            claim(&other, NEW);
        });
        if let Some(first) = table.find(OLD).and_then(|entry| table.page(&entry)) {
            grow(&table, &first);
        }
        worker.join().expect("no panic");
        assert_eq!(pages_and_orphans(&table)[1], 0);
        assert!(table.find(NEW).is_some() && table.find(OLD).is_none());
    });
}
