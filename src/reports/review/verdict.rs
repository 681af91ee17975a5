//! The result and the turning point of a game, in a few sentences.

use super::model::{Review, ReviewTurn};
use super::move_judgement::{MIN_WIN_RATE_UNDECIDED, MoveJudgement, Severity, for_player};
use crate::base::game::Player;

/// The result of a game and the move that decided it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameVerdict {
    /// The number of the decisive move, if there is one.
    pub turn: Option<usize>,
    /// A sentence about the result.
    pub result: String,
    /// A sentence about the turning point.
    pub headline: String,
    /// Further sentences; may be empty.
    pub detail: String,
}

/// Minimum win rate of a side that is ahead at the end of the record.
const MIN_WIN_RATE_AHEAD: f64 = 0.6;

/// Returns the verdict on a game and its judged moves; without a turning point unless all positions were searched.
pub(super) fn of(review: &Review, moves: &[Option<MoveJudgement>]) -> GameVerdict {
    let (winner, result) = result(review);
    let verdict = |turn, headline: &str, detail: String| GameVerdict {
        turn,
        result: result.clone(),
        headline: headline.to_owned(),
        detail,
    };
    if let Some(headline) = missing_searches(review) {
        let costliest = costliest(moves, &Player::BOTH);
        let detail =
            if costliest.is_empty() { costliest } else { format!("Of the moves searched, {costliest}") };
        return verdict(None, &headline, detail);
    }
    let Some(winner) = winner else {
        if let Some(ahead) = counted_winner(review) {
            let headline = format!("The engine disagrees: it sees {} ahead at the end.", name(ahead));
            return verdict(None, &headline, costliest(moves, &[ahead.other()]));
        }
        return verdict(None, "Neither side was clearly ahead at the end.", costliest(moves, &Player::BOTH));
    };
    let loser = winner.other();
    let win_rates = LoserWinRates::new(review, loser);
    match win_rates.decisive(moves) {
        _ if win_rates.at_the_end() >= MIN_WIN_RATE_AHEAD => {
            let headline = format!("The engine disagrees: it sees {} ahead at the end.", name(loser));
            verdict(None, &headline, costliest(moves, &[loser]))
        }
        Some(mv) => {
            let headline = format!("The game turned at move {}.", mv.turn);
            verdict(Some(mv.turn), &headline, decided(mv, &win_rates))
        }
        None if win_rates.was_ahead() => verdict(
            None,
            &format!("{} lost the game little by little.", name(loser)),
            format!("{} {}", win_rates.last_ahead_in_words(), costliest(moves, &[loser])),
        ),
        None => verdict(
            None,
            &format!("{} was ahead from the start.", name(winner)),
            format!("No single move of {} decided the game. {}", name(loser), costliest(moves, &[loser])),
        ),
    }
}

/// Returns a sentence in place of a verdict if positions were not searched: the game may have turned at any of them. The
/// positions before the last setup are of another game.
fn missing_searches(review: &Review) -> Option<String> {
    let turns = &review.turns[begin(review)..];
    let searched = turns.iter().filter(|turn| turn.finding.is_some()).count();
    (searched < turns.len()).then(|| {
        let all = turns.len();
        format!("The course of the game is not judged: {searched} of {all} positions were searched.")
    })
}

/// Returns the turn of the last setup, which begins another game, or 0.
fn begin(review: &Review) -> usize {
    review.turns.iter().rposition(|turn| turn.was_set_up).unwrap_or(0)
}

/// Returns `Black` or `White`.
pub(super) fn name(player: Player) -> &'static str {
    if player == Player::Black { "Black" } else { "White" }
}

/// Formats a share in whole percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn decided(mv: &MoveJudgement, win_rates: &LoserWinRates) -> String {
    let player = name(mv.player);
    let mut text = format!(
        "{player} {}; {} was better. {player}'s win rate fell from {} to {} and never recovered.",
        if mv.vertex == "pass" { "passed".to_owned() } else { format!("played {}", mv.vertex) },
        mv.best.vertex,
        percent(mv.before),
        percent(mv.after),
    );
    if mv.before < 0.5 {
        text.push(' ');
        text.push_str(&win_rates.last_ahead_in_words());
    }
    text
}

/// Returns a sentence on the costliest move of these players; empty if no move was costly.
fn costliest(moves: &[Option<MoveJudgement>], players: &[Player]) -> String {
    let own =
        moves.iter().flatten().filter(|mv| players.contains(&mv.player) && mv.severity > Severity::Fine);
    own.max_by(|one, other| one.loss.total_cmp(&other.loss)).map_or_else(String::new, |mv| {
        let (from, to) = (percent(mv.before), percent(mv.after));
        let player = name(mv.player);
        format!("{player}'s costliest move was {} at move {} ({from} to {to}).", mv.vertex, mv.turn)
    })
}

