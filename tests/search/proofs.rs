//! Proven values of the search are correct for every history, table and set of concurrent workers.

use crate::exact;
use crate::truth;

use exact::{Line, Solver, State, Tables, without_cycles};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
use tewari::base::game::{Game, Outcome, Player};
use tewari::base::rng::PlayoutRng;
use tewari::go::{KoRule, Komi, Position, Rules, Size};
use tewari::search::policy::{Rave, SelectionPolicy, Ucb1};
use tewari::search::{Limits, Report, Search, SearchParameters};
use tewari::table::{Shape, Table};
use truth::{Truth, Twofold, for_player, position, size};

const SSK: Rules = Rules { ko: KoRule::Situational, suicide: false, ..Rules::CHINESE };
const SSK_SUICIDE: Rules = Rules { ko: KoRule::Situational, suicide: true, ..Rules::CHINESE };
const SIMPLE: Rules = Rules { ko: KoRule::Simple, suicide: false, ..Rules::CHINESE };
const SIMPLE_SUICIDE: Rules = Rules { ko: KoRule::Simple, suicide: true, ..Rules::CHINESE };
const SUPERKO: [Rules; 4] = [Rules::CHINESE, Rules::TROMP_TAYLOR, SSK, SSK_SUICIDE];

fn shape(size: Size) -> Shape {
    Shape::complete(size.points() + 1)
}

fn ample(size: Size) -> Table {
    Table::new(shape(size), 16 << 20).expect("a table")
}

/// Returns a table `times` as large as the smallest one: it is full after a few simulations.
fn tiny(size: Size, times: usize) -> Table {
    let smallest = match Table::new(shape(size), 0) {
        Err(tewari::table::TableError::TooSmall { smallest, .. }) => smallest,
        _ => panic!("nothing is too small"),
    };
    Table::new(shape(size), smallest * times).expect("a table")
}

fn search(table: &Table, root: &Position, simulations: u64, threads: usize, seed: u64) -> Report {
    search_with(Rave::default(), table, root, simulations, threads, seed)
}

fn search_with<P: SelectionPolicy>(
    policy: P,
    table: &Table,
    root: &Position,
    simulations: u64,
    threads: usize,
    seed: u64,
) -> Report {
    let parameters = SearchParameters { threads, seed, ..SearchParameters::default() };
    let limits = Limits { simulations: Some(simulations), ..Limits::default() };
    Search::new(table, policy, parameters).run(root, limits, &mut |_| true)
}

/// Counts of a run over random histories, to check that the run covered enough.
#[derive(Debug, Default)]
struct Tally {
    searched: usize,
    judged: usize,
    proven: usize,
    /// Number of states met with histories that give them different outcomes.
    torn: usize,
}

/// Searches random histories, and some of their moves, in one table, and compares every reported proof with the exact
/// value.
fn search_random_histories(
    tables: &Tables,
    rules: Rules,
    table: &Table,
    threads: usize,
    (games, length, simulations): (usize, usize, u64),
    seed: u64,
) -> Tally {
    let mut rng = PlayoutRng::new(seed, 7);
    let mut solver = Solver::new(tables, rules);
    if tables.points > 5 {
        solver.patience = 20_000;
    }
    let mut tally = Tally::default();
    let mut outcomes: HashMap<(State, Komi), HashSet<Outcome>> = HashMap::new();
    let points = tables.points as i32;
    for game_number in 0..games {
        // Few komi, so that positions recur; whole numbers too, for draws.
        let komi = Komi([0, 1, -1, points, 3 - points][rng.below(5)]);
        let length = rng.below(length + 1);
        let game = Twofold::random(tables, rules, komi, length, &mut rng);
        let mut truth = Truth { solver: &mut solver, komi };
        let report = search(table, &game.position, simulations, threads, seed + game_number as u64);
        tally.searched += 1;
        tally.proven += usize::from(report.root.proven.is_some());
        tally.judged += usize::from(truth.confirms(&report, &game.line));
        if let Some(exact) = truth.outcome_for_black(&game.line) {
            outcomes.entry((game.line.state, komi)).or_default().insert(exact);
        }
        // Searches of one simulation report the values stored for the positions below.
        for at in game.line.moves(tables, rules) {
            let mut next = game.clone();
            next.play(tables, at);
            if next.line.state.passes < 2 {
                truth.confirms(&search(table, &next.position, 1, 1, 1), &next.line);
            }
        }
    }
    tally.torn = outcomes.values().filter(|outcomes| outcomes.len() > 1).count();
    tally
}

