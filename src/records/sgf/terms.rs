//! Rules and komi of a record, from any program and in any unit.
//!
//! A komi is in points, with three exceptions that servers and archives made customary:
//!
//! - from 100 on, of either sign, it is in hundredths: 650 is 6.5, 375 is 3.75;
//! - with a quarter it is in stones of Chinese counting, each worth two points: 3.75 is 7.5. Fox likewise writes 350
//!   for 7 points;
//! - Fox writes 0 for even games, which are played with 7.5 or, by territory, 6.5; its games with `HA[1]` have no komi,
//!   and neither has a handicap game that states the komi of an even one. KaTrain (`SGF.parse_sgf`) reads 0.5 in both,
//!   KataGo 0 in the first.
//!
//! None of these applies to records written by this program: their komi is in points, and on small boards may exceed
//! the board's points.
//!
//! A komi that is then not a multiple of half a point, or exceeds the board's points, is refused, since rounding may
//! change the winner. Each departure from the wording of the record is listed in [`Terms::assumed`].

use super::game_record::GameRecord;
use super::rules::{rules_named, without_komi};
use crate::base::game::{Move, Player};
use crate::go::{HandicapBonus, IllegalMove, KoRule, Komi, Rules, Scoring, Size};

/// Minimum absolute value of a komi that is in hundredths of a point.
const MIN_KOMI_IN_HUNDREDTHS: f64 = 100.0;
/// Minimum absolute value of a komi in hundredths in records of Fox, which writes 50 for half a point.
const MIN_FOX_KOMI_IN_HUNDREDTHS: f64 = 20.0;
/// Maximum absolute value of a komi that is in stones of two points.
const MAX_KOMI_IN_STONES: f64 = 4.0;
/// The usual komi of even games under Chinese rules: 7.5.
const CHINESE_KOMI: Komi = Komi(15);
/// The usual komi of even games under Japanese rules: 6.5.
const JAPANESE_KOMI: Komi = Komi(13);
/// The usual komi of handicap games: 0.5.
const HANDICAP_KOMI: Komi = Komi(1);
/// Minimum komi of an even game: 5 points.
const MIN_EVEN_KOMI: Komi = Komi(10);
/// Largest komi that is usual whatever the board: programs write theirs in records of 2x2, too.
const MAX_USUAL_KOMI: u32 = 8;
/// Note on searches under territory scoring.
pub const TERRITORY_NOTE: &str =
    "territory is searched as area, with the komi corrected by how many stones each side has placed";

/// Rules and komi of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Rules.
    pub rules: Rules,
    /// Komi.
    pub komi: Komi,
    /// Handicap stones on the board. The rules compensate White for them, except assumed ones: a record that does not
    /// name its rules may contain the compensation in its komi.
    pub handicap: usize,
    /// The rules and the komi that the user chose or the record states; `None` where they are assumed.
    pub stated: ChosenTerms,
    /// Assumptions that the record does not state, or states differently: one line each.
    pub assumed: Vec<String>,
}

/// Rules and komi chosen by the user; they override the record's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChosenTerms {
    /// Rules.
    pub rules: Option<Rules>,
    /// Komi.
    pub komi: Option<Komi>,
}

/// Rules and komi if neither the user nor the record names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultTerms {
    /// Rules.
    pub rules: Rules,
    /// Komi.
    pub komi: Komi,
}

/// The komi that a record states.
struct RecordedKomi {
    komi: Komi,
    /// False if the written number is not believed and `komi` is assumed in its place.
    is_plausible: bool,
}

/// The unit of the number in `KM`; points if neither is true.
struct KomiUnit {
    is_in_hundredths: bool,
    /// True if the unit is a stone of two points.
    is_in_stones: bool,
}

impl Terms {
    /// Returns White's compensation for the handicap, besides komi.
    #[must_use]
    pub fn compensation(&self) -> Komi {
        Komi(2 * self.rules.points_for_handicap(self.handicap) as i32)
    }
}

