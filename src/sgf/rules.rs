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

/// What White gets for a handicap besides komi: the stones count as area under Chinese rules and are given back,
/// under those of the AGA all but the first, which is the move that Black has anyway.
#[must_use]
pub fn points_for_handicap(name: &str, stones: u32) -> u32 {
    match name.trim().to_lowercase().as_str() {
        _ if stones < 2 => 0,
        "chinese" | "china" | "cn" => stones,
        "aga" => stones - 1,
        _ => 0,
    }
}

/// Rules as KataGo's protocols write them: an object with `ko`, `scoring` and `suicide`; `None` if one of them is something
/// else. What KataGo has besides (tax, button, White's bonus) does not change how we play and is passed over.
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
        "whiteHandicapBonus": "0",
        "friendlyPassOk": false,
    })
}
