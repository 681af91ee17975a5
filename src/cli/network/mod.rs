//! `tewari network`: inspection, evaluation and training data of networks.

mod compare;
mod prepare;
mod show;

use crate::network::weights::MAX_BYTES;
use crate::network::{Network, Networks};
use anyhow::{Context, Result, anyhow, ensure};
use clap::{Args, Subcommand};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Print the name, architecture and training of a network.
    Info(Source),
    /// Print the network's evaluation of a position of a game.
    Eval(show::Arguments),
    /// Compare a network with a search without one, on games kept for validation: forecasts of the winner and of the
    /// owner of each point.
    Compare(compare::Arguments),
    /// Convert recorded games to positions for the trainer.
    Prepare(prepare::Arguments),
}

/// The choice of a network.
#[derive(Args)]
struct Source {
    /// A weights file. Default: the network in the program for the board.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Info(source) => {
            super::print_line(format_args!("{}", show::all_info(&source.networks()?)))?;
            Ok(())
        }
        What::Eval(arguments) => show::run(arguments),
        What::Compare(arguments) => compare::run(arguments),
        What::Prepare(arguments) => prepare::run(arguments),
    }
}

impl Source {
    fn networks(&self) -> Result<Networks> {
        self.network.as_deref().map_or_else(|| Ok(Networks::Embedded), |path| load(path).map(Networks::Given))
    }
}

/// Reads the network of a weights file.
pub(super) fn load(path: &Path) -> Result<Arc<Network>> {
    let name = path.display();
    ensure!(
        path != Path::new("none") || path.exists(),
        "expected a weights file, found {name}: there would be no network to ask"
    );
    let mut bytes = Vec::new();
    // One byte above the limit is enough to detect a file that is too large.
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read {name}"))?;
    Ok(Arc::new(Network::load(&bytes).map_err(|error| anyhow!("{name}: {error}"))?))
}
