//! The command line: the only layer that reads flags and prints.

mod analysis;
mod analyze;
mod argument_error;
mod bench;
mod closed_output;
mod command_line;
mod command_tree;
mod concurrency;
mod config;
mod contestants;
mod exit_codes;
mod experiments;
mod failures;
mod gtp;
mod gtp_check;
mod help;
mod interrupt;
mod join;
mod machine_benchmark;
mod manual;
mod match_games;
mod network;
mod network_choice;
mod options;
mod output_file;
mod play;
mod playouts;
mod print;
mod ranks;
mod record_files;
mod review;
mod selfplay;
mod settings;
mod shard_identity;
mod suite;
mod sweep;
mod table;
mod table_game;
mod usage_error;
mod value_parsers;

use self::command_line::CliCommand;
use self::exit_codes::{INTERRUPTED, USAGE_ERROR};
use self::print::print_error;
use self::ranks::RankUse;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::io;

/// A parsed command line.
pub struct Cli {
    /// `None` prints the help.
    command: Option<CliCommand>,
}

impl Cli {
    /// Parses the command line and the settings file. A request for help or the version prints it; a mistake prints one
    /// line on standard error. Both end the program.
    #[must_use]
    pub fn parse() -> Cli {
        Cli::read(std::env::args_os().collect()).unwrap_or_else(|error| {
            print_error(&format!("{error:#}"));
            std::process::exit(USAGE_ERROR)
        })
    }

    /// Parses the command line `words`, the program's name first. A request for help or the version prints it and ends
    /// the program.
    ///
    /// # Errors
    /// Returns an error of one line for a wrong command line or wrong settings.
    pub fn read(words: Vec<OsString>) -> Result<Cli> {
        let is_shard = words.iter().any(|word| word.to_string_lossy().starts_with("--shard"));
        let command = command_line::read(words)?;
        if let Some(CliCommand::Gtp(arguments)) = &command {
            arguments.check()?;
        }
        if let Some(command) = &command {
            let rank_use = match command {
                CliCommand::Gtp(_) | CliCommand::Analyze(_) | CliCommand::Analysis(_) => RankUse::Together,
                CliCommand::Completions(_) | CliCommand::Config(_) | CliCommand::Manual(_) => RankUse::Apart,
                _ if is_shard => RankUse::Apart,
                _ => RankUse::Repeated,
            };
            ranks::check(rank_use)?;
        }
        Ok(Cli { command })
    }

    /// Returns the exit code for the error of a command.
    #[must_use]
    pub fn exit_code(error: &anyhow::Error) -> u8 {
        if error.is::<interrupt::Interrupted>() {
            INTERRUPTED as u8
        } else if error.is::<usage_error::UsageError>() {
            USAGE_ERROR as u8
        } else {
            1
        }
    }

    /// Runs the command.
    ///
    /// # Errors
    /// Returns the command's error, with a message for the user.
    pub fn run(self) -> Result<()> {
        crate::base::platform::process::return_file_size_errors();
        // A reader such as `head` may close the output early; a protocol client may not.
        let is_conversation = matches!(self.command, Some(CliCommand::Gtp(_) | CliCommand::Analysis(_)));
        let outcome = self.dispatch();
        if is_conversation { outcome } else { unless_unread(outcome) }
    }

    fn dispatch(self) -> Result<()> {
        match self.command {
            Some(CliCommand::Gtp(arguments)) => gtp::run(arguments),
            Some(CliCommand::Analyze(arguments)) => analyze::run(arguments),
            Some(CliCommand::Review(arguments)) => review::run(&arguments),
            Some(CliCommand::Analysis(arguments)) => analysis::run(arguments),
            Some(CliCommand::Bench(arguments)) => bench::run(&arguments),
            Some(CliCommand::Match(arguments)) => match_games::run(&arguments),
            Some(CliCommand::Sweep(arguments)) => sweep::run(&arguments),
            Some(CliCommand::Suite(arguments)) => suite::run(&arguments),
            Some(CliCommand::Join(arguments)) => join::run(&arguments),
            Some(CliCommand::GtpCheck(arguments)) => gtp_check::run(&arguments),
            Some(CliCommand::Table(arguments)) => table::run(&arguments),
            Some(CliCommand::Network(arguments)) => network::run(&arguments),
            Some(CliCommand::Selfplay(arguments)) => selfplay::run(&arguments),
            Some(CliCommand::Play(arguments)) => play::run(&arguments),
            Some(CliCommand::Manual(arguments)) => manual::run(&arguments, command_line::program()),
            Some(CliCommand::Completions(arguments)) => {
                manual::print_completions(&arguments, command_line::program())
            }
            Some(CliCommand::Config(arguments)) => config::run(&arguments),
            None => help::explain(command_line::program()).print_help().context("cannot write output"),
        }
    }
}

/// Ignores the error of an output that its reader, such as `head`, has closed.
fn unless_unread(result: Result<()>) -> Result<()> {
    let is_unread = |error: &anyhow::Error| {
        let is_broken_pipe = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        error.downcast_ref::<io::Error>().is_some_and(is_broken_pipe)
            && crate::base::platform::output::is_closed()
    };
    result.or_else(|error| if is_unread(&error) { Ok(()) } else { Err(error) })
}
