//! Many workers on one small table: impossible results never occur, and losses are bounded.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tewari::base::game::{Bounds, Game, Prior};
use tewari::base::rng::PlayoutRng;
use tewari::base::value::Value;
use tewari::base::zobrist::mix;
use tewari::go::{Komi, Position, Rules, Size};
use tewari::search::policy::Rave;
use tewari::search::{Limits, Search, SearchParameters};
use tewari::table::{Counters, Entry, Page, ProtectedPath, Shape, Table, VisitsAndValue, amaf_sample};

const MOVES: usize = 26;
const RANGE: Bounds = Bounds { lower: -361, upper: 361 };
const WORKERS: u64 = 6;
/// Number of leaf playouts kept from the mean of a lost page.
const KEPT_OF_LOST_PAGE: u64 = 16;
/// Maximum number of keys in a walk.
const LONGEST_WALK: usize = 6;

/// Returns the true score of a key: all bounds stored for it contain this score.
fn truth(key: u64) -> i16 {
    (mix(key) % 723) as i16 - 361
}

/// Returns the prior of a move, or `None` if it is illegal; the priors identify the position of a page.
fn prior(key: u64, index: usize) -> Option<Prior> {
    let bits = mix(key ^ mix(index as u64));
    let visits = (bits >> 8) as u8 % 250;
    (!bits.is_multiple_of(4)).then_some(Prior { visits, wins: visits / 2 })
}

fn priors(key: u64) -> Vec<Option<Prior>> {
    (0..MOVES).map(|index| prior(key, index)).collect()
}

/// Counts of impossible results, by kind.
#[derive(Default)]
struct Wrong {
    bounds: AtomicU64,
    points: AtomicU64,
    pages: AtomicU64,
    amaf: AtomicU64,
}

impl Wrong {
    fn look_at_entry(&self, entry: &Entry<'_>) {
        let leaf_playouts = entry.leaf_playouts();
        self.points.fetch_add(u64::from(leaf_playouts.half_points > 2 * leaf_playouts.visits), Relaxed);
        let bounds = entry.bounds(RANGE);
        let holds = (bounds.lower..=bounds.upper).contains(&truth(entry.key()));
        self.bounds.fetch_add(u64::from(!holds), Relaxed);
    }

    /// Reads the whole page; the result counts only if the page is still the position's.
    fn look_at_page(&self, entry: &Entry<'_>, page: &Page<'_>) {
        let belongs = page.moves().all(|(number, edge)| match prior(entry.key(), number.into()) {
            None => !edge.is_legal(),
            Some(prior) => edge.is_legal() && edge.prior() == prior,
        });
        let possible = page.amaf_pairs().flatten().all(|amaf| amaf.half_points <= 2 * amaf.visits);
        if page.is_current() {
            self.pages.fetch_add(u64::from(!belongs), Relaxed);
            self.amaf.fetch_add(u64::from(!possible), Relaxed);
        }
    }

    fn all(&self) -> [u64; 4] {
        [&self.bounds, &self.points, &self.pages, &self.amaf].map(|count| count.load(Relaxed))
    }
}

/// Does the table accesses of a simulation, on keys instead of positions: a walk of a few keys, each claimed while the
/// keys before it are protected, then updates of all.
fn walk(table: &Table, keys: &[u64], rng: &mut PlayoutRng, wrong: &Wrong, counters: &mut Counters) {
    let (mut path, mut handles) = (Vec::new(), Vec::new());
    for _ in 0..1 + rng.below(LONGEST_WALK) {
        let key = keys[rng.below(keys.len())];
        let protected = ProtectedPath { keys: &path };
        let Some(entry) = table.find_or_claim(key, protected, counters) else { continue };
        wrong.look_at_entry(&entry);
        path.push(key);
        let protected = ProtectedPath { keys: &path };
        let page = table.page(&entry).or_else(|| {
            table.replace_lost_page(&entry, counters);
            table.claim_page(&entry, || priors(key), protected, counters)
        });
        let page = page.map(|first| {
            if table.layout().shape.ranked && rng.below(4) == 0 {
                table.claim_next_page(&first, || Some(priors(key)), protected, counters);
            }
            let chain: Vec<Page<'_>> = table.chain(first).collect();
            chain.iter().for_each(|page| wrong.look_at_page(&entry, page));
            chain[rng.below(chain.len())]
        });
        handles.push((entry, page));
    }
    let samples: Vec<u64> = (0..MOVES.div_ceil(2))
        .map(|_| amaf_sample(rng.below(3) as u32) | amaf_sample(rng.below(3) as u32) << 32)
        .collect();
    for (entry, page) in handles {
        let truth = truth(entry.key());
        let [below, above] = [0, 1].map(|_| rng.below(800) as i16);
        entry.tighten_bounds(Bounds { lower: truth - below, upper: truth + above }.intersect(RANGE));
        entry.add_leaf_playout(rng.below(3) as u32);
        match rng.below(4) {
            0 => entry.set_total(VisitsAndValue { visits: rng.below(1000) as u32, value: Value::DRAW }),
            1 => entry.mark_twin(),
            _ => entry.add_visit(Value(rng.next_u64() as u32)),
        }
        if let Some(page) = page {
            if !page.is_current() {
                counters.late_updates += 1;
            }
            let index = rng.below(table.layout().shape.edges());
            let visits = table.visit_edge(&entry, &page, index, Value(rng.next_u64() as u32));
            page.add_amaf(&samples);
            page.mark_used(visits, table.generation());
            wrong.look_at_page(&entry, &page);
        }
        wrong.look_at_entry(&entry);
    }
}

