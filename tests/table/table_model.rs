//! The table agrees with a `HashMap` while nothing is evicted, and evicts the entry that it should.

use proptest::prelude::*;
use std::collections::HashMap;
use tewari::base::game::{Bounds, Prior};
use tewari::base::value::{Estimate, Value};
use tewari::base::zobrist::mix;
use tewari::table::{
    AMAF_VISITS_LIMIT, Amaf, Counters, Entry, LeafPlayouts, ProtectedPath, Shape, TOTAL_VISITS_FULL, Table,
    TableError, VisitsAndValue, amaf_sample,
};

const MOVES: usize = 9;
const SHAPE: Shape = Shape { policy_state: true, ..Shape::complete(MOVES) };
const RANGE: Bounds = Bounds { lower: -361, upper: 361 };
const NOBODY: ProtectedPath<'static> = ProtectedPath { keys: &[] };

fn table(bytes: usize) -> Table {
    Table::new(SHAPE, bytes).expect("a table")
}

fn smallest(shape: Shape) -> usize {
    match Table::new(shape, 0) {
        Err(TableError::TooSmall { given: 0, smallest }) => smallest,
        _ => panic!("no table fits into nothing"),
    }
}

fn claim<'t>(table: &'t Table, key: u64) -> Entry<'t> {
    table.find_or_claim(key, NOBODY, &mut Counters::default()).expect("an entry")
}

#[test]
fn a_position_whose_bucket_is_full_goes_to_the_overflow() {
    let table = table(64 << 10);
    let mut counters = Counters::default();
    // One bucket, chosen by the high bits, and its overflow bucket, chosen by the low half.
    let keys: Vec<u64> = (0..9).map(|number| 77 << 56 | number).collect();
    for &key in &keys[..8] {
        table.find_or_claim(key, NOBODY, &mut counters).expect("an entry").add_visit(Value::WIN);
    }
    assert_eq!((counters.evictions, counters.misses), (0, 8));
    assert!(keys[..8].iter().all(|&key| table.find(key).is_some_and(|entry| entry.total().visits == 1)));
    assert!(table.find(keys[8]).is_none());
    // The ninth replaces one of the eight; the seventh has the least value.
    for &key in keys[..8].iter().filter(|&&key| key != keys[6]) {
        claim(&table, key).add_visit(Value::WIN);
    }
    table.find_or_claim(keys[8], NOBODY, &mut counters).expect("an entry");
    assert_eq!(counters.evictions, 1);
    let found: Vec<bool> = keys.iter().map(|&key| table.find(key).is_some()).collect();
    assert_eq!(found, [true, true, true, true, true, true, false, true, true]);
    let survey = table.scan(&mut |_| {});
    assert_eq!((survey.entries, survey.faults), (8, 0));
}

/// The model's data of a position.
#[derive(Clone, Debug, Default)]
struct Known {
    leaf_playouts: LeafPlayouts,
    total: Option<VisitsAndValue>,
    bounds: Option<Bounds>,
    twin: bool,
    edges: Option<[KnownEdge; MOVES]>,
}

#[derive(Clone, Copy, Debug, Default)]
struct KnownEdge {
    prior: Option<Prior>,
    visits: u32,
    value: Option<Value>,
    amaf: Amaf,
}

