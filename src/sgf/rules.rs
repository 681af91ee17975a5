//! The names of rule sets in `RU`.

use crate::go::{KoRule, Rules};

/// The rules that a `RU` value means; `None` for those that are not area rules of ours, such as
/// Japanese, Korean or Ing.
///
/// Source: the values listed in FF\[4\] (`AGA`, `GOE`, `Japanese`, `NZ`), and those that KGS and OGS write.
#[must_use]
pub fn rules_named(name: &str) -> Option<Rules> {
    let squashed: String =
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    match squashed.as_str() {
        "chinese" | "china" | "cn" => Some(Rules::CHINESE),
        "tromptaylor" => Some(Rules::TROMP_TAYLOR),
        "nz" | "newzealand" => Some(Rules { ko: KoRule::Situational, suicide: true }),
        "aga" => Some(Rules { ko: KoRule::Situational, suicide: false }),
        // What our own rules print, so that a record may name them exactly.
        _ => name.trim().parse().ok(),
    }
}
