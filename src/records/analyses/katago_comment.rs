//! Comments in the records of KataGo's own games: `WIN LOSS NORESULT SCORE v=VISITS`, for White, of the position before the
//! node's move.
//!
//! They name no moves. A search computes the value of a position anew from its moves, so that a value without moves would
//! be lost at the first simulation: these comments are recognised, not read.

/// Number of numbers before the visits.
const NUMBERS: usize = 4;

/// Returns true for the comment of a position searched by KataGo in a game of its own.
#[must_use]
pub fn is_katago_comment(comment: &str) -> bool {
    let mut words = comment.split_whitespace();
    let has_numbers =
        words.by_ref().take(NUMBERS).filter(|word| word.parse::<f64>().is_ok()).count() == NUMBERS;
    has_numbers && words.any(|word| word.strip_prefix("v=").is_some_and(|it| it.parse::<u64>().is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_katago_are_told_from_others() {
        for comment in ["0.57 0.43 0.00 1.2 v=800", "0.57 0.43 0.00 -0.3 v=2000 rv=800 weight=1.00"] {
            assert!(is_katago_comment(comment), "{comment}");
        }
        for comment in ["", "a good move", "0.57 0.43", "0.57 0.43 0.00 1.2", "1 2 3 4 v=many", "v=3 1 2 3 4"]
        {
            assert!(!is_katago_comment(comment), "{comment}");
        }
    }
}
