//! The loss of a chosen move, by a larger search.

use crate::{SINGLE_TABLE_BYTES, options};
use tewari::base::game::{Game, Move};
use tewari::engine::Engine;
use tewari::go::Position;
use tewari::search::{Limits, Report};

/// Minimum share of the best move's visits at which the value of a move is taken as it is; other moves are searched alone.
const MIN_VISIT_SHARE: f64 = 0.1;

/// One search of a position that judges moves.
pub struct Judge {
    engine: Engine,
    root: Position,
    report: Option<Report>,
}

impl Judge {
    /// Creates a judge of the position.
    pub fn new(side: usize, seed: u64, root: &Position) -> Judge {
        // Another seed than that of the searches that it judges.
        let engine = Engine::new(options(side, seed + 1_000_000, SINGLE_TABLE_BYTES)).expect("an engine");
        Judge { engine, root: root.clone(), report: None }
    }

    /// Continues the search to `visits` of the root.
    pub fn extend(&mut self, visits: u64) {
        self.engine.set_root_moves(None);
        let limits = Limits { visits: Some(visits), ..Limits::default() };
        self.report = self.engine.search_position(self.root.clone(), limits, &mut |_| true).ok();
    }

    /// Returns the win rate that a move loses against the most visited one. A move with few visits is searched alone, with
    /// `simulations`.
    pub fn loss(&mut self, chosen: Option<Move>, simulations: u64) -> f64 {
        let Some(report) = &self.report else { return 0.0 };
        let (Some(best), Some(chosen)) = (report.moves.iter().max_by_key(|it| it.edge_visits), chosen) else {
            return 0.0;
        };
        let (best_move, best_value) = (best.mv, best.value.as_f64());
        let least = best.edge_visits as f64 * MIN_VISIT_SHARE;
        if chosen == best_move {
            return 0.0;
        }
        if let Some(known) = report.moves.iter().find(|it| it.mv == chosen && it.edge_visits as f64 >= least)
        {
            return best_value - known.value.as_f64();
        }
        let mut allowed = vec![false; self.root.move_count()];
        allowed[chosen.index()] = true;
        self.engine.set_root_moves(Some(allowed));
        let limits = Limits { simulations: Some(simulations.max(1_000)), ..Limits::default() };
        let alone = self.engine.search_position(self.root.clone(), limits, &mut |_| true);
        self.engine.set_root_moves(None);
        alone.map_or(0.0, |report| best_value - report.root.value.as_f64())
    }
}

/// Returns the move that one search with one table chooses after `simulations`.
pub fn choice_of_single(side: usize, seed: u64, root: &Position, simulations: u64) -> Option<Move> {
    let mut engine = Engine::new(options(side, seed, SINGLE_TABLE_BYTES)).expect("an engine");
    let limits = Limits { simulations: Some(simulations), ..Limits::default() };
    engine.search_position(root.clone(), limits, &mut |_| true).expect("a report");
    // The order of the search itself, as for ranks.
    engine.look_up(root.clone()).best().map(|best| best.mv)
}
