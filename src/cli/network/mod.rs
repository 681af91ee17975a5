//! `tewari network`: inspection, evaluation and training data of networks.

mod compare;
mod games;
mod label;
mod prepare;
mod show;
mod source;

use self::source::NetworkSource;
use super::print::print_line;
use anyhow::Result;
use clap::{Args, Subcommand};

#[derive(Args)]
pub(super) struct NetworkArguments {
    #[command(subcommand)]
    what: NetworkCommand,
}

#[derive(Subcommand)]
enum NetworkCommand {
    /// Print the name, architecture and training of a network.
    Info(NetworkSource),
    /// Print the network's evaluation of a position of a game.
    Eval(show::EvalArguments),
    /// Compare a network with a search without one, on games kept for validation: forecasts of the winner and of the
    /// owner of each point.
    Compare(compare::CompareArguments),
    /// Evaluate positions of games by another program, for the trainer.
    Label(label::LabelArguments),
    /// Convert recorded games to positions for the trainer.
    Prepare(prepare::PrepareArguments),
}

pub(super) fn run(arguments: &NetworkArguments) -> Result<()> {
    match &arguments.what {
        NetworkCommand::Info(source) => {
            print_line(format_args!("{}", show::all_info(&source.networks()?)))?;
            Ok(())
        }
        NetworkCommand::Eval(arguments) => show::run(arguments),
        NetworkCommand::Compare(arguments) => compare::run(arguments),
        NetworkCommand::Label(arguments) => label::run(arguments),
        NetworkCommand::Prepare(arguments) => prepare::run(arguments),
    }
}
