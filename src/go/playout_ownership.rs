//! Ownership and scores estimated by playouts.

use super::Position;
use super::board::Board;
use super::final_ownership::add_owners;
use super::score::area_score_after_playout;
use crate::base::game::{Game, Player, Trace};
use crate::base::ownership::Ownership;
use crate::base::rng::PlayoutRng;

/// Random stream of these playouts; search workers use the first 255.
const STREAM: u64 = 1 << 32;

/// Returns the ownership at the end of `playouts` playouts of `position` under its playout policy. The same stones and
/// the same seed give the same result, whatever the order of moves. The players begin playouts in turn, so that neither
/// has an extra move.
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
    start.forget_order();
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
            let owners = |position| by_playouts(position, 40, 1).means_for_black(size.points());
            assert_eq!(owners(&played), owners(&set_up));
        }
    }
}
