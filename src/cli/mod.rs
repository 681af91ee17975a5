//! The command line: the only layer that reads flags and prints.

mod abandoned;
mod analysis;
mod analyze;
mod bench;
mod command_line;
mod config;
mod contestants;
mod gtp;
mod gtp_check;
mod help;
mod laboratory;
mod machine;
mod manual;
mod match_games;
mod network;
mod options;
mod output_file;
mod play;
mod playouts;
mod review;
mod selfplay;
mod settings;
mod suite;
mod sweep;
mod table;
mod table_care;
mod table_game;

use self::command_line::{Command, in_one_line, one_line};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::io::{self, Write};

/// What a mistake on the command line exits with; anything else that fails exits with 1.
const USAGE_ERROR: i32 = 2;

/// What a command line asks for.
pub struct Cli {
    /// Nothing asks for help.
    command: Option<Command>,
}

impl Cli {
    /// Reads the command line and the settings. Help and version are printed; a mistake is one line on standard error,
    /// like every other error. Both end the program.
    #[must_use]
    pub fn parse() -> Cli {
        Cli::read(std::env::args_os().collect()).unwrap_or_else(|error| {
            print_error(&format!("{error:#}"));
            std::process::exit(USAGE_ERROR)
        })
    }

    /// The same for a command line of words, the program's name first. Help and version end the program.
    ///
    /// # Errors
    /// What is wrong with them, in one line.
    pub fn read(words: Vec<OsString>) -> Result<Cli> {
        let command = command_line::read(words)?;
        if let Some(Command::Gtp(arguments)) = &command {
            arguments.check()?;
        }
        Ok(Cli { command })
    }

    /// Does what the command line asks.
    ///
    /// # Errors
    /// Whatever went wrong, in words for the user.
    pub fn run(self) -> Result<()> {
        // A client that is gone is no reader that has had enough.
        let is_conversation = matches!(self.command, Some(Command::Gtp(_) | Command::Analysis(_)));
        let outcome = self.dispatch();
        if is_conversation { outcome } else { unless_unread(outcome) }
    }

    fn dispatch(self) -> Result<()> {
        match self.command {
            Some(Command::Gtp(arguments)) => gtp::run(arguments),
            Some(Command::Analyze(arguments)) => analyze::run(&arguments),
            Some(Command::Review(arguments)) => review::run(&arguments),
            Some(Command::Analysis(arguments)) => analysis::run(&arguments),
            Some(Command::Bench(arguments)) => bench::run(&arguments),
            Some(Command::Match(arguments)) => match_games::run(&arguments),
            Some(Command::Sweep(arguments)) => sweep::run(&arguments),
            Some(Command::Suite(arguments)) => suite::run(&arguments),
            Some(Command::GtpCheck(arguments)) => gtp_check::run(&arguments),
            Some(Command::Table(arguments)) => table::run(&arguments),
            Some(Command::Network(arguments)) => network::run(&arguments),
            Some(Command::Selfplay(arguments)) => selfplay::run(&arguments),
            Some(Command::Play(arguments)) => play::run(&arguments),
            Some(Command::Manual(arguments)) => manual::run(&arguments, command_line::program()),
            Some(Command::Completions(arguments)) => {
                manual::print_completions(&arguments, command_line::program())
            }
            Some(Command::Config(arguments)) => {
                config::run(arguments, &help::explain(command_line::program()))
            }
            None => Ok(help::explain(command_line::program()).print_help()?),
        }
    }
}

/// A reader that has had enough, such as `head`, is no failure.
fn unless_unread(result: Result<()>) -> Result<()> {
    let is_unread = |error: &anyhow::Error| {
        let is_broken_pipe = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        error.downcast_ref::<io::Error>().is_some_and(is_broken_pipe) && crate::platform::output::is_closed()
    };
    result.or_else(|error| if is_unread(&error) { Ok(()) } else { Err(error) })
}

/// Prints a line on standard output; nobody may read it any more, which is an error that [`Cli::run`] forgives.
fn print_line(line: impl std::fmt::Display) -> Result<()> {
    writeln!(io::stdout(), "{line}").context("cannot write output")
}

/// Says a line on standard error; one that is closed must not end what we do.
fn print_error(line: &str) {
    let _ = writeln!(std::io::stderr(), "tewari: {line}");
}
