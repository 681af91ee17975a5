//! Playouts follow the rules, and light ones agree with Dailey's reference bot.

use crate::common::naive::{NaiveBoard, NaiveGame};
use tewari::base::game::{Game, Move, Player, Score, Trace};
use tewari::base::rng::PlayoutRng;
use tewari::go::PlayoutPolicy;
use tewari::go::playout::light_playout;
use tewari::go::{Board, KoRule, Komi, Position, Rules, Size};

/// The rules of playouts.
const RULES: Rules = Rules { ko: KoRule::Simple, suicide: false, ..Rules::CHINESE };

/// Number of playouts in the sample.
const GAMES: usize = 100_000;

/// Moves a game, both passes counted, in 1,000,000 playouts from the empty 9x9 board by D. Dailey's reference bot
/// (computer-go list, 13 October 2008): the range of its runs.
const MOVES: [f64; 2] = [111.03, 111.07];
/// Black's win rate in the same playouts, by komi in half points; a tie counts half.
const BLACK_WINS: [(i32, f64); 5] = [(0, 0.5245), (11, 0.4457), (13, 0.4471), (14, 0.4334), (15, 0.4213)];

/// Maximum accepted difference of two means, in standard deviations.
///
/// The share of wins in 100,000 games has a standard deviation of sqrt(0.25 / 100,000) = 0.00158; his, in 1,000,000
/// games, of 0.0005; their difference sqrt(0.00158² + 0.0005²) = 0.00166, five of which are 0.0083. The length of a
/// game has a standard deviation of 16 moves, its mean one of 16 / sqrt(100,000) = 0.051, the difference with his
/// 0.053: five are 0.27 moves. A correct bot fails with a probability below 10^-5 for six comparisons, and, with a
/// fixed seed, always or never. A wrong one differs by more: eyes that ignore the edge, or two hostile diagonals, fail.
const DEVIATIONS: f64 = 5.0;

#[test]
fn light_playouts_are_as_long_and_won_as_often_as_those_of_the_reference_bot() {
    let start = Board::new(Size::new(9, 9).expect("a size"));
    let mut board = start.clone();
    let mut rng = PlayoutRng::new(2008, 10);
    let mut trace = Trace::default();
    let (mut scores, mut sum, mut sum_of_squares) = (Vec::with_capacity(GAMES), 0.0, 0.0);
    for _ in 0..GAMES {
        board.clone_from(&start);
        trace.moves.clear();
        scores.push(light_playout(&mut board, Player::Black, 0, &mut rng, &mut trace));
        let length = trace.moves.len() as f64;
        sum += length;
        sum_of_squares += length * length;
    }
    let games = GAMES as f64;
    let mean = sum / games;
    let deviation = (sum_of_squares / games - mean * mean).sqrt();
    assert!((5.0..20.0).contains(&deviation), "the length of a game varies by {deviation}");
    let tolerance = DEVIATIONS * deviation * (1.0 / games + 1.0 / 1e6).sqrt();
    assert!(MOVES[0] - tolerance < mean && mean < MOVES[1] + tolerance, "{mean} moves ± {tolerance}");
    let tolerance = DEVIATIONS * (0.25 / games + 0.25 / 1e6).sqrt();
    for (komi, expected) in BLACK_WINS {
        let half_points = |&score: &Score| Komi(komi).outcome_for_black(score).half_points();
        let share = f64::from(scores.iter().map(half_points).sum::<u32>()) / 2.0 / games;
        let points = Komi(komi).points();
        assert!((share - expected).abs() < tolerance, "Black wins {share} at komi {points}, not {expected}");
    }
}