#[derive(Clone, Debug)]
enum Action {
    Claim,
    AddLeafPlayout(u32),
    SetTotal(u32, u32),
    AddVisit(u32),
    Seed(u32, u32),
    Tighten(i16, i16),
    MarkTwin,
    ClaimPage([Option<(u8, u8)>; MOVES]),
    VisitEdge(usize, u32),
    AddAmaf([Option<u32>; MOVES]),
    NextGeneration,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Claim),
        (0_u32..=2).prop_map(Action::AddLeafPlayout),
        (0..TOTAL_VISITS_FULL - 1000, any::<u32>())
            .prop_map(|(visits, value)| Action::SetTotal(visits, value)),
        any::<u32>().prop_map(Action::AddVisit),
        (0_u32..1000, any::<u32>()).prop_map(|(visits, value)| Action::Seed(visits, value)),
        (0_i16..=361, 0_i16..=361).prop_map(|(below, above)| Action::Tighten(below, above)),
        Just(Action::MarkTwin),
        prop::array::uniform9(prop::option::of((0_u8..255, 0_u8..255))).prop_map(Action::ClaimPage),
        (0..MOVES, any::<u32>()).prop_map(|(index, value)| Action::VisitEdge(index, value)),
        prop::array::uniform9(prop::option::of(0_u32..=2)).prop_map(Action::AddAmaf),
        Just(Action::NextGeneration),
    ]
}

/// Returns difficult keys: the reserved ones, neighbours, and keys that differ only in the highest or the lowest bits.
fn key() -> impl Strategy<Value = u64> {
    prop_oneof![
        0_u64..3,
        Just(u64::MAX),
        (0_u64..4).prop_map(|low| 0xdead_beef_0000_0000 | low),
        (1_u64..16).prop_map(|high| high << 60 | 0x1234_5678),
    ]
}

/// Returns the true score of a key, so that bounds never contradict each other.
fn truth(key: u64) -> i16 {
    (key % 21) as i16 - 10
}

fn act(table: &Table, key: u64, action: &Action, known: &mut Known, counters: &mut Counters) {
    let entry = table.find_or_claim(key, NOBODY, counters).expect("an entry");
    match *action {
        Action::Claim => {}
        Action::AddLeafPlayout(half_points) => {
            let leaf_playouts = entry.add_leaf_playout(half_points);
            known.leaf_playouts.visits += 1;
            known.leaf_playouts.half_points += half_points;
            assert_eq!(leaf_playouts, known.leaf_playouts);
        }
        Action::SetTotal(visits, value) => {
            let total = VisitsAndValue { visits, value: Value(value) };
            entry.set_total(total);
            known.total = Some(total);
        }
        Action::AddVisit(value) => {
            let visits = known.total.map_or(0, |total| total.visits);
            entry.add_visit(Value(value));
            known.total = Some(VisitsAndValue { visits: visits.saturating_add(1), value: Value(value) });
        }
        Action::Seed(visits, value) => {
            let leaf_playouts = LeafPlayouts::with_mean(visits, Value(value));
            let total = VisitsAndValue { visits, value: Value(value) };
            entry.seed(leaf_playouts, total);
            (known.leaf_playouts, known.total) = (leaf_playouts, Some(total));
        }
        Action::Tighten(below, above) => {
            let bounds = Bounds { lower: truth(key) - below, upper: truth(key) + above };
            entry.tighten_bounds(bounds);
            known.bounds = Some(known.bounds.unwrap_or(RANGE).intersect(bounds));
        }
        Action::MarkTwin => {
            entry.mark_twin();
            known.twin = true;
        }
        Action::ClaimPage(priors) => {
            if known.edges.is_none() {
                let priors =
                    priors.map(|prior| prior.map(|(a, b)| Prior { visits: a.max(b), wins: a.min(b) }));
                assert!(table.claim_page(&entry, || &priors, NOBODY, counters).is_some());
                known.edges = Some(priors.map(|prior| KnownEdge { prior, ..KnownEdge::default() }));
            }
        }
        Action::VisitEdge(index, value) => {
            if let (Some(page), Some(edges)) = (table.page(&entry), &mut known.edges) {
                edges[index].visits += 1;
                edges[index].value = Some(Value(value));
                assert_eq!(table.visit_edge(&entry, &page, index, Value(value)), edges[index].visits);
                page.mark_used(edges[index].visits, table.generation());
                page.policy_state()
                    .get(index)
                    .expect("in the shape")
                    .store(u64::from(value), std::sync::atomic::Ordering::Relaxed);
            }
        }
        Action::AddAmaf(results) => {
            if let (Some(page), Some(edges)) = (table.page(&entry), &mut known.edges) {
                let mut samples = [0; MOVES.div_ceil(2)];
                for (index, result) in results.into_iter().enumerate() {
                    if let Some(half_points) = result {
                        samples[index / 2] |= amaf_sample(half_points) << (32 * (index % 2));
                        edges[index].amaf.visits += 1;
                        edges[index].amaf.half_points += half_points;
                    }
                }
                page.add_amaf(&samples);
            }
        }
        Action::NextGeneration => table.next_search(),
    }
}

