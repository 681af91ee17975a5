//! The choice of positions to be labelled: some of recorded games, some a few moves beside them.

use crate::base::game::{Game, Move, Player};
use crate::base::zobrist::mix;
use crate::go::{Komi, Position, Rules, Size, Symmetry};
use crate::network::planes::{self, InputPosition};
use crate::network::{Evaluator, Network};
use rand::rand_core::Rng;
use rand::{RngExt, SeedableRng, distr::weighted::WeightedIndex};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};
use std::sync::Arc;

/// Maximum number of drawn moves after those of the record.
pub const MAX_DRAWN: usize = 3;
/// Temperature of the policy for drawn moves; above 1 makes unusual moves more frequent.
const TEMPERATURE: f64 = 1.5;
/// Standard deviation of the komi around the fair one, in points.
const KOMI_DEVIATION: f64 = 6.0;

/// The moves and the komi of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameMoves {
    /// White's komi.
    pub komi: Komi,
    /// The moves, Black first.
    pub moves: Vec<Move>,
}

/// A position, described by its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionPlace {
    /// Index of the game.
    pub game: u32,
    /// Number of moves of the game before the position.
    pub turn: u16,
    /// Drawn moves after these, at most [`MAX_DRAWN`].
    pub drawn: Vec<Move>,
    /// White's komi.
    pub komi: Komi,
}

impl PositionPlace {
    /// Returns the position; `None` if the games have none there.
    #[must_use]
    pub fn position(&self, games: &[GameMoves], size: Size) -> Option<Position> {
        let moves = games.get(self.game as usize)?.moves.get(..usize::from(self.turn))?;
        let mut position = Position::new(size, Rules::CHINESE, self.komi);
        let is_played = moves.iter().chain(&self.drawn).all(|&mv| play(&mut position, mv));
        is_played.then_some(position)
    }

    /// Returns the move of the game in this position; `None` after drawn moves.
    #[must_use]
    pub fn played(&self, games: &[GameMoves]) -> Option<Move> {
        let game = games.get(self.game as usize).filter(|_| self.drawn.is_empty())?;
        game.moves.get(usize::from(self.turn)).copied()
    }
}

/// Plays a move, also after two passes. Returns false if the rules forbid it, or the board has none of this number.
fn play(position: &mut Position, mv: Move) -> bool {
    let is_legal = mv.index() <= position.size().points() && position.check(mv).is_ok();
    if is_legal {
        position.play(mv);
        position.resume();
    }
    is_legal
}

/// Draws positions from games, each by its number and the seed alone.
///
/// Half of the positions are recorded ones with the komi of their game. After the others, one to three moves of a
/// network's policy are drawn; half of these have a komi drawn around the one that the network considers fair.
pub struct PositionSampler<'a> {
    games: &'a [GameMoves],
    size: Size,
    seed: u64,
    evaluator: Evaluator,
}

impl<'a> PositionSampler<'a> {
    /// Creates a sampler of games on boards of `size`, at least one of them with a move.
    #[must_use]
    pub fn new(games: &'a [GameMoves], size: Size, network: &Arc<Network>, seed: u64) -> PositionSampler<'a> {
        PositionSampler { games, size, seed, evaluator: Evaluator::new(Arc::clone(network), size) }
    }

    /// Draws position `number`.
    pub fn draw(&mut self, number: u32) -> (PositionPlace, Position) {
        let mut random = ChaCha8Rng::seed_from_u64(mix(self.seed ^ mix(u64::from(number))));
        let (mut place, mut position) = self.draw_recorded(&mut random);
        let kind = number % 4;
        if kind >= 2 {
            for _ in 0..random.random_range(1..=MAX_DRAWN) {
                place
                    .drawn
                    .extend(self.draw_move(&position, &mut random).filter(|&mv| play(&mut position, mv)));
            }
        }
        if kind == 3 {
            place.komi = self.draw_komi(&position, &mut random);
            position.set_komi(place.komi);
        }
        (place, position)
    }

    /// Draws a position in which a move was played, or the last one before a move that the rules forbid.
    fn draw_recorded(&self, random: &mut ChaCha8Rng) -> (PositionPlace, Position) {
        let (index, game) = loop {
            let index = (random.next_u64() % self.games.len() as u64) as usize;
            if !self.games[index].moves.is_empty() {
                break (index, &self.games[index]);
            }
        };
        let turns = random.random_range(0..game.moves.len().min(usize::from(u16::MAX)));
        let mut position = Position::new(self.size, Rules::CHINESE, game.komi);
        let turn = game.moves[..turns].iter().take_while(|&&mv| play(&mut position, mv)).count() as u16;
        (PositionPlace { game: index as u32, turn, drawn: Vec::new(), komi: game.komi }, position)
    }

    /// Draws a move on the board from the network's policy; `None` if there is none.
    fn draw_move(&mut self, position: &Position, random: &mut ChaCha8Rng) -> Option<Move> {
        let input = InputPosition::with_moves_in_key(position);
        let evaluation = self.evaluator.evaluate(&input, Symmetry::IDENTITY);
        let mut probabilities = vec![0; self.size.points() + 1];
        evaluation.move_probabilities(|mv| position.check(mv).is_ok(), &mut probabilities);
        let points = &probabilities[..self.size.points()];
        let weights = points.iter().map(|&probability| f64::from(probability).powf(1.0 / TEMPERATURE));
        WeightedIndex::new(weights).ok().map(|weights| Move(weights.sample(random) as u16))
    }

    /// Draws a komi around the one that the network considers fair; the game's if the network estimates no score.
    fn draw_komi(&mut self, position: &Position, random: &mut ChaCha8Rng) -> Komi {
        let input = InputPosition::with_moves_in_key(position);
        let Some(score) = self.evaluator.evaluate(&input, Symmetry::IDENTITY).score else {
            return position.komi();
        };
        let lead = score.lead(0);
        let fair = if position.to_play() == Player::Black { lead } else { -lead };
        let drawn = Normal::new(fair, KOMI_DEVIATION).map_or(fair, |normal| normal.sample(random));
        planes::nearest_representable(drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_leads_to_its_position_and_half_of_them_are_recorded() {
        let size = Size::new(5, 5).expect("a size");
        let moves = [12, 6, 8, 25, 16, 18, 7, 3].map(Move).to_vec();
        let games = [GameMoves { komi: Komi(7), moves }, GameMoves { komi: Komi(1), moves: Vec::new() }];
        let network = Network::embedded(size);
        let mut sampler = PositionSampler::new(&games, size, &network, 5);
        for number in 0..40 {
            let (place, position) = sampler.draw(number);
            let found = place.position(&games, size).expect("a position of the games");
            assert_eq!((found.key(), found.komi()), (position.key(), place.komi), "{place:?}");
            assert_eq!(place.drawn.is_empty(), number % 4 < 2, "{place:?}");
            assert!(place.komi == Komi(7) || number % 4 == 3, "{place:?}");
            assert_eq!(place.played(&games).is_some(), place.drawn.is_empty());
            assert_eq!(sampler.draw(number).0, place);
        }
    }
}
