//! What a table knows of a position without any search: its best lines as SGF variations, or as a graph in which
//! transpositions meet.

use crate::engine::Engine;
use crate::game::{Game, Move, Player};
use crate::go::Position;
use crate::search::{MoveReport, Report};
use crate::sgf::{Variation, write_variations};
use std::collections::{HashMap, VecDeque};
use std::fmt::Write;

/// How much to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Moves of each position, the best first.
    pub moves: usize,
    /// Moves from the position on.
    pub depth: usize,
    /// Moves chosen less often are left out.
    pub visits: u64,
}

impl Extent {
    fn of<'r>(&self, report: &'r Report) -> impl Iterator<Item = &'r MoveReport> {
        let visits = self.visits;
        report.moves.iter().filter(move |mv| mv.edge_visits >= visits).take(self.moves)
    }
}

/// The best moves of a position with the best line after each; `None` if the table does not know the position.
#[must_use]
pub fn sgf(engine: &Engine, position: &Position, extent: Extent) -> Option<String> {
    let report = engine.look_up(position.clone());
    if report.root.visits == 0 {
        return None;
    }
    let to_play = report.root.to_play;
    let next = extent.of(&report).map(|mv| line(mv, to_play, extent.depth)).collect();
    let comment =
        format!("{} visits, {}", report.root.visits, black_wins(report.root.value.as_f64(), to_play));
    Some(write_variations(position, &Variation { played: None, comment, next }))
}

/// The principal variation that begins with a move.
fn line(mv: &MoveReport, to_play: Player, depth: usize) -> Variation {
    let players = std::iter::successors(Some(to_play), |player| Some(player.other()));
    let moves: Vec<(Player, Move)> = players.zip(mv.pv.iter().copied()).take(depth).collect();
    let mut following: Option<Variation> = None;
    for &played in moves.iter().rev() {
        let next = following.take().into_iter().collect();
        following = Some(Variation { played: Some(played), comment: String::new(), next });
    }
    let comment = format!(
        "{} of the visits here, {} in all, {}{}",
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

/// The positions that can be reached by the best moves, as a directed graph in the language of Graphviz; `None` if the
/// table does not know the first.
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
