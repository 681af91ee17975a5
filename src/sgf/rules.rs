//! The rules that `RU` names, and what they give White for a handicap.

use crate::go::{KoRule, Rules, Scoring};
use serde_json::{Value, json};

/// The rules that a `RU` value means; `None` for those that we do not know.
///
/// Source: the values listed in FF\[4\] (`AGA`, `GOE`, `Japanese`, `NZ`), those that KGS and OGS write, and the
/// form of KataGo's own records, such as `koPOSITIONALscoreAREAtaxNONEsui0`.
#[must_use]
pub fn rules_named(name: &str) -> Option<Rules> {
    name.parse().ok().or_else(|| rules_of_katago(name.trim()))
}

/// Rules in KataGo's form. A group tax is left out: it moves scores by points a group.
fn rules_of_katago(name: &str) -> Option<Rules> {
    let (ko, rest) = name.strip_prefix("ko")?.split_once("score")?;
    let (score, rest) = rest.split_once("tax").or_else(|| rest.split_once("sui").map(|_| (rest, rest)))?;
    let (score, suicide) = (score.split("sui").next()?, rest.split_once("sui")?.1);
    Some(Rules {
        ko: match ko {
            "SIMPLE" => KoRule::Simple,
            "POSITIONAL" => KoRule::Positional,
            "SITUATIONAL" | "SPIGHT" => KoRule::Situational,
            _ => return None,
        },
        suicide: suicide.starts_with('1'),
        scoring: match score {
            "AREA" => Scoring::Area,
            "TERRITORY" => Scoring::Territory,
            _ => return None,
        },
    })
}

/// Points that White gets for a handicap of so many stones besides komi, in a record with such a `RU` value: what
/// [`Rules::points_for_handicap`] says where it is sure that the record means those rules.
#[must_use]
pub fn points_for_handicap(name: &str, stones: usize) -> usize {
    let rules = match name.trim().to_lowercase().as_str() {
        "chinese" | "china" | "cn" => Rules::CHINESE,
        "aga" => Rules::AGA,
        _ => return 0,
    };
    rules.points_for_handicap(stones)
}

/// Rules as KataGo's protocols write them: an object with `ko`, `scoring` and `suicide`; `None` if one of them is something
/// else. What KataGo has besides (tax, button, friendly passes) does not change how we play and is passed over; nor is
/// `whiteHandicapBonus` a part of rules.
#[must_use]
pub fn from_json(object: &Value) -> Option<Rules> {
    let mut rules = Rules::TROMP_TAYLOR;
    for (key, value) in object.as_object()? {
        match key.as_str() {
            "ko" => {
                rules.ko = match value.as_str()?.to_ascii_lowercase().as_str() {
                    "simple" => KoRule::Simple,
                    "positional" => KoRule::Positional,
                    "situational" => KoRule::Situational,
                    _ => return None,
                }
            }
            "scoring" | "scoringRule" => {
                rules.scoring = match value.as_str()?.to_ascii_lowercase().as_str() {
                    "area" => Scoring::Area,
                    "territory" => Scoring::Territory,
                    _ => return None,
                }
            }
            "suicide" | "multiStoneSuicideLegal" => rules.suicide = value.as_bool()?,
            "tax" | "hasButton" | "whiteHandicapBonus" | "friendlyPassOk" => {}
            _ => return None,
        }
    }
    Some(rules)
}

/// The same the other way round.
#[must_use]
pub fn to_json(rules: Rules) -> Value {
    let bonus = match rules {
        Rules::CHINESE => "N",
        Rules::AGA => "N-1",
        _ => "0",
    };
    let ko = match rules.ko {
        KoRule::Simple => "SIMPLE",
        KoRule::Positional => "POSITIONAL",
        KoRule::Situational => "SITUATIONAL",
    };
    json!({
        "ko": ko,
        "scoring": if rules.scoring == Scoring::Area { "AREA" } else { "TERRITORY" },
        "suicide": rules.suicide,
        "tax": "NONE",
        "hasButton": false,
        "whiteHandicapBonus": bonus,
        "friendlyPassOk": false,
    })
}
