//! Heavy playouts: answers to atari and 3x3 patterns next to the last moves, else random moves.

use super::board::{Board, ORTHOGONAL, stone};
use super::geometry::Point;
use super::liberties::Liberties;
use super::pattern::Patterns;
use super::playout::{EmptyPointDraws, MAX_MOVES_PER_POINT};
use super::point_list::PointList;
use super::score::area_score_after_playout;
use super::tactics::{self, TacticalMoves};
use crate::base::game::{Player, Score, Trace};
use crate::base::rng::PlayoutRng;

/// Probabilities of heavy playouts, in 1/256: of looking for each kind of move, in this order, and of refusing self-atari.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeavyPlayouts {
    /// Looking for a move that saves or captures stones in atari next to the last two moves.
    pub atari: u32,
    /// Looking for a 3x3 pattern next to the last two moves.
    pub pattern: u32,
    /// Refusing a pattern move that is self-atari.
    pub pattern_self_atari: u32,
    /// Refusing a random move that is self-atari; it may be drawn again.
    pub random_self_atari: u32,
    /// Refusing a self-atari of six stones or more that captures nothing; it is not drawn again.
    pub large_self_atari: u32,
}

/// Minimum stones of a self-atari that `large_self_atari` refuses. Fewer may be a sacrifice or leave an eye space too small
/// to live; six are only lost. In a seki both players then pass.
const MIN_STONES_REFUSED: usize = 6;

impl HeavyPlayouts {
    /// michi's probabilities: PROB_HEURISTIC_CAPTURE .9, PROB_HEURISTIC_PAT3 .95, PROB_SSAREJECT .9, PROB_RSAREJECT .5. The
    /// order of the rules is MoGo's (Gelly et al., INRIA RR-6062, 2006).
    pub const MICHI: HeavyPlayouts = HeavyPlayouts {
        atari: 230,
        pattern: 243,
        pattern_self_atari: 230,
        random_self_atari: 128,
        large_self_atari: 0,
    };

    /// The strongest probabilities that were tried: see tools/experiments/decisions.md, section "Board and playouts".
    pub const DEFAULT: HeavyPlayouts = HeavyPlayouts { large_self_atari: 256, ..HeavyPlayouts::MICHI };

