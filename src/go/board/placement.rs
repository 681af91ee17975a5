//! Placing of stones: captures, and the joining of chains.

use super::{Board, ORTHOGONAL, cell, colour_masks, stone};
use crate::base::game::Player;
use crate::go::geometry::{CELLS, MAX_POINTS, Point};
use crate::go::liberties::Liberties;

impl Board {
    /// Places a stone of `player` on the empty `point`, removes the stones that it captures, or its own chain if that has no
    /// liberty left, and sets the ko. Returns the number of the opponent's stones captured.
    #[inline]
    pub fn place(&mut self, point: Point, player: Player) -> usize {
        self.key ^= self.geometry.stone_keys[player.index()][point.index()];
        let captured = self.place_in_playout(point, player);
        if self.liberties[self.chain(point).index()] == Liberties::NONE {
            self.remove_chain(point, player);
        }
        captured
    }

    /// Places a stone as [`place`](Board::place) does, without suicide, and leaves the key invalid.
    #[inline]
    pub fn place_in_playout(&mut self, point: Point, player: Player) -> usize {
        debug_assert_eq!(self.cell(point), cell::EMPTY);
        let around = self.neighbourhood(point);
        let [own, enemy] = colour_masks(around, player);
        let free = !(around | around >> 1) & ORTHOGONAL;
        self.take_from_empty(point);
        self.put_stone(point, player);
        let mut gained = Liberties::NONE;
        let taken = Liberties::of(point);
        let mut without_liberty = 0_u16;
        for (k, neighbour) in self.neighbours4(point).into_iter().enumerate() {
            let mask = u64::from(free >> (2 * k) & 1).wrapping_neg();
            gained.add(Liberties(Liberties::of(neighbour).0 & mask));
            let liberties = &mut self.liberties[self.chain[neighbour.index()] as usize & (CELLS - 1)];
            liberties.remove(taken);
            without_liberty |= u16::from(*liberties == Liberties::NONE) << (2 * k);
        }
        self.join(point, own, gained);
        self.ko = Point::NONE;
        let dead = without_liberty & enemy;
        if dead != 0 {
            return self.capture_around(point, player, dead, own == 0 && free == 0);
        }
        0
    }

    /// Removes the enemy chains on the neighbours in `dead`. `surrounded` is true if the new stone is alone and had no empty
    /// neighbour, so that a single captured stone makes a ko.
    #[inline(never)]
    fn capture_around(&mut self, point: Point, player: Player, dead: u16, surrounded: bool) -> usize {
        let mut captured = 0;
        let mut last = Point::NONE;
        for (k, neighbour) in self.neighbours4(point).into_iter().enumerate() {
            // An earlier capture may have emptied the cell.
            if dead >> (2 * k) & 1 != 0 && self.cell(neighbour) == stone(player.other()) {
                captured += self.remove_chain(neighbour, player.other());
                last = neighbour;
            }
        }
        if captured == 1 && surrounded {
            self.ko = last;
        }
        captured
    }

    #[inline]
    fn take_from_empty(&mut self, point: Point) {
        let slot = usize::from(self.empty_slots[point.index()]).min(MAX_POINTS);
        self.empty_count -= 1;
        let moved = self.empty[self.empty_count.min(MAX_POINTS)];
        self.empty[slot] = moved;
        self.empty_slots[moved.index()] = slot as u16;
    }

    /// Sets the cell and updates the neighbourhoods of its eight neighbours.
    #[inline]
    fn put_stone(&mut self, point: Point, player: Player) {
        self.cells[point.index()] = stone(player);
        self.toggle_views(point, player);
        self.stones[player.index()] += 1;
    }

    #[inline]
    fn toggle_views(&mut self, point: Point, player: Player) {
        let colour = u16::from(stone(player));
        for (k, neighbour) in self.neighbours8(point).into_iter().enumerate() {
            self.neighbourhood[neighbour.index()] ^= colour << (2 * (k ^ 1));
        }
    }

    /// Joins the new stone on `point` with its neighbours of the same colour, or makes it a chain.
    #[inline]
    fn join(&mut self, point: Point, own: u16, gained: Liberties) {
        let neighbours = self.neighbours4(point);
        self.next[point.index()] = point.0;
        self.liberties[point.index()] = Liberties::NONE;
        self.chain_sizes[point.index()] = 0;
        // A new chain and the first neighbour's chain take the same steps: a branch would be mispredicted half of the time.
        let first = self.chain(neighbours[(own.trailing_zeros() / 2) as usize & 3]);
        let mut name = if own == 0 { point } else { first };
        self.chain[point.index()] = name.0;
        self.next[point.index()] = self.next[name.index()];
        self.next[name.index()] = point.0;
        self.liberties[name.index()].add(gained);
        self.chain_sizes[name.index()] += 1;
        let mut rest = own & own.wrapping_sub(1);
        while rest != 0 {
            let other = self.chain(neighbours[(rest.trailing_zeros() / 2) as usize & 3]);
            rest &= rest - 1;
            if other != name {
                name = self.merge(name, other);
            }
        }
    }

    /// Merges two chains, renaming the smaller; returns the name of the result.
    fn merge(&mut self, one: Point, other: Point) -> Point {
        let (large, small) = if self.chain_sizes[one.index()] >= self.chain_sizes[other.index()] {
            (one, other)
        } else {
            (other, one)
        };
        let mut stone = small;
        loop {
            self.chain[stone.index()] = large.0;
            stone = Point(self.next[stone.index()]);
            if stone == small {
                break;
            }
        }
        self.next.swap(large.index(), small.index());
        let liberties = self.liberties[small.index()];
        self.liberties[large.index()].add(liberties);
        self.chain_sizes[large.index()] += self.chain_sizes[small.index()];
        large
    }

    /// Removes a whole chain; returns its number of stones.
    fn remove_chain(&mut self, point: Point, player: Player) -> usize {
        let mut stone = point;
        let mut removed = 0;
        loop {
            let next = Point(self.next[stone.index()]);
            self.cells[stone.index()] = cell::EMPTY;
            self.toggle_views(stone, player);
            self.key ^= self.geometry.stone_keys[player.index()][stone.index()];
            // The chain's own word also gains liberties, but it is not read again.
            for neighbour in self.neighbours4(stone) {
                self.liberties[Point(self.chain[neighbour.index()]).index()].add(Liberties::of(stone));
            }
            self.chain[stone.index()] = 0;
            let slot = self.empty_count.min(MAX_POINTS);
            self.empty[slot] = stone;
            self.empty_slots[stone.index()] = slot as u16;
            self.empty_count += 1;
            removed += 1;
            stone = next;
            if stone == point {
                break;
            }
        }
        self.stones[player.index()] -= removed as u16;
        removed
    }
}
