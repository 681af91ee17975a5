//! The rules that `RU` names, and what they give White for a handicap.

use crate::go::{KoRule, Rules, Scoring};

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