impl Default for DefaultTerms {
    /// Returns Chinese rules and a komi of 7.5.
    fn default() -> DefaultTerms {
        DefaultTerms { rules: Rules::CHINESE, komi: CHINESE_KOMI }
    }
}

/// A komi that is off the half-point grid or exceeds the board's points.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a komi in whole or half points, at most {points} on this board, found KM[{found}]; \
     correct the record or give a komi"
)]
pub struct UnusableKomi {
    /// Number of points of the board.
    pub points: u32,
    /// The number in the record.
    pub found: String,
}

impl GameRecord {
    /// Returns the rules and the komi of the game.
    ///
    /// # Errors
    /// Fails if the record's komi is needed and unusable.
    pub fn terms(&self, given: ChosenTerms, otherwise: DefaultTerms) -> Result<Terms, UnusableKomi> {
        let mut assumed = Vec::new();
        let rules = self.chosen_rules(given.rules, otherwise.rules, &mut assumed);
        let recorded = match given.komi {
            Some(komi) => Some(RecordedKomi { komi, is_plausible: true }),
            None => self.recorded_komi(rules, &mut assumed)?,
        };
        let komi = match &recorded {
            Some(recorded) => recorded.komi,
            None => self.missing_komi(rules, otherwise, &mut assumed),
        };
        let is_named = given.rules.is_some() || Some(rules) == self.known_rules();
        let handicap = self.handicap_stones();
        let rules = if is_named { rules } else { self.without_compensation(rules, &mut assumed) };
        self.note_handicap(rules, handicap, &mut assumed);
        if rules.scoring == Scoring::Territory {
            assumed.push(TERRITORY_NOTE.to_owned());
        }
        self.note_illegal_moves(rules, &mut assumed);
        let stated = ChosenTerms {
            rules: is_named.then_some(rules),
            komi: recorded.filter(|recorded| recorded.is_plausible).map(|recorded| recorded.komi),
        };
        Ok(Terms { rules, komi, handicap, stated, assumed })
    }

    fn chosen_rules(&self, given: Option<Rules>, otherwise: Rules, assumed: &mut Vec<String>) -> Rules {
        let known = self.rules.as_deref().and_then(rules_named);
        let named = self.rules.as_deref().unwrap_or_default();
        match (given, known) {
            (Some(given), Some((known, _))) if given != known => {
                assumed.push(format!("the record has RU[{named}]: played by {given} rules"));
                given
            }
            (Some(given), _) => given,
            (None, Some((known, left_out))) => {
                assumed.extend(left_out.map(|part| format!("RU[{named}], {part}: played by {known} rules")));
                known
            }
            (None, None) => {
                assumed.push(match named {
                    "" => format!("no rules in the record: {otherwise} rules are assumed"),
                    named => format!("RU[{named}] is unknown: {otherwise} rules are assumed"),
                });
                self.without_superko_if_repeated(otherwise, assumed)
            }
        }
    }

    /// Returns default rules, with simple ko if the record repeats a position.
    fn without_superko_if_repeated(&self, rules: Rules, assumed: &mut Vec<String>) -> Rules {
        let repeats = |it: &&(usize, Player, Move, IllegalMove)| it.3 == IllegalMove::Superko;
        match self.illegal_moves(rules).iter().find(repeats) {
            Some((turn, ..)) => {
                assumed.push(format!("move {turn} repeats a position: played without superko (ko=simple)"));
                Rules { ko: KoRule::Simple, ..rules }
            }
            None => rules,
        }
    }

    /// Returns assumed rules without points for White's handicap, if the record has one: its komi may contain them.
    fn without_compensation(&self, rules: Rules, assumed: &mut Vec<String>) -> Rules {
        if rules.points_for_handicap(self.handicap_stones()) == 0 {
            return rules;
        }
        assumed.push("no points for White besides komi, since the record does not name the rules".to_owned());
        Rules { handicap_bonus: HandicapBonus::None, ..rules }
    }

