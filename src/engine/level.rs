//! Levels of play, for games that people can win.

use super::EngineOptions;
use crate::base::game::{Move, Player};
use crate::base::rng::PlayoutRng;
use crate::go::Position;
use crate::search::{Limits, MoveReport, Report};
use std::fmt;
use std::str::FromStr;

/// Settings of a level.
struct Recipe {
    name: &'static str,
    simulations: u64,
    asks_network: bool,
    carelessness: Carelessness,
}

/// Probabilities of playing another move than the best one, in 1/256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carelessness {
    /// Probability of a move drawn uniformly from the legal moves that fill no own eye.
    pub random: u8,
    /// Otherwise, probability of a move drawn in proportion to the visits.
    pub sampled: u8,
}

impl Carelessness {
    /// The best move is always played.
    pub const NONE: Carelessness = Carelessness { random: 0, sampled: 0 };
}

/// The levels, from the weakest. `tools/experiments.py run levels` measures each against the one below.
const RECIPES: [Recipe; 10] = [
    recipe("beginner", 10, false, 128, 64),
    recipe("novice", 15, false, 92, 64),
    recipe("learner", 40, false, 28, 64),
    recipe("casual", 80, false, 0, 48),
    recipe("improver", 160, false, 0, 0),
    recipe("steady", 400, false, 0, 0),
    recipe("club", 100, true, 0, 0),
    recipe("strong", 400, true, 0, 0),
    recipe("expert", 1_500, true, 0, 0),
    recipe("master", 6_000, true, 0, 0),
];

const fn recipe(name: &'static str, simulations: u64, asks_network: bool, random: u8, sampled: u8) -> Recipe {
    Recipe { name, simulations, asks_network, carelessness: Carelessness { random, sampled } }
}

/// A level of play, from 1 (beginner) to [`Level::HIGHEST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// A text that is not a level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a level from 1 to {}, or one of {}; found {found:?}", Level::HIGHEST, Level::names())]
pub struct LevelError {
    found: String,
}

impl Level {
    /// The number of the strongest level.
    pub const HIGHEST: u8 = RECIPES.len() as u8;

    /// Returns all levels, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        (1..=Level::HIGHEST).map(Level)
    }

    /// Returns the number of the level, from 1 to [`Level::HIGHEST`].
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// Returns the limits of the search for a move, which replace all others.
    #[must_use]
    pub fn limits(self) -> Limits {
        Limits { simulations: Some(self.recipe().simulations), ..Limits::default() }
    }

    /// Sets the options of this level; searches are to be limited by [`Level::limits`].
    pub fn apply(self, options: &mut EngineOptions) {
        let recipe = self.recipe();
        if !recipe.asks_network {
            options.remove_networks();
        }
        options.carelessness = recipe.carelessness;
    }

    fn recipe(self) -> &'static Recipe {
        &RECIPES[usize::from(self.0) - 1]
    }

    fn names() -> String {
        RECIPES.map(|recipe| recipe.name).join(", ")
    }
}

impl fmt::Display for Level {
    /// Writes number and name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.0, self.recipe().name)
    }
}

impl FromStr for Level {
    type Err = LevelError;

    /// Parses a number or a name, in upper or lower case.
    fn from_str(text: &str) -> Result<Level, LevelError> {
        let text = text.trim();
        let is_meant =
            |level: &Level| level.recipe().name.eq_ignore_ascii_case(text) || level.0.to_string() == text;
        Level::all().find(is_meant).ok_or_else(|| LevelError { found: text.to_owned() })
    }
}

impl Carelessness {
    /// Returns the move to play after a search of `position`; equal random numbers lead to the same move. If the best move
    /// is a pass, or its outcome is proven, it is played.
    pub(super) fn choose(self, position: &Position, report: &Report, rng: &mut PlayoutRng) -> Option<Move> {
        let best = report.best()?;
        let pass = position.size().pass();
        if self == Carelessness::NONE || best.mv == pass || best.proven.is_some() {
            return Some(best.mv);
        }
        if rng.chance(self.random.into()) {
            let moves: Vec<Move> = report.moves.iter().chain(&report.untried).map(|it| it.mv).collect();
            let sensible: Vec<Move> =
                moves.into_iter().filter(|&mv| !fills_eye(position, report.root.to_play, mv)).collect();
            if !sensible.is_empty() {
                return Some(sensible[rng.below(sensible.len())]);
            }
        }
        let is_sampled = rng.chance(self.sampled.into());
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
    use crate::base::memory::Budget;
    use crate::engine::Engine;
    use crate::go::Size;

    #[test]
    fn levels_are_named_by_number_and_word() {
        assert_eq!("1".parse(), Ok(Level(1)));
        assert_eq!("Master".parse(), Ok(Level(Level::HIGHEST)));
        assert_eq!(Level(4).to_string(), "4 (casual)");
        for wrong in ["0", "11", "1.0", "", "best"] {
            let error = wrong.parse::<Level>().expect_err(wrong).to_string();
            assert!(error.starts_with("expected a level from 1 to 10, or one of beginner, "), "{error}");
        }
    }

    /// Returns the best move of a search of the empty 7x7 board, and the moves that `carelessness` plays after it, one for
    /// each seed.
    fn drawn(carelessness: Carelessness) -> (Move, Vec<Move>) {
        let size = Size::new(7, 7).expect("a size");
        let options = EngineOptions {
            size,
            memory: Budget::Table(1 << 20),
            networks: None,
            ..EngineOptions::default()
        };
        let mut engine = Engine::new(options).expect("an engine");
        let limits = Limits { simulations: Some(200), ..Limits::default() };
        let report = engine.search(Player::Black, limits, &mut |_| true);
        let position = engine.position().clone();
        let choose = |seed| carelessness.choose(&position, &report, &mut PlayoutRng::new(seed, 0));
        let moves = (0..64).map(|seed| choose(seed).expect("a move")).collect();
        assert_eq!(choose(7), choose(7));
        (report.best().expect("a move").mv, moves)
    }

    #[test]
    fn the_careful_play_the_best_move_and_the_careless_many() {
        let kinds = |carelessness| {
            let (best, mut moves) = drawn(carelessness);
            let as_best = moves.iter().filter(|&&mv| mv == best).count();
            moves.sort();
            moves.dedup();
            (as_best, moves.len())
        };
        assert_eq!(kinds(Carelessness::NONE), (64, 1));
        let (_, random) = kinds(Carelessness { random: 255, sampled: 0 });
        assert!(random > 24, "{random}");
        let (as_best, sampled) = kinds(Carelessness { random: 0, sampled: 128 });
        assert!(as_best >= 32 && sampled > 1, "{as_best} {sampled}");
    }
}
