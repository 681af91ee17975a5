//! `tewari table`: work with table files.

mod create;
mod dump;
mod info;
mod join;
mod learn;
mod maintenance;
mod statistics;

use self::create::CreateArguments;
use self::dump::DumpArguments;
use self::info::InfoArguments;
use self::join::{MergeArguments, ResizeArguments};
use self::learn::LearnArguments;
use self::maintenance::{SnapshotArguments, VerifyArguments};
use anyhow::Result;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct TableArguments {
    #[command(subcommand)]
    command: TableCommand,
}

#[derive(Subcommand)]
enum TableCommand {
    /// Create an empty table file.
    Create(CreateArguments),
    /// Print the game and settings that a table was made for, and statistics of its content.
    Info(InfoArguments),
    /// Check every entry and every edge page.
    Verify(VerifyArguments),
    /// Copy a table, even while other processes search in it.
    Snapshot(SnapshotArguments),
    /// Add up the statistics of several tables.
    Merge(MergeArguments),
    /// Change the size of a table; a smaller one keeps the most visited positions.
    Resize(ResizeArguments),
    /// Remove all positions from a table.
    Clear {
        /// The table file.
        file: PathBuf,
    },
    /// Print the best lines from a position, as far as they are in a table.
    Dump(DumpArguments),
    /// Take the analyses that KaTrain, Lizzie and LizzieYzy stored in game records into a table, for searches with the same
    /// evaluator.
    Learn(LearnArguments),
}

pub(super) fn run(arguments: &TableArguments) -> Result<()> {
    match &arguments.command {
        TableCommand::Create(arguments) => create::create(arguments),
        TableCommand::Info(arguments) => info::info(arguments),
        TableCommand::Verify(arguments) => maintenance::verify(arguments),
        TableCommand::Snapshot(arguments) => maintenance::snapshot(arguments),
        TableCommand::Merge(arguments) => join::merge(arguments),
        TableCommand::Resize(arguments) => join::resize(arguments),
        TableCommand::Clear { file } => join::clear(file),
        TableCommand::Dump(arguments) => dump::dump(arguments),
        TableCommand::Learn(arguments) => learn::learn(arguments),
    }
}
