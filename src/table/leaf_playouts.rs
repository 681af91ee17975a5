//! Leaf playouts: the playouts from a position before it got a page.

use crate::base::value::Value;

/// Maximum number of playouts in an entry.
pub(super) const MAX_LEAF_PLAYOUTS: u32 = (1 << 13) - 1;

/// Maximum number of playouts that stand for the visits of lost edges, so that later results correct their mean. 9x9,
/// 1,000 simulations without a network, against 16,383: 57.0 % (52.1-61.7) of 400 games in 16 KiB, 51.0 % (46.0-56.0)
/// in 32 KiB; a maximum of 128: 50.7 and 49.0 %. In 16 KiB, 8 scores 48.0 % (43.3-52.7) against 16.
const MAX_PLAYOUTS_OF_MEAN: u32 = 16;

/// Leaf playouts of a position, in half-points of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct LeafPlayouts {
    /// Number of playouts, n0.
    pub visits: u32,
    /// Sum of the half-points, at most twice the number.
    pub half_points: u32,
}

impl LeafPlayouts {
    /// Returns `visits` playouts, at most 16, with mean `value`.
    #[must_use]
    pub fn with_mean(visits: u32, value: Value) -> LeafPlayouts {
        let visits = visits.min(MAX_PLAYOUTS_OF_MEAN);
        let half_points = (u64::from(value.0) * 2 * u64::from(visits) + (1 << 31)) >> 32;
        LeafPlayouts { visits, half_points: half_points as u32 }
    }

    /// Adds one playout. Both numbers are halved before the counter would overflow.
    #[must_use]
    pub fn plus(self, half_points: u32) -> LeafPlayouts {
        let halved = if self.visits >= MAX_LEAF_PLAYOUTS { self.shifted(1) } else { self };
        LeafPlayouts { visits: halved.visits + 1, half_points: halved.half_points + half_points }
    }

    /// Adds the other playouts, without [`halved_to_fit`](LeafPlayouts::halved_to_fit).
    pub(super) fn plus_samples(self, other: LeafPlayouts) -> LeafPlayouts {
        LeafPlayouts { visits: self.visits + other.visits, half_points: self.half_points + other.half_points }
    }

    /// Subtracts playouts contained in these.
    pub(super) fn without(self, other: LeafPlayouts) -> LeafPlayouts {
        let visits = self.visits.saturating_sub(other.visits);
        LeafPlayouts {
            visits,
            half_points: self.half_points.saturating_sub(other.half_points).min(2 * visits),
        }
    }

    /// Shifts both numbers right by `shift` bits.
    pub(super) fn shifted(self, shift: u32) -> LeafPlayouts {
        let visits = self.visits.checked_shr(shift).unwrap_or(0);
        LeafPlayouts { visits, half_points: self.half_points.checked_shr(shift).unwrap_or(0).min(2 * visits) }
    }

    /// Halves both numbers until they fit into an entry.
    pub(super) fn halved_to_fit(self) -> LeafPlayouts {
        let mut halved = self;
        while halved.visits > MAX_LEAF_PLAYOUTS {
            halved = halved.shifted(1);
        }
        halved
    }

    /// Returns U, the mean of the playouts.
    #[must_use]
    pub fn mean(self) -> Value {
        Value::mean(self.half_points, self.visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_counts_as_few_playouts() {
        for visits in [1, 2, MAX_PLAYOUTS_OF_MEAN, 1_000_000] {
            let leaf_playouts = LeafPlayouts::with_mean(visits, Value(0x4000_0000));
            assert_eq!(leaf_playouts.visits, visits.min(MAX_PLAYOUTS_OF_MEAN));
            let half_a_step = 0.25 / f64::from(leaf_playouts.visits);
            assert!((leaf_playouts.mean().as_f64() - 0.25).abs() <= half_a_step, "{leaf_playouts:?}");
        }
    }
}
