//! Priors of moves: virtual simulations, won or lost.
//!
//! The kinds and weights are michi's (P. Baudis; its `PRIOR_*` constants), which follow Fuego's and Pachi's. Some depend on
//! the last move, if the position's key contains it. Ladders are read here, not in playouts.

use super::board::{Board, cell, stone};
use super::geometry::{CELLS, Point};
use super::ladder::LadderReader;
use super::pattern::Patterns;
use super::score::owners;
use super::tactics::{self, TacticalMoves};
use crate::base::game::{Outcome, Player, Prior};
use crate::base::zobrist::SIDE;

/// Simulations for every move, half of them won.
const EVEN_VISITS: u8 = 10;
/// Lost simulations for self-atari.
const SELF_ATARI_VISITS: u8 = 10;
/// Won simulations for saving or capturing one stone, or more.
const CAPTURE_ONE_VISITS: u8 = 15;
const CAPTURE_MANY_VISITS: u8 = 30;
/// Won simulations for a 3x3 pattern.
const PATTERN_VISITS: u8 = 10;
/// Won simulations by distance from the last move, 1 to 3.
const DISTANCE_VISITS: [u8; 3] = [24, 22, 8];
/// Simulations for a move with no stone within three steps: won from the third line up, lost below it.
const EMPTY_AREA_VISITS: u8 = 10;
/// Lost simulations for filling an own eye.
const OWN_EYE_VISITS: u8 = 100;
/// Simulations for a pass that does not end the game: lost, but for one if few moves are left.
const PASS_VISITS: u8 = 20;
/// Simulations for a pass that ends the game, won or lost as the game is.
const LAST_PASS_VISITS: u8 = 200;

/// Returns true if at most an eighth of the points are legal moves (`Some`). All of them may then fill own eyes or break a
/// seki, and a pass is worth trying.
#[must_use]
pub fn has_few_moves(moves: &[Option<Prior>]) -> bool {
    8 * moves.iter().flatten().count() <= moves.len()
}

trait AddPrior {
    fn add(&mut self, won: u8, of: u8);
}

impl AddPrior for Option<Prior> {
    fn add(&mut self, won: u8, of: u8) {
        if let Some(prior) = self {
            prior.add(won, of);
        }
    }
}

/// Adds Go knowledge to the priors of the legal moves (`Some`) of `player`, by move number; `priors.len() == points + 1`.
/// `last` is the last move. `after_pass` is the outcome for `player` of a pass, if it ends the game.
pub fn add_priors(
    board: &Board,
    player: Player,
    last: Point,
    after_pass: Option<Outcome>,
    priors: &mut [Option<Prior>],
) {
    let geometry = board.geometry();
    let shapes = Shapes::new(board, last);
    for (mv, (&point, prior)) in geometry.points.iter().zip(priors.iter_mut()).enumerate() {
        if prior.is_none() {
            continue;
        }
        prior.add(EVEN_VISITS / 2, EVEN_VISITS);
        if board.is_eye(point, player) {
            prior.add(0, OWN_EYE_VISITS);
            continue;
        }
        shapes.add(mv, point, prior);
        if board.is_self_atari(point, player) {
            prior.add(0, SELF_ATARI_VISITS);
        }
    }
    add_captures(board, player, priors);
    let points = priors.len() - 1;
    let has_few = has_few_moves(&priors[..points]);
    if let Some(pass) = priors.last_mut() {
        match after_pass {
            None => pass.add(u8::from(has_few), PASS_VISITS),
            Some(Outcome::Loss) => pass.add(0, LAST_PASS_VISITS),
            Some(Outcome::Draw) => pass.add(LAST_PASS_VISITS / 2, LAST_PASS_VISITS),
            // A winning pass is tried at once and then proven.
            Some(Outcome::Win) => pass.add(LAST_PASS_VISITS, LAST_PASS_VISITS),
        }
    }
}

/// Makes a pass under territory scoring, where it costs nothing, an even move if at most an eighth of the board's
/// points are neutral.
pub fn add_pass_for_territory(board: &Board, priors: &mut [Option<Prior>]) {
    let owners = owners(board);
    let neutral = board.empty_points().iter().filter(|point| owners[point.index()] == cell::EMPTY).count();
    if 8 * neutral <= board.size().points()
        && let Some(pass) = priors.last_mut()
    {
        pass.add(PASS_VISITS, PASS_VISITS);
    }
}

/// Priors by the stones around a move and by its distance from the last move.
struct Shapes<'b> {
    board: &'b Board,
    patterns: &'static Patterns,
    near_last: [u8; CELLS],
    near_stones: [u32; SIDE],
}

