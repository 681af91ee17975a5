//! Openings: the moves with which every pair of games begins.

use crate::base::game::{Game, Move, Player};
use crate::go::{Komi, Record, Rules, Size};
use crate::records::sgf::{self, RecordMove};
use serde::Deserialize;

/// Legal moves that begin a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Name in records, unique in the file.
    pub id: String,
    /// The moves.
    pub moves: Vec<(Player, Move)>,
}

/// An unusable file of openings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The file has no opening.
    #[error("the file has no opening: expected lines such as {EXAMPLE} or an SGF file")]
    Empty,
    /// A line of an unexpected form.
    #[error("line {line}: expected {EXAMPLE}, found {found:?} ({reason})")]
    Unreadable {
        /// Number of the line, from 1.
        line: usize,
        /// Beginning of the line.
        found: String,
        /// The error of the parser.
        reason: String,
    },
    /// An opening on a board of another size.
    #[error("opening {id}: expected the board {expected}, found {found}")]
    OtherSize {
        /// Name of the opening.
        id: String,
        /// Board size of the match.
        expected: Size,
        /// Board size of the opening.
        found: String,
    },
    /// An unreadable or illegal move.
    #[error("opening {id}: move {number}, {vertex:?}: {reason}")]
    BadMove {
        /// Name of the opening.
        id: String,
        /// Number of the move, from 1.
        number: usize,
        /// The move as written.
        vertex: String,
        /// The error.
        reason: String,
    },
    /// Two openings with the same name.
    #[error("opening {id} occurs twice: each opening needs a different id")]
    DuplicateId {
        /// The name.
        id: String,
    },
    /// An unreadable SGF file.
    #[error(transparent)]
    Sgf(#[from] sgf::SgfError),
    /// Stones that are set up instead of played.
    #[error("opening {id}: expected moves only, found stones that were set up; play them as moves")]
    SetUp {
        /// Name of the opening.
        id: String,
    },
}

const EXAMPLE: &str = r#"{"size": 9, "moves": [["b", "D5"], ["w", "F5"]]}"#;

/// A line of the file.
#[derive(Deserialize)]
struct OpeningLine {
    size: usize,
    moves: Vec<(String, String)>,
    #[serde(default)]
    id: Option<String>,
}

/// Reads openings for a board of `size`: one JSON object per line, or an SGF file with one opening per game.
///
/// # Errors
/// Returns the first opening that is unusable or ends the game.
pub fn read(bytes: &[u8], size: Size, rules: Rules) -> Result<Vec<Opening>, OpeningError> {
    let openings = read_games(bytes, size, rules)?;
    for opening in &openings {
        check(opening, size, rules, false)?;
    }
    Ok(openings)
}

/// Reads openings in which the game may also have ended.
///
/// # Errors
/// Returns the first unusable opening.
pub fn read_games(bytes: &[u8], size: Size, rules: Rules) -> Result<Vec<Opening>, OpeningError> {
    let text = String::from_utf8_lossy(bytes);
    let openings = if text.trim_start_matches('\u{feff}').trim_start().starts_with('(') {
        read_sgf(bytes, size)?
    } else {
        read_lines(&text, size)?
    };
    if openings.is_empty() {
        return Err(OpeningError::Empty);
    }
    let mut names = std::collections::BTreeSet::new();
    for opening in &openings {
        check(opening, size, rules, true)?;
        if !names.insert(&opening.id) {
            return Err(OpeningError::DuplicateId { id: opening.id.clone() });
        }
    }
    Ok(openings)
}

fn read_lines(text: &str, size: Size) -> Result<Vec<Opening>, OpeningError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(index, line)| read_line(index + 1, line, size)).collect()
}

fn read_line(number: usize, line: &str, size: Size) -> Result<Opening, OpeningError> {
    let row: OpeningLine = serde_json::from_str(line).map_err(|error| OpeningError::Unreadable {
        line: number,
        found: line.chars().take(60).collect(),
        reason: error.to_string(),
    })?;
    let id = row.id.unwrap_or_else(|| format!("line-{number}"));
    if (row.size, row.size) != (size.columns(), size.rows()) {
        let found = format!("{0}x{0}", row.size);
        return Err(OpeningError::OtherSize { id, expected: size, found });
    }
    let mut moves = Vec::with_capacity(row.moves.len());
    for (index, (player, vertex)) in row.moves.iter().enumerate() {
        let bad = |reason: &str| OpeningError::BadMove {
            id: id.clone(),
            number: index + 1,
            vertex: vertex.clone(),
            reason: reason.to_owned(),
        };
        let player = match player.to_ascii_lowercase().as_str() {
            "b" | "black" => Player::Black,
            "w" | "white" => Player::White,
            _ => return Err(bad("expected b or w for the player")),
        };
        moves.push((player, size.parse_vertex(vertex).ok_or_else(|| bad("no vertex of this board"))?));
    }
    Ok(Opening { id, moves })
}

