//! Analyses of Lizzie and LizzieYzy, in the properties `LZ` and `LZOP`: two lines of text.
//!
//! ```text
//! ENGINE WINRATE PLAYOUTS [SCOREMEAN SCORESTDEV [PDA]]
//! move Q16 visits 38 winrate 5404 prior 1200 scoreMean 0.53 pv Q16 D4 info move D16 … ownership …
//! ```
//!
//! `WINRATE`, in percent, is that of the player who has just moved; win rates, in hundredths of a percent, and scores of
//! moves are those of the player to move. `ENGINE` is a version or a name and may contain spaces. Decimal commas occur.

use super::{
    AnalysisError, RecordedAnalysis, RecordedMove, for_black, limited_visits, share, total_visits, vertex,
};
use crate::base::game::{Move, Player};
use crate::go::Size;

/// Hundredths of a percent in 1.
const SHARE_UNITS: f64 = 10_000.0;
/// Percent in 1.
const PERCENT: f64 = 100.0;

/// The numbers of the first line.
struct FirstLine {
    /// Win rate of the player who has just moved.
    win_rate: f64,
    /// Number of playouts; the smallest possible one if the line has a rounded number.
    playouts: u64,
    /// Standard deviation of the final score.
    score_deviation: Option<f64>,
    /// Playout doubling advantage of `KataGo`: with one, win rates are biased on purpose.
    doubling_advantage: Option<f64>,
}

/// A move with its score for the player to move.
struct ScoredMove {
    recorded: RecordedMove,
    score: Option<f64>,
}

/// Reads a value.
pub(super) fn read(text: &str, size: Size, to_play: Player) -> Result<RecordedAnalysis, AnalysisError> {
    let (first, rest) = text.trim_start().split_once('\n').unwrap_or((text, ""));
    let mut scored = read_moves(rest, size, to_play)?;
    let first = read_first_line(first, visits_of(&scored))?;
    if let Some(advantage) = first.doubling_advantage.filter(|it| *it != 0.0) {
        let expected = "an analysis without playout doubling advantage (PDA)";
        return Err(AnalysisError::unexpected(expected, &format!("PDA {advantage}")));
    }
    if visits_of(&scored) > first.playouts {
        remove_images(&mut scored, size);
    }
    let score = mean_score(&scored);
    let moves: Vec<RecordedMove> = scored.into_iter().map(|it| it.recorded).collect();
    Ok(RecordedAnalysis {
        to_play,
        visits: total_visits(first.playouts, &moves)?,
        black_win_rate: for_black(to_play.other(), first.win_rate),
        black_lead: score.map(|score| if to_play == Player::Black { score } else { -score }),
        score_deviation: first.score_deviation,
        network_win_rate: None,
        network_lead: None,
        moves,
        policy: None,
    })
}

/// Reads the first line from its end, since the name before may contain anything. Of several readings, the one with the
/// number of playouts nearest to `visits`, those of the moves, is returned.
fn read_first_line(line: &str, visits: u64) -> Result<FirstLine, AnalysisError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let readings = [0, 2, 3].into_iter().filter_map(|scores| read_with_scores(&words, scores));
    let nearest = readings.min_by_key(|reading| reading.playouts.abs_diff(visits));
    nearest
        .ok_or_else(|| AnalysisError::unexpected("an engine, its win rate in percent and its playouts", line))
}

fn visits_of(moves: &[ScoredMove]) -> u64 {
    moves.iter().map(|it| u64::from(it.recorded.visits)).sum()
}

/// Removes moves that are images of earlier ones by a symmetry of the board, with equal numbers. `LizzieYzy` writes those
/// of a symmetric position with the visits of the move that was searched.
fn remove_images(moves: &mut Vec<ScoredMove>, size: Size) {
    let mut kept: Vec<ScoredMove> = Vec::new();
    for scored in moves.drain(..) {
        if !kept.iter().any(|earlier| scored.is_image_of(earlier, size)) {
            kept.push(scored);
        }
    }
    *moves = kept;
}

impl ScoredMove {
    fn is_image_of(&self, other: &ScoredMove, size: Size) -> bool {
        let (one, two) = (&self.recorded, &other.recorded);
        let numbers =
            |it: &RecordedMove| (it.visits, it.black_win_rate.to_bits(), it.prior.map(f32::to_bits));
        numbers(one) == numbers(two) && self.score == other.score && are_images(one.mv, two.mv, size)
    }
}

/// Returns true if a symmetry of the board maps one point to the other.
fn are_images(one: Move, other: Move, size: Size) -> bool {
    let from_edges = |mv: Move| {
        let (column, row) = size.coordinates(mv)?;
        Some([column.min(size.columns() - 1 - column), row.min(size.rows() - 1 - row)])
    };
    let (Some(mut one), Some(mut other)) = (from_edges(one), from_edges(other)) else { return false };
    if size.columns() == size.rows() {
        one.sort_unstable();
        other.sort_unstable();
    }
    one == other
}

