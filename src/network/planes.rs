//! The input of a network: up to 32 planes of small numbers, one number for each point.
//!
//! This is the only definition of the planes. The search fills the input of a [`Network`](super::Network) with it, and
//! `tewari network prepare` writes the same planes for the trainer, which contains no rules of Go.
//!
//! All planes are in the view of the player to move: `own` and `opponent`, never black and white.

use crate::base::game::{Game, Move, Player};
use crate::go::board::{Board, cell, stone};
use crate::go::geometry::CELLS;
use crate::go::ladder::LadderReader;
use crate::go::point_list::PointList;
use crate::go::position::RECENT_MOVES;
use crate::go::{Komi, Point, Position};

/// Maximum number of planes: the channels of the input.
pub const PLANES: usize = 32;
/// The number that represents 1: activations have six binary places.
pub const ONE: u8 = 64;
/// Number of last moves that the planes can hold.
pub const LAST_MOVES: usize = RECENT_MOVES;

/// Maximum komi in the input, in half points; larger ones are clamped.
const MAX_INPUT_KOMI: i32 = 31;

/// Returns true if the network's input represents this komi without clamping.
#[must_use]
pub fn is_komi_representable(komi: Komi) -> bool {
    komi.0.abs() <= MAX_INPUT_KOMI
}

/// Returns the komi nearest to `points` that the network's input represents without clamping.
#[must_use]
pub fn nearest_representable(points: f64) -> Komi {
    Komi(((2.0 * points).round() as i32).clamp(-MAX_INPUT_KOMI, MAX_INPUT_KOMI))
}

/// Numbers of the planes: bits of a [`PlaneSet`] and channels of the input. They are part of the format of weights
/// files and of prepared positions, so planes may be added, but never change their meaning.
pub mod plane {
    /// 1 on every point of the board; the padding around it is 0.
    pub const ON_BOARD: usize = 0;
    /// Own chains with one liberty; the next three planes: with two, with three, with more.
    pub const OWN_LIBERTIES: usize = 1;
    /// The same four planes of the opponent's chains.
    pub const OPPONENT_LIBERTIES: usize = 5;
    /// The point on which a simple ko forbids a recapture.
    pub const KO: usize = 9;
    /// The point of the last move; the next four planes: of the moves before it.
    pub const LAST_MOVES: usize = 10;
    /// 1 everywhere if the last move was a pass; the next four planes: the moves before it.
    pub const PASSES: usize = 15;
    /// The same number on every point: 64 plus twice the komi of the player to move, in half points and clamped to ±31.
    pub const KOMI: usize = 20;
    /// Komi and parity of the board, the same number on every point: see [`super::parity`].
    pub const PARITY: usize = 21;
    /// Own chains caught in a ladder: those in atari whatever the player plays, those with two liberties if the player
    /// plays elsewhere.
    pub const OWN_LADDERS: usize = 22;
    /// The opponent's chains caught in a ladder: those in atari even if the player plays elsewhere, those with two
    /// liberties by a move of the player.
    pub const OPPONENT_LADDERS: usize = 23;
    /// Atari moves that catch a chain of the opponent with two liberties in a ladder.
    pub const CATCHING_MOVES: usize = 24;
    /// Moves that save a chain of the player to move in atari, or one with two liberties that a ladder would catch.
    pub const SAVING_MOVES: usize = 25;
}

/// Encoding of a plane for the trainer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneEncoding {
    /// 0 or 1 on each point.
    Bits,
    /// 1 on one point at most.
    Point,
    /// The same number on every point.
    Whole,
}

/// The set of planes that a network uses, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneSet(pub u32);

impl PlaneSet {
    /// The planes that this program can fill.
    pub const KNOWN: PlaneSet = PlaneSet((1 << (plane::SAVING_MOVES + 1)) - 1);
    /// The planes that need ladder reading.
    pub const LADDERS: PlaneSet = PlaneSet(Self::KNOWN.0 >> plane::OWN_LADDERS << plane::OWN_LADDERS);