impl Shapes<'_> {
    fn new(board: &Board, last: Point) -> Shapes<'_> {
        Shapes {
            board,
            patterns: Patterns::get(),
            near_last: distances(board, last),
            near_stones: near_stones(board),
        }
    }

    fn add(&self, mv: usize, point: Point, prior: &mut Option<Prior>) {
        let near_last = usize::from(self.near_last[point.index()]);
        if let Some(&bonus) = near_last.checked_sub(1).and_then(|distance| DISTANCE_VISITS.get(distance)) {
            prior.add(bonus, bonus);
        }
        if self.patterns.matches(self.board.neighbourhood(point)) {
            prior.add(PATTERN_VISITS, PATTERN_VISITS);
        }
        let columns = self.board.size().columns();
        let (column, row) = (mv % columns, mv / columns);
        if self.near_stones[row] >> column & 1 == 0 {
            let low = self.board.geometry().edge_distance[point.index()] < 2;
            prior.add(if low { 0 } else { EMPTY_AREA_VISITS }, EMPTY_AREA_VISITS);
        }
    }
}

/// Adds the bonus of captures, on the whole board: the last liberty of an enemy chain, an atari that begins a working
/// ladder, and an extension or capture that saves an own chain from capture or a ladder.
fn add_captures(board: &Board, player: Player, priors: &mut [Option<Prior>]) {
    let geometry = board.geometry();
    let mut ladders = LadderReader::new(board);
    for &point in &geometry.points {
        let colour = board.cell(point);
        if colour == cell::EMPTY || board.chain(point) != point {
            continue;
        }
        let is_own = colour == stone(player);
        let mut moves = TacticalMoves::new();
        match (is_own, board.liberties::<3>(point).as_slice()) {
            (true, [_]) => ladders.escaping_moves(point).as_slice().iter().for_each(|&mv| moves.push(mv)),
            (true, [_, _]) => {
                let defending = ladders.defending_moves(point).unwrap_or_default();
                defending.as_slice().iter().for_each(|&mv| moves.push(mv));
            }
            (false, &[only]) if tactics::is_playable(board, only, player) => moves.push(only),
            (false, [_, _]) => ladders.catching_moves(point).as_slice().iter().for_each(|&mv| moves.push(mv)),
            _ => {}
        }
        let bonus = if board.chain_size(point) == 1 { CAPTURE_ONE_VISITS } else { CAPTURE_MANY_VISITS };
        for &mv in moves.as_slice() {
            priors[geometry.move_of(mv).index()].add(bonus, bonus);
        }
    }
}

/// Returns the points with a stone at most three steps away along lines of the board: bit `c` of row `r` is column `c`.
fn near_stones(board: &Board) -> [u32; SIDE] {
    let size = board.size();
    let (columns, rows) = (size.columns(), size.rows());
    let full = u32::MAX >> (32 - columns);
    let mut stones = [0_u32; SIDE];
    for (index, &point) in board.geometry().points.iter().enumerate() {
        stones[index / columns] |= u32::from(board.cell(point) != cell::EMPTY) << (index % columns);
    }
    let mut near = [0; SIDE];
    for row in 0..rows {
        let mut spread = stones[row];
        for distance in (0..=3_usize).rev() {
            // A stone `distance` rows away may be `3 - distance` columns away.
            let beside = |rows_away: usize| {
                let above = if row + rows_away < rows { stones[row + rows_away] } else { 0 };
                let below = if row >= rows_away { stones[row - rows_away] } else { 0 };
                let mut reached = above | below;
                for _ in rows_away..3 {
                    reached |= reached << 1 | reached >> 1;
                }
                reached
            };
            spread |= beside(distance);
        }
        near[row] = spread & full;
    }
    near
}

/// Returns the distance of every cell from `start`, up to 3, with free steps within a chain: the "common fate graph"
/// (Graepel et al. 2001). It is 0 for farther and unreachable cells and for `start` itself.
fn distances(board: &Board, start: Point) -> [u8; CELLS] {
    let mut distance = [0_u8; CELLS];
    if start == Point::NONE {
        return distance;
    }
    let mut reached = [false; CELLS];
    let mut frontier = vec![start];
    reached[start.index()] = true;
    flow_through_chain(board, start, 0, &mut reached, &mut distance, &mut frontier);
    for steps in 1..=3 {
        for point in std::mem::take(&mut frontier) {
            for neighbour in board.neighbours4(point) {
                if board.cell(neighbour) != cell::BORDER && !reached[neighbour.index()] {
                    reached[neighbour.index()] = true;
                    distance[neighbour.index()] = steps;
                    frontier.push(neighbour);
                    flow_through_chain(board, neighbour, steps, &mut reached, &mut distance, &mut frontier);
                }
            }
        }
    }
    distance
}

/// Reaches the whole chain of a stone at the distance of the stone.
fn flow_through_chain(
    board: &Board,
    point: Point,
    steps: u8,
    reached: &mut [bool; CELLS],
    distance: &mut [u8; CELLS],
    frontier: &mut Vec<Point>,
) {
    if board.cell(point) == cell::EMPTY {
        return;
    }
    for own in board.chain_stones(point) {
        if !reached[own.index()] {
            reached[own.index()] = true;
            distance[own.index()] = steps;
            frontier.push(own);
        }
    }
}
