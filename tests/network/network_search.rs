//! A network in the search: it is asked once a page, its estimate counts once and is not a visit, and the evaluations
//! of two networks never share a table.

use crate::network::random;

use crate::common::program;
use random::{Shape, random_weights};
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tempfile::TempDir;
use tewari::base::game::{Game, Move, Player};
use tewari::base::memory::MemoryBudget;
use tewari::base::value::{Estimate, Value};
use tewari::engine::{Engine, EngineOptions};
use tewari::go::{Komi, Position, Rules, Size, Symmetry};
use tewari::network::{Evaluator, InputPosition, Network, Networks};
use tewari::play::noughts::TicTacToe;
use tewari::search::policy::Rave;
use tewari::search::{Limits, PositionEvaluator, Report, Search, SearchParameters};
use tewari::table::{PageEvaluation, ScoreMean, Shape as TableShape, Table};

const SIMULATIONS: u64 = 2_000;

fn network(seed: u64) -> Network {
    Network::load(&random_weights(Shape { channels: 32, blocks: 2, pooled: 1 }, seed)).expect("a network")
}

fn limits() -> Limits {
    Limits { simulations: Some(SIMULATIONS), ..Limits::default() }
}

/// Searches the empty board of tic-tac-toe with an evaluator that always returns `estimate`; returns the report and the
/// number of evaluations.
fn search_with(estimate: Estimate, table: &Table, parameters: SearchParameters) -> (Report, u64) {
    let asked = AtomicU64::new(0);
    let new_evaluator = || -> PositionEvaluator<'_, TicTacToe> {
        Box::new(|game, priors, _| {
            asked.fetch_add(1, Relaxed);
            game.expand(priors);
            Some(PageEvaluation { estimate: Some(estimate), score: Some(ScoreMean::of_sample(1.0, 1.0)) })
        })
    };
    let search = Search::new(table, Rave::default(), parameters);
    let report = search.run_with_evaluators(&TicTacToe::default(), &new_evaluator, limits(), &mut |_| true);
    (report, asked.into_inner())
}

fn table(bytes: usize) -> Table {
    Table::new(TableShape::complete(9), bytes).expect("a table")
}

#[test]
fn an_expert_is_asked_once_for_each_page_and_its_estimates_are_no_visits() {
    let table = table(1 << 20);
    let estimate = Estimate { value: Value::DRAW, weight: 200 };
    let (report, asked) = search_with(estimate, &table, SearchParameters::default());
    assert_eq!(asked, table.census().pages_used as u64);
    assert_eq!(report.root.visits, report.simulations);
    let edges: u64 = report.moves.iter().map(|it| it.edge_visits).sum();
    assert!(edges <= report.simulations, "{edges} visits in {} simulations", report.simulations);
}

#[test]
fn an_estimate_draws_the_value_of_the_root_towards_it_by_its_weight() {
    let value_with = |weight| {
        let estimate = Estimate { value: Value::WIN, weight };
        // Without pages below the root, only the root has an estimate.
        let parameters = SearchParameters { expand_at: 10_000, ..SearchParameters::default() };
        search_with(estimate, &table(1 << 20), parameters).0.root.value
    };
    // With n visits and an estimate of a win of weight w, the root's distance to a win is n / (n + w) times that of the
    // visits. The smallest w is 1: without an estimate, moves are selected differently. The value of the root depends
    // on w, its children do not.
    let lacking = |weight| 1.0 - value_with(weight).as_f64();
    let (with_1, with_250) = (lacking(1), lacking(250));
    let visits = (250.0 * with_250 - with_1) / (with_1 - with_250);
    let simulations = SIMULATIONS as f64;
    assert!(visits > 0.8 * simulations && visits < 1.2 * simulations, "{visits} of {SIMULATIONS}");
    let expected = with_1 * (visits + 1.0) / (visits + 100.0);
    assert!((lacking(100) - expected).abs() < 1e-5, "{} {expected}", lacking(100));
}

