//! Rule sets: repetition, suicide, scoring, komi.
//!
//! Playouts count area. An area score exceeds the score by territory and prisoners by the number of stones that Black has
//! placed, set up or played, minus White's ([`Position::area_offset`](super::Position::area_offset)).

use super::geometry::Size;
use crate::base::game::{Outcome, Score};
use crate::base::zobrist::mix;
use std::fmt;
use std::str::FromStr;

/// The rule against repetition. A setup position is part of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// Forbids only the immediate recapture of a single stone.
    Simple,
    /// Forbids a play that recreates the stones of an earlier position.
    Positional,
    /// Forbids a play that recreates the stones of an earlier position with the same player to move.
    Situational,
}

/// The method of counting a finished game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Stones and the empty points that they surround.
    #[default]
    Area,
    /// Empty points that stones surround, and prisoners.
    Territory,
}

/// Points that White gets on top of komi for N handicap stones, N being two or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HandicapBonus {
    /// 0 points.
    #[default]
    None,
    /// N - 1 points: one for each stone but the one that replaces Black's first move.
    AllButOne,
    /// N points.
    All,
}

/// The rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The rule against repetition.
    pub ko: KoRule,
    /// True if a move may leave its own chain without liberties, which removes it.
    pub suicide: bool,
    /// The method of counting.
    pub scoring: Scoring,
    /// White's compensation for a handicap.
    pub handicap_bonus: HandicapBonus,
    /// True if players may end the game with dead stones on the board, which are removed by agreement; false if all
    /// stones on the board count. Under territory scoring dead stones are removed either way: false then means that
    /// disputes are played out, as in KataGo's Japanese rules.
    pub removes_dead: bool,
}

impl Rules {
    /// Positional superko, no suicide, area scoring, a point for each handicap stone: the default.
    pub const CHINESE: Rules = Rules {
        ko: KoRule::Positional,
        suicide: false,
        scoring: Scoring::Area,
        handicap_bonus: HandicapBonus::All,
        removes_dead: true,
    };
    /// Positional superko, suicide allowed, area scoring, all stones count. Source: tromp.github.io/go.html.
    pub const TROMP_TAYLOR: Rules =
        Rules { suicide: true, handicap_bonus: HandicapBonus::None, removes_dead: false, ..Rules::CHINESE };
    /// Situational superko, no suicide, area scoring, a point for each handicap stone but one.
    pub const AGA: Rules =
        Rules { ko: KoRule::Situational, handicap_bonus: HandicapBonus::AllButOne, ..Rules::CHINESE };
    /// Situational superko, suicide allowed, area scoring: New Zealand rules, and the nearest to Ing rules.
    pub const NEW_ZEALAND: Rules = Rules { suicide: true, handicap_bonus: HandicapBonus::None, ..Rules::AGA };
    /// Simple ko, no suicide, territory scoring. Also used for Korean rules.
    pub const JAPANESE: Rules = Rules {
        ko: KoRule::Simple,
        suicide: false,
        scoring: Scoring::Territory,
        handicap_bonus: HandicapBonus::None,
        removes_dead: false,
    };
}

impl Rules {
    /// Returns the named rules with this ko rule, suicide and scoring, or else such rules without compensation for handicaps
    /// and with the customary removal of dead stones.
    #[must_use]
    pub fn customary(ko: KoRule, suicide: bool, scoring: Scoring) -> Rules {
        let named = [Rules::CHINESE, Rules::TROMP_TAYLOR, Rules::AGA, Rules::NEW_ZEALAND, Rules::JAPANESE];
        let is_same = |it: &Rules| (it.ko, it.suicide, it.scoring) == (ko, suicide, scoring);
        let removes_dead = scoring == Scoring::Area;
        let otherwise = Rules { ko, suicide, scoring, handicap_bonus: HandicapBonus::None, removes_dead };
        named.into_iter().find(is_same).unwrap_or(otherwise)
    }

    /// Returns KataGo's names of the ko rule, the scoring and the tax.
    #[must_use]
    pub const fn katago_names(self) -> [&'static str; 3] {
        let ko = match self.ko {
            KoRule::Simple => "SIMPLE",
            KoRule::Positional => "POSITIONAL",
            KoRule::Situational => "SITUATIONAL",
        };
        match self.scoring {
            Scoring::Area => [ko, "AREA", "NONE"],
            Scoring::Territory => [ko, "TERRITORY", "SEKI"],
        }
    }

