//! Random games to the end.

use super::board::{Board, cell};
use super::geometry::{MAX_POINTS, Point};
use super::pattern::Patterns;
use super::score::area_score_after_playout;
use super::tactics::{self, Moves};
use crate::game::{Player, Score, Trace};
use crate::rng::PlayoutRng;

/// How playouts choose their moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayoutPolicy {
    /// Uniform among the legal moves that fill no own one-point eye.
    Light,
    /// Tactics next to the last move and 3x3 patterns first; see [`heavy`].
    Heavy,
}

/// Random draws before the acceptable moves are listed: most points are acceptable for most of a game.
const DRAWS: usize = 6;

/// A playout ends here even when captures go in circles (superko is not obeyed in playouts): Fuego's
/// limit, three times the number of points.
const LENGTH_PER_POINT: usize = 3;

/// Plays uniformly random legal moves that fill no own eye until both players have passed.
///
/// `passes`: how many passes were just made. Simple ko is obeyed, superko is not. Moves, passes
/// included, are appended to `trace`. This is the reference bot of D. Dailey (computer-go list, 13
/// October 2008).
pub fn light(
    board: &mut Board,
    mut player: Player,
    mut passes: u8,
    rng: &mut PlayoutRng,
    trace: &mut Trace,
) -> Score {
    let geometry = board.geometry();
    let end = trace.moves.len() + LENGTH_PER_POINT * geometry.size.points().max(2);
    while passes < 2 && trace.moves.len() < end {
        let mv = match uniform_move(board, player, rng) {
            Some(point) => {
                board.place(point, player);
                passes = 0;
                geometry.move_of(point)
            }
            None => {
                board.clear_ko();
                passes += 1;
                geometry.size.pass()
            }
        };
        trace.moves.push((player, mv));
        player = player.other();
    }
    area_score_after_playout(board)
}

/// Chances, of 256, that a heavy playout looks for each kind of move before it moves at random.
/// Source: michi's PROB_HEURISTIC_CAPTURE .9 and PROB_HEURISTIC_PAT3 .95.
const ATARI_CHANCE: u32 = 230;
const PATTERN_CHANCE: u32 = 243;
/// Chance, of 256, that a pattern move, or a random move, that puts itself in atari is given up.
/// Source: michi's PROB_SSAREJECT .9 and PROB_RSAREJECT .5.
const PATTERN_SELF_ATARI_CHANCE: u32 = 230;
const RANDOM_SELF_ATARI_CHANCE: u32 = 128;

/// Plays to the end like [`light`], but answers ataris and plays local 3x3 patterns first.
///
/// `last`: the last two moves, the latest first. The order of the rules is MoGo's (Gelly et al., INRIA
/// RR-6062, 2006): save or capture stones in atari next to the last move, then a pattern next to it, then
/// a random move; a move into atari is mostly given up.
pub fn heavy(
    board: &mut Board,
    mut player: Player,
    mut passes: u8,
    mut last: [Point; 2],
    rng: &mut PlayoutRng,
    trace: &mut Trace,
) -> Score {
    let geometry = board.geometry();
    let patterns = Patterns::get();
    let end = trace.moves.len() + LENGTH_PER_POINT * geometry.size.points().max(2);
    while passes < 2 && trace.moves.len() < end {
        let chosen = atari_move(board, player, last, rng)
            .or_else(|| pattern_move(board, patterns, player, last, rng))
            .or_else(|| random_move(board, player, rng));
        let mv = match chosen {
            Some(point) => {
                board.place(point, player);
                passes = 0;
                last = [point, last[0]];
                geometry.move_of(point)
            }
            None => {
                board.clear_ko();
                passes += 1;
                last = [Point::NONE, last[0]];
                geometry.size.pass()
            }
        };
        trace.moves.push((player, mv));
        player = player.other();
    }
    area_score_after_playout(board)
}

