//! Ladder reading.
//!
//! In the ladder game the attacker gives atari with every move. The defender, left with one liberty, extends on it or
//! captures a chain in atari next to its own. The attacker wins by capturing the chain; the defender wins with three
//! liberties, or with two from which no atari leads to a capture. Simple ko applies. Reading stops after 400 moves over all
//! variations, and the chain then counts as escaped.

use super::board::{Board, cell};
use super::geometry::{CELLS, Geometry, Point};
use super::point_list::PointList;

/// Most moves played while reading one candidate move. A ladder across a 19x19 board has about 70 moves; the attacker's two
/// choices at each turn, of which the wrong one is refuted at once, make it about three times as many.
const MAX_STEPS: u32 = 400;

/// A copy of a board on which ladders are played and undone.
pub struct LadderReader {
    geometry: &'static Geometry,
    cells: [u8; CELLS],
    ko: Point,
    /// Stones captured by the moves not yet undone, the latest last.
    captured: Vec<Point>,
    steps_left: u32,
    /// Number of the last flood fill that visited each cell.
    marks: [u16; CELLS],
    mark: u16,
    /// Stones with neighbours still to visit.
    frontier: Vec<Point>,
    /// Stones of the attacker beside the chain.
    attackers: Vec<Point>,
}

/// Most answers to one atari: captures and the extension. A chain with this many counts as escaped.
const MAX_ANSWERS: usize = 16;

/// The state needed to undo a move.
struct Undo {
    point: Point,
    ko: Point,
    /// Length of `captured` before the move.
    captured: usize,
}

const fn other(colour: u8) -> u8 {
    cell::BORDER ^ colour
}

impl LadderReader {
    /// Creates a reader of the position on `board`. It allocates: use one reader for all chains of a position.
    #[must_use]
    pub fn new(board: &Board) -> LadderReader {
        let points = board.size().points();
        LadderReader {
            geometry: board.geometry(),
            cells: *board.cells(),
            ko: board.ko(),
            captured: Vec::with_capacity(points + MAX_STEPS as usize),
            steps_left: 0,
            marks: [0; CELLS],
            mark: 0,
            frontier: Vec::with_capacity(points),
            attackers: Vec::with_capacity(points),
        }
    }

    /// Loads another position of the same board size. Neither this nor reading allocates.
    pub fn set(&mut self, board: &Board) {
        debug_assert!(std::ptr::eq(self.geometry, board.geometry()), "a reader is for one size");
        self.cells = *board.cells();
        self.ko = board.ko();
    }

    /// Returns the size of a reader in bytes for boards of `points` points.
    #[must_use]
    pub const fn bytes(points: usize) -> usize {
        size_of::<LadderReader>() + (3 * points + MAX_STEPS as usize) * size_of::<Point>()
    }

    /// Returns the attacker's moves that catch the chain with a stone on `target`: those of its two liberties where an atari
    /// begins a working ladder. Returns none for a chain with another number of liberties. The attacker is to move.
    ///
    /// The board's ko point is forbidden to the attacker, so it must be the attacker's turn on the board.
    pub fn catching_moves(&mut self, target: Point) -> PointList<2> {
        let mut catching = PointList::new();
        let liberties = self.liberties(target);
        if liberties.len() == 2 {
            for &atari in liberties.as_slice() {
                self.steps_left = MAX_STEPS;
                if self.atari_catches(target, atari) {
                    catching.push(atari);
                }
            }
        }
        catching
    }

    /// Returns the defender's moves that save the chain with a stone on `target`, which is in atari: its liberty, and
    /// captures next to it. The defender is to move.
    pub fn escaping_moves(&mut self, target: Point) -> PointList<MAX_ANSWERS> {
        let defender = self.cells[target.index()];
        let mut escaping = PointList::new();
        for &mv in self.answers(target).as_slice() {
            self.steps_left = MAX_STEPS;
            if self.escapes_after(target, mv, defender) {
                escaping.push(mv);
            }
        }
        escaping
    }

    /// Returns the defender's moves on the two liberties of the chain with a stone on `target` after which it cannot be
    /// caught. The defender is to move. Returns `None` if the chain is not caught even when the defender plays elsewhere, or
    /// has another number of liberties.
    pub fn defending_moves(&mut self, target: Point) -> Option<PointList<2>> {
        if !self.with_turn_passed(|reader| !reader.catching_moves(target).is_empty()) {
            return None;
        }
        let defender = self.cells[target.index()];
        let mut defending = PointList::new();
        for &mv in self.liberties(target).as_slice() {
            self.steps_left = MAX_STEPS;
            if self.escapes_after(target, mv, defender) {
                defending.push(mv);
            }
        }
        Some(defending)
    }

    /// Returns true if the chain with a stone on `target`, which is in atari, is caught even when the attacker, having the
    /// move, plays elsewhere.
    pub fn is_lost(&mut self, target: Point) -> bool {
        self.with_turn_passed(|reader| reader.escaping_moves(target).is_empty())
    }

    /// Reads with the other player to move and without a ko.
    fn with_turn_passed<T>(&mut self, read: impl FnOnce(&mut LadderReader) -> T) -> T {
        let ko = std::mem::replace(&mut self.ko, Point::NONE);
        let answer = read(self);
        self.ko = ko;
        answer
    }

    fn escapes_after(&mut self, target: Point, mv: Point, defender: u8) -> bool {
        let Some(undo) = self.play(mv, defender) else { return false };
        let escapes = !self.is_caught(target);
        self.take_back(undo);
        escapes
    }

