//! Recorded games, one per line, as training positions.
//!
//! A line is `DATE RESULT KOMI MOVES`: the result as in game records (`B+R`, `W+3.50`), the moves as in SGF, two
//! letters each, `..` for a pass, Black first. Boards are 19x19.

use super::samples::{Labels, SampleWriter};
use crate::base::game::{Game, Move, Outcome, Player};
use crate::go::{KoRule, Komi, Position, Rules, Size, playout_ownership};
use crate::network::planes::InputPosition;
use std::io::{self, Write};

/// Maximum plausible margin in points: the board and some komi.
const MAX_MARGIN: f64 = 500.0;
/// Number of playouts from the last position that determine the owners of the points.
const FINAL_PLAYOUTS: u32 = 128;
/// Number of these playouts in which a point must belong to a player.
const MIN_OWNER_PLAYOUTS: u64 = 96;
/// Maximum difference in half points between the area by playouts and the players' margin, counted by territory.
const MAX_COUNT_DIFFERENCE: i32 = 6;

/// A game parsed from its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedGame {
    /// Date of the game, as in the line; sorts by time.
    pub date: String,
    /// Black's final margin with komi, in half points; `None` if the game was not counted.
    pub margin: Option<i32>,
    /// Black's result; `None` if it is no evidence about the position.
    pub outcome: Option<Outcome>,
    /// White's komi.
    pub komi: Komi,
    /// The moves, Black first.
    pub moves: Vec<Move>,
}

/// The error for a line that is not a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is no game: expected DATE RESULT KOMI MOVES, found a bad {what}")]
pub struct RecordedGameError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The part that could not be parsed.
    pub what: &'static str,
}

/// Returns the board size of these games.
fn board() -> Size {
    Size::new(19, 19).expect("a size that exists")
}

impl RecordedGame {
    /// Parses a line; `number` is its number for the error message.
    ///
    /// # Errors
    /// Returns the part that could not be parsed.
    pub fn parse(text: &str, number: usize) -> Result<RecordedGame, RecordedGameError> {
        let bad = |what| RecordedGameError { line: number, what };
        let mut words = text.split_whitespace();
        let date = words.next().ok_or(bad("date"))?.to_owned();
        let (outcome, margin) = words.next().and_then(parse_result).ok_or(bad("result"))?;
        let komi = words.next().and_then(parse_komi).ok_or(bad("komi"))?;
        let moves = words.next().and_then(parse_moves).ok_or(bad("list of moves"))?;
        match words.next() {
            None => Ok(RecordedGame { date, margin, outcome, komi, moves }),
            Some(_) => Err(bad("end")),
        }
    }

    /// Writes all positions in which a move was played. Returns their number, and true if the game was cut off before a
    /// move that the rules forbid.
    ///
    /// # Errors
    /// Returns an error if a row cannot be written.
    pub fn write<W: Write>(&self, number: u32, writer: &mut SampleWriter<W>) -> io::Result<(usize, bool)> {
        // Simple ko is the weakest rule of these servers, so that every recorded move is accepted.
        let rules = Rules { ko: KoRule::Simple, suicide: true, ..Rules::CHINESE };
        let start = Position::new(board(), rules, self.komi);
        let (last, count) = self.play(start.clone(), &mut |_, _| Ok(()))?;
        let is_cut_off = count < self.moves.len();
        let owners = if is_cut_off { None } else { self.owners(&last, number) }.unwrap_or_default();
        self.play(start, &mut |position, mv| {
            let labels = Labels { owners: &owners, ..self.labels(position.to_play(), mv, number) };
            writer.write(&InputPosition::of(position), &labels)
        })?;
        Ok((count, is_cut_off))
    }

    /// Plays the moves up to the first that the rules forbid, and calls `visit` with each move and the position before
    /// it. Returns the last position and the number of moves played.
    fn play(
        &self,
        mut position: Position,
        visit: &mut dyn FnMut(&Position, Move) -> io::Result<()>,
    ) -> io::Result<(Position, usize)> {
        for (count, &mv) in self.moves.iter().enumerate() {
            if position.check(mv).is_err() {
                return Ok((position, count));
            }
            visit(&position, mv)?;
            position.play(mv);
            // Moves may follow any number of passes.
            position.resume();
        }
        Ok((position, self.moves.len()))
    }

    /// Returns the owner of each point, `b`, `w` or `.`, by playouts from the last position; `None` if the game was not
    /// counted, or if the area by playouts differs from the players' count by more than [`MAX_COUNT_DIFFERENCE`].
    fn owners(&self, last: &Position, number: u32) -> Option<Vec<u8>> {
        let margin = self.margin?;
        let ownership = playout_ownership::by_playouts(last, FINAL_PLAYOUTS, u64::from(number));
        let is_sure = |player, point| ownership.count(player, point) >= MIN_OWNER_PLAYOUTS;
        let points = (0..board().points() as u16).map(Move);
        let owners: Vec<u8> = points
            .map(|point| match point {
                point if is_sure(Player::Black, point) => b'b',
                point if is_sure(Player::White, point) => b'w',
                _ => b'.',
            })
            .collect();
        let area: i32 =
            owners.iter().map(|owner| i32::from(*owner == b'b') - i32::from(*owner == b'w')).sum();
        ((2 * area - self.komi.0 - margin).abs() <= MAX_COUNT_DIFFERENCE).then_some(owners)
    }