/// A move that saves or captures stones in atari next to the last two moves.
#[inline]
fn atari_move(board: &Board, player: Player, last: [Point; 2], rng: &mut PlayoutRng) -> Option<Point> {
    if !rng.chance(ATARI_CHANCE) {
        return None;
    }
    let mut moves = Moves::new();
    for point in last {
        if point != Point::NONE {
            tactics::add_atari_answers(board, point, player, &mut moves);
            if !moves.is_empty() {
                return moves.as_slice().get(rng.below(moves.len())).copied();
            }
        }
    }
    None
}

/// A move that matches a 3x3 pattern next to the last two moves.
#[inline]
fn pattern_move(
    board: &Board,
    patterns: &Patterns,
    player: Player,
    last: [Point; 2],
    rng: &mut PlayoutRng,
) -> Option<Point> {
    if !rng.chance(PATTERN_CHANCE) {
        return None;
    }
    for centre in last {
        if centre == Point::NONE {
            continue;
        }
        let mut moves = Moves::new();
        for point in board.neighbours8(centre) {
            if board.cell(point) == cell::EMPTY && patterns.matches(board.neighbourhood(point)) {
                moves.push(point);
            }
        }
        while !moves.is_empty() {
            let point = moves.swap_remove(rng.below(moves.len()));
            if tactics::is_playable(board, point, player)
                && !(tactics::is_self_atari(board, point, player) && rng.chance(PATTERN_SELF_ATARI_CHANCE))
            {
                return Some(point);
            }
        }
    }
    None
}

/// A random move that fills no own eye and mostly does not put itself in atari.
#[inline]
fn random_move(board: &Board, player: Player, rng: &mut PlayoutRng) -> Option<Point> {
    for _ in 0..RANDOM_TRIES {
        let point = uniform_move(board, player, rng)?;
        if !(tactics::is_self_atari(board, point, player) && rng.chance(RANDOM_SELF_ATARI_CHANCE)) {
            return Some(point);
        }
    }
    uniform_move(board, player, rng)
}

/// Random moves refused before one is taken as it comes.
const RANDOM_TRIES: usize = 4;

/// Whether a light playout may move there.
#[inline]
fn is_acceptable(board: &Board, point: Point, player: Player) -> bool {
    let around = board.neighbourhood(point);
    let has_empty_neighbour = !(around | around >> 1) & 0x55 != 0;
    point != board.ko()
        && (has_empty_neighbour || (!board.is_eye(point, player) && board.is_not_suicide(point, player)))
}

/// One of the acceptable moves, each with the same probability; `None` if there is none.
#[inline]
pub fn uniform_move(board: &Board, player: Player, rng: &mut PlayoutRng) -> Option<Point> {
    let empty = board.empty_points();
    for _ in 0..DRAWS {
        // Drawing again after a refusal leaves every acceptable point equally likely.
        let point = *empty.get(rng.below(empty.len()))?;
        if is_acceptable(board, point, player) {
            return Some(point);
        }
    }
    listed_move(board, player, rng)
}

/// The same by looking at all of them.
#[inline(never)]
fn listed_move(board: &Board, player: Player, rng: &mut PlayoutRng) -> Option<Point> {
    let empty = board.empty_points();
    // One bit a point: cheaper to clear than a list.
    let mut acceptable = [0_u64; MAX_POINTS.div_ceil(64)];
    let mut count = 0;
    for (slot, &point) in empty.iter().enumerate() {
        let bit = u64::from(is_acceptable(board, point, player));
        acceptable[slot / 64] |= bit << (slot % 64);
        count += bit as usize;
    }
    if count == 0 {
        return None;
    }
    let mut wanted = rng.below(count);
    for (index, mut bits) in acceptable.into_iter().enumerate() {
        let ones = bits.count_ones() as usize;
        if wanted >= ones {
            wanted -= ones;
            continue;
        }
        for _ in 0..wanted {
            bits &= bits - 1;
        }
        return empty.get(64 * index + bits.trailing_zeros() as usize).copied();
    }
    None
}
