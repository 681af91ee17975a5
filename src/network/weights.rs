//! The format of weights files.
//!
//! A header of 64 bytes and the layers; all numbers are little-endian.
//!
//! | bytes  | content                                                             |
//! |--------|---------------------------------------------------------------------|
//! | 0..8   | the eight characters `TewariNN`                                     |
//! | 8..12  | version: 2, or 1 if the score does not add the owners               |
//! | 12..14 | channels of the trunk: a multiple of 32, at most 128                |
//! | 14..16 | blocks of the trunk, at most 32                                     |
//! | 16..20 | input planes used, a bit each ([`super::planes::plane`])            |
//! | 20..24 | blocks with global pooling, a bit each                              |
//! | 24..28 | trained heads: 1 policy, 2 owners, 4 score                          |
//! | 32..40 | number of positions it was trained on                               |
//! | 40..48 | FNV-1a checksum of all bytes, with zeros in this field              |
//! | 48..64 | name, padded with zeros                                             |
//!
//! A layer consists of its weights (8 bits; in a convolution by tap, input, output, in others by input, output), a shift
//! for each output (8 bits), and, except in pooling, a bias for each output (32 bits). The layers are, in this order:
//! the input; for each block the first convolution, pooling if it has it, the second convolution; the heads' 1x1
//! convolution and its pooling; policy; owners; the hidden layer of the whole board and its three outputs.

use super::cells::LANES;
use super::layer::{Convolution, Dense, MAX_SHIFT, WeightOrder};
use super::planes::{PLANES, PlaneSet};
use crate::base::checksum::fnv1a;

/// Maximum size of a weights file in bytes.
pub const MAX_BYTES: usize = 500_000;
/// Number of channels of the policy head, and of the owners head.
pub(super) const HEAD_CHANNELS: usize = LANES;
/// Number of outputs of the hidden layer of the whole board.
pub(super) const HIDDEN_OUTPUTS: usize = 64;
/// Number of outputs of the whole board: pass, mean and spread of the score.
pub(super) const OUTPUTS: usize = 3;

const MAGIC: [u8; 8] = *b"TewariNN";
const VERSION: u32 = 2;
/// The earlier version, in which the mean of the score is the network's output without the sum of the owners.
const VERSION_WITHOUT_OWNERS: u32 = 1;
const HEADER_BYTES: usize = 64;
const CHECKSUM: std::ops::Range<usize> = 40..48;
/// Maximum number of channels of the trunk.
pub(super) const MAX_CHANNELS: usize = 128;
const MAX_BLOCKS: usize = 32;

/// An error of a weights file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// The file is larger than [`MAX_BYTES`].
    #[error("too large for a weights file: expected at most {MAX_BYTES} bytes, found {found}")]
    TooLarge {
        /// Size of the file in bytes.
        found: usize,
    },
    /// The file is not a weights file.
    #[error("not a weights file: it must begin with TewariNN")]
    NotWeights,
    /// The file has a version that this program does not support.
    #[error(
        "the weights file has version {found}, this program reads versions {VERSION_WITHOUT_OWNERS} and {VERSION}: use the \
         program version that made the file"
    )]
    Version {
        /// Version of the file.
        found: u32,
    },
    /// The network has an architecture that this program cannot run.
    #[error("this program cannot run a network with {what}: use a newer version of the program")]
    Architecture {
        /// The unsupported part of the architecture.
        what: String,
    },
    /// The size of the file does not match its header.
    #[error(
        "the weights file has {found} bytes, its header states {expected}: it is incomplete or has extra data; copy it again"
    )]
    Length {
        /// Size by the header, in bytes.
        expected: usize,
        /// Size of the file in bytes.
        found: usize,
    },
    /// The checksum does not match.
    #[error("the weights file is damaged (its checksum does not match): copy it again")]
    Damaged,
}

/// The trained heads of a network; the outputs of the others are meaningless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trained {
    /// True if the policy was trained.
    pub policy: bool,
    /// True if the owners of points were trained.
    pub owners: bool,
    /// True if the score was trained.
    pub score: bool,
}

/// The architecture of a network, as in the header of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Channels of the trunk.
    pub channels: usize,
    /// Residual blocks of the trunk, two convolutions each.
    pub blocks: usize,
    /// The input planes that it uses.
    pub planes: PlaneSet,
    /// Blocks with global pooling, a bit each.
    pub pooled_blocks: u32,
    /// The trained heads.
    pub trained: Trained,
    /// True if the mean of the score is the network's output plus the sum of the owners.
    pub adds_owners: bool,
    /// Number of positions it was trained on.
    pub samples: u64,
    /// Name given at the export.
    pub name: String,
}

