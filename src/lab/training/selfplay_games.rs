//! Self-play games of the engine, one per line of JSON, with the search values of the positions and the final owners.

use super::samples::{Labels, SampleWriter};
use crate::base::game::{Game, Move, Outcome, Player};
use crate::go::{Komi, Position, Rules, Size};
use crate::network::planes::{self, InputPosition};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// Weight of the next position's value in the value of a position, so that about six moves contribute (TD(λ): Sutton &
/// Barto, "Reinforcement Learning", 2nd edition, section 12.1). Search values of later positions include the
/// consequences of a position, and are less noisy than the result of the game.
const LAMBDA: f64 = 0.83;

/// A game of self-play. All values are for the player to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfplayGame {
    /// Number in its folder, from 0; the random numbers of the game depend on it.
    pub number: u64,
    /// Board size, as in `9x9`.
    pub size: String,
    /// White's komi in half points, each from the move with the first number on. A decided game continues with another
    /// komi, since nothing would be at stake otherwise.
    pub komis: Vec<(usize, i32)>,
    /// Identity of the network that played, in hexadecimal digits; empty without a network.
    pub network: String,
    /// Number of opening moves, which were drawn at random and not searched.
    pub opening: usize,
    /// All moves, as move numbers.
    pub moves: Vec<u16>,
    /// Value after the search, in thousandths, of the position before each move after the opening.
    pub values: Vec<u16>,
    /// Visits of the moves in positions with a long search.
    pub searches: Vec<SearchedPosition>,
    /// Final owner of each point, by move number: `b`, `w`, or `.` for neither.
    pub owners: String,
}

/// Visits of a long search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchedPosition {
    /// Number of moves played before the position.
    pub turn: usize,
    /// Move numbers and their visits.
    pub visits: Vec<(u16, u32)>,
}

/// The error for a line that is not a game of self-play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is no game of self-play: {what}")]
pub struct SelfplayGameError {
    /// Number of the line, from 1.
    pub line: usize,
    /// Description of the fault.
    pub what: String,
}

impl SelfplayGame {
    /// Parses a line; `number` is its number for the error message.
    ///
    /// # Errors
    /// Returns an error if it is not JSON, or its parts are inconsistent.
    pub fn parse(text: &str, number: usize) -> Result<SelfplayGame, SelfplayGameError> {
        let bad = |what: String| SelfplayGameError { line: number, what };
        // Each line is parsed separately, so the parser's line number is always 1.
        let of_json =
            |error: serde_json::Error| error.to_string().replace(" at line 1 column ", " at column ");
        let game: SelfplayGame = serde_json::from_str(text).map_err(|error| bad(of_json(error)))?;
        let size = game.board().ok_or_else(|| bad(format!("expected a board, found {:?}", game.size)))?;
        game.check(size).map_err(bad)?;
        Ok(game)
    }

    /// Checks that the parts are consistent on a board of `size`. The error states the expected and the actual content.
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

    /// Returns the board size; `None` if there is no such board.
    #[must_use]
    pub fn board(&self) -> Option<Size> {
        self.size.parse().ok()
    }

    /// Returns the final score without komi, Black's points minus White's.
    #[must_use]
    pub fn score(&self) -> i16 {
        self.owners.bytes().map(|owner| i16::from(owner == b'b') - i16::from(owner == b'w')).sum()
    }

