//! Moves that players need in their own territory before the count of territory.
//!
//! After the passes, players fill the neutral points. Where that leaves a chain to be captured by an atari or a ladder,
//! its owner has to answer in territory, which costs a point; the count includes the point whether the answer is played
//! or not. A player who can avoid the answer with a stone on a neutral point needs none. Dead stones are off the board,
//! but those beside a chain in atari may have to be captured.

use crate::base::game::Player;
use crate::go::board::{Board, cell};
use crate::go::geometry::Point;
use crate::go::ladder::LadderReader;
use crate::go::tactics::is_playable;

/// Returns the points of territory on which the owners of the stones in `living` must answer when the `neutral` points
/// are filled. `board` has the dead stones on it, `without_dead` has not.
pub(super) fn needed_defences(
    board: &Board,
    without_dead: &Board,
    living: &[Point],
    neutral: &[Point],
) -> Vec<Point> {
    let of = |defender: Player| {
        let stones = living.iter().copied().filter(|&stone| board.stone_at(stone) == Some(defender));
        Defence {
            boards: Boards { with_dead: board.clone(), without_dead: without_dead.clone() },
            reader: LadderReader::new(board),
            defender,
            stones: stones.collect(),
            neutral,
            filled: Vec::new(),
        }
    };
    Player::BOTH.into_iter().flat_map(|defender| of(defender).needed()).collect()
}

/// The same position with and without dead stones.
#[derive(Clone)]
struct Boards {
    with_dead: Board,
    without_dead: Board,
}

impl Boards {
    fn place(&mut self, point: Point, player: Player) {
        for board in [&mut self.with_dead, &mut self.without_dead] {
            if is_playable(board, point, player) {
                board.place(point, player);
                board.clear_ko();
            }
        }
    }

    /// Returns the boards without the stone on a point.
    fn without(&self, point: Point) -> Boards {
        Boards {
            with_dead: self.with_dead.keeping(|at| at != point),
            without_dead: self.without_dead.keeping(|at| at != point),
        }
    }
}

/// A position in which the opponent of one player, the defender, fills the neutral points.
struct Defence<'a> {
    boards: Boards,
    reader: LadderReader,
    defender: Player,
    /// The defender's stones that live.
    stones: Vec<Point>,
    neutral: &'a [Point],
    /// Neutral points that the opponent has filled, each once.
    filled: Vec<Point>,
}

impl Defence<'_> {
    fn needed(mut self) -> Vec<Point> {
        let mut needed = self.answer();
        while let Some(point) = self.neutral.iter().copied().find(|&point| self.can_fill(point)) {
            self.boards.place(point, self.defender.other());
            self.filled.push(point);
            let unanswered = self.boards.clone();
            let answers = self.answer();
            if !answers.is_empty() && !self.avoids_answers(&unanswered) {
                needed.extend(answers);
            }
        }
        needed
    }

    /// Returns true if the opponent can fill a neutral point without losing the stone. The filling of one point may make
    /// another fillable.
    fn can_fill(&self, point: Point) -> bool {
        !self.filled.contains(&point) && is_safe(&self.boards.without_dead, point, self.defender.other())
    }

    /// Looks for a neutral point filled by the opponent on which a stone of the defender makes all answers in territory
    /// needless, since the players fill neutral points in turn. Leaves the stone on the board if there is one.
    fn avoids_answers(&mut self, unanswered: &Boards) -> bool {
        let answered = self.boards.clone();
        for &point in self.filled.clone().iter().rev() {
            self.boards = unanswered.without(point);
            if is_safe(&self.boards.without_dead, point, self.defender) {
                self.boards.place(point, self.defender);
                if self.answer().is_empty() {
                    return true;
                }
            }
        }
        self.boards = answered;
        false
    }

    /// Saves all chains that can be captured, and returns the points of territory on which that takes a stone.
    fn answer(&mut self) -> Vec<Point> {
        let mut answers = Vec::new();
        while let Some(point) = self.best_saving_move() {
            self.boards.place(point, self.defender);
            if !self.neutral.contains(&point) {
                answers.push(point);
            }
        }
        answers
    }

    /// Returns a saving move on a neutral point, or else one that leaves the fewest saving moves to make.
    fn best_saving_move(&mut self) -> Option<Point> {
        let moves = self.saving_moves();
        let neutral = moves.iter().copied().find(|point| self.neutral.contains(point));
        if neutral.is_some() || moves.len() <= 1 {
            return neutral.or(moves.first().copied());
        }
        moves.into_iter().min_by_key(|&point| {
            let before = self.boards.clone();
            self.boards.place(point, self.defender);
            let left = self.saving_moves().len();
            self.boards = before;
            left
        })
    }

    /// Returns the moves that save a chain from capture by an atari or a ladder.
    fn saving_moves(&mut self) -> Vec<Point> {
        let board = &self.boards.without_dead;
        self.reader.set(board);
        let mut moves = Vec::new();
        for stone in chains(board, &self.stones, self.defender) {
            match board.liberties::<3>(stone).len() {
                1 => moves.extend(self.reader.escaping_moves(stone).as_slice()),
                2 => {
                    moves.extend(self.reader.defending_moves(stone).iter().flat_map(|moves| moves.as_slice()))
                }
                _ => {}
            }
        }
        // A move on the point of a dead stone is replaced by the capture of the stone, which the position with dead stones
        // yields if it is needed.
        let board = &self.boards.with_dead;
        moves.retain(|&point| board.cell(point) == cell::EMPTY);
        self.reader.set(board);
        for stone in chains(board, &self.stones, self.defender) {
            if self.boards.is_lost_beside_dead(stone) {
                moves.extend(self.reader.escaping_moves(stone).as_slice());
            }
        }
        moves.sort_unstable();
        moves.dedup();
        moves
    }
}

impl Boards {
    /// Returns true if the chain with a stone on `stone` is in atari between stones that live and dead ones, and its
    /// capture would not be answered by the capture of the captors.
    fn is_lost_beside_dead(&self, stone: Point) -> bool {
        let board = &self.with_dead;
        let (Some(liberty), Some(player)) = (board.atari_liberty(stone), board.stone_at(stone)) else {
            return false;
        };
        let lives = |&point: &Point| self.without_dead.stone_at(point) == Some(player.other());
        let touches_living =
            board.chain_stones(stone).any(|stone| board.neighbours4(stone).iter().any(lives));
        if !touches_living || !is_playable(board, liberty, player.other()) {
            return false;
        }
        let mut captured = board.clone();
        captured.place(liberty, player.other());
        captured.liberties::<2>(liberty).len() >= 2
            || captured.chain_stones(liberty).any(|stone| lives(&stone))
    }
}

/// Returns one stone of each chain of `player` that has one of the `stones`.
fn chains(board: &Board, stones: &[Point], player: Player) -> Vec<Point> {
    let mut names = Vec::new();
    let is_first = |&stone: &Point| {
        let is_new = board.stone_at(stone) == Some(player) && !names.contains(&board.chain(stone));
        if is_new {
            names.push(board.chain(stone));
        }
        is_new
    };
    stones.iter().copied().filter(is_first).collect()
}

/// Returns true if a stone on an empty point is legal and has two liberties or more.
fn is_safe(board: &Board, point: Point, player: Player) -> bool {
    is_playable(board, point, player) && !board.is_self_atari(point, player)
}
