//! Messages while an evaluator loads its model.

use super::evaluator::ExternalEvaluator;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time before the first message and between two.
const INTERVAL: Duration = Duration::from_secs(5);

/// The messages of one wait for an evaluator, which may load and tune for minutes.
pub struct LoadingMessages {
    evaluator: Option<Arc<ExternalEvaluator>>,
    next: Instant,
}

impl LoadingMessages {
    /// Begins a wait; without an evaluator there are no messages.
    #[must_use]
    pub fn new(evaluator: Option<&Arc<ExternalEvaluator>>) -> LoadingMessages {
        LoadingMessages { evaluator: evaluator.cloned(), next: Instant::now() + INTERVAL }
    }

    /// Returns a message if one is due and the evaluator is still loading. To be called often.
    pub fn due(&mut self) -> Option<String> {
        let evaluator = self.evaluator.as_ref()?;
        if Instant::now() < self.next {
            return None;
        }
        self.next = Instant::now() + INTERVAL;
        let progress = evaluator.progress()?;
        Some(format!("waiting for {progress}").trim_end_matches(": ").to_owned())
    }
}