fn read_sgf(bytes: &[u8], size: Size) -> Result<Vec<Opening>, OpeningError> {
    let collection = sgf::read(bytes)?;
    let mut openings = Vec::with_capacity(collection.games.len());
    for (index, game) in collection.games.iter().enumerate() {
        let id = format!("game-{}", index + 1);
        let (columns, rows) = (usize::from(game.columns), usize::from(game.rows));
        if (columns, rows) != (size.columns(), size.rows()) {
            return Err(OpeningError::OtherSize { id, expected: size, found: format!("{columns}x{rows}") });
        }
        if game.nodes.iter().any(|node| !node.setup().is_empty()) {
            return Err(OpeningError::SetUp { id });
        }
        let mut moves = Vec::new();
        for (player, place) in game.moves() {
            let mv = match place {
                RecordMove::Pass => Some(size.pass()),
                RecordMove::Point(point) => size.move_at(usize::from(point.column), usize::from(point.row)),
                RecordMove::Unreadable(_) => None,
            };
            let Some(mv) = mv else {
                let (number, vertex) = (moves.len() + 1, format!("{place:?}"));
                let reason = "no point of this board".to_owned();
                return Err(OpeningError::BadMove { id, number, vertex, reason });
            };
            moves.push((*player, mv));
        }
        openings.push(Opening { id, moves });
    }
    Ok(openings)
}

/// Returns an error if a move is illegal, or if the game ends and `may_end` is not set.
fn check(opening: &Opening, size: Size, rules: Rules, may_end: bool) -> Result<(), OpeningError> {
    let mut record = Record::new(size, rules, Komi(0));
    for (index, &(player, mv)) in opening.moves.iter().enumerate() {
        let bad = |reason: String| OpeningError::BadMove {
            id: opening.id.clone(),
            number: index + 1,
            vertex: size.vertex(mv),
            reason,
        };
        record.play(player, mv).map_err(|reason| bad(reason.to_string()))?;
        if !may_end && record.position().is_over() {
            return Err(bad("the game ends with this move: shorten the opening".to_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nine(text: &str) -> Result<Vec<Opening>, OpeningError> {
        read(text.as_bytes(), "9".parse().unwrap(), Rules::CHINESE)
    }

    #[test]
    fn lines_and_games_are_openings() {
        let lines = nine(
            "{\"size\":9,\"moves\":[[\"b\",\"D5\"],[\"w\",\"f5\"]]}\n\n{\"id\":\"x\",\"size\":9,\"moves\":[]}\n",
        );
        let lines = lines.unwrap();
        assert_eq!((lines[0].id.as_str(), lines[1].id.as_str()), ("line-1", "x"));
        assert_eq!(lines[0].moves.len(), 2);
        // d is the fourth column, e the fifth row from the top.
        let games = nine("(;SZ[9];B[de];W[fe])(;SZ[9];B[ee])").unwrap();
        assert_eq!(games[0].moves, lines[0].moves);
        assert_eq!(games.len(), 2);
    }

    #[test]
    fn unplayable_opening_is_named() {
        for (text, expected) in [
            ("", "no opening"),
            ("nonsense", "line 1"),
            (r#"{"size":13,"moves":[]}"#, "expected the board 9x9, found 13x13"),
            (r#"{"size":9,"moves":[["b","D5"],["w","D5"]]}"#, "move 2, \"D5\": the point is occupied"),
            (r#"{"size":9,"moves":[["b","I5"]]}"#, "no vertex"),
            (r#"{"size":9,"moves":[["green","D5"]]}"#, "expected b or w"),
            (r#"{"size":9,"moves":[["b","pass"],["w","pass"]]}"#, "the game ends"),
            ("{\"id\":\"x\",\"size\":9,\"moves\":[]}\n{\"id\":\"x\",\"size\":9,\"moves\":[]}", "twice"),
            ("(;SZ[9]AB[aa];W[bb])", "set up"),
            ("(;SZ[9];B[aa]", "expected"),
        ] {
            let error = nine(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
