//! The option of `tewari network` that names a network.

use crate::cli::network_choice::read_network;
use crate::network::Networks;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// The choice of a network.
#[derive(Args)]
pub(super) struct NetworkSource {
    /// A weights file. Default: the network in the program for the board.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
}

impl NetworkSource {
    /// Returns the network of the file, or those in the program.
    pub(super) fn networks(&self) -> Result<Networks> {
        self.network
            .as_deref()
            .map_or_else(|| Ok(Networks::Embedded), |path| read_network(path).map(Networks::Given))
    }
}
