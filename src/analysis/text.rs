//! A position for people to read.

use super::{Analysis, GameEnd};
use std::fmt::Write;

/// Moves shown of each position.
const MOVES_SHOWN: usize = 5;
/// Moves shown of a principal variation.
const PV_SHOWN: usize = 10;

/// A paragraph: where we are, who is ahead, the best moves, how the table did.
#[must_use]
pub fn paragraph(analysis: &Analysis) -> String {
    let report = &analysis.report;
    let mut text = String::new();
    let played = analysis.played.map_or("start".to_owned(), |(player, mv)| {
        format!("move {}, {player} {}", analysis.turn, analysis.size.vertex(mv))
    });
    // Writing to a string cannot fail.
    if let Some(end) = &analysis.end {
        return format!("{} · {played} · {}\n", analysis.id, ended(analysis, end));
    }
    let _ = write!(text, "{} · {played} · {} to play · ", analysis.id, report.root.to_play);
    let _ = match analysis.proven_winner() {
        Some(Some(winner)) => write!(text, "{winner} wins (proven)"),
        Some(None) => write!(text, "draw (proven)"),
        None => write!(text, "Black wins {:.1} %", 100.0 * analysis.black_winrate()),
    };
    if let Some(lead) = analysis.lead(report.root.black_score) {
        let _ = write!(text, " · Black {lead:+.1}");
    }
    let _ = writeln!(
        text,
        " · {} visits, {} new in {:.2} s",
        report.root.visits,
        report.simulations,
        report.elapsed.as_secs_f64()
    );
    if !report.moves.is_empty() {
        let _ = writeln!(text, "    move   visits  Black wins   lead  line");
    }
    for mv in report.moves.iter().take(MOVES_SHOWN) {
        let lead = analysis.lead(mv.black_score).map_or("-".to_owned(), |lead| format!("{lead:+.1}"));
        let winrate = 100.0 * analysis.black_winrate_after(mv);
        let proven = if mv.proven.is_some() { " proven" } else { "" };
        let line: Vec<String> = mv.pv.iter().take(PV_SHOWN).map(|&mv| analysis.size.vertex(mv)).collect();
        let _ = writeln!(
            text,
            "    {:5} {:8}  {winrate:8.1} % {lead:>6}  {}{proven}",
            analysis.size.vertex(mv.mv),
            mv.edge_visits,
            line.join(" "),
        );
    }
    let (census, counters) = (&report.census, &report.counters);
    let probes = (counters.hits + counters.misses).max(1);
    let _ = writeln!(
        text,
        "    table {} of {} ({:.1} %){} · {:.0} % of positions found · {} transpositions · {} evicted",
        size(census.bytes_used),
        size(census.bytes),
        100.0 * census.occupancy(),
        if analysis.huge_page_bytes.unwrap_or(0) > 0 { " in huge pages" } else { "" },
        100.0 * counters.hits as f64 / probes as f64,
        counters.transpositions,
        counters.evictions + counters.block_evictions,
    );
    text
}

/// How a finished game came out, and what was taken for dead.
fn ended(analysis: &Analysis, end: &GameEnd) -> String {
    let dead: Vec<String> = end.dead.iter().map(|&stone| analysis.size.vertex(stone)).collect();
    if dead.is_empty() {
        format!("the game is over: {}, with all stones alive", end.result)
    } else {
        format!("the game is over: {}, if these stones are dead: {}", end.result, dead.join(" "))
    }
}

/// Bytes in the unit that leaves few digits.
fn size(bytes: usize) -> String {
    const KIB: f64 = 1024.0;
    let bytes = bytes as f64;
    if bytes < 100.0 * KIB {
        format!("{:.1} KiB", bytes / KIB)
    } else {
        format!("{:.1} MiB", bytes / KIB / KIB)
    }
}
