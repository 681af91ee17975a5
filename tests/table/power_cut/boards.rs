//! Searches in such files, on boards that an exact solver solves and on larger ones.

use super::pages::{
    Image, Kind, assert_no_torn_page_is_found, choose, folder, identity, open, pages_of, power_cuts,
    put_together, repair, shape, torn_pages,
};
use crate::exact::{Solver, Tables};
use crate::truth::{Truth, Twofold, position, size};
use std::path::Path;
use std::time::Duration;
use tewari::base::game::{Game, Prior};
use tewari::base::rng::PlayoutRng;
use tewari::base::value::Value;
use tewari::go::{Komi, Position, Rules, Size};
use tewari::search::policy::Rave;
use tewari::search::{Limits, Report, Search, SearchParameters};
use tewari::table::{Counters, EDGE_VISITS_FULL, Layout, ProtectedPath, Shape, Table, TableMode};

fn search(table: &Table, root: &Position, simulations: u64, threads: usize, seed: u64) -> Report {
    let parameters = SearchParameters { threads, seed, ..SearchParameters::default() };
    let limits = Limits { simulations: Some(simulations), ..Limits::default() };
    Search::new(table, Rave::default(), parameters).run(root, limits, &mut |_| true)
}

/// Adds visits to the edges of a position until few are missing before they are halved.
fn almost_fill(table: &Table, root: &Position) {
    let mut counters = Counters::default();
    let entry = table.find_or_claim(root.key(), ProtectedPath::default(), &mut counters).expect("an entry");
    let priors: Vec<Option<Prior>> = (0..root.move_count())
        .map(|mv| root.is_legal_ignoring_history(tewari::base::game::Move(mv as u16)).then(Prior::default))
        .collect();
    let page = table.claim_page(&entry, || priors, ProtectedPath::default(), &mut counters).expect("a page");
    for index in (0..root.move_count()).filter(|&index| page.edge(index).is_legal()) {
        table.add_visits(&entry, &page, index, EDGE_VISITS_FULL - 30, Value::DRAW);
        entry.add_visits(EDGE_VISITS_FULL - 30, Value::DRAW);
    }
}

/// Returns the contents of a full table at several moments. `play` is called once for each; if `is_busy`, the contents
/// are read while it runs, else after it.
fn moments(table: &Table, path: &Path, count: u64, is_busy: bool, play: impl Fn(u64) + Sync) -> Vec<Image> {
    let image = || std::fs::read(path).expect("the file");
    let mut images = Vec::new();
    for moment in 0..count {
        if is_busy {
            std::thread::scope(|scope| {
                let playing = scope.spawn(|| play(moment));
                std::thread::sleep(Duration::from_micros(300 * (moment + 1)));
                images.push(image());
                playing.join().expect("no panic");
            });
        } else {
            play(moment);
            images.push(image());
        }
    }
    assert!(table.census().per_mille() > 0);
    images
}

/// Searches random histories and compares the proofs with the exact values.
fn confirm(
    tables: &Tables,
    rules: Rules,
    solver: &mut Solver<'_>,
    table: &Table,
    rng: &mut PlayoutRng,
) -> u64 {
    let mut proven = 0;
    for _ in 0..3 {
        let komi = Komi([0, 1, -1][rng.below(3)]);
        let length = rng.below(12);
        let game = Twofold::random(tables, rules, komi, length, rng);
        let threads = 1 + rng.below(2);
        let report = search(table, &game.position, 60, threads, rng.next_u64());
        proven += u64::from(report.root.proven.is_some());
        assert!(Truth { solver, komi }.confirms(&report, &game.line));
    }
    proven
}

fn cut_and_search_small(columns: usize, rows: usize, kind: Kind, rules: Rules, seed: u64) {
    let tables = Tables::new(columns, rows);
    let board = size(columns, rows);
    let mut solver = Solver::new(&tables, rules);
    let folder = folder();
    let (live, cut) = (folder.path().join("live"), folder.path().join("cut"));
    let (mut proven, mut torn_found, mut bad_pages) = (0, 0, 0);
    let rounds = power_cuts().div_ceil(20);
    for round in 0..rounds {
        let mut rng = PlayoutRng::new(seed, round);
        // A file of 2 to 8 pages, or one with room for all positions.
        let bytes = if round % 3 == 2 { 200_000 } else { 8192 + 4096 * rng.below(7) };
        let table = Table::create(&live, &identity(board), shape(board, kind), bytes).expect("a file");
        almost_fill(&table, &position(board, rules, Komi(0)));
        let play = |moment: u64| {
            let mut rng = PlayoutRng::new(seed ^ round, moment + 77);
            for _ in 0..6 {
                let komi = Komi([0, 1, -1][rng.below(3)]);
                let length = if rng.below(3) == 0 { 0 } else { rng.below(10) };
                let game = Twofold::random(&tables, rules, komi, length, &mut rng);
                search(&table, &game.position, 100, 2, rng.next_u64());
            }
        };
        let is_busy = round % 2 == 1;
        let images = moments(&table, &live, 8, is_busy, play);
        let layout: Layout = *table.layout();
        drop(table);
        std::fs::remove_file(&live).expect("removed");
        for number in 0..20.min(power_cuts()) {
            let chosen = choose(images.len(), pages_of(&images[0]), &mut rng);
            std::fs::write(&cut, put_together(&images, &chosen)).expect("written");
            let is_repaired_first = number % 2 == 0;
            if is_repaired_first {
                bad_pages += repair(&cut).bad_pages;
            }
            let table = if is_repaired_first {
                Table::open(&cut, TableMode::ReadWrite, None).expect("a table")
            } else {
                open(&cut)
            };
            if !is_busy {
                let torn = torn_pages(&images, &chosen, &layout);
                torn_found += torn.len();
                assert_no_torn_page_is_found(&table, &torn);
            }
            proven += confirm(&tables, rules, &mut solver, &table, &mut rng);
            drop(table);
            repair(&cut);
        }
    }
    println!("{columns}x{rows} {rules}: {proven} proofs, {torn_found} torn pages, {bad_pages} dropped");
    assert!(proven > rounds, "{proven} proofs");
    assert_eq!(
        torn_found > 0,
        kind != Kind::Ranked,
        "{torn_found} edge pages lay on memory pages of different moments"
    );
}

