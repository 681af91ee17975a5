//! What may be typed, and how it is read.

use super::settings::{Choice, Settings, is_settled_flag, named_command, settle_flags};
use super::{
    analysis, analyze, bench, config, gtp, gtp_check, help, manual, match_games, network, play, review,
    selfplay, suite, sweep, table,
};
use anyhow::{Result, bail};
use clap::error::ErrorKind;
use clap::{Arg, Args, FromArgMatches, Subcommand};
use std::ffi::OsString;
use std::io::IsTerminal;

/// A Go engine whose search keeps no tree: every position lives in one fixed-size transposition table.
///
/// Without a subcommand it speaks GTP when standard input is not a terminal.
#[derive(Args)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Line {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    gtp: gtp::Arguments,
    /// Accepted and ignored, for user interfaces that insist on it.
    #[arg(long = "gtp", hide = true)]
    speak_gtp: bool,
}

#[derive(Subcommand)]
pub(super) enum Command {
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
    /// Print every option that holds, and where it comes from: a default, the settings file, the command line.
    Config(config::Arguments),
    /// Install manual pages, and completions for bash, zsh and fish, below a prefix.
    Manual(manual::Arguments),
    /// Print completions for a shell.
    Completions(manual::CompletionArguments),
}

/// All commands and options.
pub(super) fn program() -> clap::Command {
    // Taken out of the command line before it is read; here for the help.
    let config = Arg::new("config").long("config").value_name("FILE").global(true).help(
        "Settings: a TOML file, or none. Default: what TEWARI_CONFIG says, or tewari/config.toml in $XDG_CONFIG_HOME or \
         ~/.config",
    );
    Line::augment_args(clap::Command::new("tewari")).arg(config)
}

/// What `arguments` and the settings ask for, `None` for help; help and version that are asked for end the program.
///
/// # Errors
/// What is wrong with them, in one line.
pub(super) fn read(mut arguments: Vec<OsString>) -> Result<Option<Command>> {
    let choice = Choice::take(&mut arguments)?;
    let arguments = with_long_options(arguments);
    let settings = choice.read()?;
    if settings.is_none()
        && let Some(command) = read_frequent(&arguments)
    {
        return Ok(Some(command));
    }
    let line = read_line(arguments, settings.as_ref())?;
    Ok(match line.command {
        Some(Command::Config(mut arguments)) => {
            arguments.set_settings(choice, settings);
            Some(Command::Config(arguments))
        }
        None if line.speak_gtp || !std::io::stdin().is_terminal() => Some(Command::Gtp(line.gtp)),
        command => command,
    })
}

/// The commands that must leave the memory to their table: their options are read without building those of all others.
/// `None` for others, and where [`read_line`] has something to say.
fn read_frequent(arguments: &[OsString]) -> Option<Command> {
    fn alone<A: Args>(arguments: &[OsString]) -> Option<A> {
        let command = A::augment_args(clap::Command::new("tewari"));
        A::from_arg_matches_mut(&mut command.try_get_matches_from(arguments).ok()?).ok()
    }
    let arguments = arguments.get(1..)?;
    match arguments.first()?.to_str()? {
        "gtp" => alone(arguments).map(Command::Gtp),
        "analyze" => alone(arguments).map(Command::Analyze),
        _ => None,
    }
}

fn read_line(mut arguments: Vec<OsString>, settings: Option<&Settings>) -> Result<Line> {
    let mut program = program();
    if arguments.iter().any(|argument| ["-h", "--help", "help"].iter().any(|help| argument == help)) {
        program = help::explain(program);
    }
    let (path, words) = named_command(&program, arguments.get(1..).unwrap_or_default());
    if let Some(settings) = settings {
        settings.check(&program)?;
    }
    let path = if words == 0 { &[] } else { &path[..] };
    if settings.is_some() || arguments.iter().any(is_settled_flag) {
        program = at(program, path, &mut |command| settle(command, path, &mut arguments, settings))?;
    }
    let mistake =
        match program.try_get_matches_from(&arguments).and_then(|mut it| Line::from_arg_matches_mut(&mut it))
        {
            Ok(line) => return Ok(line),
            Err(error) if !error.use_stderr() => error.exit(),
            Err(error) => error,
        };
    let missing = mistake.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    bail!(missing.then(|| missing_subcommand(&arguments)).flatten().unwrap_or_else(|| one_line(&mistake)))
}

/// Changes the command at `path` of a program.
fn at(
    command: clap::Command,
    path: &[String],
    change: &mut dyn FnMut(clap::Command) -> Result<clap::Command>,
) -> Result<clap::Command> {
    let Some((name, rest)) = path.split_first() else { return change(command) };
    let mut outcome = Ok(());
    let command = command.mut_subcommand(name, |command| {
        let kept = clap::Command::default();
        at(command, rest, change).unwrap_or_else(|error| {
            outcome = Err(error);
            kept
        })
    });
    outcome.map(|()| command)
}

/// The command at `path` with the defaults that hold for it; flags that `arguments` turn off are taken out of them.
fn settle(
    command: clap::Command,
    path: &[String],
    arguments: &mut Vec<OsString>,
    settings: Option<&Settings>,
) -> Result<clap::Command> {
    let off = settle_flags(&command, arguments);
    let Some(settings) = settings else { return Ok(command) };
    let gtp = ["gtp".to_owned()];
    let path = if path.is_empty() { &gtp } else { path };
    let mut held = settings.held(&command, path, arguments);
    held.retain(|held| !off.iter().any(|off| off == held.key));
    settings.apply(command, &held)
}

/// KataGo's clients write the long options of its analysis engine with one dash: `-model`, `-override-config`.
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

/// What to type after a command that has others below it, such as `play`.
fn missing_subcommand(arguments: &[OsString]) -> Option<String> {
    let name = arguments.get(1)?.to_str()?;
    let command = program();
    let below = command.find_subcommand(name)?.get_subcommands().map(clap::Command::get_name);
    let names: Vec<&str> = below.filter(|name| *name != "help").collect();
    let first = names.first()?;
    Some(format!("expected one of {} after {name}; for example: tewari {name} {first}", names.join(", ")))
}

/// What is wrong, the tip, and what to try.
pub(super) fn one_line(error: &clap::Error) -> String {
    format!("{}; try --help", in_one_line(error))
}

/// What is wrong and the tip, without the usage that follows.
pub(super) fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let is_usage = |part: &&str| part.starts_with("Usage:") || part.starts_with("For more information");
    let parts = text.split("\n\n").filter(|part| !is_usage(part));
    let parts: Vec<String> =
        parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    parts.join("; ")
}
