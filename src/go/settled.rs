//! Positions in which neither player has anything left to gain.

use super::board::{Board, cell};
use super::geometry::Point;
use super::playout_ownership::by_playouts;
use super::score::owners;
use super::status::{BoardStatus, ChainStatus};
use super::{PlayoutPolicy, Position};
use crate::base::game::{Move, Player};
use crate::base::ownership::Ownership;

/// Number of playouts.
const PLAYOUTS: u32 = 200;

/// Minimum share of playouts in which a point has the owner that the count gives it.
const MIN_OWNED_SHARE: f64 = 0.75;

/// Returns true if the position is settled: with the dead stones of `statuses` removed, each empty point is territory of one
/// player or touches stones of both, and playouts agree with the count on each owned point outside seki. The same seed gives
/// the same answer.
#[must_use]
pub fn is_settled(position: &Position, statuses: &BoardStatus, seed: u64) -> bool {
    let board = statuses.board_without_dead();
    let owners = owners(&board);
    let points = &board.geometry().points;
    let is_neutral = |point: Point| board.cell(point) == cell::EMPTY && owners[point.index()] == cell::EMPTY;
    if points.iter().any(|&point| is_neutral(point) && !touches_both(&board, point)) {
        return false;
    }
    let mut start = position.clone();
    // Light playouts let most invasions live.
    start.set_playouts(PlayoutPolicy::default());
    let ownership = by_playouts(&start, PLAYOUTS, seed);
    let in_seki = statuses.chains().iter().filter(|chain| chain.status == ChainStatus::Seki);
    // Playouts seldom keep a seki, so its stones are not compared.
    let in_seki: Vec<Move> = in_seki.flat_map(|chain| chain.stones.iter().copied()).collect();
    points.iter().enumerate().filter(|(_, point)| !is_neutral(**point)).all(|(number, point)| {
        let (owner, mv) = (owner_of(owners[point.index()]), Move(number as u16));
        in_seki.contains(&mv) || owned_share(&ownership, owner, mv) >= MIN_OWNED_SHARE
    })
}

fn owner_of(cell: u8) -> Player {
    if cell == cell::BLACK { Player::Black } else { Player::White }
}

fn owned_share(ownership: &Ownership, owner: Player, mv: Move) -> f64 {
    ownership.count(owner, mv) as f64 / ownership.playouts().max(1) as f64
}

/// Returns true if the empty point has stones of both colours beside it: a dame or a shared liberty.
fn touches_both(board: &Board, point: Point) -> bool {
    let touched = board.neighbours4(point).into_iter().filter(|&beside| board.stone_at(beside).is_some());
    touched.fold(0, |colours, beside| colours | board.cell(beside)) == cell::BLACK | cell::WHITE
}
