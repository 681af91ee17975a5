//! Random numbers: one seed per run, a ChaCha stream per worker, a small fast generator within it.
//!
//! The algorithms are fixed, since reproducible results depend on them: ChaCha8 gives the seeds, xoroshiro128++ (Blackman &
//! Vigna, <https://prng.di.unimi.it>) the playouts.

use rand::SeedableRng;
use rand::rand_core::Rng;
use rand_chacha::ChaCha8Rng;
use rand_xoshiro::Xoroshiro128PlusPlus;

/// The random number generator of playouts.
#[derive(Clone, Debug)]
pub struct PlayoutRng(Xoroshiro128PlusPlus);

impl PlayoutRng {
    /// Creates the generator of worker `stream` in a run with `seed`, seeded from that stream of the ChaCha8 generator of
    /// `seed`.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> PlayoutRng {
        let mut source = ChaCha8Rng::seed_from_u64(seed);
        source.set_stream(stream);
        PlayoutRng(Xoroshiro128PlusPlus::from_rng(&mut source))
    }

    /// Returns 64 uniform bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number in `0..bound`, for `bound` in `1..=2^32`.
    ///
    /// Multiply-shift without rejection (Lemire, "Fast Random Integer Generation in an Interval", ACM TOMACS 2019): its
    /// deviation from uniform is less than `bound / 2^32`.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.0.next_u64() >> 32) * bound as u64) >> 32) as usize
    }

    /// Returns true with probability `numerator / 256`.
    #[inline]
    pub fn is_true_in_256(&mut self, numerator: u32) -> bool {
        (self.0.next_u64() >> 56) < u64::from(numerator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_reproducible_and_different() {
        let draw = |seed, stream| PlayoutRng::new(seed, stream).next_u64();
        assert_eq!(draw(1, 0), draw(1, 0));
        assert_ne!(draw(1, 0), draw(1, 1));
        assert_ne!(draw(1, 0), draw(2, 0));
    }

    #[test]
    fn below_covers_its_range_evenly() {
        let mut rng = PlayoutRng::new(7, 0);
        let mut counts = [0_u32; 10];
        for _ in 0..100_000 {
            counts[rng.below(10)] += 1;
        }
        assert!(counts.iter().all(|&count| (9_500..10_500).contains(&count)), "{counts:?}");
    }
}