impl Architecture {
    /// Returns the version of its weights file.
    #[must_use]
    pub fn version(&self) -> u32 {
        if self.adds_owners { VERSION } else { VERSION_WITHOUT_OWNERS }
    }
}

/// A residual block.
#[derive(Clone, Debug)]
pub(super) struct ResidualBlock {
    pub(super) first: Convolution,
    pub(super) pooling: Option<Dense>,
    pub(super) second: Convolution,
}

/// All layers of a network.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    pub(super) input: Convolution,
    pub(super) blocks: Vec<ResidualBlock>,
    pub(super) head: Convolution,
    pub(super) head_pooling: Dense,
    pub(super) policy: Dense,
    pub(super) owners: Dense,
    pub(super) hidden: Dense,
    pub(super) outputs: Dense,
}

impl Layers {
    /// Returns the layers of 3x3 points.
    pub(super) fn convolutions(&self) -> impl Iterator<Item = &Convolution> {
        let of_blocks = self.blocks.iter().flat_map(|block| [&block.first, &block.second]);
        std::iter::once(&self.input).chain(of_blocks)
    }

    /// Computes the weights in this order, unless they are computed.
    pub(super) fn arrange(&self, order: WeightOrder) {
        for layer in self.convolutions() {
            layer.arrange(order);
        }
    }

    /// Returns the memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        let blocks: usize = self
            .blocks
            .iter()
            .map(|block| {
                block.first.bytes() + block.second.bytes() + block.pooling.as_ref().map_or(0, Dense::bytes)
            })
            .sum();
        let dense = [&self.head_pooling, &self.policy, &self.owners, &self.hidden, &self.outputs];
        self.input.bytes() + blocks + self.head.bytes() + dense.map(Dense::bytes).iter().sum::<usize>()
    }
}

/// Reads a weights file. Also returns its checksum, which identifies the network.
pub(super) fn read(bytes: &[u8]) -> Result<(Architecture, Layers, u64), WeightsError> {
    if bytes.len() > MAX_BYTES {
        return Err(WeightsError::TooLarge { found: bytes.len() });
    }
    if !bytes.starts_with(&MAGIC) {
        return Err(WeightsError::NotWeights);
    }
    let cut = WeightsError::Length { expected: HEADER_BYTES, found: bytes.len() };
    let (header, body) = bytes.split_first_chunk::<HEADER_BYTES>().ok_or(cut)?;
    let architecture = read_header(header)?;
    let expected = file_bytes(&architecture);
    if expected != bytes.len() {
        return Err(WeightsError::Length { expected, found: bytes.len() });
    }
    let checksum = checksum(header, body);
    if checksum.to_le_bytes() != header[CHECKSUM] {
        return Err(WeightsError::Damaged);
    }
    Ok((architecture.clone(), read_layers(&architecture, body)?, checksum))
}

fn read_header(header: &[u8; HEADER_BYTES]) -> Result<Architecture, WeightsError> {
    let short = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
    let version = word(8);
    if ![VERSION_WITHOUT_OWNERS, VERSION].contains(&version) {
        return Err(WeightsError::Version { found: version });
    }
    let architecture = Architecture {
        channels: short(12),
        blocks: short(14),
        planes: PlaneSet(word(16)),
        pooled_blocks: word(20),
        trained: Trained { policy: word(24) & 1 != 0, owners: word(24) & 2 != 0, score: word(24) & 4 != 0 },
        adds_owners: version != VERSION_WITHOUT_OWNERS,
        samples: u64::from_le_bytes(std::array::from_fn(|i| header[32 + i])),
        name: String::from_utf8_lossy(&header[48..]).trim_end_matches('\0').escape_debug().to_string(),
    };
    let Architecture { channels, blocks, planes, pooled_blocks, .. } = architecture;
    let wrong = if channels == 0 || channels % LANES != 0 || channels > MAX_CHANNELS {
        format!("{channels} channels")
    } else if blocks > MAX_BLOCKS {
        format!("{blocks} blocks")
    } else if u64::from(pooled_blocks) >> blocks != 0 {
        format!("global pooling in blocks {pooled_blocks:#b} of {blocks}")
    } else if planes.0 & !PlaneSet::KNOWN.0 != 0 {
        format!("input planes {:#x}", planes.0 & !PlaneSet::KNOWN.0)
    } else {
        return Ok(architecture);
    };
    Err(WeightsError::Architecture { what: wrong })
}