#[test]
fn the_oracle_knows_what_others_computed() {
    for rules in SUPERKO {
        for (columns, rows, value) in [(1, 1, 0), (2, 1, 0), (3, 1, 3), (4, 1, 4), (2, 2, 1)] {
            let tables = Tables::new(columns, rows);
            let found = Solver::new(&tables, rules).value(&Line::new(rules));
            assert_eq!(found, Some(value), "{columns}x{rows} {rules}");
        }
    }
    for rules in [Rules::CHINESE, SSK] {
        assert_eq!(Solver::new(&Tables::new(5, 1), rules).value(&Line::new(rules)), Some(0));
    }
    for (columns, rows, low, high) in
        [(2, 1, 0, 0), (3, 1, 3, 3), (4, 1, 4, 4), (5, 1, -5, 5), (2, 2, -4, 4), (3, 2, -6, 6), (4, 2, 8, 8)]
    {
        let values = without_cycles(&Tables::new(columns, rows), SIMPLE);
        assert_eq!(values[&State::START], (low, high), "{columns}x{rows}");
    }
}

/// Returns boards with values that the search must prove, and the rules for which the values are known.
fn known_values() -> Vec<(usize, usize, i32, Rules)> {
    let mut known = Vec::new();
    // These values do not depend on the treatment of cycles, so superko changes nothing.
    for rules in [Rules::CHINESE, Rules::TROMP_TAYLOR, SSK, SIMPLE] {
        for (columns, rows, value) in [(1, 1, 0), (2, 1, 0), (3, 1, 3), (4, 1, 4), (4, 2, 8), (3, 3, 9)] {
            known.push((columns, rows, value, rules));
        }
    }
    known.push((1, 3, 3, Rules::CHINESE));
    known.push((2, 4, 8, Rules::CHINESE));
    known.push((5, 2, 10, Rules::CHINESE));
    known
}

fn proves(policy: impl SelectionPolicy, root: &Position, simulations: u64) -> (Option<Outcome>, u64) {
    let report = search_with(policy, &ample(root.size()), root, simulations, 1, 1);
    (report.root.proven, report.simulations)
}

#[test]
fn values_are_proven_from_below_and_above_on_the_empty_board() {
    for (columns, rows, value, rules) in known_values() {
        let root = |half_points| position(size(columns, rows), rules, Komi(2 * value + half_points));
        let about = format!("{columns}x{rows} {rules}");
        assert_eq!(proves(Rave::default(), &root(-1), 400_000).0, Some(Outcome::Win), "{about}");
        assert_eq!(proves(Rave::default(), &root(1), 400_000).0, Some(Outcome::Loss), "{about}");
    }
    // These games are finite only with superko.
    for rules in [Rules::CHINESE, Rules::TROMP_TAYLOR, SSK] {
        for (columns, rows, value) in [(2, 2, 1), (5, 1, 0)] {
            let root = |half_points| position(size(columns, rows), rules, Komi(2 * value + half_points));
            let about = format!("{columns}x{rows} {rules}");
            assert_eq!(proves(Ucb1::default(), &root(-1), 50_000).0, Some(Outcome::Win), "{about}");
            assert_eq!(proves(Ucb1::default(), &root(1), 50_000).0, Some(Outcome::Loss), "{about}");
        }
    }
}

#[test]
fn a_komi_that_is_the_value_is_proven_a_draw() {
    for rules in [Rules::CHINESE, Rules::TROMP_TAYLOR, SSK, SIMPLE] {
        for (columns, rows, value) in [(1, 1, 0), (2, 1, 0), (3, 1, 3), (4, 1, 4)] {
            let root = position(size(columns, rows), rules, Komi(2 * value));
            let (proven, simulations) = proves(Rave::default(), &root, 50_000);
            assert_eq!(proven, Some(Outcome::Draw), "{columns}x{rows} {rules} after {simulations}");
        }
    }
}

#[test]
fn nothing_is_proven_where_only_cycles_decide() {
    // Without superko neither side can end these games in its favour.
    for (columns, rows) in [(2, 2), (5, 1), (3, 2)] {
        for komi in [-3, 1, 3] {
            let root = position(size(columns, rows), SIMPLE, Komi(komi));
            let (proven, simulations) = proves(Rave::default(), &root, 5_000);
            assert_eq!((proven, simulations), (None, 5_000), "{columns}x{rows} {komi}");
        }
    }
}