    /// Returns true if the attacker, to move, catches the chain.
    fn is_caught(&mut self, target: Point) -> bool {
        let liberties = self.liberties(target);
        match liberties.as_slice() {
            [only] => *only != self.ko,
            [one, two] => self.atari_catches(target, *one) || self.atari_catches(target, *two),
            _ => false,
        }
    }

    /// Returns true if the attacker catches the chain, which has two liberties, by an atari on `atari`.
    fn atari_catches(&mut self, target: Point, atari: Point) -> bool {
        let defender = self.cells[target.index()];
        let Some(undo) = self.play(atari, other(defender)) else { return false };
        let answers = self.answers(target);
        let escapes = answers.len() == MAX_ANSWERS
            || answers.as_slice().iter().any(|&answer| self.escapes_after(target, answer, defender));
        // A search out of steps proves nothing.
        let catches = !escapes && self.steps_left > 0;
        self.take_back(undo);
        catches
    }

    /// Returns the defender's answers to an atari: captures of the attacker's chains next to its own, and its only liberty.
    fn answers(&mut self, target: Point) -> PointList<MAX_ANSWERS> {
        let defender = self.cells[target.index()];
        let mut answers = PointList::new();
        self.attackers.clear();
        self.begin_search(target);
        let mut extension = Point::NONE;
        while let Some(stone) = self.frontier.pop() {
            for neighbour in self.geometry.neighbours4(stone) {
                if self.marks[neighbour.index()] == self.mark {
                    continue;
                }
                self.marks[neighbour.index()] = self.mark;
                let colour = self.cells[neighbour.index()];
                if colour == defender {
                    self.frontier.push(neighbour);
                } else if colour == cell::EMPTY {
                    extension = neighbour;
                } else if colour == other(defender) {
                    self.attackers.push(neighbour);
                }
            }
        }
        for index in 0..self.attackers.len() {
            if let &[only] = self.find_liberties::<2>(self.attackers[index]).as_slice()
                && !answers.contains(only)
            {
                answers.push(only);
            }
        }
        if extension != Point::NONE && !answers.contains(extension) {
            answers.push(extension);
        }
        answers
    }

    /// Places a stone. Returns `None` and changes nothing if that is illegal or no step is left.
    fn play(&mut self, point: Point, colour: u8) -> Option<Undo> {
        if point == self.ko || self.steps_left == 0 {
            return None;
        }
        self.steps_left -= 1;
        let undo = Undo { point, ko: self.ko, captured: self.captured.len() };
        self.cells[point.index()] = colour;
        let mut is_alone = true;
        for neighbour in self.geometry.neighbours4(point) {
            let found = self.cells[neighbour.index()];
            if found == other(colour) && !self.has_liberty(neighbour) {
                self.capture(neighbour);
            }
            is_alone &= found == other(colour) || found == cell::BORDER;
        }
        let captured = &self.captured[undo.captured..];
        self.ko = if is_alone && captured.len() == 1 { captured[0] } else { Point::NONE };
        if captured.is_empty() && !self.has_liberty(point) {
            self.take_back(undo);
            return None;
        }
        Some(undo)
    }

    fn take_back(&mut self, undo: Undo) {
        let lost = other(self.cells[undo.point.index()]);
        self.cells[undo.point.index()] = cell::EMPTY;
        for stone in self.captured.drain(undo.captured..) {
            self.cells[stone.index()] = lost;
        }
        self.ko = undo.ko;
    }

    /// Removes the chain with a stone on `start`.
    fn capture(&mut self, start: Point) {
        let colour = self.cells[start.index()];
        self.cells[start.index()] = cell::EMPTY;
        let mut next = self.captured.len();
        self.captured.push(start);
        while let Some(&stone) = self.captured.get(next) {
            next += 1;
            for neighbour in self.geometry.neighbours4(stone) {
                if self.cells[neighbour.index()] == colour {
                    self.cells[neighbour.index()] = cell::EMPTY;
                    self.captured.push(neighbour);
                }
            }
        }
    }

    fn has_liberty(&mut self, start: Point) -> bool {
        !self.find_liberties::<1>(start).is_empty()
    }

    /// Returns the liberties of a chain, at most three.
    fn liberties(&mut self, start: Point) -> PointList<3> {
        self.find_liberties(start)
    }

    fn find_liberties<const LIMIT: usize>(&mut self, start: Point) -> PointList<LIMIT> {
        let mut found = PointList::new();
        let colour = self.cells[start.index()];
        self.begin_search(start);
        while let Some(stone) = self.frontier.pop() {
            for neighbour in self.geometry.neighbours4(stone) {
                if self.marks[neighbour.index()] == self.mark {
                    continue;
                }
                self.marks[neighbour.index()] = self.mark;
                let cell = self.cells[neighbour.index()];
                if cell == colour {
                    self.frontier.push(neighbour);
                } else if cell == cell::EMPTY {
                    found.push(neighbour);
                    if found.len() == LIMIT {
                        return found;
                    }
                }
            }
        }
        found
    }

    fn begin_search(&mut self, start: Point) {
        self.mark = self.mark.wrapping_add(1);
        if self.mark == 0 {
            self.marks = [0; CELLS];
            self.mark = 1;
        }
        self.frontier.clear();
        self.frontier.push(start);
        self.marks[start.index()] = self.mark;
    }
}
