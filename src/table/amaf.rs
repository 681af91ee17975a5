//! AMAF samples of the moves of a page, two moves to a word.

/// AMAF visits at which a move's AMAF samples are halved.
pub const AMAF_VISITS_LIMIT: u32 = 1 << 14;
/// The bits of an AMAF half-word that are set once its visits have reached the limit; bit 31 only in damaged words.
pub(super) const AMAF_FULL: u64 = 0xc000_0000;

/// AMAF samples of a move: simulations in which its mover was the first to play on that point, at this position or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Amaf {
    /// Number of samples.
    pub visits: u32,
    /// Sum of the samples in half-points for the mover.
    pub half_points: u32,
}

/// Returns the addend of an AMAF word for `Amaf { visits: 1, half_points }` of the even move; shift it left by 32 for
/// the odd move.
#[must_use]
#[inline]
pub const fn amaf_sample(half_points: u32) -> u64 {
    1 << 16 | half_points as u64
}

#[inline]
pub(super) fn unpack_amaf(word: u64, index: usize) -> Amaf {
    let half = (word >> (32 * (index & 1))) as u32;
    let visits = half >> 16;
    Amaf { visits, half_points: (half & 0xffff).min(2 * visits) }
}

/// Halves both fields of each half-word that is full.
#[cold]
pub(super) fn halve_amaf(word: u64) -> u64 {
    let halve = |half: u64| {
        if half & AMAF_FULL == 0 {
            return half;
        }
        let (visits, half_points) = (half >> 17, (half & 0xffff) >> 1);
        // An odd number of visits loses half a visit; the points are capped accordingly.
        visits << 16 | half_points.min(2 * visits)
    };
    halve(word & 0xffff_ffff) | halve(word >> 32) << 32
}
