//! Lines on standard output and standard error.

use anyhow::{Context, Result};
use std::io::{self, Write};

/// Prints a line on standard output. [`Cli::run`](super::Cli::run) ignores the error of a closed output.
pub(super) fn print_line(line: impl std::fmt::Display) -> Result<()> {
    writeln!(io::stdout(), "{line}").context("cannot write output")
}

/// Prints a line on standard error and ignores failures: a closed standard error must not end the program.
pub(super) fn print_error(line: &str) {
    let _ = writeln!(io::stderr(), "tewari: {line}");
}
