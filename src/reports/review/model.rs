//! The data of a review, as it is saved to files.

use crate::base::game::Player;
use crate::go::Size;
use serde::{Deserialize, Serialize};

/// A game and the search results of its positions. All win rates and leads are Black's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// The file as the user named it, and the number of the game if it is not the first.
    pub id: String,
    /// The players' names, Black first.
    pub names: [Option<String>; 2],
    /// The players' ranks, Black first.
    pub ranks: [Option<String>; 2],
    /// The result as the record states it.
    pub result: Option<String>,
    /// True if the record has its komi, and so the margin of its result, in stones of two points.
    #[serde(default)]
    pub is_in_stones: bool,
    /// The date as the record states it.
    pub date: Option<String>,
    /// The event as the record states it.
    pub event: Option<String>,
    /// The title of the game.
    pub title: Option<String>,
    /// Columns of the board.
    pub columns: usize,
    /// Rows of the board.
    pub rows: usize,
    /// The komi in points.
    pub komi: f64,
    /// The name of the rules.
    pub rules: String,
    /// Terms that the record lacks or states differently, one text each.
    pub assumed: Vec<String>,
    /// Errors in the record.
    pub warnings: Vec<String>,
    /// The program and its version.
    pub engine: String,
    /// The search limits of each position, in words.
    pub limits: String,
    /// True if all positions were searched; false if the review was ended early.
    pub is_complete: bool,
    /// All positions, the first one included; never empty.
    pub turns: Vec<ReviewTurn>,
    /// The text of the game in its file.
    pub sgf: String,
}

/// A position of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewTurn {
    /// The move that led to the position; `None` for the first.
    pub played: Option<PlayedMove>,
    /// The player to move.
    #[serde(with = "letter")]
    pub to_play: Player,
    /// The stones, one character a point from the upper left: `X` is Black, `O` White, `.` empty.
    pub stones: String,
    /// Number of stones captured so far, by Black and by White.
    pub prisoners: [u32; 2],
    /// Index on the record's main line, from 0, of the node with the move, or with the setup after it.
    pub node: usize,
    /// True if stones were set up after the move, or if the move placed a handicap stone.
    #[serde(default)]
    pub was_set_up: bool,
    /// The record's comment on the move.
    pub comment: Option<String>,
    /// The search result of the position; `None` if it was not searched.
    pub finding: Option<PositionResult>,
}

/// A move of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedMove {
    /// The mover.
    #[serde(with = "letter")]
    pub player: Player,
    /// The move, such as `D4` or `pass`.
    pub vertex: String,
}

/// The search result of a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionResult {
    /// Black's win rate, `0..=1`.
    pub winrate: f64,
    /// Black's lead in points, komi subtracted; `None` if unknown.
    pub lead: Option<f64>,
    /// Number of visits of the position.
    pub visits: u64,
    /// The best moves, the best first, and the move that was played if the search visited it; empty for a finished
    /// game.
    pub candidates: Vec<ReviewedMove>,
    /// The mean ownership, one letter a point from the upper left, in steps of a tenth: `a` is White (-1), `k` is 0,
    /// `u` is Black (1). May be empty.
    pub ownership: String,
    /// The count, if both players ended the game.
    pub end: Option<FinalCount>,
}

/// A move that a search visited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewedMove {
    /// The move, such as `D4` or `pass`.
    pub vertex: String,
    /// Rank among all moves of the search, from 0.
    pub order: usize,
    /// Number of times the search selected the move.
    pub visits: u64,
    /// Black's win rate after the move, `0..=1`.
    pub winrate: f64,
    /// Black's lead in points after the move; `None` if unknown.
    pub lead: Option<f64>,
    /// The main line, which begins with the move.
    pub line: Vec<String>,
}

/// The count of a finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalCount {
    /// The result: `B+2.5`, `W+0.5` or `0`.
    pub result: String,
    /// The dead stones, which were removed.
    pub dead: Vec<String>,
}

/// An error in data that should be a review.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {id:?}, move {turn}: expected {expected}")]
pub struct UnusableReview {
    id: String,
    turn: usize,
    expected: String,
}

impl Review {
    /// Returns the board.
    ///
    /// # Errors
    /// Fails if no board has this size.
    pub fn size(&self) -> Result<Size, crate::go::geometry::SizeError> {
        Size::new(self.columns, self.rows)
    }

    /// Returns the file's name without its folders, with the number of the game if it is not the first.
    #[must_use]
    pub fn name(&self) -> &str {
        self.id.rsplit(std::path::is_separator).next().unwrap_or(&self.id)
    }

    /// Validates a review that was read from a file; all other code relies on it.
    ///
    /// # Errors
    /// Fails if a board, a move or a number is invalid.
    pub fn check(&self) -> Result<(), UnusableReview> {
        let fault = |turn: usize, expected: String| UnusableReview { id: self.id.clone(), turn, expected };
        let size = self.size().map_err(|error| fault(0, error.to_string()))?;
        if self.turns.is_empty() {
            return Err(fault(0, "at least one position".to_owned()));
        }
        for (number, turn) in self.turns.iter().enumerate() {
            turn.check(size, number).map_err(|expected| fault(number, expected))?;
        }
        Ok(())
    }
}

impl ReviewTurn {
    fn check(&self, size: Size, number: usize) -> Result<(), String> {
        let points = size.points();
        if self.stones.len() != points || !self.stones.bytes().all(|stone| b"XO.".contains(&stone)) {
            return Err(format!("{points} characters X, O or . as stones"));
        }
        if self.played.is_none() != (number == 0) {
            return Err("a move for every position except the first".to_owned());
        }
        let found = self.finding.as_ref();
        let candidates = found.map_or(&[][..], |finding| &finding.candidates);
        let dead = found.and_then(|finding| finding.end.as_ref()).map_or(&[][..], |end| &end.dead);
        let lines = candidates.iter().flat_map(|candidate| candidate.line.iter().chain([&candidate.vertex]));
        for vertex in lines.chain(self.played.iter().map(|played| &played.vertex)).chain(dead) {
            if size.parse_vertex(vertex).is_none() {
                return Err(format!("a point of the {size} board or pass, found {vertex:?}"));
            }
        }
        if let Some(finding) = found {
            let rates = candidates.iter().map(|candidate| candidate.winrate).chain([finding.winrate]);
            if rates.into_iter().any(|rate| !(0.0..=1.0).contains(&rate)) {
                return Err("win rates from 0 to 1".to_owned());
            }
            let letters = finding.ownership.len();
            let is_owned = finding.ownership.bytes().all(|letter| (b'a'..=b'u').contains(&letter));
            if !is_owned || (letters != 0 && letters != points) {
                return Err(format!("{points} letters from a to u as ownership, or none"));
            }
        }
        Ok(())
    }
}

/// A player as `B` or `W` in JSON.
mod letter {
    use crate::base::game::Player;
    use serde::{Deserialize, Deserializer, Serializer, de};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    pub(super) fn serialize<S: Serializer>(player: &Player, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if *player == Player::Black { "B" } else { "W" })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Player, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "B" => Ok(Player::Black),
            "W" => Ok(Player::White),
            other => Err(de::Error::custom(format!("expected B or W, found {other:?}"))),
        }
    }
}
