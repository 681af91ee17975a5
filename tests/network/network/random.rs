//! Networks with random weights.

/// A random generator: the finaliser of SplitMix64 (Steele, Lea, Flood 2014) over a counter.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// The dimensions of a network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) channels: usize,
    pub(crate) blocks: usize,
    pub(crate) pooled: u32,
}

/// Returns a weights file of this shape, with all heads trained and weights of all sizes.
pub(crate) fn random_weights(shape: Shape, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes = b"TewariNN".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend((shape.channels as u16).to_le_bytes());
    bytes.extend((shape.blocks as u16).to_le_bytes());
    bytes.extend(0x3f_ffff_u32.to_le_bytes());
    bytes.extend(shape.pooled.to_le_bytes());
    bytes.extend(7_u32.to_le_bytes());
    bytes.resize(64, 0);
    let channels = shape.channels;
    let mut layer = |inputs: usize, outputs: usize, has_bias: bool| {
        for _ in 0..inputs * outputs {
            bytes.push(random.next() as u8);
        }
        // Shifts that scale random sums back to the range of activations.
        for _ in 0..outputs {
            bytes.push(6 + random.below(5) as u8);
        }
        for _ in 0..if has_bias { outputs } else { 0 } {
            bytes.extend(((random.next() as i32) >> 18).to_le_bytes());
        }
    };
    layer(9 * 32, channels, true);
    for block in 0..shape.blocks {
        layer(9 * channels, channels, true);
        if shape.pooled >> block & 1 != 0 {
            layer(3 * channels, channels, false);
        }
        layer(9 * channels, channels, true);
    }
    layer(channels, 64, true);
    layer(3 * channels, 64, false);
    layer(32, 1, true);
    layer(32, 1, true);
    layer(3 * channels, 64, true);
    layer(64, 3, true);
    sealed(bytes)
}

/// Returns the same bytes with a correct checksum.
pub(crate) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes[40..48].fill(0);
    let sum = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    bytes[40..48].copy_from_slice(&sum.to_le_bytes());
    bytes
}
