//! Analyses that other programs stored in game records, as one type.
//!
//! | property     | program   | content                                                                          |
//! |--------------|-----------|----------------------------------------------------------------------------------|
//! | `KT`         | KaTrain   | the position after the node: policy, root and moves (`katrain`)                  |
//! | `LZ`, `LZOP` | Lizzie, LizzieYzy | the position after the node: its win rate and moves (`lizzie`)           |
//! | `C`          | KataGo    | the position before the node: visits, win rate and score, no moves (`katago_comment`) |
//!
//! Values are read strictly: an analysis with any impossible number is an [`AnalysisError`].

mod katago_comment;
mod katrain;
mod lizzie;

pub use katago_comment::is_katago_comment;
pub use katrain::{KATRAIN_FORMAT, is_readable_version};

use super::sgf::{AnalysisProperty, StoredAnalysis};
use crate::base::game::{Move, Player};
use crate::base::recorded_analysis::{RecordedAnalysis, RecordedMove};
use crate::go::Size;

/// Maximum visits of an analysis and of all its moves together.
const MAX_VISITS: u64 = 1 << 26;

/// A reason for which an analysis cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    /// A value that is not as expected.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// The expectation.
        expected: &'static str,
        /// The value, shortened.
        found: String,
    },
    /// A value that is not base64 text of compressed data.
    #[error("expected compressed data in base64, found {part} that cannot be decoded")]
    Encoding {
        /// The part of the analysis.
        part: &'static str,
    },
    /// A value with more data than any analysis has.
    #[error("expected at most {limit} bytes of {part}, found more")]
    TooLong {
        /// The part of the analysis.
        part: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// Text that is not the expected JSON.
    #[error("expected an analysis in JSON: {reason}")]
    Json {
        /// The reason.
        reason: String,
    },
    /// More visits than a table can hold.
    #[error("expected at most {MAX_VISITS} visits, found {visits}")]
    TooManyVisits {
        /// The visits.
        visits: u64,
    },
}

impl AnalysisError {
    /// Returns the error for a value that is not as expected.
    fn unexpected(expected: &'static str, found: &str) -> AnalysisError {
        const MAX_CHARACTERS: usize = 40;
        let mut shown: String = found.chars().take(MAX_CHARACTERS).collect();
        if shown.len() < found.len() {
            shown.push('…');
        }
        AnalysisError::Unexpected { expected, found: format!("\"{shown}\"") }
    }
}

/// Reads an analysis of a position on a board of `size`, with `to_play` to move unless the analysis names the player.
/// `None` if the property holds none that is read.
///
/// # Errors
/// Returns an error if a value cannot be decoded or is impossible.
pub fn read(
    stored: &StoredAnalysis,
    size: Size,
    to_play: Player,
) -> Option<Result<RecordedAnalysis, AnalysisError>> {
    let text = stored.values.first().map_or("", String::as_str);
    match stored.property {
        AnalysisProperty::Katrain => Some(katrain::read(&stored.values, size, to_play)),
        AnalysisProperty::Lizzie | AnalysisProperty::LizzieYzy => Some(lizzie::read(text, size, to_play)),
        AnalysisProperty::KatrainVersion | AnalysisProperty::SecondEngine => None,
    }
}

/// Returns the visits of a position: `stated`, but at least one more than those of its moves.
fn total_visits(stated: u64, moves: &[RecordedMove]) -> Result<u32, AnalysisError> {
    let through_moves: u64 = moves.iter().map(|it| u64::from(it.visits)).sum();
    limited_visits(stated.max(through_moves + 1))
}

/// Returns a number of visits that a table can hold.
fn limited_visits(visits: u64) -> Result<u32, AnalysisError> {
    let limited = u32::try_from(visits).ok().filter(|_| visits <= MAX_VISITS);
    limited.ok_or(AnalysisError::TooManyVisits { visits })
}

/// Returns a win rate or probability.
fn share(number: f64, expected: &'static str) -> Result<f64, AnalysisError> {
    let is_share = (0.0..=1.0).contains(&number);
    is_share.then_some(number).ok_or_else(|| AnalysisError::unexpected(expected, &number.to_string()))
}

/// Returns the win rate of the other player if `player` is White: Black's from that of `player`, or the reverse.
fn for_black(player: Player, win_rate: f64) -> f64 {
    if player == Player::Black { win_rate } else { 1.0 - win_rate }
}

/// Reads a move in the notation of GTP.
fn vertex(text: &str, size: Size) -> Result<Move, AnalysisError> {
    size.parse_vertex(text).ok_or_else(|| AnalysisError::unexpected("a move on the board", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_exceed_those_of_the_moves_and_have_a_limit() {
        let size = Size::new(9, 9).expect("a size");
        let mv = RecordedMove { mv: size.pass(), visits: 10, black_win_rate: 0.5, prior: None };
        assert_eq!(total_visits(3, std::slice::from_ref(&mv)), Ok(11));
        assert_eq!(total_visits(300, &[mv]), Ok(300));
        let error = total_visits(u64::MAX, &[]).expect_err("too many");
        assert!(error.to_string().contains("at most 67108864 visits"), "{error}");
    }
}
