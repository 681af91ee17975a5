//! A review as a table for programs and spreadsheets, one row a move; [`COLUMNS`] describes the columns.
//!
//! CSV has a header line and an empty field for an unknown value; JSON has one object a line with the same names, and
//! `null`. Columns are never renamed or removed; new ones come last.

use super::judgement::{Judgement, ReportSettings};
use super::model::{Review, ReviewTurn};
use crate::base::game::Player;
use serde_json::{Map, Value, json};

/// The name and the description of each column.
pub const COLUMNS: [(&str, &str); 20] = [
    ("game", "the file's name, and the number of the game if it is not the first"),
    ("move", "the number of the move, from 1"),
    ("player", "the player, B or W"),
    ("vertex", "the move, such as D4 or pass"),
    ("phase", "opening, middle game or endgame"),
    ("winrate", "Black's win rate after the move, 0 to 1"),
    ("lead", "Black's lead in points after the move, komi subtracted"),
    ("visits", "visits of the position after the move"),
    ("best", "the best move"),
    ("best_winrate", "Black's win rate after the best move"),
    ("best_lead", "Black's lead in points after the best move, komi subtracted"),
    ("best_visits", "visits of the best move in the search before the move"),
    ("order", "the rank of the move among all moves of the search, from 0"),
    ("loss", "the mover's loss of win rate, 0 to 1"),
    ("points_lost", "the mover's loss in points"),
    ("severity", "fine, inaccuracy, mistake or blunder, by the thresholds"),
    ("only_move", "true where all other moves would have been mistakes"),
    ("line", "the line that begins with the best move; in CSV with spaces between the moves"),
    ("result", "the result as the record states it"),
    ("complete", "false where the search was ended before all positions were searched"),
];

/// Returns CSV of all games, with a header line.
///
/// # Errors
/// Never fails in practice: it writes to memory.
pub fn csv(reviews: &[Review], settings: &ReportSettings) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS.map(|(name, _)| name))?;
    for row in reviews.iter().flat_map(|review| rows(review, settings)) {
        writer.write_record(COLUMNS.map(|(name, _)| field(&row[name])))?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns one JSON object a move, one a line, of all games.
#[must_use]
pub fn json(reviews: &[Review], settings: &ReportSettings) -> String {
    let rows = reviews.iter().flat_map(|review| rows(review, settings));
    rows.map(|row| format!("{}\n", Value::Object(row))).collect()
}

fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(field).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

fn rows(review: &Review, settings: &ReportSettings) -> Vec<Map<String, Value>> {
    let judgement = Judgement::new(review, settings);
    let turns = review.turns.iter().enumerate().skip(1);
    turns.map(|(number, turn)| row(review, &judgement, number, turn)).collect()
}

fn row(review: &Review, judgement: &Judgement, number: usize, turn: &ReviewTurn) -> Map<String, Value> {
    let (judged, found) = (judgement.of(number), turn.finding.as_ref());
    let best = judged.map(|mv| &mv.best);
    let phase = super::Phase::of(number, review.columns * review.rows);
    let letter = |player| if player == Player::Black { "B" } else { "W" };
    let values = [
        json!(review.id),
        json!(number),
        json!(turn.played.as_ref().map(|played| letter(played.player))),
        json!(turn.played.as_ref().map(|played| &played.vertex)),
        json!(phase.name()),
        json!(found.map(|found| rounded(found.winrate))),
        json!(found.and_then(|found| found.lead).map(rounded)),
        json!(found.map(|found| found.visits)),
        json!(best.map(|best| &best.vertex)),
        json!(best.map(|best| rounded(best.winrate))),
        json!(best.and_then(|best| best.lead).map(rounded)),
        json!(best.map(|best| best.visits)),
        json!(judged.and_then(|mv| mv.order)),
        json!(judged.map(|mv| rounded(mv.loss))),
        json!(judged.and_then(|mv| mv.points).map(rounded)),
        json!(judged.map(|mv| mv.severity.name())),
        json!(judged.map(|mv| mv.is_only_move)),
        json!(best.map(|best| &best.line)),
        json!(review.result),
        json!(review.is_complete),
    ];
    COLUMNS.iter().map(|(name, _)| (*name).to_owned()).zip(values).collect()
}

/// Rounds to four decimals, beyond the precision of a search.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}