#[test]
fn proofs_hold_for_random_histories_that_share_a_table() {
    let mut torn = 0;
    for rules in SUPERKO {
        for (columns, rows) in [(2, 1), (3, 1), (4, 1), (2, 2), (5, 1)] {
            if rules.suicide && columns == 5 {
                // The exact solver would take too long.
                continue;
            }
            let tables = Tables::new(columns, rows);
            let size = size(columns, rows);
            let tally = search_random_histories(&tables, rules, &ample(size), 1, (2000, 20, 150), 1);
            assert_eq!(tally.judged, tally.searched, "{size:?} {rules} {tally:?}");
            assert!(tally.proven * 3 > tally.searched, "{size:?} {rules} {tally:?}");
            torn += tally.torn;
        }
    }
    // Some values depend on the history.
    assert!(torn > 50, "{torn}");
}

#[test]
fn proofs_hold_in_tables_that_forget_almost_everything() {
    for rules in SUPERKO {
        for (columns, rows) in [(3, 1), (4, 1), (2, 2)] {
            let tables = Tables::new(columns, rows);
            for times in [1, 3, 10] {
                let table = tiny(size(columns, rows), times);
                let tally = search_random_histories(&tables, rules, &table, 1, (600, 20, 200), 2);
                assert_eq!(tally.judged, tally.searched);
                assert!(tally.proven > 30, "{columns}x{rows} {rules} {times} {tally:?}");
            }
        }
    }
}

#[test]
fn proofs_hold_with_several_workers() {
    for rules in SUPERKO {
        for (columns, rows) in [(3, 1), (4, 1), (2, 2)] {
            let tables = Tables::new(columns, rows);
            let size = size(columns, rows);
            for (table, threads) in [(ample(size), 4), (tiny(size, 2), 3)] {
                let tally = search_random_histories(&tables, rules, &table, threads, (60, 20, 300), 3);
                assert_eq!(tally.judged, tally.searched);
                assert!(tally.proven > 6, "{columns}x{rows} {rules} {tally:?}");
            }
        }
    }
}

#[test]
fn proofs_hold_on_a_board_that_is_almost_too_large_for_the_oracle() {
    let tables = Tables::new(3, 2);
    for rules in [Rules::CHINESE, SSK] {
        let tally = search_random_histories(&tables, rules, &ample(size(3, 2)), 1, (100, 60, 1000), 4);
        assert!(tally.judged > 20, "{tally:?}");
    }
}

#[test]
fn proofs_without_superko_do_not_depend_on_endless_games() {
    for rules in [SIMPLE, SIMPLE_SUICIDE] {
        for (columns, rows) in [(3, 1), (4, 1), (2, 2), (5, 1), (3, 2), (4, 2)] {
            let tables = Tables::new(columns, rows);
            let truth = without_cycles(&tables, rules);
            let tables_of_memory = [ample(size(columns, rows)), tiny(size(columns, rows), 4)];
            let mut rng = PlayoutRng::new(5, 5);
            let mut proven = 0;
            for game_number in 0..200 {
                let komi = Komi([0, 1, 5, -1, -7, 2 * tables.points as i32 - 1][rng.below(6)]);
                let length = rng.below(14);
                let game = Twofold::random(&tables, rules, komi, length, &mut rng);
                let for_black = |score: i32| game.position.outcome_for_black(score as i16);
                let agrees = |proven: Outcome, to_play: Player, (low, high): (i32, i32)| {
                    let [low, high] = [for_black(low), for_black(high)];
                    match for_player(to_play, proven) {
                        Outcome::Win => low == Outcome::Win,
                        Outcome::Loss => high == Outcome::Loss,
                        Outcome::Draw => low >= Outcome::Draw && high <= Outcome::Draw,
                    }
                };
                for table in &tables_of_memory {
                    let report = search(table, &game.position, 200, 1, game_number);
                    let (low, high) = truth[&game.line.state];
                    let told = format!("{:?} {komi} {rules}: {report:?}", game.line.state);
                    let bounds = report.root.bounds;
                    assert!(i32::from(bounds.lower) <= low && high <= i32::from(bounds.upper), "{told}");
                    if let Some(outcome) = report.root.proven {
                        proven += 1;
                        assert!(agrees(outcome, game.line.state.to_play, (low, high)), "{told}");
                    }
                    for candidate in &report.moves {
                        let at = Some(candidate.mv.index()).filter(|&at| at < tables.points);
                        let next = game.line.after(&tables, rules, at).expect("a legal move").state;
                        let to_play = game.line.state.to_play;
                        assert!(candidate.proven.is_none_or(|o| agrees(o, to_play, truth[&next])), "{told}");
                    }
                }
            }
            assert!(proven > 30, "{columns}x{rows} {rules} {proven}");
        }
    }
}

