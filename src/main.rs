//! scratch
use tewari::game::*;
use tewari::go::*;
fn main() {
    for s in [9usize, 13, 19] {
        let board = Board::new(Size::new(s, s).unwrap());
        let mut rng = tewari::rng::PlayoutRng::new(1, 0);
        let mut scratch = board.clone();
        let mut trace = Trace::default();
        let n = 200_000;
        let t = std::time::Instant::now();
        let mut moves = 0u64;
        let mut wins = [0u64; 5];
        for _ in 0..n {
            scratch.clone_from(&board);
            trace.moves.clear();
            let sc = playout::light(&mut scratch, Player::Black, 0, &mut rng, &mut trace);
            moves += trace.moves.len() as u64;
            for (i, k) in [0i32, 11, 13, 14, 15].iter().enumerate() {
                wins[i] += Komi(*k).outcome_for_black(sc).half_points() as u64;
            }
        }
        let e = t.elapsed().as_secs_f64();
        println!(
            "{s}: {:.0} playouts/s, {:.3} moves, {:.1} ns/move, {:.1} tsc/move {:?}",
            n as f64 / e,
            moves as f64 / n as f64,
            e * 1e9 / moves as f64,
            e * 2.596e9 / moves as f64,
            wins.map(|w| w as f64 / 2.0 / n as f64)
        );
    }
}
