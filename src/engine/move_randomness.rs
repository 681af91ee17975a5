//! Moves drawn at random in place of the best one, for the lower levels of play.

use crate::base::game::{Move, Player};
use crate::base::rng::PlayoutRng;
use crate::go::Position;
use crate::search::{MoveReport, Report};

/// Probabilities of playing another move than the best one, in 1/256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveRandomness {
    /// Probability of a move drawn uniformly from the legal moves that fill no own eye.
    pub random: u8,
    /// Otherwise, probability of a move drawn in proportion to the visits.
    pub sampled: u8,
}

impl MoveRandomness {
    /// The best move is always played.
    pub const NONE: MoveRandomness = MoveRandomness { random: 0, sampled: 0 };

    /// Returns the move to play after a search of `position`; equal random numbers lead to the same move. If the best move
    /// is a pass, or its outcome is proven, it is played.
    pub(super) fn choose(self, position: &Position, report: &Report, rng: &mut PlayoutRng) -> Option<Move> {
        let best = report.best()?;
        let pass = position.size().pass();
        if self == MoveRandomness::NONE || best.mv == pass || best.proven.is_some() {
            return Some(best.mv);
        }
        if rng.is_true_in_256(self.random.into()) {
            let moves: Vec<Move> = report.moves.iter().chain(&report.untried).map(|it| it.mv).collect();
            let sensible: Vec<Move> =
                moves.into_iter().filter(|&mv| !fills_eye(position, report.root.to_play, mv)).collect();
            if !sensible.is_empty() {
                return Some(sensible[rng.below(sensible.len())]);
            }
        }
        let is_sampled = rng.is_true_in_256(self.sampled.into());
        Some(if is_sampled { sampled(&report.moves, rng).unwrap_or(best.mv) } else { best.mv })
    }
}

/// Returns true if a move fills an own eye or is a pass.
fn fills_eye(position: &Position, player: Player, mv: Move) -> bool {
    let board = position.board();
    let point = board.geometry().point_of(mv);
    point.is_none_or(|point| board.is_eye(point, player))
}

/// Returns a move drawn in proportion to the visits.
fn sampled(moves: &[MoveReport], rng: &mut PlayoutRng) -> Option<Move> {
    let total: u64 = moves.iter().map(|it| it.edge_visits).sum();
    let total = usize::try_from(total).ok().filter(|total| (1..1 << 32).contains(total))?;
    let mut drawn = rng.below(total) as u64;
    moves.iter().find_map(|it| match drawn.checked_sub(it.edge_visits) {
        Some(left) => {
            drawn = left;
            None
        }
        None => Some(it.mv),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::memory::MemoryBudget;
    use crate::engine::{Engine, EngineOptions};
    use crate::go::Size;
    use crate::search::Limits;

    /// Returns the best move of a search of the empty 7x7 board, and the moves that `move_randomness` plays after it, one for
    /// each seed.
    fn drawn(move_randomness: MoveRandomness) -> (Move, Vec<Move>) {
        let size = Size::new(7, 7).expect("a size");
        let options = EngineOptions {
            size,
            memory: MemoryBudget::Table(1 << 20),
            networks: None,
            ..EngineOptions::default()
        };
        let mut engine = Engine::new(options).expect("an engine");
        let limits = Limits { simulations: Some(200), ..Limits::default() };
        let report = engine.search(Player::Black, limits, &mut |_| true).expect("a report");
        let position = engine.position().clone();
        let choose = |seed| move_randomness.choose(&position, &report, &mut PlayoutRng::new(seed, 0));
        let moves = (0..64).map(|seed| choose(seed).expect("a move")).collect();
        assert_eq!(choose(7), choose(7));
        (report.best().expect("a move").mv, moves)
    }

    #[test]
    fn moves_vary_only_with_randomness() {
        let kinds = |move_randomness| {
            let (best, mut moves) = drawn(move_randomness);
            let as_best = moves.iter().filter(|&&mv| mv == best).count();
            moves.sort();
            moves.dedup();
            (as_best, moves.len())
        };
        assert_eq!(kinds(MoveRandomness::NONE), (64, 1));
        let (_, random) = kinds(MoveRandomness { random: 255, sampled: 0 });
        assert!(random > 24, "{random}");
        let (as_best, sampled) = kinds(MoveRandomness { random: 0, sampled: 128 });
        assert!(as_best >= 32 && sampled > 1, "{as_best} {sampled}");
    }
}
