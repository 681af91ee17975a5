//! Errors of single files and records in commands for several.

use crate::cli::print::print_error;
use anyhow::Result;

/// The errors of files and records. They are printed as they occur, except the last, which is the program's error.
#[derive(Default)]
pub(super) struct Failures {
    last: Option<anyhow::Error>,
}

impl Failures {
    /// Prints the last error and replaces it.
    pub(super) fn add(&mut self, error: anyhow::Error) {
        self.print();
        self.last = Some(error);
    }

    /// Prints the last error and removes it.
    pub(super) fn print(&mut self) {
        if let Some(error) = self.last.take() {
            print_error(&format!("{error:#}"));
        }
    }

    /// Returns the last error, if it was not printed.
    pub(super) fn into_result(self) -> Result<()> {
        self.last.map_or(Ok(()), Err)
    }
}
