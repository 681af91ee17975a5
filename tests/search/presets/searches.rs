//! Presets in real searches.

use super::policy;
use tewari::base::game::{Game, Outcome};
use tewari::base::memory::MemoryBudget;
use tewari::engine::{Engine, EngineOptions};
use tewari::go::PlayoutPolicy;
use tewari::go::{KeyPolicy, Komi, Rules, Size};
use tewari::play::noughts::TicTacToe;
use tewari::search::policy::{Preset, SelectionPolicy};
use tewari::search::{Limits, Report, Search, SearchParameters};
use tewari::table::{Shape, Table};

fn options(name: &str) -> EngineOptions {
    let policy: Preset = name.parse().expect("a preset");
    let mut options = EngineOptions {
        size: Size::new(5, 5).expect("a board"),
        rules: Rules::CHINESE,
        komi: Komi(1),
        memory: MemoryBudget::Table(4 << 20),
        policy,
        keys: KeyPolicy::Plain,
        playouts: PlayoutPolicy::Light,
        ..EngineOptions::default()
    };
    options.parameters.expand_at = options.default_expand_at();
    options
}

fn simulations(count: u64) -> Limits {
    Limits { simulations: Some(count), ..Limits::default() }
}

fn search(options: EngineOptions, limits: Limits) -> (Report, usize) {
    let mut engine = Engine::new(options).expect("an engine");
    let to_play = engine.position().to_play();
    let report = engine.search(to_play, limits, &mut |_| true).expect("a report");
    let entries = engine.table().census().entries_used;
    (report, entries)
}

#[test]
fn positions_get_their_pages_sooner_where_a_network_is_asked() {
    let expand_at = |name: &str, has_network: bool| {
        let networks = EngineOptions::default().networks.filter(|_| has_network);
        EngineOptions { networks, ..options(name) }.default_expand_at()
    };
    assert_eq!([expand_at("rave", true), expand_at("rave", false)], [2, 8]);
    assert_eq!([expand_at("ucb1", true), expand_at("ucb1", false)], [1, 1], "it asks none");
    assert_eq!(EngineOptions::default().parameters.expand_at, EngineOptions::default().default_expand_at());
}

#[test]
fn every_preset_plays_a_legal_game_and_the_same_one_twice() {
    for name in Preset::names() {
        let game = || {
            let mut engine = Engine::new(options(name)).expect("an engine");
            let mut moves = 0;
            while engine.position().passes() < 2 && moves < 100 {
                let to_play = engine.position().to_play();
                let report = engine.search(to_play, simulations(60), &mut |_| true).expect("a report");
                let mv = engine.chosen_move(&report);
                engine.record_mut().play(to_play, mv).expect("a legal move");
                moves += 1;
            }
            engine.record().moves().to_vec()
        };
        assert_eq!(game(), game(), "{name}");
    }
}

#[test]
fn every_preset_with_a_tree_proves_that_tic_tac_toe_is_a_draw() {
    for name in Preset::names().filter(|name| *name != "flat") {
        let policy = policy(name);
        let table = Table::new(Shape { policy_state: policy.uses_state(), ..Shape::complete(9) }, 8 << 20)
            .expect("a table");
        let parameters = SearchParameters { expand_at: 1, ..SearchParameters::default() };
        let report =
            Search::new(&table, policy, parameters)
                .run(&TicTacToe::new(), simulations(200_000), &mut |_| true);
        assert_eq!(report.root.proven, Some(Outcome::Draw), "{name}: {} simulations", report.simulations);
    }
}

#[test]
fn lazarus_answers_when_the_best_is_the_most_sampled_or_after_twice_its_budget() {
    let mut settled = 0;
    for seed in 0..20 {
        let mut options = options("lazarus");
        options.parameters.seed = seed;
        let (report, _) = search(options, simulations(200));
        assert!((200..=400).contains(&report.simulations), "{}", report.simulations);
        settled += u32::from(report.simulations < 400);
    }
    assert!(settled > 0, "no search was ever settled");
    // A limit of visits counts those of the root.
    let (report, _) = search(options("lazarus"), Limits { visits: Some(200), ..Limits::default() });
    assert!((200..=400).contains(&report.root.visits), "{}", report.root.visits);
    // Other policies run to their limit.
    let (report, _) = search(options("ucb1"), simulations(200));
    assert_eq!(report.simulations, 200);
}

