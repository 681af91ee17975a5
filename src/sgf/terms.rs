//! What a record's game is played for: rules and komi, whoever wrote them down and in whatever unit.
//!
//! A komi is taken in points, with three exceptions that servers and archives made customary:
//!
//! - from 100 on either way it is in hundredths: 650 is 6.5, 375 is 3.75;
//! - a quarter is in stones of Chinese counting, each worth two points: 3.75 is 7.5. Fox writes 350 for 7
//!   points likewise;
//! - Fox writes 0 for even games under Chinese rules, which are played for 7.5. A game with a handicap keeps
//!   its 0.
//!
//! None of them is made for what this program has written: that is in points, on small boards perhaps in more than the
//! board has.
//!
//! What is then no half point, or more than the board has, is refused: rounding may change who won. Whatever is
//! not in the record word for word is said in [`Terms::assumed`].

use super::game_record::GameRecord;
use super::replay::ReplayError;
use crate::go::{IllegalMove, KoRule, Komi, Rules, Scoring};

/// A number from here on is no number of points.
const FIRST_HUNDREDTHS: f64 = 100.0;
/// What even games are played for under Chinese rules: 7.5.
const CHINESE_KOMI: Komi = Komi(15);
/// What is told of a search under territory scoring.
pub const TERRITORY: &str =
    "territory is searched as area, with the komi corrected by how many stones each side has placed";
/// How programs of the server Fox and its predecessor call themselves in `AP`.
const FOX: [&str; 2] = ["foxwq", "txwq"];

/// Rules and komi of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Rules.
    pub rules: Rules,
    /// Komi.
    pub komi: Komi,
    /// Handicap stones that White is compensated for, as the rules have it; 0 under rules that the record does not name.
    pub handicap: usize,
    /// What the record does not say, or not like this: one line each.
    pub assumed: Vec<String>,
}

/// Rules and komi that the user names: they win over the record's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Rules.
    pub rules: Option<Rules>,
    /// Komi.
    pub komi: Option<Komi>,
}

/// Rules and komi where neither user nor record names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Otherwise {
    /// Rules.
    pub rules: Rules,
    /// Komi.
    pub komi: Komi,
}

impl Terms {
    /// Points that White gets besides komi, for a handicap.
    #[must_use]
    pub fn compensation(&self) -> Komi {
        Komi(2 * self.rules.points_for_handicap(self.handicap) as i32)
    }
}

impl Default for Otherwise {
    /// Chinese rules and 7.5.
    fn default() -> Otherwise {
        Otherwise { rules: Rules::CHINESE, komi: CHINESE_KOMI }
    }
}

/// A komi that no game can be scored with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a komi in whole or half points, at most {points} on this board, found KM[{found}]; \
     correct the record or choose the komi"
)]
pub struct UnusableKomi {
    /// Points of the board.
    pub points: u32,
    /// The number in the record.
    pub found: String,
}

impl GameRecord {
    /// Rules and komi of the game.
    ///
    /// # Errors
    /// When the record's komi is needed and unusable.
    pub fn terms(&self, given: Given, otherwise: Otherwise) -> Result<Terms, UnusableKomi> {
        let mut assumed = Vec::new();
        let rules = self.chosen_rules(given.rules, otherwise.rules, &mut assumed);
        let komi = match given.komi {
            Some(komi) => komi,
            None => self.recorded_komi(&mut assumed)?.unwrap_or_else(|| {
                assumed.push(format!("no komi in the record: {}", otherwise.komi));
                otherwise.komi
            }),
        };
        let handicap = if Some(rules) == self.known_rules() { self.compensated_stones() } else { 0 };
        if let (1.., Some(name)) = (rules.points_for_handicap(handicap), &self.rules) {
            let points = rules.points_for_handicap(handicap);
            assumed.push(format!("RU[{name}], HA[{handicap}]: {points} points for White besides komi"));
        }
        if rules.scoring == Scoring::Territory {
            assumed.push(TERRITORY.to_owned());
        }
        Ok(Terms { rules, komi, handicap, assumed })
    }

