//! Win rates as integers, so that sums do not depend on the order of addition.

/// A win rate in `[0, 1]` for one player (the player to move, unless a name states otherwise), in units of `1 / (2^32 - 1)`.
///
/// Integers make the search reproducible: a sum of `visits * value` is the same in every order and on every instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

impl Value {
    /// A certain loss: 0.
    pub const LOSS: Value = Value(0);
    /// A draw: one half.
    pub const DRAW: Value = Value(1 << 31);
    /// A certain win: 1.
    pub const WIN: Value = Value(u32::MAX);

    /// Returns the value for the opponent: one minus this.
    #[must_use]
    #[inline]
    pub const fn other(self) -> Value {
        Value(!self.0)
    }

    /// Returns the mean of `visits` results with the sum `half_points` (a win is 2); a draw without visits.
    #[must_use]
    #[inline]
    pub fn mean(half_points: u32, visits: u32) -> Value {
        if visits == 0 {
            return Value::DRAW;
        }
        let scaled = u64::from(half_points) * u64::from(u32::MAX) / (2 * u64::from(visits));
        Value(scaled.min(u64::from(u32::MAX)) as u32)
    }

    /// Returns the value as a number in `[0, 1]`.
    #[must_use]
    #[inline]
    pub fn as_f32(self) -> f32 {
        self.0 as f32 * (1.0 / u32::MAX as f32)
    }

    /// Returns the value as a number in `[0, 1]`.
    #[must_use]
    #[inline]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(u32::MAX)
    }
}

/// An estimate of a position's value before it is searched. It counts like `weight` playouts with the mean `value`, but is
/// no visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The value for the player to move.
    pub value: Value,
    /// The weight in playouts; 0 is no estimate.
    pub weight: u8,
}

impl Estimate {
    /// Returns the mean of this estimate and `visits` samples with the mean `value`.
    #[must_use]
    pub fn join(self, visits: u64, value: Value) -> Value {
        let weight = u64::from(self.weight);
        if visits + weight == 0 {
            return value;
        }
        let sum = u128::from(value.0) * u128::from(visits) + u128::from(self.value.0) * u128::from(weight);
        Value((sum / u128::from(visits + weight)) as u32)
    }

    /// Returns the mean of the `visits` samples alone, where `value` is their mean together with this estimate.
    #[must_use]
    pub fn part(self, visits: u64, value: Value) -> Value {
        if visits == 0 {
            return value;
        }
        let weight = u64::from(self.weight);
        let all = u128::from(value.0) * u128::from(visits + weight);
        let sum = all.saturating_sub(u128::from(self.value.0) * u128::from(weight));
        Value((sum / u128::from(visits)).min(u128::from(u32::MAX)) as u32)
    }
}

impl From<crate::base::game::Outcome> for Value {
    fn from(outcome: crate::base::game::Outcome) -> Value {
        match outcome {
            crate::base::game::Outcome::Loss => Value::LOSS,
            crate::base::game::Outcome::Draw => Value::DRAW,
            crate::base::game::Outcome::Win => Value::WIN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_that_is_taken_out_again_leaves_what_was() {
        let estimate = Estimate { value: Value(0xc000_0000), weight: 16 };
        for visits in [1, 8, 1000, 1 << 31] {
            for value in [Value::LOSS, Value::DRAW, Value(0x1234_5678), Value::WIN] {
                let joined = estimate.join(visits, value);
                let error = estimate.part(visits, joined).0.abs_diff(value.0);
                // Rounding down loses less than one unit of the joint mean.
                assert!(u64::from(error) <= 1 + 16 / visits, "{visits} visits of {value:?}: off by {error}");
            }
        }
        assert_eq!(estimate.join(0, Value::LOSS), estimate.value);
        assert_eq!(estimate.part(4, Value::LOSS), Value::LOSS, "less than the estimate alone would make");
        let none = Estimate { weight: 0, ..estimate };
        assert_eq!((none.join(0, Value::WIN), none.join(5, Value::WIN)), (Value::WIN, Value::WIN));
    }
}