fn compare(table: &Table, key: u64, known: &Known) {
    let entry = table.find(key).expect("an entry");
    assert!(entry.is_current());
    assert_eq!(entry.leaf_playouts(), known.leaf_playouts);
    match known.total {
        Some(total) => assert_eq!(entry.total(), total),
        None => assert_eq!(entry.total().visits, 0),
    }
    assert_eq!(entry.bounds(RANGE), known.bounds.unwrap_or(RANGE).intersect(RANGE));
    assert_eq!(entry.has_twin(), known.twin);
    let page = table.page(&entry);
    assert_eq!(page.is_some(), known.edges.is_some());
    let (Some(page), Some(edges)) = (page, known.edges) else { return };
    assert!(page.is_current());
    for ((index, known), pair) in edges.iter().enumerate().zip(0..) {
        let edge = page.edge(index);
        assert_eq!(edge.is_legal(), known.prior.is_some());
        assert_eq!((edge.visits(), page.amaf(index)), (known.visits, known.amaf));
        assert_eq!(page.amaf_pairs().nth(pair / 2).expect("a pair")[index % 2], known.amaf);
        if let Some(prior) = known.prior {
            assert_eq!(edge.prior(), prior);
        }
        let word = page.policy_state()[index].load(std::sync::atomic::Ordering::Relaxed);
        if let Some(value) = known.value {
            // Twenty bits of the value are stored.
            assert!(edge.value().0.abs_diff(value.0) < 1 << 12);
            assert_eq!(word, u64::from(value.0));
        } else {
            assert_eq!(word, 0);
        }
    }
}

