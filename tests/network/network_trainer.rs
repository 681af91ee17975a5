//! The trainer and the engine compute the same integers: planes, layers and outputs agree bit by bit with those that
//! `tools/train/fixture.py` computed in numpy from the same games.

use std::collections::HashMap;
use std::sync::Arc;
use tewari::base::game::{Game, Move};
use tewari::go::{KoRule, Position, Rules, Size, Symmetry};
use tewari::lab::training::recorded_games::RecordedGame;
use tewari::network::kernels::Kernel;
use tewari::network::{Evaluator, InputPosition, Network};

const GAMES: &str = include_str!("../data/network/games.txt");
const WEIGHTS: &[u8] = include_bytes!("../data/network/weights.bin");
const EXPECTED: &str = include_str!("../data/network/expected.txt");

/// Returns the network's outputs in the trainer's format: logits of moves and owners, mean and spread of the score.
fn answer(evaluator: &mut Evaluator, position: &Position, last_moves: &[Move]) -> (Vec<i32>, [i64; 2]) {
    let situation = InputPosition {
        board: position.board(),
        to_play: position.to_play(),
        last_moves,
        has_passes: true,
        komi: position.komi(),
    };
    let evaluation = evaluator.evaluate(&situation, Symmetry::IDENTITY);
    let owners = evaluation.owners.expect("the fixture says that owners are trained");
    let score = evaluation.score.expect("the fixture says that the score is trained");
    ([evaluation.policy, owners].concat(), [score.mean, score.spread])
}

#[test]
fn the_engine_says_bit_by_bit_what_the_trainer_computed() {
    let size = Size::new(19, 19).unwrap();
    let game = RecordedGame::parse(GAMES.lines().next().unwrap(), 1).unwrap();
    let expected: HashMap<usize, Vec<i64>> = EXPECTED
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut numbers = line.split(' ').map(|word| word.parse::<i64>().expect("a number"));
            (numbers.next().expect("the moves played") as usize, numbers.collect())
        })
        .collect();
    assert!(expected.len() >= 5, "{} positions", expected.len());
    let network = Arc::new(Network::load(WEIGHTS).unwrap());
    let logits = 2 * size.points() + 1;
    for kernel in Kernel::available() {
        let mut evaluator = Evaluator::with_kernel(Arc::clone(&network), size, kernel);
        let rules = Rules { ko: KoRule::Simple, suicide: true, ..Rules::CHINESE };
        let mut position = Position::new(size, rules, game.komi);
        let mut last_moves = Vec::new();
        let mut compared = 0;
        for (count, &mv) in game.moves.iter().enumerate() {
            if let Some(expected) = expected.get(&count) {
                let (found, score) = answer(&mut evaluator, &position, &last_moves);
                let found: Vec<i64> = found.into_iter().map(i64::from).collect();
                assert_eq!(found, expected[..logits], "after {count} moves, {kernel:?}");
                assert_eq!(score, expected[logits..], "after {count} moves, {kernel:?}");
                compared += 1;
            }
            position.play(mv);
            position.resume();
            last_moves.insert(0, mv);
        }
        assert_eq!(compared, expected.len());
    }
}
