//! Chains of ranked pages: every move is on one page at most, and whatever is evicted or damaged, a chain ends.

use tewari::base::game::Prior;
use tewari::base::rng::PlayoutRng;
use tewari::base::value::Value;
use tewari::base::zobrist::mix;
use tewari::table::{
    Amaf, Counters, EDGE_VISITS_FULL, Entry, Page, ProtectedPath, Shape, Table, VisitsAndValue, amaf_sample,
};

const MOVES: usize = 40;
/// Edges of a page.
const EDGES: usize = 8;
/// Pages of the 34 legal moves.
const PAGES: usize = 5;
const NOBODY: ProtectedPath<'static> = ProtectedPath { keys: &[] };

fn table(bytes: usize) -> Table {
    Table::new(Shape::ranked(MOVES), bytes).expect("a table")
}

/// Returns priors of which some are equal and every seventh move has none.
fn priors(key: u64) -> Vec<Option<Prior>> {
    let prior = |number: u64| {
        let wins = (mix(key ^ number) % 50) as u8;
        (number % 7 != 3).then_some(Prior { visits: wins, wins })
    };
    (0..MOVES as u64).map(prior).collect()
}

fn expand<'t>(table: &'t Table, key: u64, counters: &mut Counters) -> (Entry<'t>, Page<'t>) {
    let entry = table.find_or_claim(key, NOBODY, counters).expect("an entry");
    let page = table.claim_page(&entry, || priors(key), NOBODY, counters).expect("a page");
    (entry, page)
}

/// Appends pages until every legal move is on one; returns their number.
fn complete(table: &Table, first: &Page<'_>, key: u64, counters: &mut Counters) -> usize {
    while table.claim_next_page(first, || Some(priors(key)), NOBODY, counters) {}
    table.chain(*first).count()
}

#[test]
fn a_chain_holds_every_legal_move_once_the_highest_priors_first() {
    let table = table(1 << 20);
    for key in (1..20).map(mix) {
        let mut counters = Counters::default();
        let (entry, first) = expand(&table, key, &mut counters);
        assert!(first.rest().is_some());
        assert_eq!(complete(&table, &first, key, &mut counters), PAGES);
        let listed: Vec<(u16, u8)> = table
            .chain(first)
            .flat_map(|page| {
                page.moves().map(|(number, edge)| (number, edge.prior().wins)).collect::<Vec<_>>()
            })
            .collect();
        let mut expected: Vec<(u16, u8)> =
            (0..).zip(priors(key)).filter_map(|(number, prior)| Some((number, prior?.wins))).collect();
        expected.sort_by_key(|&(number, wins)| (std::cmp::Reverse(wins), number));
        assert_eq!(listed, expected);
        for (rank, page) in table.chain(first).enumerate() {
            let after = expected.get(EDGES * (rank + 1)).map(|(_, wins)| *wins);
            assert_eq!((page.rank(), page.rest().map(|prior| prior.wins)), (rank as u64, after));
        }
        assert_eq!(table.page(&entry).map(|page| page.number()), Some(first.number()));
    }
    let found = table.scan(&mut |_| {});
    assert_eq!((found.expanded, found.pages, found.orphans, found.faults), (19, 19 * PAGES as u64, 0, 0));
    assert_eq!(table.census().pages_used, 19 * PAGES);
}