proptest! {
    #[test]
    fn a_table_with_room_is_a_map(actions in prop::collection::vec((key(), action()), 1..400)) {
        let table = table(1 << 20);
        let mut model: HashMap<u64, Known> = HashMap::new();
        let mut counters = Counters::default();
        for (key, action) in &actions {
            act(&table, *key, action, model.entry(*key).or_default(), &mut counters);
        }
        prop_assert_eq!((counters.evictions, counters.page_evictions, counters.refused), (0, 0, 0));
        prop_assert_eq!(counters.misses, model.len() as u64);
        prop_assert_eq!(counters.hits, (actions.len() - model.len()) as u64);
        for (&key, known) in &model {
            compare(&table, key, known);
        }
        for stranger in [3 << 32, 0x1234_5679, 0xdead_beef_0000_0004] {
            prop_assert!(table.find(stranger).is_none());
        }
        let census = table.census();
        let pages = model.values().filter(|known| known.edges.is_some()).count();
        prop_assert_eq!((census.entries_used, census.pages_used), (model.len(), pages));
        prop_assert_eq!(census.bytes_used, 32 * model.len() + 8 * SHAPE.page_words() * pages);
        prop_assert_eq!(census.bytes, table.layout().bytes());
        prop_assert!(census.occupancy() > 0.0 && census.occupancy() < 1.0);
    }

    #[test]
    fn a_new_key_takes_the_least_valuable_entry_that_is_not_protected(
        visits in prop::array::uniform4(0_u32..100),
        keep in prop::array::uniform4(any::<bool>()),
        // Above the reserved keys, which the table stores as other keys.
        low in 128_u64..1 << 20,
    ) {
        // One bucket holds all keys.
        let table = table(smallest(SHAPE));
        let entries = [1, 2, 3, 4].map(|number| number * low);
        for (key, visits) in entries.into_iter().zip(visits) {
            claim(&table, key).set_total(VisitsAndValue { visits, value: Value::DRAW });
        }
        let kept: Vec<u64> = (0..4).filter(|&i| keep[i]).map(|i| entries[i]).collect();
        let mut counters = Counters::default();
        let newcomer = 5 * low;
        let claimed = table.find_or_claim(newcomer, ProtectedPath { keys: &kept }, &mut counters);
        prop_assert!(kept.iter().all(|&key| table.find(key).is_some()));
        let least = (0..4).filter(|&i| !keep[i]).min_by_key(|&i| visits[i]);
        match (claimed, least) {
            (None, None) => prop_assert_eq!((counters.refused, counters.evictions), (1, 0)),
            (Some(entry), Some(least)) => {
                prop_assert_eq!((counters.refused, counters.evictions), (0, 1));
                prop_assert_eq!(entry.key(), newcomer);
                prop_assert_eq!((entry.total().visits, entry.leaf_playouts(), entry.bounds(RANGE)), (0, LeafPlayouts::default(), RANGE));
                prop_assert!(table.find(entries[least]).is_none());
                let left = (0..4).filter(|&i| table.find(entries[i]).is_some()).count();
                prop_assert_eq!(left, 3);
            }
            (claimed, _) => prop_assert!(false, "claimed: {}", claimed.is_some()),
        }
    }

    #[test]
    fn a_protected_page_stays_and_an_unprotected_one_goes(
        pages in 2_usize..12,
        protect in prop::array::uniform12(any::<bool>()),
        visits in prop::array::uniform12(1_u32..1000),
    ) {
        let shape = Shape::complete(20);
        let table = (0..).map(|more| Table::new(shape, smallest(shape) + 8 * more).expect("a table"));
        let table = table.into_iter().find(|table| table.layout().pages == pages).expect("a size");
        let priors = [Some(Prior::default()); 20];
        let mut counters = Counters::default();
        let keys: Vec<u64> = (0..pages as u64).map(|i| (i << 58) + 1077).collect();
        for (&key, visits) in keys.iter().zip(visits) {
            let entry = table.find_or_claim(key, NOBODY, &mut counters).expect("an entry");
            entry.set_total(VisitsAndValue { visits, value: Value::DRAW });
            table.claim_page(&entry, || &priors, NOBODY, &mut counters).expect("a page");
        }
        prop_assume!(counters.evictions == 0);
        prop_assert_eq!(counters.page_evictions, 0);
        let kept: Vec<u64> = (0..pages).filter(|&i| protect[i]).map(|i| keys[i]).collect();
        let newcomer = table.find_or_claim(u64::MAX, ProtectedPath { keys: &keys }, &mut counters);
        let protected = ProtectedPath { keys: &kept };
        prop_assume!(newcomer.is_some());
        let newcomer = newcomer.expect("an entry");
        let claimed = table.claim_page(&newcomer, || &priors, protected, &mut counters);
        let has_page = |key: u64| table.find(key).is_some_and(|entry| table.page(&entry).is_some());
        for i in 0..pages {
            prop_assert!(!protect[i] || has_page(keys[i]));
        }
        if kept.len() == pages {
            prop_assert!(claimed.is_none() && counters.refused == 1);
        } else if pages <= 8 {
            // The clock hand passes all of them.
            prop_assert!(claimed.is_some() && counters.page_evictions == 1);
            let least = (0..pages).filter(|&i| !protect[i]).map(|i| visits[i]).min().expect("one");
            let gone: Vec<usize> = (0..pages).filter(|&i| !has_page(keys[i])).collect();
            prop_assert_eq!((gone.len(), visits[gone[0]]), (1, least));
        }
    }
}

