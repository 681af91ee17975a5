//! Main lines: the best moves of both players, as far as the table has visits.

use super::policy::SelectionPolicy;
use super::ranked_moves::{RankedMove, best_visited_move};
use crate::base::game::{Game, Move};
use crate::table::Table;

/// Maximum number of moves in a main line.
const MAX_LENGTH: usize = 20;

/// A main line and its visits.
pub(super) struct MainLine {
    pub(super) moves: Vec<Move>,
    /// Visits of the position after each move.
    pub(super) visits: Vec<u64>,
    /// Visits of each move in the position before it.
    pub(super) edge_visits: Vec<u64>,
}

impl MainLine {
    /// Creates the line of one move.
    pub(super) fn first(first: &RankedMove) -> MainLine {
        let mut line = MainLine { moves: Vec::new(), visits: Vec::new(), edge_visits: Vec::new() };
        line.push(first);
        line
    }

    /// Returns the main line from the root that begins with the move `first`.
    pub(super) fn beginning_with<G: Game, P: SelectionPolicy>(
        table: &Table,
        root: &G,
        policy: &P,
        first: &RankedMove,
    ) -> MainLine {
        let mut line = MainLine::first(first);
        if !first.has_page {
            return line;
        }
        let mut game = root.clone();
        game.play(first.mv);
        while line.moves.len() < MAX_LENGTH
            && let Some(best) = best_visited_move(table, &game, policy)
        {
            line.push(&best);
            game.play(best.mv);
        }
        line
    }

    fn push(&mut self, next: &RankedMove) {
        self.moves.push(next.mv);
        self.visits.push(next.visits.max(next.edge_visits));
        self.edge_visits.push(next.edge_visits);
    }
}