#[test]
fn pages_that_are_lost_and_made_again_do_not_count_an_estimate_twice() {
    // Three pages hold a whole game tree, so positions lose theirs all the time. If each new page added another
    // estimate to the mean, the root's value would drift towards it.
    let small = table(16 << 10);
    let parameters = SearchParameters { expand_at: 1, ..SearchParameters::default() };
    let estimate = Estimate { value: Value::WIN, weight: 50 };
    let (report, asked) = search_with(estimate, &small, parameters);
    let pages = small.layout().pages as u64;
    assert!(asked > 2 * pages, "{asked} pages were made in a pool of {pages}");
    let (ample, _) = search_with(estimate, &table(4 << 20), parameters);
    let difference = (report.root.value.as_f64() - ample.root.value.as_f64()).abs();
    assert!(difference < 0.1, "{:?} {:?}", report.root.value, ample.root.value);
}

fn engine(network: Option<Arc<Network>>, value: u8) -> Engine {
    let mut options = EngineOptions {
        size: Size::new(7, 5).expect("a board"),
        komi: Komi(1),
        memory: MemoryBudget::Table(1 << 20),
        networks: network.map(Networks::Given),
        value_weight: value,
        ..EngineOptions::default()
    };
    options.parameters.seed = 3;
    Engine::new(options).expect("an engine")
}

#[test]
fn the_same_network_and_seed_give_the_same_search_and_another_network_another() {
    let visits = |seed| {
        let report = engine(Some(Arc::new(network(seed))), 8)
            .search(Player::Black, limits(), &mut |_| true)
            .expect("a report");
        report.moves.iter().map(|it| (it.mv, it.edge_visits)).collect::<Vec<(Move, u64)>>()
    };
    assert_eq!(visits(1), visits(1));
    assert_ne!(visits(1), visits(2));
}

#[test]
fn priors_in_reports_are_the_policy() {
    let network = Arc::new(network(4));
    let mut engine = engine(Some(Arc::clone(&network)), 8);
    let report = engine.search(Player::Black, limits(), &mut |_| true).expect("a report");
    let policy = tewari::engine::evaluation::evaluate(&network, engine.position()).policy;
    assert!((policy.iter().sum::<f64>() - 1.0).abs() < 1e-9 && !report.moves.is_empty());
    for candidate in &report.moves {
        assert_eq!(candidate.prior, policy[candidate.mv.index()]);
    }
}

#[test]
fn scores_stay_with_positions_from_one_search_to_the_next() {
    let mut engine = engine(Some(Arc::new(network(4))), 3);
    let mut search = |simulations| {
        let limits = Limits { simulations: Some(simulations), ..Limits::default() };
        engine.search(Player::Black, limits, &mut |_| true).expect("a report")
    };
    let (first, second) = (search(SIMULATIONS), search(1));
    let of_root = |report: &Report| report.root.black_score.expect("a score");
    assert!((of_root(&first) - of_root(&second)).abs() < 0.5, "{} {}", of_root(&first), of_root(&second));
    for before in first.moves.iter().filter(|it| it.edge_visits >= 10) {
        let after = second.moves.iter().find(|it| it.mv == before.mv).expect("the move");
        let [one, other] = [before, after].map(|it| it.black_score.expect("a score"));
        assert!((one - other).abs() < 0.5, "{:?}: {one}, then {other}", before.mv);
    }
}

#[test]
fn the_score_of_a_move_is_that_of_the_position_it_leads_to() {
    for network in [None, Some(Arc::new(network(4)))] {
        let mut engine = engine(network, 3);
        let report = engine.search(Player::Black, limits(), &mut |_| true).expect("a report");
        let best = report.best().expect("a move");
        let mut position = engine.position().clone();
        position.play(best.mv);
        let there = engine.look_up(position);
        assert_eq!(best.black_score, there.root.black_score);
        assert!(best.score_deviation.is_some_and(|deviation| deviation > 0.0));
        assert_eq!(best.score_deviation, there.root.score_deviation);
    }
}

#[test]
fn an_evaluator_whose_score_is_always_the_same_gives_it_to_all_positions() {
    let table = table(1 << 20);
    // The scores of the game itself, -1, 0 and 1, have little weight beside the evaluator's.
    let estimate = Estimate { value: Value::DRAW, weight: 255 };
    let (report, _) = search_with(estimate, &table, SearchParameters::default());
    let score = report.root.black_score.expect("a score");
    assert!((0.5..=1.0).contains(&score), "{score}");
}

fn tewari(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = program();
    command.args(arguments).current_dir(folder).output().expect("the program runs")
}

