//! The choice of a network on the command line.

use crate::network::weights::MAX_BYTES;
use crate::network::{Network, Networks};
use anyhow::{Context, Result, anyhow, ensure};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The value of `--network`: a network, or none.
#[derive(Clone, Debug)]
pub(super) struct NetworkChoice(Option<Arc<Network>>);

impl NetworkChoice {
    /// Returns the chosen network, if any, or without a choice those in the program.
    pub(super) fn or_default(choice: Option<&NetworkChoice>) -> Option<Networks> {
        match choice {
            None => Some(Networks::Embedded),
            Some(choice) => choice.0.clone().map(Networks::Given),
        }
    }
}

/// Reads the network of a weights file; `none` is no network.
pub(super) fn parse_network(text: &str) -> Result<NetworkChoice, String> {
    if text == "none" {
        return Ok(NetworkChoice(None));
    }
    let network = read_network(Path::new(text));
    network.map(|network| NetworkChoice(Some(network))).map_err(|error| format!("{error:#}"))
}

/// Reads the network of a weights file.
pub(super) fn read_network(path: &Path) -> Result<Arc<Network>> {
    let name = path.display();
    ensure!(
        path != Path::new("none") || path.exists(),
        "{name}: this command needs a network; give a weights file"
    );
    let mut bytes = Vec::new();
    // One byte above the limit is enough to detect a file that is too large.
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read {name}"))?;
    Ok(Arc::new(Network::load(&bytes).map_err(|error| anyhow!("{name}: {error}"))?))
}
