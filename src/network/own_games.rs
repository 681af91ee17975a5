//! Games that the engine played against itself, one a line of JSON: what a search said of each position, and how it ended.

use super::planes::{self, Situation};
use super::samples::{Labels, SampleWriter};
use crate::game::{Game, Move, Outcome, Player};
use crate::go::{Komi, Position, Rules, Size};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// What the value of the next position counts in that of a position, so that those of about six moves do. Search values
/// of later positions know what this one led to, and are surer than how the game ended (TD(λ): Sutton & Barto,
/// "Reinforcement Learning", 2nd edition, section 12.1).
const LAMBDA: f64 = 0.83;

/// A game of self-play. All values are for the player to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnGame {
    /// Its number in its folder, from 0: also the random numbers it was played with.
    pub number: u64,
    /// The board, as `9x9`.
    pub size: String,
    /// White's compensation in half points, from the move with the first number on: a game that is decided goes on with
    /// another one, or nothing more would be at stake.
    pub komis: Vec<(usize, i32)>,
    /// The network that played, as hexadecimal digits; empty without one.
    pub network: String,
    /// Moves of the opening, which were drawn and not searched.
    pub opening: usize,
    /// All moves by their number.
    pub moves: Vec<u16>,
    /// For each move after the opening the value of its position after the search, in thousandths.
    pub values: Vec<u16>,
    /// Visits of the moves, for the positions that were searched for long.
    pub searches: Vec<SearchedPosition>,
    /// Whose each point was in the end, by move number: `b`, `w`, or `.` for neither.
    pub owners: String,
}

/// What a long search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchedPosition {
    /// Moves played before.
    pub turn: usize,
    /// Moves and their visits.
    pub visits: Vec<(u16, u32)>,
}

/// A line that is no game of self-play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is no game of self-play: {what}")]
pub struct OwnGameError {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl OwnGame {
    /// Reads a line; `number` is for the message.
    ///
    /// # Errors
    /// When it is no JSON, or its parts do not fit together.
    pub fn parse(text: &str, number: usize) -> Result<OwnGame, OwnGameError> {
        let bad = |what: String| OwnGameError { line: number, what };
        // Of the file it is another line.
        let of_json =
            |error: serde_json::Error| error.to_string().replace(" at line 1 column ", " at column ");
        let game: OwnGame = serde_json::from_str(text).map_err(|error| bad(of_json(error)))?;
        let size = game.board().ok_or_else(|| bad(format!("expected a board, found {:?}", game.size)))?;
        game.check(size).map_err(bad)?;
        Ok(game)
    }

    /// Whether its parts fit together on a board of `size`; the error is what was expected and what was found.
    fn check(&self, size: Size) -> Result<(), String> {
        let points = size.points();
        let moves = self.moves.len();
        let strange = |mv: &&u16| usize::from(**mv) > points;
        if self.owners.len() != points || !self.owners.bytes().all(|owner| b"bw.".contains(&owner)) {
            return Err(format!(
                "expected owners of {points} points, b, w or . each, found {:?}",
                self.owners
            ));
        }
        if self.opening > moves || self.values.len() != moves - self.opening {
            let (values, opening) = (self.values.len(), self.opening);
            return Err(format!(
                "expected a value for each move after the opening, found {values} for {moves} moves, {opening} of them of the opening"
            ));
        }
        let searched = self.searches.iter().flat_map(|search| search.visits.iter().map(|(mv, _)| mv));
        if let Some(mv) = self.moves.iter().chain(searched).find(strange) {
            return Err(format!("expected moves from 0 to {points}, found {mv}"));
        }
        if let Some(search) = self.searches.iter().find(|search| search.turn >= moves) {
            return Err(format!("expected searches of the {moves} moves, found one of move {}", search.turn));
        }
        // A search of the last move may have changed the komi after it.
        let is_in_turn = self.komis.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if self.komis.first().is_none_or(|&(from, _)| from != 0)
            || !is_in_turn
            || self.komis.iter().any(|&(from, _)| from > moves)
        {
            return Err(format!(
                "expected komis from move 0 on, each from a later one, found {:?}",
                self.komis
            ));
        }
        let is_too_large = |komi: &Komi| komi.points().abs() > Komi::LIMIT_POINTS;
        if let Some(komi) = self.komis.iter().map(|&(_, komi)| Komi(komi)).find(is_too_large) {
            return Err(format!("expected komis of at most {} points, found {komi}", Komi::LIMIT_POINTS));
        }
        Ok(())
    }

