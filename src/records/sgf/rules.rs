//! Rules as records and KataGo's protocols write them: a name, a JSON object, or KataGo's one-word form.
//!
//! Source: KataGo docs/GTP_Extensions.md, `kata-get-rules` and `kata-set-rules`. A part that is not supported (a
//! button, a tax other than the customary one) is refused by its name; none is silently dropped.

use crate::go::{HandicapBonus, KoRule, Rules, RulesError, Scoring};
use serde_json::{Map, Value, json};

/// Parses rules: a name, a list such as `ko=simple,suicide=yes`, KataGo's one-word form, or a JSON object.
///
/// # Errors
/// Fails on unknown rules, and on a part that is unknown or not supported.
pub fn parse(text: &str) -> Result<Rules, RulesError> {
    let text = text.trim();
    if text.starts_with('{') {
        return match serde_json::from_str::<Map<String, Value>>(text) {
            Ok(object) => from_object(&object),
            Err(error) => Err(refuse("rules", "a JSON object", format!("{text} ({error})"))),
        };
    }
    if let Some(parts) = parts_of_word(text) {
        return from_parts(&parts);
    }
    text.parse()
}

/// Reads rules from a JSON value: an object of parts, or a string for [`parse`].
///
/// # Errors
/// Fails as [`parse`] does.
pub fn from_json(value: &Value) -> Result<Rules, RulesError> {
    match value {
        Value::String(text) => parse(text),
        Value::Object(object) => from_object(object),
        other => Err(refuse("rules", "the name of rules or an object", other.to_string())),
    }
}

/// Separates the komi from rules that are an object or in KataGo's one-word form. Analysis queries may have it there.
#[must_use]
pub fn without_komi(value: &Value) -> (Value, Option<Value>) {
    let object = match value {
        Value::Object(object) => Some(object.clone()),
        Value::String(text) if text.trim_start().starts_with('{') => serde_json::from_str(text).ok(),
        Value::String(text) => parts_of_word(text.trim()).map(|parts| {
            parts.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
        }),
        _ => None,
    };
    match object {
        Some(mut object) if object.contains_key("komi") => {
            let komi = object.remove("komi").filter(|komi| !komi.is_null());
            (Value::Object(object), komi)
        }
        _ => (value.clone(), None),
    }
}

/// Returns the rules with one part changed, named as in `kata-set-rule`; the other parts stay.
///
/// # Errors
/// Fails if the part or its value is unknown or not supported, or if the scoring differs from that of `rules`: its tax
/// differs too.
pub fn with_part(rules: Rules, name: &str, value: &str) -> Result<Rules, RulesError> {
    let mut parts = Parts::of(rules);
    parts.set(name, &Value::String(value.trim().to_owned()))?;
    if parts.scoring != rules.scoring {
        let expected = match rules.scoring {
            Scoring::Area => "AREA, since tax is NONE (set both at once: kata-set-rules)",
            Scoring::Territory => "TERRITORY, since tax is SEKI (set both at once: kata-set-rules)",
        };
        return Err(refuse(name, expected, format!("{value:?}")));
    }
    parts.rules()
}

/// Returns the rules as a JSON object of parts.
#[must_use]
pub fn to_json(rules: Rules) -> Value {
    let bonus = match rules.handicap_bonus {
        HandicapBonus::None => "0",
        HandicapBonus::AllButOne => "N-1",
        HandicapBonus::All => "N",
    };
    let [ko, scoring, tax] = rules.katago_names();
    json!({
        "ko": ko,
        "scoring": scoring,
        "suicide": rules.suicide,
        "tax": tax,
        "hasButton": false,
        "whiteHandicapBonus": bonus,
        "friendlyPassOk": rules.removes_dead,
    })
}

fn refuse(part: &str, expected: &'static str, found: String) -> RulesError {
    RulesError::Part { part: part.to_owned(), expected, found }
}

fn from_object(object: &Map<String, Value>) -> Result<Rules, RulesError> {
    let mut parts = Parts::unstated();
    object.iter().try_for_each(|(name, value)| parts.set(name, value))?;
    parts.rules()
}