    /// Plays until both players have passed or the playout reaches its maximum length; returns the area score without komi.
    ///
    /// `passes` is the number of passes just made, `last` the last two moves, the latest first. Simple ko applies, superko
    /// does not. Moves, passes included, are appended to `trace`.
    pub fn play(
        &self,
        board: &mut Board,
        mut player: Player,
        mut passes: u8,
        mut last: [Point; 2],
        rng: &mut PlayoutRng,
        trace: &mut Trace,
    ) -> Score {
        let geometry = board.geometry();
        let patterns = Patterns::get();
        let end = trace.moves.len() + MAX_MOVES_PER_POINT * geometry.size.points().max(2);
        while passes < 2 && trace.moves.len() < end {
            let mv = match self.choose(board, patterns, player, last, rng) {
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

    #[inline]
    fn choose(
        &self,
        board: &mut Board,
        patterns: &Patterns,
        player: Player,
        last: [Point; 2],
        rng: &mut PlayoutRng,
    ) -> Option<Point> {
        // One draw for all probabilities: bits that do not overlap are independent.
        let probabilities = rng.next_u64();
        let is_tried =
            |kind: u32, probability: u32| (probabilities >> (8 * kind) & 0xff) < u64::from(probability);
        if is_tried(0, self.atari)
            && let Some(point) = atari_move(board, player, last, rng)
        {
            return Some(point);
        }
        if is_tried(1, self.pattern)
            && let Some(point) = self.pattern_move(board, patterns, player, last, rng)
        {
            return Some(point);
        }
        self.random_move(board, player, rng)
    }

    /// Returns a move that matches a 3x3 pattern next to the last two moves.
    #[inline]
    fn pattern_move(
        &self,
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
            let mut candidates = pattern_candidates(board, patterns, centre);
            while candidates != 0 {
                let bit = random_bit(candidates, rng);
                candidates ^= bit;
                let point = board.geometry().neighbour(centre, bit.trailing_zeros() / 2);
                match safety(board, point, player) {
                    Safety::Safe => return Some(point),
                    Safety::SelfAtari
                        if !self.refuses_for_good(board, point, player, rng)
                            && !rng.is_true_in_256(self.pattern_self_atari) =>
                    {
                        return Some(point);
                    }
                    Safety::SelfAtari | Safety::Illegal => {}
                }
            }
        }
        None
    }

    /// Returns a random move that fills no own eye and is rarely self-atari.
    #[inline]
    fn random_move(&self, board: &mut Board, player: Player, rng: &mut PlayoutRng) -> Option<Point> {
        let mut draws = EmptyPointDraws::of(board);
        let mut refusals = 0;
        while let Some(point) = draws.next(board, rng) {
            let safety =
                if board.is_eye(point, player) { Safety::Illegal } else { safety(board, point, player) };
            match safety {
                Safety::Illegal => draws.refuse(board),
                Safety::SelfAtari if self.refuses_for_good(board, point, player, rng) => draws.refuse(board),
                // It may be drawn again.
                Safety::SelfAtari
                    if refusals < MAX_SELF_ATARI_REFUSALS && rng.is_true_in_256(self.random_self_atari) =>
                {
                    refusals += 1;
                }
                Safety::SelfAtari | Safety::Safe => return Some(point),
            }
        }
        None
    }

    /// Returns true if a self-atari is refused for good: it gives away [`MIN_STONES_REFUSED`] stones or more and captures
    /// nothing.
    #[inline]
    fn refuses_for_good(&self, board: &Board, point: Point, player: Player, rng: &mut PlayoutRng) -> bool {
        self.large_self_atari > 0
            && stones_after(board, point, player) >= MIN_STONES_REFUSED
            && board.captures(point, player).is_empty()
            && rng.is_true_in_256(self.large_self_atari)
    }
}

/// Most refusals of random self-ataris before one is accepted.
const MAX_SELF_ATARI_REFUSALS: usize = 4;

/// Returns the number of stones of the chain that a stone of `player` on `point` would form.
fn stones_after(board: &Board, point: Point, player: Player) -> usize {
    let mut chains: PointList<4> = PointList::new();
    let mut stones = 1;
    for neighbour in board.neighbours4(point) {
        if board.cell(neighbour) == stone(player) && !chains.contains(board.chain(neighbour)) {
            chains.push(board.chain(neighbour));
            stones += board.chain_size(neighbour);
        }
    }
    stones
}

/// Returns a move that answers atari next to the last two moves: it captures the enemy's last move or saves an own chain
/// beside either.
#[inline]
fn atari_move(board: &Board, player: Player, last: [Point; 2], rng: &mut PlayoutRng) -> Option<Point> {
    for point in last {
        if tactics::may_answer_atari(board, point, player) {
            let mut moves = TacticalMoves::new();
            tactics::add_atari_answers(board, point, player, &mut moves);
            if !moves.is_empty() {
                return moves.as_slice().get(rng.below(moves.len())).copied();
            }
        }
    }
    None
}

/// Returns the empty neighbours of `centre` that match a pattern, as the low bits of their two-bit fields.
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

/// Returns a random bit that is set in `mask`, which is not 0.
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

/// The immediate safety of a stone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Safety {
    /// An illegal stone: ko or suicide.
    Illegal,
    /// A stone in a chain with one liberty.
    SelfAtari,
    /// A stone in a chain with two liberties or more.
    Safe,
}

/// Returns the safety of a stone of `player` on the empty `point`.
#[inline]
fn safety(board: &Board, point: Point, player: Player) -> Safety {
    let around = board.neighbourhood(point);
    let free = !(around | around >> 1) & ORTHOGONAL;
    // Two empty neighbours are two liberties and rule out a ko.
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
