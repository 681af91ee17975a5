//! Time of one evaluation by the embedded network: three boards, every kernel that the processor supports.

use criterion::{BenchmarkId, Criterion};
use std::hint::black_box;
use std::time::Duration;
use tewari::base::game::{Move, Player};
use tewari::base::rng::PlayoutRng;
use tewari::go::{Board, Komi, Size, Symmetry};
use tewari::network::kernels::Kernel;
use tewari::network::{Evaluator, InputPosition, Network};

/// Returns a board with stones on about a third of its points, as in the middle of a game.
fn middle_game(size: Size) -> Board {
    let mut board = Board::new(size);
    let mut rng = PlayoutRng::new(1, 0);
    let mut player = Player::Black;
    for _ in 0..size.points() / 3 {
        let empty = board.empty_points();
        let point = empty[rng.below(empty.len())];
        if board.is_not_suicide(point, player) {
            board.place(point, player);
            player = player.other();
        }
    }
    board
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .configure_from_args();
    for kernel in Kernel::available() {
        let mut group = criterion.benchmark_group(format!("{kernel:?} evaluation"));
        for side in [9, 13, 19] {
            let size = Size::new(side, side).expect("a size");
            let board = middle_game(size);
            let situation = InputPosition {
                board: &board,
                to_play: Player::Black,
                last_moves: &[Move(20), Move(22)],
                has_passes: true,
                komi: Komi(15),
            };
            let mut evaluator = Evaluator::with_kernel(Network::embedded(size), size, kernel);
            group.bench_function(BenchmarkId::from_parameter(format!("{side}x{side}")), |bencher| {
                bencher.iter(|| black_box(evaluator.evaluate(&situation, Symmetry::IDENTITY).policy[0]));
            });
        }
        group.finish();
    }
    criterion.final_summary();
}