/// Returns a position from the middle of a random game, and its model: `moves` moves of a playout.
fn middle((columns, rows): (usize, usize), moves: usize, rng: &mut PlayoutRng) -> (Position, NaiveGame) {
    let size = Size::new(columns, rows).expect("a size");
    let mut position = Position::new(size, RULES, Komi(0));
    let mut naive = NaiveGame::new(NaiveBoard::new(columns, rows), Player::Black, RULES);
    let mut trace = Trace::default();
    position.clone().playout(rng, &mut trace);
    for &(_, mv) in trace.moves.iter().take(moves) {
        position.play(mv);
        naive.play((mv != size.pass()).then_some(mv.index()));
    }
    // The model gets no history: playouts look only one move back, and whole boards take time to keep.
    naive.history.clear();
    (position, naive)
}

/// Returns the moves allowed in a light playout: legal points that are not eyes of the player's own.
fn acceptable(naive: &NaiveGame) -> Vec<usize> {
    let may = |&at: &usize| naive.check(at).is_ok() && !naive.board.is_eye(at, naive.to_play);
    (0..naive.board.cells.len()).filter(may).collect()
}

/// Returns true if a move puts six or more of its own stones in atari and captures nothing: the default heavy playouts
/// pass instead.
fn gives_away_many(naive: &NaiveGame, at: usize) -> bool {
    let play = naive.board.play(at, naive.to_play);
    let (stones, liberties) = play.board.group(at);
    stones.len() >= 6 && liberties.len() == 1 && play.captured.is_empty()
}

/// Plays `trace` on the model and checks each move and the score.
fn assert_playout(policy: PlayoutPolicy, mut naive: NaiveGame, trace: &Trace, score: Score) {
    let points = naive.board.cells.len();
    for (ply, &(player, mv)) in trace.moves.iter().enumerate() {
        let context = format!("{policy:?}, move {ply}: {player} {} of {}", mv.0, naive.board.drawing());
        assert_eq!(player, naive.to_play, "{context}");
        assert!(naive.passes < 2, "a move after two passes: {context}");
        if mv.index() == points {
            let left = acceptable(&naive);
            let is_pass_right = match policy {
                PlayoutPolicy::Light => left.is_empty(),
                PlayoutPolicy::Heavy(_) => left.iter().all(|&at| gives_away_many(&naive, at)),
            };
            assert!(is_pass_right, "a pass while there are moves: {context}");
            naive.play(None);
        } else {
            assert_eq!(naive.check(mv.index()), Ok(()), "{context}");
            let is_eye = naive.board.is_eye(mv.index(), player);
            assert!(policy != PlayoutPolicy::Light || !is_eye, "an eye is filled: {context}");
            let is_refused = policy == PlayoutPolicy::default() && gives_away_many(&naive, mv.index());
            assert!(!is_refused, "many stones are given away: {context}");
            naive.play(Some(mv.index()));
        }
        naive.history.clear();
    }
    assert!(naive.passes == 2 || trace.moves.len() >= 3 * points, "{policy:?} ended early");
    assert_eq!(i32::from(score), naive.board.area_score(), "{policy:?}: {}", naive.board.drawing());
}

#[test]
fn a_playout_plays_only_legal_moves_until_both_pass_and_counts_the_area() {
    let mut rng = PlayoutRng::new(5, 0);
    for policy in [PlayoutPolicy::Light, PlayoutPolicy::MICHI, PlayoutPolicy::default()] {
        for size in [(1, 1), (1, 2), (7, 1), (2, 2), (2, 5), (3, 3), (5, 4), (9, 9), (13, 13), (19, 19)] {
            let points = size.0 * size.1;
            for game in 0..(4_000 / points).clamp(20, 80) {
                // Some positions have stones, a ko, White to move, or a pass as last move.
                let moves = rng.below(points + 2).min(game * points);
                let (mut position, naive) = middle(size, moves, &mut rng);
                position.set_playouts(policy);
                let mut trace = Trace::default();
                let score = position.playout(&mut rng, &mut trace);
                assert_playout(policy, naive, &trace, score);
            }
        }
    }
}

