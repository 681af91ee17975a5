//! The heading of an analysed game: players, result, terms, and assumptions about missing terms.

use crate::go::{Komi, Rules, Scoring, Size};
use crate::records::sgf::terms::TERRITORY_NOTE;
use crate::records::sgf::{GameRecord, Terms};
use serde_json::{Value, json};
use std::fmt::Write;

/// The heading of one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Names of Black and White.
    pub names: [Option<String>; 2],
    /// Ranks of Black and White.
    pub ranks: [Option<String>; 2],
    /// The result as the record states it.
    pub result: Option<String>,
    /// Terms that the record lacks or states differently, one line each.
    pub assumed: Vec<String>,
}

impl Head {
    /// Returns the heading of a record that is analysed under `terms`.
    #[must_use]
    pub fn new(record: &GameRecord, terms: &Terms) -> Head {
        Head {
            names: record.names.clone(),
            ranks: record.ranks.clone(),
            result: record.result.clone(),
            assumed: terms.assumed.clone(),
        }
    }

    /// Returns the heading of a board without a game record.
    #[must_use]
    pub fn without_record(rules: Rules) -> Head {
        let is_territory = rules.scoring == Scoring::Territory;
        Head {
            assumed: is_territory.then(|| TERRITORY_NOTE.to_owned()).into_iter().collect(),
            ..Head::default()
        }
    }

    /// Formats the heading as lines: the file's name without folders, the terms, players and result if recorded, and
    /// the assumptions.
    #[must_use]
    pub fn text(&self, id: &str, size: Size, rules: Rules, komi: Komi) -> String {
        let mut text = format!("{size} · komi {komi} · rules {rules}\n");
        // Without a record the board size is the name.
        if id != size.to_string() {
            let name = id.rsplit(std::path::is_separator).next().unwrap_or(id);
            text.insert_str(0, &format!("{name} · "));
        }
        let players: Vec<String> = ["Black", "White"]
            .iter()
            .zip(self.names.iter().zip(&self.ranks))
            .filter_map(|(colour, (name, rank))| match (name, rank) {
                (None, None) => None,
                (Some(name), None) => Some(format!("{colour} {name}")),
                (name, Some(rank)) => Some(format!("{colour} {} ({rank})", name.as_deref().unwrap_or("?"))),
            })
            .chain(self.result.iter().map(|result| format!("result {result}")))
            .collect();
        if !players.is_empty() {
            text.push_str("    ");
            text.push_str(&players.join(" · "));
            text.push('\n');
        }
        for line in &self.assumed {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    assumed: {line}");
        }
        text
    }

    /// Adds players, result and assumptions to the JSON object of a position. The terms are in the object already.
    pub fn add_to(&self, object: &mut Value) {
        let player = |index: usize| json!({"name": self.names[index], "rank": self.ranks[index]});
        object["players"] = json!({"black": player(0), "white": player(1)});
        object["result"] = json!(self.result);
        object["assumed"] = json!(self.assumed);
    }
}
