//! Errors of an engine.

use super::ranks::RankError;
use crate::base::memory::BudgetError;
use crate::table::{FileError, TableError};

/// A failure to create an engine, to change its board, or to search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// An impossible memory budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A failure to create the table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A policy that needs an evaluator, without one.
    #[error(
        "the policy {policy} needs an evaluator: leave out --network none, give --evaluator, or choose another policy"
    )]
    NoEvaluator {
        /// The policy's name.
        policy: &'static str,
    },
    /// A table file for an evaluator that has no name.
    #[error(
        "a table file stores evaluations under the name of the model, and the command of --evaluator has none: give --evaluator-name"
    )]
    NamelessEvaluator,
    /// An evaluator in another process, with a policy that has playouts.
    #[error("the policy {policy} cannot use --evaluator: expected puct (leave out --policy)")]
    NeedsPlayouts {
        /// The policy's name.
        policy: &'static str,
    },
    /// A search that ended for lack of an evaluation by the evaluator in another process.
    #[error("{reason}")]
    Evaluator {
        /// The reason.
        reason: String,
    },
    /// A failure of a search on several ranks.
    #[error(transparent)]
    Ranks(#[from] RankError),
    /// A failure of the table's file.
    #[error(transparent)]
    File(#[from] FileError),
}
