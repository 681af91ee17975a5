//! The command line: the only layer that reads flags and prints.

mod abandoned;
mod analysis;
mod analyze;
mod bench;
mod contestants;
mod gtp;
mod gtp_check;
mod laboratory;
mod match_games;
mod network;
mod options;
mod play;
mod playouts;
mod review;
mod selfplay;
mod suite;
mod sweep;
mod table;
mod table_care;
mod table_game;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

/// What a mistake on the command line exits with; anything else that fails exits with 1.
const USAGE_ERROR: i32 = 2;

/// A Go engine whose search keeps no tree: every position lives in one fixed-size transposition table.
///
/// Without a subcommand it speaks GTP when standard input is not a terminal.
#[derive(Args)]
#[command(version, args_conflicts_with_subcommands = true)]
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
    /// Review whole games: where each was lost and what was better, as text, a page, a record or a table.
    Review(review::Arguments),
    /// Analyse positions on request, a line of JSON each: the protocol of KataGo's analysis engine.
    Analysis(analysis::Arguments),
    /// Search fixed positions with a fixed seed; the last line is the signature of the search and its speed.
    Bench(bench::Arguments),
    /// Play games between two engines, or a round robin of several, and say who is stronger.
    #[command(name = "match")]
    Match(match_games::Arguments),
    /// Measure table size against strength: games at every size, a table of results and a chart.
    Sweep(sweep::Arguments),
    /// Run a suite of positions with known answers, and count what is solved.
    Suite(suite::Arguments),
    /// Check whether a program speaks GTP as its specification has it.
    GtpCheck(gtp_check::Arguments),
    /// Make, look at, check, merge and resize table files.
    Table(table::Arguments),
    /// Look at the network, ask it, and prepare games to train it.
    Network(network::Arguments),
    /// Play games of the engine against itself, to train the network with.
    Selfplay(selfplay::Arguments),
    /// Play against the engine in the terminal.
    Play(play::Arguments),
}

impl CommandFactory for Cli {
    fn command() -> clap::Command {
        Cli::augment_args(clap::Command::new("tewari"))
    }

    fn command_for_update() -> clap::Command {
        Cli::augment_args_for_update(clap::Command::new("tewari"))
    }
}

impl Parser for Cli {
    /// Reads the command line. Help and version are printed; a mistake is one line on standard error, like
    /// every other error. Both end the program.
    fn parse() -> Cli {
        let arguments = with_long_options(std::env::args_os());
        Cli::try_parse_from(&arguments).unwrap_or_else(|error| {
            if !error.use_stderr() {
                error.exit();
            }
            let missing = (error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand)
                .then(|| missing_subcommand(&arguments));
            print_error(&missing.flatten().unwrap_or_else(|| one_line(&error)));
            std::process::exit(USAGE_ERROR)
        })
    }
}

impl Cli {
    /// Does what the command line asks.
    ///
    /// # Errors
    /// Whatever went wrong, in words for the user.
    pub fn run(self) -> Result<()> {
        match self.command {
            Some(Command::Gtp(arguments)) => gtp::run(arguments),
            Some(Command::Analyze(arguments)) => unless_unread(analyze::run(&arguments)),
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
            None if self.speak_gtp || !std::io::stdin().is_terminal() => gtp::run(self.gtp),
            None => Ok(Cli::command().print_help()?),
        }
    }
}

/// KataGo's clients write the long options of its analysis engine with one dash: `-model`, `-override-config`.
fn with_long_options(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if arguments.get(1).is_some_and(|command| command == "analysis") {
        for argument in &mut arguments {
            let is_long = |text: &&str| text.len() > 2 && text.starts_with('-') && !text.starts_with("--");
            if let Some(text) = argument.to_str().filter(is_long) {
                *argument = format!("-{text}").into();
            }
        }
    }
    arguments
}

/// What to type after a command that has others below it, such as `play`.
fn missing_subcommand(arguments: &[OsString]) -> Option<String> {
    let name = arguments.get(1)?.to_str()?;
    let command = Cli::command();
    let below = command.find_subcommand(name)?.get_subcommands().map(clap::Command::get_name);
    let names: Vec<&str> = below.filter(|name| *name != "help").collect();
    let first = names.first()?;
    Some(format!("expected one of {} after {name}; for example: tewari {name} {first}", names.join(", ")))
}

/// A reader that has had enough, such as `head`, is no failure.
fn unless_unread(result: Result<()>) -> Result<()> {
    let is_unread = |error: &anyhow::Error| {
        error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    result.or_else(|error| if is_unread(&error) { Ok(()) } else { Err(error) })
}

/// Says a line on standard error; one that is closed must not end what we do.
fn print_error(line: &str) {
    let _ = writeln!(std::io::stderr(), "tewari: {line}");
}

/// What is wrong and the tip, without the usage that follows.
fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let is_usage = |part: &&str| part.starts_with("Usage:") || part.starts_with("For more information");
    let parts = text.split("\n\n").filter(|part| !is_usage(part));
    let parts: Vec<String> =
        parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    format!("{}; try --help", parts.join("; "))
}
