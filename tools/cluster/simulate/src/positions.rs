//! Positions of middle games: self-play with moves drawn from the policy, with a fixed seed.

use crate::options;
use tewari::base::game::Game;
use tewari::base::rng::PlayoutRng;
use tewari::engine::Engine;
use tewari::go::{Position, Record};
use tewari::search::Limits;

/// Bytes of the table.
const TABLE_BYTES: u64 = 16 << 20;
/// Simulations that estimate the win rate, and the win rates of positions that are taken.
const SIMULATIONS: u64 = 200;
const OPEN: std::ops::Range<f64> = 0.25..0.75;

/// Returns position `number` of a seed: after a sixth to a third of the board has been played, and not decided.
pub fn position(side: usize, seed: u64, number: u64) -> Position {
    let mut engine = Engine::new(options(side, seed, TABLE_BYTES)).expect("an engine");
    let mut rng = PlayoutRng::new(seed, number);
    loop {
        let length = side * side / 6 + rng.below(side * side / 6);
        let record = game(&engine, length, &mut rng);
        let root = record.position().clone();
        let limits = Limits { simulations: Some(SIMULATIONS), ..Limits::default() };
        let report = engine.search_position(root.clone(), limits, &mut |_| true).expect("a report");
        if OPEN.contains(&report.root.value.as_f64()) {
            return root;
        }
    }
}

/// Plays `length` moves drawn from the policy, without passes.
fn game(engine: &Engine, length: usize, rng: &mut PlayoutRng) -> Record {
    let options = engine.options();
    let mut record = Record::new(options.size, options.rules, options.komi);
    record.set_key_policy(options.keys);
    for _ in 0..length {
        let position = record.position().clone();
        let mut policy = engine.policy(&position).expect("a network");
        policy[options.size.pass().index()] = 0.0;
        let legal: Vec<_> = position.legal_moves().collect();
        let sum: f64 = legal.iter().map(|mv| policy[mv.index()]).sum();
        let mut left = sum * (rng.below(1 << 30) as f64 / f64::from(1 << 30));
        let drawn = legal.iter().find(|mv| {
            left -= policy[mv.index()];
            left < 0.0
        });
        let Some(&mv) = drawn else { break };
        if record.play(position.to_play(), mv).is_err() {
            break;
        }
    }
    record
}