/// One position with two histories, each a list of points and passes (`None`), and the score after each.
struct Torn {
    columns: usize,
    rows: usize,
    rules: Rules,
    histories: [(&'static [Option<usize>], i32); 2],
}

const TORN: [Torn; 3] = [
    // `.XX`, White to move and capture on the left: Black may recapture in the centre, unless `.X.` occurred before.
    Torn {
        columns: 3,
        rows: 1,
        rules: Rules::CHINESE,
        histories: [(&[Some(1), None, Some(2)], -3), (&[Some(2), Some(0), Some(1)], 3)],
    },
    // `O...`, Black to move: without a relevant history Black takes the whole board.
    Torn {
        columns: 4,
        rows: 1,
        rules: Rules::CHINESE,
        histories: [(&[Some(1), None, Some(2), None, Some(3), Some(0)], 1), (&[None, Some(0)], 4)],
    },
    // Three black stones, White to move and capture.
    Torn {
        columns: 2,
        rows: 2,
        rules: Rules::CHINESE,
        histories: [
            (&[Some(2), Some(1), Some(0), None, Some(3)], -4),
            (&[Some(3), Some(1), Some(2), None, Some(0)], -1),
        ],
    },
];

#[test]
fn one_position_is_won_with_one_history_and_lost_with_another() {
    for torn in &TORN {
        let tables = Tables::new(torn.columns, torn.rows);
        let [low, high] = {
            let mut values = torn.histories.map(|(_, value)| value);
            values.sort_unstable();
            values
        };
        // A komi between the two values.
        let komi = Komi(low + high);
        let games = torn.histories.map(|(moves, value)| {
            let mut game = Twofold::start(&tables, torn.rules, komi);
            moves.iter().for_each(|&at| game.play(&tables, at));
            assert_eq!(Solver::new(&tables, torn.rules).value(&game.line), Some(value));
            let for_black = if value == high { Outcome::Win } else { Outcome::Loss };
            let expected = for_player(game.line.state.to_play, for_black);
            (game, expected)
        });
        assert_eq!(games[0].0.position.key(), games[1].0.position.key());
        assert_eq!(games[0].0.line.state, games[1].0.line.state);
        let size = games[0].0.position.size();
        for order in [[0, 1], [1, 0]] {
            for threads in [1, 4] {
                for seed in 0..5 {
                    // In a large table each is proven: the second in spite of the first, the first again in spite of
                    // the second.
                    let table = ample(size);
                    for index in [order[0], order[1], order[0]] {
                        let (game, expected) = &games[index];
                        let report =
                            search_with(Ucb1::default(), &table, &game.position, 20_000, threads, seed);
                        assert_eq!(report.root.proven, Some(*expected), "{:?}", game.line);
                    }
                    // In a small table neither is ever proven wrong.
                    for times in [1, 2, 4] {
                        let table = tiny(size, times);
                        for index in [order[0], order[1], order[0], order[1]] {
                            let (game, expected) = &games[index];
                            let report = search(&table, &game.position, 500, threads, seed);
                            assert!(report.root.proven.is_none_or(|proven| proven == *expected));
                        }
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// The same check as the volume tests above, in a form that shrinks.
    #[test]
    fn no_history_makes_the_search_claim_what_is_not_so(
        board in 0_usize..4,
        rules in prop::sample::select(SUPERKO.to_vec()),
        histories in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..16), 1..6),
        half_points in -8_i32..8,
        times in prop::sample::select(vec![1_usize, 4, 1000]),
    ) {
        let (columns, rows) = [(2, 1), (3, 1), (4, 1), (2, 2)][board];
        let tables = Tables::new(columns, rows);
        let mut solver = Solver::new(&tables, rules);
        let table = tiny(size(columns, rows), times);
        let komi = Komi(half_points);
        for history in histories {
            let mut game = Twofold::start(&tables, rules, komi);
            for index in history {
                let mut moves = game.line.moves(&tables, rules);
                if game.line.state.passes == 1 {
                    moves.pop();
                }
                if moves.is_empty() {
                    break;
                }
                game.play(&tables, *index.get(&moves));
            }
            let report = search(&table, &game.position, 200, 1, 1);
            let mut truth = Truth { solver: &mut solver, komi };
            prop_assert!(truth.confirms(&report, &game.line));
        }
    }
}