/// Returns the shapes of the layers in their order: taps (0 if not a convolution), inputs, outputs, and true if there
/// are biases.
fn shapes(architecture: &Architecture) -> Vec<([usize; 3], bool)> {
    let channels = architecture.channels;
    let mut shapes = vec![([9, PLANES, channels], true)];
    for block in 0..architecture.blocks {
        shapes.push(([9, channels, channels], true));
        if architecture.pooled_blocks >> block & 1 != 0 {
            shapes.push(([0, 3 * channels, channels], false));
        }
        shapes.push(([9, channels, channels], true));
    }
    shapes.extend([
        ([1, channels, 2 * HEAD_CHANNELS], true),
        ([0, 3 * channels, 2 * HEAD_CHANNELS], false),
        ([0, HEAD_CHANNELS, 1], true),
        ([0, HEAD_CHANNELS, 1], true),
        ([0, 3 * channels, HIDDEN_OUTPUTS], true),
        ([0, HIDDEN_OUTPUTS, OUTPUTS], true),
    ]);
    shapes
}

/// Returns the size of the network's file in bytes.
pub(super) fn file_bytes(architecture: &Architecture) -> usize {
    HEADER_BYTES + body_bytes(architecture)
}

fn body_bytes(architecture: &Architecture) -> usize {
    let layer = |([taps, inputs, outputs], has_bias): ([usize; 3], bool)| {
        taps.max(1) * inputs * outputs + outputs + if has_bias { 4 * outputs } else { 0 }
    };
    shapes(architecture).into_iter().map(layer).sum()
}

fn read_layers(architecture: &Architecture, body: &[u8]) -> Result<Layers, WeightsError> {
    let mut reader = Reader { body };
    let pool = 3 * architecture.channels;
    let channels = architecture.channels;
    let input = reader.convolution([9, PLANES, channels])?;
    let mut blocks = Vec::with_capacity(architecture.blocks);
    for block in 0..architecture.blocks {
        let first = reader.convolution([9, channels, channels])?;
        let pooling = match architecture.pooled_blocks >> block & 1 {
            0 => None,
            _ => Some(reader.dense([pool, channels], false)?),
        };
        blocks.push(ResidualBlock { first, pooling, second: reader.convolution([9, channels, channels])? });
    }
    Ok(Layers {
        input,
        blocks,
        head: reader.convolution([1, channels, 2 * HEAD_CHANNELS])?,
        head_pooling: reader.dense([pool, 2 * HEAD_CHANNELS], false)?,
        policy: reader.dense([HEAD_CHANNELS, 1], true)?,
        owners: reader.dense([HEAD_CHANNELS, 1], true)?,
        hidden: reader.dense([pool, HIDDEN_OUTPUTS], true)?,
        outputs: reader.dense([HIDDEN_OUTPUTS, OUTPUTS], true)?,
    })
}

/// Reads layers from the front of the body, after a check of its length.
struct Reader<'a> {
    body: &'a [u8],
}

impl Reader<'_> {
    fn take(&mut self, bytes: usize) -> Result<&[u8], WeightsError> {
        let (taken, rest) = self.body.split_at_checked(bytes).ok_or(WeightsError::Damaged)?;
        self.body = rest;
        Ok(taken)
    }

    fn weights(&mut self, count: usize) -> Result<Vec<i8>, WeightsError> {
        Ok(self.take(count)?.iter().map(|&byte| byte.cast_signed()).collect())
    }

    fn shifts(&mut self, count: usize) -> Result<Vec<u8>, WeightsError> {
        let shifts = self.take(count)?.to_vec();
        // The trainer writes no larger shifts, so the checksum was computed over damaged bytes.
        if shifts.iter().all(|&shift| shift <= MAX_SHIFT) { Ok(shifts) } else { Err(WeightsError::Damaged) }
    }

    fn biases(&mut self, count: usize) -> Result<Vec<i32>, WeightsError> {
        let bytes = self.take(4 * count)?.as_chunks::<4>().0;
        Ok(bytes.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect())
    }

    fn convolution(&mut self, shape: [usize; 3]) -> Result<Convolution, WeightsError> {
        let weights = self.weights(shape.iter().product())?;
        let shifts = self.shifts(shape[2])?;
        Ok(Convolution::new(shape, &weights, &shifts, &self.biases(shape[2])?))
    }

    fn dense(&mut self, shape: [usize; 2], has_bias: bool) -> Result<Dense, WeightsError> {
        let weights = self.weights(shape.iter().product())?;
        let shifts = self.shifts(shape[1])?;
        let bias = self.biases(if has_bias { shape[1] } else { 0 })?;
        Ok(Dense::new(shape, &weights, &shifts, &bias))
    }
}

/// Returns the FNV-1a checksum of header and body, with the checksum's own bytes as zeros.
fn checksum(header: &[u8; HEADER_BYTES], body: &[u8]) -> u64 {
    let mut header = *header;
    header[CHECKSUM].fill(0);
    fnv1a(header.iter().chain(body).copied())
}
