//! All kernels compute the same bits, on every board and with all weights.

use proptest::prelude::*;
use std::sync::Arc;
use tewari::base::game::{Game, Move, Player};
use tewari::go::{Board, Komi, Position, Rules, Size, Symmetry};
use tewari::network::kernels::Kernel;
use tewari::network::{Evaluator, InputPosition, Network, WeightsError};

pub(crate) mod random;
use random::{Shape, random_weights, sealed};

/// Returns a position after `count` moves chosen by `seed`, and the last moves, the latest first.
fn random_position(size: Size, seed: u64, count: usize) -> (Position, Vec<Move>) {
    let mut position = Position::new(size, Rules::CHINESE, Komi(15));
    let mut random = random::Random(seed);
    let mut last_moves = Vec::new();
    for _ in 0..count {
        let mut legal: Vec<Move> = position.legal_moves().collect();
        legal.push(size.pass());
        let mv = legal[random.below(legal.len())];
        position.play(mv);
        position.resume();
        last_moves.insert(0, mv);
    }
    (position, last_moves)
}

fn situation<'a>(position: &'a Position, last_moves: &'a [Move]) -> InputPosition<'a> {
    InputPosition {
        board: position.board(),
        to_play: position.to_play(),
        last_moves,
        has_passes: true,
        komi: position.komi(),
    }
}

