//! The `tewari` program.

use std::io::Write;
use std::process::ExitCode;
use tewari::cli::Cli;

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A write to a closed standard error must not replace the exit code by a panic's.
            let _ = writeln!(std::io::stderr(), "tewari: {error:#}");
            ExitCode::from(Cli::exit_code(&error))
        }
    }
}