/// Reads the words of a first line that ends with `scores` numbers besides the playouts.
fn read_with_scores(words: &[&str], scores: usize) -> Option<FirstLine> {
    let (words, scores) = words.split_at(words.len().checked_sub(scores)?);
    let scores: Vec<f64> = scores.iter().map(|word| number(word)).collect::<Option<_>>()?;
    let [.., win_rate, playouts] = words else { return None };
    Some(FirstLine {
        win_rate: Some(number(win_rate)? / PERCENT).filter(|it| (0.0..=1.0).contains(it))?,
        playouts: read_playouts(playouts)?,
        score_deviation: scores.get(1).copied().filter(|it| *it >= 0.0),
        doubling_advantage: scores.get(2).copied(),
    })
}

/// Reads a number of playouts such as 38, 1.2k, 13k or 1.3m. For a rounded number, returns the smallest number
/// that rounds to it.
fn read_playouts(word: &str) -> Option<u64> {
    let (digits, unit) = match word.to_ascii_lowercase().strip_suffix(['k', 'm']) {
        None => return word.parse().ok(),
        Some(digits) => (digits.to_owned(), if word.ends_with(['k', 'K']) { 1e3 } else { 1e6 }),
    };
    let digits = digits.replace(',', ".");
    let decimals = digits.split_once('.').map_or(0, |(_, after)| after.len().min(9));
    let half_a_step = 0.5 / 10_f64.powi(decimals as i32);
    let playouts = (number(&digits)? - half_a_step) * unit;
    (0.0..1e18).contains(&playouts).then_some(playouts.round() as u64)
}

/// Reads a finite number, with a decimal point or comma.
fn number(word: &str) -> Option<f64> {
    word.replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}

/// Reads the moves. Words of other fields, such as those of main lines, are skipped.
fn read_moves(text: &str, size: Size, to_play: Player) -> Result<Vec<ScoredMove>, AnalysisError> {
    let mut moves: Vec<ScoredMove> = Vec::new();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let mut value = |expected| {
            let word = words.next().unwrap_or_default();
            number(word).ok_or_else(|| AnalysisError::unexpected(expected, word))
        };
        match (word, moves.last_mut()) {
            ("ownership" | "movesOwnership", _) => break,
            ("move", _) => {
                let mv = vertex(words.next().unwrap_or_default(), size)?;
                let recorded = RecordedMove { mv, visits: 0, black_win_rate: f64::NAN, prior: None };
                moves.push(ScoredMove { recorded, score: None });
            }
            ("visits", Some(last)) => last.recorded.visits = visits(value("a number of visits")?)?,
            ("winrate", Some(last)) => {
                let expected = "a win rate from 0 to 10000";
                let win_rate = share(value(expected)? / SHARE_UNITS, expected)?;
                last.recorded.black_win_rate = for_black(to_play, win_rate);
            }
            ("prior", Some(last)) => {
                let expected = "a prior from 0 to 10000";
                last.recorded.prior = Some(share(value(expected)? / SHARE_UNITS, expected)? as f32);
            }
            ("scoreMean", Some(last)) => last.score = Some(value("a score in points")?),
            _ => {}
        }
    }
    match moves.iter().find(|it| it.recorded.black_win_rate.is_nan()) {
        Some(it) => Err(AnalysisError::unexpected("a win rate of each move", &size.vertex(it.recorded.mv))),
        None => Ok(moves),
    }
}

fn visits(number: f64) -> Result<u32, AnalysisError> {
    if number < 0.0 || number.fract() != 0.0 {
        return Err(AnalysisError::unexpected("a number of visits", &number.to_string()));
    }
    // Saturates.
    limited_visits(number as u64)
}

