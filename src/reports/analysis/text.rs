//! Output of a position as text.

use super::{Analysis, GameEnd};
use crate::base::byte_size::rounded_bytes;
use crate::base::game::{Move, Player};
use crate::go::geometry::column_letter;
use crate::go::{Position, drawing};
use crate::search::MoveReport;
use std::fmt::Write;

/// Minimum visits of a played move for its loss to be shown: the standard error is then at most a tenth.
const MIN_VISITS_OF_LOSS: u64 = 25;
/// Number of moves shown of a position.
const MOVES_SHOWN: usize = 5;
/// Number of moves shown of a main line.
const PV_SHOWN: usize = 10;

/// Optional parts of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// True to show the board, with the best moves as numbers.
    pub has_board: bool,
    /// True to show the table statistics.
    pub has_table: bool,
}

/// Formats a position as a paragraph: its place in the game, the expected result, the best moves and the game's next
/// move.
#[must_use]
pub fn paragraph(analysis: &Analysis, position: &Position, style: Style) -> String {
    let report = &analysis.report;
    let mut text = String::new();
    let played = analysis.played.map_or("Start".to_owned(), |(player, mv)| {
        format!("Move {}, {} {}", analysis.turn, name(player), analysis.size.vertex(mv))
    });
    // Writing to a string cannot fail.
    if let Some(end) = &analysis.end {
        let _ = writeln!(text, "{played} · {}", ended(analysis, end));
    } else {
        let _ = write!(text, "{played} · {} to play · {}", name(report.root.to_play), state(analysis));
        let _ = writeln!(
            text,
            " · {}, {} new in {:.2} s",
            visits(report.root.visits),
            report.simulations,
            report.elapsed.as_secs_f64()
        );
    }
    if style.has_board {
        text.push_str(&board(analysis, position));
    }
    if !report.moves.is_empty() {
        let _ = writeln!(text, "     move   visits  Black wins    lead  line");
    }
    for (order, mv) in report.moves.iter().enumerate() {
        let is_next = analysis.next == Some(mv.mv);
        if order < MOVES_SHOWN || is_next {
            row(&mut text, analysis, order, mv, is_next);
        }
    }
    let is_unknown = |next: &Move| !report.moves.is_empty() && report.moves.iter().all(|mv| mv.mv != *next);
    if let Some(next) = analysis.next.filter(is_unknown) {
        let _ = writeln!(text, "     {:5} {:>8}  (played, not searched)", analysis.size.vertex(next), "-");
    }
    if style.has_table {
        table(&mut text, analysis);
    }
    text
}

fn name(player: Player) -> &'static str {
    if player == Player::Black { "Black" } else { "White" }
}

fn visits(count: u64) -> String {
    if count == 1 { "1 visit".to_owned() } else { format!("{count} visits") }
}

/// Formats the expected result. A proven one has no lead beside it: the lead is an estimate that can disagree.
fn state(analysis: &Analysis) -> String {
    match analysis.proven_winner() {
        Some(Some(winner)) => format!("{} wins (proven)", name(winner)),
        Some(None) => "draw (proven)".to_owned(),
        None => {
            let rate = format!("Black wins {:.1} %", 100.0 * analysis.black_winrate());
            match analysis.lead(analysis.report.root.black_score) {
                Some(lead) => format!("{rate}, {}", score(lead)),
                None => rate,
            }
        }
    }
}

/// Formats a lead as results are written: `B+2.5`.
fn score(black_lead: f64) -> String {
    if black_lead < 0.0 { format!("W+{:.1}", -black_lead) } else { format!("B+{black_lead:.1}") }
}

