//! Random games to the end.

use super::board::{Board, ORTHOGONAL};
use super::geometry::Point;
use super::liberties::Liberties;
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
                board.place_in_playout(point, player);
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
        // One draw for both chances: bits that do not overlap are independent.
        let chances = rng.next_u64();
        let is_below = |shift: u32, chance: u32| (chances >> shift & 0xff) < u64::from(chance);
        let mut chosen = None;
        if is_below(56, ATARI_CHANCE) {
            chosen = atari_move(board, player, last, rng);
        }
        if chosen.is_none() && is_below(48, PATTERN_CHANCE) {
            chosen = pattern_move(board, patterns, player, last, rng);
        }
        let chosen = chosen.or_else(|| random_move(board, player, rng));
        let mv = match chosen {
            Some(point) => {
                board.place_in_playout(point, player);
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
    for point in last {
        if tactics::may_answer_atari(board, point, player) {
            let mut moves = Moves::new();
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
    for centre in last {
        if centre == Point::NONE {
            continue;
        }
        let neighbours = board.neighbours8(centre);
        let mut candidates = pattern_candidates(board, patterns, centre);
        while candidates != 0 {
            let bit = random_bit(candidates, rng);
            candidates ^= bit;
            let point = neighbours[(bit.trailing_zeros() / 2) as usize & 7];
            match safety(board, point, player) {
                Safety::Safe => return Some(point),
                Safety::SelfAtari if !rng.chance(PATTERN_SELF_ATARI_CHANCE) => return Some(point),
                Safety::SelfAtari | Safety::Illegal => {}
            }
        }
    }
    None
}

/// Which of the eight neighbours of `centre` are empty and match a pattern, as the low bits of the fields of its
/// neighbourhood.
#[inline]
fn pattern_candidates(board: &Board, patterns: &Patterns, centre: Point) -> u16 {
    let around = board.neighbourhood(centre);
    let mut matching = 0_u64;
    // All eight are looked up, stones and border too: cheaper than a branch for each.
    for (k, point) in board.neighbours8(centre).into_iter().enumerate() {
        matching |= patterns.matches_as_bit(board.neighbourhood(point)) << (2 * k);
    }
    matching as u16 & !(around | around >> 1)
}

/// One of the bits that are set in `mask`, which is not 0.
#[inline]
fn random_bit(mut mask: u16, rng: &mut PlayoutRng) -> u16 {
    let ones = mask.count_ones() as usize;
    if ones > 1 {
        for _ in 0..rng.below(ones) {
            mask &= mask - 1;
        }
    }
    mask & mask.wrapping_neg()
}

/// What becomes of a stone at once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Safety {
    /// It may not be placed there: ko or suicide.
    Illegal,
    /// Its chain has one liberty.
    SelfAtari,
    /// Two liberties or more.
    Safe,
}

/// What becomes of a stone of `player` on the empty `point`.
#[inline]
fn safety(board: &Board, point: Point, player: Player) -> Safety {
    let around = board.neighbourhood(point);
    let free = !(around | around >> 1) & ORTHOGONAL;
    // Two empty neighbours are two liberties, and no ko.
    if free & free.wrapping_sub(1) != 0 {
        return Safety::Safe;
    }
    let liberties = board.liberties_after(point, player);
    if liberties == Liberties::NONE || point == board.ko() {
        Safety::Illegal
    } else if liberties.at_most_one_point() {
        Safety::SelfAtari
    } else {
        Safety::Safe
    }
}

/// A random move that fills no own eye and mostly does not put itself in atari.
#[inline]
fn random_move(board: &mut Board, player: Player, rng: &mut PlayoutRng) -> Option<Point> {
    let mut draws = Draws::of(board);
    let mut refusals = 0;
    while let Some(point) = draws.next(board, rng) {
        let safety = if board.is_eye(point, player) { Safety::Illegal } else { safety(board, point, player) };
        match safety {
            Safety::Illegal => draws.refuse(board),
            // It may be drawn again.
            Safety::SelfAtari if refusals < SELF_ATARI_REFUSALS && rng.chance(RANDOM_SELF_ATARI_CHANCE) => {
                refusals += 1;
            }
            Safety::SelfAtari | Safety::Safe => return Some(point),
        }
    }
    None
}

/// Random moves into atari that are refused before one is taken as it comes.
const SELF_ATARI_REFUSALS: usize = 4;

/// Whether a light playout may move there.
#[inline]
fn is_acceptable(board: &Board, point: Point, player: Player) -> bool {
    let around = board.neighbourhood(point);
    let has_empty_neighbour = !(around | around >> 1) & ORTHOGONAL != 0;
    point != board.ko()
        && (has_empty_neighbour || (!board.is_eye(point, player) && board.is_not_suicide(point, player)))
}

/// One of the acceptable moves, each with the same probability; `None` if there is none. The order of the board's empty
/// points changes.
#[inline]
pub fn uniform_move(board: &mut Board, player: Player, rng: &mut PlayoutRng) -> Option<Point> {
    let mut draws = Draws::of(board);
    while let Some(point) = draws.next(board, rng) {
        if is_acceptable(board, point, player) {
            return Some(point);
        }
        draws.refuse(board);
    }
    None
}

/// Draws from the empty points. What is refused goes to the end of the board's list and is not drawn again: towards the
/// end of a game few points are acceptable. Every point that was not refused is equally likely.
struct Draws {
    left: usize,
    slot: usize,
}

impl Draws {
    #[inline]
    fn of(board: &Board) -> Draws {
        Draws { left: board.empty_points().len(), slot: 0 }
    }

    #[inline]
    fn next(&mut self, board: &Board, rng: &mut PlayoutRng) -> Option<Point> {
        if self.left == 0 {
            return None;
        }
        self.slot = rng.below(self.left);
        board.empty_points().get(self.slot).copied()
    }

    /// Refuses the point drawn last.
    #[inline]
    fn refuse(&mut self, board: &mut Board) {
        self.left -= 1;
        board.swap_empty_points(self.slot, self.left);
    }
}