/// Returns all outputs of an evaluator as numbers.
fn answer(
    network: &Arc<Network>,
    kernel: Kernel,
    position: &Position,
    last_moves: &[Move],
    symmetry: u64,
) -> Vec<i64> {
    let mut evaluator = Evaluator::with_kernel(Arc::clone(network), position.size(), kernel);
    let symmetry = Symmetry::from_number(symmetry, position.size());
    let evaluation = evaluator.evaluate(&situation(position, last_moves), symmetry);
    let mut chances = vec![0; evaluation.policy.len()];
    evaluation.move_probabilities(|mv| position.is_legal_ignoring_history(mv), &mut chances);
    let score = evaluation.score.expect("random weights have all heads");
    let winning = score.win_rate(13);
    let owners = evaluation.owners.expect("random weights have all heads");
    let numbers = evaluation.policy.iter().chain(owners).map(|&number| i64::from(number));
    let rest = [score.mean, score.spread, i64::from(winning.0)];
    numbers.chain(rest).chain(chances.into_iter().map(i64::from)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn all_kernels_give_the_same_bits(
        columns in 1..=19_usize, rows in 1..=19_usize, seed in any::<u64>(), moves in 0..80_usize,
        blocks in 0..4_usize, pooled in any::<u32>(), channels in 1..=4_usize, symmetry in 0..8_u64,
    ) {
        // Wide networks of many blocks are too large for a weights file.
        let blocks = if channels > 2 { blocks.min(1) } else { blocks };
        let shape = Shape { channels: 32 * channels, blocks, pooled: pooled & ((1 << blocks) - 1) };
        let network = Arc::new(Network::load(&random_weights(shape, seed)).unwrap());
        let (position, last_moves) = random_position(Size::new(columns, rows).unwrap(), seed, moves);
        let expected = answer(&network, Kernel::Portable, &position, &last_moves, symmetry);
        for kernel in Kernel::available() {
            prop_assert_eq!(&answer(&network, kernel, &position, &last_moves, symmetry), &expected, "{:?}", kernel);
        }
    }

    #[test]
    fn weights_of_any_bits_are_refused_or_run(
        bytes in prop::collection::vec(any::<u8>(), 0..400), seed in any::<u64>(), at in any::<prop::sample::Index>(),
        value in any::<u8>(),
    ) {
        prop_assert!(Network::load(&bytes).is_err());
        let mut weights = random_weights(Shape { channels: 32, blocks: 1, pooled: 1 }, seed);
        let at = at.index(weights.len());
        if weights[at] != value {
            weights[at] = value;
            prop_assert!(Network::load(&weights).is_err(), "byte {} changed unnoticed", at);
            if let Ok(network) = Network::load(&sealed(weights)) {
                let (position, last_moves) = random_position(Size::new(5, 4).unwrap(), seed, 9);
                for kernel in Kernel::available() {
                    answer_of_any(&Arc::new(network.clone()), kernel, &position, &last_moves);
                }
            }
        }
    }
}

fn answer_of_any(network: &Arc<Network>, kernel: Kernel, position: &Position, last_moves: &[Move]) {
    let mut evaluator = Evaluator::with_kernel(Arc::clone(network), position.size(), kernel);
    let evaluation = evaluator.evaluate(&situation(position, last_moves), Symmetry::IDENTITY);
    let mut chances = vec![0; evaluation.policy.len()];
    evaluation.move_probabilities(|_| true, &mut chances);
    if let Some(score) = evaluation.score {
        let _ = score.win_rate(i32::MAX);
    }
}

#[test]
fn an_evaluator_gives_the_same_answer_again_after_another() {
    let network =
        Arc::new(Network::load(&random_weights(Shape { channels: 32, blocks: 2, pooled: 2 }, 3)).unwrap());
    let size = Size::new(9, 7).unwrap();
    let mut evaluator = Evaluator::new(network, size);
    let (first, first_moves) = random_position(size, 1, 20);
    let (second, second_moves) = random_position(size, 2, 40);
    let mut ask = |position: &Position, moves: &[Move]| {
        evaluator.evaluate(&situation(position, moves), Symmetry::IDENTITY).policy.to_vec()
    };
    let before = ask(&first, &first_moves);
    assert_ne!(ask(&second, &second_moves), before);
    assert_eq!(ask(&first, &first_moves), before);
}

#[test]
fn a_turned_position_under_the_turned_symmetry_is_the_same_input() {
    let network =
        Arc::new(Network::load(&random_weights(Shape { channels: 32, blocks: 1, pooled: 1 }, 5)).unwrap());
    let size = Size::new(7, 7).unwrap();
    let stones = [(Player::Black, Move(9)), (Player::White, Move(17)), (Player::Black, Move(30))];
    let plain = |symmetry: Symmetry| {
        let mut board = Board::new(size);
        for (player, mv) in stones {
            let point = board.geometry().point_of(symmetry.apply(mv, size)).unwrap();
            board.place(point, player);
        }
        board
    };
    let mut evaluator = Evaluator::new(network, size);
    for symmetry in Symmetry::all(size) {
        let ask = |evaluator: &mut Evaluator, board: &Board, last: Move, symmetry| {
            let situation = InputPosition {
                board,
                to_play: Player::White,
                last_moves: &[last],
                has_passes: true,
                komi: Komi(15),
            };
            evaluator.evaluate(&situation, symmetry).policy.to_vec()
        };
        let here = ask(&mut evaluator, &plain(Symmetry::IDENTITY), Move(30), symmetry);
        let last = symmetry.apply(Move(30), size);
        let there = ask(&mut evaluator, &plain(symmetry), last, Symmetry::IDENTITY);
        for number in 0..=size.points() as u16 {
            let turned = symmetry.apply(Move(number), size);
            assert_eq!(here[usize::from(number)], there[turned.index()], "{symmetry:?}");
        }
    }
}

#[test]
fn files_that_are_no_network_are_refused_in_one_line() {
    let good = random_weights(Shape { channels: 32, blocks: 1, pooled: 0 }, 1);
    let with = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        sealed(bytes)
    };
    let errors = [
        (Vec::new(), "not a weights file"),
        (b"GIF89a".to_vec(), "not a weights file"),
        (good[..40].to_vec(), "has 40 bytes"),
        (good[..good.len() - 1].to_vec(), "it is incomplete"),
        ([&good[..], &[0]].concat(), "has extra data"),
        (vec![0; 500_001], "at most 500000 bytes, found 500001"),
        (with(8, 3), "the weights file has version 3"),
        (with(12, 31), "31 channels"),
        (with(13, 1), "288 channels"),
        (with(14, 33), "33 blocks"),
        (with(20, 2), "global pooling in blocks 0b10 of 1"),
        (with(19, 0x80), "input planes 0x80000000"),
        (with(64 + 9 * 32 * 32, 16), "damaged"),
        ([&good[..100], &[good[100] ^ 1], &good[101..]].concat(), "damaged"),
    ];
    for (bytes, words) in errors {
        let error: WeightsError = Network::load(&bytes).expect_err(words);
        let text = error.to_string();
        assert!(text.contains(words) && !text.contains('\n'), "{text}");
    }
    assert!(Network::load(&good).is_ok());
}

#[test]
fn the_score_counts_owners_but_in_files_of_the_first_version() {
    let counting = random_weights(Shape { channels: 32, blocks: 1, pooled: 1 }, 3);
    let mut alone = counting.clone();
    alone[8] = 1;
    let size = Size::new(9, 9).unwrap();
    let (position, last_moves) = random_position(size, 8, 30);
    let [counting, alone] = [counting, sealed(alone)].map(|bytes| {
        let mut evaluator = Evaluator::new(Arc::new(Network::load(&bytes).unwrap()), size);
        let evaluation = evaluator.evaluate(&situation(&position, &last_moves), Symmetry::IDENTITY);
        let points = (0..size.points() as u16).map(Move);
        let owners: f64 =
            points.map(|point| 2.0 * evaluation.owner_probability(point).unwrap().as_f64() - 1.0).sum();
        (evaluation.score.unwrap().lead(0), owners)
    });
    let counted = counting.0 - alone.0;
    assert!(counting.1.abs() > 1.0 && (counted - counting.1).abs() < 1e-3, "{counted} {}", counting.1);
}
