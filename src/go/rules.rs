//! Rule sets: repetition, suicide, scoring, komi.
//!
//! Playouts and proofs always count area. Under territory scoring the komi makes up for it: an area score exceeds
//! the score by territory and prisoners by as many points as Black has placed more stones than White, set up or
//! played ([`Position::area_komi`](super::Position::area_komi)).

use super::geometry::Size;
use crate::game::{Outcome, Score};
use crate::zobrist::mix;
use std::fmt;
use std::str::FromStr;

/// Which repetitions are forbidden. A position that was set up counts as part of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// Only the immediate recapture of a single stone.
    Simple,
    /// No play may recreate the stones of an earlier position.
    Positional,
    /// No play may recreate the stones of an earlier position with the same player to move.
    Situational,
}

/// What is counted when a game is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Stones and the points around them.
    #[default]
    Area,
    /// Points around stones, and prisoners.
    Territory,
}

/// The rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Repetition.
    pub ko: KoRule,
    /// Whether a move may leave its own chain without liberties, which removes it.
    pub suicide: bool,
    /// What is counted.
    pub scoring: Scoring,
}

impl Rules {
    /// Positional superko, no suicide, area scoring: the default.
    pub const CHINESE: Rules = Rules { ko: KoRule::Positional, suicide: false, scoring: Scoring::Area };
    /// Positional superko, suicide allowed, area scoring. Source: tromp.github.io/go.html.
    pub const TROMP_TAYLOR: Rules = Rules { suicide: true, ..Rules::CHINESE };
    /// Situational superko, no suicide, area scoring.
    pub const AGA: Rules = Rules { ko: KoRule::Situational, ..Rules::CHINESE };
    /// Situational superko, suicide allowed, area scoring: New Zealand's, and as near as we come to Ing's.
    pub const NEW_ZEALAND: Rules = Rules { suicide: true, ..Rules::AGA };
    /// Simple ko, no suicide, territory scoring. Korean rules are the same to us.
    pub const JAPANESE: Rules = Rules { ko: KoRule::Simple, suicide: false, scoring: Scoring::Territory };
}

impl Rules {
    /// Points that White gets for a handicap of so many stones besides komi: under Chinese rules one for each, since they
    /// count as area; under those of the AGA all but the first, which is the move that Black has anyway; else none.
    #[must_use]
    pub fn points_for_handicap(self, stones: usize) -> usize {
        match self {
            _ if stones < 2 => 0,
            Rules::CHINESE => stones,
            Rules::AGA => stones - 1,
            _ => 0,
        }
    }
}

/// A rule set that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown rules {given:?}: expected chinese, japanese, korean, aga, nz, ing, tromp-taylor, or \
     ko=simple|positional|situational,suicide=yes|no,scoring=area|territory"
)]
pub struct RulesError {
    /// What was asked for.
    pub given: String,
}

impl FromStr for Rules {
    type Err = RulesError;

    fn from_str(text: &str) -> Result<Rules, RulesError> {
        let error = || RulesError { given: text.to_owned() };
        if let Some(rules) = named(text) {
            return Ok(rules);
        }
        let mut rules = Rules::CHINESE;
        for part in text.trim().split(',') {
            match part.split_once('=').ok_or_else(error)? {
                ("ko", "simple") => rules.ko = KoRule::Simple,
                ("ko", "positional") => rules.ko = KoRule::Positional,
                ("ko", "situational") => rules.ko = KoRule::Situational,
                ("suicide", "yes") => rules.suicide = true,
                ("suicide", "no") => rules.suicide = false,
                ("scoring", "area") => rules.scoring = Scoring::Area,
                ("scoring", "territory") => rules.scoring = Scoring::Territory,
                _ => return Err(error()),
            }
        }
        Ok(rules)
    }
}

/// Rules by the name that people, programs and servers give them, whatever stands between its words.
fn named(name: &str) -> Option<Rules> {
    let is_word = |c: &char| c.is_alphanumeric() || *c == '=';
    let squashed: String = name.chars().filter(is_word).flat_map(char::to_lowercase).collect();
    match squashed.as_str() {
        "chinese" | "china" | "cn" | "chineseogs" | "chinesekgs" => Some(Rules::CHINESE),
        "tromptaylor" => Some(Rules::TROMP_TAYLOR),
        "aga" | "bga" => Some(Rules::AGA),
        "nz" | "newzealand" | "goe" | "ing" => Some(Rules::NEW_ZEALAND),
        "japanese" | "japan" | "jp" | "korean" | "korea" | "kr" => Some(Rules::JAPANESE),
        _ => None,
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Rules::CHINESE => f.write_str("chinese"),
            Rules::TROMP_TAYLOR => f.write_str("tromp-taylor"),
            Rules::JAPANESE => f.write_str("japanese"),
            Rules { ko, suicide, scoring } => {
                let ko = match ko {
                    KoRule::Simple => "simple",
                    KoRule::Positional => "positional",
                    KoRule::Situational => "situational",
                };
                write!(f, "ko={ko},suicide={}", if suicide { "yes" } else { "no" })?;
                f.write_str(if scoring == Scoring::Territory { ",scoring=territory" } else { "" })
            }
        }
    }
}

