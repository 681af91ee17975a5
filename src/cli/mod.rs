//! The command line: the only layer that reads flags and prints.

mod analyze;
mod bench;
mod gtp;
mod options;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};
use std::io::IsTerminal;

/// A Go engine whose search keeps no tree: every position lives in one fixed-size transposition table.
///
/// Without a subcommand it speaks GTP when standard input is not a terminal.
#[derive(Parser)]
#[command(name = "tewari", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    gtp: gtp::Arguments,
    /// Accepted and ignored, for user interfaces that insist on it.
    #[arg(long = "gtp", hide = true)]
    speak_gtp: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Play over the Go Text Protocol on standard input and output.
    Gtp(gtp::Arguments),
    /// Analyse a game or a position: win rates, best moves, principal variations.
    Analyze(analyze::Arguments),
    /// Search fixed positions with a fixed seed; the last line is the signature of the search and its speed.
    Bench(bench::Arguments),
}

impl Cli {
    /// Does what the command line asks.
    ///
    /// # Errors
    /// Whatever went wrong, in words for the user.
    pub fn run(self) -> Result<()> {
        match self.command {
            Some(Command::Gtp(arguments)) => gtp::run(arguments),
            Some(Command::Analyze(arguments)) => analyze::run(&arguments),
            Some(Command::Bench(arguments)) => bench::run(&arguments),
            None if self.speak_gtp || !std::io::stdin().is_terminal() => gtp::run(self.gtp),
            None => Ok(Cli::command().print_help()?),
        }
    }
}
