//! Unconditional life and the points that it settles.

use super::board::{Board, cell};
use super::geometry::{CELLS, Point};
use crate::base::game::Player;

/// Minimum number of points of a region, without a stone of the player beside them, in which the opponent may make two eyes.
const MIN_POINTS_FOR_TWO_EYES: usize = 2;

/// A connected set of points without a stone of the player.
struct Region {
    points: Vec<Point>,
    /// The player's chains beside the region, by name.
    borders: Vec<Point>,
    /// The chains of `borders` to which the region is vital: each has all points that are or may become empty as liberties.
    vital_to: Vec<Point>,
}

/// Returns the owner of each point that is settled whatever is played, by move number; `None` for open points.
///
/// A chain is unconditionally alive if its owner may pass forever: it belongs to a set of chains each of which has two vital
/// regions surrounded by chains of the set alone. A region is vital to a chain if all its empty points are liberties of the
/// chain: the opponent cannot fill the last one. Stones of such chains are settled. Regions that they alone surround are
/// settled if at most one point is not adjacent to them, since no group can make two eyes there. If `suicide` of several
/// stones is allowed, the opponent can empty points again: then all points of a vital region must be beside the chain.
///
/// Source: D. B. Benson, "Life in the game of Go", Information Sciences 10 (1976), theorem 1.
#[must_use]
pub fn unconditional_owners(board: &Board, suicide: bool) -> Vec<Option<Player>> {
    let geometry = board.geometry();
    let mut owners = vec![None; geometry.points.len()];
    for player in Player::BOTH {
        let regions = regions(board, player, suicide);
        let alive = alive_chains(&regions);
        let is_alive = |name: &Point| alive.contains(name);
        for &point in &geometry.points {
            if board.stone_at(point) == Some(player) && is_alive(&board.chain(point)) {
                owners[geometry.move_of(point).index()] = Some(player);
            }
        }
        let surrounded = regions.iter().filter(|region| region.borders.iter().all(is_alive));
        for region in surrounded.filter(|region| !region.borders.is_empty()) {
            let is_inside = |point: &&Point| !has_beside(board, **point, player);
            if region.points.iter().filter(is_inside).count() < MIN_POINTS_FOR_TWO_EYES {
                region
                    .points
                    .iter()
                    .for_each(|&point| owners[geometry.move_of(point).index()] = Some(player));
            }
        }
    }
    owners
}

/// Returns the largest set of chains each of which has two vital regions that the set alone surrounds.
fn alive_chains(regions: &[Region]) -> Vec<Point> {
    let mut alive: Vec<Point> = regions.iter().flat_map(|region| region.vital_to.iter().copied()).collect();
    alive.sort_unstable();
    alive.dedup();
    loop {
        let surrounded: Vec<&Region> =
            regions.iter().filter(|region| region.borders.iter().all(|name| alive.contains(name))).collect();
        let eyes = |name: &Point| surrounded.iter().filter(|region| region.vital_to.contains(name)).count();
        let kept: Vec<Point> = alive.iter().copied().filter(|name| eyes(name) >= 2).collect();
        if kept.len() == alive.len() {
            return kept;
        }
        alive = kept;
    }
}

fn regions(board: &Board, player: Player, suicide: bool) -> Vec<Region> {
    let mut done = [false; CELLS];
    let mut regions = Vec::new();
    for &start in &board.geometry().points {
        if !done[start.index()] && board.stone_at(start) != Some(player) {
            regions.push(region(board, player, suicide, start, &mut done));
        }
    }
    regions
}

fn region(board: &Board, player: Player, suicide: bool, start: Point, done: &mut [bool; CELLS]) -> Region {
    let mut points = vec![start];
    let mut borders = Vec::new();
    done[start.index()] = true;
    let mut next = 0;
    while next < points.len() {
        for neighbour in board.neighbours4(points[next]) {
            if board.stone_at(neighbour) == Some(player) {
                borders.push(board.chain(neighbour));
            } else if board.cell(neighbour) != cell::BORDER && !done[neighbour.index()] {
                done[neighbour.index()] = true;
                points.push(neighbour);
            }
        }
        next += 1;
    }
    borders.sort_unstable();
    borders.dedup();
    let is_beside = |point: Point, name: Point| {
        let is_of_chain = |at: &Point| board.stone_at(*at) == Some(player) && board.chain(*at) == name;
        board.neighbours4(point).iter().any(is_of_chain)
    };
    let mut vital_to = borders.clone();
    for &point in points.iter().filter(|point| suicide || board.cell(**point) == cell::EMPTY) {
        vital_to.retain(|&name| is_beside(point, name));
    }
    Region { points, borders, vital_to }
}

fn has_beside(board: &Board, point: Point, player: Player) -> bool {
    board.neighbours4(point).iter().any(|&neighbour| board.stone_at(neighbour) == Some(player))
}