/// Runs [`WORKERS`] workers on a table of about `bytes` with these keys.
fn hammer(shape: Shape, bytes: usize, keys: &[u64], walks: usize) -> (Table, Counters) {
    let table = Table::new(shape, bytes).expect("a table");
    let (wrong, barrier) = (Wrong::default(), Barrier::new(WORKERS as usize));
    let counters = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let (table, wrong, barrier) = (&table, &wrong, &barrier);
                scope.spawn(move || {
                    let mut rng = PlayoutRng::new(3, worker);
                    let mut counters = Counters::default();
                    barrier.wait();
                    for number in 0..walks {
                        walk(table, keys, &mut rng, wrong, &mut counters);
                        if worker == 0 && number % 2000 == 0 {
                            table.next_search();
                        }
                    }
                    counters
                })
            })
            .collect();
        let mut sum = Counters::default();
        for worker in workers {
            sum.add(&worker.join().expect("no panic"));
        }
        sum
    });
    assert_eq!(wrong.all(), [0; 4], "wrong bounds, impossible points, foreign pages, impossible samples");
    for &key in keys {
        if let Some(entry) = table.find(key) {
            wrong.look_at_entry(&entry);
            let chain = table.page(&entry).into_iter().flat_map(|first| table.chain(first));
            chain.for_each(|page| wrong.look_at_page(&entry, &page));
        }
    }
    assert_eq!(wrong.all(), [0; 4], "in the end");
    let census = table.census();
    assert!(census.entries_used <= census.entries && census.pages_used <= census.pages);
    assert!(census.bytes_used <= census.bytes);
    let survey = table.scan(&mut |_| {});
    assert_eq!((survey.orphans, survey.unfinished_entries, survey.unfinished_pages), (0, 0, 0), "{survey:?}");
    (table, counters)
}

#[test]
fn nothing_impossible_is_read_from_a_table_that_is_replaced_all_the_time() {
    // Every second key shares all but its lowest bits with seven others, and thus the bucket.
    let keys: Vec<u64> =
        (0..1000).map(|i| if i % 2 == 0 { mix(i) } else { (mix(i / 16) & !15) | (i % 16) }).collect();
    let [complete, ranked] = [Shape::complete(MOVES), Shape::ranked(MOVES)];
    for (shape, bytes) in [(complete, 1_500), (complete, 10_300), (ranked, 1_500), (ranked, 10_300)] {
        let (table, counters) = hammer(shape, bytes, &keys, 8_000);
        assert!(counters.evictions > 1_000 && counters.page_evictions > 1_000, "{counters:?}");
        let census = table.census();
        // A bucket without keys stays empty.
        assert!(census.entries_used * 10 >= census.entries * 9, "{census:?}");
        // The page of a position that lost its entry is free until it is claimed.
        assert!(census.pages_used * 2 >= census.pages, "{census:?}");
    }
}

#[test]
fn a_table_with_room_loses_nothing_but_what_is_made_twice_at_once() {
    let keys: Vec<u64> = (0..400).map(mix).collect();
    let (table, counters) = hammer(Shape::complete(MOVES), 4 << 20, &keys, 8_000);
    assert_eq!((counters.evictions, counters.page_evictions, counters.refused), (0, 0, 0));
    let census = table.census();
    // All workers may make an entry for one position at the same moment, no more.
    assert!((400..=400 * WORKERS as usize).contains(&census.entries_used), "{census:?}");
    // A worker that is interrupted while it makes an entry later frees the page of the entry that another worker made
    // meanwhile: every update of that page in a running walk is then late.
    let made_twice = census.entries_used as u64 - 400;
    let lost = counters.lost_pages + counters.late_updates;
    assert!(lost <= made_twice * WORKERS * LONGEST_WALK as u64, "{counters:?} {census:?}");
    assert_eq!(census.pages_used, 400, "{census:?}");
}