fn row(text: &mut String, analysis: &Analysis, order: usize, mv: &MoveReport, is_next: bool) {
    let lead = analysis.lead(mv.black_score).filter(|_| mv.proven.is_none());
    let winrate = 100.0 * analysis.black_winrate_after(mv);
    let line: Vec<String> = mv.pv.iter().take(PV_SHOWN).map(|&mv| analysis.size.vertex(mv)).collect();
    let _ = write!(
        text,
        "{:3}  {:5} {:8}  {winrate:8.1} %  {:>6}  {}{}",
        order + 1,
        analysis.size.vertex(mv.mv),
        mv.edge_visits,
        lead.map_or("-".to_owned(), score),
        line.join(" "),
        if mv.proven.is_some() { " (proven)" } else { "" },
    );
    if is_next {
        let loss = loss(analysis, mv).map_or_else(String::new, |loss| format!(", loses {loss:.1} %"));
        let _ = write!(text, " (played{loss})");
    }
    text.push('\n');
}

/// Returns the loss of a move in win rate, in percent, against the best one; `None` if it is below 0.05, or if the visits
/// are too few.
fn loss(analysis: &Analysis, mv: &MoveReport) -> Option<f64> {
    let best = analysis.report.best()?;
    let is_known = mv.proven.is_some() || mv.edge_visits >= MIN_VISITS_OF_LOSS;
    let loss = 100.0 * (best.value.as_f64() - mv.value.as_f64());
    Some(loss).filter(|&loss| is_known && loss >= 0.05)
}

/// Draws the board, the last move in parentheses and the best moves as their numbers.
fn board(analysis: &Analysis, position: &Position) -> String {
    let size = analysis.size;
    let best = |mv: Move| analysis.report.moves.iter().take(MOVES_SHOWN).position(|it| it.mv == mv);
    let last = analysis.played.map(|(_, mv)| mv);
    let board = position.board();
    let mut text = String::new();
    for row in (0..size.rows()).rev() {
        let _ = write!(text, "    {:2}", row + 1);
        let mut closes = false;
        for column in 0..size.columns() {
            let Some(mv) = size.move_at(column, row) else { continue };
            let stone = board.geometry().point_of(mv).and_then(|point| board.stone_at(point));
            let is_last = stone.is_some() && last == Some(mv);
            let before = match (is_last, closes) {
                (true, _) => '(',
                (false, true) => ')',
                (false, false) => ' ',
            };
            text.push(before);
            closes = is_last;
            text.push(match (stone, best(mv)) {
                (Some(Player::Black), _) => 'X',
                (Some(Player::White), _) => 'O',
                (None, Some(order)) => char::from(b'1' + order as u8),
                (None, None) => '.',
            });
        }
        text.push_str(if closes { ")\n" } else { "\n" });
    }
    let letters: String = (0..size.columns()).map(|column| format!(" {}", column_letter(column))).collect();
    let _ = writeln!(text, "      {letters}");
    text
}

/// Appends a line with table statistics: its contents, and the counters of this search.
fn table(text: &mut String, analysis: &Analysis) {
    let (census, counters) = (&analysis.report.census, &analysis.report.counters);
    let probes = (counters.hits + counters.misses).max(1);
    let _ = writeln!(
        text,
        "     table {} of {} ({:.1} %){} · {:.0} % of positions found · {} transpositions · {} evicted",
        rounded_bytes(census.bytes_used as f64),
        rounded_bytes(census.bytes as f64),
        100.0 * census.occupancy(),
        if analysis.huge_page_bytes.unwrap_or(0) > 0 { " in huge pages" } else { "" },
        100.0 * counters.hits as f64 / probes as f64,
        counters.transpositions,
        counters.evictions + counters.page_evictions,
    );
}

/// Draws the ownership of the points as a board with its legend.
#[must_use]
pub fn territory(analysis: &Analysis) -> String {
    let board = drawing::draw_territory(analysis.size, |point| analysis.owner_mean(point));
    format!("    X Black's, O White's, x and o probably, . open\n{board}")
}

/// Formats the result of a finished game and the stones counted as dead.
fn ended(analysis: &Analysis, end: &GameEnd) -> String {
    let dead: Vec<String> = end.dead.iter().map(|&stone| analysis.size.vertex(stone)).collect();
    if dead.is_empty() {
        format!("the game is over: {}, with all stones alive", end.result)
    } else {
        format!("the game is over: {}, if these stones are dead: {}", end.result, dead.join(" "))
    }
}
