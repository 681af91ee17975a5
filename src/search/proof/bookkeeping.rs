//! Reads and writes of proven bounds during a simulation.

use super::inference::{bounds_from_all_moves, bounds_from_child};
use super::lookup::{path_bounds_of, permitted, twin_bounds};
use super::{ProvenBounds, permits};
use crate::base::game::{Bounds, Game};
use crate::search::journal::Change;
use crate::search::path::{BackupValue, Step};
use crate::search::policy::SelectionPolicy;
use crate::search::worker::Worker;
use crate::table::Entry;

impl<'t, G: Game, P: SelectionPolicy> Worker<'t, '_, G, P> {
    /// Returns the path bounds of the current position.
    #[inline]
    pub(in crate::search) fn path_bounds_at(&self, entry: &Entry<'_>) -> Bounds {
        path_bounds_of(self.table, &self.game, entry, self.range)
    }

    /// Stores and returns the bounds of the leaf, which has all moves refuted.
    pub(in crate::search) fn store_refutation(&mut self, entry: &Entry<'t>) -> ProvenBounds {
        let ProvenBounds { base, path } = bounds_from_all_moves(self.table, &self.game);
        entry.tighten_bounds(base);
        let base = entry.bounds(self.range);
        let permitted = permitted(base, permits(&self.game), self.range);
        let path = path.intersect(permitted);
        if path != permitted {
            self.store_path_bounds(entry, self.game.key_with_history(), path);
        }
        ProvenBounds { base, path }
    }

    /// Stores and returns the bounds of the position of `step` that follow from those of the child.
    pub(in crate::search) fn store_bounds_from_child(
        &mut self,
        step: &Step<'t>,
        child: &BackupValue,
    ) -> ProvenBounds {
        let (table, replayed, root, steps) = (self.table, &mut self.replayed, &self.root, &self.steps);
        let from_all_moves = || {
            replayed.clone_from(root);
            steps.iter().for_each(|earlier| replayed.play(earlier.mv));
            bounds_from_all_moves(table, replayed)
        };
        let has_repetition_rule = root.has_repetition_rule();
        let inferred = bounds_from_child(step, child, self.range, has_repetition_rule, from_all_moves);
        step.entry.tighten_bounds(inferred.base);
        let base = step.entry.bounds(self.range);
        let permitted = permitted(base, step.permits_proof_for, self.range);
        let mut path = inferred.path.intersect(permitted);
        if step.entry.has_twin() {
            path = path.intersect(twin_bounds(self.table, step.key_with_history, self.range));
        }
        if has_repetition_rule && path != permitted {
            self.store_path_bounds(&step.entry, step.key_with_history, path);
        }
        ProvenBounds { base, path }
    }

    /// Stores path bounds in the twin of `entry`; called if they are tighter than the base bounds permitted on this
    /// path.
    fn store_path_bounds(&mut self, entry: &Entry<'t>, key_with_history: u64, path: Bounds) {
        if let Some(twin) = self.find_or_claim_entry(key_with_history) {
            twin.tighten_bounds(path);
            // Replacement thus values the twin like the position itself.
            twin.set_total(entry.total());
            entry.mark_twin();
            self.journal.note(key_with_history, Change::Bounds);
        }
    }
}
