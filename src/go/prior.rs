//! What is known of a move before it is tried: imagined simulations, won or lost.
//!
//! The kinds and weights are michi's (P. Baudis; its `PRIOR_*` constants), which follow Fuego's and
//! Pachi's. Part of it looks at the last move, so two orders of moves may create a shared position with
//! different priors; the first to arrive decides.

use super::board::{Board, cell, stone};
use super::geometry::{CELLS, Point};
use super::pattern::Patterns;
use super::tactics::{self, Moves};
use crate::game::{Outcome, Player, Prior};

/// Every move: as many won as lost.
const EVEN: u8 = 10;
/// Lost, for a move into atari.
const SELF_ATARI: u8 = 10;
/// Won, for saving or capturing one stone, or more.
const CAPTURE_ONE: u8 = 15;
const CAPTURE_MANY: u8 = 30;
/// Won, for a 3x3 pattern.
const PATTERN: u8 = 10;
/// Won, by distance from the last move, 1 to 3.
const DISTANCE: [u8; 3] = [24, 22, 8];
/// Won on the third and fourth line, lost below, where no stone is near.
const EMPTY_AREA: u8 = 10;
/// Lost, for filling an own eye.
const OWN_EYE: u8 = 100;
/// Lost, for a pass that does not end the game; won or lost, for one that does.
const PASS: u8 = 20;
const LAST_PASS: u8 = 200;

trait Opinion {
    fn add(&mut self, won: u8, of: u8);
}

impl Opinion for Option<Prior> {
    fn add(&mut self, won: u8, of: u8) {
        if let Some(prior) = self {
            prior.visits = prior.visits.saturating_add(of).min(254);
            prior.wins = prior.wins.saturating_add(won).min(prior.visits);
        }
    }
}

/// Adds knowledge of Go to the priors of the legal moves (`Some`) of `player`. `last`: the last two moves,
/// the latest first. `after_pass`: how the game ends for `player` by passing, if the opponent just did.
/// `priors.len() == points + 1`, by move number.
pub fn add_knowledge(
    board: &Board,
    player: Player,
    last: [Point; 2],
    after_pass: Option<Outcome>,
    priors: &mut [Option<Prior>],
) {
    let geometry = board.geometry();
    let patterns = Patterns::get();
    let near_last = distances(board, last[0]);
    for (&point, prior) in geometry.points.iter().zip(priors.iter_mut()) {
        if prior.is_none() {
            continue;
        }
        prior.add(EVEN / 2, EVEN);
        if board.is_eye(point, player) {
            prior.add(0, OWN_EYE);
            continue;
        }
        if let Some(&bonus) =
            usize::from(near_last[point.index()]).checked_sub(1).and_then(|distance| DISTANCE.get(distance))
        {
            prior.add(bonus, bonus);
        }
        if patterns.matches(board.neighbourhood(point)) {
            prior.add(PATTERN, PATTERN);
        }
        if board.is_self_atari(point, player) {
            prior.add(0, SELF_ATARI);
        }
        if is_empty_area(board, point) {
            let low = geometry.edge_distance[point.index()] < 2;
            prior.add(if low { 0 } else { EMPTY_AREA }, EMPTY_AREA);
        }
    }
    add_captures(board, player, priors);
    if let Some(pass) = priors.last_mut() {
        match after_pass {
            None => pass.add(0, PASS),
            Some(Outcome::Loss) => pass.add(0, LAST_PASS),
            Some(Outcome::Draw) => pass.add(LAST_PASS / 2, LAST_PASS),
            // Tried at once, and then proven.
            Some(Outcome::Win) => pass.add(LAST_PASS, LAST_PASS),
        }
    }
}

/// Prefers what saves own chains in atari and captures the opponent's, anywhere on the board.
fn add_captures(board: &Board, player: Player, priors: &mut [Option<Prior>]) {
    let geometry = board.geometry();
    for &point in &geometry.points {
        let colour = board.cell(point);
        if colour == cell::EMPTY || board.chain(point) != point || !board.in_atari(point) {
            continue;
        }
        let mut moves = Moves::new();
        if colour == stone(player) {
            tactics::add_saving_moves(board, point, player, &mut moves);
        } else {
            tactics::add_capturing_move(board, point, player, &mut moves);
        }
        let bonus = if board.chain_size(point) == 1 { CAPTURE_ONE } else { CAPTURE_MANY };
        for &mv in moves.as_slice() {
            priors[geometry.move_of(mv).index()].add(bonus, bonus);
        }
    }
}

/// Whether no stone is within two points along both axes (and at most three in sum).
fn is_empty_area(board: &Board, point: Point) -> bool {
    let stride = board.geometry().stride as i32;
    (-3..=3_i32).all(|row| {
        (-3 + row.abs()..=3 - row.abs()).all(|column| {
            let at = i32::from(point.0) + row * stride + column;
            let Ok(at) = u16::try_from(at) else { return true };
            !matches!(board.cell(Point(at)), cell::BLACK | cell::WHITE)
        })
    })
}

/// Distance of every cell from `start` up to 3, where a step within a chain costs nothing: the "common
/// fate graph" (Graepel et al. 2001); 0 for what is farther or unreachable, and for `start` itself.
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