/// Compensation for White in half points, so that it is exact: 6.5 points are `Komi(13)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Komi(pub i32);

impl Komi {
    /// The largest komi either way: twice the largest board, enough to decide any game beforehand.
    pub const LIMIT_POINTS: f64 = 1000.0;

    /// A number of points.
    ///
    /// # Errors
    /// What is beyond ±1000 or no half point. Nothing is rounded: that could change who wins, or allow draws.
    pub fn from_points(points: f64) -> Result<Komi, KomiError> {
        let half_points = 2.0 * points;
        if half_points.is_nan() || points.abs() > Komi::LIMIT_POINTS {
            Err(KomiError::OutOfRange { found: points.to_string() })
        } else if half_points.fract() != 0.0 {
            Err(KomiError::NoHalfPoint { found: points.to_string() })
        } else {
            Ok(Komi(half_points as i32))
        }
    }

    /// In points.
    #[must_use]
    pub fn points(self) -> f64 {
        f64::from(self.0) / 2.0
    }

    /// What a final score is worth to Black.
    #[must_use]
    #[inline]
    pub fn outcome_for_black(self, score: Score) -> Outcome {
        match (i32::from(score) * 2).cmp(&self.0) {
            std::cmp::Ordering::Less => Outcome::Loss,
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Greater => Outcome::Win,
        }
    }
}

impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.points())
    }
}

impl FromStr for Komi {
    type Err = KomiError;

    fn from_str(text: &str) -> Result<Komi, KomiError> {
        let points = text.trim().parse().map_err(|_| KomiError::NoNumber { found: text.to_owned() })?;
        Komi::from_points(points)
    }
}

/// A komi that we cannot play with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KomiError {
    /// Not even a number.
    #[error("expected a number, found {found:?}")]
    NoNumber {
        /// What was given.
        found: String,
    },
    /// More than [`Komi::LIMIT_POINTS`].
    #[error("expected a komi from -1000 to 1000, found {found}")]
    OutOfRange {
        /// What was given.
        found: String,
    },
    /// Between two half points.
    #[error("expected a komi in whole or half points, found {found}")]
    NoHalfPoint {
        /// What was given.
        found: String,
    },
}

/// What makes the statistics of two games with the same stones different: mixed into every key. Searches count area
/// whatever the scoring, with the komi that makes up for it.
#[must_use]
pub fn salt(size: Size, rules: Rules, komi: Komi) -> u64 {
    let size = (size.columns() as u64) << 8 | size.rows() as u64;
    let rules = (rules.ko as u64) << 1 | u64::from(rules.suicide);
    mix(mix(size << 8 | rules) ^ u64::from(komi.0 as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_sets_survive_printing_and_reading() {
        for ko in [KoRule::Simple, KoRule::Positional, KoRule::Situational] {
            for suicide in [false, true] {
                for scoring in [Scoring::Area, Scoring::Territory] {
                    let rules = Rules { ko, suicide, scoring };
                    assert_eq!(rules.to_string().parse::<Rules>().unwrap(), rules);
                }
            }
        }
        assert_eq!("Korean".parse(), Ok(Rules::JAPANESE));
        assert!("Lasker".parse::<Rules>().is_err());
        assert!("ko=none".parse::<Rules>().is_err());
    }

    #[test]
    fn komi_is_kept_in_half_points() {
        assert_eq!(Komi::from_points(6.5), Ok(Komi(13)));
        assert_eq!(Komi::from_points(-3.0), Ok(Komi(-6)));
        for (points, expected) in [(f64::NAN, "to 1000"), (1000.5, "to 1000"), (7.75, "half points")] {
            let error = Komi::from_points(points).expect_err("no komi").to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert_eq!(Komi(13).outcome_for_black(7), Outcome::Win);
        assert_eq!(Komi(14).outcome_for_black(7), Outcome::Draw);
        assert_eq!(Komi(15).outcome_for_black(7), Outcome::Loss);
    }
}