/// Returns the winner by the record, else by the count, else the side ahead at the end, with a sentence about it.
fn result(review: &Review) -> (Option<Player>, String) {
    let Some(written) = review.result.as_deref().map(str::trim).filter(|text| !text.is_empty()) else {
        return end(review, None);
    };
    match winner_of(written) {
        Some((winner, "")) => (Some(winner), format!("{} won.", name(winner))),
        Some((winner, how)) => {
            (Some(winner), format!("{} won {}.", name(winner), how_in_words(how, review.is_in_stones)))
        }
        None => {
            let given = format!("The record gives the result as {written}");
            if is_draw(written) { (None, format!("{given}.")) } else { end(review, Some(given)) }
        }
    }
}

/// Returns the winner by the final count or the last win rate, with a sentence about it; no winner if the last position
/// was not searched. The sentence begins with `given`, the result in the record, if there is one.
fn end(review: &Review, given: Option<String>) -> (Option<Player>, String) {
    let begun = given.as_deref().unwrap_or("The record gives no result");
    let last = review.turns.last().and_then(|turn| turn.finding.as_ref());
    let Some(last) = last else { return (None, format!("{begun}.")) };
    if let Some(end) = &last.end {
        let before = given.map_or_else(String::new, |given| format!("{given}. "));
        return match winner_of(&end.result) {
            Some((winner, points)) => {
                (Some(winner), format!("{before}By the final count {} wins by {points}.", name(winner)))
            }
            None => (None, format!("{before}The final count is a draw.")),
        };
    }
    let ahead =
        Player::BOTH.into_iter().find(|&player| for_player(player, last.winrate) >= MIN_WIN_RATE_AHEAD);
    match ahead {
        Some(player) => (ahead, format!("{begun}; at its end {} is ahead.", name(player))),
        None => (None, format!("{begun}; at its end the game is open.")),
    }
}

/// Returns the winner by the count at the end of a finished game.
fn counted_winner(review: &Review) -> Option<Player> {
    let last = review.turns.last()?.finding.as_ref()?;
    winner_of(&last.end.as_ref()?.result).map(|(winner, _)| winner)
}

/// Returns true if a result is a draw, as FF\[4\] or as Chinese, Japanese and Korean records write it.
fn is_draw(result: &str) -> bool {
    ["0", "draw", "jigo", "和棋", "和局", "持碁", "ジゴ", "무승부", "빅"]
        .contains(&result.to_lowercase().as_str())
}

/// Returns the winner and the rest of the result: the text after `B+` or `W+`, or a result in words.
fn winner_of(result: &str) -> Option<(Player, &str)> {
    let player_of = |first: char| match first.to_ascii_uppercase() {
        'B' => Some(Player::Black),
        'W' => Some(Player::White),
        _ => None,
    };
    let first = result.chars().next()?;
    match result.get(1..) {
        Some(rest) if rest.starts_with('+') => Some((player_of(first)?, rest[1..].trim())),
        Some("") => Some((player_of(first)?, "")),
        _ => winner_in_words(result).map(|winner| (winner, result)),
    }
}

/// Returns the winner of a result in Chinese, Japanese or Korean, which begins with the winner, or in English.
fn winner_in_words(result: &str) -> Option<Player> {
    const COLOURS: [(Player, &[&str]); 2] =
        [(Player::Black, &["黑", "黒", "흑", "black"]), (Player::White, &["白", "백", "white"])];
    const WINS: [&str; 8] = ["胜", "勝", "승", "贏", "赢", "win", "won", " by "];
    let text = result.to_lowercase();
    let winner = COLOURS.into_iter().find(|(_, names)| names.iter().any(|name| text.starts_with(name)));
    let has_won = WINS.iter().any(|win| text.contains(win));
    winner.filter(|_| has_won).map(|(player, _)| player)
}

/// Returns the end of a game in words. `is_in_stones`: the unit of a margin that does not show its unit.
fn how_in_words(how: &str, is_in_stones: bool) -> String {
    match how.to_ascii_lowercase().as_str() {
        "r" | "res" | "resign" => "by resignation".to_owned(),
        "t" | "time" => "on time".to_owned(),
        "f" | "forfeit" => "by forfeit".to_owned(),
        margin => margin_in_words(margin, is_in_stones).unwrap_or_else(|| format!("({how})")),
    }
}

