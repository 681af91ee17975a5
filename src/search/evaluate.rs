//! Evaluation: the value of a leaf, from a playout, from the evaluator, from proven bounds, or from its entry.

use super::journal::Change;
use super::leaf::Leaf;
use super::path::BackupValue;
use super::policy::SelectionPolicy;
use super::proof::{self, ProvenBounds};
use super::worker::Worker;
use crate::base::game::{Bounds, Game, Outcome, Player, Score};
use crate::base::value::Value;
use crate::table::{Entry, PageEvaluation};

/// The result of evaluating a leaf.
pub(super) struct LeafEvaluation {
    /// Value and bounds of the leaf.
    pub(super) value: BackupValue,
    /// Black's result in half-points (0, 1 or 2); `None` if the simulation has no result of its own.
    pub(super) half_points_for_black: Option<u32>,
    /// The final score of the playout or of the game, or the proven one; `None` if there is none of these.
    pub(super) score: Option<Score>,
    /// The evaluator's score of the leaf, if its evaluation ends the simulation.
    pub(super) evaluated_score: Option<f64>,
}

impl<'t, G: Game, P: SelectionPolicy> Worker<'t, '_, G, P> {
    /// Evaluates the leaf and counts the visit in its entry, except at [`Leaf::CatchUp`], where the edge lacks visits.
    pub(super) fn evaluate(&mut self, leaf: Leaf<'t>) -> LeafEvaluation {
        self.depth_sum += self.steps.len() as u64;
        match leaf {
            Leaf::Unexpanded(entry) => self.evaluate_by_playout(Some(entry)),
            Leaf::Playout(entry) => self.evaluate_by_playout(entry),
            Leaf::Unstored => self.evaluate_by_playout(None),
            Leaf::Evaluated(entry, evaluation) => self.take_evaluation(entry, evaluation),
            Leaf::Decided(entry, path) => self.evaluate_decided(entry, path),
            Leaf::AllRefuted(entry) => {
                let bounds = self.store_refutation(&entry);
                self.evaluate_refuted(&entry, bounds)
            }
            Leaf::AllowedRefuted(entry) => self.evaluate_refuted(&entry, ProvenBounds::none(self.range)),
            Leaf::CatchUp(entry) => {
                let bounds = ProvenBounds { base: entry.bounds(self.range), path: self.range };
                let value = BackupValue { value: entry.total().value, bounds };
                LeafEvaluation { value, half_points_for_black: None, score: None, evaluated_score: None }
            }
        }
    }

    /// Returns the evaluator's value, or the entry's if the entry has visits: one reseeded from the edge to it already
    /// contains the evaluation.
    fn take_evaluation(&mut self, entry: Option<Entry<'t>>, evaluation: PageEvaluation) -> LeafEvaluation {
        let evaluated = evaluation
            .estimate
            .map_or(Value::DRAW, |estimate| self.corrected(self.bias_slot, estimate.value));
        let before = entry.map(|entry| entry.total()).filter(|total| total.visits > 0);
        let value = before.map_or(evaluated, |total| total.value);
        if let Some(entry) = entry {
            entry.add_visit(value);
        }
        self.journal.note_at(entry, Change::Leaf);
        LeafEvaluation {
            value: BackupValue { value, bounds: ProvenBounds::none(self.range) },
            half_points_for_black: None,
            score: None,
            evaluated_score: evaluation.score.map(|score| score.mean),
        }
    }

    fn evaluate_by_playout(&mut self, entry: Option<Entry<'t>>) -> LeafEvaluation {
        self.prefetch_path();
        let score = self.game.playout(&mut self.rng, &mut self.trace);
        self.game.add_owners(&mut self.ownership);
        let for_black = self.root.outcome_for_black(score);
        let result = proof::outcome_for(self.leaf_player(), for_black);
        let value = match entry {
            Some(entry) => {
                let leaf_playouts = entry.add_leaf_playout(result.half_points());
                entry.add_visit(leaf_playouts.mean());
                self.journal.note(entry.key(), Change::Playout(result.half_points() as u8));
                leaf_playouts.mean()
            }
            None => self.mean_of_edge_with(result),
        };
        let value = BackupValue { value, bounds: ProvenBounds::none(self.range) };
        LeafEvaluation {
            value,
            half_points_for_black: Some(for_black.half_points()),
            score: Some(score),
            evaluated_score: None,
        }
    }

    fn evaluate_decided(&mut self, entry: Option<Entry<'t>>, path: Bounds) -> LeafEvaluation {
        let for_black = self.root.outcome_for_black(path.lower);
        let value = Value::from(proof::outcome_for(self.leaf_player(), for_black));
        let mut base = path;
        if let Some(entry) = entry {
            if self.game.terminal_score().is_some() {
                entry.tighten_bounds(path);
            } else {
                base = entry.bounds(self.range);
            }
            entry.add_visit(value);
        }
        self.journal.note_at(entry, Change::Leaf);
        let value = BackupValue { value, bounds: ProvenBounds { base, path } };
        let score = (path.lower == path.upper).then_some(path.lower);
        LeafEvaluation {
            value,
            half_points_for_black: Some(for_black.half_points()),
            score,
            evaluated_score: None,
        }
    }

    fn evaluate_refuted(&mut self, entry: &Entry<'t>, bounds: ProvenBounds) -> LeafEvaluation {
        entry.add_visit(Value::LOSS);
        self.journal.note(entry.key(), Change::Leaf);
        let for_black = proof::outcome_for(self.leaf_player(), Outcome::Loss);
        let value = BackupValue { value: Value::LOSS, bounds };
        LeafEvaluation {
            value,
            half_points_for_black: Some(for_black.half_points()),
            score: None,
            evaluated_score: None,
        }
    }

    /// Returns the player to move at the leaf. It is derived from the path, since a playout has changed `game`.
    fn leaf_player(&self) -> Player {
        self.steps.last().map_or_else(|| self.root.to_play(), |step| step.mover.other())
    }

    /// Returns the value of a leaf without an entry: the mean of its edge, which alone stores its results, with
    /// `result` added.
    fn mean_of_edge_with(&self, result: Outcome) -> Value {
        let result = Value::from(result);
        let Some(step) = self.steps.last() else { return result };
        let Some(edge) = step.page.current_edge(step.index) else { return result };
        let visits = u64::from(edge.visits());
        let sum = u64::from(edge.value().other().0) * visits + u64::from(result.0);
        Value((sum / (visits + 1)) as u32)
    }
}
