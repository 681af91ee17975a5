//! What is known of a game: plain data, which files keep.

use crate::game::Player;
use crate::go::Size;
use serde::{Deserialize, Serialize};

/// A game and what searches found in its positions. All win rates and leads are Black's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// The file as it was named, and the game's number if it is not the first.
    pub id: String,
    /// Who plays, Black first.
    pub names: [Option<String>; 2],
    /// Their ranks, Black first.
    pub ranks: [Option<String>; 2],
    /// The result as the record has it.
    pub result: Option<String>,
    /// When it was played.
    pub date: Option<String>,
    /// Where it was played.
    pub event: Option<String>,
    /// The title of the game.
    pub title: Option<String>,
    /// Points in a row.
    pub columns: usize,
    /// Points in a column.
    pub rows: usize,
    /// The komi in points.
    pub komi: f64,
    /// Name of the rules.
    pub rules: String,
    /// What the record does not say, or not like this.
    pub assumed: Vec<String>,
    /// What is wrong with the record.
    pub warnings: Vec<String>,
    /// The program and its version.
    pub engine: String,
    /// How long each position was searched, in words.
    pub limits: String,
    /// Whether all positions were searched; otherwise somebody ended it before.
    pub is_complete: bool,
    /// All positions, the start first; never empty.
    pub turns: Vec<Turn>,
    /// The text of the game in its file.
    pub sgf: String,
}

/// A position of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The move that led here; `None` at the start.
    pub played: Option<Played>,
    /// Who is to move.
    #[serde(with = "letter")]
    pub to_play: Player,
    /// A character a point from the upper left: `X` is Black, `O` White, `.` empty.
    pub stones: String,
    /// Stones taken so far, by Black and by White.
    pub prisoners: [u32; 2],
    /// Which node of the record's main line the move stands in, from 0, or the setup that follows it.
    pub node: usize,
    /// True if stones were set up after the move, or if the move placed a handicap stone.
    #[serde(default)]
    pub was_set_up: bool,
    /// The record's comment on the move.
    pub comment: Option<String>,
    /// What a search found here; `None` if there was no time for one.
    pub finding: Option<Finding>,
}

/// A move of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// Who moved.
    #[serde(with = "letter")]
    pub player: Player,
    /// Where, such as `D4` or `pass`.
    pub vertex: String,
}

/// What a search found in a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Black's probability of winning, `0..=1`.
    pub winrate: f64,
    /// Black's lead in points, komi taken off; `None` without playouts.
    pub lead: Option<f64>,
    /// Visits of the position.
    pub visits: u64,
    /// The best moves, the best first, and the move that was played if the search looked at it; empty where the game is
    /// over.
    pub candidates: Vec<Candidate>,
    /// A letter a point from the upper left, whose it is at the end of playouts: from `a`, White's in all of them, over
    /// `k` to `u`, Black's. Empty without playouts.
    pub ownership: String,
    /// How a game that both players have ended came out.
    pub end: Option<End>,
}

/// A move that a search looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Where.
    pub vertex: String,
    /// Its place among all moves, from 0.
    pub order: usize,
    /// How often it was chosen.
    pub visits: u64,
    /// Black's probability of winning after it.
    pub winrate: f64,
    /// Black's lead after it.
    pub lead: Option<f64>,
    /// The best line from here, beginning with the move.
    pub line: Vec<String>,
}

/// The count of a finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// As `B+2.5`, `W+0.5` or `0`.
    pub result: String,
    /// The stones that were taken off the board.
    pub dead: Vec<String>,
}

/// What is wrong with data that claims to be a review.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {id:?}, move {turn}: expected {expected}")]
pub struct UnusableReview {
    id: String,
    turn: usize,
    expected: String,
}

impl Review {
    /// The board.
    ///
    /// # Errors
    /// When there is none of that size.
    pub fn size(&self) -> Result<Size, crate::go::geometry::SizeError> {
        Size::new(self.columns, self.rows)
    }

    /// The file's name without its folders, and the game's number if it is not the first.
    #[must_use]
    pub fn name(&self) -> &str {
        self.id.rsplit(std::path::is_separator).next().unwrap_or(&self.id)
    }

    /// Checks what was read from a file, so that everything else can rely on it.
    ///
    /// # Errors
    /// When a board, a move or a number cannot be.
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

impl Turn {
    fn check(&self, size: Size, number: usize) -> Result<(), String> {
        let points = size.points();
        if self.stones.len() != points || !self.stones.bytes().all(|stone| b"XO.".contains(&stone)) {
            return Err(format!("{points} characters X, O or . as stones"));
        }
        if self.played.is_none() != (number == 0) {
            return Err("a move that led to every position but the first".to_owned());
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

/// A player as `B` or `W`.
mod letter {
    use crate::game::Player;
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