#[test]
fn no_false_proof_is_found_on_four_points() {
    cut_and_search_small(4, 1, Kind::WithPolicyState, Rules::CHINESE, 1);
    cut_and_search_small(4, 1, Kind::Ranked, Rules::TROMP_TAYLOR, 2);
}

#[test]
fn no_false_proof_is_found_on_two_by_two() {
    cut_and_search_small(2, 2, Kind::Ranked, Rules::CHINESE, 3);
    cut_and_search_small(2, 2, Kind::WithPolicyState, Rules::TROMP_TAYLOR, 4);
}

#[test]
fn no_false_proof_is_found_on_five_points() {
    cut_and_search_small(5, 1, Kind::WithPolicyState, Rules::CHINESE, 5);
    cut_and_search_small(5, 1, Kind::Ranked, Rules::CHINESE, 6);
}

/// Plays a few moves from a position; each is searched and reported.
fn play_on(table: &Table, root: &Position, rng: &mut PlayoutRng) {
    let mut game = root.clone();
    for _ in 0..4 {
        let report = search(table, &game, 60, 1 + rng.below(2), rng.next_u64());
        for candidate in &report.moves {
            let played = game.clone().try_play(candidate.mv);
            assert!(played.is_ok(), "the illegal move {:?} is reported", candidate.mv);
        }
        let Some(best) = report.moves.first() else { return };
        game.try_play(best.mv).expect("a legal move");
        if game.passes() >= 2 {
            return;
        }
    }
}

/// Returns a size near `bytes` for which some complete pages of a kibibyte cross the boundaries of memory pages.
fn across_pages(shape: Shape, bytes: usize) -> usize {
    let lies_across = |bytes: &usize| {
        let layout = Layout::fit(shape, *bytes).expect("a layout");
        let pool = layout.words() - layout.pages * shape.page_words();
        shape.ranked || !pool.is_multiple_of(shape.page_words())
    };
    (0..).map(|step| bytes + 128 * step).find(lies_across).expect("some size")
}

fn cut_and_search_large(board: Size, kind: Kind, bytes: usize, cuts: u64, seed: u64) {
    let folder = folder();
    let (live, cut) = (folder.path().join("live"), folder.path().join("cut"));
    let mut rng = PlayoutRng::new(seed, 0);
    let root = position(board, Rules::CHINESE, Komi(15));
    let shape = shape(board, kind);
    let table = Table::create(&live, &identity(board), shape, across_pages(shape, bytes)).expect("a file");
    let play = |moment: u64| {
        table.next_search();
        search(&table, &root, 500, 2, moment);
    };
    let images = moments(&table, &live, 8, false, play);
    let layout: Layout = *table.layout();
    drop(table);
    let (mut torn_found, mut kept) = (0, 0);
    for _ in 0..cuts {
        let chosen = choose(images.len(), pages_of(&images[0]), &mut rng);
        std::fs::write(&cut, put_together(&images, &chosen)).expect("written");
        let torn = torn_pages(&images, &chosen, &layout);
        let table = open(&cut);
        assert_no_torn_page_is_found(&table, &torn);
        torn_found += torn.len();
        play_on(&table, &root, &mut rng);
        drop(table);
        kept += repair(&cut).pages;
    }
    let share = kept as f64 / (cuts as f64 * layout.pages as f64);
    println!("{board}: {torn_found} torn pages, {:.0} % of the pages kept", 100.0 * share);
    match kind {
        Kind::Ranked => assert!(torn_found == 0 && share > 0.1, "{torn_found} torn pages, {share} kept"),
        _ => assert!(torn_found > 0, "no edge page lay on memory pages of different moments"),
    }
}

#[test]
fn larger_boards_are_searched_without_an_illegal_move() {
    let cuts = power_cuts() / 2;
    cut_and_search_large(size(9, 9), Kind::Ranked, 64 << 10, cuts, 1);
    cut_and_search_large(size(9, 9), Kind::WithPolicyState, 512 << 10, cuts, 2);
    cut_and_search_large(size(19, 19), Kind::Ranked, 64 << 10, cuts / 3, 3);
    cut_and_search_large(size(19, 19), Kind::Complete, 2 << 20, cuts / 3, 4);
}
