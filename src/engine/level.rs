//! Levels of play, for games that people can win.

use super::move_randomness::MoveRandomness;
use super::options::EngineOptions;
use crate::search::Limits;
use std::fmt;
use std::str::FromStr;

/// Settings of a level.
struct LevelSettings {
    name: &'static str,
    simulations: u64,
    uses_network: bool,
    move_randomness: MoveRandomness,
}

/// The levels, from the weakest. `tools/experiments.py run levels` measures each against the one below.
const LEVELS: [LevelSettings; 10] = [
    level("beginner", 10, false, 128, 64),
    level("novice", 15, false, 92, 64),
    level("learner", 40, false, 28, 64),
    level("casual", 80, false, 0, 48),
    level("improver", 160, false, 0, 0),
    level("steady", 400, false, 0, 0),
    level("club", 100, true, 0, 0),
    level("strong", 400, true, 0, 0),
    level("expert", 1_500, true, 0, 0),
    level("master", 6_000, true, 0, 0),
];

const fn level(
    name: &'static str,
    simulations: u64,
    uses_network: bool,
    random: u8,
    sampled: u8,
) -> LevelSettings {
    LevelSettings { name, simulations, uses_network, move_randomness: MoveRandomness { random, sampled } }
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
    pub const HIGHEST: u8 = LEVELS.len() as u8;

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
        Limits { simulations: Some(self.settings().simulations), ..Limits::default() }
    }

    /// Sets the options of this level; searches are to be limited by [`Level::limits`].
    pub fn apply(self, options: &mut EngineOptions) {
        let settings = self.settings();
        if !settings.uses_network {
            options.remove_networks();
        }
        options.move_randomness = settings.move_randomness;
    }

    fn settings(self) -> &'static LevelSettings {
        &LEVELS[usize::from(self.0) - 1]
    }

    fn names() -> String {
        LEVELS.map(|settings| settings.name).join(", ")
    }
}

impl fmt::Display for Level {
    /// Writes number and name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.0, self.settings().name)
    }
}

impl FromStr for Level {
    type Err = LevelError;

    /// Parses a number or a name, in upper or lower case.
    fn from_str(text: &str) -> Result<Level, LevelError> {
        let text = text.trim();
        let is_meant =
            |level: &Level| level.settings().name.eq_ignore_ascii_case(text) || level.0.to_string() == text;
        Level::all().find(is_meant).ok_or_else(|| LevelError { found: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
