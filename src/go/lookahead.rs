//! Effects of a move, computed without playing it.

use super::board::{Board, ORTHOGONAL, cell, colour_masks, stone};
use super::geometry::Point;
use super::liberties::Liberties;
use super::point_list::PointList;
use crate::base::game::Player;

impl Board {
    /// Returns the pseudo-liberties of the chain that a stone of `player` on the empty `point` would form, after its
    /// captures; [`Liberties::NONE`] for suicide.
    ///
    /// Adds the words of the joined chains and subtracts the entries of `point`; stones are walked over only after a capture
    /// of two stones or more. The liberties are those of the board after the move; only the number of times that each is
    /// counted may differ.
    #[inline]
    pub(super) fn liberties_after(&self, point: Point, player: Player) -> Liberties {
        let around = self.neighbourhood(point);
        let [own, enemy] = colour_masks(around, player);
        let free = !(around | around >> 1) & ORTHOGONAL;
        let mut sum = Liberties::NONE;
        for (k, neighbour) in self.neighbours4(point).into_iter().enumerate() {
            sum.add(Liberties::of(neighbour).only_if(free >> (2 * k) & 1 != 0));
        }
        let mut names = [Point::NONE; 3];
        let mut rest = own;
        while rest != 0 {
            let name = self.chain(self.geometry().neighbour(point, rest.trailing_zeros() / 2));
            rest &= rest - 1;
            // A chain with several stones beside the point is added once.
            let is_new = (name != names[0]) & (name != names[1]) & (name != names[2]);
            names = [name, names[0], names[1]];
            sum.add(self.chain_liberties(name).only_if(is_new));
            sum.remove(Liberties::of(point));
        }
        let mut captures_chain = false;
        let mut rest = enemy;
        while rest != 0 {
            let neighbour = self.geometry().neighbour(point, rest.trailing_zeros() / 2);
            rest &= rest - 1;
            let name = self.chain(neighbour);
            if self.chain_liberties(name).at_most_one_point() {
                // A single captured stone becomes one liberty.
                let is_single = self.chain_size_of(name) == 1;
                sum.add(Liberties::of(neighbour).only_if(is_single));
                captures_chain |= !is_single;
            }
        }
        if captures_chain { self.liberties_after_capture(sum, point, player) } else { sum }
    }

    /// Adds to `sum` the points of captured chains of two stones or more that become liberties of the chain of `player` on
    /// `point`.
    #[cold]
    fn liberties_after_capture(&self, mut sum: Liberties, point: Point, player: Player) -> Liberties {
        let joined: PointList<4> =
            self.neighbours4(point).into_iter().fold(PointList::new(), |mut joined, at| {
                if self.cell(at) == stone(player) {
                    joined.push(self.chain(at));
                }
                joined
            });
        let is_in_chain =
            |at: Point| at == point || (self.cell(at) != cell::EMPTY && joined.contains(self.chain(at)));
        for &chain in self.captures(point, player).as_slice() {
            let is_counted = self.chain_size(chain) == 1;
            for captured in self.chain_stones(chain).filter(|_| !is_counted) {
                if self.neighbours4(captured).into_iter().any(is_in_chain) {
                    sum.add(Liberties::of(captured));
                }
            }
        }
        sum
    }

    /// Returns true if a stone of `player` on the empty `point` would not be suicide. Ignores ko.
    #[must_use]
    #[inline]
    pub fn is_not_suicide(&self, point: Point, player: Player) -> bool {
        let around = self.neighbourhood(point);
        if !(around | around >> 1) & ORTHOGONAL != 0 {
            return true;
        }
        // No early exit: four loads are cheaper than an unpredictable branch.
        let [own, enemy] = colour_masks(around, player);
        let mut possible = false;
        for (k, neighbour) in self.neighbours4(point).into_iter().enumerate() {
            let atari = self.in_atari(neighbour);
            possible |= (own >> (2 * k) & 1 != 0) & !atari;
            possible |= (enemy >> (2 * k) & 1 != 0) & atari;
        }
        possible
    }

    /// Returns true if the chain of a stone of `player` on the empty `point` would have one liberty, or none (suicide).
    #[must_use]
    #[inline]
    pub fn is_self_atari(&self, point: Point, player: Player) -> bool {
        let around = self.neighbourhood(point);
        let free = !(around | around >> 1) & ORTHOGONAL;
        // Two empty neighbours are two liberties.
        free & free.wrapping_sub(1) == 0 && self.liberties_after(point, player).at_most_one_point()
    }

    /// Returns the enemy chains, each once, that a stone of `player` on the empty `point` would capture.
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

    /// Returns the key of the stones and the ko point after `player` places a stone on the empty `point`.
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
