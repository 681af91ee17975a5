//! Randomness: one seed for a run, a ChaCha stream for each worker, a small fast generator inside.
//!
//! The algorithms are part of the reproducibility promise and never change with a library's taste:
//! ChaCha8 gives the seeds, xoroshiro128++ (Blackman & Vigna, <https://prng.di.unimi.it>) gives the
//! playouts.

use rand::SeedableRng;
use rand::rand_core::Rng;
use rand_chacha::ChaCha8Rng;
use rand_xoshiro::Xoroshiro128PlusPlus;

/// The generator that playouts draw from.
#[derive(Clone, Debug)]
pub struct PlayoutRng(Xoroshiro128PlusPlus);

impl PlayoutRng {
    /// The generator of worker `stream` in a run with `seed`: stream `stream` of the ChaCha8 generator
    /// that `seed` starts.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> PlayoutRng {
        let mut source = ChaCha8Rng::seed_from_u64(seed);
        source.set_stream(stream);
        PlayoutRng(Xoroshiro128PlusPlus::from_rng(&mut source))
    }

    /// 64 uniform bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `0..bound`, for `bound` in `1..=2^32`.
    ///
    /// Multiply-shift without rejection (Lemire, "Fast Random Integer Generation in an Interval", ACM
    /// TOMACS 2019): off from uniform by less than `bound / 2^32`.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.0.next_u64() >> 32) * bound as u64) >> 32) as usize
    }

    /// True with probability `numerator / 256`.
    #[inline]
    pub fn chance(&mut self, numerator: u32) -> bool {
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
