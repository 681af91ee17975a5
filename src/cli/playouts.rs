//! `tewari bench --playouts`: random games without a search.

use super::print::print_line;
use crate::base::game::{Player, Score, Trace};
use crate::base::rng::PlayoutRng;
use crate::go::geometry::Point;
use crate::go::{Board, Komi, PlayoutPolicy, Size};
use anyhow::Result;
use std::time::{Duration, Instant};

const SIDES: [usize; 3] = [9, 13, 19];
const SEED: u64 = 20_081_013;

/// Statistics of D. Dailey's reference bot over 1,000,000 light playouts on 9x9 (computer-go list, 13 October 2008):
/// moves a game, both passes counted, and Black's win rate by komi in half points.
const REFERENCE_LENGTH: &str = "111.03 to 111.07";
const REFERENCE_WINS: [(Komi, f64); 5] =
    [(Komi(0), 0.5245), (Komi(11), 0.4457), (Komi(13), 0.4471), (Komi(14), 0.4334), (Komi(15), 0.4213)];

/// The results of a series of playouts.
struct Sample {
    games: u64,
    moves: u64,
    /// Black's half-points at each komi of [`REFERENCE_WINS`].
    half_points: [u64; REFERENCE_WINS.len()],
    elapsed: Duration,
}

/// Plays `games` games of each policy on 9x9, fewer on larger boards, and prints speed and statistics.
pub(super) fn run(games: u64) -> Result<()> {
    print_line("board  policy  playouts  playouts/s  moves/playout  ns/move")?;
    let mut reference = None;
    for side in SIDES {
        let size = Size::new(side, side)?;
        for policy in [PlayoutPolicy::Light, PlayoutPolicy::MICHI, PlayoutPolicy::default()] {
            let share = SIDES[0] * SIDES[0];
            let sample = sample(size, policy, (games * share as u64 / size.points() as u64).max(1));
            print_line(line(size, policy, &sample))?;
            if reference.is_none() {
                reference = Some(sample);
            }
        }
    }
    reference.map_or(Ok(()), |sample| print_line(comparison(&sample)))
}

fn sample(size: Size, policy: PlayoutPolicy, games: u64) -> Sample {
    let empty = Board::new(size);
    let mut board = empty.clone();
    let mut rng = PlayoutRng::new(SEED, 0);
    let mut trace = Trace::default();
    let mut sample =
        Sample { games, moves: 0, half_points: [0; REFERENCE_WINS.len()], elapsed: Duration::ZERO };
    let started = Instant::now();
    for _ in 0..games {
        board.clone_from(&empty);
        trace.moves.clear();
        let score: Score = policy.play(&mut board, Player::Black, 0, [Point::NONE; 2], &mut rng, &mut trace);
        sample.moves += trace.moves.len() as u64;
        for (sum, (komi, _)) in sample.half_points.iter_mut().zip(REFERENCE_WINS) {
            *sum += u64::from(komi.outcome_for_black(score).half_points());
        }
    }
    sample.elapsed = started.elapsed();
    sample
}

fn line(size: Size, policy: PlayoutPolicy, sample: &Sample) -> String {
    let seconds = sample.elapsed.as_secs_f64();
    format!(
        "{:5}  {:6}  {:8}  {:10.0}  {:13.2}  {:7.1}",
        size.to_string(),
        policy.to_string(),
        sample.games,
        sample.games as f64 / seconds,
        sample.moves as f64 / sample.games as f64,
        1e9 * seconds / sample.moves as f64,
    )
}

/// Returns the statistics of light playouts on 9x9 beside those of the reference bot.
fn comparison(sample: &Sample) -> String {
    let games = sample.games as f64;
    let mut text = format!(
        "light playouts on 9x9, {} games\n  moves a game {:.3} ± {:.3}, reference bot {REFERENCE_LENGTH}",
        sample.games,
        sample.moves as f64 / games,
        // The standard deviation of a game's length is about 10.5 moves.
        1.96 * 10.5 / games.sqrt(),
    );
    for (sum, (komi, expected)) in sample.half_points.iter().zip(REFERENCE_WINS) {
        let share = *sum as f64 / 2.0 / games;
        let error = 1.96 * (share * (1.0 - share) / games).sqrt();
        text += &format!(
            "\n  Black wins at komi {:3.1}: {share:.4} ± {error:.4}, reference bot {expected:.4}",
            komi.points()
        );
    }
    text
}
