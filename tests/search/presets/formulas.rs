//! Scores compared with hand-computed values.

use super::{amaf, edge, policy, score};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tewari::base::value::Value;
use tewari::search::policy::{EdgeView, ParentView, SelectionPolicy};

const INFINITY: f32 = f32::INFINITY;

#[track_caller]
fn assert_score(name: &str, parent_visits: f32, edge: EdgeView, expected: f32) {
    let found = score(name, parent_visits, edge);
    assert!(found == expected || (found - expected).abs() < 1e-4, "{name}: {found}, expected {expected}");
}

#[test]
fn ucb_formulas_are_those_of_their_sources() {
    // ln 100 = 4.60517; sqrt(4.60517/10) = 0.678614; sqrt(4.60517/(5·10)) = 0.303486.
    assert_score("ucb1:c=1", 100.0, edge(10.0, 0.6), 1.278_614);
    assert_score("ucb1:c=0", 100.0, edge(10.0, 0.6), 0.6);
    // Coulom: sqrt(2·ln t / (10·n)) = sqrt(9.21034/100) = 0.303486, C_p = 1/sqrt(20) = 0.223607.
    assert_score("crazystone", 100.0, edge(10.0, 0.6), 0.903_486);
    assert_score("valkyria", 100.0, edge(10.0, 0.6), 0.903_486);
    assert_score("valkyria:uctk=2", 100.0, edge(10.0, 0.6), 1.206_972);
    // C_p = 1/sqrt(2): 2·0.707107·0.678614 = 0.959705.
    assert_score("crazystone:cp=0.707107", 100.0, edge(10.0, 0.6), 1.559_705);
    for name in ["ucb1", "ucb1-tuned", "valkyria", "crazystone", "stego:mode=uct"] {
        assert_score(name, 100.0, edge(0.0, 0.0), INFINITY);
        // One visit in total: ln 1 = 0.
        assert_score(name, 1.0, edge(1.0, 1.0), 1.0);
    }
}

#[test]
fn ucb1_tuned_explores_what_varies() {
    let policy = policy("ucb1-tuned");
    let state = [AtomicU64::new(0), AtomicU64::new(0)];
    for sample in 0..100 {
        // The first edge always wins; the second wins every other time.
        policy.update(&state, 0, 2);
        policy.update(&state, 1, 2 * (sample % 2));
    }
    let parent = ParentView::new(1000.0);
    let score = |index: usize, value| {
        policy.score(&parent, &EdgeView { state: state[index].load(Relaxed), ..edge(100.0, value) })
    };
    // ln 1000 = 6.907755; share 0.0690776; V = 0 + sqrt(0.138155) = 0.371692, above 1/4: sqrt(0.0690776/4) =
    // 0.131413.
    assert!((score(0, 1.0) - 1.131_413).abs() < 1e-4);
    assert!((score(1, 0.5) - 0.631_413).abs() < 1e-4);
    // With 10,000 visits: share 0.000690776, sqrt(2·share) = 0.0371692, which is below 1/4: sqrt(share·V) =
    // 0.0050671.
    let settled = EdgeView { state: state[0].load(Relaxed), ..edge(10_000.0, 1.0) };
    assert!((policy.score(&parent, &settled) - 1.005_067).abs() < 1e-5);
    // Half won has variance 1/4: sqrt(share/4) = 0.0131413.
    let open = EdgeView { state: state[1].load(Relaxed), ..edge(10_000.0, 0.5) };
    assert!((policy.score(&parent, &open) - 0.513_141).abs() < 1e-5);
}

