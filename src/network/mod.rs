//! A small network that reads a position: which move will be played, whose each point will be, and the score.
//!
//! It is fully convolutional and reads every board. All of it is integers, so that every processor gives the same
//! bits, whatever its instructions. It knows planes and numbers, no table and no search. Start reading with
//! [`planes`], what it sees; then [`evaluator`], what it does; [`kernels`] has the loops where the time goes,
//! `winograd` what makes them fewer, [`weights`] the file.
//!
//! ```text
//! planes ─ 3x3 ─ block ─ ... ─ block ─┬─ 1x1 ─┬─ policy of each point
//!                                     │   ↑   └─ owner of each point
//!                                     └ pool ─ hidden ─ pass, score: mean and spread
//!
//! block:  x ─ 3x3 ─ y ─ 3x3 ─ (+ x) ─        pool: mean, mean scaled by the board's side, maximum
//!                   └ pool ─┘
//! ```
//!
//! Every arrow ends in 0 to 127, six of the seven bits behind the binary point: clipping is the only
//! non-linearity. Sources: Wu, "Accelerating Self-Play Learning in Go", arXiv 1902.10565 (planes, pooling,
//! heads); the documentation of Stockfish's NNUE (clipped bytes, powers of two as scales).

pub mod chances;
pub mod evaluator;
pub mod games;
pub mod kernels;
mod layer;
pub mod own_games;
pub mod planes;
pub mod samples;
pub mod symmetry;
pub mod weights;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AVX2 has tiles"))]
mod winograd;

pub use evaluator::{Evaluation, Evaluator, ScoreEstimate};
pub use planes::Situation;
pub use symmetry::Symmetry;
pub use weights::{Architecture, WeightsError};

use crate::go::Size;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use weights::Layers;

/// The networks in the program, for large boards and for small ones; `tools/train/README.md` says how they were made.
const EMBEDDED: [&[u8]; 2] = [include_bytes!("weights.bin"), include_bytes!("weights-small.bin")];
/// The longest side of a small board.
pub const SMALL_SIDE: usize = 9;

/// The networks that an engine asks.
#[derive(Clone, Debug)]
pub enum Networks {
    /// Those in the program: [`Network::embedded`].
    Embedded,
    /// One for all boards.
    Given(Arc<Network>),
}

impl Networks {
    /// The network for boards of `size`.
    #[must_use]
    pub fn network_for(&self, size: Size) -> Arc<Network> {
        match self {
            Networks::Embedded => Network::embedded(size),
            Networks::Given(network) => Arc::clone(network),
        }
    }

    /// All of them, the one for the smallest boards first.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Network>> {
        match self {
            Networks::Embedded => [SMALL_SIDE, SMALL_SIDE + 1]
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
    architecture: Architecture,
    layers: Layers,
    identity: NonZeroU64,
}

impl Network {
    /// Reads a weights file.
    ///
    /// # Errors
    /// When it is cut, foreign, of another version, larger than [`weights::MAX_BYTES`], or damaged.
    pub fn load(bytes: &[u8]) -> Result<Network, WeightsError> {
        let (architecture, layers, identity) = weights::read(bytes)?;
        let identity = NonZeroU64::new(identity).unwrap_or(NonZeroU64::MIN);
        Ok(Network { architecture, layers, identity })
    }

    /// The network in the program for boards of `size`: one is for those with no side above [`SMALL_SIDE`]. It stays in memory
    /// as long as somebody has it.
    #[must_use]
    pub fn embedded(size: Size) -> Arc<Network> {
        static LOADED: [Mutex<Weak<Network>>; 2] = [const { Mutex::new(Weak::new()) }; 2];
        let which = usize::from(size.columns().max(size.rows()) <= SMALL_SIDE);
        let mut loaded = LOADED[which].lock().unwrap_or_else(PoisonError::into_inner);
        loaded.upgrade().unwrap_or_else(|| {
            let network = Network::load(EMBEDDED[which]);
            let network =
                Arc::new(network.expect("the networks in the program are sound: a test loads them"));
            *loaded = Arc::downgrade(&network);
            network
        })
    }

    /// What it is.
    #[must_use]
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// A number that no other network has: what one says must never be mixed with what another says.
    #[must_use]
    pub fn identity(&self) -> NonZeroU64 {
        self.identity
    }

    /// Makes weights for the [tiles](kernels::Kernel::Avx2Tiles) of the fastest kernel of this processor, if it has any and they
    /// are not made. Evaluators that are made afterwards say the same in less time.
    pub fn make_tile_weights(&self) {
        if kernels::Kernel::best().has_tiles() {
            self.layers.make_tile_weights();
        }
    }

    /// Bytes that weights for tiles take in memory, whatever the processor.
    #[must_use]
    pub fn tile_bytes(&self) -> usize {
        self.layers.convolutions().map(layer::Convolution::tile_bytes).sum()
    }

    /// Bytes that its weights take in memory, without those for tiles.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Network>() + self.layers.bytes()
    }

    /// Bytes of its weights file.
    #[must_use]
    pub fn file_bytes(&self) -> usize {
        weights::file_bytes(&self.architecture)
    }
}
