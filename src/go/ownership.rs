//! Ownership and scores estimated by playouts.

use super::Position;
use super::board::{Board, cell};
use super::score::{area_score_after_playout, owners};
use crate::base::game::{Game, Player, Trace};
use crate::base::ownership::Ownership;
use crate::base::rng::PlayoutRng;

/// Random stream of these playouts; search workers use the first 255.
const STREAM: u64 = 1 << 32;

/// Returns the ownership at the end of `playouts` playouts of `position` under its playout policy. The same seed gives the
/// same result. The players begin playouts in turn, so that neither has an extra move.
#[must_use]
pub fn by_playouts(position: &Position, playouts: u32, seed: u64) -> Ownership {
    let mut ownership = Ownership::default();
    play_out(position, playouts, seed, &mut |board| add_owners(board, &mut ownership));
    ownership
}

/// Returns the mean and standard deviation of the area score (Black's points minus White's, without komi) at the end of the
/// playouts of [`by_playouts`].
#[must_use]
pub fn score_by_playouts(position: &Position, playouts: u32, seed: u64) -> [f64; 2] {
    let (mut sum, mut squares) = (0.0, 0.0);
    play_out(position, playouts, seed, &mut |board| {
        let score = f64::from(area_score_after_playout(board));
        sum += score;
        squares += score * score;
    });
    let mean = sum / f64::from(playouts.max(1));
    [mean, (squares / f64::from(playouts.max(1)) - mean * mean).max(0.0).sqrt()]
}

/// Runs `playouts` playouts from `position` and passes each final board to `finished`.
fn play_out(position: &Position, playouts: u32, seed: u64, finished: &mut dyn FnMut(&Board)) {
    let mut start = position.clone();
    start.resume();
    start.seal();
    let mut rng = PlayoutRng::new(seed, STREAM);
    let mut trace = Trace::default();
    let mut played = start.clone();
    for number in 0..playouts {
        played.clone_from(&start);
        played.set_to_play(Player::BOTH[number as usize % 2]);
        trace.moves.clear();
        played.playout(&mut rng, &mut trace);
        finished(played.board());
    }
}

/// Returns the ownership of a finished board, all stones alive, counted as one playout.
#[must_use]
pub fn of_board(board: &Board) -> Ownership {
    let mut ownership = Ownership::default();
    add_owners(board, &mut ownership);
    ownership
}

/// Adds the owners of a finished board to `ownership` as one playout.
pub(super) fn add_owners(board: &Board, ownership: &mut Ownership) {
    let points = &board.geometry().points;
    // After most playouts every empty point has only stones beside it, so that its neighbourhood gives its owner.
    let is_simple = board.empty_points().iter().all(|&point| {
        let around = board.neighbourhood(point);
        (around | around >> 1) & 0x55 == 0x55
    });
    if is_simple {
        ownership.add_playout(points.iter().map(|&point| {
            let around = match board.cell(point) {
                cell::EMPTY => board.neighbourhood(point),
                cell => u16::from(cell) * 0x55,
            };
            // The border sets both bits of a cell, a stone only one.
            match (around & 0x55 == 0x55, around >> 1 & 0x55 == 0x55) {
                (true, false) => Some(Player::Black),
                (false, true) => Some(Player::White),
                _ => None,
            }
        }));
    } else {
        let owners = owners(board);
        ownership.add_playout(points.iter().map(|point| match owners[point.index()] {
            cell::BLACK => Some(Player::Black),
            cell::WHITE => Some(Player::White),
            _ => None,
        }));
    }
}
