//! Contents of a table for a position, without a search: the best lines as SGF variations, or as a graph in which
//! transpositions meet.

use crate::base::game::{Game, Move, Player};
use crate::engine::Engine;
use crate::go::Position;
use crate::records::sgf::{Variation, write_variations};
use crate::search::{MoveReport, Report};
use std::collections::{HashMap, VecDeque};
use std::fmt::Write;

/// Limits of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Maximum number of moves shown of each position, the best first.
    pub moves: usize,
    /// Maximum length of a line, in moves from the position.
    pub depth: usize,
    /// Minimum edge visits of a shown move.
    pub visits: u64,
}

impl Extent {
    fn of<'r>(&self, report: &'r Report) -> impl Iterator<Item = &'r MoveReport> {
        let visits = self.visits;
        report.moves.iter().filter(move |mv| mv.edge_visits >= visits).take(self.moves)
    }
}

/// Returns the best moves of `position`, each with its main line, as SGF; `None` if the table has no visits of it.
#[must_use]
pub fn sgf(engine: &Engine, position: &Position, extent: Extent) -> Option<String> {
    let report = engine.look_up(position.clone());
    if report.root.visits == 0 {
        return None;
    }
    let to_play = report.root.to_play;
    let moves = extent.of(&report).filter(|_| extent.depth > 0);
    let next = moves.map(|mv| line(mv, to_play, extent.depth)).collect();
    let comment =
        format!("{} visits, {}", report.root.visits, black_wins(report.root.value.as_f64(), to_play));
    Some(write_variations(position, &Variation { played: None, comment, next }))
}

/// Returns the main line that begins with a move.
fn line(mv: &MoveReport, to_play: Player, depth: usize) -> Variation {
    let players = std::iter::successors(Some(to_play), |player| Some(player.other()));
    let moves: Vec<(Player, Move)> = players.zip(mv.pv.iter().copied()).take(depth).collect();
    let mut following: Option<Variation> = None;
    for &played in moves.iter().rev() {
        let next = following.take().into_iter().collect();
        following = Some(Variation { played: Some(played), comment: String::new(), next });
    }
    let comment = format!(
        "{} visits by this move, {} of the position after it, {}{}",
        mv.edge_visits,
        mv.visits,
        black_wins(mv.value.as_f64(), to_play),
        if mv.proven.is_some() { ", proven" } else { "" },
    );
    Variation { comment, ..following.unwrap_or_default() }
}

fn black_wins(value: f64, to_play: Player) -> String {
    let value = if to_play == Player::Black { value } else { 1.0 - value };
    format!("Black wins {:.1} %", 100.0 * value)
}

/// Returns the positions reached by the best moves as a directed graph in the DOT language of Graphviz; `None` if the
/// table has no visits of `position`.
#[must_use]
pub fn graph(engine: &Engine, position: &Position, extent: Extent) -> Option<String> {
    let size = position.size();
    let mut text = String::from("digraph table {\n  node [shape=box, fontname=\"sans-serif\"];\n");
    let mut numbers: HashMap<u64, usize> = HashMap::from([(position.key(), 0)]);
    let mut waiting = VecDeque::from([(position.clone(), 0)]);
    while let Some((here, depth)) = waiting.pop_front() {
        let report = engine.look_up(here.clone());
        let to_play = report.root.to_play;
        let from = numbers[&here.key()];
        if report.root.visits == 0 && from == 0 {
            return None;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  p{from} [label=\"{to_play} to play\\n{} visits\\n{}\"];",
            report.root.visits,
            black_wins(report.root.value.as_f64(), to_play)
        );
        if depth == extent.depth {
            continue;
        }
        for mv in extent.of(&report) {
            let mut after = here.clone();
            if after.try_play(mv.mv).is_err() {
                continue;
            }
            let count = numbers.len();
            let to = *numbers.entry(after.key()).or_insert(count);
            let _ =
                writeln!(text, "  p{from} -> p{to} [label=\"{}\\n{}\"];", size.vertex(mv.mv), mv.edge_visits);
            if to == count {
                waiting.push_back((after, depth + 1));
            }
        }
    }
    text.push_str("}\n");
    Some(text)
}
