//! Evaluations in progress, so that two workers seldom evaluate the same position.
//!
//! Virtual loss keeps workers apart in positions with few visits. Below positions with many they often reach the same new
//! position: with two workers on 9x9 one evaluation in fifteen was made twice. The second worker runs a playout instead, or
//! waits if the evaluator's value ends the simulation.

use crate::base::pause::Pause;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

/// Shortest and longest time between two checks of an evaluation by another worker, which takes from 50 microseconds in
/// the program to many milliseconds in another process.
const WAITS: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(2)];

/// The key of the position that each worker of a search evaluates; 0 is none.
pub(super) struct PendingEvaluations(Box<[AtomicU64]>);

/// The place of one worker among the pending evaluations.
#[derive(Clone, Copy)]
pub(super) struct PendingPlace<'p> {
    all: &'p PendingEvaluations,
    own: usize,
}

impl PendingEvaluations {
    /// Creates the places of `workers` workers.
    pub(super) fn new(workers: usize) -> PendingEvaluations {
        PendingEvaluations((0..workers).map(|_| AtomicU64::new(0)).collect())
    }

    /// Returns the place of worker number `own`.
    pub(super) fn place(&self, own: usize) -> PendingPlace<'_> {
        PendingPlace { all: self, own }
    }
}

impl PendingPlace<'_> {
    /// Calls `evaluate`, unless another worker evaluates the position with `key`. If two workers begin at the same time, both
    /// may be refused.
    pub(super) fn unless_pending<T>(&self, key: u64, evaluate: impl FnOnce() -> T) -> Option<T> {
        let own = &self.all.0[self.own];
        // Both are sequentially consistent: of two workers that begin, at least one sees the other.
        own.store(key, SeqCst);
        let result = (!self.is_pending(key)).then(evaluate);
        own.store(0, SeqCst);
        result
    }

    /// Returns what `stored` finds for the position with `key`, else what `evaluate` returns, once no other worker evaluates
    /// the position.
    pub(super) fn stored_or_evaluated<T>(
        &self,
        key: u64,
        pause: &dyn Pause,
        stored: impl Fn() -> Option<T>,
        mut evaluate: impl FnMut() -> T,
    ) -> T {
        loop {
            if let Some(found) = stored() {
                return found;
            }
            // Another worker may have stored its evaluation and left since the look above.
            match self.unless_pending(key, || stored().unwrap_or_else(&mut evaluate)) {
                Some(result) => return result,
                None => self.wait(key, pause),
            }
        }
    }

    /// Returns true if another worker evaluates the position with `key`.
    fn is_pending(&self, key: u64) -> bool {
        let mut others = self.all.0.iter().enumerate().filter(|(worker, _)| *worker != self.own);
        others.any(|(_, other)| other.load(SeqCst) == key)
    }

    /// Waits until no other worker evaluates the position with `key`.
    pub(super) fn wait(&self, key: u64, pause: &dyn Pause) {
        // Other coroutines may wait for an evaluation that this worker has just finished.
        pause.let_others_run();
        let [mut wait, longest] = WAITS;
        while self.is_pending(key) {
            pause.wait_for_worker(wait);
            wait = longest.min(2 * wait);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::pause::ThreadPause;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_position_is_evaluated_by_one_worker_at_a_time() {
        let pending = PendingEvaluations::new(3);
        let [first, second] = [0, 1].map(|worker| pending.place(worker));
        let result =
            first.unless_pending(7, || (second.unless_pending(7, || 1), second.unless_pending(8, || 2)));
        assert_eq!(result, Some((None, Some(2))));
        assert_eq!(second.unless_pending(7, || 3), Some(3));
    }

    #[test]
    fn an_evaluation_stored_just_before_the_claim_is_not_made_again() {
        let pending = PendingEvaluations::new(2);
        let (stored, looks) = (AtomicU64::new(0), AtomicU64::new(0));
        let look = || {
            let found = stored.load(SeqCst);
            if looks.fetch_add(1, SeqCst) == 0 {
                // The other worker stores its evaluation between the first look and the claim.
                pending.place(1).unless_pending(7, || stored.store(5, SeqCst));
            }
            (found != 0).then_some(found)
        };
        let evaluate = || unreachable!("an evaluation is stored");
        assert_eq!(pending.place(0).stored_or_evaluated(7, &ThreadPause, look, evaluate), 5);
        assert_eq!(looks.into_inner(), 2);
    }

    #[test]
    fn threads_never_evaluate_a_position_together() {
        let pending = PendingEvaluations::new(4);
        let is_busy = AtomicBool::new(false);
        let evaluations = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let (place, is_busy, evaluations) = (pending.place(worker), &is_busy, &evaluations);
                scope.spawn(move || {
                    for _ in 0..20_000 {
                        place.unless_pending(7, || {
                            assert!(!is_busy.swap(true, SeqCst));
                            evaluations.fetch_add(1, SeqCst);
                            is_busy.store(false, SeqCst);
                        });
                    }
                });
            }
        });
        assert!(evaluations.into_inner() > 0);
    }
}
