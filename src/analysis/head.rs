//! What stands before the positions of a game: who played it, for what, and what was assumed.

use crate::go::{Komi, Rules, Scoring, Size};
use crate::sgf::terms::TERRITORY;
use crate::sgf::{GameRecord, Terms};
use serde_json::{Value, json};
use std::fmt::Write;

/// A game as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Who plays, Black first.
    pub names: [Option<String>; 2],
    /// Their ranks, Black first.
    pub ranks: [Option<String>; 2],
    /// The result as the record has it.
    pub result: Option<String>,
    /// What the record does not say, or not like this.
    pub assumed: Vec<String>,
}

impl Head {
    /// Of a record that is analysed under `terms`.
    #[must_use]
    pub fn new(record: &GameRecord, terms: &Terms) -> Head {
        Head {
            names: record.names.clone(),
            ranks: record.ranks.clone(),
            result: record.result.clone(),
            assumed: terms.assumed.clone(),
        }
    }

    /// Of a board that nobody has played on.
    #[must_use]
    pub fn without_record(rules: Rules) -> Head {
        let is_territory = rules.scoring == Scoring::Territory;
        Head { assumed: is_territory.then(|| TERRITORY.to_owned()).into_iter().collect(), ..Head::default() }
    }

    /// Some lines: the file's name without its folders, the terms, the players and the result if the record has them, and
    /// what was assumed.
    #[must_use]
    pub fn text(&self, id: &str, size: Size, rules: Rules, komi: Komi) -> String {
        let mut text = format!("{size} · komi {komi} · rules {rules}\n");
        // A board without a game is called by its size.
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

    /// Adds it to the object of a position, where it has not got a place of its own.
    pub fn add_to(&self, object: &mut Value) {
        let player = |index: usize| json!({"name": self.names[index], "rank": self.ranks[index]});
        object["players"] = json!({"black": player(0), "white": player(1)});
        object["result"] = json!(self.result);
        object["assumed"] = json!(self.assumed);
    }
}
