//! Mistakes on the command line that only a command finds, such as a handicap that the board has no points for.

use anyhow::Result;

/// The error of a wrong command line, for which the program has an exit code of its own.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct UsageError(pub(super) String);

/// Turns any error into one of a wrong command line.
pub(super) fn usage<T>(outcome: Result<T>) -> Result<T> {
    outcome.map_err(|error| UsageError(format!("{error:#}")).into())
}
