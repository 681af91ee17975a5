//! The share of playouts that lose each chain.

use super::chain_map::{ChainMap, EmptyRegion};
use crate::base::game::Player;
use crate::base::ownership::Ownership;
use crate::go::board::Board;
use crate::go::geometry::Point;
use std::ops::Range;

/// Minimum empty points of a large region.
const MIN_LARGE_REGION: usize = 10;
/// Maximum empty points of a region that is ignored when the regions beside a chain are counted.
const MAX_SMALL_REGION: usize = 2;
/// Shares of lost playouts that decide nothing.
const DOUBTFUL: Range<f64> = 0.2..0.8;
/// Shares of a large region that leave its owner open.
const OPEN: Range<f64> = 0.42..0.58;

/// Returns the share of `playouts` that lose each chain of `board`, in the order of their first stones.
///
/// If the share of a chain in a large region decides nothing, the chain has the share of the region: its stones live or
/// die with the area around them, which depends less on chance. In a region with an open owner they live, with a share of
/// one half.
pub(super) fn lost_shares(board: &Board, ownership: &Ownership, playouts: u32) -> Vec<f64> {
    let map = ChainMap::of(board);
    let share = |player: Player, points: &[Point]| {
        let move_of = |&point: &Point| board.geometry().move_of(point);
        let owned: u64 = points.iter().map(move_of).map(|mv| ownership.count(player, mv)).sum();
        owned as f64 / f64::from(playouts) / points.len() as f64
    };
    let mut lost: Vec<f64> =
        map.chains.iter().map(|chain| share(chain.player.other(), &chain.stones)).collect();
    for (chain, lost) in lost.iter_mut().enumerate().filter(|(_, lost)| DOUBTFUL.contains(*lost)) {
        let beside =
            map.regions.iter().filter(|region| region.borders.iter().any(|border| border.0 == chain));
        let beside: Vec<&EmptyRegion> =
            beside.filter(|region| region.points.len() > MAX_SMALL_REGION).collect();
        if let [region] = beside[..]
            && region.points.len() >= MIN_LARGE_REGION
        {
            let of_region = share(map.chains[chain].player.other(), &region.points);
            *lost = if OPEN.contains(&of_region) { 0.5 } else { of_region };
        }
    }
    lost
}
