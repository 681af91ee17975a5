//! An edge of a page: the statistics of one move in one word. The table in `page.rs` has its bits.

use crate::base::game::Prior;
use crate::base::value::Value;

/// Visits of an edge at which all visits of its position are halved.
pub const EDGE_VISITS_FULL: u32 = 1 << 27;
/// Maximum visits of an edge; the range above [`EDGE_VISITS_FULL`] is for visits added during a halving.
pub const MAX_EDGE_VISITS: u32 = (1 << 28) - 1;
const ILLEGAL: u64 = 0xffff;
pub(super) const VALUE_SHIFT: u32 = 16;
const VISITS_SHIFT: u32 = 36;

/// The statistics of one edge, from one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge(pub(super) u64);

impl Edge {
    /// Returns an edge without visits; `None` makes it illegal.
    #[must_use]
    pub fn fresh(prior: Option<Prior>) -> Edge {
        match prior {
            None => Edge(ILLEGAL),
            Some(prior) => {
                Edge(u64::from(prior.visits.min(254)) << 8 | u64::from(prior.wins.min(prior.visits).min(254)))
            }
        }
    }

    /// Returns true if the move is legal as far as the position's key determines it.
    #[must_use]
    #[inline]
    pub const fn is_legal(self) -> bool {
        self.0 & 0xffff != ILLEGAL
    }

    /// Returns N(s,a), the number of times the move was chosen here.
    #[must_use]
    #[inline]
    pub const fn visits(self) -> u32 {
        (self.0 >> VISITS_SHIFT) as u32
    }

    /// Returns the child's value at the last backup through this edge, for the mover.
    #[must_use]
    #[inline]
    pub const fn value(self) -> Value {
        let bits = (self.0 >> VALUE_SHIFT) as u32 & 0xf_ffff;
        Value(bits << 12 | bits >> 8)
    }

    /// Returns the prior with which the edge was created.
    #[must_use]
    #[inline]
    pub const fn prior(self) -> Prior {
        Prior { visits: (self.0 >> 8) as u8, wins: self.0 as u8 }
    }

    /// Returns the edge with `count` more visits, saturating, and the child's present value for the mover.
    #[must_use]
    #[inline]
    pub fn visited(self, count: u32, value: Value) -> Edge {
        self.with_statistics(u64::from(self.visits()) + u64::from(count), value)
    }

    /// Returns the edge with the same legality and prior, and the given visits (saturating) and value.
    pub(super) fn with_statistics(self, visits: u64, value: Value) -> Edge {
        let visits = visits.min(u64::from(MAX_EDGE_VISITS));
        Edge(self.0 & 0xffff | u64::from(value.0 >> 12) << VALUE_SHIFT | visits << VISITS_SHIFT)
    }

    /// Returns the edge with half of the visits and the same value.
    pub(super) const fn halved(self) -> Edge {
        Edge(self.0 & ((1 << VISITS_SHIFT) - 1) | (self.visits() as u64 / 2) << VISITS_SHIFT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_keeps_its_prior_and_forgets_no_visit() {
        let prior = Prior { visits: 40, wins: 33 };
        let mut edge = Edge::fresh(Some(prior));
        assert!(edge.is_legal() && edge.visits() == 0);
        for n in 1..=1000 {
            edge = edge.visited(1, Value(0xabcd_ef01));
            assert_eq!((edge.visits(), edge.prior()), (n, prior));
            assert!((edge.value().as_f64() - Value(0xabcd_ef01).as_f64()).abs() < 1e-5);
        }
        assert!(!Edge::fresh(None).is_legal());
        assert!(Edge::fresh(Some(Prior { visits: 255, wins: 255 })).is_legal());
    }

    #[test]
    fn certain_values_stay_certain_in_twenty_bits() {
        for value in [Value::WIN, Value::LOSS] {
            assert_eq!(Edge::fresh(Some(Prior::default())).visited(1, value).value(), value);
        }
    }

    #[test]
    fn edge_visits_never_carry_into_their_neighbours() {
        let full = Edge(u64::from(MAX_EDGE_VISITS - 1) << VISITS_SHIFT | 0x1234);
        for count in [1, 2, u32::MAX] {
            let next = full.visited(count, Value::DRAW);
            assert_eq!((next.visits(), next.prior()), (MAX_EDGE_VISITS, full.prior()));
        }
        let half = full.visited(1, Value::WIN).halved();
        assert_eq!((half.visits(), half.prior()), (MAX_EDGE_VISITS / 2, full.prior()));
        assert_eq!(half.value(), Value::WIN);
    }
}
