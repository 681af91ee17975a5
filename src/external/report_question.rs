//! Questions for reports, which do not hold up the search that they report on.

use super::answer::ExternalEvaluation;
use super::evaluator::ExternalEvaluator;
use super::process::{Answer, EvaluatorProcess};
use super::question::Question;
use crate::base::pause::{Pause, ThreadPause};
use std::sync::Arc;
use std::time::Instant;

/// A question that was sent for a report. Its answer is discarded once it is dropped.
pub struct ReportQuestion {
    question: Question,
    id: u64,
    process: Arc<EvaluatorProcess>,
    answer: Arc<Answer>,
}

/// The state of a question for a report.
pub enum ReportAnswer {
    /// The answer has not come yet.
    Waiting,
    /// There will be no answer, or none that can be used.
    Failed,
    /// The answer.
    Answered(ExternalEvaluation),
}

impl ExternalEvaluator {
    /// Sends a question for a report by the thread that will wait for the answer; `None` if there is no evaluator to
    /// answer it.
    pub fn send_for_report(&self, question: Question) -> Option<ReportQuestion> {
        let process = self.running().ok()?;
        let (id, answer) = self.send(&process, &question);
        process.flush();
        Some(ReportQuestion { question, id, process, answer })
    }

    /// Returns the answer to a question, for which it waits `until` a time at most.
    pub fn answer_for_report(&self, sent: &ReportQuestion, until: Instant) -> ReportAnswer {
        let line = loop {
            match sent.answer.line() {
                Some(Some(line)) => break line,
                Some(None) => return ReportAnswer::Failed,
                None => {}
            }
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return ReportAnswer::Waiting;
            }
            ThreadPause.wait_for_thread(rest);
        };
        let Question { size, has_ownership, .. } = sent.question;
        let evaluation = ExternalEvaluation::read(line, size, has_ownership).ok();
        let is_of_model =
            || self.check_model(&sent.process, &ThreadPause, &|| Instant::now() > until).is_ok();
        match evaluation.filter(|_| is_of_model()) {
            Some(evaluation) => {
                self.keep_for_reports(&sent.question, &evaluation);
                ReportAnswer::Answered(evaluation)
            }
            None => ReportAnswer::Failed,
        }
    }
}

impl Drop for ReportQuestion {
    fn drop(&mut self) {
        self.process.forget(self.id);
    }
}