    fn note_handicap(&self, rules: Rules, stones: usize, assumed: &mut Vec<String>) {
        let placed = self.handicap_moves();
        if placed > 0 {
            let stones = self.handicap_stones();
            assumed.push(format!("Black's stones before White's first are a handicap of {stones}"));
        }
        let points = rules.points_for_handicap(stones);
        if points > 0 {
            let named = self.rules.as_deref().unwrap_or_default();
            let written = self.handicap.map_or(0, |stones| stones as usize);
            let stones = match (written, named) {
                (written, named) if written == stones && !named.is_empty() => {
                    format!("RU[{named}], HA[{stones}]")
                }
                _ => format!("{rules} rules, {stones} handicap stones"),
            };
            let unit = if points == 1 { "point" } else { "points" };
            assumed.push(format!("{stones}: {points} {unit} for White besides komi"));
        }
    }

    /// Lists the moves that break the rules; all of them are executed.
    fn note_illegal_moves(&self, rules: Rules, assumed: &mut Vec<String>) {
        const MAX_LISTED_MOVES: usize = 5;
        let illegal = self.illegal_moves(rules);
        let Ok(size) = Size::new(usize::from(self.columns), usize::from(self.rows)) else { return };
        for &(turn, player, mv, reason) in illegal.iter().take(MAX_LISTED_MOVES) {
            let what = match reason {
                IllegalMove::Occupied => {
                    "is on an occupied point: the old stone is replaced, as SGF defines it"
                }
                IllegalMove::Ko => "takes a ko at once: executed, as SGF defines it",
                IllegalMove::Suicide => "is suicide: executed, as SGF defines it",
                IllegalMove::Superko => "repeats a position (superko): executed, as SGF defines it",
                IllegalMove::OffBoard => continue,
            };
            assumed.push(format!("move {turn}, {player} {}, {what}", size.vertex(mv)));
        }
        if illegal.len() > MAX_LISTED_MOVES {
            assumed.push(format!(
                "{} more illegal moves are executed as well",
                illegal.len() - MAX_LISTED_MOVES
            ));
        }
    }

    /// Returns the komi of a game without one in its record, or with one in KataGo's form of rules alone.
    fn missing_komi(&self, rules: Rules, otherwise: DefaultTerms, assumed: &mut Vec<String>) -> Komi {
        let named = self.rules.as_deref().unwrap_or_default();
        let of_rules = without_komi(&named.into()).1.and_then(|komi| komi.as_str()?.parse().ok());
        if let Some(komi) = of_rules.and_then(|points| Komi::from_points(points).ok()) {
            assumed.push(format!("no KM in the record: komi {komi} is that of RU[{named}]"));
            return komi;
        }
        let (what, komi) = match self.handicap_stones() {
            2.. => (" of a handicap game", HANDICAP_KOMI),
            _ if rules.scoring == otherwise.rules.scoring => ("", otherwise.komi),
            _ => ("", customary_komi(rules)),
        };
        assumed.push(format!("no komi in the record{what}: {komi} is assumed"));
        komi
    }