fn from_parts(named: &[(&'static str, &str)]) -> Result<Rules, RulesError> {
    let mut parts = Parts::unstated();
    named.iter().try_for_each(|&(name, value)| parts.set(name, &Value::String(value.to_owned())))?;
    parts.rules()
}

/// Rules being read. A missing part has its Tromp-Taylor value, except tax and friendly passes: their defaults depend
/// on the other parts.
struct Parts {
    ko: KoRule,
    suicide: bool,
    scoring: Scoring,
    handicap_bonus: HandicapBonus,
    removes_dead: bool,
    tax: Option<String>,
}

impl Parts {
    /// Returns the values of parts that an object does not name, as KataGo (`Rules::Rules` in cpp/game/rules.cpp).
    fn unstated() -> Parts {
        Parts { tax: None, ..Parts::of(Rules::TROMP_TAYLOR) }
    }

    /// Returns the values of all parts of `rules`.
    fn of(rules: Rules) -> Parts {
        let Rules { ko, suicide, scoring, handicap_bonus, removes_dead } = rules;
        let [_, _, tax] = rules.katago_names();
        Parts { ko, suicide, scoring, handicap_bonus, removes_dead, tax: Some(tax.to_owned()) }
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), RulesError> {
        let word = value.as_str().map(str::to_ascii_uppercase);
        let word = word.as_deref().unwrap_or_default();
        let refused = |expected| refuse(name, expected, value.to_string());
        let flag = || match word {
            "TRUE" | "1" => Ok(true),
            "FALSE" | "0" => Ok(false),
            _ => value.as_bool().ok_or_else(|| refused("true or false")),
        };
        match name {
            "ko" => {
                self.ko = match word {
                    "SIMPLE" => KoRule::Simple,
                    "POSITIONAL" => KoRule::Positional,
                    "SITUATIONAL" => KoRule::Situational,
                    _ => return Err(refused("SIMPLE, POSITIONAL or SITUATIONAL")),
                }
            }
            "scoring" | "scoringRule" | "score" => {
                self.scoring = match word {
                    "AREA" => Scoring::Area,
                    "TERRITORY" => Scoring::Territory,
                    _ => return Err(refused("AREA or TERRITORY")),
                }
            }
            "suicide" | "multiStoneSuicideLegal" => self.suicide = flag()?,
            "tax" => self.tax = Some(word.to_owned()),
            "hasButton" if flag()? => return Err(refused("false (the button is not supported)")),
            "hasButton" => {}
            "whiteHandicapBonus" => self.handicap_bonus = handicap_bonus(name, value)?,
            "friendlyPassOk" => self.removes_dead = flag()?,
            "komi" => return Err(refuse(name, "no komi among the rules", value.to_string())),
            _ => {
                const PARTS: &str =
                    "ko, scoring, suicide, tax, hasButton, whiteHandicapBonus or friendlyPassOk";
                return Err(refuse("rules", PARTS, name.to_owned()));
            }
        }
        Ok(())
    }

    fn rules(self) -> Result<Rules, RulesError> {
        let Parts { ko, suicide, scoring, handicap_bonus, removes_dead, tax } = self;
        match (scoring, tax.as_deref()) {
            (_, None) | (Scoring::Area, Some("NONE")) | (Scoring::Territory, Some("SEKI")) => {}
            (_, Some(other)) => {
                let expected = "NONE with scoring AREA or SEKI with TERRITORY (others are not supported)";
                return Err(refuse("tax", expected, format!("{other:?}")));
            }
        }
        Ok(Rules { handicap_bonus, removes_dead, ..Rules::customary(ko, suicide, scoring) })
    }
}

/// Reads `whiteHandicapBonus`, which analysis queries may also name beside the rules.
///
/// # Errors
/// Fails if there is no such bonus.
pub fn handicap_bonus(name: &str, value: &Value) -> Result<HandicapBonus, RulesError> {
    let word = value.as_str().map(str::to_ascii_uppercase);
    match (word.as_deref(), value.as_u64()) {
        (Some("0"), _) | (_, Some(0)) => Ok(HandicapBonus::None),
        (Some("N-1"), _) => Ok(HandicapBonus::AllButOne),
        (Some("N"), _) => Ok(HandicapBonus::All),
        _ => Err(refuse(name, "0, N-1 or N", value.to_string())),
    }
}

/// Splits KataGo's one-word form of rules, such as `koPOSITIONALscoreAREAtaxNONEsui0whbN`, into its parts; `None` if
/// `word` is not of this form.
///
/// Source: the operator `<<` of `Rules` in KataGo cpp/game/rules.cpp.
fn parts_of_word(word: &str) -> Option<Vec<(&'static str, &str)>> {
    const KEYS: [(&str, &str); 9] = [
        ("komi", "komi"),
        ("ko", "ko"),
        ("scoring", "scoring"),
        ("score", "scoring"),
        ("tax", "tax"),
        ("sui", "suicide"),
        ("button", "hasButton"),
        ("whb", "whiteHandicapBonus"),
        ("fpok", "friendlyPassOk"),
    ];
    let mut rest = word;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (key, name) = KEYS.into_iter().find(|(key, _)| rest.starts_with(key))?;
        rest = &rest[key.len()..];
        let is_of_value = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "-.".contains(c);
        let length = rest.find(|c| !is_of_value(c)).unwrap_or(rest.len());
        let (value, after) = rest.split_at(length);
        if value.is_empty() {
            return None;
        }
        rest = after;
        parts.push((name, value));
    }
    (!parts.is_empty()).then_some(parts)
}

/// Interprets the value of `RU`: the rules, and a message about parts that are not supported; `None` if the rules are
/// unknown.
///
/// Names are accepted as programs and servers write them, in any case; numbers, words such as "rules", and text after a
/// comma, colon or parenthesis are ignored. Known are FF\[4\]'s names (`AGA`, `GOE`, `Japanese`, `NZ`), those of KGS,
/// OGS, Fox, Yike, Tygem and SmartGo in Latin, Chinese, Japanese and Korean script, and KataGo's.
#[must_use]
pub fn rules_named(name: &str) -> Option<(Rules, Option<String>)> {
    match from_json(&without_komi(&Value::from(name)).0) {
        Ok(rules) => return Some((rules, None)),
        Err(error) => {
            if let Some(parts) = parts_of_word(name.trim()) {
                return nearest(&parts).map(|rules| (rules, Some(error.to_string())));
            }
        }
    }
    country(name).or_else(|| parse(&core_of(name)).ok()).map(|rules| (rules, None))
}

/// Returns the rules of a one-word form without the parts that are not supported.
fn nearest(named: &[(&'static str, &str)]) -> Option<Rules> {
    let mut parts = Parts::unstated();
    for &(name, value) in named {
        match (name, value) {
            ("tax" | "hasButton" | "komi", _) => {}
            // Spight's rule lies between simple ko and situational superko.
            ("ko", "SPIGHT") => parts.ko = KoRule::Situational,
            _ => parts.set(name, &Value::String(value.to_owned())).ok()?,
        }
    }
    parts.rules().ok()
}

/// Returns the rules of a country named in Chinese, Japanese or Korean.
fn country(name: &str) -> Option<Rules> {
    const COUNTRIES: [(&[&str], Rules); 3] = [
        (&["日本", "日规", "日規", "일본", "韩国", "韩规", "韓国", "韓國", "韓規", "한국"], Rules::JAPANESE),
        (&["中国", "中國", "中规", "中規", "중국"], Rules::CHINESE),
        (&["应氏", "應氏", "应昌期", "應昌期", "新西兰", "新西蘭"], Rules::NEW_ZEALAND),
    ];
    let found = COUNTRIES.iter().find(|(words, _)| words.iter().any(|word| name.contains(word)));
    found.map(|(_, rules)| *rules)
}

/// Strips the words around a name of rules: `Chinese rules, 7.5` becomes `chinese`.
fn core_of(name: &str) -> String {
    const FILLERS: [&str; 14] = [
        "rule", "rules", "ruleset", "rulesset", "style", "counting", "scoring", "score", "go", "standard",
        "official", "the", "s", "kgs",
    ];
    const SHORT: [(&str, &str); 6] = [
        ("jpn", "japanese"),
        ("jap", "japanese"),
        ("chn", "chinese"),
        ("kor", "korean"),
        ("area", "chinese"),
        ("territory", "japanese"),
    ];
    let name = name.to_lowercase();
    let before = name.split([',', ';', '(', '（', '，', ':', '/']).next().unwrap_or_default();
    let words = before.split(|c: char| !c.is_alphanumeric());
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let words: Vec<&str> = words.filter(|word| !is_number(word) && !FILLERS.contains(word)).collect();
    let core = words.concat();
    SHORT.into_iter().find(|(short, _)| *short == core).map_or(core, |(_, long)| long.to_owned())
}