    /// Returns the points that White gets on top of komi for a handicap of `stones`, none below two.
    #[must_use]
    pub fn points_for_handicap(self, stones: usize) -> usize {
        match self.handicap_bonus {
            _ if stones < 2 => 0,
            HandicapBonus::None => 0,
            HandicapBonus::AllButOne => stones - 1,
            HandicapBonus::All => stones,
        }
    }
}

/// Rules that cannot be parsed or are not supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// Neither a known name nor a list of parts.
    #[error("unknown rules {given:?}: expected {NAMES}, or {LIST}")]
    Unknown {
        /// The text.
        given: String,
    },
    /// A part with a value that does not exist or is not supported.
    #[error("{part}: expected {expected}, found {found}")]
    Part {
        /// The name of the part.
        part: String,
        /// The accepted values.
        expected: &'static str,
        /// The value as given.
        found: String,
    },
    /// Known rules with a part that is not supported.
    #[error("rules {given:?} have {part}, which is not supported: expected {NAMES}")]
    NotPlayed {
        /// The name of the rules.
        given: String,
        /// The unsupported part.
        part: &'static str,
    },
}

/// Names of rules, for messages.
const NAMES: &str = "chinese, japanese, korean, aga, nz, ing or tromp-taylor";
/// Syntax of a list of parts, for messages. The last two parts may be left out.
const LIST: &str = "ko=simple|positional|situational,suicide=yes|no,scoring=area|territory,handicap=0|n-1|n,\
                    dead=agreement|none";

impl FromStr for Rules {
    type Err = RulesError;

    fn from_str(text: &str) -> Result<Rules, RulesError> {
        match named(text) {
            Some(rules) => rules,
            None => listed(text.trim()),
        }
    }
}

/// Parses a list of parts; ko, suicide and scoring are those of Chinese rules where left out.
fn listed(text: &str) -> Result<Rules, RulesError> {
    let unknown = || RulesError::Unknown { given: text.to_owned() };
    let Rules { mut ko, mut suicide, mut scoring, .. } = Rules::CHINESE;
    let (mut handicap_bonus, mut removes_dead) = (None, None);
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or_else(unknown)?;
        let refuse = |expected| RulesError::Part { part: name.to_owned(), expected, found: value.to_owned() };
        match (name, value) {
            ("ko", "simple") => ko = KoRule::Simple,
            ("ko", "positional") => ko = KoRule::Positional,
            ("ko", "situational") => ko = KoRule::Situational,
            ("ko", _) => return Err(refuse("simple, positional or situational")),
            ("suicide", "yes") => suicide = true,
            ("suicide", "no") => suicide = false,
            ("suicide", _) => return Err(refuse("yes or no")),
            ("scoring", "area") => scoring = Scoring::Area,
            ("scoring", "territory") => scoring = Scoring::Territory,
            ("scoring", _) => return Err(refuse("area or territory")),
            ("handicap", "0") => handicap_bonus = Some(HandicapBonus::None),
            ("handicap", "n-1") => handicap_bonus = Some(HandicapBonus::AllButOne),
            ("handicap", "n") => handicap_bonus = Some(HandicapBonus::All),
            ("handicap", _) => return Err(refuse("0, n-1 or n")),
            ("dead", "agreement") => removes_dead = Some(true),
            ("dead", "none") => removes_dead = Some(false),
            ("dead", _) => return Err(refuse("agreement or none")),
            _ => return Err(unknown()),
        }
    }
    let customary = Rules::customary(ko, suicide, scoring);
    Ok(Rules {
        handicap_bonus: handicap_bonus.unwrap_or(customary.handicap_bonus),
        removes_dead: removes_dead.unwrap_or(customary.removes_dead),
        ..customary
    })
}

