//! Recorded games, one a line, as positions to learn from.
//!
//! A line is `DATE RESULT KOMI MOVES`: the result as game records have it (`B+R`, `W+3.50`), the moves in the
//! letters of game records, two a move, `..` for a pass, Black first. Boards are 19x19.

use super::planes::Situation;
use super::samples::{Labels, SampleWriter};
use crate::game::{Game, Move, Outcome, Player};
use crate::go::{KoRule, Komi, Position, Rules, Size, ownership};
use std::io::{self, Write};

/// Points that a game may be won by: the board and some komi.
const LARGEST_MARGIN: f64 = 500.0;
/// Playouts that decide whose each point became, in how many of them it has to be a player's, and by how many half points
/// their count may differ from that of the players, who counted territory.
const FINAL_PLAYOUTS: u32 = 128;
const SURE: u64 = 96;
const TOLERANCE: i32 = 6;

/// A game as its line has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedGame {
    /// The day it was played, as the line has it; sorts by time.
    pub date: String,
    /// The final score for Black, komi included, in half points; `None` where nobody counted.
    pub margin: Option<i32>,
    /// How it ended for Black; `None` where the result says nothing about the position.
    pub outcome: Option<Outcome>,
    /// White's compensation.
    pub komi: Komi,
    /// The moves.
    pub moves: Vec<Move>,
}

/// A line that is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is no game: expected DATE RESULT KOMI MOVES, found a bad {what}")]
pub struct GameError {
    /// Its number, from 1.
    pub line: usize,
    /// The part that could not be read.
    pub what: &'static str,
}

/// The board of these games.
fn board() -> Size {
    Size::new(19, 19).expect("a size that exists")
}

impl RecordedGame {
    /// Reads a line; `number` is for the message.
    ///
    /// # Errors
    /// The part that could not be read.
    pub fn parse(text: &str, number: usize) -> Result<RecordedGame, GameError> {
        let bad = |what| GameError { line: number, what };
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

    /// Writes all positions in which a move was played. Returns how many there were, and whether the game was
    /// cut off before a move that the rules forbid.
    ///
    /// # Errors
    /// When a row cannot be written.
    pub fn write<W: Write>(&self, number: u32, writer: &mut SampleWriter<W>) -> io::Result<(usize, bool)> {
        // Servers of that time forbade the simple ko, some more; either way what was played was legal there.
        let rules = Rules { ko: KoRule::Simple, suicide: true, ..Rules::CHINESE };
        let start = Position::new(board(), rules, self.komi);
        let (last, count) = self.play(start.clone(), &mut |_, _| Ok(()))?;
        let is_cut_off = count < self.moves.len();
        let owners = if is_cut_off { None } else { self.owners(&last, number) }.unwrap_or_default();
        self.play(start, &mut |position, mv| {
            let labels = Labels { owners: &owners, ..self.labels(position.to_play(), mv, number) };
            writer.write(&Situation::of(position), &labels)
        })?;
        Ok((count, is_cut_off))
    }

    /// Plays the moves and tells each with its position; up to the first that the rules forbid. The position then, and
    /// the number of moves.
    fn play(
        &self,
        mut position: Position,
        tell: &mut dyn FnMut(&Position, Move) -> io::Result<()>,
    ) -> io::Result<(Position, usize)> {
        for (count, &mv) in self.moves.iter().enumerate() {
            if position.check(mv).is_err() {
                return Ok((position, count));
            }
            tell(&position, mv)?;
            position.play(mv);
            // A pass may be followed by moves, whatever the count of passes.
            position.resume();
        }
        Ok((position, self.moves.len()))
    }

    /// Whose each point became, `b`, `w` or `.`, by playouts from the last position; `None` where nobody counted, or the
    /// playouts count otherwise than the players did.
    fn owners(&self, last: &Position, number: u32) -> Option<Vec<u8>> {
        let margin = self.margin?;
        let ownership = ownership::by_playouts(last, FINAL_PLAYOUTS, u64::from(number));
        let is_sure = |player, point| ownership.count(player, point) >= SURE;
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
        ((2 * area - self.komi.0 - margin).abs() <= TOLERANCE).then_some(owners)
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

/// `B+R`, `W+3.50`, `B+T`: the outcome for Black, and the margin in half points.
fn parse_result(text: &str) -> Option<(Option<Outcome>, Option<i32>)> {
    let (winner, how) = text.split_once('+')?;
    let (sign, outcome) = match winner {
        "B" => (1, Outcome::Win),
        "W" => (-1, Outcome::Loss),
        _ => return None,
    };
    match how {
        "R" => Some((Some(outcome), None)),
        // Who lost on time or left may have stood better.
        "T" | "F" => Some((None, None)),
        points => {
            let points: f64 = points.parse().ok()?;
            // Servers write numbers that no board has where something went wrong.
            let is_plausible = points.abs() <= LARGEST_MARGIN;
            let half_points = (points * 2.0).round() as i32;
            Some((is_plausible.then_some(outcome), is_plausible.then_some(sign * half_points)))
        }
    }
}

/// The nearest half point: one odd komi among many games to learn from is not worth refusing the file.
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
        // Black had 12 points less on the board.
        assert_eq!(game.labels(Player::White, Move(0), 0).score, Some(24));
        assert_eq!(game.labels(Player::White, Move(0), 0).result, Some(Outcome::Win));
    }

    #[test]
    fn a_result_that_nobody_can_believe_says_nothing() {
        for result in ["B+T", "W+F", "B+8194.00"] {
            let game = RecordedGame::parse(&format!("2006-01-01 {result} 6.5 qd"), 1).unwrap();
            assert_eq!((game.margin, game.outcome), (None, None), "{result}");
        }
    }

    /// Black fills every other point of the left nine columns and the ninth, White the same at the right.
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
        // 171 points to 190.
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
    fn what_is_no_game_is_told_with_its_line() {
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
            assert_eq!(RecordedGame::parse(line, 7), Err(GameError { line: 7, what }), "{line}");
        }
    }
}