#[test]
fn a_playout_is_reproducible_from_its_seed() {
    let start = Position::new(Size::new(9, 9).expect("a size"), Rules::CHINESE, Komi(13));
    for policy in [PlayoutPolicy::Light, PlayoutPolicy::MICHI, PlayoutPolicy::default()] {
        let playouts = |seed: u64| -> Vec<(Score, Vec<(Player, Move)>)> {
            let mut rng = PlayoutRng::new(seed, 3);
            let mut position = start.clone();
            (0..20)
                .map(|_| {
                    // Reuses the position of the last playout, as workers do.
                    position.clone_from(&start);
                    position.set_playouts(policy);
                    let mut trace = Trace::default();
                    (position.playout(&mut rng, &mut trace), trace.moves)
                })
                .collect()
        };
        let first = playouts(1);
        assert_eq!(first, playouts(1), "{policy:?}");
        assert_ne!(first, playouts(2), "{policy:?}");
        assert!(first.iter().all(|playout| *playout == first[0] || playout.1 != first[0].1), "{policy:?}");
        assert_ne!(first[0], first[1], "{policy:?}: one playout goes on where the last left the generator");
    }
}

/// Eight empty points, two of them allowed in Black's light playouts: most random draws are refused.
const MANY_EYES: &str = ". X . X .
                         X X X X X
                         . X . X .
                         X X X X X
                         O O O . .";

/// Returns a position that was set up, and its model.
fn drawn(columns: usize, rows: usize, drawing: &str) -> (Position, NaiveGame) {
    let board = NaiveBoard::from_drawing(columns, rows, drawing);
    let stones: Vec<(Player, Move)> =
        (0..).zip(&board.cells).filter_map(|(at, cell)| cell.map(|player| (player, Move(at)))).collect();
    let size = Size::new(columns, rows).expect("a size");
    let position =
        Position::with_stones(size, RULES, Komi(0), &stones, Player::Black).expect("a legal setup");
    (position, NaiveGame::new(board, Player::Black, RULES))
}

#[test]
fn a_light_playout_moves_to_each_acceptable_point_equally_often() {
    let mut rng = PlayoutRng::new(11, 0);
    let (start, naive) = drawn(5, 5, MANY_EYES);
    assert_eq!((acceptable(&naive).len(), start.board().empty_points().len()), (2, 8));
    assert_uniform(&start, &naive, &mut rng);
    for size in [(2, 3), (4, 4), (5, 5)] {
        for moves in [0, 4, 9, 15, 20, 24] {
            let (start, naive) = middle(size, moves, &mut rng);
            assert_uniform(&start, &naive, &mut rng);
        }
    }
}

fn assert_uniform(start: &Position, naive: &NaiveGame, rng: &mut PlayoutRng) {
    const DRAWS: usize = 20_000;
    let expected = acceptable(naive);
    let mut counts = vec![0_usize; start.move_count()];
    let mut board = start.board().clone();
    let mut trace = Trace::default();
    for _ in 0..DRAWS {
        board.clone_from(start.board());
        trace.moves.clear();
        light_playout(&mut board, start.to_play(), 1, rng, &mut trace);
        counts[trace.moves[0].1.index()] += 1;
    }
    let context = || format!("{} to move on {}: {counts:?}", naive.to_play, naive.board.drawing());
    if expected.is_empty() {
        assert_eq!(counts[start.size().pass().index()], DRAWS, "{}", context());
        return;
    }
    // The number of hits in n draws with probability p has the deviation sqrt(n p (1 - p)); five to either side.
    let chance = 1.0 / expected.len() as f64;
    let tolerance = 5.0 * (DRAWS as f64 * chance * (1.0 - chance)).sqrt();
    for (at, &count) in counts.iter().enumerate() {
        let (mean, limit) =
            if expected.contains(&at) { (DRAWS as f64 * chance, tolerance) } else { (0.0, 0.0) };
        assert!((count as f64 - mean).abs() <= limit, "{at}: {}", context());
    }
}