#[test]
fn keys_of_one_bucket_are_told_apart_by_all_their_bits() {
    let table = table(1 << 20);
    // The highest bits choose the bucket, so these keys share it; each differs from the first in one bit.
    let keys =
        [0x7777_7777_7777_7777_u64, 0x7777_7777_7777_7776, 0x7777_7777_7767_7777, 0x7777_7767_7777_7777];
    for (number, key) in keys.into_iter().enumerate() {
        let entry = claim(&table, key);
        entry.set_total(VisitsAndValue { visits: number as u32 + 1, value: Value(number as u32) });
        entry.tighten_bounds(Bounds::exact(number as i16));
        table.claim_page(&entry, || [None; MOVES], NOBODY, &mut Counters::default()).expect("a page");
    }
    for (number, key) in keys.into_iter().enumerate() {
        let entry = table.find(key).expect("an entry");
        assert_eq!(entry.total(), VisitsAndValue { visits: number as u32 + 1, value: Value(number as u32) });
        assert_eq!(entry.bounds(RANGE), Bounds::exact(number as i16));
        assert!(table.page(&entry).is_some());
    }
    for bit in 0..48 {
        let stranger = keys[0] ^ 1 << bit;
        assert_eq!(table.find(stranger).is_some(), keys.contains(&stranger), "bit {bit}");
    }
    // Four more fill the overflow; the next one replaces the first, and does not inherit its proof and its page.
    for bit in 1..5 {
        claim(&table, keys[0] ^ 1 << bit).set_total(VisitsAndValue { visits: 9, value: Value::WIN });
    }
    assert!(table.find(keys[0]).is_some());
    let next = claim(&table, keys[0] ^ 1 << 5);
    assert!(table.find(keys[0]).is_none());
    assert_eq!(next.bounds(RANGE), RANGE);
    assert!(table.page(&next).is_none() && !next.has_twin());
}

#[test]
fn the_handle_of_an_evicted_entry_writes_nothing() {
    let table = table(smallest(SHAPE));
    let mut counters = Counters::default();
    let old = claim(&table, 10);
    let page = table.claim_page(&old, || [None; MOVES], NOBODY, &mut counters).expect("a page");
    (11..14).for_each(|key| claim(&table, key).set_total(VisitsAndValue { visits: 9, value: Value::WIN }));
    let new = claim(&table, 14);
    assert!(!old.is_current() && table.find(10).is_none());
    let before = (new.total(), new.leaf_playouts(), new.bounds(RANGE), new.has_twin());
    old.set_total(VisitsAndValue { visits: 5, value: Value::WIN });
    old.add_visit(Value::WIN);
    old.add_leaf_playout(2);
    old.seed(LeafPlayouts { visits: 3, half_points: 3 }, VisitsAndValue { visits: 3, value: Value::DRAW });
    old.mark_twin();
    old.tighten_bounds(Bounds::exact(7));
    assert_eq!(before, (new.total(), new.leaf_playouts(), new.bounds(RANGE), new.has_twin()));
    assert_eq!(old.bounds(RANGE), RANGE);
    // Its page was freed with it.
    assert!(!page.is_current());
    assert_eq!(table.census().pages_used, 0);
    let other = table.claim_page(&new, || [None; MOVES], NOBODY, &mut counters).expect("a page");
    table.claim_page(&claim(&table, 13), || [None; MOVES], NOBODY, &mut counters).expect("a page");
    assert!(other.is_current());
    assert_eq!((counters.page_evictions, table.census().pages_used), (0, 2));
}

