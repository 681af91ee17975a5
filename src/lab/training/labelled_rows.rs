//! Labels of an evaluator as rows for the trainer.

use super::label_folder::PositionLabel;
use super::label_positions::GameMoves;
use super::samples::{EvaluatedLabels, SampleWriter};
use crate::base::game::Move;
use crate::go::{Position, Size};
use crate::network::planes::InputPosition;
use std::io::{self, BufWriter, Write};

/// A writer of labels as rows.
pub struct LabelledRows {
    /// The games of the labels.
    pub games: Vec<GameMoves>,
    /// Their board.
    pub size: Size,
    /// True if the policy to learn is the move of the game, unknown after drawn moves, and not the evaluator's.
    pub has_played_policy: bool,
}

/// Divides labels into those of the games `0..count` and those of later games.
#[must_use]
pub fn by_game(labels: Vec<PositionLabel>, count: usize) -> (Vec<PositionLabel>, Vec<PositionLabel>) {
    labels.into_iter().partition(|label| (label.place.game as usize) < count)
}

impl LabelledRows {
    /// Writes the header and the rows of a file. Returns its description.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, or a label is of no position of the games.
    pub fn write(&self, labels: &[PositionLabel], output: impl Write) -> io::Result<String> {
        let mut writer = SampleWriter::with_evaluations(BufWriter::new(output), self.size)?;
        for label in labels {
            let position = label.place.position(&self.games, self.size).ok_or_else(|| {
                let what =
                    format!("label {} is of no position of these games: label them again", label.number);
                io::Error::new(io::ErrorKind::InvalidData, what)
            })?;
            let policy = self.policy(label, &position);
            let labels = EvaluatedLabels {
                value: (1000.0 * f32::from(label.win_rate) / f32::from(u16::MAX)).round() as u16,
                score: (f32::from(label.score) / 4.0).round() as i16,
                deviation: label.deviation,
                policy: &policy,
                owners: &label.owners,
                game: label.place.game,
            };
            writer.write_evaluated(&InputPosition::of(&position), &labels)?;
        }
        writer.finish()?;
        Ok(format!("{} positions", labels.len()))
    }

    /// Returns the policy to learn; all 0 if it is the move of the game, and the game has no legal one.
    fn policy(&self, label: &PositionLabel, position: &Position) -> Vec<u8> {
        if !self.has_played_policy {
            return label.policy.clone();
        }
        let mut policy = vec![0; label.policy.len()];
        let is_legal = |&mv: &Move| position.check(mv).is_ok();
        if let Some(played) = label.place.played(&self.games).filter(is_legal) {
            policy[played.index()] = u8::MAX;
        }
        policy
    }
}