    /// Returns the komi that `KM` means under `rules`.
    fn recorded_komi(
        &self,
        rules: Rules,
        assumed: &mut Vec<String>,
    ) -> Result<Option<RecordedKomi>, UnusableKomi> {
        let as_written = |komi| RecordedKomi { komi, is_plausible: true };
        let Some(written) = self.komi else { return Ok(None) };
        if self.is_komi_in_ko {
            assumed.push(format!("no KM in the record: KO[{written}] is read as the komi"));
        }
        let ours = Komi::from_points(written).ok().filter(|_| self.is_written_by_this_program());
        if ours.is_some() {
            return Ok(ours.map(as_written));
        }
        let KomiUnit { is_in_hundredths, is_in_stones } = self.komi_unit(written, rules);
        let number = if is_in_hundredths { written / 100.0 } else { written };
        let points = if is_in_stones { 2.0 * number } else { number };
        let board = (u32::from(self.columns) * u32::from(self.rows)).max(MAX_USUAL_KOMI);
        let komi = Komi::from_points(points).ok().filter(|komi| komi.points().abs() <= f64::from(board));
        let komi = komi.ok_or_else(|| UnusableKomi { points: board, found: written.to_string() })?;
        if let Some(komi) = self.komi_of_fox(komi, written, rules, assumed) {
            return Ok(Some(RecordedKomi { komi, is_plausible: false }));
        }
        match (is_in_hundredths, is_in_stones) {
            (false, false) => {}
            (true, false) => assumed.push(format!("KM[{written}] is in hundredths: komi {komi}")),
            (false, true) => assumed.push(format!("KM[{written}] is in stones of two points: komi {komi}")),
            (true, true) => {
                assumed.push(format!("KM[{written}] is in hundredths of stones of two points: komi {komi}"));
            }
        }
        Ok(Some(as_written(komi)))
    }

    /// Returns true if `KM` is read in stones of two points under `rules`: the margin in `RE` then is in stones too.
    #[must_use]
    pub fn is_komi_in_stones(&self, rules: Rules) -> bool {
        let written = self.komi.filter(|_| !self.is_written_by_this_program());
        written.is_some_and(|written| self.komi_unit(written, rules).is_in_stones)
    }

    fn komi_unit(&self, written: f64, rules: Rules) -> KomiUnit {
        let first_hundredths =
            if self.is_from_fox { MIN_FOX_KOMI_IN_HUNDREDTHS } else { MIN_KOMI_IN_HUNDREDTHS };
        // Hundredths of points, or of stones, are multiples of a half, or of a quarter.
        let is_in_hundredths = written.abs() >= first_hundredths && (4.0 * written / 100.0).fract() == 0.0;
        let number = if is_in_hundredths { written / 100.0 } else { written };
        let is_quarter = (2.0 * number).fract().abs() == 0.5 && number.abs() <= MAX_KOMI_IN_STONES;
        let is_chinese_at_fox = self.is_from_fox && rules.scoring == Scoring::Area;
        let is_in_stones = is_quarter || (is_in_hundredths && is_chinese_at_fox && number == 3.5);
        KomiUnit { is_in_hundredths, is_in_stones }
    }

    /// Returns the komi of a game from Fox if it differs from the written one.
    fn komi_of_fox(&self, komi: Komi, written: f64, rules: Rules, assumed: &mut Vec<String>) -> Option<Komi> {
        if !self.is_from_fox {
            return None;
        }
        let is_even = komi >= MIN_EVEN_KOMI;
        let handicap = self.handicap.unwrap_or(0) as usize;
        let (why, komi) = match handicap.max(self.handicap_stones()) {
            0 if komi == Komi(0) => ("is implausible for an even game on Fox", customary_komi(rules)),
            1 if komi == Komi(0) => ("with HA[1] means a game without komi on Fox", Komi(0)),
            1 if is_even => ("is implausible with HA[1], a game without komi at Fox", Komi(0)),
            2.. if is_even => ("is implausible for a handicap game on Fox", Komi(0)),
            _ => return None,
        };
        assumed.push(format!("KM[{written}] {why}: komi {komi}"));
        Some(komi)
    }

    /// Returns true if this program is the only one that wrote the record.
    fn is_written_by_this_program(&self) -> bool {
        let is_our_name = |name: &String| name.starts_with(super::write::PROGRAM);
        !self.applications.is_empty() && self.applications.iter().all(is_our_name)
    }
}

/// Returns the komi of even games: 6.5 under territory scoring, 7.5 under area scoring.
#[must_use]
pub fn customary_komi(rules: Rules) -> Komi {
    match rules.scoring {
        Scoring::Area => CHINESE_KOMI,
        Scoring::Territory => JAPANESE_KOMI,
    }
}