    /// Returns true if the set contains `plane`.
    #[must_use]
    pub const fn contains(self, plane: usize) -> bool {
        plane < PLANES && self.0 >> plane & 1 != 0
    }

    /// Returns true if the sets have a plane in common.
    #[must_use]
    pub const fn meets(self, other: PlaneSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the planes in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..PLANES).filter(move |&plane| self.contains(plane))
    }
}

/// Returns the encoding of `plane`.
#[must_use]
pub const fn encoding(plane: usize) -> PlaneEncoding {
    match plane {
        plane::OWN_LIBERTIES..plane::KO | plane::OWN_LADDERS..=plane::SAVING_MOVES => PlaneEncoding::Bits,
        plane::KO..plane::PASSES => PlaneEncoding::Point,
        _ => PlaneEncoding::Whole,
    }
}

/// A position as input of a network.
#[derive(Clone, Copy)]
pub struct InputPosition<'a> {
    /// The stones, and the point of a simple ko.
    pub board: &'a Board,
    /// The player to move.
    pub to_play: Player,
    /// The moves before, the latest first, as far as known; at most [`LAST_MOVES`] are used.
    pub last_moves: &'a [Move],
    /// True if the planes of passes are written.
    pub has_passes: bool,
    /// White's komi.
    pub komi: Komi,
}

