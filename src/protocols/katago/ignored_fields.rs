//! Fields of a query without effect, of which the client is warned.

use super::error::IgnoredField;
use super::fields::QueryFields;
use serde_json::Value;

/// Warnings for fields of KataGo that have no effect.
const UNSUPPORTED_FIELDS: [(&str, &str); 4] = [
    ("includeOwnershipStdev", "not supported: this engine computes no standard deviation of ownership"),
    ("includeMovesOwnershipStdev", "not supported: this engine computes no standard deviation of ownership"),
    (
        "includeNoResultValue",
        "not supported: every game has a result here: superko forbids cycles, or the last cycle decides",
    ),
    ("humanSLProfile", "not supported: this engine has no model of human players"),
];
/// Warning for other unknown fields.
pub(super) const UNKNOWN_FIELD: &str = "unknown field, ignored";
/// Warning for an `untilDepth` above 1.
const UNSUPPORTED_DEPTH: &str =
    "moves are avoided or allowed only at the root: untilDepth above 1 is treated as 1";

fn is_known(key: &str) -> bool {
    const KNOWN: [&str; 25] = [
        "id",
        "moves",
        "initialStones",
        "initialPlayer",
        "rules",
        "komi",
        "whiteHandicapBonus",
        "boardXSize",
        "boardYSize",
        "analyzeTurns",
        "maxVisits",
        "maxPlayouts",
        "analysisPVLen",
        "includeOwnership",
        "includeMovesOwnership",
        "includePolicy",
        "includePVVisits",
        "avoidMoves",
        "allowMoves",
        "overrideSettings",
        "reportDuringSearchEvery",
        "firstReportDuringSearchAfter",
        "priority",
        "priorities",
        "action",
    ];
    KNOWN.contains(&key)
}

impl QueryFields<'_> {
    /// Returns the fields without effect, except those that are false or null.
    pub(super) fn ignored(&self) -> Vec<IgnoredField> {
        let asks = |value: &Value| !value.is_null() && *value != Value::Bool(false);
        let unknown = self.all().iter().filter(|(key, value)| !is_known(key) && asks(value));
        let unknown = unknown.map(|(key, _)| {
            let known = UNSUPPORTED_FIELDS.iter().find(|(known, _)| known == key);
            IgnoredField { field: key.clone(), reason: known.map_or(UNKNOWN_FIELD, |(_, reason)| reason) }
        });
        let is_deep = |value: &Value| value.get("untilDepth").and_then(Value::as_u64) > Some(1);
        let lists = |key: &str| self.get(key).and_then(Value::as_array);
        let is_deep = |key: &&str| lists(key).is_some_and(|values| values.iter().any(is_deep));
        let deep = ["avoidMoves", "allowMoves"].into_iter().filter(is_deep);
        unknown
            .chain(deep.map(|key| IgnoredField { field: key.to_owned(), reason: UNSUPPORTED_DEPTH }))
            .collect()
    }
}