    /// Its board; `None` if there is no such board.
    #[must_use]
    pub fn board(&self) -> Option<Size> {
        self.size.parse().ok()
    }

    /// The final score without komi, Black's points minus White's.
    #[must_use]
    pub fn score(&self) -> i16 {
        self.owners.bytes().map(|owner| i16::from(owner == b'b') - i16::from(owner == b'w')).sum()
    }

    /// Writes its positions: those that were searched for long, and of the others one of `every`, those whose komi the
    /// network is told. Their values are those of the searches from there on. Returns how many there were, and whether the game was cut off before a move that the rules forbid.
    ///
    /// # Errors
    /// When a row cannot be written.
    pub fn write<W: Write>(&self, every: usize, writer: &mut SampleWriter<W>) -> io::Result<(usize, bool)> {
        let Some(size) = self.board() else { return Ok((0, true)) };
        let values = self.later_values();
        let mut position = Position::new(size, Rules::CHINESE, Komi(0));
        let mut komis = self.komis.iter().peekable();
        let mut count = 0;
        for (turn, mv) in self.moves.iter().map(|&mv| Move(mv)).enumerate() {
            if position.check(mv).is_err() {
                return Ok((count, true));
            }
            while let Some(&(_, komi)) = komis.next_if(|(from, _)| *from <= turn) {
                position.set_komi(Komi(komi));
            }
            let visits =
                self.searches.iter().find(|search| search.turn == turn).map(|search| &*search.visits);
            // With an even step, turns alone would be those of one player.
            let is_next = (turn as u64 + self.number).is_multiple_of(every.max(1) as u64);
            let is_told = planes::is_komi_told(position.komi());
            if visits.is_some() || (turn >= self.opening && is_next && is_told) {
                let value = turn.checked_sub(self.opening).map(|index| values[index]);
                let labels = Labels {
                    visits: visits.unwrap_or_default(),
                    owners: self.owners.as_bytes(),
                    value,
                    ..self.labels(&position, mv)
                };
                writer.write(&Situation::of(&position), &labels)?;
                count += 1;
            }
            position.play(mv);
        }
        Ok((count, false))
    }

    /// For each move after the opening the mean of the search values from its position on, as long as the komi stays, and
    /// of the result, where it stays to the end: each next one weighs [`LAMBDA`] times as much. For the player to move, in
    /// thousandths.
    fn later_values(&self) -> Vec<u16> {
        // Moves alternate.
        let for_black = |turn: usize, value: f64| if turn.is_multiple_of(2) { value } else { 1000.0 - value };
        let last_komi = self.komis.last().map_or(0, |&(_, komi)| komi);
        let result = 500.0 * f64::from(Komi(last_komi).outcome_for_black(self.score()).half_points());
        // A komi that came after the last move says nothing of the moves before.
        let is_last_searched = self.komis.last().is_none_or(|&(from, _)| from < self.moves.len());
        let mut later = is_last_searched.then_some(result);
        let mut values: Vec<u16> = Vec::with_capacity(self.values.len());
        for (index, &value) in self.values.iter().enumerate().rev() {
            let turn = self.opening + index;
            let here = for_black(turn, value.into());
            let mean = later.map_or(here, |later| (1.0 - LAMBDA) * here + LAMBDA * later);
            values.push(for_black(turn, mean).round() as u16);
            // The position before had another komi.
            later = (!self.komis.iter().any(|&(from, _)| from == turn)).then_some(mean);
        }
        values.reverse();
        values
    }