#[test]
fn a_network_says_the_same_of_a_position_however_the_board_is_turned() {
    let (size, network) = (Size::new(5, 5).expect("a size"), Arc::new(network(4)));
    let evaluation = |symmetry: Symmetry| {
        let mut position = Position::new(size, Rules::CHINESE, Komi(1));
        [7, 12, 3].map(Move).into_iter().for_each(|mv| position.play(symmetry.apply(mv, size)));
        tewari::engine::evaluation::evaluate(&network, &position)
    };
    let is_near =
        |one: Option<f64>, other: Option<f64>| (one.expect("one") - other.expect("one")).abs() < 1e-9;
    let here = evaluation(Symmetry::IDENTITY);
    for symmetry in Symmetry::all(size) {
        let there = evaluation(symmetry);
        assert!(is_near(here.black_winrate, there.black_winrate), "{symmetry:?}");
        assert!(is_near(here.black_score, there.black_score), "{symmetry:?}");
        for mv in (0..=size.points()).map(|mv| Move(mv as u16)) {
            let turned = symmetry.apply(mv, size).index();
            let chances = [here.policy[mv.index()], there.policy[turned]];
            assert!((chances[0] - chances[1]).abs() < 1e-9, "{symmetry:?}, {mv:?}: {chances:?}");
            let [here, there] = [&here, &there].map(|it| it.ownership.as_ref().expect("owners"));
            if mv != size.pass() {
                assert!(is_near(Some(here[mv.index()]), Some(there[turned])), "{symmetry:?}, {mv:?}");
            }
        }
    }
}

#[test]
fn a_report_knows_the_owners_of_points_that_are_settled_and_counts_them() {
    let (size, network) = (Size::new(5, 5).expect("a size"), Arc::new(network(4)));
    // Black's chain in the lower left has eyes at points 0 and 2.
    let stones = [1, 3, 5, 6, 7, 8].map(|number| (Player::Black, Move(number)));
    let evaluation = |to_play| {
        let position = Position::with_stones(size, Rules::CHINESE, Komi(1), &stones, to_play).expect("legal");
        let mut evaluator = Evaluator::new(Arc::clone(&network), size);
        let situation = InputPosition::of(&position);
        let score = Symmetry::all(size)
            .map(|symmetry| {
                let evaluation = evaluator.evaluate(&situation, symmetry);
                let chance = |point| evaluation.owner_probability(Move(point)).expect("owners").as_f64();
                let said =
                    (0..9).filter(|point| *point != 4).map(|point| 2.0 * chance(point) - 1.0).sum::<f64>();
                let sign = if to_play == Player::Black { 1.0 } else { -1.0 };
                (evaluation.score.expect("a score").lead(0) * sign + 8.0 - sign * said).clamp(-25.0, 25.0)
            })
            .sum::<f64>()
            / Symmetry::count(size) as f64;
        (tewari::engine::evaluation::evaluate(&network, &position), score)
    };
    for to_play in Player::BOTH {
        let (evaluation, score) = evaluation(to_play);
        let owners = evaluation.ownership.expect("owners");
        for (point, owner) in owners.iter().enumerate() {
            let is_settled = point < 9 && point != 4;
            assert_eq!((owner - 1.0).abs() < 1e-9, is_settled, "{to_play:?}, {point}: {owner}");
        }
        let black_score = evaluation.black_score.expect("a score");
        assert!((black_score - score).abs() < 1e-3, "{black_score} is not {score}");
    }
}

#[test]
fn a_table_of_another_network_or_of_none_is_refused_in_one_line() {
    let folder = TempDir::new().expect("a folder");
    for (seed, name) in [(1, "one.bin"), (2, "other.bin")] {
        let weights = random_weights(Shape { channels: 32, blocks: 1, pooled: 0 }, seed);
        std::fs::write(folder.path().join(name), weights).expect("a file");
    }
    let analyze = |network: &str, table: &str| {
        let common = ["analyze", "--size", "5", "--simulations", "200", "--table-size", "64KiB"];
        tewari(folder.path(), &[&common[..], &["--network", network, "--table", table]].concat())
    };
    for network in ["one.bin", "other.bin", "none"] {
        assert!(analyze(network, &format!("{network}.tewari")).status.success(), "{network}");
    }
    for (network, table) in [("other.bin", "one.bin"), ("none", "one.bin"), ("one.bin", "none")] {
        let output = analyze(network, &format!("{table}.tewari"));
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(!output.status.success() && errors.lines().count() == 1, "{errors}");
        assert!(errors.contains("give the --network or --evaluator it was made with"), "{errors}");
    }
    let merged =
        tewari(folder.path(), &["table", "merge", "one.bin.tewari", "other.bin.tewari", "-o", "all.tewari"]);
    let errors = String::from_utf8(merged.stderr).expect("UTF-8");
    assert!(!merged.status.success() && errors.contains("network"), "{errors}");
    assert!(!folder.path().join("all.tewari").exists());
}

