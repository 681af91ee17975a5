//! Positions in which neither player has anything left to gain.

use super::board::{Board, cell};
use super::geometry::Point;
use super::playout_ownership::by_playouts;
use super::score::owners;
use super::status::{BoardStatus, COUNTING_SEED, ChainStatus};
use super::{PlayoutPolicy, Position};
use crate::base::game::{Move, Player};
use crate::base::ownership::Ownership;

/// Number of playouts.
const PLAYOUTS: u32 = 400;

/// Minimum share of playouts in which a point has the owner that the count gives it.
const MIN_OWNED_SHARE: f64 = 0.75;

/// Minimum share without an evaluator. On settled boards of two walls with four empty columns between them the share is
/// 0.75 (3,200 playouts).
const MIN_OWNED_SHARE_ALONE: f64 = 0.7;

/// Minimum mean of that share and of the evaluator's probability of the owner. Of territories behind a straight wall,
/// those of four empty columns have 0.71 or more, those of five or more, which can be invaded, 0.63 or less (one on 7x7:
/// 0.74).
const MIN_OWNED_MEAN: f64 = 2.0 / 3.0;

/// The evaluator's ownership with each player to move, by player: means by move number, from -1 for White to 1 for Black.
pub type OwnershipByMover = [Vec<f64>; 2];

/// Returns for each player if his points are settled: nothing that the opponent tries there gains anything.
///
/// With the dead stones of `statuses` removed, each empty point must be territory of one player or touch stones of both, and
/// playouts, or playouts and evaluator together, must agree with the count on each of the player's points outside seki. The
/// evaluator counts with the opponent to move.
#[must_use]
pub fn settled_players(
    position: &Position,
    statuses: &BoardStatus,
    evaluate: impl FnOnce() -> Option<OwnershipByMover>,
) -> [bool; 2] {
    let board = statuses.board_without_dead();
    let owners = owners(&board);
    let points = &board.geometry().points;
    let is_neutral = |point: Point| board.cell(point) == cell::EMPTY && owners[point.index()] == cell::EMPTY;
    if points.iter().any(|&point| is_neutral(point) && !touches_both(&board, point)) {
        return [false; 2];
    }
    let mut start = position.clone();
    // Always the default (heavy) playouts: light ones let most invasions live.
    start.set_playouts(PlayoutPolicy::default());
    let ownership = by_playouts(&start, PLAYOUTS, COUNTING_SEED);
    let in_seki = statuses.chains().iter().filter(|chain| chain.status == ChainStatus::Seki);
    // Playouts seldom keep a seki, so its stones are not compared.
    let in_seki: Vec<Move> = in_seki.flat_map(|chain| chain.stones.iter().copied()).collect();
    let unclear: Vec<(Player, Move, f64)> = points
        .iter()
        .enumerate()
        .filter(|(_, point)| !is_neutral(**point))
        .map(|(number, point)| (owner_of(owners[point.index()]), Move(number as u16)))
        .map(|(owner, mv)| (owner, mv, owned_share(&ownership, owner, mv)))
        .filter(|(_, mv, share)| *share < MIN_OWNED_SHARE && !in_seki.contains(mv))
        .collect();
    if unclear.is_empty() {
        return [true; 2];
    }
    let evaluated = evaluate();
    let is_settled = |&(owner, mv, share): &(Player, Move, f64)| {
        evaluated.as_ref().map_or(share >= MIN_OWNED_SHARE_ALONE, |it| {
            let mean = it[owner.other().index()][mv.index()];
            (share + probability(owner, mean)) / 2.0 >= MIN_OWNED_MEAN
        })
    };
    Player::BOTH.map(|player| unclear.iter().filter(|(owner, ..)| *owner == player).all(is_settled))
}

/// Returns the probability that a point with this mean ownership becomes the player's.
fn probability(player: Player, black_ownership: f64) -> f64 {
    let own = if player == Player::Black { black_ownership } else { -black_ownership };
    (1.0 + own) / 2.0
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