    fn labels(&self, to_play: Player, played: Move, game: u32) -> Labels<'static> {
        let score = self.margin.map(|margin| margin + self.komi.0);
        let (sign, result) = match to_play {
            Player::Black => (1, self.outcome),
            Player::White => (-1, self.outcome.map(Outcome::other)),
        };
        let score = score.and_then(|score| i16::try_from(sign * score).ok());
        Labels { played, score, result, owners: &[], visits: &[], value: None, game }
    }
}

/// Parses `B+R`, `W+3.50` or `B+T` into Black's result and Black's margin in half points.
fn parse_result(text: &str) -> Option<(Option<Outcome>, Option<i32>)> {
    let (winner, how) = text.split_once('+')?;
    let (sign, outcome) = match winner {
        "B" => (1, Outcome::Win),
        "W" => (-1, Outcome::Loss),
        _ => return None,
    };
    match how {
        "R" => Some((Some(outcome), None)),
        // The loser on time or by leaving may have been ahead.
        "T" | "F" => Some((None, None)),
        points => {
            let points: f64 = points.parse().ok()?;
            // Servers write impossible margins after errors.
            let is_plausible = points.abs() <= MAX_MARGIN;
            let half_points = (points * 2.0).round() as i32;
            Some((is_plausible.then_some(outcome), is_plausible.then_some(sign * half_points)))
        }
    }
}

/// Parses the komi and rounds it to half a point, so that a few unusual komis do not reject the file.
fn parse_komi(text: &str) -> Option<Komi> {
    let points: f64 = text.parse().ok()?;
    (points.abs() <= Komi::LIMIT_POINTS).then(|| Komi((points * 2.0).round() as i32))
}

fn parse_moves(text: &str) -> Option<Vec<Move>> {
    let size = board();
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let line = |letter: u8| usize::from(letter.wrapping_sub(b'a'));
    pairs
        .iter()
        .map(|&[column, row]| match [column, row] {
            [b'.', b'.'] => Some(size.pass()),
            _ => size.move_at(line(column), (size.rows() - 1).checked_sub(line(row))?),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_a_game() {
        let game = RecordedGame::parse("2001-01-12 W+17.50 5.50 qdpp..as", 1).unwrap();
        let size = board();
        let vertices: Vec<String> = game.moves.iter().map(|&mv| size.vertex(mv)).collect();
        assert_eq!(vertices, ["R16", "Q4", "pass", "A1"]);
        assert_eq!((game.margin, game.outcome, game.komi), (Some(-35), Some(Outcome::Loss), Komi(11)));
        // Black had 12 points fewer on the board.
        assert_eq!(game.labels(Player::White, Move(0), 0).score, Some(24));
        assert_eq!(game.labels(Player::White, Move(0), 0).result, Some(Outcome::Win));
    }

    #[test]
    fn implausible_result_is_ignored() {
        for result in ["B+T", "W+F", "B+8194.00"] {
            let game = RecordedGame::parse(&format!("2006-01-01 {result} 6.5 qd"), 1).unwrap();
            assert_eq!((game.margin, game.outcome), (None, None), "{result}");
        }
    }

    /// Returns a game in which Black fills every other point of the left nine columns and all of the ninth, and White
    /// likewise on the right.
    fn walls(result: &str) -> RecordedGame {
        let letter = |line: usize| char::from(b'a' + line as u8);
        let side = |columns: std::ops::Range<usize>, wall: usize| -> Vec<String> {
            columns
                .flat_map(|column| (0..19).map(move |row| (column, row)))
                .filter(|&(column, row)| column == wall || (column + row) % 2 == 0)
                .map(|(column, row)| format!("{}{}", letter(column), letter(row)))
                .collect()
        };
        let (black, white) = (side(0..9, 8), side(9..19, 9));
        let pairs = (0..black.len().max(white.len())).map(|index| {
            [&black, &white].map(|points| points.get(index).map_or("..", |point| point.as_str())).concat()
        });
        RecordedGame::parse(&format!("2003-01-01 {result} 6.5 {}", pairs.collect::<String>()), 1).unwrap()
    }

    #[test]
    fn owners_are_told_where_playouts_count_what_the_players_counted() {
        // Black has 171 points, White 190.
        for (result, is_told) in
            [("W+25.5", true), ("W+24.5", true), ("W+14.5", false), ("B+1.5", false), ("W+R", false)]
        {
            let game = walls(result);
            let (last, count) =
                game.play(Position::new(board(), Rules::CHINESE, game.komi), &mut |_, _| Ok(())).unwrap();
            assert_eq!(count, game.moves.len());
            let owners = game.owners(&last, 1);
            assert_eq!(owners.is_some(), is_told, "{result}");
            for (point, owner) in owners.iter().flatten().enumerate() {
                assert_eq!(*owner, if point % 19 < 9 { b'b' } else { b'w' }, "{point}");
            }
        }
    }

    #[test]
    fn line_without_game_is_an_error_with_its_number() {
        for (line, what) in [
            ("", "date"),
            ("2001-01-12", "result"),
            ("2001-01-12 X+R 5.5 qd", "result"),
            ("2001-01-12 B+R x qd", "komi"),
            ("2001-01-12 B+R 5.5", "list of moves"),
            ("2001-01-12 B+R 5.5 qdp", "list of moves"),
            ("2001-01-12 B+R 5.5 qdza", "list of moves"),
            ("2001-01-12 B+R 5.5 qd éa", "end"),
        ] {
            assert_eq!(RecordedGame::parse(line, 7), Err(RecordedGameError { line: 7, what }), "{line}");
        }
    }
}