/// Returns a margin in points, and in stones of two points if it is written so; `None` if it is no number.
fn margin_in_words(written: &str, is_in_stones: bool) -> Option<String> {
    let number = written.strip_suffix('子').map(str::trim_end);
    let margin: f64 = number.unwrap_or(written).parse().ok()?;
    // No margin in points has a quarter, which is half of the half point in the komi.
    let is_quarter = (2.0 * margin).fract().abs() == 0.5;
    let count = |number: f64, unit| format!("{number} {unit}{}", if number == 1.0 { "" } else { "s" });
    Some(if is_quarter || is_in_stones || number.is_some() {
        format!("by {} ({})", count(2.0 * margin, "point"), count(margin, "stone"))
    } else {
        format!("by {}", count(margin, "point"))
    })
}

/// Win rates of the side that lost.
struct LoserWinRates {
    loser: Player,
    /// The median of three turns around each turn, so that one wrong search has no effect; that of the last turn itself,
    /// since the win rate before the last move says nothing about its end. `None` for turns that were not searched, and
    /// before the last setup, which begins another game.
    smooth: Vec<Option<f64>>,
}

impl LoserWinRates {
    fn new(review: &Review, loser: Player) -> LoserWinRates {
        let begun = begin(review);
        let win_rate = |(number, turn): (usize, &ReviewTurn)| {
            let finding = turn.finding.as_ref().filter(|_| number >= begun);
            finding.map(|finding| for_player(loser, finding.winrate))
        };
        let raw: Vec<Option<f64>> = review.turns.iter().enumerate().map(win_rate).collect();
        let median = |index: usize| {
            let mut around: Vec<f64> =
                raw[index.saturating_sub(1)..raw.len().min(index + 2)].iter().flatten().copied().collect();
            around.sort_by(f64::total_cmp);
            let is_last = index + 1 == raw.len();
            if is_last { raw[index] } else { raw[index].and(around.get(around.len() / 2).copied()) }
        };
        LoserWinRates { loser, smooth: (0..raw.len()).map(median).collect() }
    }

    /// Returns the loser's costliest move of those never made good: the win rate was at least
    /// [`MIN_WIN_RATE_UNDECIDED`] before it, stayed below one half after it, and regained at most half of the loss.
    fn decisive<'m>(&self, moves: &'m [Option<MoveJudgement>]) -> Option<&'m MoveJudgement> {
        let mut best_later = vec![0.0_f64; self.smooth.len() + 1];
        for (index, win_rate) in self.smooth.iter().enumerate().rev() {
            best_later[index] = best_later[index + 1].max(win_rate.unwrap_or(0.0));
        }
        let is_final = |mv: &MoveJudgement| {
            // The median of the move's own turn may still be the win rate before the move.
            let later = best_later.get(mv.turn + 1).copied().unwrap_or(0.0).max(mv.after);
            later < 0.5 && later <= mv.before - mv.loss / 2.0
        };
        let own = moves.iter().flatten().filter(|mv| mv.player == self.loser && mv.severity > Severity::Fine);
        own.filter(|mv| {
            self.smooth[mv.turn - 1].is_some() && mv.before >= MIN_WIN_RATE_UNDECIDED && is_final(mv)
        })
        .max_by(|one, other| one.loss.total_cmp(&other.loss))
    }

    fn last_ahead(&self) -> Option<usize> {
        self.smooth.iter().rposition(|win_rate| win_rate.is_some_and(|win_rate| win_rate >= 0.5))
    }

    /// Returns the win rate in the last position that was searched.
    fn at_the_end(&self) -> f64 {
        self.smooth.iter().rev().find_map(|win_rate| *win_rate).unwrap_or(0.0)
    }

    fn was_ahead(&self) -> bool {
        self.last_ahead().is_some()
    }

    fn last_ahead_in_words(&self) -> String {
        match self.last_ahead() {
            Some(turn) => format!("{} was last ahead after move {turn}.", name(self.loser)),
            None => format!("{} was never ahead.", name(self.loser)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_in_stones_is_told_in_points_too() {
        for (how, is_in_stones, words) in [
            ("2.5", false, "by 2.5 points"),
            ("1", false, "by 1 point"),
            ("1.25", true, "by 2.5 points (1.25 stones)"),
            ("0.75", true, "by 1.5 points (0.75 stones)"),
            ("1.25", false, "by 2.5 points (1.25 stones)"),
            ("1", true, "by 2 points (1 stone)"),
            ("0.5", true, "by 1 point (0.5 stones)"),
            ("1.25子", false, "by 2.5 points (1.25 stones)"),
            ("R", true, "by resignation"),
            ("?", true, "(?)"),
        ] {
            assert_eq!(how_in_words(how, is_in_stones), words);
        }
    }
}
