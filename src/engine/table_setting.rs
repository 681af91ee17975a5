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

impl TableGameSettings {
    /// Parses the text written by [`EngineOptions::identity`](super::EngineOptions::identity).
    #[must_use]
    pub fn read(text: &str) -> TableGameSettings {
        let rest = text.strip_prefix("rules ").unwrap_or_default();
        let (rules, rest) = rest.split_once(", komi ").unwrap_or_default();
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
        let nothing = TableGameSettings { rules: None, komi: None, keys: None };
        assert_eq!(["", "rules", "something else"].map(TableGameSettings::read), [nothing; 3]);
    }
}