#[test]
fn counts_are_exact_when_workers_add_to_one_position() {
    let shape = Shape::complete(MOVES);
    let table = Table::new(shape, 1 << 20).expect("a table");
    let entry =
        table.find_or_claim(77, ProtectedPath::default(), &mut Counters::default()).expect("an entry");
    let page = table.claim_page(&entry, || priors(77), ProtectedPath::default(), &mut Counters::default());
    let page = page.expect("a page");
    let each = 1_000;
    let table = &table;
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            scope.spawn(move || {
                for n in 0..each {
                    entry.add_leaf_playout(1);
                    entry.add_visit(Value(n));
                    table.visit_edge(&entry, &page, n as usize % MOVES, Value::WIN);
                    table.visit_edge(&entry, &page, worker as usize, Value::WIN);
                }
            });
        }
    });
    let all = each * WORKERS as u32;
    assert_eq!(
        (entry.leaf_playouts().visits, entry.leaf_playouts().half_points, entry.total().visits),
        (all, all, all)
    );
    assert_eq!(page.edges().map(|edge| edge.visits()).sum::<u32>(), 2 * all);
}

/// Searches positions with several workers and checks the counts of each root.
fn search_together(side: usize, bytes: usize, threads: usize, simulations: u64) {
    let size = Size::new(side, side).expect("a size");
    let shape = Shape::complete(size.points() + 1);
    let table = Table::new(shape, bytes).expect("a table");
    let mut root = Position::new(size, Rules::CHINESE, Komi(13));
    let limits = Limits { simulations: Some(simulations), ..Limits::default() };
    let told = format!("{side}x{side}, {bytes} bytes, {threads} workers");
    for ply in 0..4 {
        let before = table.find(root.key()).map_or(0, |entry| u64::from(entry.total().visits));
        let parameters = SearchParameters { threads, seed: ply, ..SearchParameters::default() };
        let report = Search::new(&table, Rave::default(), parameters).run(&root, limits, &mut |_| true);
        let best = report.best().expect("a move").mv;
        assert!(root.check(best).is_ok(), "{told}");
        if report.root.proven.is_some() {
            return;
        }
        assert_eq!(report.simulations, simulations, "{told}");
        // The entry and the page of the root are protected. Workers conflict only when an entry is made, and when the
        // edges of a lost page become leaf playouts: each may then lose, or count twice, its current simulation.
        let entry = table.find(root.key()).expect("the root");
        let [visits, leaf_playouts] = [entry.total().visits, entry.leaf_playouts().visits].map(u64::from);
        let most = before + simulations;
        assert!(visits <= most && visits + threads as u64 > most, "{told}: {visits} of {most}");
        let page = table.page(&entry).expect("a page");
        let edges: u64 = page.edges().map(|edge| u64::from(edge.visits())).sum();
        let slack = if threads == 1 { 0 } else { 4 * threads as u64 };
        // Only few leaf playouts are kept from the edges of a page lost before.
        let least = simulations + before.min(KEPT_OF_LOST_PAGE);
        assert!(
            (least.saturating_sub(slack)..=most + slack).contains(&(leaf_playouts + edges)),
            "{told}: {leaf_playouts} + {edges} of {most}"
        );
        assert_eq!(report.root.visits, visits, "{told}");
        assert!(report.moves.iter().all(|candidate| root.check(candidate.mv).is_ok()));
        root.try_play(best).expect("legal");
    }
}

#[test]
fn workers_that_search_one_position_count_every_simulation() {
    for (side, bytes, simulations) in
        [(9, 16 << 20, 1_500), (9, 24 << 10, 1_500), (5, 4 << 20, 5_000), (5, 3_000, 5_000)]
    {
        for threads in [1, 2, 5] {
            search_together(side, bytes, threads, simulations);
        }
    }
}

#[test]
fn more_workers_than_the_table_has_room_for_paths_come_to_an_end() {
    for (side, bytes) in [(2, 0), (5, 0), (9, 0)] {
        let size = Size::new(side, side).expect("a size");
        let shape = Shape::complete(size.points() + 1);
        let smallest = match Table::new(shape, bytes) {
            Err(tewari::table::TableError::TooSmall { smallest, .. }) => smallest,
            _ => panic!("nothing is too small"),
        };
        let table = Table::new(shape, smallest).expect("a table");
        let root = Position::new(size, Rules::TROMP_TAYLOR, Komi(0));
        let parameters = SearchParameters { threads: 16, ..SearchParameters::default() };
        let limits = Limits { simulations: Some(1_000), ..Limits::default() };
        let report = Search::new(&table, Rave::default(), parameters).run(&root, limits, &mut |_| true);
        assert!(report.simulations == 1_000 || report.root.proven.is_some());
        assert!(root.check(report.best().expect("a move").mv).is_ok());
    }
}