impl<'a> InputPosition<'a> {
    /// Returns the input for a position of a game, with the moves before it.
    #[must_use]
    pub fn of(position: &'a Position) -> InputPosition<'a> {
        InputPosition {
            board: position.board(),
            to_play: position.to_play(),
            last_moves: position.recent_moves(),
            has_passes: true,
            komi: position.area_komi(),
        }
    }

    /// Returns the input for a position of a search: it contains only the last moves that are part of the position's
    /// key, so that positions with one key have one evaluation. It contains no passes: training games have them only at
    /// the end, so that a network takes a pass in the opening for the end.
    #[must_use]
    pub fn with_moves_in_key(position: &'a Position) -> InputPosition<'a> {
        InputPosition {
            last_moves: position.moves_in_key(),
            has_passes: false,
            ..InputPosition::of(position)
        }
    }

    /// Returns the komi in favour of the player to move, in half points: White's komi on White's turn, its negative on
    /// Black's.
    #[must_use]
    pub fn own_komi(&self) -> i32 {
        match self.to_play {
            Player::Black => -self.komi.0,
            Player::White => self.komi.0,
        }
    }
}

/// A receiver of the planes of a position.
pub trait PlaneSink {
    /// Sets the plane to [`ONE`] on the point with this move number.
    fn point(&mut self, plane: usize, number: usize);
    /// Sets the plane to `value` on every point.
    fn whole(&mut self, plane: usize, value: u8);
}

/// Writes all nonzero parts of the planes in `set` to `sink`; unknown planes stay 0. `ladders` must be for boards of
/// this size.
pub fn write_planes(
    position: &InputPosition<'_>,
    set: PlaneSet,
    ladders: &mut LadderReader,
    sink: &mut impl PlaneSink,
) {
    write_chains(position, set, sink);
    if set.meets(PlaneSet::LADDERS) {
        write_ladders(position, set, ladders, sink);
    }
    write_moves(position, set, sink);
    let komi = position.own_komi();
    let mut whole = |plane, value| {
        if set.contains(plane) {
            sink.whole(plane, value);
        }
    };
    whole(plane::ON_BOARD, ONE);
    whole(plane::KOMI, (i32::from(ONE) + 2 * komi.clamp(-MAX_INPUT_KOMI, MAX_INPUT_KOMI)) as u8);
    whole(plane::PARITY, parity(position.board.size().points(), komi));
}

/// Returns the number that relates the parity of the board to the komi of the player to move.
///
/// If every point has an owner, an area score has the parity of the board: it changes in steps of two points. The
/// number encodes the smallest margin with komi that does not lose: a draw is 32, half a point 64, one point 32, one
/// and a half 0. Source: the wave of the komi in Wu, arXiv 1902.10565, appendix A.
#[must_use]
pub fn parity(points: usize, own_komi: i32) -> u8 {
    let steps = (2 * (points as i32 & 1) + own_komi).rem_euclid(4);
    [32, 64, 32, 0][steps as usize]
}

/// Writes the liberties of all chains, and the ko.
fn write_chains(position: &InputPosition<'_>, set: PlaneSet, sink: &mut impl PlaneSink) {
    let board = position.board;
    let own = stone(position.to_play);
    // Indexed by chain, so that each chain is examined once.
    let mut liberties = [0_u8; CELLS];
    for (number, &point) in board.geometry().points.iter().enumerate() {
        let cell = board.cell(point);
        if cell == cell::EMPTY {
            continue;
        }
        let count = &mut liberties[board.chain(point).index()];
        if *count == 0 {
            *count = board.liberties::<4>(point).len() as u8;
        }
        let first = if cell == own { plane::OWN_LIBERTIES } else { plane::OPPONENT_LIBERTIES };
        let plane = first + usize::from(*count).saturating_sub(1);
        if set.contains(plane) {
            sink.point(plane, number);
        }
    }
    if board.ko() != Point::NONE && set.contains(plane::KO) {
        sink.point(plane::KO, board.geometry().move_of(board.ko()).index());
    }
}

/// Writes the chains with one or two liberties that a ladder catches, and the moves that catch or save them.
fn write_ladders(
    position: &InputPosition<'_>,
    set: PlaneSet,
    ladders: &mut LadderReader,
    sink: &mut impl PlaneSink,
) {
    let board = position.board;
    let geometry = board.geometry();
    ladders.set(board);
    // Indexed by chain, as above.
    let mut caught = [None; CELLS];
    for (number, &point) in geometry.points.iter().enumerate() {
        let cell = board.cell(point);
        if cell == cell::EMPTY {
            continue;
        }
        let is_own = cell == stone(position.to_play);
        let chain = board.chain(point);
        let is_caught = *caught[chain.index()].get_or_insert_with(|| {
            let mut tell = |plane, moves: &[Point]| {
                for mv in moves.iter().filter(|_| set.contains(plane)) {
                    sink.point(plane, geometry.move_of(*mv).index());
                }
            };
            match (is_own, board.liberties::<3>(point).len()) {
                (true, 1) => {
                    let saving = ladders.escaping_moves(point);
                    tell(plane::SAVING_MOVES, saving.as_slice());
                    saving.is_empty()
                }
                (true, 2) => {
                    let defending = ladders.defending_moves(point);
                    tell(plane::SAVING_MOVES, defending.as_ref().map_or(&[], PointList::as_slice));
                    defending.is_some()
                }
                (false, 1) => ladders.is_lost(point),
                (false, 2) => {
                    let catching = ladders.catching_moves(point);
                    tell(plane::CATCHING_MOVES, catching.as_slice());
                    !catching.is_empty()
                }
                _ => false,
            }
        });
        let plane = if is_own { plane::OWN_LADDERS } else { plane::OPPONENT_LADDERS };
        if is_caught && set.contains(plane) {
            sink.point(plane, number);
        }
    }
}

fn write_moves(position: &InputPosition<'_>, set: PlaneSet, sink: &mut impl PlaneSink) {
    let pass = position.board.size().pass();
    for (age, &mv) in position.last_moves.iter().take(LAST_MOVES).enumerate() {
        if mv == pass && position.has_passes && set.contains(plane::PASSES + age) {
            sink.whole(plane::PASSES + age, ONE);
        } else if mv < pass && set.contains(plane::LAST_MOVES + age) {
            sink.point(plane::LAST_MOVES + age, mv.index());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Size;

    #[derive(Default)]
    struct Seen(Vec<(usize, usize)>, Vec<(usize, u8)>);

    impl PlaneSink for Seen {
        fn point(&mut self, plane: usize, number: usize) {
            self.0.push((plane, number));
        }

        fn whole(&mut self, plane: usize, value: u8) {
            self.1.push((plane, value));
        }
    }

    #[test]
    fn a_corner_fight_is_seen_from_both_sides() {
        let size = Size::new(3, 3).unwrap();
        let mut board = Board::new(size);
        let points = board.geometry().points.clone();
        board.place(points[0], Player::Black);
        board.place(points[1], Player::White);
        let last_moves = [Move(1), Move(9), Move(0)];
        for (to_play, own, opponent, komi) in [(Player::Black, 0, 1, 38), (Player::White, 1, 0, 90)] {
            let position = InputPosition {
                board: &board,
                to_play,
                last_moves: &last_moves,
                has_passes: true,
                komi: Komi(13),
            };
            let mut seen = Seen::default();
            write_planes(&position, PlaneSet::KNOWN, &mut LadderReader::new(&board), &mut seen);
            let liberties = [1, 2];
            assert_eq!(seen.0[own], (plane::OWN_LIBERTIES + liberties[own] - 1, own));
            assert_eq!(seen.0[opponent], (plane::OPPONENT_LIBERTIES + liberties[opponent] - 1, opponent));
            let last_moves = |seen: &&(usize, usize)| seen.0 < plane::OWN_LADDERS;
            let moves: Vec<_> = seen.0[2..].iter().filter(last_moves).copied().collect();
            assert_eq!(moves, [(plane::LAST_MOVES, 1), (plane::LAST_MOVES + 2, 0)]);
            assert!(seen.1.contains(&(plane::PASSES + 1, ONE)) && seen.1.contains(&(plane::KOMI, komi)));
        }
    }

    #[test]
    fn a_working_ladder_is_seen_from_both_sides_with_the_moves_that_decide_it() {
        // White's stone at 3, 3 has two liberties, and Black drives it to the edge.
        let size = Size::new(7, 7).unwrap();
        let mut board = Board::new(size);
        let number = |column: usize, row: usize| row * 7 + column;
        let points = board.geometry().points.clone();
        for (column, row) in [(2, 3), (3, 2), (4, 2)] {
            board.place(points[number(column, row)], Player::Black);
        }
        board.place(points[number(3, 3)], Player::White);
        let mut ladders = LadderReader::new(&board);
        let mut seen_by = |to_play| {
            let position =
                InputPosition { board: &board, to_play, last_moves: &[], has_passes: true, komi: Komi(13) };
            let mut seen = Seen::default();
            write_planes(&position, PlaneSet::LADDERS, &mut ladders, &mut seen);
            seen.0.sort_unstable();
            seen.0
        };
        let [extension, end] = [number(4, 3), number(3, 4)];
        let caught = (plane::OPPONENT_LADDERS, number(3, 3));
        assert_eq!(seen_by(Player::Black), [caught, (plane::CATCHING_MOVES, end)]);
        let threatened = (plane::OWN_LADDERS, number(3, 3));
        let saving = [extension, end].map(|mv| (plane::SAVING_MOVES, mv));
        assert_eq!(seen_by(Player::White), [threatened, saving[0], saving[1]]);
    }

    #[test]
    fn parity_tells_how_far_the_next_score_is_above_the_deciding_one() {
        // On an odd board scores are odd. With a komi of 0.5, 1 wins by one and a half and -1 loses by half.
        assert_eq!(parity(81, 0), 32);
        assert_eq!(parity(81, 1), 0);
        assert_eq!(parity(81, -1), 64);
        assert_eq!(parity(80, 0), 32);
        assert_eq!(parity(80, 13), 64);
    }
}
