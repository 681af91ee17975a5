//! The liberties of a chain in one word.

use super::geometry::Point;

/// Count, sum of positions and sum of squared positions of a chain's pseudo-liberties in one word: 12, 20 and 32 bits. A
/// chain has at most 4 * 361 of them, at positions below `CELLS`: no field carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Liberties(pub(super) u64);

impl Liberties {
    pub(super) const NONE: Liberties = Liberties(0);

    #[inline]
    pub(super) const fn of(point: Point) -> Liberties {
        let position = point.0 as u64;
        Liberties(1 | position << 12 | (position * position) << 32)
    }

    #[inline]
    pub(super) fn add(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_add(other.0);
    }

    #[inline]
    pub(super) fn remove(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_sub(other.0);
    }

    /// Returns the liberties if `condition` is true, else none.
    #[inline]
    pub(super) const fn only_if(self, condition: bool) -> Liberties {
        Liberties(self.0 & (condition as u64).wrapping_neg())
    }

    /// Returns true if all liberties are the same point or there are none.
    #[inline]
    pub(super) fn at_most_one_point(self) -> bool {
        let (count, sum, squares) = (self.0 & 0xfff, self.0 >> 12 & 0xf_ffff, self.0 >> 32);
        count * squares == sum * sum
    }

    /// Returns the only liberty, if all are the same point.
    #[inline]
    pub(super) fn only(self) -> Point {
        Point(((self.0 >> 12 & 0xf_ffff) / (self.0 & 0xfff).max(1)) as u16)
    }
}
