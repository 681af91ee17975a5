//! The `tewari` program.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match tewari::cli::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed, which must not hide the exit code behind a panic's.
            let _ = writeln!(std::io::stderr(), "tewari: {error:#}");
            ExitCode::FAILURE
        }
    }
}