/// Returns the mean score over the visits of the moves that have one.
fn mean_score(moves: &[ScoredMove]) -> Option<f64> {
    let weighted = moves.iter().filter_map(|it| Some((f64::from(it.recorded.visits), it.score?)));
    let (visits, sum) =
        weighted.fold((0.0, 0.0), |(visits, sum), (weight, score)| (visits + weight, sum + weight * score));
    (visits > 0.0).then(|| sum / visits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn size() -> Size {
        Size::new(19, 19).expect("a size")
    }

    const MOVES: &str = "move Q16 visits 38 winrate 5404 prior 1200 scoreMean 2.0 pv Q16 D4 pvVisits 38 5 info move D4 visits 2 \
                         winrate 5000 prior 300 scoreMean -18 pv D4 Q16";

    #[test]
    fn win_rates_belong_to_the_player_to_move_and_that_of_the_head_to_the_other() {
        let text = format!("0.7.3 45.5 41\n{MOVES}");
        let found = read(&text, size(), Player::White).expect("an analysis");
        assert_eq!((found.visits, found.black_win_rate), (41, 0.455));
        assert_eq!((found.black_lead, found.score_deviation), (Some(-1.0), None));
        let [first, second] = &found.moves[..] else { panic!("{found:?}") };
        assert_eq!((size().vertex(first.mv), first.visits, first.prior), ("Q16".to_owned(), 38, Some(0.12)));
        assert!((first.black_win_rate - 0.4596).abs() < 1e-12 && second.black_win_rate == 0.5);
        let found = read(&text, size(), Player::Black).expect("an analysis");
        assert!((found.black_win_rate - 0.545).abs() < 1e-12 && found.black_lead == Some(1.0));
    }

    #[test]
    fn names_of_engines_may_contain_numbers_and_spaces() {
        for (first, expected) in [
            ("KataGo 45.5 41", None),
            ("KataGo 1.12 b18 45,5 41", None),
            ("KataGo 45.5 41 0.5 12.25", Some(12.25)),
            ("KataGo 9 45.5 41 0.5 12.25 0.0", Some(12.25)),
            ("45.5 41", None),
        ] {
            let found = read(&format!("{first}\n{MOVES}"), size(), Player::White).expect(first);
            assert_eq!((found.black_win_rate, found.visits), (0.455, 41), "{first}");
            assert_eq!(found.score_deviation, expected, "{first}");
        }
    }

    #[test]
    fn images_of_a_searched_move_are_not_counted_again() {
        let of = |name: &str, score: &str| {
            format!("move {name} visits 19 winrate 5404 prior 1200 scoreMean {score} pv {name}")
        };
        let first = of("Q16", "2.0");
        let images = [of("D16", "2.0"), of("D4", "2.0"), of("Q4", "2.0")].join(" info ");
        let read = |text: &str| read(text, size(), Player::White).expect("an analysis");
        let found = read(&format!("KataGo 45.5 20\n{first} info {images}"));
        assert_eq!((found.visits, found.moves.len()), (20, 1));
        // Moves that were searched have visits of their own: the head states the sum.
        assert_eq!(read(&format!("KataGo 45.5 77\n{first} info {images}")).visits, 77);
        let others = [of("Q3", "2.0"), of("D16", "2.5")].join(" info ");
        assert_eq!(read(&format!("KataGo 45.5 20\n{first} info {others}")).moves.len(), 3);
    }

    #[test]
    fn a_rounded_number_of_playouts_counts_as_the_least_that_it_may_be() {
        for (word, expected) in [
            ("38", Some(38)),
            ("1.2k", Some(1_150)),
            ("1,2K", Some(1_150)),
            ("13k", Some(12_500)),
            ("1.3m", Some(1_250_000)),
            ("k", None),
            ("1.5", None),
            ("-3", None),
            ("1e300k", None),
        ] {
            assert_eq!(read_playouts(word), expected, "{word}");
        }
    }

    #[test]
    fn an_ownership_after_the_moves_is_skipped() {
        let text = format!("KataGo 45.5 41\n{MOVES} ownership 0.5 -0.5 move visits");
        assert_eq!(read(&text, size(), Player::Black).expect("an analysis").moves.len(), 2);
    }

    #[test]
    fn impossible_values_are_errors() {
        for (text, expected) in [
            ("", "an engine"),
            ("KataGo\n", "an engine"),
            ("KataGo 145.5 41\n", "an engine"),
            ("KataGo 45.5 41\nmove Z99 visits 1 winrate 5000", "a move on the board"),
            ("KataGo 45.5 41\nmove Q16 visits -1 winrate 5000", "a number of visits"),
            ("KataGo 45.5 41 0.5 12.25 1.5\nmove Q16 visits 1 winrate 5000", "without playout doubling"),
            ("KataGo 45.5 41\nmove Q16 visits 1e30 winrate 5000", "at most"),
            ("KataGo 45.5 41\nmove Q16 visits many winrate 5000", "a number of visits"),
            ("KataGo 45.5 41\nmove Q16 visits 1 winrate 50000", "a win rate from 0 to 10000"),
            ("KataGo 45.5 41\nmove Q16 visits 1", "a win rate of each move"),
            ("KataGo 45.5 41\nmove Q16 visits 1 winrate 5000 prior x", "a prior"),
        ] {
            let error = read(text, size(), Player::Black).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn damaged_text_never_panics(
            at in 0_usize..200,
            inserted in "[-0-9a-zA-Z ,.\u{e9}\\n]{0,6}",
            removed in 0_usize..9,
        ) {
            let text = format!("KataGo 45.5 41 0.5 12.25\n{MOVES}");
            let at = at.min(text.len());
            let damaged = format!("{}{inserted}{}", &text[..at], &text[(at + removed).min(text.len())..]);
            if let Ok(found) = read(&damaged, size(), Player::Black) {
                prop_assert!((0.0..=1.0).contains(&found.black_win_rate));
                prop_assert!(found.moves.iter().all(|it| (0.0..=1.0).contains(&it.black_win_rate)));
            }
        }
    }
}