#[test]
fn a_position_that_lost_its_page_keeps_what_the_edges_knew_as_their_mean() {
    let table = table(smallest(SHAPE));
    let mut counters = Counters::default();
    let entry = claim(&table, 10);
    table.claim_page(&entry, || [None; MOVES], NOBODY, &mut counters).expect("a page");
    assert!(!table.replace_lost_page(&entry, &mut counters));
    entry.set_total(VisitsAndValue { visits: 200, value: Value(u32::MAX / 4) });
    for key in [11, 12] {
        table.claim_page(&claim(&table, key), || [None; MOVES], NOBODY, &mut counters).expect("a page");
    }
    assert!(table.page(&entry).is_none());
    assert!(table.replace_lost_page(&entry, &mut counters));
    // Few playouts are kept, so that later ones count; the estimate is removed with its share in the mean of all
    // visits.
    assert_eq!((entry.leaf_playouts().visits, entry.total().visits, counters.lost_pages), (16, 200, 1));
    assert!((entry.leaf_playouts().mean().as_f64() - 0.25).abs() < 0.01);
    entry.remove_from_leaf_playouts(Estimate { value: Value::WIN, weight: 10 });
    assert!((entry.leaf_playouts().mean().as_f64() - 0.2125).abs() < 0.02, "{:?}", entry.leaf_playouts());
    assert!(!table.replace_lost_page(&entry, &mut counters));
}

#[test]
fn a_lost_page_may_come_back_to_its_position() {
    let table = table(smallest(SHAPE));
    let mut counters = Counters::default();
    let [first, second, other] = [10, 11, 12].map(|key| claim(&table, key));
    let lost = table.claim_page(&first, || [None; MOVES], NOBODY, &mut counters).expect("a page").number();
    table.claim_page(&second, || [None; MOVES], NOBODY, &mut counters).expect("a page");
    let protected = ProtectedPath { keys: &[11] };
    let taken = table.claim_page(&other, || [None; MOVES], protected, &mut counters).expect("a page");
    assert!(taken.number() == lost && table.page(&first).is_none());
    let page = table.claim_page(&first, || [None; MOVES], protected, &mut counters).expect("a page");
    assert_eq!((page.number(), counters.page_evictions), (lost, 2));
    assert!(page.is_current() && table.page(&first).is_some_and(|found| found.is_same(&page)));
    assert_eq!(table.scan(&mut |_| {}).orphans, 0);
}

#[test]
fn what_is_not_used_loses_to_what_is() {
    let table = table(smallest(SHAPE));
    for key in 10..14 {
        claim(&table, key).set_total(VisitsAndValue { visits: 1000, value: Value::DRAW });
    }
    for _ in 0..6 {
        table.next_search();
        for key in [10, 11, 13] {
            claim(&table, key);
        }
    }
    // Fewer than 1000 visits, but recent ones.
    for key in [10, 11, 13] {
        claim(&table, key).set_total(VisitsAndValue { visits: 1, value: Value::DRAW });
    }
    claim(&table, 14);
    assert!(table.find(12).is_none());
    assert!([10, 11, 13, 14].iter().all(|&key| table.find(key).is_some()));
}

#[test]
fn generations_count_like_a_clock() {
    let table = table(smallest(SHAPE));
    assert_eq!(table.generation(), 0);
    for n in 1..=200 {
        table.next_search();
        assert_eq!(table.generation(), n % 64);
    }
}

#[test]
fn an_emptied_table_is_as_new() {
    let mut table = table(1 << 16);
    for key in 0..5000_u64 {
        let entry = claim(&table, mix(key));
        entry.add_leaf_playout(2);
        entry.tighten_bounds(Bounds::exact(1));
        table.claim_page(&entry, || [None; MOVES], NOBODY, &mut Counters::default());
    }
    let full = table.census();
    assert_eq!(full.entries_used, full.entries);
    // The page of a position that lost its entry is free until it is claimed.
    assert!(full.pages_used * 10 >= full.pages * 9 && full.pages_used <= full.pages, "{full:?}");
    assert!(full.occupancy() > 0.9 && full.occupancy() <= 1.0);
    table.next_search();
    table.clear();
    let empty = table.census();
    assert_eq!((empty.entries_used, empty.pages_used, empty.bytes_used), (0, 0, 0));
    assert_eq!(table.generation(), 0);
    assert!((0..5000_u64).all(|key| table.find(mix(key)).is_none()));
}