    /// Writes the positions with a long search, and of the others one in `every` after the opening, if the network's
    /// input can represent their komi. Their values are means of the search values from there on. Returns the number of
    /// positions, and true if the game was cut off before a move that the rules forbid.
    ///
    /// # Errors
    /// Returns an error if a row cannot be written.
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
            // With an even step the turn alone would select positions of only one player.
            let is_next = (turn as u64 + self.number).is_multiple_of(every.max(1) as u64);
            let is_told = planes::is_komi_representable(position.komi());
            if visits.is_some() || (turn >= self.opening && is_next && is_told) {
                let value = turn.checked_sub(self.opening).map(|index| values[index]);
                let labels = Labels {
                    visits: visits.unwrap_or_default(),
                    owners: self.owners.as_bytes(),
                    value,
                    ..self.labels(&position, mv)
                };
                writer.write(&InputPosition::of(&position), &labels)?;
                count += 1;
            }
            position.play(mv);
        }
        Ok((count, false))
    }

    /// Returns, for each move after the opening, the mean of the search values from its position on until the komi
    /// changes, and of the result if the komi stays to the end. Each next value weighs [`LAMBDA`] times as much. For
    /// the player to move, in thousandths.
    fn later_values(&self) -> Vec<u16> {
        // Moves alternate.
        let for_black = |turn: usize, value: f64| if turn.is_multiple_of(2) { value } else { 1000.0 - value };
        let last_komi = self.komis.last().map_or(0, |&(_, komi)| komi);
        let result = 500.0 * f64::from(Komi(last_komi).outcome_for_black(self.score()).half_points());
        // A komi set after the last move does not apply to the moves before.
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

    fn game() -> SelfplayGame {
        SelfplayGame {
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
        assert_eq!(SelfplayGame::parse(&text, 1), Ok(game()));
        assert_eq!(game().score(), 0);
    }

    #[test]
    fn a_value_is_the_mean_of_those_from_there_on_while_the_komi_stays() {
        // The score is 0: Black loses with the first komi and wins with the second; White moves first after the
        // opening.
        let game = SelfplayGame { komis: vec![(0, 1), (3, -1)], moves: vec![1, 4, 6, 0, 2], ..game() };
        let game = SelfplayGame { values: vec![500, 400, 900, 300], ..game };
        // For Black, from the last turn back: turns 4 and 3, then 2 and 1, which had another komi.
        let fourth = 0.17 * 300.0 + 0.83 * 1000.0;
        let third = 0.17 * (1000.0 - 900.0) + 0.83 * fourth;
        let second = 400.0;
        let first = 0.17 * (1000.0 - 500.0) + 0.83 * second;
        let expected = [1000.0 - first, second, 1000.0 - third, fourth];
        assert_eq!(game.later_values(), expected.map(|value: f64| value.round() as u16));
        // The result with a komi of no move does not count.
        let game = SelfplayGame { komis: vec![(0, 1), (5, -1)], ..game };
        assert_eq!(game.later_values()[3], 300);
    }

    #[test]
    fn line_without_game_is_an_error_with_its_number() {
        let broken = [
            SelfplayGame { size: "3x".to_owned(), ..game() },
            SelfplayGame { moves: vec![1, 4, 7], ..game() },
            SelfplayGame { values: vec![500], ..game() },
            SelfplayGame { owners: "bb.ww".to_owned(), ..game() },
            SelfplayGame { owners: "bb.wwx".to_owned(), ..game() },
            SelfplayGame { searches: vec![SearchedPosition { turn: 1, visits: vec![(9, 1)] }], ..game() },
            SelfplayGame { searches: vec![SearchedPosition { turn: 3, visits: vec![(4, 1)] }], ..game() },
            SelfplayGame { opening: 4, values: Vec::new(), ..game() },
            SelfplayGame { komis: Vec::new(), ..game() },
            SelfplayGame { komis: vec![(1, 5)], ..game() },
            SelfplayGame { komis: vec![(0, 5), (2, 7), (2, 9)], ..game() },
            SelfplayGame { komis: vec![(0, 5), (4, 7)], ..game() },
            SelfplayGame { komis: vec![(0, i32::MIN)], ..game() },
        ];
        for game in broken {
            let text = serde_json::to_string(&game).expect("a line");
            assert_eq!(SelfplayGame::parse(&text, 7).map_err(|error| error.line), Err(7), "{text}");
        }
        assert!(
            SelfplayGame::parse("{\"number\":1", 2)
                .is_err_and(|error| error.to_string().starts_with("line 2 "))
        );
    }
}
