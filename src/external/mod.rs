//! Evaluators in another process, which speak KataGo's analysis protocol.
//!
//! A [`Question`] is a position with at most five moves before it: stones, turn, ko and passes, rules and komi. Its answer is
//! stored for all paths to the position. [`ExternalEvaluator`] runs the process: it starts with the first question,
//! answers questions of many threads at a time, and is started again if it ends.

mod answer;
mod evaluator;
mod loading;
mod process;
mod question;
mod report_question;

pub use answer::ExternalEvaluation;
pub use evaluator::{AskError, ExternalEvaluator, REPORT_LIMIT};
pub use loading::LoadingMessages;
pub use question::Question;
pub use report_question::{ReportAnswer, ReportQuestion};