#[test]
fn stego_mixes_amaf_in_four_ways() {
    // U = 0.6 + 1·sqrt(ln 100 / 10) = 1.278614; A = 30/40 = 0.75.
    let seen = amaf(10.0, 0.6, 40.0, 30.0);
    assert_score("stego:mode=uct,c=1", 100.0, seen, 1.278_614);
    // Pooled: (6 + 30)/50 + sqrt(4.60517/50) = 0.72 + 0.303486.
    assert_score("stego:mode=amaf,c=1", 100.0, seen, 1.023_486);
    // 0.25·0.75 + 0.75·1.278614.
    assert_score("stego:mode=alpha-amaf,c=1,alpha=0.25", 100.0, seen, 1.146_461);
    // α = (50 - 10)/50 = 0.8: 0.8·0.75 + 0.2·1.278614; with R playouts and more, AMAF has no weight.
    assert_score("stego:mode=rave,c=1,r=50", 100.0, seen, 0.855_723);
    assert_score("stego:mode=rave,c=1,r=10", 100.0, seen, 1.278_614);
    assert_score("stego:mode=rave,c=1,r=5", 100.0, seen, 1.278_614);
    // Without playouts α is 1 and only AMAF counts; without AMAF, too, the move comes first.
    assert_score("stego:mode=rave", 100.0, amaf(0.0, 0.0, 40.0, 30.0), 0.75);
    assert_score("stego:mode=rave", 100.0, edge(0.0, 0.0), INFINITY);
    assert_score("stego:mode=alpha-amaf", 100.0, amaf(0.0, 0.0, 40.0, 30.0), INFINITY);
    assert_score("stego:mode=amaf,c=0", 100.0, amaf(0.0, 0.0, 40.0, 30.0), 0.75);
}

#[test]
fn lazarus_takes_the_best_f_and_forgets() {
    let lazarus = policy("lazarus:n=10,degrade=1");
    let state = [AtomicU64::new(0)];
    // Three wins and a loss: r = 2, s = 4, f = (2 + 10)/(4 + 10).
    for half_points in [2, 2, 0, 2] {
        lazarus.update(&state, 0, half_points);
    }
    let seen = EdgeView { state: state[0].load(Relaxed), ..EdgeView::default() };
    assert!((lazarus.score(&ParentView::new(4.0), &seen) - 12.0 / 14.0).abs() < 1e-6);
    // A move never tried has f = 1; a draw has r = 0.
    assert_eq!(lazarus.score(&ParentView::new(4.0), &EdgeView::default()), 1.0);
    lazarus.update(&state, 0, 1);
    let drawn = EdgeView { state: state[0].load(Relaxed), ..EdgeView::default() };
    assert!((lazarus.score(&ParentView::new(4.0), &drawn) - 12.0 / 15.0).abs() < 1e-6);
    // Degraded by 0.9 after each of two wins: s = (0.9 + 1)·0.9 = 1.71 = r.
    let fading = policy("lazarus:n=10,degrade=0.9");
    let state = [AtomicU64::new(0)];
    fading.update(&state, 0, 2);
    fading.update(&state, 0, 2);
    assert!((fading.final_rank(2, Value::WIN, state[0].load(Relaxed)) - 1.71).abs() < 1e-6);
}

#[test]
fn flat_takes_turns_and_the_greedy_baseline_the_best() {
    assert_score("flat", 100.0, edge(10.0, 0.9), -10.0);
    assert_score("flat", 100.0, edge(0.0, 0.0), 0.0);
    assert_score("epsilon-greedy", 100.0, edge(10.0, 0.6), 0.6);
    assert_score("epsilon-greedy", 100.0, edge(0.0, 0.0), 0.0);
    assert_eq!(policy("epsilon-greedy").random_probability_256(), 128);
    assert_eq!(policy("epsilon-greedy:epsilon=0").random_probability_256(), 0);
    assert_eq!(policy("rave").random_probability_256(), 0);
}

#[test]
fn ucb_improved_is_ucb1_below_the_root() {
    assert_score("ucb-improved:c=1", 100.0, edge(10.0, 0.6), 1.278_614);
    let policy = policy("ucb-improved");
    let root = ParentView::new(100.0).at_root();
    let state = [AtomicU64::new(0), AtomicU64::new(0)];
    policy.update(&state, 0, 2);
    let score =
        |index: usize| policy.score(&root, &EdgeView { state: state[index].load(Relaxed), ..edge(1.0, 0.0) });
    assert!(score(1) > score(0), "the move with fewer samples is next");
}

#[test]
fn final_moves_follow_their_sources() {
    // Much visited and good; little visited and better.
    let [much, little] = [(900, Value(3 << 30)), (9, Value(u32::MAX / 16 * 15))];
    for (name, prefers_visits) in [
        ("rave", true),
        ("ucb1", true),
        ("ucb1-tuned", true),
        ("crazystone", true),
        ("stego", true),
        ("epsilon-greedy", true),
        ("valkyria", false),
        ("flat", false),
        ("ucb-improved", false),
    ] {
        let policy = policy(name);
        let rank = |(visits, value)| policy.final_rank(visits, value, 0);
        assert_eq!(rank(much) > rank(little), prefers_visits, "{name}");
    }
}
