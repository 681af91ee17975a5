//! The chains of a board and the regions of empty points between them.

use crate::base::game::Player;
use crate::go::board::{Board, cell};
use crate::go::geometry::{CELLS, Point};

/// A chain on a board.
pub(super) struct MappedChain {
    /// The owner of the chain.
    pub(super) player: Player,
    /// Its stones.
    pub(super) stones: Vec<Point>,
    /// The opponent's chains beside it, by number.
    pub(super) enemies: Vec<usize>,
}

/// Connected empty points.
pub(super) struct EmptyRegion {
    /// The points.
    pub(super) points: Vec<Point>,
    /// The chains beside the region, by number, each with the number of its liberties in the region.
    pub(super) borders: Vec<(usize, usize)>,
}

/// Chains and empty regions of a board.
pub(super) struct ChainMap {
    /// The chains, in the order of their first stones.
    pub(super) chains: Vec<MappedChain>,
    /// The regions.
    pub(super) regions: Vec<EmptyRegion>,
}

impl EmptyRegion {
    /// Returns the player of all chains beside the region; `None` for chains of both players or no chains.
    pub(super) fn owner(&self, chains: &[MappedChain]) -> Option<Player> {
        let mut players = self.borders.iter().map(|&(chain, _)| chains[chain].player);
        let first = players.next()?;
        players.all(|player| player == first).then_some(first)
    }
}

impl ChainMap {
    /// Returns the chains and regions of a board.
    pub(super) fn of(board: &Board) -> ChainMap {
        let mut number_at = [usize::MAX; CELLS];
        let mut chains: Vec<MappedChain> = Vec::new();
        for &point in &board.geometry().points {
            let Some(player) = board.stone_at(point) else { continue };
            if number_at[point.index()] != usize::MAX {
                continue;
            }
            let stones: Vec<Point> = board.chain_stones(point).collect();
            stones.iter().for_each(|stone| number_at[stone.index()] = chains.len());
            chains.push(MappedChain { player, stones, enemies: Vec::new() });
        }
        let beside = |point: Point| {
            let mut numbers: Vec<usize> =
                board.neighbours4(point).into_iter().map(|at| number_at[at.index()]).collect();
            numbers.retain(|&number| number != usize::MAX);
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        for chain in &mut chains {
            let around = chain.stones.iter().flat_map(|&stone| beside(stone));
            // Neighbouring chains of one colour would be one chain.
            let mut enemies: Vec<usize> =
                around.filter(|&at| at != number_at[chain.stones[0].index()]).collect();
            enemies.sort_unstable();
            enemies.dedup();
            chain.enemies = enemies;
        }
        let mut done = [false; CELLS];
        let mut regions = Vec::new();
        for &start in &board.geometry().points {
            if board.cell(start) == cell::EMPTY && !done[start.index()] {
                let points = connected_empty(board, start, &mut done);
                let mut liberties: Vec<usize> = points.iter().flat_map(|&point| beside(point)).collect();
                liberties.sort_unstable();
                let counted = liberties.chunk_by(|one, other| one == other);
                regions.push(EmptyRegion {
                    borders: counted.map(|same| (same[0], same.len())).collect(),
                    points,
                });
            }
        }
        ChainMap { chains, regions }
    }

    /// Returns the chains that are not safe, grouped by contact with each other or with the same empty region.
    pub(super) fn components(&self, safe: &[bool]) -> Vec<Vec<usize>> {
        let mut part: Vec<usize> = (0..self.chains.len()).collect();
        let mut join = |one: usize, other: usize| {
            let (from, to) = (part[one].max(part[other]), part[one].min(part[other]));
            part.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
        };
        for (number, chain) in self.chains.iter().enumerate().filter(|(number, _)| !safe[*number]) {
            chain.enemies.iter().filter(|&&enemy| !safe[enemy]).for_each(|&enemy| join(number, enemy));
        }
        for region in &self.regions {
            let unsafe_chains: Vec<usize> =
                region.borders.iter().map(|&(chain, _)| chain).filter(|&chain| !safe[chain]).collect();
            unsafe_chains.windows(2).for_each(|pair| join(pair[0], pair[1]));
        }
        let mut components: Vec<Vec<usize>> = Vec::new();
        for name in 0..self.chains.len() {
            let members: Vec<usize> =
                (0..self.chains.len()).filter(|&chain| !safe[chain] && part[chain] == name).collect();
            if !members.is_empty() {
                components.push(members);
            }
        }
        components
    }
}

/// Returns the empty points connected with `start`.
fn connected_empty(board: &Board, start: Point, done: &mut [bool; CELLS]) -> Vec<Point> {
    done[start.index()] = true;
    let mut points = vec![start];
    let mut next = 0;
    while let Some(&point) = points.get(next) {
        next += 1;
        for beside in board.neighbours4(point) {
            if board.cell(beside) == cell::EMPTY && !done[beside.index()] {
                done[beside.index()] = true;
                points.push(beside);
            }
        }
    }
    points
}
