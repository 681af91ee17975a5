//! Winning probabilities as integers, so that sums do not depend on the order of addition.

/// A value in `[0, 1]` for one player (for the player to move, unless a name says otherwise), in units
/// of `1 / (2^32 - 1)`.
///
/// Integers make the search reproducible: a sum of `visits * value` is the same in every order and on
/// every instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

impl Value {
    /// Certain loss.
    pub const LOSS: Value = Value(0);
    /// Neither: one half.
    pub const DRAW: Value = Value(1 << 31);
    /// Certain win.
    pub const WIN: Value = Value(u32::MAX);

    /// The same for the opponent: one minus it.
    #[must_use]
    #[inline]
    pub const fn other(self) -> Value {
        Value(!self.0)
    }

    /// The mean of `visits` results that sum to `half_points` (a win is 2); a draw if there are none.
    #[must_use]
    #[inline]
    pub fn mean(half_points: u32, visits: u32) -> Value {
        if visits == 0 {
            return Value::DRAW;
        }
        let scaled = u64::from(half_points) * u64::from(u32::MAX) / (2 * u64::from(visits));
        Value(scaled.min(u64::from(u32::MAX)) as u32)
    }

    /// As a number in `[0, 1]`.
    #[must_use]
    #[inline]
    pub fn as_f32(self) -> f32 {
        self.0 as f32 * (1.0 / u32::MAX as f32)
    }

    /// As a number in `[0, 1]`.
    #[must_use]
    #[inline]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(u32::MAX)
    }
}

/// What is known of a position's value before it is searched: it counts like `weight` playouts with that mean, but is no
/// visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Value for the player to move.
    pub value: Value,
    /// Weight in playouts; 0 is no estimate.
    pub weight: u8,
}

impl Estimate {
    /// The mean of `visits` samples of mean `value` and this estimate.
    #[must_use]
    pub fn join(self, visits: u64, value: Value) -> Value {
        let weight = u64::from(self.weight);
        if visits + weight == 0 {
            return value;
        }
        let sum = u128::from(value.0) * u128::from(visits) + u128::from(self.value.0) * u128::from(weight);
        Value((sum / u128::from(visits + weight)) as u32)
    }

    /// The mean of the `visits` samples without this estimate, where it is `value` together with it.
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

impl From<crate::game::Outcome> for Value {
    fn from(outcome: crate::game::Outcome) -> Value {
        match outcome {
            crate::game::Outcome::Loss => Value::LOSS,
            crate::game::Outcome::Draw => Value::DRAW,
            crate::game::Outcome::Win => Value::WIN,
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
                // Rounding down loses a part of a unit of all the samples.
                assert!(u64::from(error) <= 1 + 16 / visits, "{visits} visits of {value:?}: off by {error}");
            }
        }
        assert_eq!(estimate.join(0, Value::LOSS), estimate.value);
        assert_eq!(estimate.part(4, Value::LOSS), Value::LOSS, "less than the estimate alone would make");
        let none = Estimate { weight: 0, ..estimate };
        assert_eq!((none.join(0, Value::WIN), none.join(5, Value::WIN)), (Value::WIN, Value::WIN));
    }
}
