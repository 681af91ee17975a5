//! The game settings that are stored in a table file.

use crate::go::{KeyPolicy, Komi, Rules};

/// Rules, komi and key policy of the searches that a table file was created for: the parts of
/// [`TableIdentity::game_settings`](crate::table::TableIdentity::game_settings), `None` if they cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableGameSettings {
    /// Rules.
    pub rules: Option<Rules>,
    /// Komi.
    pub komi: Option<Komi>,
    /// Key policy.
    pub keys: Option<KeyPolicy>,
}

/// Bytes of the text in a table file.
const MAX_TEXT: usize = 64;

/// Parts of rules and their short forms in a text that would not fit otherwise.
const SHORT_FORMS: [(&str, &str); 7] = [
    ("ko=situational", "ko=sit"),
    ("ko=positional", "ko=pos"),
    (",suicide=", ",sui="),
    (",scoring=territory", ",sc=t"),
    (",handicap=", ",hc="),
    (",dead=agreement", ",d=a"),
    (",dead=none", ",d=0"),
];

impl TableGameSettings {
    /// Returns the text of settings, at most 64 bytes.
    #[must_use]
    pub(super) fn write(rules: Rules, komi: Komi, keys: KeyPolicy) -> String {
        let text = format!("rules {rules}, komi {komi}, keys {keys}");
        if text.len() <= MAX_TEXT {
            return text;
        }
        SHORT_FORMS.iter().fold(text, |text, (part, short)| text.replace(part, short))
    }

    /// Parses the text written by [`EngineOptions::identity`](super::EngineOptions::identity).
    #[must_use]
    pub fn read(text: &str) -> TableGameSettings {
        let rest = text.strip_prefix("rules ").unwrap_or_default();
        let (rules, rest) = rest.split_once(", komi ").unwrap_or_default();
        // No part begins with the short form of another one.
        let rules = SHORT_FORMS.iter().fold(rules.to_owned(), |rules, (part, short)| {
            if rules.contains(part) { rules } else { rules.replace(short, part) }
        });
        let (komi, keys) = rest.split_once(", keys ").unwrap_or((rest, ""));
        TableGameSettings { rules: rules.parse().ok(), komi: komi.parse().ok(), keys: keys.parse().ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;

    #[test]
    fn what_is_told_of_a_table_file_is_read_back() {
        for (rules, keys) in [(Rules::CHINESE, KeyPolicy::Graph), (Rules::TROMP_TAYLOR, KeyPolicy::Plain)] {
            let options = EngineOptions { rules, komi: Komi(-13), keys, ..EngineOptions::default() };
            let expected = TableGameSettings { rules: Some(rules), komi: Some(Komi(-13)), keys: Some(keys) };
            assert_eq!(TableGameSettings::read(&options.identity().game_settings), expected);
        }
        for (ko, suicide, scoring, handicap_bonus, removes_dead, komi) in [
            ("situational", "yes", ",scoring=territory", "n-1", "agreement", Komi(-2000)),
            ("positional", "yes", "", "n-1", "agreement", Komi(-721)),
            ("simple", "no", ",scoring=territory", "n-1", "none", Komi(25)),
            ("simple", "yes", ",scoring=territory", "n", "none", Komi(25)),
        ] {
            let rules =
                format!("ko={ko},suicide={suicide}{scoring},handicap={handicap_bonus},dead={removes_dead}");
            let rules: Rules = rules.parse().expect("rules");
            let text = TableGameSettings::write(rules, komi, KeyPolicy::Recent);
            assert!(text.len() <= MAX_TEXT, "{text}");
            let expected =
                TableGameSettings { rules: Some(rules), komi: Some(komi), keys: Some(KeyPolicy::Recent) };
            assert_eq!(TableGameSettings::read(&text), expected, "{text}");
        }
        let nothing = TableGameSettings { rules: None, komi: None, keys: None };
        assert_eq!(["", "rules", "something else"].map(TableGameSettings::read), [nothing; 3]);
    }
}
