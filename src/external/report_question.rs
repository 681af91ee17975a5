//! Questions for reports, which do not hold up the search that they report on.

use super::answer::ExternalEvaluation;
use super::evaluator::ExternalEvaluator;
use super::process::EvaluatorProcess;
use super::question::Question;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

/// A question that was sent for a report. Its answer is discarded once it is dropped.
pub struct ReportQuestion {
    question: Question,
    id: String,
    process: Arc<EvaluatorProcess>,
    answer: Receiver<String>,
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
    /// Sends a question for a report; `None` if there is no evaluator to answer it.
    pub fn send_for_report(&self, question: Question) -> Option<ReportQuestion> {
        let process = self.running().ok()?;
        let (id, answer) = self.send(&process, &question);
        Some(ReportQuestion { question, id, process, answer })
    }

    /// Returns the answer to a question, for which it waits `until` a time at most.
    pub fn answer_for_report(&self, sent: &ReportQuestion, until: Instant) -> ReportAnswer {
        let line = match sent.answer.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => return ReportAnswer::Waiting,
            Err(RecvTimeoutError::Disconnected) => return ReportAnswer::Failed,
        };
        let evaluation = ExternalEvaluation::read(&line, sent.question.size).ok();
        let is_of_model = || self.check_model(&sent.process, &|| Instant::now() > until).is_ok();
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
        self.process.forget(&self.id);
    }
}