/// Returns the rules with a name in use by players, programs or servers, whatever separates its words.
fn named(name: &str) -> Option<Result<Rules, RulesError>> {
    let is_word = |c: &char| c.is_alphanumeric() || *c == '=';
    let squashed: String = name.chars().filter(is_word).flat_map(char::to_lowercase).collect();
    let not_played = |part| Err(RulesError::NotPlayed { given: name.trim().to_owned(), part });
    Some(match squashed.as_str() {
        "chinese" | "china" | "cn" | "chineseogs" | "chinesekgs" => Ok(Rules::CHINESE),
        "tromptaylor" | "tt" => Ok(Rules::TROMP_TAYLOR),
        "aga" | "bga" | "french" => Ok(Rules::AGA),
        "nz" | "newzealand" | "goe" | "ing" => Ok(Rules::NEW_ZEALAND),
        "japanese" | "japan" | "jp" | "korean" | "korea" | "kr" => Ok(Rules::JAPANESE),
        "agabutton" => not_played("a button"),
        "stonescoring" | "ancientarea" | "ancientterritory" => not_played("a group tax"),
        _ => return None,
    })
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rules { ko, suicide, scoring, handicap_bonus, removes_dead } = *self;
        match *self {
            Rules::CHINESE => return f.write_str("chinese"),
            Rules::TROMP_TAYLOR => return f.write_str("tromp-taylor"),
            Rules::JAPANESE => return f.write_str("japanese"),
            Rules::AGA => return f.write_str("aga"),
            Rules::NEW_ZEALAND => return f.write_str("new-zealand"),
            _ => {}
        }
        let ko_name = match ko {
            KoRule::Simple => "simple",
            KoRule::Positional => "positional",
            KoRule::Situational => "situational",
        };
        write!(f, "ko={ko_name},suicide={}", if suicide { "yes" } else { "no" })?;
        f.write_str(if scoring == Scoring::Territory { ",scoring=territory" } else { "" })?;
        let customary = Rules::customary(ko, suicide, scoring);
        if handicap_bonus != customary.handicap_bonus {
            f.write_str(match handicap_bonus {
                HandicapBonus::None => ",handicap=0",
                HandicapBonus::AllButOne => ",handicap=n-1",
                HandicapBonus::All => ",handicap=n",
            })?;
        }
        if removes_dead != customary.removes_dead {
            f.write_str(if removes_dead { ",dead=agreement" } else { ",dead=none" })?;
        }
        Ok(())
    }
}

/// White's compensation in half points, which is exact: 6.5 points are `Komi(13)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Komi(pub i32);

impl Komi {
    /// Largest absolute komi in points, enough to decide any game beforehand.
    pub const LIMIT_POINTS: f64 = 1000.0;

    /// Converts a number of points.
    ///
    /// # Errors
    /// A number beyond ±1000 or between half points. Nothing is rounded: that could change the winner or allow draws.
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

    /// Returns the komi in points.
    #[must_use]
    pub fn points(self) -> f64 {
        f64::from(self.0) / 2.0
    }

    /// Returns the outcome of a final score for Black.
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

/// An unsupported komi.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KomiError {
    /// Text that is no number.
    #[error("expected a number, found {found:?}")]
    NoNumber {
        /// The text as given.
        found: String,
    },
    /// A komi beyond [`Komi::LIMIT_POINTS`].
    #[error("expected a komi from -1000 to 1000, found {found}")]
    OutOfRange {
        /// The number as given.
        found: String,
    },
    /// A komi between two half points.
    #[error("expected a komi in whole or half points, found {found}")]
    NoHalfPoint {
        /// The number as given.
        found: String,
    },
}

/// Returns the part of every key that depends on board size, rules and komi and keeps the statistics of different games
/// apart.
#[must_use]
pub fn salt(size: Size, rules: Rules, komi: Komi) -> u64 {
    let size = (size.columns() as u64) << 8 | size.rows() as u64;
    let rules = (rules.scoring as u64) << 3 | (rules.ko as u64) << 1 | u64::from(rules.suicide);
    mix(mix(size << 8 | rules) ^ u64::from(komi.0 as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_sets_survive_printing_and_reading() {
        let bonuses = [HandicapBonus::None, HandicapBonus::AllButOne, HandicapBonus::All];
        for ko in [KoRule::Simple, KoRule::Positional, KoRule::Situational] {
            for (suicide, removes_dead) in [(false, false), (false, true), (true, false), (true, true)] {
                for scoring in [Scoring::Area, Scoring::Territory] {
                    for handicap_bonus in bonuses {
                        let rules = Rules { ko, suicide, scoring, handicap_bonus, removes_dead };
                        assert_eq!(rules.to_string().parse(), Ok(rules));
                    }
                    let customary = Rules::customary(ko, suicide, scoring);
                    assert!(!customary.to_string().contains("handicap="), "{customary}");
                }
            }
        }
        assert_eq!("Korean".parse(), Ok(Rules::JAPANESE));
        assert!("Lasker".parse::<Rules>().is_err());
    }

    #[test]
    fn a_refused_part_of_rules_is_named_with_what_would_be_accepted() {
        for (text, parts) in [
            ("ko=none", ["ko: expected simple, positional or situational", "found none"]),
            ("ko=simple,scoring=stones", ["scoring: expected area or territory", "found stones"]),
            ("handicap=9", ["handicap: expected 0, n-1 or n", "found 9"]),
            ("stone-scoring", ["a group tax", "expected chinese"]),
            ("aga_button", ["a button", "expected chinese"]),
            ("komi=7", ["unknown rules", "ko=simple"]),
        ] {
            let error = text.parse::<Rules>().expect_err(text).to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
        }
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
