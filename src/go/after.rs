//! What a move would do, without playing it.

use super::board::{Board, ORTHOGONAL, colour_masks, stone};
use super::geometry::Point;
use super::point_list::PointList;
use crate::game::Player;

impl Board {
    /// The enemy chains, each once, that a stone of `player` on the empty `point` would capture.
    #[must_use]
    #[inline]
    pub fn captures(&self, point: Point, player: Player) -> PointList<4> {
        let mut chains = PointList::new();
        let enemy = stone(player.other());
        for neighbour in self.neighbours4(point) {
            if self.cell(neighbour) == enemy && self.in_atari(neighbour) {
                let chain = self.chain(neighbour);
                if !chains.contains(chain) {
                    chains.push(chain);
                }
            }
        }
        chains
    }

    /// Key of the stones and the ko point after `player` places a stone on the empty `point`; nothing
    /// is played.
    #[must_use]
    pub fn key_and_ko_after(&self, point: Point, player: Player) -> (u64, Point) {
        let mut key = self.key() ^ self.geometry().stone_keys[player.index()][point.index()];
        let around = self.neighbourhood(point);
        let [own, enemy] = colour_masks(around, player);
        let free = !(around | around >> 1) & ORTHOGONAL;
        if enemy == 0 && free != 0 {
            return (key, Point::NONE);
        }
        let captures = self.captures(point, player);
        for &chain in captures.as_slice() {
            for stone in self.chain_stones(chain) {
                key ^= self.geometry().stone_keys[player.other().index()][stone.index()];
            }
        }
        if captures.is_empty() {
            if !self.is_not_suicide(point, player) {
                key = self.key_after_suicide(point, player);
            }
            return (key, Point::NONE);
        }
        let one = captures.len() == 1 && self.chain_size(captures.as_slice()[0]) == 1;
        let ko = if one && own == 0 && free == 0 { captures.as_slice()[0] } else { Point::NONE };
        (key, ko)
    }

    fn key_after_suicide(&self, point: Point, player: Player) -> u64 {
        let mut chains: PointList<4> = PointList::new();
        let mut key = self.key();
        for neighbour in self.neighbours4(point) {
            let chain = self.chain(neighbour);
            if self.cell(neighbour) == stone(player) && !chains.contains(chain) {
                chains.push(chain);
                for stone in self.chain_stones(chain) {
                    key ^= self.geometry().stone_keys[player.index()][stone.index()];
                }
            }
        }
        key
    }
}