#[test]
fn every_size_from_the_smallest_up_works() {
    for moves in [1, 2, 10, 82, 362] {
        let shape = Shape::complete(moves);
        let smallest = smallest(shape);
        for bytes in 0..smallest {
            assert!(matches!(
                Table::new(shape, bytes),
                Err(TableError::TooSmall { given, smallest: least }) if given == bytes && least == smallest
            ));
        }
        for bytes in (smallest..smallest + 3000).step_by(7) {
            let table = Table::new(shape, bytes).expect("a table");
            assert!(table.layout().bytes() <= bytes);
            let mut counters = Counters::default();
            for key in 0..40_u64 {
                let key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let entry = table.find_or_claim(key, NOBODY, &mut counters).expect("an entry");
                let page = table.claim_page(&entry, || vec![None; moves], NOBODY, &mut counters);
                assert_eq!(page.expect("a page").edges().count(), moves);
            }
        }
    }
    for bytes in [1 << 60, usize::MAX] {
        assert!(matches!(Table::new(SHAPE, bytes), Err(TableError::OutOfMemory { .. })));
    }
}

#[test]
fn leaf_playouts_saturate_with_their_mean_unharmed() {
    let table = table(smallest(SHAPE));
    let entry = claim(&table, 10);
    let mut most = 0;
    for n in 0..200_000_u32 {
        // Three of four playouts are won.
        let leaf_playouts = entry.add_leaf_playout(if n % 4 == 0 { 0 } else { 2 });
        assert!(leaf_playouts.half_points <= 2 * leaf_playouts.visits);
        most = most.max(leaf_playouts.visits);
        if n > 1000 {
            assert!((leaf_playouts.mean().as_f64() - 0.75).abs() < 0.01);
        }
    }
    assert_eq!(most, 8_191);
    let entry = claim(&table, 11);
    for _ in 0..100_000 {
        let leaf_playouts = entry.add_leaf_playout(2);
        assert_eq!(leaf_playouts.mean(), Value::WIN);
    }
    assert!(!entry.has_twin() && table.page(&entry).is_none() && entry.is_current());
}

#[test]
fn visits_saturate() {
    let table = table(smallest(SHAPE));
    let entry = claim(&table, 10);
    entry.set_total(VisitsAndValue { visits: u32::MAX - 2, value: Value::LOSS });
    for _ in 0..5 {
        entry.add_visit(Value(123));
    }
    assert_eq!(entry.total(), VisitsAndValue { visits: u32::MAX, value: Value(123) });
}

#[test]
fn amaf_samples_saturate_with_their_neighbours_unharmed() {
    let prior = Prior { visits: 254, wins: 254 };
    let table = table(smallest(SHAPE));
    let entry = claim(&table, 10);
    let priors = [Some(prior); MOVES];
    let page = table.claim_page(&entry, || &priors, NOBODY, &mut Counters::default()).expect("a page");
    for n in 1..=3 * AMAF_VISITS_LIMIT {
        // Move 0 always wins, move 1 is never sampled, move 2 draws, move 3 loses.
        page.add_amaf(&[amaf_sample(2), amaf_sample(1) | amaf_sample(0) << 32]);
        for (index, half_points) in [(0, 2), (2, 1), (3, 0)] {
            let amaf = page.amaf(index);
            assert_eq!(amaf.half_points, half_points * amaf.visits, "sample {n}");
            assert!(amaf.visits > 0 && amaf.visits <= AMAF_VISITS_LIMIT);
        }
        assert_eq!(page.amaf(1), Amaf::default());
    }
    assert!(page.edges().all(|edge| edge.visits() == 0 && edge.prior() == prior));
}