    fn chosen_rules(&self, given: Option<Rules>, otherwise: Rules, assumed: &mut Vec<String>) -> Rules {
        let known = self.known_rules();
        let named = self.rules.as_deref().unwrap_or_default();
        match (given, known) {
            (Some(given), Some(known)) if given != known => {
                assumed.push(format!("the record has RU[{named}]: played by {given} rules"));
                given
            }
            (Some(given), _) => given,
            (None, Some(known)) => known,
            (None, None) => {
                assumed.push(match named {
                    "" => format!("no rules in the record: {otherwise}"),
                    named => format!("RU[{named}] is not known here: {otherwise}"),
                });
                self.without_superko_if_repeated(otherwise, assumed)
            }
        }
    }

    /// Rules that nobody has named, but with simple ko where the record repeats a position.
    fn without_superko_if_repeated(&self, rules: Rules, assumed: &mut Vec<String>) -> Rules {
        match self.final_position(rules, Komi(0)) {
            Err(ReplayError::IllegalMove { turn, reason: IllegalMove::Superko, .. }) => {
                assumed.push(format!("move {turn} repeats a position: ko=simple"));
                Rules { ko: KoRule::Simple, ..rules }
            }
            _ => rules,
        }
    }

    fn compensated_stones(&self) -> usize {
        let most = usize::from(self.columns) * usize::from(self.rows);
        self.handicap.map_or(0, |stones| (stones as usize).min(most))
    }

    /// The komi that `KM` means.
    fn recorded_komi(&self, assumed: &mut Vec<String>) -> Result<Option<Komi>, UnusableKomi> {
        let Some(written) = self.komi else { return Ok(None) };
        let ours = Komi::from_points(written).ok().filter(|_| self.is_ours());
        if ours.is_some() {
            return Ok(ours);
        }
        let is_chinese_at_fox = self.is_of_fox() && self.known_rules() == Some(Rules::CHINESE);
        if written == 0.0 && is_chinese_at_fox && self.handicap.is_none_or(|stones| stones < 2) {
            assumed.push(format!("KM[0] is not believed of an even game at Fox: komi {CHINESE_KOMI}"));
            return Ok(Some(CHINESE_KOMI));
        }
        let is_in_hundredths = written.abs() >= FIRST_HUNDREDTHS;
        let number = if is_in_hundredths { written / 100.0 } else { written };
        let is_quarter = (2.0 * number).fract().abs() == 0.5;
        let is_in_stones = is_quarter || (is_in_hundredths && is_chinese_at_fox && number == 3.5);
        let points = if is_in_stones { 2.0 * number } else { number };
        let board = u32::from(self.columns) * u32::from(self.rows);
        let komi = Komi::from_points(points).ok().filter(|komi| komi.points().abs() <= f64::from(board));
        let komi = komi.ok_or_else(|| UnusableKomi { points: board, found: written.to_string() })?;
        match (is_in_hundredths, is_in_stones) {
            (false, false) => {}
            (true, false) => assumed.push(format!("KM[{written}] is in hundredths: komi {komi}")),
            (false, true) => assumed.push(format!("KM[{written}] is in stones of two points: komi {komi}")),
            (true, true) => {
                assumed.push(format!("KM[{written}] is in hundredths of stones of two points: komi {komi}"));
            }
        }
        Ok(Some(komi))
    }

    /// Whether this program wrote the record, and nobody else.
    fn is_ours(&self) -> bool {
        let is_our_name = |name: &String| name.starts_with(super::write::PROGRAM);
        !self.applications.is_empty() && self.applications.iter().all(is_our_name)
    }

    /// Whether a program of the server Fox wrote the record, alone or after another one.
    fn is_of_fox(&self) -> bool {
        let is_fox = |name: &String| FOX.iter().any(|fox| name.to_ascii_lowercase().contains(fox));
        self.applications.iter().any(is_fox)
    }
}
