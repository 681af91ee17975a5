//! Lines on standard output and standard error, and progress bars.

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};

/// Prints a line on standard output. [`Cli::run`](super::Cli::run) ignores the error of a closed output.
pub(super) fn print_line(line: impl std::fmt::Display) -> Result<()> {
    writeln!(io::stdout(), "{line}").context("cannot write output")
}

/// Prints a text that ends its last line on standard output, like [`print_line`].
pub(super) fn print_text(text: &str) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes()).context("cannot write output")
}

/// Ends the program after a text on request, such as the help, was printed: successfully, also if its reader has closed the
/// output, or with a message if it cannot be written.
pub(super) fn exit_after_print(printed: io::Result<()>) -> ! {
    match printed.and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            print_error(&format!("cannot write output: {error}"));
            std::process::exit(1)
        }
        _ => std::process::exit(0),
    }
}

/// Prints a line on standard error and ignores failures: a closed standard error must not end the program.
pub(super) fn print_error(line: &str) {
    let _ = writeln!(io::stderr(), "tewari: {line}");
}

/// Returns a number with the name of a thing, in the plural unless there is one.
pub(super) fn plural(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Returns a progress bar that counts `things` up to `count`, drawn on standard error if that is a terminal.
pub(super) fn progress_bar(count: u64, things: &str, is_quiet: bool) -> ProgressBar {
    let bar = if is_quiet { ProgressBar::hidden() } else { ProgressBar::new(count) };
    let style =
        ProgressStyle::with_template(&format!("{{bar:30}} {{pos}} of {{len}} {things}, {{eta}} left"));
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
