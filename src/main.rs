//! The `tewari` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    match tewari::cli::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tewari: {error:#}");
            ExitCode::FAILURE
        }
    }
}
