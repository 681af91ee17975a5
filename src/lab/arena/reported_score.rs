//! The result of a game as an engine reports it by `final_score`.

use super::client::{GtpFailure, garbage};
use crate::base::game::Player;

/// The result that an engine reports, in one of the forms of SGF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportedScore {
    /// The winner; `None` for a draw.
    pub(super) winner: Option<Player>,
    /// The result, such as `B+3.5`, `W+R` or `0`.
    pub(super) result: String,
}

impl ReportedScore {
    /// Reads the answer to `final_score`: `B+` or `W+` with a margin, `R`, `T` or `F`, or a draw. Only the first word counts.
    ///
    /// # Errors
    /// Returns an error for an answer of another form.
    pub(super) fn read(answer: &str) -> Result<ReportedScore, GtpFailure> {
        let word = answer.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
        let draw = ReportedScore { winner: None, result: "0".to_owned() };
        let other = || garbage("final_score", "a result such as B+3.5, W+R or 0", answer);
        if ["DRAW", "JIGO"].contains(&word.as_str()) || margin(&word) == Some(0.0) {
            return Ok(draw);
        }
        let (winner, how) = word.split_once('+').ok_or_else(other)?;
        let winner = match winner {
            "B" => Player::Black,
            "W" => Player::White,
            _ => return Err(other()),
        };
        let how = match how {
            "R" | "RESIGN" => "R".to_owned(),
            "T" | "TIME" => "T".to_owned(),
            "F" | "FORFEIT" => "F".to_owned(),
            _ => match margin(how).ok_or_else(other)? {
                0.0 => return Ok(draw),
                points => points.to_string(),
            },
        };
        Ok(ReportedScore { winner: Some(winner), result: format!("{}+{how}", winner.letter()) })
    }
}

/// Returns a number of points, written with digits and at most one decimal point.
fn margin(text: &str) -> Option<f64> {
    let has_digits_only = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| has_digits_only)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_the_forms_of_sgf_are_read() {
        for (answer, winner, result) in [
            ("B+3.5", Some(Player::Black), "B+3.5"),
            ("w+12.0", Some(Player::White), "W+12"),
            ("W+3.5 (upper bound: W+4.5, lower: W+2.5)", Some(Player::White), "W+3.5"),
            ("B+Resign", Some(Player::Black), "B+R"),
            ("W+T", Some(Player::White), "W+T"),
            ("0", None, "0"),
            ("0.0", None, "0"),
            ("Draw", None, "0"),
            ("jigo", None, "0"),
            ("W+0", None, "0"),
        ] {
            assert_eq!(ReportedScore::read(answer), Ok(ReportedScore { winner, result: result.to_owned() }));
        }
    }

    #[test]
    fn other_answers_are_refused_and_quoted() {
        for answer in [
            "",
            "?",
            "Black wins by 3",
            "W+3]",
            "B+",
            "B",
            "B+?",
            "B+-3",
            "B+1e3",
            "B+inf",
            "B+nan",
            "3",
            "+3",
            "B+.",
            "BLACK+3",
        ] {
            let error = ReportedScore::read(answer).expect_err(answer).to_string();
            assert!(error.contains("B+3.5, W+R or 0") && error.ends_with(&format!("{answer:?}")), "{error}");
        }
    }
}