    fn labels(&self, position: &Position, played: Move) -> Labels<'static> {
        let score = self.score();
        let outcome = position.komi().outcome_for_black(score);
        let (score, outcome) = match position.to_play() {
            Player::Black => (score, outcome),
            Player::White => (-score, Outcome::other(outcome)),
        };
        let (score, result) = (Some(2 * score), Some(outcome));
        Labels { played, score, result, owners: &[], visits: &[], value: None, game: self.number as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> OwnGame {
        OwnGame {
            number: 3,
            size: "3x2".to_owned(),
            komis: vec![(0, 1), (2, 5)],
            network: String::new(),
            opening: 1,
            moves: vec![1, 4, 6],
            values: vec![500, 400],
            searches: vec![SearchedPosition { turn: 1, visits: vec![(4, 60), (0, 4)] }],
            owners: "bb.ww.".to_owned(),
        }
    }

    #[test]
    fn a_line_is_read_back() {
        let text = serde_json::to_string(&game()).expect("a line");
        assert_eq!(OwnGame::parse(&text, 1), Ok(game()));
        assert_eq!(game().score(), 0);
    }

    #[test]
    fn a_value_is_the_mean_of_those_from_there_on_while_the_komi_stays() {
        // The score is 0: Black loses by the first komi, wins by the second, and White moves first after the opening.
        let game = OwnGame { komis: vec![(0, 1), (3, -1)], moves: vec![1, 4, 6, 0, 2], ..game() };
        let game = OwnGame { values: vec![500, 400, 900, 300], ..game };
        // For Black, from the last turn back: 4 and 3, then 2 and 1, which had another komi.
        let fourth = 0.17 * 300.0 + 0.83 * 1000.0;
        let third = 0.17 * (1000.0 - 900.0) + 0.83 * fourth;
        let second = 400.0;
        let first = 0.17 * (1000.0 - 500.0) + 0.83 * second;
        let expected = [1000.0 - first, second, 1000.0 - third, fourth];
        assert_eq!(game.later_values(), expected.map(|value: f64| value.round() as u16));
        // The result under a komi that nobody played with is not theirs.
        let game = OwnGame { komis: vec![(0, 1), (5, -1)], ..game };
        assert_eq!(game.later_values()[3], 300);
    }

    #[test]
    fn what_is_no_game_is_told_with_its_line() {
        let broken = [
            OwnGame { size: "3x".to_owned(), ..game() },
            OwnGame { moves: vec![1, 4, 7], ..game() },
            OwnGame { values: vec![500], ..game() },
            OwnGame { owners: "bb.ww".to_owned(), ..game() },
            OwnGame { owners: "bb.wwx".to_owned(), ..game() },
            OwnGame { searches: vec![SearchedPosition { turn: 1, visits: vec![(9, 1)] }], ..game() },
            OwnGame { searches: vec![SearchedPosition { turn: 3, visits: vec![(4, 1)] }], ..game() },
            OwnGame { opening: 4, values: Vec::new(), ..game() },
            OwnGame { komis: Vec::new(), ..game() },
            OwnGame { komis: vec![(1, 5)], ..game() },
            OwnGame { komis: vec![(0, 5), (2, 7), (2, 9)], ..game() },
            OwnGame { komis: vec![(0, 5), (4, 7)], ..game() },
            OwnGame { komis: vec![(0, i32::MIN)], ..game() },
        ];
        for game in broken {
            let text = serde_json::to_string(&game).expect("a line");
            assert_eq!(OwnGame::parse(&text, 7).map_err(|error| error.line), Err(7), "{text}");
        }
        assert!(
            OwnGame::parse("{\"number\":1", 2).is_err_and(|error| error.to_string().starts_with("line 2 "))
        );
    }
}
