//! The choice of a network on the command line.

use crate::base::bounded_file::read_bounded;
use crate::network::weights::MAX_BYTES;
use crate::network::{Network, Networks};
use anyhow::{Context, Result, anyhow, ensure};
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
    let bytes = read_bounded(path, MAX_BYTES).with_context(|| format!("cannot read {name}"))?;
    Ok(Arc::new(Network::load(&bytes).map_err(|error| anyhow!("{name}: {error}"))?))
}
