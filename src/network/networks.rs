//! Networks in memory: those embedded in the program, and those of weights files.

use super::weights::{self, Architecture, Layers, WeightsError};
use super::{kernels, layer};
use crate::go::Size;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The embedded networks, for large boards and for small ones; see `tools/train/README.md` for their training.
const EMBEDDED: [&[u8]; 2] = [include_bytes!("weights-19x19.bin"), include_bytes!("weights-9x9.bin")];
/// Maximum side of a small board.
pub const MAX_SMALL_SIDE: usize = 9;

/// The networks that an engine uses.
#[derive(Clone, Debug)]
pub enum Networks {
    /// The embedded networks: [`Network::embedded`].
    Embedded,
    /// One network for all boards.
    Given(Arc<Network>),
}

impl Networks {
    /// Returns the network for boards of `size`.
    #[must_use]
    pub fn network_for(&self, size: Size) -> Arc<Network> {
        match self {
            Networks::Embedded => Network::embedded(size),
            Networks::Given(network) => Arc::clone(network),
        }
    }

    /// Returns all of them, the one for small boards first.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Network>> {
        match self {
            Networks::Embedded => [MAX_SMALL_SIDE, MAX_SMALL_SIDE + 1]
                .iter()
                .filter_map(|&side| Size::new(side, side).ok())
                .map(Network::embedded)
                .collect(),
            Networks::Given(network) => vec![Arc::clone(network)],
        }
    }
}

/// A network with its weights.
#[derive(Clone, Debug)]
pub struct Network {
    pub(super) architecture: Architecture,
    pub(super) layers: Layers,
    identity: NonZeroU64,
}

impl Network {
    /// Reads a weights file.
    ///
    /// # Errors
    /// Returns an error if the file is cut off, damaged, larger than [`weights::MAX_BYTES`], of another version, or no
    /// weights file.
    pub fn load(bytes: &[u8]) -> Result<Network, WeightsError> {
        let (architecture, layers, identity) = weights::read(bytes)?;
        let identity = NonZeroU64::new(identity).unwrap_or(NonZeroU64::MIN);
        Ok(Network { architecture, layers, identity })
    }

    /// Returns the embedded network for boards of `size`; boards with no side above [`MAX_SMALL_SIDE`] have their
    /// own. It stays in memory only while it is in use.
    #[must_use]
    pub fn embedded(size: Size) -> Arc<Network> {
        static LOADED: [Mutex<Weak<Network>>; 2] = [const { Mutex::new(Weak::new()) }; 2];
        let which = usize::from(size.columns().max(size.rows()) <= MAX_SMALL_SIDE);
        let mut loaded = LOADED[which].lock().unwrap_or_else(PoisonError::into_inner);
        loaded.upgrade().unwrap_or_else(|| {
            let network = Network::load(EMBEDDED[which]);
            let network =
                Arc::new(network.expect("the networks in the program are sound: a test loads them"));
            *loaded = Arc::downgrade(&network);
            network
        })
    }

    /// Returns the architecture, as in the header of the weights file.
    #[must_use]
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Returns a number that identifies the network, from the checksum of its weights. Evaluations of different
    /// networks must never be mixed.
    #[must_use]
    pub fn identity(&self) -> NonZeroU64 {
        self.identity
    }

    /// Arranges the weights for this processor's fastest kernel, if it needs a copy of them in another order. Evaluators created
    /// later give the same results in less time.
    pub fn arrange_weights(&self) {
        self.layers.arrange(kernels::Kernel::best().weight_order());
    }

    /// Returns the maximum memory of weights in another order, in bytes; the same on every processor.
    #[must_use]
    pub fn arranged_bytes(&self) -> usize {
        self.layers.convolutions().map(layer::Convolution::tile_bytes).sum()
    }

    /// Returns the memory of the weights in bytes, without those in another order.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Network>() + self.layers.bytes()
    }

    /// Returns the size of its weights file in bytes.
    #[must_use]
    pub fn file_bytes(&self) -> usize {
        weights::file_bytes(&self.architecture)
    }
}
