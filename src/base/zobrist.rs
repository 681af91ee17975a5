//! Zobrist keys: the same numbers in every run, in every build and on every machine, since table files contain them.
//!
//! All keys are drawn in a fixed order from one ChaCha8 generator seeded with [`SEED`], which table files record. Points are
//! numbered on the largest board, so that a point has the same key on every board that contains it.

use rand::SeedableRng;
use rand::rand_core::Rng;
use rand_chacha::ChaCha8Rng;

/// Seed of the key generator, written into every table file: "Tewari" in ASCII and the version of the order of drawing
/// below.
pub const SEED: u64 = 0x5465_7761_7269_0001;

/// Points on a side of the largest board.
pub const SIDE: usize = 19;

/// The random numbers of position keys.
pub struct Keys {
    /// Keys of a stone of player `p` on point `i` (`row * SIDE + column`): `stones[p][i]`.
    pub stones: [[u64; SIDE * SIDE]; 2],
    /// Keys of the point that a simple ko forbids.
    pub ko: [u64; SIDE * SIDE],
    /// Key of positions with White to move.
    pub white_to_play: u64,
    /// Keys of one or two passes just made: `passes[n]`; `passes[0] == 0`.
    pub passes: [u64; 3],
}

impl Keys {
    fn draw() -> Keys {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut keys =
            Keys { stones: [[0; SIDE * SIDE]; 2], ko: [0; SIDE * SIDE], white_to_play: 0, passes: [0; 3] };
        for key in keys.stones.as_flattened_mut() {
            *key = rng.next_u64();
        }
        for key in &mut keys.ko {
            *key = rng.next_u64();
        }
        keys.white_to_play = rng.next_u64();
        keys.passes[1] = rng.next_u64();
        keys.passes[2] = rng.next_u64();
        keys
    }
}

/// Returns the keys, drawn at first use.
#[must_use]
pub fn keys() -> &'static Keys {
    static KEYS: std::sync::OnceLock<Keys> = std::sync::OnceLock::new();
    KEYS.get_or_init(Keys::draw)
}

/// Mixes a word so that each input bit flips about half of the output bits: the finaliser of SplitMix64 (Steele, Lea &
/// Flood, OOPSLA 2014).
#[must_use]
#[inline]
pub const fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_never_change_because_files_hold_them() {
        let keys = keys();
        assert_eq!(keys.stones[0][0], FIRST_KEY);
        assert_eq!(keys.passes[2], LAST_KEY);
    }

    #[test]
    fn no_two_keys_are_equal() {
        let keys = keys();
        let mut all: Vec<u64> = keys.stones.as_flattened().to_vec();
        all.extend(keys.ko);
        all.extend([keys.white_to_play, keys.passes[1], keys.passes[2]]);
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    const FIRST_KEY: u64 = 0x9267_b4a5_67a7_145a;
    const LAST_KEY: u64 = 0xf67c_c726_8cec_d92d;
}