#[test]
fn weights_that_cannot_be_used_are_refused_in_one_line() {
    let folder = TempDir::new().expect("a folder");
    let whole = random_weights(Shape { channels: 32, blocks: 1, pooled: 0 }, 1);
    let mut damaged = whole.clone();
    damaged[1000] ^= 1;
    for (name, bytes) in [("cut", &whole[..whole.len() / 2]), ("damaged", &damaged), ("foreign", b"GIF89a")] {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    }
    for name in ["cut", "damaged", "foreign", "absent", "."] {
        let output = tewari(folder.path(), &["analyze", "--size", "5", "--network", name]);
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(!output.status.success() && errors.lines().count() == 1, "{name}: {errors}");
    }
}

#[test]
fn owners_in_reports_are_the_network_s_where_its_value_counts_and_else_the_playouts() {
    let size = Size::new(5, 5).expect("a size");
    let network = Arc::new(network(3));
    let report = |network: Option<&Arc<Network>>, value| {
        let mut options = EngineOptions {
            size,
            komi: Komi(1),
            memory: MemoryBudget::Table(1 << 20),
            ..EngineOptions::default()
        };
        options.networks = network.cloned().map(Networks::Given);
        options.value_weight = value;
        Engine::new(options)
            .expect("an engine")
            .search(Player::Black, limits(), &mut |_| true)
            .expect("a report")
    };
    let evaluation =
        tewari::engine::evaluation::evaluate(&network, &Position::new(size, Rules::CHINESE, Komi(1)));
    let evaluation = evaluation.ownership.expect("owners");
    let joined = report(Some(&network), 12);
    for point in (0..25).map(Move) {
        assert_eq!(joined.ownership.mean_for_black(point), evaluation[point.index()], "{point:?}");
        for without in [report(Some(&network), 0), report(None, 12)].map(|report| report.ownership) {
            let black = without.count(Player::Black, point) as f64;
            let white = without.count(Player::White, point) as f64;
            assert!(
                (without.mean_for_black(point) - (black - white) / without.playouts() as f64).abs() < 1e-9
            );
        }
    }
}

/// Black's lower group has two eyes if it answers every move of White's, and wins by half a point. Except for White's
/// moves there, both players can only fill their own eyes.
const ONLY_EYES_ARE_LEFT: &str = "(;GM[1]FF[4]SZ[7]KM[-1.5]RU[Chinese]PL[W]\
    AB[aa][ca][da][fa][ga][ab][bb][cb][db][eb][fb][gb][af][bf][cf][df][ef][eg]\
    AW[ac][bc][cc][dc][ec][fc][gc][bd][dd][fd][gd][ae][be][ce][de][ee][fe][ge][ff][gf][fg])";

#[test]
fn who_has_only_eyes_left_passes_in_the_search_and_the_result_is_proven() {
    let folder = TempDir::new().expect("a folder");
    std::fs::write(folder.path().join("end.sgf"), ONLY_EYES_ARE_LEFT).expect("a file");
    std::fs::write(
        folder.path().join("random.bin"),
        random_weights(Shape { channels: 32, blocks: 1, pooled: 0 }, 1),
    )
    .expect("a file");
    for network in [&[][..], &["--network", "random.bin"]] {
        let arguments =
            ["analyze", "end.sgf", "--simulations", "5000", "--threads", "1", "--memory", "64MiB"];
        let output = tewari(folder.path(), &[&arguments[..], network].concat());
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(text.contains("Black wins (proven)"), "{network:?}: {text}");
    }
}