#[test]
fn a_move_is_found_on_the_page_that_lists_it() {
    let table = table(1 << 20);
    let mut counters = Counters::default();
    let (_, first) = expand(&table, mix(5), &mut counters);
    complete(&table, &first, mix(5), &mut counters);
    for number in 0..MOVES as u16 {
        let found = table.chain(first).filter_map(|page| page.index_of(number).map(|index| (page, index)));
        let found: Vec<(Page<'_>, usize)> = found.collect();
        assert_eq!(found.len(), usize::from(priors(mix(5))[usize::from(number)].is_some()));
        for (page, index) in found {
            assert_eq!(page.moves().nth(index).map(|(it, _)| it), Some(number));
            page.add_amaf(&[amaf_sample(2); MOVES.div_ceil(2)]);
            assert_eq!(page.amaf(index), Amaf::default(), "ranked pages have no AMAF samples");
        }
    }
}

#[test]
fn the_last_page_of_a_chain_is_evicted_first_and_the_others_stay() {
    let table = table(8 << 10);
    let mut counters = Counters::default();
    let (entry, first) = expand(&table, mix(1), &mut counters);
    let length = complete(&table, &first, mix(1), &mut counters);
    for (index, page) in table.chain(first).enumerate() {
        table.visit_edge(&entry, &page, 0, Value::WIN);
        entry.add_visit(Value::WIN);
        page.mark_used(10 - index as u32, table.generation());
    }
    let before: Vec<u32> = table.chain(first).map(|page| page.number()).collect();
    assert_eq!(before.len(), length);
    let mut key = 100;
    let mut lengths = Vec::new();
    while table.page(&entry).is_some() && key < 2000 {
        key += 1;
        let other = table.find_or_claim(mix(key), ProtectedPath { keys: &[mix(1)] }, &mut counters);
        if let Some(other) = other {
            let page = table.claim_page(&other, || priors(mix(key)), NOBODY, &mut counters);
            page.expect("a page").mark_used(20, table.generation());
        }
        let now: Vec<u32> = table.chain(first).filter(Page::is_current).map(|page| page.number()).collect();
        assert_eq!(now, before[..now.len()], "the chain only becomes shorter at its end");
        lengths.push(now.len());
    }
    assert!(lengths.is_sorted_by(|one, other| one >= other));
    assert!(lengths.contains(&1), "{lengths:?}");
    let found = table.scan(&mut |_| {});
    assert_eq!((found.orphans, found.faults, found.pages), (0, 0, table.census().pages_used as u64));
}

#[test]
fn a_position_that_loses_its_entry_leaves_no_page_behind() {
    let table = table(6 << 10);
    let mut counters = Counters::default();
    for key in (1..400).map(mix) {
        let (_, first) = expand(&table, key, &mut counters);
        complete(&table, &first, key, &mut counters);
    }
    assert!(counters.evictions > 300 && counters.page_evictions > 300, "{counters:?}");
    let found = table.scan(&mut |_| {});
    assert_eq!((found.orphans, found.faults, found.unfinished_pages), (0, 0, 0), "{found:?}");
    assert_eq!(found.pages, table.census().pages_used as u64);
}

#[test]
fn all_pages_of_a_position_are_halved_together() {
    let table = table(1 << 20);
    let mut counters = Counters::default();
    let (entry, first) = expand(&table, mix(9), &mut counters);
    complete(&table, &first, mix(9), &mut counters);
    let pages: Vec<Page<'_>> = table.chain(first).collect();
    table.add_visits(&entry, &pages[0], 0, 3_000_000, Value::WIN);
    table.add_visits(&entry, &pages[4], 2, 1_000_000, Value::WIN);
    entry.set_total(VisitsAndValue { visits: 1 << 29, value: Value::DRAW });
    table.add_visits(&entry, &pages[2], 1, EDGE_VISITS_FULL, Value::WIN);
    let visits = |page: usize, index: usize| pages[page].edge(index).visits();
    assert_eq!([visits(0, 0), visits(4, 2), visits(2, 1)], [1_500_000, 500_000, EDGE_VISITS_FULL / 2]);
    assert_eq!(entry.total().visits, 1 << 28);
}

/// Writes random words over parts of the pool, and walks all chains.
#[test]
fn damaged_links_end_a_chain_and_never_lead_round_in_a_circle() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.tewari");
    let identity = tewari::table::TableIdentity {
        game: "a game".to_owned(),
        key_seed: 1,
        policy_state: String::new(),
        network: None,
        game_settings: String::new(),
    };
    let table = Table::create(&path, &identity, Shape::ranked(MOVES), 16 << 10).expect("a file");
    let mut counters = Counters::default();
    let keys: Vec<u64> = (1..30).map(mix).collect();
    for &key in &keys {
        let (_, first) = expand(&table, key, &mut counters);
        complete(&table, &first, key, &mut counters);
    }
    let layout = *table.layout();
    drop(table);
    let sound = std::fs::read(&path).expect("the file");
    let pool = 8 * (layout.words() - 16 * layout.pages);
    let mut rng = PlayoutRng::new(7, 7);
    for round in 0..300 {
        let mut bytes = sound.clone();
        for _ in 0..20 {
            let page = pool + 128 * rng.below(layout.pages);
            let link = match rng.below(4) {
                0 => rng.next_u64() as u32,
                _ => 1 + rng.below(layout.pages) as u32,
            };
            bytes[page + 12..page + 16].copy_from_slice(&link.to_le_bytes());
            if rng.below(4) == 0 {
                bytes[page + 3] = rng.next_u64() as u8;
            }
        }
        std::fs::write(&path, &bytes).expect("written");
        let mut table = Table::open(&path, tewari::table::TableMode::ReadWrite, None).expect("a table");
        for &key in &keys {
            let Some(first) = table.find(key).and_then(|entry| table.page(&entry)) else { continue };
            let chain: Vec<Page<'_>> = table.chain(first).collect();
            assert!(chain.len() <= 64, "round {round}");
            let mut numbers: Vec<u32> = chain.iter().map(|page| page.number()).collect();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), chain.len(), "round {round}: a page is in its chain twice");
            complete(&table, &first, key, &mut counters);
        }
        table.lock_exclusively().expect("nobody else");
        table.repair(&mut |_| {});
        let left = table.scan(&mut |_| {});
        assert_eq!((left.faults, left.orphans, left.unfinished_pages), (0, 0, 0), "round {round}: {left:?}");
    }
}