#[test]
fn flat_search_samples_every_move_alike_and_looks_no_deeper() {
    let (report, entries) = search(options("flat"), simulations(260));
    // 25 points and a pass.
    assert!(report.moves.iter().all(|mv| mv.edge_visits == 10), "{:?}", report.moves);
    assert_eq!(entries, 27);
    let best = report.moves.iter().map(|mv| mv.value).max();
    assert_eq!(report.best().map(|mv| mv.value), best);
}

#[test]
fn ucb_improved_does_not_wait_for_a_move_that_superko_bans() {
    let mut engine = Engine::new(options("ucb-improved:horizon=6000")).expect("an engine");
    let size = engine.position().size();
    let mut player = engine.position().to_play();
    // White has captured C2 from B2: Black's recapture there would repeat a position.
    for vertex in ["A2", "C1", "B1", "C3", "B3", "D2", "C2", "B2", "pass", "pass"] {
        let mv = size.parse_vertex(vertex).expect("a vertex");
        engine.record_mut().play(player, mv).expect("a legal move");
        player = player.other();
    }
    let report = engine.search(player, simulations(6_000), &mut |_| true).expect("a report");
    let most = report.moves.iter().map(|it| it.edge_visits).max();
    assert!(most < Some(2_000), "one move had {most:?} of 6,000: rounds never ended");
}

#[test]
fn ucb_improved_eliminates_at_the_root_of_a_real_search() {
    // T = 100: rounds of 10, 26 and 59 samples a move, 1,534 for all 26; the remaining moves share the remaining
    // simulations.
    let (report, _) = search(options("ucb-improved:horizon=100"), simulations(3_000));
    let visits: Vec<u64> =
        report.moves.iter().filter(|mv| mv.proven.is_none()).map(|mv| mv.edge_visits).collect();
    let (least, most) = (visits.iter().min().unwrap(), visits.iter().max().unwrap());
    assert!((10..=59).contains(least) && *most > 500, "{visits:?}");
    // T = 300: not even the first round of 12 samples ends. A pass on the empty board is a proven loss.
    let (report, _) = search(options("ucb-improved"), simulations(300));
    let undecided = report.moves.iter().filter(|mv| mv.proven.is_none());
    assert!(
        undecided.clone().count() >= 25 && undecided.clone().all(|mv| (11..=12).contains(&mv.edge_visits)),
        "{:?}",
        report.moves
    );
}

#[test]
fn without_transpositions_the_table_holds_a_tree() {
    let (shared, _) = search(options("ucb1"), simulations(5_000));
    let (alone, _) = search(EngineOptions { keys: KeyPolicy::Path, ..options("ucb1") }, simulations(5_000));
    assert!(shared.counters.transpositions > 100, "{:?}", shared.counters);
    assert_eq!(alone.counters.transpositions, 0);
    // In a tree the visits of a move are those of the position after it.
    assert!(
        alone.moves.iter().all(|mv| mv.visits == mv.edge_visits || mv.proven.is_some()),
        "{:?}",
        alone.moves
    );
    // After undo, or when play continues, the same subtree is found again.
    let mut engine =
        Engine::new(EngineOptions { keys: KeyPolicy::Path, ..options("ucb1") }).expect("an engine");
    let to_play = engine.position().to_play();
    let report = engine.search(to_play, simulations(2_000), &mut |_| true).expect("a report");
    let best = report.best().expect("a move").clone();
    engine.record_mut().play(to_play, best.mv).expect("legal");
    let next = engine.search(to_play.other(), simulations(1), &mut |_| true).expect("a report");
    assert!(next.root.visits >= best.edge_visits, "{} of {}", next.root.visits, best.edge_visits);
}
