//! Ownership and scores estimated by playouts.

use super::board::Board;
use super::final_ownership::add_owners;
use super::score::area_score_after_playout;
use super::{PlayoutPolicy, Point, Position};
use crate::base::game::{Game, Player, Trace};
use crate::base::ownership::Ownership;
use crate::base::rng::PlayoutRng;

/// Random stream of these playouts; search workers use the first 255.
const STREAM: u64 = 1 << 32;

/// The start of playouts.
#[derive(Clone, Copy)]
pub struct PlayoutStart<'a> {
    /// The board, with the ko.
    pub board: &'a Board,
    /// The player whom the ko binds.
    pub to_play: Player,
    /// The policy.
    pub policy: PlayoutPolicy,
}

impl<'a> From<&'a Position> for PlayoutStart<'a> {
    fn from(position: &'a Position) -> PlayoutStart<'a> {
        PlayoutStart {
            board: position.board(),
            to_play: position.to_play(),
            policy: position.playout_policy(),
        }
    }
}

/// Returns the ownership at the end of `playouts` playouts. The same stones and the same seed give the same result,
/// whatever the order of moves. The players begin playouts in turn, so that neither has an extra move.
#[must_use]
pub fn by_playouts<'a>(start: impl Into<PlayoutStart<'a>>, playouts: u32, seed: u64) -> Ownership {
    let mut ownership = Ownership::default();
    play_out(start.into(), playouts, seed, &mut |board| add_owners(board, &mut ownership));
    ownership
}

/// Returns the mean and standard deviation of the area score (Black's points minus White's, without komi) at the end of the
/// playouts of [`by_playouts`].
#[must_use]
pub fn score_by_playouts(position: &Position, playouts: u32, seed: u64) -> [f64; 2] {
    let (mut sum, mut squares) = (0.0, 0.0);
    play_out(position.into(), playouts, seed, &mut |board| {
        let score = f64::from(area_score_after_playout(board));
        sum += score;
        squares += score * score;
    });
    let mean = sum / f64::from(playouts.max(1));
    [mean, (squares / f64::from(playouts.max(1)) - mean * mean).max(0.0).sqrt()]
}

/// Runs `playouts` playouts and passes each final board to `finished`.
fn play_out(start: PlayoutStart<'_>, playouts: u32, seed: u64, finished: &mut dyn FnMut(&Board)) {
    let board = start.board.in_point_order();
    let mut rng = PlayoutRng::new(seed, STREAM);
    let mut trace = Trace::default();
    let mut played = board.clone();
    for number in 0..playouts {
        played.clone_from(&board);
        let first = Player::BOTH[number as usize % 2];
        if first != start.to_play {
            played.clear_ko();
        }
        trace.moves.clear();
        start.policy.play(&mut played, first, 0, [Point::NONE; 2], &mut rng, &mut trace);
        finished(&played);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::game::Move;
    use crate::go::{Komi, Rules, Size};

    #[test]
    fn the_ownership_does_not_depend_on_the_order_of_the_stones() {
        let size = Size::new(7, 7).expect("a size");
        let mut rng = PlayoutRng::new(5, 0);
        for _ in 0..20 {
            let mut played = Position::new(size, Rules::CHINESE, Komi(13));
            for _ in 0..40 {
                let legal: Vec<Move> = played.legal_moves().filter(|&mv| mv != size.pass()).collect();
                if !legal.is_empty() {
                    played.try_play(legal[rng.below(legal.len())]).expect("legal");
                }
            }
            played.try_play(size.pass()).expect("legal");
            let board = played.board();
            let stone = |&point: &_| Some((board.stone_at(point)?, board.geometry().move_of(point)));
            let mut stones: Vec<(Player, Move)> = board.geometry().points.iter().filter_map(stone).collect();
            stones.reverse();
            let set_up = Position::with_stones(size, Rules::CHINESE, Komi(13), &stones, played.to_play());
            let set_up = set_up.expect("a position");
            let owners = |position: &Position| by_playouts(position, 40, 1).means_for_black(size.points());
            assert_eq!(owners(&played), owners(&set_up));
        }
    }
}
