//! The subcommands and options of the program, and the parser of its command line.

use super::argument_error::message_with_hint;
use super::command_tree::{change_command, named_command, with_any_value};
use super::print::exit_after_print;
use super::settings::{Settings, with_default};
use super::{
    analysis, analyze, bench, config, gtp, gtp_check, help, join, manual, match_games, network, play, review,
    selfplay, suite, sweep, table,
};
use anyhow::{Result, bail};
use clap::error::ErrorKind;
use clap::{Arg, Args, FromArgMatches, Subcommand};
use std::ffi::OsString;
use std::io::IsTerminal;

/// A Go engine that stores every position in one transposition table of fixed size and keeps no search tree.
///
/// Without a subcommand it speaks GTP when standard input is not a terminal.
#[derive(Args)]
#[command(version, args_conflicts_with_subcommands = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<CliCommand>,
    #[command(flatten)]
    gtp: gtp::GtpArguments,
    /// Speak GTP even if standard input is a terminal, for user interfaces that pass this flag.
    #[arg(long = "gtp", hide = true)]
    speak_gtp: bool,
}

#[derive(Subcommand)]
pub(super) enum CliCommand {
    /// Play over the Go Text Protocol on standard input and output.
    Gtp(gtp::GtpArguments),
    /// Analyse a game or a position: win rates, best moves, main lines.
    Analyze(analyze::AnalyzeArguments),
    /// Review whole games: the moves that lost them and the better moves, as text, a web page, a record or a table.
    Review(review::ReviewArguments),
    /// Answer analysis queries, one JSON object a line, in the protocol of KataGo's analysis engine.
    Analysis(analysis::AnalysisArguments),
    /// Search fixed positions with a fixed seed; the last line is the signature of the search and its speed.
    Bench(bench::BenchArguments),
    /// Play games between two engines, or a round robin of several, and estimate their strength.
    #[command(name = "match")]
    Match(match_games::MatchArguments),
    /// Measure strength against table size: games at each size, a table of results and a chart.
    Sweep(sweep::SweepArguments),
    /// Run a suite of test positions with known answers, and count the solved ones.
    Suite(suite::SuiteArguments),
    /// Put together the folders of all shards of a match, sweep, suite, self-play, review or `network prepare`, made with
    /// --shard I/N.
    Join(join::JoinArguments),
    /// Check that a program follows the GTP specification.
    GtpCheck(gtp_check::GtpCheckArguments),
    /// Create, inspect, check, merge and resize table files.
    Table(table::TableArguments),
    /// Inspect the network, evaluate positions with it, and prepare games for its training.
    Network(network::NetworkArguments),
    /// Play games of the engine against itself, to train the network with.
    Selfplay(selfplay::SelfplayArguments),
    /// Play against the engine in the terminal.
    Play(play::PlayArguments),
    /// Print the value of every option and its source: the default, the settings file or the command line.
    Config(config::ConfigArguments),
    /// Install manual pages and completions for bash, zsh and fish below a folder such as /usr/local.
    Manual(manual::ManualArguments),
    /// Print completions for a shell.
    Completions(manual::CompletionArguments),
}

/// Returns the program with all subcommands and options.
pub(super) fn program() -> clap::Command {
    // [`Settings::read`] removes `--config` before the command line is parsed; it is declared here for the help.
    let config = Arg::new("config").long("config").value_name("FILE").global(true).help(
        "Settings file in TOML, or none. Default: the file named by TEWARI_CONFIG, or tewari/config.toml in $XDG_CONFIG_HOME or ~/.config",
    );
    CommandLine::augment_args(clap::Command::new("tewari")).arg(config)
}

/// Parses `arguments` and the settings file. Returns `None` if the help is to be printed because there is nothing else
/// to do; `--help` and `--version` end the program.
///
/// # Errors
/// Returns an error of one line for a wrong command line or wrong settings.
pub(super) fn read(mut arguments: Vec<OsString>) -> Result<Option<CliCommand>> {
    let settings = Settings::read(&mut arguments, &program())?;
    let arguments = with_long_options(arguments);
    let line = read_line(&arguments, &settings)?;
    Ok(match line.command {
        Some(CliCommand::Config(mut arguments)) => {
            arguments.text = config::describe(&arguments.command, &program(), &settings)?;
            Some(CliCommand::Config(arguments))
        }
        None if line.speak_gtp || !std::io::stdin().is_terminal() => Some(CliCommand::Gtp(line.gtp)),
        command => command,
    })
}

fn read_line(arguments: &[OsString], settings: &Settings) -> Result<CommandLine> {
    let program = with_settings(program(), arguments, settings)?;
    let mistake = match program
        .try_get_matches_from(arguments)
        .and_then(|mut it| CommandLine::from_arg_matches_mut(&mut it))
    {
        Ok(line) => return Ok(line),
        Err(error) if !error.use_stderr() => exit_after_print(error.print()),
        Err(error) => error,
    };
    let missing = mistake.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    bail!(
        missing
            .then(|| missing_subcommand(arguments))
            .flatten()
            .unwrap_or_else(|| message_with_hint(&mistake))
    )
}

/// Returns the program with the settings of the named command as defaults. Its flags also accept `=true` and `=false`,
/// or its help is complete if the arguments request it.
fn with_settings(
    mut program: clap::Command,
    arguments: &[OsString],
    settings: &Settings,
) -> Result<clap::Command> {
    let words = arguments.get(1..).unwrap_or_default();
    let is_help = words.iter().any(|word| ["-h", "--help", "help"].iter().any(|help| word == help));
    if is_help {
        program = help::explain(program);
    }
    let (command, path, count) = named_command(&program, words);
    let held = settings.held(command, if count == 0 { "gtp" } else { &path }, &words[count..])?;
    Ok(change_command(program, &path, &|command| {
        let command = command.mut_args(|option| with_default(option, &held));
        if is_help { command } else { command.mut_args(with_any_value) }
    }))
}

/// Adds the second dash to the long options of `analysis`: KataGo's clients write `-model`, `-override-config`.
pub(super) fn with_long_options(mut arguments: Vec<OsString>) -> Vec<OsString> {
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

/// Returns the message for a command without its subcommand, such as a bare `play`.
fn missing_subcommand(arguments: &[OsString]) -> Option<String> {
    let name = arguments.get(1)?.to_str()?;
    let command = program();
    let below = command.find_subcommand(name)?.get_subcommands().map(clap::Command::get_name);
    let names: Vec<&str> = below.filter(|name| *name != "help").collect();
    let first = names.first()?;
    Some(format!("expected one of {} after {name}; for example: tewari {name} {first}", names.join(", ")))
}
